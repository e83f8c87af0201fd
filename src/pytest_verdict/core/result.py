"""`ComparisonResult`: a comparison and everything from which its verdict can be derived again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pytest_verdict.core.record import encode_comparison
from pytest_verdict.core.record_members import (
    EVIDENCE,
    MEMBER,
    OUTCOME,
    OperatorIdentity,
    RecordContent,
    Verdict,
    read_identity,
    verdict_of,
)
from pytest_verdict.core.values.display import safe_repr, shown, visible
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ErrorVerdict, RecordError
from pytest_verdict.session import SESSION


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operator found out about one pair of values.

    Args:
        score: How well they match, from 0.0 to 1.0.
        normalization: Names of the steps that were applied, in order.
        notes: Machine-readable codes, such as ``json_parse_failed``.
        details: Evidence of the operator: JSON values by name.
        expected_surface: What was really compared, where normalization changed it.
        observed_surface: The same for the observed side.
        children: The results of the parts, for aggregates.
        error: Why the comparison could not be made; the score is then 0.0.

    Raises:
        ValueError: The score is not a number from 0 to 1, or another part is not of its kind. A list is taken for a tuple.

    Example:
        >>> Outcome(0.5, notes=("half_found",)).score
        0.5
    """

    score: float
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] | None = None
    expected_surface: Any = ABSENT
    observed_surface: Any = ABSENT
    children: tuple[ComparisonResult, ...] = ()
    error: str | None = None

    negated: ClassVar[bool] = False
    sources: ClassVar[Mapping[str, Any] | None] = None

    def __post_init__(self) -> None:
        if type(self.score) is not float:
            object.__setattr__(self, "score", _score(self.score))
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"a score is a number from 0.0 to 1.0, got {self.score!r}")
        if self.error is not None and (self.score != 0.0 or not isinstance(self.error, str)):
            raise ValueError(f"the score of an error is 0.0, and the error is a text, got {safe_repr(self.error)}")
        for part in ("normalization", "notes"):
            names = getattr(self, part)
            if type(names) is not tuple or names:
                object.__setattr__(self, part, _names(part, names))
        if type(self.children) is not tuple:
            object.__setattr__(self, "children", tuple(self.children))
        if self.details is not None:
            # Details may hold parts of the evidence, which the test may change afterwards.
            object.__setattr__(self, "details", snapshot(dict(self.details)))


@dataclass(frozen=True, slots=True)
class QualifiedOutcome(Outcome):
    """An outcome with what the test meant and what the sides were extracted from, which no operator may say."""

    negated: bool = False  # type: ignore[misc]
    sources: Mapping[str, Any] | None = None  # type: ignore[misc]


def qualified(outcome: Outcome, *, negated: bool, sources: Mapping[str, Any] | None) -> Outcome:
    """Add what the test meant and what the sides were extracted from."""
    # What could not be compared is neither a match nor the opposite.
    negated = negated and outcome.error is None
    if not negated and sources is None:
        return outcome
    found: dict[str, Any] = {name: getattr(outcome, name) for name in Outcome.__slots__}
    return QualifiedOutcome(**found, negated=negated, sources=snapshot(sources))


def _names(part: str, names: Any) -> tuple[str, ...]:
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{part} is a tuple of texts, got {safe_repr(names)}")
    return tuple(names)


def _score(score: Any) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise ValueError(f"a score is a number from 0.0 to 1.0, got {shown(score, 80)}")  # noqa: TRY004 - one rule for scores
    return float(score)


@dataclass(slots=True)
class KnownScore:
    """An outcome that is no error, has no parts, and says the rest when somebody asks."""

    score: float
    whole: Callable[[Any, Any], Outcome]

    error: ClassVar[str | None] = None
    negated: ClassVar[bool] = False
    children: ClassVar[tuple[ComparisonResult, ...]] = ()


class ComparisonResult:
    """One comparison: what was compared, how, and what came out.

    Made by `compare`; immutable, equal by value, picklable as far as its values are. It is true when it passed and false when it
    failed. A comparison that could not be made is neither: `bool` of it raises `ErrorVerdict`, so that no negation passes on it.

    Args:
        identity: The operator's name, version and settings.
        expected: The expected value, verbatim.
        observed: The observed value, verbatim.
        threshold: The lowest score that passes, in (0, 1].
        outcome: What the operator found out.
        name: What the test calls this comparison, if anything.

    Example:
        >>> from pytest_verdict import compare
        >>> result = compare("exact", "Paris", "paris")
        >>> result.passed, result.verdict, result.score, result.threshold
        (False, 'fail', 0.0, 1.0)
    """

    __slots__ = ("_expected", "_identity", "_message", "_name", "_observed", "_outcome", "_threshold", "_when_read")

    def __init__(
        self,
        identity: OperatorIdentity,
        expected: Any,
        observed: Any,
        threshold: float,
        outcome: Outcome | KnownScore,
        name: str | None = None,
    ) -> None:
        self._identity = identity
        self._expected = expected
        self._observed = observed
        self._threshold = threshold
        self._outcome = outcome
        self._name = name

    @property
    def name(self) -> str | None:
        """What the test calls this comparison, or None."""
        return self._name

    @property
    def message(self) -> str | None:
        """What the test says first where the comparison fails, or None; it is no evidence, so no record has it."""
        return getattr(self, "_message", None)

    @property
    def operator(self) -> str:
        """The operator's registered name."""
        return self._identity.name

    @property
    def operator_version(self) -> int:
        """The operator's version, from 1."""
        return self._identity.version

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the operator as typed JSON, defaults included."""
        return dict(snapshot(self._identity.settings))

    @property
    def expected(self) -> Any:
        """The expected value, before any normalization; a copy where it could be changed."""
        return snapshot(self._expected)

    @property
    def observed(self) -> Any:
        """The observed value, before any normalization; a copy where it could be changed."""
        return snapshot(self._observed)

    @property
    def outcome(self) -> Outcome:
        """What the operator found out."""
        self._read()
        return self._whole()

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        return self._read().score

    @property
    def threshold(self) -> float:
        """The lowest score that passes, in (0, 1]."""
        return self._threshold

    @property
    def passed(self) -> bool:
        """Whether the score reaches the threshold or, where the test meant the opposite (`negated`), does not."""
        outcome = self._read()
        return (outcome.score >= self._threshold) is not outcome.negated

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the comparison could not be made."""
        return verdict_of(self._read(), self._threshold)

    @property
    def normalization(self) -> list[str]:
        """Names of the steps that were applied, in order; empty when none was."""
        return list(self._whole().normalization)

    @property
    def notes(self) -> list[str]:
        """Machine-readable codes, such as ``json_parse_failed``."""
        return list(self.outcome.notes)

    @property
    def expected_surface(self) -> Any:
        """What was really compared on the expected side."""
        surface = self._whole().expected_surface
        return snapshot(self._expected if surface is ABSENT else surface)

    @property
    def observed_surface(self) -> Any:
        """What was really compared on the observed side."""
        surface = self._whole().observed_surface
        return snapshot(self._observed if surface is ABSENT else surface)

    @property
    def changed_sides(self) -> tuple[bool, bool]:
        """Whether something else than the value itself was compared, on the expected and on the observed side."""
        outcome = self._whole()
        return outcome.expected_surface is not ABSENT, outcome.observed_surface is not ABSENT

    @property
    def details(self) -> dict[str, Any]:
        """Evidence of the operator: differences with their path, distances, matched text."""
        return dict(snapshot(self.outcome.details or {}))

    @property
    def children(self) -> tuple[ComparisonResult, ...]:
        """The results of the parts, for aggregates."""
        return self._read().children

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        return self._read().error

    def to_report(self) -> dict[str, Any]:
        """Give the eight values of the Comparator pattern.

        Returns:
            A new dict with operator, expected, observed, normalization, notes, score, threshold and verdict.
        """
        names = "operator", "expected", "observed", "normalization", "notes", "score", "threshold", "verdict"
        return {name: getattr(self, name) for name in names}

    def to_record(self) -> dict[str, Any]:
        """Give the full record as JSON values.

        Returns:
            A new dict of JSON values, keys in the order of the record format; absent when empty: name, the surfaces,
            details, children, error, negated and sources.
        """
        found: dict[str, Any] = json.loads(self.to_text())
        return found

    def when_read(self, call: Callable[[], None]) -> None:
        """Have a function called when what came out is first looked at, by any property or method that tells it."""
        self._when_read = call

    def say_first(self, message: str) -> None:
        """Have a text of the test stand before what a failure says."""
        self._message = message

    def has_passed(self) -> bool:
        """Say whether it passed without looking at it, for a session that watches what is looked at."""
        return (self._outcome.score >= self._threshold) is not self._outcome.negated

    def _whole(self) -> Outcome:
        outcome = self._outcome
        if isinstance(outcome, KnownScore):
            outcome = self._outcome = outcome.whole(self._expected, self._observed)
        return outcome

    def _read(self) -> Outcome | KnownScore:
        outcome = self._outcome
        if (outcome.score >= self._threshold) is outcome.negated:
            call = getattr(self, "_when_read", None)
            if call is not None:
                del self._when_read
                call()
        return outcome

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the function that a session waits to call.
        parts = self._identity, self._expected, self._observed, self._threshold, self._whole(), self._name
        return type(self), parts, (None, {"_message": self.message})

    def to_text(self, redaction: Redaction | None = None) -> str:
        """Write the full record as one line of JSON.

        Args:
            redaction: From a text of the evidence to the text that may be written; None writes it verbatim.

        Returns:
            JSON text in ASCII, the same bytes for equal results in every process.
        """
        self._read()
        return "{" + self.to_members(redaction) + "}"

    def to_members(self, redaction: Redaction | None = None) -> str:
        """Write the members of the record's JSON object, without its braces."""
        return encode_comparison(self.content(redaction)).members

    def content(self, redaction: Redaction | None = None) -> RecordContent:
        """Return what the record is written from."""
        return RecordContent(
            identity=self._identity,
            expected=self._expected,
            observed=self._observed,
            threshold=self._threshold,
            outcome=self._whole(),
            name=self._name,
            redaction=redaction,
        )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> ComparisonResult:
        """Read a result back from its record.

        Args:
            record: What `to_record` returned, or one parsed line of ``records.jsonl``.

        Returns:
            An equal result, as far as its evidence could be encoded.

        Raises:
            RecordError: A key is missing or has a value that cannot be read.
        """
        try:
            identity = read_identity(record)
            # The settings are written again, and JSON has no number that is not finite.
            json.dumps(identity.settings, allow_nan=False)
            return cls(
                identity,
                MEMBER["expected"].read(record),
                MEMBER["observed"].read(record),
                MEMBER["threshold"].read(record),
                _read_outcome(record),
                MEMBER["name"].read(record),
            )
        except RecordError:
            raise
        except RecursionError:
            raise RecordError("the record is nested too deeply") from None
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise RecordError(f"the record cannot be read: {error}") from None

    def __bool__(self) -> bool:
        if self._read().error is not None:
            raise ErrorVerdict(SESSION.describe(self), [self])
        return self.passed

    def __eq__(self, other: object) -> bool:
        return self.to_text() == other.to_text() if isinstance(other, ComparisonResult) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_members())

    def __repr__(self) -> str:
        # That it is printed is no look: a log decides nothing.
        label = "" if self._name is None else f" {shown(self._name, 40)}"
        verdict, score = verdict_of(self._outcome, self._threshold), self._outcome.score
        scored = "" if score in {0.0, 1.0} else f", score {score:.6g}"
        return (
            f"<{visible(self.operator)}{label}: {verdict}{scored},"
            f" expected {shown(self._expected, 60)}, got {shown(self._observed, 60)}>"
        )


def _read_outcome(record: Mapping[str, Any]) -> Outcome:
    members = {member.name: member.read(record) for member in (*OUTCOME, *EVIDENCE)}
    children = tuple(map(ComparisonResult.from_record, members.pop("children")))
    negated, sources = members.pop("negated"), members.pop("sources")
    del members["threshold"]
    return qualified(Outcome(**members, children=children), negated=negated, sources=sources)
