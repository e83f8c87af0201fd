"""What follows from all replies of a comparison: a pure function of what its record holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.blind.assignment import calls_digest, comparison_digest, draws_again
from pytest_verdict.blind.ballot import BlindBallot, decided
from pytest_verdict.blind.comparison_json import comparison_document
from pytest_verdict.blind.contradictions import BLINDNESS_BREACH, GATING, Contradiction
from pytest_verdict.blind.expectation_results import Passed, by_label, recorded_results
from pytest_verdict.blind.leaks import Token, find_tokens
from pytest_verdict.blind.protocol import (
    ABSTAINED,
    INCONSISTENT,
    INVALID,
    JUDGED,
    BlindProtocol,
    Pass,
    Vote,
    aggregated,
    read_protocol,
    reconciled,
)
from pytest_verdict.blind.reply import Reply, ReplyProblem, Side
from pytest_verdict.blind.scoring import LABELS, OTHER, TIE, Label, Scores, Winner, winner_of
from pytest_verdict.core.kernel import run, settle
from pytest_verdict.core.result import ComparisonResult, Outcome

FORMAT: Final = 1
ALTERED: Final = "commitment_broken"
IDENTICAL: Final = "identical_outputs"


class NotABallotError(ValueError):
    """A value is not what a blind comparison records."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the judge, as it was recorded."""

    repetition: int
    way: int
    attempt: int
    reply: str | None
    problem: str | None
    written: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one call amounts to, in terms of the assignment."""

    call: Call
    vote: Vote
    result: ComparisonResult
    sides: Mapping[Label, Side] | None = None
    reasoning: str = ""
    contradictions: tuple[Contradiction, ...] = ()
    first_shown: bool | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a whole blind comparison amounts to."""

    vote: Vote
    judgments: tuple[Judgment, ...]
    repetitions: tuple[Vote, ...]
    names: tuple[str, str]
    slots: Mapping[Label, int]
    document: dict[str, Any] | None
    intact: bool
    settled: Mapping[str, Any]
    characters: tuple[int, int]
    protocol: BlindProtocol

    @property
    def winner(self) -> str | None:
        """The name of the winning candidate; None for a tie or no verdict."""
        return self.names[self.slots[self.vote.winner]] if self.vote.winner in ("A", "B") else None

    @property
    def contradictions(self) -> list[Contradiction]:
        """The contradictions of all calls, in order."""
        return [one for judgment in self.judgments for one in judgment.contradictions]


@dataclass(frozen=True, slots=True)
class _Evidence:
    settled: Mapping[str, Any]
    assignment: Mapping[str, Any]
    calls: tuple[Call, ...]
    protocol: BlindProtocol
    ballot: BlindBallot
    tokens: tuple[Token, ...]
    names: tuple[str, str]
    digests: tuple[str, str]
    leaked: frozenset[str]
    characters: tuple[int, int]
    calls_digest: str
    checked: Passed | None

    def slots(self, way: Pass) -> dict[Label, int]:
        first = 1 - self.assignment["A"] if way.exchanged else self.assignment["A"]
        return {"A": first, "B": 1 - first}


def compared(observed: Any) -> Comparison:
    """Derive a comparison from what its record holds."""
    try:
        evidence = _read(observed)
        return _compared(evidence)
    except NotABallotError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise NotABallotError(f"{type(error).__name__}: {error}") from None


def _read(observed: Any) -> _Evidence:
    if not isinstance(observed, Mapping) or observed.get("format") != FORMAT:
        raise NotABallotError("it has no format of a blind comparison that is known here")
    settled, assignment = observed["comparison"], observed["assignment"]
    first, second = settled["candidates"]
    return _Evidence(
        settled,
        assignment,
        tuple(_read_call(call) for call in observed["calls"]),
        read_protocol(settled["protocol"]),
        BlindBallot(rubric=settled["rubric"], expectations=settled["expectations"]),
        tuple(Token(_text(token["text"]), token["whole_word"] is True) for token in settled["identity"]),
        _names(first, second),
        (_text(first["digest"]), _text(second["digest"])),
        frozenset(_text(leak["token"]) for leak in settled["leaks"]),
        (_whole(first["characters"]), _whole(second["characters"])),
        _text(observed["calls_digest"]),
        recorded_results(settled),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NotABallotError(f"a text is needed, got {type(value).__name__}")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise NotABallotError("a whole number from 0 is needed")
    return value


def _names(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, str]:
    names = _text(first["name"]), _text(second["name"])
    if names[0] == names[1]:
        raise NotABallotError("the candidates have one name")
    return names


def _read_call(written: Mapping[str, Any]) -> Call:
    reply, problem = written.get("reply"), written.get("problem")
    if sorted(type(part).__name__ for part in (reply, problem)) != ["NoneType", "str"]:
        raise NotABallotError("a call has either a reply or a problem, which is a text")
    repetition, way, attempt = (_whole(written[name]) for name in ("repetition", "way", "attempt"))
    return Call(repetition, way, attempt, reply, problem, written)


def _compared(evidence: _Evidence) -> Comparison:
    a = evidence.assignment["A"]
    if a not in (0, 1):
        raise NotABallotError("A is 0 or 1")
    slots: dict[Label, int] = {"A": a, "B": 1 - a}
    judgments = tuple(_judged(call, evidence) for call in evidence.calls)
    repetitions = _repetitions(judgments, evidence)
    vote = aggregated(repetitions, evidence.protocol.rule)
    return Comparison(
        vote,
        judgments,
        repetitions,
        evidence.names,
        slots,
        _document(vote, judgments, evidence),
        _is_intact(evidence),
        evidence.settled,
        evidence.characters,
        evidence.protocol,
    )


def _is_intact(evidence: _Evidence) -> bool:
    if evidence.calls_digest != calls_digest([call.written for call in evidence.calls]):
        return False
    if not draws_again(evidence.assignment, comparison_digest(evidence.settled)):
        return False
    a, passes = evidence.assignment["A"], evidence.protocol.passes
    return all(_is_shown(call.written, a, passes[call.way]) for call in evidence.calls)


def _is_shown(call: Mapping[str, Any], a: int, way: Pass) -> bool:
    first = 1 - a if way.exchanged else a
    return call.get("slots") == {"A": first, "B": 1 - first} and call.get("shown") == list(way.shown)


def _judged(call: Call, evidence: _Evidence) -> Judgment:
    way = evidence.protocol.passes[call.way]
    ballot, expected = _ballot(way, evidence), {"slots": call.written.get("slots"), "shown": list(way.shown)}
    name = f"repetition {call.repetition + 1}, order {call.way + 1}, attempt {call.attempt + 1}"
    if call.reply is None:
        outcome = Outcome(0.0, error=call.problem or "the judge did not answer")
        return Judgment(call, Vote(INVALID), _result(ballot, expected, call, outcome, name))
    try:
        reply = ballot.read(call.reply)
    except ReplyProblem:
        return Judgment(call, Vote(INVALID), run(ballot, expected, call.reply, name=name))
    winner, said = decided(reply), ballot.said(reply)
    found = [*ballot.contradictions(reply), *_breaches(call.reply, evidence)]
    result = _result(ballot, expected, call, ballot.outcome(reply, winner, found), name)
    vote = _vote(winner, found, way, evidence.protocol)
    return Judgment(
        call,
        vote,
        result,
        _unexchanged(reply, way),
        reply.reasoning,
        tuple(found),
        None if said == TIE else said == way.shown[0],
    )


def _ballot(way: Pass, evidence: _Evidence) -> BlindBallot:
    if evidence.checked is None:
        return evidence.ballot
    settings = evidence.ballot.settings()
    return BlindBallot(**settings, checked=by_label(evidence.checked, evidence.slots(way)))


def _result(ballot: BlindBallot, expected: Any, call: Call, outcome: Outcome, name: str) -> ComparisonResult:
    return settle(ballot, expected, call.reply, outcome, name=name)


def _breaches(reply: str, evidence: _Evidence) -> list[Contradiction]:
    # A name that the judge could read somewhere is a leak, and recorded as such; one that it could not is a breach.
    # What was redacted, it could not.
    readable = evidence.leaked if evidence.protocol.leaks == "record" else frozenset[str]()
    tokens = [token for token in evidence.tokens if token.text not in readable]
    return [
        Contradiction(BLINDNESS_BREACH, "reply", text, "not in what the judge was shown")
        for text in find_tokens(reply, tokens)
    ]


def _vote(winner: Winner, found: Sequence[Contradiction], way: Pass, protocol: BlindProtocol) -> Vote:
    if protocol.resolve != "derived" and any(one.code in GATING for one in found):
        return Vote(INVALID if protocol.resolve == "strict" else ABSTAINED)
    if winner == TIE or not way.exchanged:
        return Vote(JUDGED, winner)
    return Vote(JUDGED, OTHER[winner])


def _unexchanged(reply: Reply, way: Pass) -> dict[Label, Side]:
    return {label: reply.sides[OTHER[label] if way.exchanged else label] for label in LABELS}


def _repetitions(judgments: Sequence[Judgment], evidence: _Evidence) -> tuple[Vote, ...]:
    if not judgments and evidence.digests[0] == evidence.digests[1]:
        return (Vote(JUDGED, _winner_of_equals(evidence)),)
    # A later attempt takes the place of an earlier one, which was no verdict.
    last = {(one.call.repetition, one.call.way): one.vote for one in judgments}
    passes = range(len(evidence.protocol.passes))
    return tuple(
        reconciled([last.get((repetition, way), Vote(INVALID)) for way in passes], evidence.protocol.rule)
        for repetition in range(evidence.protocol.repetitions)
    )


def _winner_of_equals(evidence: _Evidence) -> Winner:
    # Equal outputs have equal scores whatever they are, and then the second step of the rule decides.
    if evidence.checked is None:
        return TIE
    equal = Scores({"any": Fraction(1)}, {"any": Fraction(1)})
    passes = evidence.protocol.passes
    return winner_of(dict.fromkeys(LABELS, equal), by_label(evidence.checked, evidence.slots(passes[0])))


def _document(vote: Vote, judgments: Sequence[Judgment], evidence: _Evidence) -> dict[str, Any] | None:
    valid = [one for one in judgments if one.sides is not None]
    if not valid:
        return None
    # The scores of one call are shown, if possible of one that agrees with the verdict and whose labels need no translation.
    best = min(
        valid, key=lambda one: (one.vote.winner != vote.winner, evidence.protocol.passes[one.call.way].exchanged)
    )
    assert best.sides is not None
    reasoning = best.reasoning
    if evidence.protocol.passes[best.call.way].exchanged:
        reasoning = f"[The judge saw the labels exchanged: its A is B here.] {reasoning}"
    if best.vote.winner != vote.winner or vote.status != JUDGED:
        reasoning = f"[{_why_not(vote)} The scores are those of one call.] {reasoning}"
    return comparison_document(vote.winner or TIE, reasoning.strip(), best.sides, evidence.ballot.expectations)


def _why_not(vote: Vote) -> str:
    reasons = {
        INCONSISTENT: "With the labels exchanged, the judge preferred the other output.",
        ABSTAINED: "The calls of the judge do not agree as far as the protocol asks.",
        INVALID: "Too many replies of the judge are no verdict.",
    }
    return reasons.get(vote.status, "In one order there was a winner, in the other a tie.")
