"""`BlindPreference`: operator behind blind comparisons."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator

from pytest_verdict.blind.derivation import Comparison, Judgment, NotAComparisonError, derive
from pytest_verdict.blind.reply import CODES, GATING
from pytest_verdict.blind.rubric import LABELS, TIE
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.errors import allowed

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
            return Outcome(0.0, notes=("not_a_blind_comparison",), details={"problem": str(problem)})
        if expected is not None and expected not in found.recorded.names:
            return Outcome(0.0, notes=("unknown_candidate",), details={"candidates": list(found.recorded.names)})
        gated = [one for one in found.contradictions if one.code in self.gate]
        is_met = expected is None or found.winner == expected or (found.vote.winner == TIE and self.tie == "pass")
        passed = found.intact and not gated and found.vote.status == "JUDGED" and is_met
        error = _no_verdict(found) if found.vote.status == "INVALID" and found.intact else None
        details = _details(found)
        if not passed:
            details["differences"] = list(islice(_differences(expected, found), _MOST_DIFFERENCES))
        return Outcome(
            1.0 if passed else 0.0,
            notes=tuple(_notes(found, gated=bool(gated))),
            details=details,
            children=tuple(judgment.result for judgment in found.judgments),
            error=error,
        )


def _no_verdict(found: Comparison) -> str:
    unseen = found.recorded.comparison.unseen_files
    if not unseen:
        problems = [_problem(judgment) for judgment in found.judgments if judgment.reply is None]
        return "no verdict: " + ("; ".join(dict.fromkeys(problems)) or "the judge was not asked")
    named = [f"{shown(file.path, 80)} of {shown(file.candidate, 80)}: {file.reason}" for file in unseen[:_MOST_NAMED]]
    more = [f"{len(unseen) - _MOST_NAMED} more"] if len(unseen) > _MOST_NAMED else []
    return (
        f"no verdict: the judge cannot see {counted(len(unseen), 'file')}: {'; '.join(named + more)}. Leave out what need not"
        " be judged with exclude=, or ask a judge that sees files"
    )


def _problem(judgment: Judgment) -> str:
    return judgment.result.error or str(judgment.result.details.get("problem", judgment.result.notes[0]))


def _notes(found: Comparison, *, gated: bool) -> Iterator[str]:
    settled, is_judged = found.recorded.comparison, found.vote.status == "JUDGED"
    cases = {
        "commitment_broken": not found.intact,
        found.vote.status.lower(): not is_judged,
        "tie": is_judged and found.vote.winner == TIE,
        "identical_outputs": is_judged and not found.judgments,
        "order_sensitive": any(vote.order_sensitive for vote in found.repetitions),
        "contradiction": gated,
        **dict.fromkeys((one.code for one in found.contradictions), True),
        "unseen_files": bool(settled.unseen_files),
        "leaks_recorded": bool(settled.leaks),
        "single_order": settled.protocol.order == "single",
        "informal": not _is_calibrated(found),
    }
    return (note for note, holds in cases.items() if holds)


def _is_calibrated(found: Comparison) -> bool:
    calibration = found.recorded.comparison.calibration
    return isinstance(calibration, dict) and calibration.get("status") == "fresh" and calibration.get("gate") is True


def _details(found: Comparison) -> dict[str, Any]:
    decisive = [judgment.first_shown for judgment in found.judgments if judgment.first_shown is not None]
    settled = found.recorded.comparison
    source = {"expectation_source": "judge" if settled.expectation_results is None else "checks"}
    return {
        "status": found.vote.status,
        "winner": found.winner or found.vote.winner,
        "label": found.vote.winner,
        "assignment": {label: found.named(label) for label in LABELS},
        "votes": [found.named(vote.label) for vote in found.repetitions],
        "order_flips": sum(vote.label == "INCONSISTENT" for vote in found.repetitions),
        "invalid_calls": sum(judgment.reply is None for judgment in found.judgments),
        "first_shown_won": [sum(decisive), len(decisive)],
        "longer_won": found.longer_won(found.winner),
        "contradictions": [
            {"call": number, **asdict(one)}
            for number, judgment in enumerate(found.judgments)
            for one in judgment.contradictions
        ],
        **(source if settled.expectations else {}),
        "reliability": settled.calibration if _is_calibrated(found) else "informal",
        "comparison": found.document,
    }


def _differences(expected: Any, found: Comparison) -> Iterator[dict[str, Any]]:
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
