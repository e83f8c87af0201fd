"""`BlindPreference`: the operator behind blind comparisons."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator

from pytest_verdict.blind.derivation import DerivedComparison, Judgment, NotAComparisonError, derive
from pytest_verdict.blind.reply import CODES, GATING
from pytest_verdict.blind.rubric import LABELS, TIE
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.errors import allowed

_MAXIMUM_DIFFERENCES: Final = 100
_MAXIMUM_FILES: Final = 5


def _check_codes(value: Any) -> tuple[str, ...]:
    codes = tuple(value) if isinstance(value, list | tuple) else (value,)
    for code in codes:
        if code not in CODES:
            raise ValueError(f"there is no contradiction {code!r}.{allowed('contradiction', code, CODES)}")
    return codes


class BlindPreference(Operator):
    """The preferred candidate wins a blind comparison.

    Observed is the record of a blind comparison: its setup, the assignment and every reply. Everything else is derived from it
    and always comes out the same. Expected is the name of a candidate; None accepts any verdict, including a tie.

    The score is 1.0 or 0.0. A comparison without a valid verdict is an ``error``. A candidate that wins in one order only is
    ``inconsistent``, which never passes.

    Args:
        tie: Whether a tie passes when a candidate is expected to win: ``fail`` or ``pass``.
        gate: The codes of contradictions that keep a comparison from passing.

    Example:
        >>> compare("blind_preference", "new", "anything else").notes
        ['not_a_blind_comparison']
    """

    name: ClassVar[str] = "blind_preference"
    kind: ClassVar[str] = "blind"

    tie: Literal["fail", "pass"] = "fail"
    gate: Annotated[Any, BeforeValidator(_check_codes)] = GATING

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Derive the comparison and decide; see the class."""
        try:
            comparison = derive(observed)
        except NotAComparisonError as problem:
            return Outcome(0.0, notes=("not_a_blind_comparison",), details={"problem": str(problem)})
        names = comparison.recorded.names
        if expected is not None and expected not in names:
            return Outcome(0.0, notes=("unknown_candidate",), details={"candidates": list(names)})

        is_gated = any(contradiction.code in self.gate for contradiction in comparison.contradictions)
        is_accepted_tie = comparison.vote.winner == TIE and self.tie == "pass"
        is_expected = expected is None or comparison.winner == expected or is_accepted_tie
        passed = comparison.intact and comparison.vote.status == "JUDGED" and is_expected and not is_gated

        error = None
        if comparison.vote.status == "INVALID" and comparison.intact:
            error = _explain_invalid(comparison)
        details = _build_details(comparison)
        if not passed:
            details["differences"] = list(islice(_list_differences(expected, comparison), _MAXIMUM_DIFFERENCES))
        return Outcome(
            1.0 if passed else 0.0,
            notes=tuple(_list_notes(comparison, is_gated=is_gated)),
            details=details,
            children=tuple(judgment.result for judgment in comparison.judgments),
            error=error,
        )


def _explain_invalid(comparison: DerivedComparison) -> str:
    files = comparison.recorded.comparison.unseen_files
    if not files:
        problems = [_describe_problem(judgment) for judgment in comparison.judgments if judgment.reply is None]
        return "no verdict: " + ("; ".join(dict.fromkeys(problems)) or "the judge was not asked")

    descriptions = [
        f"{shown(file.path, 80)} of {shown(file.candidate, 80)}: {file.reason}" for file in files[:_MAXIMUM_FILES]
    ]
    if len(files) > _MAXIMUM_FILES:
        descriptions.append(f"{len(files) - _MAXIMUM_FILES} more")
    return (
        f"no verdict: the judge cannot see {counted(len(files), 'file')}: {'; '.join(descriptions)}. Leave out what need not"
        " be judged with exclude=, or ask a judge that sees files"
    )


def _describe_problem(judgment: Judgment) -> str:
    return judgment.result.error or str(judgment.result.details.get("problem", judgment.result.notes[0]))


def _list_notes(comparison: DerivedComparison, *, is_gated: bool) -> Iterator[str]:
    setup = comparison.recorded.comparison
    is_judged = comparison.vote.status == "JUDGED"
    conditions = {
        "commitment_broken": not comparison.intact,
        comparison.vote.status.lower(): not is_judged,
        "tie": is_judged and comparison.vote.winner == TIE,
        "identical_outputs": is_judged and not comparison.judgments,
        "order_sensitive": any(vote.order_sensitive for vote in comparison.repetitions),
        "contradiction": is_gated,
        **dict.fromkeys((contradiction.code for contradiction in comparison.contradictions), True),
        "unseen_files": bool(setup.unseen_files),
        "leaks_recorded": bool(setup.leaks),
        "single_order": setup.protocol.order == "single",
        "informal": not _is_calibrated(comparison),
    }
    return (note for note, is_true in conditions.items() if is_true)


def _is_calibrated(comparison: DerivedComparison) -> bool:
    calibration = comparison.recorded.comparison.calibration
    if not isinstance(calibration, dict):
        return False
    return calibration.get("status") == "fresh" and calibration.get("gate") is True


def _build_details(comparison: DerivedComparison) -> dict[str, Any]:
    setup = comparison.recorded.comparison
    positions = [judgment.first_shown for judgment in comparison.judgments if judgment.first_shown is not None]
    details: dict[str, Any] = {
        "status": comparison.vote.status,
        "winner": comparison.winner or comparison.vote.winner,
        "label": comparison.vote.winner,
        "assignment": {label: comparison.name_of(label) for label in LABELS},
        "votes": [comparison.name_of(vote.label) for vote in comparison.repetitions],
        "order_flips": sum(vote.label == "INCONSISTENT" for vote in comparison.repetitions),
        "invalid_calls": sum(judgment.reply is None for judgment in comparison.judgments),
        "first_shown_won": [sum(positions), len(positions)],
        "longer_won": comparison.is_longer_output(comparison.winner),
        "contradictions": [
            {"call": number, **asdict(contradiction)}
            for number, judgment in enumerate(comparison.judgments)
            for contradiction in judgment.contradictions
        ],
    }
    if setup.expectations:
        details["expectation_source"] = "judge" if setup.expectation_results is None else "checks"
    details["reliability"] = setup.calibration if _is_calibrated(comparison) else "informal"
    details["comparison"] = comparison.document
    return details


def _list_differences(expected: Any, comparison: DerivedComparison) -> Iterator[dict[str, Any]]:
    if not comparison.intact:
        yield _build_difference("$.assignment", "as committed to before the judge was asked", "altered")
    winner = comparison.winner or comparison.vote.label
    if winner != expected:
        yield _build_difference("$.winner", "a verdict" if expected is None else expected, winner)

    for number, judgment in enumerate(comparison.judgments):
        path = f"$.calls[{number}]"
        call_winner = comparison.name_of(judgment.vote.label)
        if judgment.reply is None:
            yield _build_difference(path, "a verdict", _describe_problem(judgment))
        elif expected is not None and call_winner != expected:
            yield _build_difference(f"{path}.winner", expected, call_winner)
        for contradiction in judgment.contradictions:
            place = f"{path}.{contradiction.where} ({contradiction.code})"
            yield _build_difference(place, contradiction.derived, contradiction.claimed)


def _build_difference(path: str, expected: Any, observed: Any) -> dict[str, Any]:
    return {"path": path, "kind": "changed", "expected": expected, "observed": observed}
