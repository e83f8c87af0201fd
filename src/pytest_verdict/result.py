"""`ComparisonResult`: a comparison and everything from which its verdict can be derived again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any, Final, Literal

from pytest_verdict.errors import RecordError
from pytest_verdict.values.display import shown
from pytest_verdict.values.encoding import decode, encode, encode_text, redact

Verdict = Literal["pass", "fail", "error"]


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a surface that is the value itself, because ``None`` is a value."""


@dataclass(frozen=True, slots=True)
class OperatorIdentity:
    """What a record says of the operator.

    Args:
        name: The registered name.
        version: A whole number of at least 1 that grows when the operator's verdicts change.
        settings: All settings as typed JSON, defaults included.
    """

    name: str
    version: int
    settings: Mapping[str, Any]

    def to_text(self) -> str:
        """Write the identity as the members of a JSON object, without its braces.

        Returns:
            JSON text in ASCII.
        """
        settings = json.dumps(self.settings, separators=(",", ":"), allow_nan=False)
        return (
            f'"operator":{encode_basestring_ascii(self.name)},"operator_version":{self.version},"settings":{settings}'
        )


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
        ValueError: The score is not a number from 0 to 1.
    """

    score: float
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] | None = None
    expected_surface: Any = ABSENT
    observed_surface: Any = ABSENT
    children: tuple[ComparisonResult, ...] = ()
    error: str | None = None

    def __post_init__(self) -> None:
        if type(self.score) is not float or not 0.0 <= self.score <= 1.0:
            raise ValueError(f"a score is a float from 0.0 to 1.0, got {self.score!r}")
        if self.error is not None and self.score != 0.0:
            raise ValueError("the score of an error is 0.0")


class ComparisonResult:
    """One comparison: what was compared, how, and what came out.

    Made by `compare`; immutable, equal by value, picklable, true when it passed.

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

    __slots__ = ("_expected", "_identity", "_name", "_observed", "_outcome", "_threshold")

    def __init__(
        self,
        identity: OperatorIdentity,
        expected: Any,
        observed: Any,
        threshold: float,
        outcome: Outcome,
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
        return dict(self._identity.settings)

    @property
    def expected(self) -> Any:
        """The expected value, before any normalization."""
        return self._expected

    @property
    def observed(self) -> Any:
        """The observed value, before any normalization."""
        return self._observed

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        return self._outcome.score

    @property
    def threshold(self) -> float:
        """The lowest score that passes, in (0, 1]."""
        return self._threshold

    @property
    def passed(self) -> bool:
        """Whether the score reaches the threshold; nothing else decides."""
        return self._outcome.score >= self._threshold

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the comparison could not be made."""
        if self._outcome.error is not None:
            return "error"
        return "pass" if self.passed else "fail"

    @property
    def normalization(self) -> list[str]:
        """Names of the steps that were applied, in order; empty when none was."""
        return list(self._outcome.normalization)

    @property
    def notes(self) -> list[str]:
        """Machine-readable codes, such as ``json_parse_failed``."""
        return list(self._outcome.notes)

    @property
    def expected_surface(self) -> Any:
        """What was really compared on the expected side."""
        surface = self._outcome.expected_surface
        return self._expected if surface is ABSENT else surface

    @property
    def observed_surface(self) -> Any:
        """What was really compared on the observed side."""
        surface = self._outcome.observed_surface
        return self._observed if surface is ABSENT else surface

    @property
    def details(self) -> dict[str, Any]:
        """Evidence of the operator: differences with their path, distances, matched text."""
        return dict(self._outcome.details or {})

    @property
    def children(self) -> tuple[ComparisonResult, ...]:
        """The results of the parts, for aggregates."""
        return self._outcome.children

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        return self._outcome.error

    def to_report(self) -> dict[str, Any]:
        """Give the eight values of the Comparator pattern.

        Returns:
            A new dict with operator, expected, observed, normalization, notes, score, threshold and verdict.
        """
        return {
            "operator": self.operator,
            "expected": self.expected,
            "observed": self.observed,
            "normalization": self.normalization,
            "notes": self.notes,
            "score": self.score,
            "threshold": self.threshold,
            "verdict": self.verdict,
        }

    def to_record(self) -> dict[str, Any]:
        """Give the full record as JSON values.

        Returns:
            A new dict of JSON values, keys in the order of the record format; absent when empty: name, the surfaces,
            details, children and error.
        """
        found: dict[str, Any] = json.loads(self.to_text())
        return found

    def to_text(self, redaction: Callable[[str], str] | None = None) -> str:
        """Write the full record as one line of JSON.

        Args:
            redaction: From a text of the evidence to the text that may be written; None writes it verbatim.

        Returns:
            JSON text in ASCII, the same bytes for equal results in every process.
        """
        return "{" + self.to_members(redaction) + "}"

    def to_members(self, redaction: Callable[[str], str] | None = None) -> str:
        """Write the members of the record's JSON object, without its braces.

        Args:
            redaction: See `to_text`.

        Returns:
            JSON text in ASCII.
        """
        write = encode_text if redaction is None else _redacting(redaction)
        name = "" if self._name is None else f'"name":{write(self._name)},'
        outcome = self._outcome
        more = "" if _is_plain(outcome) else _more(outcome, write, redaction)
        return (
            f'"verdict":"{self.verdict}",{name}{_identity_text(self._identity)},'
            f'"expected":{write(self._expected)},"observed":{write(self._observed)},'
            f'"normalization":{_names(outcome.normalization)},"notes":{_names(outcome.notes)},'
            f'"score":{outcome.score!r},"threshold":{self._threshold!r}{more}'
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
            return cls(
                OperatorIdentity(record["operator"], record["operator_version"], record["settings"]),
                decode(record["expected"]),
                decode(record["observed"]),
                _threshold(record["threshold"]),
                _outcome_from(record),
                record.get("name"),
            )
        except RecordError:
            raise
        except KeyError as error:
            raise RecordError(f"the record has no {error}") from None
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise RecordError(f"the record cannot be read: {error}") from None

    def __bool__(self) -> bool:
        return self.passed

    def __eq__(self, other: object) -> bool:
        return self.to_text() == other.to_text() if isinstance(other, ComparisonResult) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_text())

    def __repr__(self) -> str:
        sign = ">=" if self.passed else "<"
        label = "" if self._name is None else f" {shown(self._name, 40)}"
        return (
            f"<{self.operator}{label}: {self.verdict}, score {self.score:.6g} {sign} {self.threshold:.6g},"
            f" expected {shown(self._expected, 60)}, observed {shown(self._observed, 60)}>"
        )


_identity_texts: dict[int, tuple[OperatorIdentity, str]] = {}
_MOST_IDENTITIES: Final = 1_000


def _identity_text(identity: OperatorIdentity) -> str:
    # An operator is used many times and its settings are written every time; the entry keeps the identity alive, so that
    # its id cannot be taken by another one.
    known = _identity_texts.get(id(identity))
    if known is not None:
        return known[1]
    if len(_identity_texts) >= _MOST_IDENTITIES:
        _identity_texts.clear()
    text = identity.to_text()
    _identity_texts[id(identity)] = identity, text
    return text


def _is_plain(outcome: Outcome) -> bool:
    return (
        outcome.details is None
        and not outcome.children
        and outcome.error is None
        and outcome.expected_surface is ABSENT
        and outcome.observed_surface is ABSENT
    )


def _more(outcome: Outcome, write: Callable[[Any], str], redaction: Callable[[str], str] | None) -> str:
    members = []
    if outcome.expected_surface is not ABSENT:
        members.append(f'"expected_surface":{write(outcome.expected_surface)}')
    if outcome.observed_surface is not ABSENT:
        members.append(f'"observed_surface":{write(outcome.observed_surface)}')
    if outcome.details:
        members.append(f'"details":{write(dict(outcome.details))}')
    if outcome.children:
        members.append(f'"children":[{",".join(child.to_text(redaction) for child in outcome.children)}]')
    if outcome.error is not None:
        members.append(f'"error":{write(outcome.error)}')
    return "".join(f",{member}" for member in members)


def _redacting(redaction: Callable[[str], str]) -> Callable[[Any], str]:
    return lambda value: json.dumps(redact(encode(value), redaction), separators=(",", ":"), allow_nan=False)


def _names(names: Sequence[str]) -> str:
    return json.dumps(names, separators=(",", ":")) if names else "[]"


def _threshold(value: Any) -> float:
    if type(value) not in {int, float} or not 0.0 < value <= 1.0:
        raise RecordError(f"threshold must be in (0, 1], got {value!r}")
    return float(value)


def _outcome_from(record: Mapping[str, Any]) -> Outcome:
    score = record["score"]
    if type(score) not in {int, float} or not math.isfinite(score):
        raise RecordError(f"score must be a number from 0 to 1, got {score!r}")
    return Outcome(
        float(score),
        tuple(record["normalization"]),
        tuple(record["notes"]),
        decode(record["details"]) if "details" in record else None,
        decode(record["expected_surface"]) if "expected_surface" in record else ABSENT,
        decode(record["observed_surface"]) if "observed_surface" in record else ABSENT,
        tuple(ComparisonResult.from_record(child) for child in record.get("children", ())),
        record.get("error"),
    )
