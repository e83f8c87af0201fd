"""What a blind comparison recorded, read without trust, and what follows from it: a pure function of the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from pytest_verdict.blind.assignment import digest_of, draws_again
from pytest_verdict.blind.ballot import Answers, BlindBallot
from pytest_verdict.blind.comparison_json import comparison_document
from pytest_verdict.blind.leaks import Token, find_tokens
from pytest_verdict.blind.protocol import BlindProtocol, Pass, Vote, aggregated, reconciled
from pytest_verdict.blind.reply import GATING, Contradiction, Reply, ReplyProblem
from pytest_verdict.blind.rubric import LABELS, OTHER, TIE, Label, Rubric, Scores, Winner, winner_of
from pytest_verdict.core.kernel import result_from_outcome, run
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.strict_model import LISTED, StrictModel, Texts
from pytest_verdict.errors import SettingsError

_WHY_NOT: Mapping[str, str] = {
    "INCONSISTENT": "With the labels exchanged, the judge preferred the other output.",
    "ABSTAINED": "The calls of the judge do not agree as far as the protocol asks.",
    "INVALID": "Too many replies of the judge are no verdict.",
    "JUDGED": "In one order there was a winner, in the other a tie.",
}
FORMAT: Literal[1] = 1
_Whole = Annotated[int, Field(ge=0, description="a whole number from 0")]


class _Recorded(StrictModel, extra="ignore"):
    """A part of a record; what else is recorded is held by the digests."""


class _Candidate(_Recorded):
    subject: ClassVar[str] = "a candidate"

    name: str
    digest: str
    characters: _Whole


class _Token(_Recorded):
    text: str
    whole_word: bool


class _Leak(_Recorded):
    token: str


class _UnseenFile(_Recorded):
    candidate: str
    path: str
    reason: str


class _Checks(_Recorded):
    source: Literal["checks"]
    passed: Annotated[tuple[Answers, Answers], LISTED]


class Settled(_Recorded):
    """What was settled before the judge was asked."""

    subject: ClassVar[str] = "the comparison"

    candidates: Annotated[tuple[_Candidate, _Candidate], LISTED]
    rubric: Rubric
    protocol: BlindProtocol
    expectations: Texts
    identity: Annotated[tuple[_Token, ...], LISTED]
    leaks: Annotated[tuple[_Leak, ...], LISTED]
    unseen_files: Annotated[tuple[_UnseenFile, ...], LISTED] = ()
    expectation_results: _Checks | None = None
    calibration: Any = None

    @model_validator(mode="after")
    def _fits_together(self) -> Settled:
        if self.candidates[0].name == self.candidates[1].name:
            raise ValueError("the candidates have one name")
        total = len(self.expectations)
        if self.expectation_results and any(len(side) != total for side in self.expectation_results.passed):
            raise ValueError(f"each of {total} expectations has one result for each candidate")
        return self


class _Assignment(_Recorded):
    A: Literal[0, 1]


class Call(_Recorded):
    """One call of the judge."""

    subject: ClassVar[str] = "a call"

    repetition: _Whole
    way: _Whole
    attempt: _Whole
    slots: Any = None
    shown: Any = None
    reply: str | None = None
    problem: str | None = None

    @model_validator(mode="after")
    def _is_answered(self) -> Call:
        if (self.reply is None) == (self.problem is None):
            raise ValueError("a call has either a reply or a problem")
        return self


class RecordedComparison(_Recorded):
    """All that a blind comparison recorded."""

    subject: ClassVar[str] = "the record"

    format: Literal[1]
    comparison: Settled
    assignment: _Assignment
    calls: Annotated[tuple[Call, ...], LISTED]
    calls_digest: str

    @model_validator(mode="after")
    def _each_call_is_of_a_pass(self) -> RecordedComparison:
        if any(call.way >= len(self.passes) for call in self.calls):
            raise ValueError(f"the protocol asks in {len(self.passes)} ways only")
        return self

    @property
    def passes(self) -> tuple[Pass, ...]:
        """The ways in which the judge was asked."""
        return self.comparison.protocol.passes

    @property
    def names(self) -> tuple[str, str]:
        """The names of the candidates."""
        first, second = self.comparison.candidates
        return first.name, second.name

    @property
    def slots(self) -> dict[Label, int]:
        """The candidate behind each label, as they were drawn."""
        return {"A": self.assignment.A, "B": 1 - self.assignment.A}

    def checked(self, way: Pass) -> dict[Label, tuple[bool, ...]] | None:
        """Give what checks have answered, by the labels of a pass."""
        results, slots = self.comparison.expectation_results, way.slots(self.assignment.A)
        return None if results is None else {label: results.passed[slots[label]] for label in LABELS}

    @cached_property
    def ballots(self) -> tuple[BlindBallot, ...]:
        """The operators that read the replies, one for each pass."""
        settled = self.comparison
        asked: dict[str, Any] = {"rubric": settled.rubric, "expectations": settled.expectations}
        return tuple(BlindBallot(**asked | {"checked": self.checked(way)}) for way in self.passes)

    def hidden_tokens(self) -> list[Token]:
        """Give the names that the judge could read nowhere; what was redacted, it could not read."""
        settled = self.comparison
        readable = {leak.token for leak in settled.leaks} if settled.protocol.leaks == "record" else set()
        return [Token(one.text, one.whole_word) for one in settled.identity if one.text not in readable]


class NotAComparisonError(ValueError):
    """A value is not what a blind comparison records."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one call amounts to, in terms of the assignment; without a reply it is no verdict."""

    call: Call
    vote: Vote
    result: ComparisonResult
    reply: Reply | None = None
    contradictions: tuple[Contradiction, ...] = ()
    first_shown: bool | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a whole blind comparison amounts to."""

    recorded: RecordedComparison
    vote: Vote
    judgments: tuple[Judgment, ...]
    repetitions: tuple[Vote, ...]
    document: dict[str, Any] | None
    intact: bool

    @property
    def winner(self) -> str | None:
        """The name of the winning candidate; None for a tie or no verdict."""
        return self.named(self.vote.winner) if self.vote.winner in LABELS else None

    @property
    def contradictions(self) -> list[Contradiction]:
        """The contradictions of all calls, in order."""
        return [one for judgment in self.judgments for one in judgment.contradictions]

    def named(self, label: str) -> str:
        """Give the name of the candidate behind a label; anything else stays as it is."""
        return self.recorded.names[self.recorded.slots[label]] if label in LABELS else label

    def longer_won(self, winner: str | None) -> bool | None:
        """Say whether the winner is the longer output; None where there is no winner or both are as long."""
        first, second = self.recorded.comparison.candidates
        is_open = winner not in self.recorded.names or first.characters == second.characters
        return None if is_open else (winner == first.name) == (first.characters > second.characters)


def derive(observed: Any) -> Comparison:
    """Derive a comparison from what its record holds."""
    if not isinstance(observed, Mapping) or observed.get("format") != FORMAT:
        raise NotAComparisonError("it has no format of a blind comparison that is known here")
    try:
        recorded = RecordedComparison.read(observed)
        intact = _is_intact(recorded, observed)
        judgments = tuple(_judged(call, recorded) for call in recorded.calls)
        repetitions = _repetitions(judgments, recorded)
        vote = aggregated(repetitions, recorded.comparison.protocol.rule)
        return Comparison(recorded, vote, judgments, repetitions, _document(vote, judgments, recorded), intact)
    except SettingsError as error:
        raise NotAComparisonError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise NotAComparisonError(f"{type(error).__name__}: {error}") from None


def _is_intact(recorded: RecordedComparison, observed: Mapping[str, Any]) -> bool:
    if recorded.calls_digest != digest_of("calls", observed["calls"]):
        return False
    if not draws_again(observed["assignment"], digest_of("comparison", observed["comparison"])):
        return False
    ways = ((call, recorded.passes[call.way]) for call in recorded.calls)
    return all(call.slots == way.slots(recorded.assignment.A) and call.shown == list(way.shown) for call, way in ways)


def _judged(call: Call, recorded: RecordedComparison) -> Judgment:
    way = recorded.passes[call.way]
    ballot, expected = recorded.ballots[call.way], {"slots": call.slots, "shown": list(way.shown)}
    name = f"repetition {call.repetition + 1}, order {call.way + 1}, attempt {call.attempt + 1}"
    if call.reply is None:
        outcome = Outcome(0.0, error=call.problem or "the judge did not answer")
        return Judgment(call, Vote("INVALID"), result_from_outcome(ballot, expected, None, outcome, name=name))
    try:
        reply = ballot.read(call.reply)
    except ReplyProblem:
        return Judgment(call, Vote("INVALID"), run(ballot, expected, call.reply, name=name))
    # A name that the judge could read somewhere is a leak, and recorded as such; one that it could not is a breach.
    found = ballot.contradictions(reply) + [
        Contradiction("blindness_breach", "reply", text, "not in what the judge was shown")
        for text in find_tokens(call.reply, recorded.hidden_tokens())
    ]
    return Judgment(
        call,
        _vote(reply.winner, found, way, recorded.comparison.protocol),
        result_from_outcome(ballot, expected, call.reply, ballot.outcome(reply, found), name=name),
        replace(reply, sides={label: reply.sides[OTHER[label]] for label in LABELS}) if way.exchanged else reply,
        tuple(found),
        None if reply.said == TIE else reply.said == way.shown[0],
    )


def _vote(winner: Winner, found: Sequence[Contradiction], way: Pass, protocol: BlindProtocol) -> Vote:
    if protocol.resolve != "derived" and any(one.code in GATING for one in found):
        return Vote("INVALID" if protocol.resolve == "strict" else "ABSTAINED")
    return Vote("JUDGED", OTHER[winner] if way.exchanged and winner != TIE else winner)


def _repetitions(judgments: Sequence[Judgment], recorded: RecordedComparison) -> tuple[Vote, ...]:
    if recorded.comparison.unseen_files:
        return (Vote("INVALID"),)
    first, second = recorded.comparison.candidates
    if not judgments and first.digest == second.digest:
        # Equal outputs have equal scores whatever they are, and then the second step of the rule decides.
        equal = Scores({"any": Fraction(1)}, {"any": Fraction(1)})
        return (Vote("JUDGED", winner_of(dict.fromkeys(LABELS, equal), recorded.checked(recorded.passes[0]))),)
    # A later attempt takes the place of an earlier one, which was no verdict.
    last = {(one.call.repetition, one.call.way): one.vote for one in judgments}
    protocol, ways = recorded.comparison.protocol, range(len(recorded.passes))
    return tuple(
        reconciled([last.get((repetition, way), Vote("INVALID")) for way in ways], protocol.rule)
        for repetition in range(protocol.repetitions)
    )


def _document(vote: Vote, judgments: Sequence[Judgment], recorded: RecordedComparison) -> dict[str, Any] | None:
    # The scores of one call are shown, if possible of one that agrees with the verdict and whose labels need no translation.
    distances = (
        (one.vote.winner != vote.winner, recorded.passes[one.call.way].exchanged, one.reply)
        for one in judgments
        if one.reply is not None
    )
    best = min(distances, key=lambda distance: distance[:2], default=None)
    if best is None:
        return None
    disagrees, exchanged, reply = best
    reasoning = reply.reasoning
    if exchanged:
        reasoning = f"[The judge saw the labels exchanged: its A is B here.] {reasoning}"
    if disagrees or vote.status != "JUDGED":
        reasoning = f"[{_WHY_NOT[vote.status]} The scores are those of one call.] {reasoning}"
    return comparison_document(vote.winner or TIE, reasoning.strip(), reply.sides, recorded.comparison.expectations)
