"""`ComparisonResult`: a comparison and everything from which its verdict can be derived again."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from pytest_verdict.core.record import write_comparison
from pytest_verdict.core.record_members import EVIDENCE, MEMBER, OUTCOME, OperatorIdentity, Verdict, read_identity
from pytest_verdict.core.values.display import safe_repr, shown, visible
from pytest_verdict.core.values.encoding import decode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import RecordError, UndecidedError

_PARTS: Final = (
    "score", "normalization", "notes", "details", "expected_surface", "observed_surface", "children", "error",
)  # fmt: skip


def _read_only(slot: str, about: str, copy: Callable[[Any], Any] | None = None) -> Any:
    """Build a property that returns the value of a slot, or an attribute of it, or a copy of that."""
    read = attrgetter(slot)
    return property(read if copy is None else lambda holder: copy(read(holder)), doc=about)


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

    __slots__ = tuple(f"_{name}" for name in _PARTS)

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
        self._score = score
        self._normalization = _check_names("normalization", normalization) if normalization else ()
        self._notes = _check_names("notes", notes) if notes else ()
        self._details = details
        self._expected_surface = expected_surface
        self._observed_surface = observed_surface
        self._children = tuple(children)
        self._error = error

    score: float = _read_only("_score", "How well the values match, from 0.0 to 1.0.")
    normalization: tuple[str, ...] = _read_only("_normalization", "Names of the steps that were applied, in order.")
    notes: tuple[str, ...] = _read_only("_notes", "Machine-readable codes.")
    expected_surface: Any = _read_only(
        "_expected_surface", "The expected value after normalization; ABSENT if it did not change."
    )
    observed_surface: Any = _read_only(
        "_observed_surface", "The observed value after normalization; ABSENT if it did not change."
    )
    children: tuple[ComparisonResult, ...] = _read_only("_children", "The results of the parts, for aggregates.")
    error: str | None = _read_only("_error", "Why the comparison could not be made, or None.")

    @property
    def details(self) -> Mapping[str, Any] | None:
        """Evidence of the operator, JSON values by name."""
        if callable(self._details):
            self._details = self._details()
        return self._details

    def replace(self, **changes: Any) -> Outcome:
        """Return a copy with other parts, by the names of the constructor's arguments."""
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
        identity: The operator's name, version and settings.
        expected: The expected value, verbatim.
        observed: The observed value, verbatim.
        threshold: The lowest score that passes, in (0, 1].
        outcome: The score and its evidence.
        name: The name of this comparison in the test, if it has one.
        negated: Whether the test expects that the values do not match.
        sources: The document that the values were extracted from, and how, as typed JSON.
        accepted: The place of the accepted value that was expected, if ``accepted()`` was.
        message: A text that a failure shows first. It is no evidence, so no record has it.

    Example:
        >>> from pytest_verdict import compare
        >>> result = compare("exact", "Paris", "paris")
        >>> result.passed, result.verdict, result.score, result.threshold
        (False, 'fail', 0.0, 1.0)
    """

    __slots__ = (
        "_accepted", "_expected", "_identity", "_message", "_name", "_negated", "_observed", "_outcome", "_sources", "_threshold",
    )  # fmt: skip

    def __init__(
        self,
        identity: OperatorIdentity,
        expected: Any,
        observed: Any,
        threshold: float,
        outcome: Outcome,
        name: str | None = None,
        negated: bool = False,  # noqa: FBT001, FBT002 - keyword arguments would double the time of the call
        sources: str | None = None,
        accepted: Mapping[str, Any] | None = None,
        message: str | None = None,
    ) -> None:
        self._identity = identity
        self._expected = expected
        self._observed = observed
        self._threshold = threshold
        self._outcome = outcome
        self._name = name
        # An error is neither a match nor a mismatch.
        self._negated = negated and outcome.error is None
        self._sources = sources
        self._accepted = accepted
        self._message = message

    identity: OperatorIdentity = _read_only("_identity", "The operator's name, version, settings and code.")
    operator: str = _read_only("_identity.name", "The operator's registered name.")
    operator_version: int = _read_only("_identity.version", "The operator's version, from 1.")
    recorded_expected: Any = _read_only("_expected", "The expected value itself, not a copy.")
    recorded_observed: Any = _read_only("_observed", "The observed value itself, not a copy.")
    sources_text: str | None = _read_only("_sources", "The sources as typed JSON, or None.")
    name: str | None = _read_only("_name", "The name of this comparison in the test, or None.")
    message: str | None = _read_only("_message", "A text that a failure shows first, or None.")
    outcome: Outcome = _read_only("_outcome", "The score and its evidence.")
    children: tuple[ComparisonResult, ...] = _read_only(
        "_outcome.children", "The results of the parts, for aggregates."
    )
    threshold: float = _read_only("_threshold", "The lowest score that passes, in (0, 1].")
    negated: bool = _read_only(
        "_negated", "Whether the test expects that the values do not match, as ``observed != expect(...)`` does."
    )
    accepted: Mapping[str, Any] | None = _read_only(
        "_accepted", "The file, the test and the entry of the accepted value that was expected, or None."
    )

    settings: dict[str, Any] = _read_only(
        "_identity.settings", "All settings of the operator as typed JSON, defaults included.", snapshot
    )
    expected: Any = _read_only(
        "_expected", "The expected value, before any normalization; a copy where it could be changed.", snapshot
    )
    observed: Any = _read_only(
        "_observed", "The observed value, before any normalization; a copy where it could be changed.", snapshot
    )
    normalization: list[str] = _read_only(
        "_outcome.normalization", "Names of the steps that were applied, in order; empty when none was.", list
    )
    notes: list[str] = _read_only("_outcome.notes", "Machine-readable codes, such as ``json_parse_failed``.", list)

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        return self._outcome.score

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        return self._outcome.error

    @property
    def passed(self) -> bool:
        """Whether the score reaches the threshold; the opposite if `negated`."""
        return has_passed(self)

    @property
    def sources(self) -> Mapping[str, Any] | None:
        """The document that the values were extracted from, and how; None for values that were passed directly."""
        if self._sources is None:
            return None
        sources: Mapping[str, Any] = decode(json.loads(self._sources))
        return sources

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the comparison could not be made."""
        return _verdict_of(self)

    @property
    def expected_surface(self) -> Any:
        """The expected value after normalization."""
        surface = self._outcome.expected_surface
        return snapshot(self._expected if surface is ABSENT else surface)

    @property
    def observed_surface(self) -> Any:
        """The observed value after normalization."""
        surface = self._outcome.observed_surface
        return snapshot(self._observed if surface is ABSENT else surface)

    @property
    def changed_sides(self) -> tuple[bool, bool]:
        """Whether normalization changed the expected value, and the observed value."""
        return self._outcome.expected_surface is not ABSENT, self._outcome.observed_surface is not ABSENT

    @property
    def details(self) -> dict[str, Any]:
        """Evidence of the operator: differences with their path, distances, matched text."""
        return dict(snapshot(self._outcome.details or {}))

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

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that build an equal result; the values are shared, not copied."""
        return {slot[1:]: getattr(self, slot) for slot in ComparisonResult.__slots__}

    def replace(self, **changes: Any) -> ComparisonResult:
        """Return a plain result with other arguments of the constructor."""
        return ComparisonResult(**{**self.arguments(), **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(ComparisonResult, **self.arguments()), ()

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
        return write_comparison(self, redaction)

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
            return cls(
                identity=identity,
                outcome=Outcome(**members, children=children),
                sources=None if sources is None else encode_text(sources),
                **{name: MEMBER[name].read(record) for name in names},
            )
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
        label = visible(self.operator)
        if self._name is not None:
            label += f" {shown(self._name, 40)}"
        label += f": {_verdict_of(self)}"
        if self._outcome.score not in {0.0, 1.0}:
            label += f", score {self._outcome.score:.6g}"
        return f"<{label}, expected {shown(self._expected, 60)}, got {shown(self._observed, 60)}>"


def has_passed(result: ComparisonResult) -> bool:
    """Return whether a comparison passed; no look of a test at the verdict."""
    return _verdict_of(result) == "pass"


def has_error(result: ComparisonResult) -> bool:
    """Return whether a comparison could not be made; no look of a test at the verdict."""
    return _verdict_of(result) == "error"


def _verdict_of(result: ComparisonResult) -> Verdict:
    # The slots, because a session watches who reads the properties.
    outcome = result._outcome  # noqa: SLF001 - this module's class
    if outcome.error is not None:
        return "error"
    if (outcome.score >= result._threshold) is result._negated:  # noqa: SLF001 - this module's class
        return "fail"
    return "pass"
