"""Explain results of blind comparisons: first the cause, then a line for each call; and summarize those of a session."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import format_count, shorten, shown, visible
from pytest_verdict.explanation.facts import build_default_explanation
from pytest_verdict.explanation.lines import Explanation, Line, Part, line
from pytest_verdict.judging.protocol import Usage, format_usage

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
_LONGEST_SCORE: Final = 20


def explain_preference(result: ComparisonResult, budget: Budget) -> Explanation:
    details = result.details
    if "problem" in details:
        problem = _format_text(details["problem"], budget.characters)
        summary = line(f"observed is no blind comparison: {problem}")
        return Explanation(summary=summary, covered_names=_EXPLAINED_DETAILS)

    expected = Part("a verdict" if result.expected is None else f"{shown(result.expected, 80)} to win", "expected")
    winner = details.get("winner")
    status = _STATUSES.get(details.get("status", ""), _STATUSES.get(winner or ""))
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

    limit = budget.differences or len(contradictions)
    lines = list(_explain_calls(result, budget))
    lines += [line(f"contradiction: {contradiction}") for contradiction in contradictions[:limit]]
    if len(contradictions) > limit:
        lines.append(line(f"… {format_count(len(contradictions) - limit, 'more contradiction')}"))
    invalid = next((child for child in result.children if "problem" in child.details), None)
    if invalid is not None:
        lines.append((Part("reply: "), Part(shown(invalid.observed, budget.room(10)), "observed")))
    is_unlimited = budget.lines == 0
    return Explanation(
        summary=summary,
        lines=[*lines, (Part("expected: "), expected), (Part("observed: "), observed)],
        sides=is_unlimited,
        children=is_unlimited,
        covered_names=_EXPLAINED_DETAILS,
    )


def explain_ballot(result: ComparisonResult, budget: Budget) -> Explanation:
    if "problem" not in result.details:
        return replace(build_default_explanation(result, budget), covered_names=(*_EXPLAINED_DETAILS, "rubric"))
    summary = line(_format_text(result.details["problem"], budget.characters))
    return Explanation(summary=summary, covered_names=("problem", "rubric"))


def _format_text(value: Any, limit: int = 200) -> str:
    return visible(shorten(str(value), limit))


def _format_contradictions(result: ComparisonResult) -> list[str]:
    texts = []
    for contradiction in result.details.get("contradictions", ()):
        claimed = shown(contradiction["claimed"], 80)
        derived = shown(contradiction["derived"], 80)
        place = _format_text(contradiction["where"])
        texts.append(f"{place}: claimed {claimed}, derived {derived} ({_format_text(contradiction['code'])})")
    return list(dict.fromkeys(texts))


def _explain_calls(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    """Yield a line for each call: the candidate that the judge saw first, the winner, and the overall scores."""
    limit = budget.differences or len(result.children)
    for call in result.children[:limit]:
        names = [_format_text(candidate["name"], 40) for candidate in result.observed["comparison"]["candidates"]]
        by_label = {label: names[slot] for label, slot in call.expected["slots"].items()}
        outcome = f"no verdict, {_format_text(call.error or ', '.join(call.notes), 80)}"
        if call.passed:
            scores = []
            for label, score in call.details["overall"].items():
                # A fraction of a record from elsewhere may have any number of digits.
                number = f"{float(Fraction(score)):.1f}" if len(score) < _LONGEST_SCORE else score
                scores.append(f"{by_label[label]} {_format_text(number, 20)}")
            winner = call.details["winner"]
            outcome = f"winner {by_label.get(winner, winner)}, {', '.join(sorted(scores))}"
        first = by_label[call.expected["shown"][0]]
        yield line(f"{_format_text(call.name, 60)}, {first} first: {outcome}")
    if len(result.children) > limit:
        yield line(f"… {format_count(len(result.children) - limit, 'more call')}")


def summarize_session(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    statuses: Counter[str] = Counter()
    contradictions: Counter[str] = Counter()
    flips = 0
    informal = 0
    first_shown_wins = 0
    decisive_calls = 0
    usage: list[Usage] = []
    for record in records:
        details = record["details"]
        statuses[str(details.get("status", "unreadable")).lower()] += 1
        contradictions.update({contradiction["code"] for contradiction in details.get("contradictions", ())})
        flips += details.get("order_flips", 0) > 0
        informal += "informal" in record["notes"]
        wins, calls = details.get("first_shown_won", (0, 0))
        first_shown_wins += wins
        decisive_calls += calls
        if "status" in details:
            usage += [call.get("usage", {}) for call in record["observed"]["calls"]]

    yield f"{format_count(statuses.total(), 'blind comparison')}: {_format_counts(statuses)}; {informal} informal"
    if flips:
        yield (
            f"order flips: {flips}; the output shown first won {first_shown_wins} of {decisive_calls} decisive calls"
        )
    if contradictions:
        yield f"comparisons with contradictions of the judge: {_format_counts(contradictions)}"
    yield from format_usage(usage)


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
