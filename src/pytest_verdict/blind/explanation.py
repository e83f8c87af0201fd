"""Explain results of blind comparisons: first the cause, then a line for each call; and summarize those of a session."""

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
from pytest_verdict.core.values.display import format_count, shorten, shown, visible
from pytest_verdict.explanation.facts import build_default_explanation
from pytest_verdict.explanation.lines import Explanation, Line, Part, indent, line, table, wrap

_STATUSES: Final = {
    "INCONSISTENT": "INCONSISTENT: with the labels exchanged, the judge preferred the other output",
    "ABSTAINED": "ABSTAINED: the calls of the judge do not agree as far as the protocol asks",
    "INVALID": "INVALID, no verdict",
    "TIE": "a tie",
}
_EXPLAINED_DETAILS: Final = (
    *("status", "winner", "label", "assignment", "votes", "order_flips", "invalid_calls", "first_shown_won"),
    *("longer_won", "contradictions", "expectation_source", "reliability", "comparison", "problem", "candidates"),
)
_SCORE: Final = re.compile(r"\d{1,6}(/[1-9]\d{0,5})?")


def explain_preference(result: ComparisonResult, budget: Budget) -> Explanation:
    details = result.details
    if "problem" in details:
        problem = _format_text(details["problem"], budget.characters)
        summary = line(f"observed is no blind comparison: {problem}")
        return Explanation(summary=summary, covered_names=_EXPLAINED_DETAILS)

    expected = Part("a verdict" if result.expected is None else f"{shown(result.expected, 80)} to win", "expected")
    winner = details.get("winner")
    status = _STATUSES.get(_format_text(details.get("status"))) or _STATUSES.get(_format_text(winner))
    observed = Part(status or shown(winner, 80), "observed")
    contradictions = _format_contradictions(result)
    if result.verdict != "fail":
        summary = build_default_explanation(result, budget).summary
    elif "candidates" in details:
        summary = line(f"expected {expected.text}, but the candidates are {shown(details['candidates'], 200)}")
    elif "commitment_broken" in result.notes:
        summary = line("the record was altered: it is not what was committed to before the judge was asked")
    elif "contradiction" in result.notes and contradictions and result.expected in (None, winner):
        summary = line(f"the judge contradicts itself, {contradictions[0]}")
    else:
        summary = (Part("expected "), expected, Part(", got "), observed)

    is_unlimited = budget.lines == 0
    return Explanation(
        summary=summary,
        lines=[
            *_explain_calls(result, budget),
            *_explain_contradictions(contradictions, budget),
            *_explain_invalid_reply(result, budget),
            (Part("expected: "), expected),
            (Part("observed: "), observed),
        ],
        sides=is_unlimited,
        children=is_unlimited,
        covered_names=_EXPLAINED_DETAILS,
    )


def explain_ballot(result: ComparisonResult, budget: Budget) -> Explanation:
    if "problem" not in result.details:
        return replace(build_default_explanation(result, budget), covered_names=(*_EXPLAINED_DETAILS, "rubric"))
    summary = line(_format_text(result.details["problem"], budget.characters))
    return Explanation(summary=summary, lines=list(_explain_form(result, budget)), covered_names=("problem", "rubric"))


def _format_text(value: Any, limit: int = 200) -> str:
    return visible(shorten(str(value), limit))


# A record may come from anywhere, so read its values without trust.
def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _format_contradictions(result: ComparisonResult) -> list[str]:
    texts = []
    for contradiction in _list(result.details.get("contradictions")):
        if isinstance(contradiction, Mapping):
            where = _format_text(contradiction.get("where"))
            claimed = shown(contradiction.get("claimed"), 80)
            derived = shown(contradiction.get("derived"), 80)
            code = _format_text(contradiction.get("code"))
            texts.append(f"{where}: claimed {claimed}, derived {derived} ({code})")
    return list(dict.fromkeys(texts))


def _explain_contradictions(contradictions: Sequence[str], budget: Budget) -> Iterator[Line]:
    limit = budget.differences or len(contradictions)
    for contradiction in contradictions[:limit]:
        yield line(f"contradiction: {contradiction}")
    if len(contradictions) > limit:
        yield line(f"… {format_count(len(contradictions) - limit, 'more contradiction')}")


def _explain_calls(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    if not result.children:
        return
    candidates = _list(_mapping(_mapping(result.observed).get("comparison")).get("candidates"))
    names = [
        _format_text(candidate.get("name") if isinstance(candidate, Mapping) else candidate, 40)
        for candidate in candidates
    ]
    limit = budget.differences or len(result.children)
    rows = [("call", "first shown", "winner", "overall scores")]
    rows += [_build_row(child, names) for child in result.children[:limit]]
    for row_line in table([[Part(cell) for cell in row] for row in rows]):
        first, *others = wrap(row_line, budget.room(2))
        yield first
        yield from indent(others, 4)
    if len(result.children) > limit:
        yield line(f"… {format_count(len(result.children) - limit, 'more call')}")


def _build_row(call: ComparisonResult, names: Sequence[str]) -> tuple[str, str, str, str]:
    expected = _mapping(call.expected)
    slots = _mapping(expected.get("slots"))
    label_order = _list(expected.get("shown"))

    def name_of(label: Any) -> str:
        slot = slots.get(label) if isinstance(label, str) else None
        if type(slot) is int and 0 <= slot < len(names):
            return names[slot]
        return _format_text(label, 40)

    call_name = _format_text(call.name, 60)
    first = name_of(label_order[0]) if label_order else "-"
    if not call.passed:
        return call_name, first, "no verdict", _format_text(call.error or ", ".join(call.notes), 80)

    scores = []
    overall = call.details.get("overall")
    if isinstance(overall, Mapping):
        for label in LABELS:
            score = _format_text(overall.get(label), 20)
            if _SCORE.fullmatch(score):
                score = f"{float(Fraction(score)):.1f}"
            scores.append(f"{name_of(label)} {score}")
    return call_name, first, name_of(call.details.get("winner")), ", ".join(sorted(scores))


def _explain_invalid_reply(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    """Yield the first reply without a verdict, and the form of a valid reply."""
    call = next((child for child in result.children if "problem" in child.details), None)
    if call is None:
        return
    problem = _format_text(call.details["problem"], budget.characters)
    if problem not in (result.error or ""):
        yield line(f"{_format_text(call.name, 60)}: {problem}")
    yield Part("reply: "), Part(shown(call.observed, budget.room(10)), "observed")
    yield from _explain_form(call, budget)


def _explain_form(call: ComparisonResult, budget: Budget) -> Iterator[Line]:
    rubric = _mapping(call.settings.get("rubric"))
    expectations = _list(call.settings.get("expectations"))
    scores = {dimension: {str(name): "1 to 5" for name in _mapping(rubric.get(dimension))} for dimension in DIMENSIONS}
    form: dict[str, Any] = {"rubric": {"A": scores, "B": "as A"}}
    if expectations and not call.settings.get("checked"):
        answers = f"{format_count(len(expectations), 'object')} with text and passed"
        form["expectation_results"] = {"A": {"details": answers}, "B": "as A"}
    form["winner"] = "A, B or TIE"

    text = _format_text(json.dumps(form), budget.characters * 2)
    width = budget.room(2) or len(text) + 8
    for wrapped in textwrap.wrap(f"needed: {text}", width, subsequent_indent=" " * 8):
        yield line(wrapped)


def summarize_session(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    statuses: Counter[str] = Counter()
    contradictions: Counter[str] = Counter()
    flips = 0
    informal = 0
    first_shown_wins = 0
    decisive_calls = 0
    for record in records:
        details = _mapping(record.get("details"))
        if not isinstance(details.get("status"), str):
            statuses["unreadable"] += 1
            continue
        statuses[details["status"].lower()] += 1
        codes = [item.get("code") for item in _list(details.get("contradictions")) if isinstance(item, Mapping)]
        contradictions.update(set(map(str, codes)))
        flips += bool(details.get("order_flips"))
        informal += "informal" in record.get("notes", [])
        counts = _list(details.get("first_shown_won"))
        if len(counts) == 2 and all(type(count) is int for count in counts):
            first_shown_wins += counts[0]
            decisive_calls += counts[1]

    if statuses:
        yield f"{format_count(statuses.total(), 'blind comparison')}: {_format_counts(statuses)}; {informal} informal"
    if flips:
        yield (
            f"order flips: {flips}; the output shown first won {first_shown_wins} of {decisive_calls} decisive calls"
        )
    if contradictions:
        yield f"comparisons with contradictions of the judge: {_format_counts(contradictions)}"


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
