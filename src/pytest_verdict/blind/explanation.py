"""Why a blind comparison came out as it did: the cause, then a line for each call; and what came of all of a session."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.blind.rubric import DIMENSIONS, LABELS
from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import counted, shortened, shown, visible
from pytest_verdict.explanation.facts import build_default_explanation
from pytest_verdict.explanation.lines import Line, Part, cut, line, table
from pytest_verdict.explanation.model import Explanation

_STATUSES: Final = {
    "INCONSISTENT": "INCONSISTENT: with the labels exchanged, the judge preferred the other output",
    "ABSTAINED": "ABSTAINED: the calls of the judge do not agree as far as the protocol asks",
    "INVALID": "INVALID, no verdict",
    "TIE": "a tie",
}
_SAID: Final = (
    *("status", "winner", "label", "assignment", "votes", "order_flips", "invalid_calls", "first_shown_won"),
    *("longer_won", "contradictions", "expectation_source", "reliability", "comparison", "problem", "candidates"),
)
_SCORE: Final = re.compile(r"\d{1,6}(/[1-9]\d{0,5})?")


def explain_preference(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain a whole blind comparison."""
    everything = budget.lines == 0
    if "problem" in result.details:
        summary = line(f"observed is no blind comparison: {_text(result.details['problem'], budget.characters)}")
        return Explanation(summary=summary, covered_names=_SAID)
    found = (
        Explanation(summary=_cause(result)) if result.verdict == "fail" else build_default_explanation(result, budget)
    )
    lines = [*_calls(result, budget), *_contradictions(result, budget), *_unread(result, budget), *_sides(result)]
    return replace(found, lines=lines, sides=everything, children=everything, covered_names=_SAID)


def explain_ballot(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain one reply of a judge."""
    if "problem" not in result.details:
        return replace(build_default_explanation(result, budget), covered_names=(*_SAID, "rubric"))
    summary = line(_text(result.details["problem"], budget.characters))
    return Explanation(summary=summary, lines=list(_needed(result, budget)), covered_names=("problem", "rubric"))


def _text(value: Any, limit: int = 200) -> str:
    return visible(shortened(str(value), limit))


def _fields(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _wanted(result: ComparisonResult) -> str:
    return "a verdict" if result.expected is None else f"{shown(result.expected, 80)} to win"


def _reached(result: ComparisonResult) -> str:
    winner, status = result.details.get("winner"), _text(result.details.get("status"))
    return _STATUSES.get(status) or _STATUSES.get(_text(winner)) or shown(winner, 80)


def _cause(result: ComparisonResult) -> Line:
    details = result.details
    if "candidates" in details:
        return line(f"expected {_wanted(result)}, but the candidates are {shown(details['candidates'], 200)}")
    if "commitment_broken" in result.notes:
        return line("the record was altered: it is not what was committed to before the judge was asked")
    claims = _claims(result)
    if "contradiction" in result.notes and claims and result.expected in (None, details.get("winner")):
        return line(f"the judge contradicts itself, {claims[0]}")
    return Part("expected "), Part(_wanted(result), "expected"), Part(", got "), Part(_reached(result), "observed")


def _claims(result: ComparisonResult) -> list[str]:
    found = [one for one in _items(result.details.get("contradictions")) if isinstance(one, Mapping)]
    return [
        f"{_text(one.get('where'))}: claimed {shown(one.get('claimed'), 80)}, derived {shown(one.get('derived'), 80)}"
        f" ({_text(one.get('code'))})"
        for one in found
    ]


def _contradictions(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    claims = list(dict.fromkeys(_claims(result)))
    most = budget.differences or len(claims)
    yield from (line(f"contradiction: {claim}") for claim in claims[:most])
    if len(claims) > most:
        yield line(f"… {counted(len(claims) - most, 'more contradiction')}")


def _calls(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    most = budget.differences or len(result.children)
    if result.children:
        names = _names(result)
        heads = [[Part("call"), Part("first shown"), Part("winner"), Part("overall scores")]]
        rows = [[Part(cell) for cell in _row(child, names)] for child in result.children[:most]]
        yield from (cut(found, budget.room(2)) for found in table([*heads, *rows]))
    if len(result.children) > most:
        yield line(f"… {counted(len(result.children) - most, 'more call')}")


def _names(result: ComparisonResult) -> Sequence[str]:
    """Give the names of the candidates, as far as the record can be read."""
    candidates = _items(_fields(_fields(result.observed).get("comparison")).get("candidates"))
    return [_text(one.get("name") if isinstance(one, Mapping) else one, 40) for one in candidates]


def _row(call: ComparisonResult, names: Sequence[str]) -> tuple[str, str, str, str]:
    asked = _fields(call.expected)
    slots, order = _fields(asked.get("slots")), _items(asked.get("shown"))

    def named(label: Any) -> str:
        place = slots.get(label) if isinstance(label, str) else None
        return names[place] if type(place) is int and 0 <= place < len(names) else _text(label, 40)

    first = named(order[0]) if order else "-"
    if not call.passed:
        return _text(call.name, 60), first, "no verdict", _text(call.error or ", ".join(call.notes), 80)
    scores = call.details.get("overall")
    overall = [f"{named(label)} {_score(scores.get(label))}" for label in LABELS] if isinstance(scores, Mapping) else []
    return _text(call.name, 60), first, named(call.details.get("winner")), ", ".join(sorted(overall))


def _score(written: Any) -> str:
    is_score = isinstance(written, str) and _SCORE.fullmatch(written)
    return f"{float(Fraction(written)):.1f}" if is_score else _text(written, 20)


def _unread(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    """Show a reply that is no verdict, and once what would be one."""
    unread = next((child for child in result.children if "problem" in child.details), None)
    if unread is not None:
        problem = _text(unread.details["problem"], budget.characters)
        if problem not in (result.error or ""):
            yield line(f"{_text(unread.name, 60)}: {problem}")
        yield Part("reply: "), Part(shown(unread.observed, budget.room(10)), "observed")
        yield from _needed(unread, budget)


def _needed(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    rubric, expectations = _fields(result.settings.get("rubric")), _items(result.settings.get("expectations"))
    scores = {name: {str(one): "1 to 5" for one in _fields(rubric.get(name))} for name in DIMENSIONS}
    shape: dict[str, Any] = {"rubric": {"A": scores, "B": "as A"}}
    if expectations and not result.settings.get("checked"):
        passed = f"{counted(len(expectations), 'object')} with text and passed"
        shape["expectation_results"] = {"A": {"details": passed}, "B": "as A"}
    written = _text(json.dumps({**shape, "winner": "A, B or TIE"}), budget.characters * 2)
    wrapped = textwrap.wrap(f"needed: {written}", budget.room(2) or len(written) + 8, subsequent_indent=" " * 8)
    yield from map(line, wrapped)


def _sides(result: ComparisonResult) -> Iterator[Line]:
    yield Part("expected: "), Part(_wanted(result), "expected")
    yield Part("observed: "), Part(_reached(result), "observed")


def blind_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Say what came of the blind comparisons of a session."""
    statuses: Counter[str] = Counter()
    contradictions: Counter[str] = Counter()
    flips = first = decisive = informal = 0
    for record in records:
        details = _fields(record.get("details"))
        if not isinstance(details.get("status"), str):
            statuses["unreadable"] += 1
            continue
        statuses[details["status"].lower()] += 1
        claims = _items(details.get("contradictions"))
        contradictions.update({str(one.get("code")) for one in claims if isinstance(one, Mapping)})
        flips += bool(details.get("order_flips"))
        informal += "informal" in record.get("notes", [])
        won = _items(details.get("first_shown_won"))
        if len(won) == 2 and all(type(number) is int for number in won):
            first, decisive = first + won[0], decisive + won[1]
    if statuses:
        yield f"{counted(statuses.total(), 'blind comparison')}: {_counts(statuses)}; {informal} informal"
    if flips:
        yield f"order flips: {flips}; the output shown first won {first} of {decisive} decisive calls"
    if contradictions:
        yield f"comparisons with contradictions of the judge: {_counts(contradictions)}"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
