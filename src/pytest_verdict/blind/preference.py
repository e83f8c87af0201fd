"""`BlindPreference`: the operator behind blind comparisons, and the derivation of their verdict from an untrusted record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, field_validator, model_validator

from pytest_verdict.blind.leaks import Token, find_tokens
from pytest_verdict.blind.protocol import (
    BlindProtocol,
    LabelOrder,
    Vote,
    combine_orders,
    combine_repetitions,
    hash_json,
    is_drawn_from_its_key,
)
from pytest_verdict.blind.reply import (
    CODES,
    GATING,
    Answers,
    BlindBallot,
    Contradiction,
    Reply,
    ReplyProblem,
    build_comparison,
)
from pytest_verdict.blind.rubric import LABELS, OTHER, TIE, Label, Rubric, Scores, decide_winner
from pytest_verdict.core.kernel import result_from_outcome, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.strict_model import LISTED, StrictModel, Texts
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.errors import SettingsError, allowed

FORMAT: Literal[1] = 1
_MAXIMUM_DIFFERENCES: Final = 100
_MAXIMUM_FILES: Final = 5
_REASONS: Mapping[str, str] = {
    "INCONSISTENT": "With the labels exchanged, the judge preferred the other output.",
    "ABSTAINED": "The calls of the judge do not agree as far as the protocol asks.",
    "INVALID": "Too many replies of the judge are no verdict.",
    "JUDGED": "In one order there was a winner, in the other a tie.",
}
_Objects = Annotated[tuple[dict[str, str | int], ...], LISTED]
_WholeNumber = Annotated[int, Field(ge=0, description="a whole number from 0")]


class NotAComparisonError(ValueError):
    """A value is not the record of a blind comparison."""


class _RecordedModel(StrictModel, extra="ignore"):
    """A part of a record. Members that do not affect the verdict are protected by the digests only."""


class _RecordedCandidate(_RecordedModel):
    subject: ClassVar[str] = "a candidate"

    name: str
    digest: str
    characters: _WholeNumber


class _CheckResults(_RecordedModel):
    source: Literal["checks"]
    passed: Annotated[tuple[Answers, Answers], LISTED]


class _RecordedSetup(_RecordedModel):
    subject: ClassVar[str] = "the comparison"

    candidates: Annotated[tuple[_RecordedCandidate, _RecordedCandidate], LISTED]
    rubric: Rubric
    protocol: BlindProtocol
    expectations: Texts
    identity: Annotated[tuple[Token, ...], LISTED]
    leaks: _Objects
    unseen_files: _Objects = ()
    expectation_results: _CheckResults | None = None
    calibration: Any = None

    @model_validator(mode="after")
    def _check_consistency(self) -> _RecordedSetup:
        if self.candidates[0].name == self.candidates[1].name:
            raise ValueError("the candidates have one name")
        total = len(self.expectations)
        if self.expectation_results and any(len(side) != total for side in self.expectation_results.passed):
            raise ValueError(f"each of {total} expectations has one result for each candidate")
        return self


class _RecordedAssignment(_RecordedModel):
    A: Literal[0, 1]


class Call(_RecordedModel):
    subject: ClassVar[str] = "a call"

    repetition: _WholeNumber
    way: _WholeNumber
    attempt: _WholeNumber
    slots: Any = None
    shown: Any = None
    reply: str | None = None
    problem: str | None = None

    @model_validator(mode="after")
    def _check_answer(self) -> Call:
        if (self.reply is None) == (self.problem is None):
            raise ValueError("a call has either a reply or a problem")
        return self


class RecordedComparison(_RecordedModel):
    subject: ClassVar[str] = "the record"

    format: Literal[1]
    comparison: _RecordedSetup
    assignment: _RecordedAssignment
    calls: Annotated[tuple[Call, ...], LISTED]
    calls_digest: str

    @model_validator(mode="after")
    def _check_label_orders(self) -> RecordedComparison:
        if any(call.way >= len(self.label_orders) for call in self.calls):
            raise ValueError(f"the protocol asks in {len(self.label_orders)} ways only")
        return self

    @property
    def label_orders(self) -> tuple[LabelOrder, ...]:
        return self.comparison.protocol.label_orders

    @property
    def names(self) -> tuple[str, str]:
        first, second = self.comparison.candidates
        return first.name, second.name

    def check_results(self, label_order: LabelOrder) -> dict[Label, tuple[bool, ...]] | None:
        """Return the results of checks, by the labels of an order."""
        results = self.comparison.expectation_results
        if results is None:
            return None
        slots = label_order.slots(self.assignment.A)
        return {label: results.passed[slots[label]] for label in LABELS}


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

    recorded: RecordedComparison
    vote: Vote
    judgments: tuple[Judgment, ...]
    repetitions: tuple[Vote, ...]
    document: dict[str, Any] | None
    intact: bool

    @property
    def winner(self) -> str | None:
        return self.name_of(self.vote.winner) if self.vote.winner in LABELS else None

    @property
    def contradictions(self) -> list[Contradiction]:
        return [contradiction for judgment in self.judgments for contradiction in judgment.contradictions]

    def name_of(self, label: str) -> str:
        """Return the name of the candidate behind a label; return a tie or a status unchanged."""
        if label not in LABELS:
            return label
        is_first = (self.recorded.assignment.A == 0) == (label == "A")
        return self.recorded.names[0 if is_first else 1]

    def is_longer_output(self, name: str | None) -> bool | None:
        """Return whether a candidate is the longer one; None if it is no candidate or both are equally long."""
        first, second = self.recorded.comparison.candidates
        if name not in self.recorded.names or first.characters == second.characters:
            return None
        return (name == first.name) == (first.characters > second.characters)


def derive(observed: Any) -> DerivedComparison:
    """Derive a comparison from its record, or raise `NotAComparisonError`."""
    if not isinstance(observed, Mapping) or observed.get("format") != FORMAT:
        raise NotAComparisonError("it has no format of a blind comparison that is known here")
    try:
        recorded = RecordedComparison.read(observed)
        is_intact = _check_digests(recorded, observed)
        judgments = tuple(_judge_call(call, recorded) for call in recorded.calls)
        repetitions = _combine_calls(judgments, recorded)
        vote = combine_repetitions(repetitions, recorded.comparison.protocol.rule)
        return DerivedComparison(
            recorded=recorded,
            vote=vote,
            judgments=judgments,
            repetitions=repetitions,
            document=_build_document(vote, judgments, recorded),
            intact=is_intact,
        )
    except SettingsError as error:
        raise NotAComparisonError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise NotAComparisonError(f"{type(error).__name__}: {error}") from None


def _check_digests(recorded: RecordedComparison, observed: Mapping[str, Any]) -> bool:
    if recorded.calls_digest != hash_json("calls", observed["calls"]):
        return False
    if not is_drawn_from_its_key(observed["assignment"], hash_json("comparison", observed["comparison"])):
        return False
    for call in recorded.calls:
        label_order = recorded.label_orders[call.way]
        if call.slots != label_order.slots(recorded.assignment.A) or call.shown != list(label_order.shown):
            return False
    return True


def _judge_call(call: Call, recorded: RecordedComparison) -> Judgment:
    setup = recorded.comparison
    label_order = recorded.label_orders[call.way]
    checked: Any = recorded.check_results(label_order)
    ballot = BlindBallot(rubric=setup.rubric, expectations=setup.expectations, checked=checked)
    expected = {"slots": call.slots, "shown": list(label_order.shown)}
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
    visible_names = {leak["token"] for leak in setup.leaks if setup.protocol.leaks == "record"}
    names = find_tokens(call.reply, [token for token in setup.identity if token.text not in visible_names])
    breaches = [Contradiction("blindness_breach", "reply", text, "not in what the judge was shown") for text in names]
    reply = replace(reply, contradictions=(*reply.contradictions, *breaches))
    result = result_from_outcome(ballot, expected, call.reply, ballot.outcome(reply), name=name)

    vote = Vote("JUDGED", reply.winner)
    if label_order.exchanged and reply.winner != TIE:
        vote = Vote("JUDGED", OTHER[reply.winner])
    resolve = setup.protocol.resolve
    if resolve != "derived" and any(contradiction.code in GATING for contradiction in reply.contradictions):
        vote = Vote("INVALID" if resolve == "strict" else "ABSTAINED")

    first_shown = None
    if reply.judge_winner != TIE:
        first_shown = reply.judge_winner == label_order.shown[0]
    if label_order.exchanged:
        reply = replace(reply, sides={label: reply.sides[OTHER[label]] for label in LABELS})
    return Judgment(call=call, vote=vote, result=result, reply=reply, first_shown=first_shown)


def _combine_calls(judgments: Sequence[Judgment], recorded: RecordedComparison) -> tuple[Vote, ...]:
    setup = recorded.comparison
    if setup.unseen_files:
        return (Vote("INVALID"),)

    first, second = setup.candidates
    if not judgments and first.digest == second.digest:
        # Equal outputs have equal scores, so only the results of checks can decide.
        scores = dict.fromkeys(LABELS, Scores({"any": Fraction(1)}, {"any": Fraction(1)}))
        return (Vote("JUDGED", decide_winner(scores, recorded.check_results(recorded.label_orders[0]))),)

    # A later attempt replaces an earlier one, which held no verdict.
    votes = {(judgment.call.repetition, judgment.call.way): judgment.vote for judgment in judgments}
    orders = range(len(recorded.label_orders))
    combined = []
    for repetition in range(setup.protocol.repetitions):
        votes_by_order = [votes.get((repetition, order), Vote("INVALID")) for order in orders]
        combined.append(combine_orders(votes_by_order, setup.protocol.rule))
    return tuple(combined)


def _build_document(vote: Vote, judgments: Sequence[Judgment], recorded: RecordedComparison) -> dict[str, Any] | None:
    """Return the comparison with the scores of one call, preferably one that agrees and needs no exchange of labels."""

    def rank(judgment: Judgment) -> tuple[bool, bool]:
        return judgment.vote.winner != vote.winner, recorded.label_orders[judgment.call.way].exchanged

    best = min((judgment for judgment in judgments if judgment.reply), key=rank, default=None)
    if best is None or best.reply is None:
        return None
    reasoning = best.reply.reasoning
    disagrees, is_exchanged = rank(best)
    if is_exchanged:
        reasoning = f"[The judge saw the labels exchanged: its A is B here.] {reasoning}"
    if disagrees or vote.status != "JUDGED":
        reasoning = f"[{_REASONS[vote.status]} The scores are those of one call.] {reasoning}"
    return build_comparison(vote.winner or TIE, reasoning.strip(), best.reply.sides, recorded.comparison.expectations)


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
        names = comparison.recorded.names
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
        setup = comparison.recorded.comparison
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
            "informal": not _is_calibrated(comparison),
        }
        return Outcome(
            1.0 if passed else 0.0,
            notes=tuple(note for note, is_true in notes.items() if is_true),
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
        f"{shown(file['path'], 80)} of {shown(file['candidate'], 80)}: {file['reason']}"
        for file in files[:_MAXIMUM_FILES]
    ]
    if len(files) > _MAXIMUM_FILES:
        descriptions.append(f"{len(files) - _MAXIMUM_FILES} more")
    return (
        f"no verdict: the judge cannot see {format_count(len(files), 'file')}: {'; '.join(descriptions)}. Leave out what need not"
        " be judged with exclude=, or ask a judge that sees files"
    )


def _describe_problem(judgment: Judgment) -> str:
    return judgment.result.error or str(judgment.result.details.get("problem", judgment.result.notes[0]))


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
