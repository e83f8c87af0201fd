"""One call of a scorer of another tool, and the same comparison here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_verdict import compare
from pytest_verdict.errors import VerdictError

REFUSED = "refused"
"""What another tool decided when it raised an exception instead."""


@dataclass(frozen=True)
class Here:
    """The comparison that the documentation teaches for a call.

    `reason` names the difference in meaning that these values show; it counts only if the two verdicts differ, and with
    `reason_for` only if this is what happens here: a pass, a fail or an error. `scale` turns our result into the measure
    of the other tool, for example into a distance.
    """

    operator: Any
    expected: Any
    observed: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None
    reason_for: str | None = None
    scale: Callable[[Any], float] | None = None


@dataclass(frozen=True)
class Lazy:
    """A comparison whose operator is built when it is made, because that may be refused; `label` says which it is."""

    build: Callable[[], Here] = field(repr=False)
    label: str
    reason: str | None = None
    reason_for: str | None = None
    scale: Callable[[Any], float] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Statistic:
    """A number over many comparisons, rounded to six decimals."""

    value: float
    reason: str | None = None


@dataclass(frozen=True)
class Absent:
    """No operator says what this call says, and why."""

    reason: str


@dataclass(frozen=True)
class Every:
    """Several comparisons that must all pass, as lines of a test."""

    parts: Sequence[Any]


@dataclass(frozen=True)
class Some:
    """Several comparisons of which one must pass."""

    parts: Sequence[Any]


@dataclass(frozen=True)
class Opposite:
    """A comparison that must fail on evidence that it could read."""

    part: Any


def judge(theirs: Any, here: Any) -> tuple[str, str, str]:
    """Return `agree`, `differ`, `absent` or `wrong`, the reason, and what happened here."""
    if isinstance(here, Statistic):
        if theirs is not REFUSED and abs(here.value - theirs) < 1e-6:
            return "agree", "", f"number {here.value}"
        return "differ" if here.reason else "wrong", here.reason or "", f"number {here.value}"
    leaves = [*_leaves(here)]
    for leaf in leaves:
        if isinstance(leaf, Absent):
            return "absent", leaf.reason, ""
    try:
        verdict, result = _decide(here)
    except VerdictError as error:
        agrees = theirs is REFUSED
        verdict = "error"
        ours = f"refused: {error}"
    else:
        agrees = _agrees(theirs, verdict, result, here)
        ours = f"{verdict} {result}" if result is None else f"{verdict} {result.score} {result.notes}"
    if agrees:
        return "agree", "", ours
    reasons = [leaf.reason for leaf in leaves if leaf.reason and leaf.reason_for in (None, verdict)]
    if reasons:
        return "differ", reasons[0], ours
    return "wrong", "", ours


def _leaves(here: Any) -> Iterator[Any]:
    if isinstance(here, Opposite):
        yield from _leaves(here.part)
    elif isinstance(here, Every | Some):
        for part in here.parts:
            yield from _leaves(part)
    else:
        yield here


def _decide(here: Any) -> tuple[str, Any]:
    """Return the verdict, and the result if there is a single one."""
    if isinstance(here, Lazy):
        here = here.build()
    if isinstance(here, Here):
        result = compare(here.operator, here.expected, here.observed, **here.settings)
        return result.verdict, result
    if isinstance(here, Opposite):
        verdict, result = _decide(here.part)
        if verdict == "fail" and result is not None and result.notes:
            return "error", None
        return {"pass": "fail", "fail": "pass"}.get(verdict, "error"), None
    verdicts = [_decide(part)[0] for part in here.parts]
    decisive, other = ("fail", "pass") if isinstance(here, Every) else ("pass", "fail")
    if decisive in verdicts:
        return decisive, None
    return ("error" if "error" in verdicts else other), None


def _agrees(theirs: Any, verdict: str, result: Any, here: Any) -> bool:
    if theirs is REFUSED:
        return verdict == "error" or (verdict == "fail" and result is not None and bool(result.notes))
    if verdict == "error":
        return False
    if isinstance(theirs, bool):
        return theirs == (verdict == "pass")
    score = here.scale(result) if here.scale else result.score
    return abs(score - theirs) < 1e-9
