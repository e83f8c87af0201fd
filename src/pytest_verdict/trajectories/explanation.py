"""Why a comparison of trajectories did not pass: the calls of both sides as one table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.display import format_count, shorten, shown, visible
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.explanation.differences import draw_both_sides, draw_difference
from pytest_verdict.explanation.facts import build_default_explanation
from pytest_verdict.explanation.lines import Explanation, Line, Part, cut, format_plain, indent, line, table, wrap
from pytest_verdict.trajectories.details import AS_EXPECTED

_MARKS: Final = {
    "equal": Part("ok"),
    "extra": Part("extra"),
    "different_arguments": Part("differs", "mark"),
    "missing": Part("missing", "expected"),
    "unexpected": Part("unexpected", "observed"),
    "forbidden": Part("forbidden", "observed"),
    "out_of_order": Part("out of order", "mark"),
}
_EXPLAINED: Final = (
    *("alignment", "alignment_omitted", "expected_calls", "observed_calls", "first_divergence"),
    *("observed_from", "steps", "reason"),
)
_PATH: Final = re.compile(r"\$\[(\d{1,9})\](?:\.args(.*))?", re.DOTALL)


class _Row(NamedTuple):
    """A call of the table: the details of the record, and how its arguments differ."""

    kind: str
    details: Mapping[str, Any]
    differences: Sequence[Difference]
    """Differences with their paths in the arguments."""
    path: str = ""
    """The path of the first difference in the trajectory."""

    @property
    def mark(self) -> Part:
        return _MARKS.get(self.kind) or Part(_format_name(self.kind), "mark")


def explain_trajectory(result: ComparisonResult, budget: Budget) -> Explanation:
    details = result.details
    if result.error is None and "reason" in details:
        reason = shorten(str(details["reason"]), budget.characters)
        return Explanation(summary=line(reason), covered_names=_EXPLAINED)
    if result.children and result.verdict == "fail":
        return _explain_turns(result, budget)

    rows = _list_rows(result)
    first = next((row for row in rows if row.kind not in AS_EXPECTED), None)
    if first is None or result.verdict != "fail":
        return replace(build_default_explanation(result, budget), covered_names=_EXPLAINED)

    omitted = details.get("differences_omitted")
    more = len(_list_objects(details, "differences")) - 1
    if type(omitted) is int:
        more += omitted
    tail = f", and {format_count(more, 'more difference')}" if more > 0 else ""
    narrower = budget.narrower(len(tail) + len(result.operator) + 2, 40)
    summary = (*_summarize(first, result.operator, narrower), Part(tail))
    return Explanation(summary=summary, lines=list(_draw_table(result, rows, budget)), covered_names=_EXPLAINED)


def _explain_turns(result: ComparisonResult, budget: Budget) -> Explanation:
    expected = shown(result.details.get("expected_turns"), 20)
    observed = shown(result.details.get("observed_turns"), 20)
    if expected != observed:
        return Explanation(summary=line(f"expected {expected} turns, got {observed}"))
    failed = next((child for child in result.children if not child.passed), result.children[0])
    passed = sum(child.passed for child in result.children)
    head = line(
        f"{passed} of {format_count(len(result.children), 'turn')} passed; {shown(failed.name)}: ".replace("'", "")
    )
    return Explanation(summary=(*head, *explain_trajectory(failed, budget).summary), sides=False)


def _list_objects(details: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    items = details.get(name)
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, Mapping)]


def _list_rows(result: ComparisonResult) -> list[_Row]:
    """Return the rows of the table; the record of a limit has only the calls that break it."""
    if result.operator == "trajectory_valid_calls":
        # Each difference has its place and a reason.
        return []
    places = []
    for difference in _list_objects(result.details, "differences"):
        match = _PATH.fullmatch(str(difference.get("path")))
        observed_match = _PATH.fullmatch(str(difference.get("observed_path", difference.get("path"))))
        if match and observed_match:
            places.append((difference, match, observed_match[1]))
    if "alignment" not in result.details:
        kind = "forbidden" if result.operator == "trajectory_forbidden" else "unexpected"
        calls = [(difference.get("observed"), int(at)) for difference, _, at in places]
        return [_Row(kind, {**call, "observed": at}, ()) for call, at in calls if isinstance(call, Mapping)]

    by_position: dict[str, list[tuple[Difference, str]]] = {}
    for difference, match, at in places:
        if match[2] is not None:
            sides = [difference.get(side, ABSENT) for side in ("expected", "observed")]
            by_position.setdefault(at, []).append((Difference(f"${match[2]}", *sides), match[0]))
    rows = []
    for details in _list_objects(result.details, "alignment"):
        row = _Row(str(details.get("kind")), details, ())
        pairs = by_position.get(str(details.get("observed")), [])
        if pairs and row.kind == "different_arguments":
            row = row._replace(differences=[inner for inner, _ in pairs], path=pairs[0][1])
        rows.append(row)
    return rows


def _format_name(name: Any) -> str:
    return visible(shorten(str(name), 60))


def _format_number(place: Any) -> str:
    if type(place) is int and 0 <= place < 10**9:
        return str(place + 1)
    return "-"


def _summarize(row: _Row, operator: str, budget: Budget) -> Line:
    """Describe the first call that differs in one line."""
    number = _format_number(row.details.get("expected"))
    observed_number = _format_number(row.details.get("observed"))
    unit = "step" if operator == "trajectory_steps" else "call"
    if row.differences and row.differences[0].path != "$":
        head = f"{unit} {number} {_format_name(row.details.get('name'))} differs at "
        difference = replace(row.differences[0], path=row.path)
        return Part(head), *draw_difference(difference, budget.narrower(len(head), 40))

    heads = {
        "different_arguments": f"{unit} {number} differs: ",
        "out_of_order": f"{unit} {number} ",
        "missing": f"missing in step {number}: " if unit == "step" else f"missing call {number} ",
    }
    head = heads.get(row.kind, f"{row.mark.text} call {observed_number if number == '-' else number} ")
    tail = f" is out of order, made as call {observed_number}" if row.kind == "out_of_order" else ""
    room = budget.room(len(head) + len(tail))
    return Part(head), *cut(_draw_call(row, room), room), Part(tail)


def _draw_table(result: ComparisonResult, rows: Sequence[_Row], budget: Budget) -> Iterator[Line]:
    chosen = list(range(len(rows)))
    if 0 < budget.differences < len(rows):
        # The first rows that differ, and one before and behind each.
        different = [at for at, row in enumerate(rows) if row.kind not in AS_EXPECTED]
        near = {near for at in different[: budget.differences] for near in (at - 1, at, at + 1)}
        chosen = sorted(near.intersection(chosen).difference(different[budget.differences :]))
    room = budget.room(26 + max((len(rows[at].mark.text) for at in chosen), default=0))
    calls = []
    for at in chosen:
        parts = tuple(_draw_call(rows[at], room))
        calls.append([cut(parts, room)] if rows[at].kind in AS_EXPECTED else wrap(parts, room))
    column = "step" if result.operator == "trajectory_steps" else "expected"
    cells = [[Part(""), Part(column, "expected"), Part("observed", "observed"), Part("call")]]
    for at, (first, *_) in zip(chosen, calls, strict=True):
        numbers = [Part(_format_number(rows[at].details.get(side))) for side in ("expected", "observed")]
        cells.append([rows[at].mark, *numbers, first[0]])

    head, *lines = table(cells)
    yield head
    is_complete = "alignment_omitted" not in result.details
    following = 0
    for at, (first, *others), cells_line in zip(chosen, calls, lines, strict=True):
        if at > following:
            yield line(f"… {format_count(at - following, 'call') if is_complete else 'more calls'} as expected")
        yield (*cells_line, *first[1:])
        yield from indent(others, len(format_plain(cells_line[:-1])) + 2)
        following = at + 1
    if not is_complete or following < len(rows):
        yield line(f"… {format_count(len(rows) - following, 'more call') if is_complete else 'more calls'}")


def _draw_call(row: _Row, room: int) -> Iterator[Part]:
    """Draw a call, the arguments that differ first."""
    name = _format_name(row.details.get("name"))
    yield Part(f"{name}(")
    comma = ""
    for difference in row.differences:
        yield Part(comma)
        yield from _draw_argument(difference, room and max((room - len(name) - 6) // min(len(row.differences), 2), 16))
        comma = ", "

    args = row.details.get("args")
    if isinstance(args, Mapping):
        for argument, value in args.items():
            path = step("$", str(argument))
            prefixes = (f"{path}.", f"{path}[")
            if not any(f"{difference.path}.".startswith(prefixes) for difference in row.differences):
                yield Part(f"{comma}{_format_name(argument)}={shown(value, room and room // 2)}")
                comma = ", "
    elif not row.differences and "args_text" in row.details:
        yield Part(shown(row.details["args_text"], room))
    elif not row.differences:
        yield Part("…")
    yield Part(")")


def _draw_argument(difference: Difference, room: int) -> Iterator[Part]:
    place = _format_name(difference.path.removeprefix("$").removeprefix("."))
    half = room and max((room - len(place)) // 2, 8)
    if not place:
        yield Part(_format_arguments(difference.expected, half), "expected")
        yield Part(" -> ")
        yield Part(_format_arguments(difference.observed, half), "observed")
    elif difference.kind == "changed":
        expected, observed = draw_both_sides(difference.expected, difference.observed, half)
        yield from (Part(f"{place}="), *expected, Part(" -> "), *observed)
    elif difference.kind == "missing":
        yield from (Part(f"missing {place}="), Part(shown(difference.expected, room), "expected"))
    else:
        yield from (Part(f"unexpected {place}="), Part(shown(difference.observed, room), "observed"))


def _format_arguments(call: Any, room: int) -> str:
    """Format all arguments of a call, which one side does not have."""
    if isinstance(call, Mapping) and "args" in call:
        return shown(call["args"], room)
    if isinstance(call, Mapping) and "args_text" in call:
        return f"malformed {shown(call['args_text'], room)}"
    return "not recorded"
