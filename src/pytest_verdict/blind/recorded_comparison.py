"""What a blind comparison recorded, read without trust."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from pytest_verdict.blind.ballot import Answers, BlindBallot, Checked
from pytest_verdict.blind.leaks import Token
from pytest_verdict.blind.protocol import BlindProtocol, Pass
from pytest_verdict.blind.rubric import Rubric
from pytest_verdict.blind.scoring import LABELS, Label
from pytest_verdict.core.strict_model import LISTED, StrictModel, Texts

FORMAT: Literal[1] = 1
_Whole = Annotated[int, Field(ge=0, description="a whole number from 0")]


class _Recorded(StrictModel):
    # What else is recorded is held by the digests.
    model_config = ConfigDict(extra="ignore")


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


class UnseenFile(_Recorded):
    """A file that the judge could not see."""

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
    unseen_files: Annotated[tuple[UnseenFile, ...], LISTED] = ()
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
    def characters(self) -> tuple[int, int]:
        """The lengths of the candidates."""
        first, second = self.comparison.candidates
        return first.characters, second.characters

    @property
    def is_identical(self) -> bool:
        """Whether both candidates are the same."""
        first, second = self.comparison.candidates
        return first.digest == second.digest

    @property
    def slots(self) -> dict[Label, int]:
        """The candidate behind each label, as they were drawn."""
        return {"A": self.assignment.A, "B": 1 - self.assignment.A}

    def checked(self, way: Pass) -> Checked | None:
        """Give what checks have answered, by the labels of a pass."""
        results, slots = self.comparison.expectation_results, way.slots(self.assignment.A)
        return None if results is None else Checked(**{label: results.passed[slots[label]] for label in LABELS})

    @cached_property
    def ballots(self) -> tuple[BlindBallot, ...]:
        """The operators that read the replies, one for each pass."""
        settled = self.comparison
        asked: dict[str, Any] = {"rubric": settled.rubric, "expectations": settled.expectations}
        if settled.expectation_results is None:
            return (BlindBallot(**asked),) * len(self.passes)
        return tuple(BlindBallot(**asked, checked=self.checked(way)) for way in self.passes)

    def hidden_tokens(self) -> list[Token]:
        """Give the names that the judge could read nowhere; what was redacted, it could not read."""
        settled = self.comparison
        readable = {leak.token for leak in settled.leaks} if settled.protocol.leaks == "record" else set()
        return [Token(one.text, one.whole_word) for one in settled.identity if one.text not in readable]
