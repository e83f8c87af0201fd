"""`BlindPreference`: operator behind blind comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator

from pytest_verdict.blind.contradictions import CODES, GATING
from pytest_verdict.blind.derivation import Comparison, Judgment, NotAComparisonError, derive
from pytest_verdict.blind.expectation_results import CHECKS, JUDGE
from pytest_verdict.blind.protocol import INCONSISTENT, INVALID, JUDGED, ORDER_SENSITIVE
from pytest_verdict.blind.recorded_comparison import UnseenFile
from pytest_verdict.blind.scoring import LABELS, TIE
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.errors import allowed

NOT_A_COMPARISON: Final = "not_a_blind_comparison"
ALTERED: Final = "commitment_broken"
IDENTICAL: Final = "identical_outputs"
UNKNOWN_CANDIDATE: Final = "unknown_candidate"
UNSEEN: Final = "unseen_files"
INFORMAL: Final = "informal"
SINGLE_ORDER: Final = "single_order"
CONTRADICTION: Final = "contradiction"
_MOST_DIFFERENCES: Final = 100
_MOST_NAMED: Final = 5


def _codes(value: Any) -> tuple[str, ...]:
    given = tuple(value) if isinstance(value, list | tuple) else (value,)
    for code in given:
        if code not in CODES:
            raise ValueError(f"there is no contradiction {code!r}.{allowed('contradiction', code, CODES)}")
    return given


class BlindPreference(Operator):
    """The candidate that is expected to win wins a blind comparison.

    Observed is what a blind comparison recorded: all that was settled before the judge was asked, the assignment, and every
    reply. Everything else is derived from it, again and again the same. Expected is the name of a candidate; None asks only for
    a verdict, which a tie is as well.

    The score is 1.0 or 0.0. A comparison without one valid verdict is an ``error``; candidates that win only in one order are
    ``inconsistent``, which passes no expectation.

    Args:
        tie: Whether a tie passes where a candidate is expected to win: ``fail`` or ``pass``.
        gate: Contradictions that keep a comparison from passing, by code.

    Example:
        >>> compare("blind_preference", "new", "anything else").notes
        ['not_a_blind_comparison']
    """

    name: ClassVar[str] = "blind_preference"
    kind: ClassVar[str] = "blind"

    tie: Literal["fail", "pass"] = "fail"
    gate: Annotated[Any, BeforeValidator(_codes)] = GATING

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Derive the comparison and decide; see the class."""
        try:
            found = derive(observed)
        except NotAComparisonError as problem:
            return Outcome(0.0, notes=(NOT_A_COMPARISON,), details={"problem": str(problem)})
        if expected is not None and expected not in found.recorded.names:
            return Outcome(0.0, notes=(UNKNOWN_CANDIDATE,), details={"candidates": list(found.recorded.names)})
        gated = [one for one in found.contradictions if one.code in self.gate]
        passed = found.intact and not gated and self._is_expected(expected, found)
        error = _no_verdict(found) if found.vote.status == INVALID and found.intact else None
        details = _details(found)
        differences = list(_differences(expected, found, passed=passed))
        if differences:
            details["differences"] = differences[:_MOST_DIFFERENCES]
        return Outcome(
            1.0 if passed else 0.0,
            notes=tuple(_notes(found, gated=bool(gated))),
            details=details,
            children=tuple(judgment.result for judgment in found.judgments),
            error=error,
        )

    def _is_expected(self, expected: Any, found: Comparison) -> bool:
        if found.vote.status != JUDGED:
            return False
        if found.vote.winner == TIE:
            return expected is None or self.tie == "pass"
        return expected is None or found.winner == expected


def _no_verdict(found: Comparison) -> str:
    if unseen := found.recorded.comparison.unseen_files:
        return _cannot_see(unseen)
    problems = [_problem(judgment) for judgment in found.judgments if judgment.reply is None]
    return "no verdict: " + ("; ".join(dict.fromkeys(problems)) or "the judge was not asked")


def _cannot_see(unseen: Sequence[UnseenFile]) -> str:
    named = [f"{shown(file.path, 80)} of {shown(file.candidate, 80)}: {file.reason}" for file in unseen[:_MOST_NAMED]]
    more = [f"{len(unseen) - _MOST_NAMED} more"] if len(unseen) > _MOST_NAMED else []
    return (
        f"no verdict: the judge cannot see {counted(len(unseen), 'file')}: {'; '.join(named + more)}. Leave out what need not"
        " be judged with exclude=, or ask a judge that sees files"
    )


def _problem(judgment: Judgment) -> str:
    return judgment.result.error or str(judgment.result.details.get("problem", judgment.result.notes[0]))


def _notes(found: Comparison, *, gated: bool) -> Iterator[str]:
    if not found.intact:
        yield ALTERED
    if found.vote.status != JUDGED:
        yield found.vote.status.lower()
    elif found.vote.winner == TIE:
        yield TIE.lower()
    if not found.judgments and found.vote.status == JUDGED:
        yield IDENTICAL
    if any(vote.order_sensitive for vote in found.repetitions):
        yield ORDER_SENSITIVE
    if gated:
        yield CONTRADICTION
    yield from dict.fromkeys(one.code for one in found.contradictions)
    yield from _circumstances(found)


def _circumstances(found: Comparison) -> Iterator[str]:
    settled = found.recorded.comparison
    if settled.unseen_files:
        yield UNSEEN
    if settled.leaks:
        yield "leaks_recorded"
    if settled.protocol.order == "single":
        yield SINGLE_ORDER
    if not _is_calibrated(found):
        yield INFORMAL


def _is_calibrated(found: Comparison) -> bool:
    calibration = found.recorded.comparison.calibration
    return isinstance(calibration, dict) and calibration.get("status") == "fresh" and calibration.get("gate") is True


def _details(found: Comparison) -> dict[str, Any]:
    decisive = [judgment.first_shown for judgment in found.judgments if judgment.first_shown is not None]
    return {
        "status": found.vote.status,
        "winner": found.winner or found.vote.winner,
        "label": found.vote.winner,
        "assignment": {label: found.named(label) for label in LABELS},
        "votes": [found.named(vote.label) for vote in found.repetitions],
        "order_flips": sum(vote.label == INCONSISTENT for vote in found.repetitions),
        "invalid_calls": sum(judgment.reply is None for judgment in found.judgments),
        "first_shown_won": [sum(decisive), len(decisive)],
        "longer_won": _longer_won(found),
        "contradictions": [
            {"call": number, **asdict(one)}
            for number, judgment in enumerate(found.judgments)
            for one in judgment.contradictions
        ],
        **_source(found),
        "reliability": found.recorded.comparison.calibration if _is_calibrated(found) else INFORMAL,
        "comparison": found.document,
    }


def _source(found: Comparison) -> dict[str, Any]:
    settled = found.recorded.comparison
    if not settled.expectations:
        return {}
    return {"expectation_source": JUDGE if settled.expectation_results is None else CHECKS}


def _longer_won(found: Comparison) -> bool | None:
    first, second = found.recorded.characters
    if found.winner is None or first == second:
        return None
    return (found.winner == found.recorded.names[0]) == (first > second)


def _differences(expected: Any, found: Comparison, *, passed: bool) -> Iterator[dict[str, Any]]:
    if passed:
        return
    if not found.intact:
        yield _changed("$.assignment", "as committed to before the judge was asked", "altered")
    reached = found.winner or found.vote.label
    if reached != expected:
        yield _changed("$.winner", "a verdict" if expected is None else expected, reached)
    for number, judgment in enumerate(found.judgments):
        path = f"$.calls[{number}]"
        said = found.named(judgment.vote.label)
        if judgment.reply is None:
            yield _changed(path, "a verdict", _problem(judgment))
        elif expected is not None and said != expected:
            yield _changed(f"{path}.winner", expected, said)
        for one in judgment.contradictions:
            yield _changed(f"{path}.{one.where} ({one.code})", one.derived, one.claimed)


def _changed(path: str, expected: Any, observed: Any) -> dict[str, Any]:
    return {"path": path, "kind": "changed", "expected": expected, "observed": observed}
