"""The record of a blind comparison: whoever asks the judge writes it, and the verdict is derived from it."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.blind.rubric import Label, Rubric
from pytest_verdict.core.strict_model import LISTED, StrictModel, Texts
from pytest_verdict.core.values.encoding import content_digest

FORMAT: Final = 1
_WholeNumber = Annotated[int, Field(ge=0, description="a whole number from 0")]
_Index = Annotated[int, Field(ge=0, le=1)]


class RecordedPart(StrictModel):
    """A part of a record."""

    optional: ClassVar[frozenset[str]] = frozenset()
    """Members that are left out if they are empty."""

    @model_serializer(mode="wrap")
    def _leave_out(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value or name not in self.optional}

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


class ExtractedText(RecordedPart):
    """The text of a document, and the library that extracted it."""

    by: str
    characters: _WholeNumber
    sha256: str


class RecordedFile(RecordedPart):
    optional: ClassVar[frozenset[str]] = frozenset({"extracted"})

    path: str
    bytes: _WholeNumber
    sha256: str
    extracted: ExtractedText | None = None


class RecordedCandidate(RecordedPart):
    subject: ClassVar[str] = "a candidate"

    name: str
    kind: str
    source_digest: str
    digest: str
    files: Annotated[tuple[RecordedFile, ...], LISTED]
    excluded: Texts
    # Of a file without text, its bytes.
    characters: _WholeNumber


class Token(RecordedPart):
    """A text that identifies a candidate."""

    text: str
    whole_word: bool


class Leak(RecordedPart):
    """A place where the judge sees a token."""

    where: str
    token: str
    count: _WholeNumber


class UnseenFile(RecordedPart):
    candidate: str
    path: str
    reason: str


class Citation(RecordedPart):
    """A calibration: whether it is valid for the comparison, and whether the judge passed its gate."""

    status: Literal["fresh", "stale"]
    changed: Texts
    sha256: str
    gate: bool

    @property
    def is_valid(self) -> bool:
        return self.status == "fresh" and self.gate


Answers = Annotated[tuple[bool, ...], LISTED]


class CheckResults(RecordedPart):
    """Whether the first and the second candidate meet each expectation, as checks have found out."""

    source: Literal["checks"] = "checks"
    passed: Annotated[tuple[Answers, Answers], LISTED]


class Setup(RecordedPart):
    """Everything that is fixed before the judge is asked."""

    subject: ClassVar[str] = "the comparison"
    optional: ClassVar[frozenset[str]] = frozenset({"expectation_results", "sees_files", "sees_images", "unseen_files"})

    task: str
    expectations: Texts
    expectation_results: CheckResults | None = None
    rubric: Rubric
    protocol: BlindProtocol
    candidates: Annotated[tuple[RecordedCandidate, RecordedCandidate], LISTED]
    identity: Annotated[tuple[Token, ...], LISTED]
    leaks: Annotated[tuple[Leak, ...], LISTED]
    sees_files: bool = False
    sees_images: bool = False
    unseen_files: Annotated[tuple[UnseenFile, ...], LISTED] = ()
    judge: str
    calibration: Citation | None = None

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if self.candidates[0].name == self.candidates[1].name:
            raise ValueError("the candidates have one name")
        total = len(self.expectations)
        if self.expectation_results and any(len(side) != total for side in self.expectation_results.passed):
            raise ValueError(f"each of {total} expectations has one result for each candidate")
        return self

    @property
    def asked_expectations(self) -> tuple[str, ...]:
        """The expectations that the judge answers; none if checks have answered them."""
        return () if self.expectation_results else self.expectations

    @property
    def names(self) -> tuple[str, str]:
        first, second = self.candidates
        return first.name, second.name

    def check_results(self, slots: Mapping[Label, int]) -> dict[Label, Sequence[bool]] | None:
        """Return the results of checks by label."""
        results = self.expectation_results
        return {label: results.passed[slot] for label, slot in slots.items()} if results else None

    @property
    def has_equal_outputs(self) -> bool:
        return self.candidates[0].digest == self.candidates[1].digest

    @property
    def visible_names(self) -> set[str]:
        """The texts that identify a candidate and that the judge sees, because the protocol allows it."""
        return {leak.token for leak in self.leaks if self.protocol.leaks == "record"}


class Assignment(RecordedPart):
    """The index of the candidate that is called A, and the proof that it was drawn before the judge was asked."""

    key: str
    position: int | None
    A: _Index
    nonce: str
    commitment: str

    def slots(self, way: int) -> dict[Label, int]:
        """Return the index of the candidate behind each label; in the second way, the labels are exchanged."""
        first = self.A ^ way
        return {"A": first, "B": 1 - first}


class Call(RecordedPart):
    subject: ClassVar[str] = "a call"
    optional: ClassVar[frozenset[str]] = frozenset({"usage"})

    repetition: _WholeNumber
    way: _Index
    slots: dict[Label, int]
    attempt: _WholeNumber
    shown: Annotated[tuple[Literal["A"], Literal["B"]], LISTED] = ("A", "B")
    prompt: str
    request: str
    reply: str | None
    problem: str | None
    usage: dict[str, int | float] = Field(default={})

    @model_validator(mode="after")
    def _check_answer(self) -> Self:
        if (self.reply is None) == (self.problem is None):
            raise ValueError("a call has either a reply or a problem")
        return self


class Evidence(RecordedPart):
    """The observed value of a blind comparison."""

    subject: ClassVar[str] = "the record"

    format: Literal[1]
    comparison: Setup
    assignment: Assignment
    calls: Annotated[tuple[Call, ...], LISTED]
    calls_digest: str

    @model_validator(mode="after")
    def _check_ways(self) -> Self:
        ways = self.comparison.protocol.ways
        if any(call.way not in ways for call in self.calls):
            raise ValueError(f"the protocol asks in {len(ways)} ways only")
        return self


def draw_assignment(key: str, comparison: str, position: int | None = None) -> Assignment:
    """Draw the assignment of a comparison, which does not depend on the order of tests or the number of workers."""
    if position is None:
        a = int(_hash("draw", key, comparison), 16) & 1
    else:
        # Each pair of positions gets both assignments.
        a = (int(_hash("draw", key, position // 2), 16) ^ position) & 1
    nonce = _hash("nonce", key, comparison)
    commitment = _hash("commitment", nonce, comparison, a, position)
    return Assignment(key=key, position=position, A=a, nonce=nonce, commitment=commitment)


def hash_json(part: Literal["comparison", "calls"], value: Any) -> str:
    return _hash(part, json.dumps(value, sort_keys=True, separators=(",", ":")))


def build_fence(assignment: Assignment, comparison: str, number: int) -> str:
    """Return the line that frames the outputs in a prompt."""
    return _hash("fence", assignment.key, comparison, number)[:16]


def _hash(*parts: Any) -> str:
    return content_digest(["pytest-verdict blind 1", *parts])
