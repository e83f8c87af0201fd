"""Why a comparison of trajectories did not pass: the calls of both sides as one table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.display import counted, shortened, shown, visible
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.explanation.facts import build_default_explanation
from pytest_verdict.explanation.lines import Line, Part, cut, line, table
from pytest_verdict.explanation.model import Explanation
from pytest_verdict.explanation.values import draw_both_sides, draw_difference

_MARKS: Final = {
    "equal": Part("ok"),
    "extra": Part("extra"),
    "different_arguments": Part("differs", "mark"),
    "missing": Part("missing", "expected"),
    "unexpected": Part("unexpected", "observed"),
    "forbidden": Part("forbidden", "observed"),
    "out_of_order": Part("out of order", "mark"),
}
_AS_EXPECTED: Final = frozenset({"equal", "extra"})
_SAID: Final = ("alignment", "alignment_omitted", "expected_calls", "observed_calls", "first_divergence")
_PATH: Final = re.compile(r"\$\[(\d{1,9})\](?:\.args(.*))?", re.DOTALL)

Row = Mapping[str, Any]
_Inside = dict[str, list[tuple[str, Difference]]]
"""By the place of an observed call what differs in it: the whole path, and the difference with its path from there."""


def explain_trajectory(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain a comparison of trajectories."""
    details = result.details
    said = (*_SAID, "observed_from", "steps", "reason")
    if result.error is None and "trajectory_unreadable" in result.notes and "reason" in details:
        return Explanation(summary=line(shortened(str(details["reason"]), budget.characters)), covered_names=said)
    if result.children and result.verdict == "fail":
        return _of_turns(result, budget)
    rows, inside = _rows(result), _inside(details)
    first = next((row for row in rows if row["kind"] not in _AS_EXPECTED), None)
    if first is None or result.verdict != "fail":
        return replace(build_default_explanation(result, budget), covered_names=said)
    omitted = details.get("differences_omitted")
    more = len(_listed(details, "differences")) - 1 + (omitted if type(omitted) is int else 0)
    tail = f", and {counted(more, 'more difference')}" if more > 0 else ""
    narrower = budget.narrower(len(tail) + len(result.operator) + 2, 40)
    summary = (*_summary(first, inside, result.operator, narrower), Part(tail))
    return Explanation(summary=summary, lines=list(_table(result, rows, inside, budget)), covered_names=said)


def _of_turns(result: ComparisonResult, budget: Budget) -> Explanation:
    turns = [shown(result.details.get(f"{side}_turns"), 20) for side in ("expected", "observed")]
    if turns[0] != turns[1]:
        return Explanation(summary=line(f"expected {turns[0]} turns, got {turns[1]}"))
    failed = next((child for child in result.children if not child.passed), result.children[0])
    passed = sum(child.passed for child in result.children)
    head = line(f"{passed} of {counted(len(result.children), 'turn')} passed; {shown(failed.name)}: ".replace("'", ""))
    return Explanation(summary=(*head, *explain_trajectory(failed, budget).summary), sides=False)


def _listed(details: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    listed = details.get(name)
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _rows(result: ComparisonResult) -> list[Row]:
    """Give the rows of the table, which a limit has only for the calls that break it."""
    if "alignment" in result.details:
        return [{**row, "kind": str(row.get("kind"))} for row in _listed(result.details, "alignment")]
    kind = "forbidden" if result.operator == "trajectory_forbidden" else "unexpected"
    listed = _listed(result.details, "differences")
    found = [(_PATH.fullmatch(str(one.get("path"))), one.get("observed")) for one in listed]
    return [{**made, "kind": kind, "observed": int(at[1])} for at, made in found if at and isinstance(made, Mapping)]


def _inside(details: Mapping[str, Any]) -> _Inside:
    """Sort what differs in the arguments of calls by the place of the observed call, each with the path from there."""
    found: _Inside = {}
    for one in _listed(details, "differences"):
        place = _PATH.fullmatch(str(one.get("path")))
        made = _PATH.fullmatch(str(one.get("observed_path", one.get("path"))))
        if place and made and place[2] is not None:
            difference = Difference("$" + place[2], one.get("expected", ABSENT), one.get("observed", ABSENT))
            found.setdefault(made[1], []).append((place[0], difference))
    return found


def _of_row(row: Row, inside: _Inside) -> list[tuple[str, Difference]]:
    return inside.get(str(row.get("observed")), []) if row["kind"] == "different_arguments" else []


def _mark(row: Row) -> Part:
    return _MARKS.get(row["kind"]) or Part(_name(row["kind"]), "mark")


def _name(written: Any) -> str:
    return visible(shortened(str(written), 60))


def _number(place: Any) -> str:
    return str(place + 1) if type(place) is int and 0 <= place < 10**9 else "-"


def _summary(row: Row, inside: _Inside, operator: str, budget: Budget) -> Line:
    found = _of_row(row, inside)
    kind, number, made = row["kind"], _number(row.get("expected")), _number(row.get("observed"))
    step_or_call = "step" if operator == "trajectory_steps" else "call"
    if found and found[0][1].path != "$":
        head = f"{step_or_call} {number} {_name(row.get('name'))} differs at "
        return Part(head), *draw_difference(replace(found[0][1], path=found[0][0]), budget.narrower(len(head), 40))
    call = cut(_call(row, found, budget.room(40)), budget.room(40))
    if kind == "different_arguments":
        return Part(f"{step_or_call} {number} differs: "), *call
    if kind == "out_of_order":
        return Part(f"{step_or_call} {number} "), *call, Part(f" is out of order, made as call {made}")
    mark = _mark(row).text
    in_step = kind == "missing" and step_or_call == "step"
    return Part(f"{mark} in step {number}: " if in_step else f"{mark} call {made if number == '-' else number} "), *call


def _table(result: ComparisonResult, rows: Sequence[Row], inside: _Inside, budget: Budget) -> Iterator[Line]:
    chosen = _chosen(rows, budget.differences)
    room = budget.room(26 + max((len(_mark(rows[at]).text) for at in chosen), default=0))
    calls = [cut(_call(rows[at], _of_row(rows[at], inside), room), room) for at in chosen]
    column = "step" if result.operator == "trajectory_steps" else "expected"
    cells = [[Part(""), Part(column, "expected"), Part("observed", "observed"), Part("call")]]
    for at, call in zip(chosen, calls, strict=True):
        places = (Part(_number(rows[at].get(side))) for side in ("expected", "observed"))
        cells.append([_mark(rows[at]), *places, call[0]])
    lines = table(cells)
    yield lines[0]
    exact = "alignment_omitted" not in result.details
    before = -1
    for at, call, found in zip(chosen, calls, lines[1:], strict=True):
        if at > before + 1:
            yield line(f"… {counted(at - before - 1, 'call')} as expected" if exact else "… more calls as expected")
        yield (*found, *call[1:])
        before = at
    if before + 1 < len(rows) or not exact:
        yield line(f"… {counted(len(rows) - before - 1, 'more call')}" if exact else "… more calls")


def _chosen(rows: Sequence[Row], most: int) -> list[int]:
    """Choose the rows that differ, as many as may be shown, and one before and behind each; all rows if they are few."""
    if not most or len(rows) <= most:
        return list(range(len(rows)))
    different = [at for at, row in enumerate(rows) if row["kind"] not in _AS_EXPECTED]
    near = {beside for at in different[:most] for beside in (at - 1, at, at + 1) if 0 <= beside < len(rows)}
    hidden = set(different[most:])
    return sorted(near - hidden)


def _call(row: Row, inside: Sequence[tuple[str, Difference]], room: int) -> Iterator[Part]:
    """Write a call, what differs in it first."""
    name = _name(row.get("name"))
    yield Part(f"{name}(")
    comma = ""
    for _, difference in inside:
        yield Part(comma)
        yield from _argument(difference, room and max((room - len(name) - 6) // min(len(inside), 2), 16))
        comma = ", "
    args, paths = row.get("args"), [difference.path for _, difference in inside]
    if isinstance(args, Mapping):
        for argument, value in args.items():
            start = step("$", str(argument))
            if not any(path == start or path.startswith((f"{start}.", f"{start}[")) for path in paths):
                yield Part(f"{comma}{_name(argument)}={shown(value, room and room // 2)}")
                comma = ", "
    elif not inside:
        yield Part(shown(row["args_text"], room) if "args_text" in row else "…")
    yield Part(")")


def _argument(difference: Difference, room: int) -> Iterator[Part]:
    place = _name(difference.path.removeprefix("$").removeprefix("."))
    half = room and max((room - len(place)) // 2, 8)
    if not place:
        sides = (_arguments(side, half) for side in (difference.expected, difference.observed))
        yield from (Part(next(sides), "expected"), Part(" -> "), Part(next(sides), "observed"))
    elif difference.kind == "changed":
        left, right = draw_both_sides(difference.expected, difference.observed, half)
        yield from (Part(f"{place}="), *left, Part(" -> "), *right)
    elif difference.kind == "missing":
        yield from (Part(f"missing {place}="), Part(shown(difference.expected, room), "expected"))
    else:
        yield from (Part(f"unexpected {place}="), Part(shown(difference.observed, room), "observed"))


def _arguments(call: Any, room: int) -> str:
    """Write the arguments of a call of which a side is not known."""
    found = call if isinstance(call, Mapping) else {}
    if "args" in found:
        return shown(found["args"], room)
    return f"malformed {shown(found['args_text'], room)}" if "args_text" in found else "not recorded"
