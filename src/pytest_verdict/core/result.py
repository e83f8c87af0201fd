"""`ComparisonResult`: a comparison and everything from which its verdict can be derived again."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_verdict.core.record import write_comparison
from pytest_verdict.core.record_members import EVIDENCE, MEMBER, OUTCOME, RecordContent, Verdict, read_identity
from pytest_verdict.core.values.display import safe_repr, shown, visible
from pytest_verdict.core.values.encoding import decode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import RecordError, UndecidedError

_PARTS: Final = (
    "score", "normalization", "notes", "details", "expected_surface", "observed_surface", "children", "error",
)  # fmt: skip


class Outcome:
    """The score of one pair of values, and its evidence.

    Args:
        score: How well they match, from 0.0 to 1.0.
        normalization: Names of the steps that were applied, in order.
        notes: Machine-readable codes, such as ``json_parse_failed``.
        details: More evidence, JSON values by name; or a function that returns it, which is called when it is first read.
        expected_surface: The expected value after normalization, if that changed it.
        observed_surface: The observed value after normalization, if that changed it.
        children: The results of the parts, for aggregates.
        error: Why the comparison could not be made; the score is then 0.0.

    Raises:
        ValueError: The score is not a number from 0 to 1, or another part is of the wrong type.

    Example:
        >>> Outcome(0.5, notes=("half_found",)).score
        0.5
    """

    score: float
    """How well the values match, from 0.0 to 1.0."""
    normalization: tuple[str, ...]
    """Names of the steps that were applied, in order."""
    notes: tuple[str, ...]
    """Machine-readable codes."""
    expected_surface: Any
    """The expected value after normalization; ABSENT if it did not change."""
    observed_surface: Any
    """The observed value after normalization; ABSENT if it did not change."""
    children: tuple[ComparisonResult, ...]
    """The results of the parts, for aggregates."""
    error: str | None
    """Why the comparison could not be made, or None."""
    record_text: tuple[float, str] = (0.0, "")
    """The threshold of the last record without redaction, and the members of that record from the outcome."""

    def __init__(
        self,
        score: float,
        normalization: Sequence[str] = (),
        notes: Sequence[str] = (),
        details: Mapping[str, Any] | Callable[[], Mapping[str, Any] | None] | None = None,
        expected_surface: Any = ABSENT,
        observed_surface: Any = ABSENT,
        children: Sequence[ComparisonResult] = (),
        error: str | None = None,
    ) -> None:
        if type(score) is not float:
            if isinstance(score, bool) or not isinstance(score, int | float):
                raise ValueError(f"a score is a number from 0.0 to 1.0, got {shown(score, 80)}")
            score = float(score)
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"a score is a number from 0.0 to 1.0, got {score!r}")
        if error is not None and (score != 0.0 or not isinstance(error, str)):
            raise ValueError(f"the score of an error is 0.0, and the error is a text, got {safe_repr(error)}")
        if details is not None and not callable(details):
            # The details may share lists with the evidence, which the test may change later.
            details = snapshot(dict(details))
        vars(self).update(
            score=score,
            normalization=_check_names("normalization", normalization) if normalization else (),
            notes=_check_names("notes", notes) if notes else (),
            _details=details,
            expected_surface=expected_surface,
            observed_surface=observed_surface,
            children=tuple(children),
            error=error,
        )

    @property
    def details(self) -> Mapping[str, Any] | None:
        """Evidence of the operator, JSON values by name."""
        details: Any = vars(self)["_details"]
        if callable(details):
            details = vars(self)["_details"] = details()
        return details  # type: ignore[no-any-return]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an outcome is immutable: replace({name}=...) returns another one")

    def replace(self, **changes: Any) -> Outcome:
        """Return a copy with other parts.

        Args:
            **changes: Arguments of the constructor.

        Returns:
            A new outcome.

        Example:
            >>> Outcome(0.5).replace(notes=("half_found",)).notes
            ('half_found',)
        """
        return type(self)(**{**self.parts(), **changes})

    def parts(self) -> dict[str, Any]:
        """Return the arguments that build an equal outcome."""
        return {name: getattr(self, name) for name in _PARTS}

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), **self.parts()), ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Outcome):
            return self.parts() == other.parts()
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.score, self.normalization, self.notes, self.error))

    def __repr__(self) -> str:
        parts = {name: value for name, value in self.parts().items() if value not in (None, ()) and value is not ABSENT}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in parts.items())})"


def _check_names(part: str, names: Any) -> tuple[str, ...]:
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{part} is a tuple of texts, got {safe_repr(names)}")
    return tuple(names)


class ComparisonResult:
    """The result of one comparison, with everything that it depends on.

    `compare` returns it. It is immutable, equal by value, and picklable if its values are. It is true if the comparison
    passed and false if it failed; `bool` of an ``error`` raises `UndecidedError`.

    Args:
        content: The operator, the values, the outcome, and what the test set.

    Example:
        >>> from pytest_verdict import compare
        >>> result = compare("exact", "Paris", "paris")
        >>> result.passed, result.verdict, result.score, result.threshold
        (False, 'fail', 0.0, 1.0)
    """

    __slots__ = ("_content",)

    def __init__(self, content: RecordContent) -> None:
        if content.negated and content.outcome.error is not None:
            # An error is neither a match nor a mismatch.
            content = content._replace(negated=False)
        self._content = content

    @property
    def content(self) -> RecordContent:
        """Everything that the record is written from; the values are shared, not copied."""
        return self._content

    @property
    def name(self) -> str | None:
        """The name of this comparison in the test, or None."""
        return self._content.name

    @property
    def message(self) -> str | None:
        """A text that a failure shows first, or None."""
        return self._content.message

    @property
    def operator(self) -> str:
        """The operator's registered name."""
        return self._content.identity.name

    @property
    def operator_version(self) -> int:
        """The operator's version, from 1."""
        return self._content.identity.version

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the operator as typed JSON, defaults included."""
        return dict(snapshot(self._content.identity.settings))

    @property
    def expected(self) -> Any:
        """The expected value, before any normalization; a copy where it could be changed."""
        return snapshot(self._content.expected)

    @property
    def observed(self) -> Any:
        """The observed value, before any normalization; a copy where it could be changed."""
        return snapshot(self._content.observed)

    @property
    def outcome(self) -> Outcome:
        """The score and its evidence."""
        return self._content.outcome

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        return self._content.outcome.score

    @property
    def threshold(self) -> float:
        """The lowest score that passes, in (0, 1]."""
        return self._content.threshold

    @property
    def passed(self) -> bool:
        """Whether the score reaches the threshold; the opposite if `negated`."""
        return self._content.verdict == "pass"

    @property
    def negated(self) -> bool:
        """Whether the test expects that the values do not match, as ``observed != expect(...)`` does."""
        return self._content.negated

    @property
    def sources(self) -> Mapping[str, Any] | None:
        """The document that the values were extracted from, and how; None for values that were passed directly."""
        if self._content.sources is None:
            return None
        sources: Mapping[str, Any] = decode(json.loads(self._content.sources))
        return sources

    @property
    def accepted(self) -> Mapping[str, Any] | None:
        """The file, the test and the entry of the accepted value that was expected, or None."""
        return self._content.accepted

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the comparison could not be made."""
        return self._content.verdict

    @property
    def normalization(self) -> list[str]:
        """Names of the steps that were applied, in order; empty when none was."""
        return list(self._content.outcome.normalization)

    @property
    def notes(self) -> list[str]:
        """Machine-readable codes, such as ``json_parse_failed``."""
        return list(self._content.outcome.notes)

    @property
    def expected_surface(self) -> Any:
        """The expected value after normalization."""
        surface = self._content.outcome.expected_surface
        return snapshot(self._content.expected if surface is ABSENT else surface)

    @property
    def observed_surface(self) -> Any:
        """The observed value after normalization."""
        surface = self._content.outcome.observed_surface
        return snapshot(self._content.observed if surface is ABSENT else surface)

    @property
    def changed_sides(self) -> tuple[bool, bool]:
        """Whether normalization changed the expected value, and the observed value."""
        return (
            self._content.outcome.expected_surface is not ABSENT,
            self._content.outcome.observed_surface is not ABSENT,
        )

    @property
    def details(self) -> dict[str, Any]:
        """Evidence of the operator: differences with their path, distances, matched text."""
        return dict(snapshot(self._content.outcome.details or {}))

    @property
    def children(self) -> tuple[ComparisonResult, ...]:
        """The results of the parts, for aggregates."""
        return self._content.outcome.children

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        return self._content.outcome.error

    def to_report(self) -> dict[str, Any]:
        """Return the eight values of the Comparator pattern.

        Returns:
            A new dict with operator, expected, observed, normalization, notes, score, threshold and verdict.
        """
        names = ("operator", "expected", "observed", "normalization", "notes", "score", "threshold", "verdict")
        return {name: getattr(self, name) for name in names}

    def to_record(self) -> dict[str, Any]:
        """Return the full record as JSON values.

        Returns:
            A new dict in the order of the record format, without empty members: name, the surfaces, details, children,
            error, negated, sources and accepted.
        """
        record: dict[str, Any] = json.loads(self.to_text())
        return record

    def with_message(self, message: str) -> ComparisonResult:
        """Return the same comparison with a text that a failure shows first.

        Args:
            message: The text.

        Returns:
            A new result.
        """
        return ComparisonResult(self._content._replace(message=message))

    def __reduce__(self) -> tuple[Any, ...]:
        return ComparisonResult, (self._content,)

    def to_text(self, redaction: Redaction | None = None) -> str:
        """Write the full record as one line of JSON.

        Args:
            redaction: A function from a text to the redacted text (default: texts are written verbatim).

        Returns:
            JSON in ASCII; equal results have the same text in every process.
        """
        return "{" + self.to_members(redaction) + "}"

    def to_members(self, redaction: Redaction | None = None) -> str:
        """Write the members of the record without the braces of the object."""
        return write_comparison(self._content, redaction)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> ComparisonResult:
        """Read a result back from its record.

        Args:
            record: What `to_record` returned, or one parsed line of ``records.jsonl``.

        Returns:
            An equal result, if its values could be encoded.

        Raises:
            RecordError: A key is missing or has a value that cannot be read.
        """
        try:
            identity = read_identity(record)
            # The settings must be JSON, which has no NaN or infinity.
            json.dumps(identity.settings, allow_nan=False)
            members = {member.name: member.read(record) for member in (*OUTCOME, *EVIDENCE)}
            children = tuple(map(ComparisonResult.from_record, members.pop("children")))
            names = ("expected", "observed", "threshold", "name", "negated", "accepted")
            sources = MEMBER["sources"].read(record)
            content = RecordContent(
                identity=identity,
                outcome=Outcome(**members, children=children),
                sources=None if sources is None else encode_text(sources),
                **{name: MEMBER[name].read(record) for name in names},
            )
            return cls(content)
        except RecordError:
            raise
        except RecursionError:
            raise RecordError("the record is nested too deeply") from None
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise RecordError(f"the record cannot be read: {error}") from None

    def __bool__(self) -> bool:
        if has_error(self):
            raise UndecidedError(repr(self), [self])
        return self.passed

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ComparisonResult):
            return self.to_text() == other.to_text()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_members())

    def __repr__(self) -> str:
        content = self._content
        label = visible(content.identity.name)
        if content.name is not None:
            label += f" {shown(content.name, 40)}"
        score = ""
        if content.outcome.score not in {0.0, 1.0}:
            score = f", score {content.outcome.score:.6g}"
        return f"<{label}: {content.verdict}{score}, expected {shown(content.expected, 60)}, got {shown(content.observed, 60)}>"


def has_passed(result: ComparisonResult) -> bool:
    """Return whether a comparison passed; no look of a test at the verdict."""
    return result.content.verdict == "pass"


def has_error(result: ComparisonResult) -> bool:
    """Return whether a comparison could not be made; no look of a test at the verdict."""
    return result.content.verdict == "error"
