"""The stability of a test over its attempts: flaky or reproducible, and whether its answers or only its verdicts differ."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import format_count
from pytest_verdict.repeats.rules import Rule, format_counts


class Answer(NamedTuple):
    """One comparison of an attempt: what was compared, a digest of what was observed, and the verdict."""

    label: str
    observed: str
    verdict: Verdict


class Attempt(NamedTuple):
    """The verdict of an attempt, why it did not pass, and its answers; None if they are unknown."""

    verdict: Verdict
    reason: str = ""
    answers: Sequence[Answer] | None = ()


def find_alarm(attempts: Sequence[Attempt]) -> str:
    """Return the label of a comparison that judged one answer in two ways."""
    verdicts: dict[tuple[int, str, str], set[str]] = {}
    for attempt in attempts:
        for position, answer in enumerate(attempt.answers or ()):
            verdicts.setdefault((position, answer.label, answer.observed), set()).add(answer.verdict)
    return next((label for (_, label, _), different in verdicts.items() if len(different) > 1), "")


def have_different_answers(attempts: Sequence[Attempt]) -> bool:
    """Return whether two attempts observed different values in the same place."""
    first: dict[int, str] = {}
    return any(
        first.setdefault(position, answer.observed) != answer.observed
        for attempt in attempts
        for position, answer in enumerate(attempt.answers or ())
    )


def name_stability(attempts: Sequence[Attempt]) -> str:
    """Return ``flaky``, ``reproducible``, or nothing if all attempts passed or one alone cannot tell."""
    passed = sum(attempt.verdict == "pass" for attempt in attempts)
    if 0 < passed < len(attempts):
        return "flaky"
    return "reproducible" if passed == 0 and len(attempts) > 1 else ""


def describe(rule: Rule, attempts: Sequence[Attempt], more: Sequence[Attempt], decision: ComparisonResult) -> str:
    """Format the decision over attempts, and what they and the ones after the decision say about the test."""
    low, high = decision.details["interval"]
    counts = format_counts([attempt.verdict for attempt in attempts], "raised")
    number = len(attempts)
    end = f"after {number}" if number == rule.most else f"after {number} of at most {rule.most}"
    word = {"pass": "passed", "fail": "failed", "error": "undecided"}[decision.verdict]
    # Outwards, as the interval itself is rounded.
    ends = f"{math.floor(low * 1000) / 1000:g} to {math.ceil(high * 1000) / 1000:g}"
    parts = [f"{counts}, needs {rule.needs}: {word} {end}; the true rate is from {ends}"]
    if more:
        passed = sum(attempt.verdict == "pass" for attempt in more)
        parts.append(f"{passed} of {format_count(len(more), 'more attempt')} passed")
    parts += _describe_difference([*attempts, *more])
    return "; ".join(parts)


def _describe_difference(attempts: Sequence[Attempt]) -> Iterator[str]:
    stability = name_stability(attempts)
    alarm = find_alarm(attempts)
    if alarm:
        yield f"the same answer, but another verdict: {alarm} is not deterministic"
    elif have_different_answers(attempts):
        yield "the answers differ"
    elif stability == "flaky":
        yield "no compared answer differs, so the cause is not among them"
    reasons = {attempt.reason for attempt in attempts if attempt.verdict != "pass"}
    if stability == "reproducible" and len(reasons) == 1:
        yield f"always: {reasons.pop()}"
