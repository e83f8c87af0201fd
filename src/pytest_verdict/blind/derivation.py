"""What follows from all replies of a comparison: a pure function of what its record holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pytest_verdict.blind.assignment import calls_digest, comparison_digest, draws_again
from pytest_verdict.blind.ballot import decided
from pytest_verdict.blind.comparison_json import comparison_document
from pytest_verdict.blind.contradictions import BLINDNESS_BREACH, GATING, Contradiction
from pytest_verdict.blind.leaks import find_tokens
from pytest_verdict.blind.protocol import (
    ABSTAINED,
    INCONSISTENT,
    INVALID,
    JUDGED,
    BlindProtocol,
    Pass,
    Vote,
    aggregated,
    reconciled,
)
from pytest_verdict.blind.recorded_comparison import FORMAT, Call, RecordedComparison
from pytest_verdict.blind.reply import Reply, ReplyProblem
from pytest_verdict.blind.scoring import LABELS, OTHER, TIE, Scores, Winner, winner_of
from pytest_verdict.core.kernel import run, settle
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.errors import SettingsError

_WHY_NOT: Mapping[str, str] = {
    INCONSISTENT: "With the labels exchanged, the judge preferred the other output.",
    ABSTAINED: "The calls of the judge do not agree as far as the protocol asks.",
    INVALID: "Too many replies of the judge are no verdict.",
    JUDGED: "In one order there was a winner, in the other a tie.",
}


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


def derive(observed: Any) -> Comparison:
    """Derive a comparison from what its record holds."""
    if not isinstance(observed, Mapping) or observed.get("format") != FORMAT:
        raise NotAComparisonError("it has no format of a blind comparison that is known here")
    try:
        recorded = RecordedComparison.read(observed)
        return _derived(recorded, _is_intact(recorded, observed))
    except SettingsError as error:
        raise NotAComparisonError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise NotAComparisonError(f"{type(error).__name__}: {error}") from None


def _derived(recorded: RecordedComparison, intact: bool) -> Comparison:  # noqa: FBT001 - it is a field of what is made
    judgments = tuple(_judged(call, recorded) for call in recorded.calls)
    repetitions = _repetitions(judgments, recorded)
    vote = aggregated(repetitions, recorded.comparison.protocol.rule)
    return Comparison(recorded, vote, judgments, repetitions, _document(vote, judgments, recorded), intact)


def _is_intact(recorded: RecordedComparison, observed: Mapping[str, Any]) -> bool:
    if recorded.calls_digest != calls_digest(observed["calls"]):
        return False
    if not draws_again(observed["assignment"], comparison_digest(observed["comparison"])):
        return False
    ways = ((call, recorded.passes[call.way]) for call in recorded.calls)
    return all(call.slots == way.slots(recorded.assignment.A) and call.shown == list(way.shown) for call, way in ways)


def _judged(call: Call, recorded: RecordedComparison) -> Judgment:
    way = recorded.passes[call.way]
    ballot, expected = recorded.ballots[call.way], {"slots": call.slots, "shown": list(way.shown)}
    name = f"repetition {call.repetition + 1}, order {call.way + 1}, attempt {call.attempt + 1}"
    if call.reply is None:
        outcome = Outcome(0.0, error=call.problem or "the judge did not answer")
        return Judgment(call, Vote(INVALID), settle(ballot, expected, None, outcome, name=name))
    try:
        reply = ballot.read(call.reply)
    except ReplyProblem:
        return Judgment(call, Vote(INVALID), run(ballot, expected, call.reply, name=name))
    winner, said = decided(reply), ballot.said(reply)
    found = [*ballot.contradictions(reply), *_breaches(call.reply, recorded)]
    outcome = ballot.outcome(reply, winner, found)
    return Judgment(
        call,
        _vote(winner, found, way, recorded.comparison.protocol),
        settle(ballot, expected, call.reply, outcome, name=name),
        _unexchanged(reply, way),
        tuple(found),
        None if said == TIE else said == way.shown[0],
    )


def _breaches(reply: str, recorded: RecordedComparison) -> list[Contradiction]:
    # A name that the judge could read somewhere is a leak, and recorded as such; one that it could not is a breach.
    return [
        Contradiction(BLINDNESS_BREACH, "reply", text, "not in what the judge was shown")
        for text in find_tokens(reply, recorded.hidden_tokens())
    ]


def _vote(winner: Winner, found: Sequence[Contradiction], way: Pass, protocol: BlindProtocol) -> Vote:
    if protocol.resolve != "derived" and any(one.code in GATING for one in found):
        return Vote(INVALID if protocol.resolve == "strict" else ABSTAINED)
    return Vote(JUDGED, OTHER[winner] if way.exchanged and winner != TIE else winner)


def _unexchanged(reply: Reply, way: Pass) -> Reply:
    return replace(reply, sides={label: reply.sides[OTHER[label]] for label in LABELS}) if way.exchanged else reply


def _repetitions(judgments: Sequence[Judgment], recorded: RecordedComparison) -> tuple[Vote, ...]:
    if recorded.comparison.unseen_files:
        return (Vote(INVALID),)
    if not judgments and recorded.is_identical:
        return (Vote(JUDGED, _winner_of_equals(recorded)),)
    # A later attempt takes the place of an earlier one, which was no verdict.
    last = {(one.call.repetition, one.call.way): one.vote for one in judgments}
    protocol, ways = recorded.comparison.protocol, range(len(recorded.passes))
    return tuple(
        reconciled([last.get((repetition, way), Vote(INVALID)) for way in ways], protocol.rule)
        for repetition in range(protocol.repetitions)
    )


def _winner_of_equals(recorded: RecordedComparison) -> Winner:
    # Equal outputs have equal scores whatever they are, and then the second step of the rule decides.
    equal = Scores({"any": Fraction(1)}, {"any": Fraction(1)})
    checked = recorded.checked(recorded.passes[0])
    return winner_of(dict.fromkeys(LABELS, equal), None if checked is None else checked.by_label())


def _document(vote: Vote, judgments: Sequence[Judgment], recorded: RecordedComparison) -> dict[str, Any] | None:
    def distance(judgment: Judgment) -> tuple[bool, bool]:
        return judgment.vote.winner != vote.winner, recorded.passes[judgment.call.way].exchanged

    valid = [one for one in judgments if one.reply is not None]
    if not valid:
        return None
    # The scores of one call are shown, if possible of one that agrees with the verdict and whose labels need no translation.
    best = min(valid, key=distance)
    assert best.reply is not None
    disagrees, exchanged = distance(best)
    reasoning = best.reply.reasoning
    if exchanged:
        reasoning = f"[The judge saw the labels exchanged: its A is B here.] {reasoning}"
    if disagrees or vote.status != JUDGED:
        reasoning = f"[{_WHY_NOT[vote.status]} The scores are those of one call.] {reasoning}"
    expectations = recorded.comparison.expectations
    return comparison_document(vote.winner or TIE, reasoning.strip(), best.reply.sides, expectations)
