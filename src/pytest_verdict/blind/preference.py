"""`BlindPreference`: the operator behind blind comparisons, and the derivation of their verdict from an untrusted record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar, Final, Literal

from pydantic import field_validator

from pytest_verdict.blind.leaks import find_tokens
from pytest_verdict.blind.protocol import Vote, combine_orders, combine_repetitions
from pytest_verdict.blind.record import FORMAT, Call, Evidence, Setup, draw_assignment, hash_json
from pytest_verdict.blind.reply import (
    CODES,
    GATING,
    BlindBallot,
    Contradiction,
    Reply,
    ReplyProblem,
    build_comparison,
)
from pytest_verdict.blind.rubric import EXCHANGED, LABELS, OTHER, TIE, Scores, decide_winner
from pytest_verdict.core.kernel import result_from_outcome, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.errors import SettingsError, allowed

_MAXIMUM_DIFFERENCES: Final = 100
_MAXIMUM_FILES: Final = 5
_REASONS: Mapping[str, str] = {
    "INCONSISTENT": "With the labels exchanged, the judge preferred the other output.",
    "ABSTAINED": "The calls of the judge do not agree as far as the protocol asks.",
    "INVALID": "Too many replies of the judge are no verdict.",
    "JUDGED": "In one order there was a winner, in the other a tie.",
}


class NotAComparisonError(ValueError):
    """A value is not the record of a blind comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """The vote of one call. Labels in vote and reply are those of the assignment; without a verdict there is no reply."""

    call: Call
    vote: Vote
    result: ComparisonResult
    reply: Reply | None = None
    # Whether the judge preferred the output that it saw first; None for a tie.
    first_shown: bool | None = None

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        return self.reply.contradictions if self.reply else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedComparison:
    """The verdict of a blind comparison, the votes behind it, and whether all digests of the record are correct."""

    evidence: Evidence
    vote: Vote
    judgments: tuple[Judgment, ...]
    repetitions: tuple[Vote, ...]
    document: dict[str, Any] | None
    intact: bool

    @property
    def setup(self) -> Setup:
        return self.evidence.comparison

    @property
    def winner(self) -> str | None:
        return self.name_of(self.vote.winner) if self.vote.winner in LABELS else None

    @property
    def contradictions(self) -> list[Contradiction]:
        return [contradiction for judgment in self.judgments for contradiction in judgment.contradictions]

    def name_of(self, label: str) -> str:
        """Return the name of the candidate behind a label; return a tie or a status unchanged."""
        for known_label, index in self.evidence.assignment.slots(0).items():
            if label == known_label:
                return self.setup.names[index]
        return label

    def is_longer_output(self, name: str | None) -> bool | None:
        """Return whether a candidate is the longer one; None if it is no candidate or both are equally long."""
        first, second = self.setup.candidates
        if name not in self.setup.names or first.characters == second.characters:
            return None
        return (name == first.name) == (first.characters > second.characters)


def derive(observed: Any) -> DerivedComparison:
    """Derive a comparison from its record, or raise `NotAComparisonError`."""
    if not isinstance(observed, Mapping) or observed.get("format") != FORMAT:
        raise NotAComparisonError("it has no format of a blind comparison that is known here")
    try:
        evidence = Evidence.read(observed)
        comparison_digest = hash_json("comparison", observed["comparison"])
        calls_digest = hash_json("calls", observed["calls"])
    except (SettingsError, ValueError) as error:
        raise NotAComparisonError(str(error)) from None
    assignment = evidence.assignment
    intact = (
        assignment == draw_assignment(assignment.key, comparison_digest, assignment.position)
        and evidence.calls_digest == calls_digest
        and all(call.slots == assignment.slots(call.way) for call in evidence.calls)
    )
    judgments = tuple(_judge_call(call, evidence) for call in evidence.calls)
    repetitions = _combine_calls(judgments, evidence)
    vote = combine_repetitions(repetitions, evidence.comparison.protocol.rule)
    return DerivedComparison(
        evidence=evidence,
        vote=vote,
        judgments=judgments,
        repetitions=repetitions,
        document=_build_document(vote, judgments, evidence.comparison.expectations),
        intact=intact,
    )


def _judge_call(call: Call, evidence: Evidence) -> Judgment:
    setup = evidence.comparison
    checked: Any = setup.check_results(evidence.assignment.slots(call.way))
    ballot = BlindBallot(rubric=setup.rubric, expectations=setup.expectations, checked=checked)
    expected = {"slots": call.slots, "shown": list(call.shown)}
    name = f"repetition {call.repetition + 1}, order {call.way + 1}, attempt {call.attempt + 1}"
    if call.reply is None:
        outcome = Outcome(0.0, error=call.problem or "the judge did not answer")
        result = result_from_outcome(ballot, expected, None, outcome, name=name)
        return Judgment(call=call, vote=Vote("INVALID"), result=result)
    try:
        reply = ballot.read(call.reply)
    except ReplyProblem:
        return Judgment(call=call, vote=Vote("INVALID"), result=run(ballot, expected, call.reply, name=name))

    # A name that was visible to the judge is a recorded leak. Naming a hidden one is a breach.
    hidden = [token for token in setup.identity if token.text not in setup.visible_names]
    breaches = [
        Contradiction("blindness_breach", "reply", text, "not in what the judge was shown")
        for text in find_tokens(call.reply, hidden)
    ]
    reply = replace(reply, contradictions=(*reply.contradictions, *breaches))
    result = result_from_outcome(ballot, expected, call.reply, ballot.outcome(reply), name=name)

    first_shown = None if reply.judge_winner == TIE else reply.judge_winner == call.shown[0]
    if call.way == 1:
        sides = {label: reply.sides[OTHER[label]] for label in LABELS}
        reply = replace(reply, winner=EXCHANGED[reply.winner], sides=sides)
    vote = Vote("JUDGED", reply.winner)
    resolve = setup.protocol.resolve
    if resolve != "derived" and any(contradiction.code in GATING for contradiction in reply.contradictions):
        vote = Vote("INVALID" if resolve == "strict" else "ABSTAINED")
    return Judgment(call=call, vote=vote, result=result, reply=reply, first_shown=first_shown)


def _combine_calls(judgments: Sequence[Judgment], evidence: Evidence) -> tuple[Vote, ...]:
    setup = evidence.comparison
    if setup.unseen_files:
        return (Vote("INVALID"),)
    if not judgments and setup.has_equal_outputs:
        # Equal outputs have equal scores, so only the results of checks can decide.
        scores = dict.fromkeys(LABELS, Scores({"any": Fraction(1)}, {"any": Fraction(1)}))
        return (Vote("JUDGED", decide_winner(scores, setup.check_results(evidence.assignment.slots(0)))),)
    # A later attempt replaces an earlier one, which held no verdict.
    votes = {(judgment.call.repetition, judgment.call.way): judgment.vote for judgment in judgments}
    combined = []
    for repetition in range(setup.protocol.repetitions):
        votes_by_way = [votes.get((repetition, way), Vote("INVALID")) for way in setup.protocol.ways]
        combined.append(combine_orders(votes_by_way, setup.protocol.rule))
    return tuple(combined)


def _build_document(vote: Vote, judgments: Sequence[Judgment], expectations: Sequence[str]) -> dict[str, Any] | None:
    """Return the comparison with the scores of one call, preferably one that agrees and needs no exchange of labels."""

    def rank(judgment: Judgment) -> tuple[bool, int]:
        return judgment.vote.winner != vote.winner, judgment.call.way

    best = min((judgment for judgment in judgments if judgment.reply), key=rank, default=None)
    if best is None or best.reply is None:
        return None
    reasoning = best.reply.reasoning
    if best.call.way == 1:
        reasoning = f"[The judge saw the labels exchanged: its A is B here.] {reasoning}"
    if best.vote.winner != vote.winner or vote.status != "JUDGED":
        reasoning = f"[{_REASONS[vote.status]} The scores are those of one call.] {reasoning}"
    return build_comparison(vote.winner or TIE, reasoning.strip(), best.reply.sides, expectations)


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
    version: ClassVar[int] = 2

    tie: Literal["fail", "pass"] = "fail"
    gate: Any = GATING

    @field_validator("gate")
    @classmethod
    def _check_codes(cls, value: Any) -> tuple[str, ...]:
        codes = tuple(value) if isinstance(value, list | tuple) else (value,)
        for code in codes:
            if code not in CODES:
                raise ValueError(f"there is no contradiction {code!r}.{allowed('contradiction', code, CODES)}")
        return codes

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        try:
            comparison = derive(observed)
        except NotAComparisonError as problem:
            return Outcome(0.0, notes=("not_a_blind_comparison",), details={"problem": str(problem)})
        names = comparison.setup.names
        if expected is not None and expected not in names:
            return Outcome(0.0, notes=("unknown_candidate",), details={"candidates": list(names)})

        is_gated = any(contradiction.code in self.gate for contradiction in comparison.contradictions)
        is_accepted_tie = comparison.vote.winner == TIE and self.tie == "pass"
        is_expected = expected is None or comparison.winner == expected or is_accepted_tie
        is_judged = comparison.vote.status == "JUDGED"
        passed = comparison.intact and is_judged and is_expected and not is_gated

        error = None
        if comparison.vote.status == "INVALID" and comparison.intact:
            error = _explain_invalid(comparison)
        details = _build_details(comparison)
        if not passed:
            details["differences"] = list(islice(_list_differences(expected, comparison), _MAXIMUM_DIFFERENCES))
        setup = comparison.setup
        notes = {
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
            "informal": setup.calibration is None or not setup.calibration.is_valid,
        }
        return Outcome(
            1.0 if passed else 0.0,
            notes=tuple(note for note, is_true in notes.items() if is_true),
            details=details,
            children=tuple(judgment.result for judgment in comparison.judgments),
            error=error,
        )


def _explain_invalid(comparison: DerivedComparison) -> str:
    files = comparison.setup.unseen_files
    if not files:
        problems = [_describe_problem(judgment) for judgment in comparison.judgments if judgment.reply is None]
        return "no verdict: " + ("; ".join(dict.fromkeys(problems)) or "the judge was not asked")

    descriptions = [
        f"{shown(file.path, 80)} of {shown(file.candidate, 80)}: {file.reason}" for file in files[:_MAXIMUM_FILES]
    ]
    if len(files) > _MAXIMUM_FILES:
        descriptions.append(f"{len(files) - _MAXIMUM_FILES} more")
    return (
        f"no verdict: the judge cannot see {format_count(len(files), 'file')}: {'; '.join(descriptions)}. Leave out what need not"
        " be judged with exclude=, or ask a judge that sees files"
    )


def _describe_problem(judgment: Judgment) -> str:
    return judgment.result.error or str(judgment.result.details.get("problem", judgment.result.notes[0]))


def _build_details(comparison: DerivedComparison) -> dict[str, Any]:
    setup = comparison.setup
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
        details["expectation_source"] = "checks" if setup.expectation_results else "judge"
    details["reliability"] = "informal"
    if setup.calibration is not None and setup.calibration.is_valid:
        details["reliability"] = setup.calibration.to_json()
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
