"""The envelope: all that a record says around its two sides."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, Final, Literal

from pytest_verdict.outcome import ABSENT, OperatorIdentity, Outcome
from pytest_verdict.values.encoding import encode, encode_text
from pytest_verdict.values.redaction import redact

Verdict = Literal["pass", "fail", "error"]
Redaction = Callable[[str], str]
Write = Callable[[Any], str]

# What a record says of its test and its place, roughly.
_PLACE: Final = 300


class Envelope:
    """What a record says around its two sides; results that differ in nothing else share it.

    Args:
        identity: The operator's name, version and settings.
        outcome: What the operator found out.
        threshold: The lowest score that passes, in (0, 1].
        name: What the test calls the comparison, if anything.
        redaction: From a text of the evidence to the text that may be written; None writes it verbatim.

    Attributes:
        identity: As given.
        outcome: As given; None where it holds evidence, which belongs to one comparison.
        threshold: As given.
        name: As given.
        head: The members of the JSON object before the expected side, in ASCII.
        tail: The members after the observed side.
        length: How long a record is without its two sides, roughly, in characters.
        operator: The operator's registered name.
        verdict: What came out.
        write: Writes a side as JSON text in ASCII.

    Example:
        >>> identity = OperatorIdentity("exact", 1, {})
        >>> envelope = Envelope(identity, Outcome(1.0), 1.0, None, None)
        >>> envelope.head
        '"verdict":"pass","operator":"exact","operator_version":1,"settings":{},"expected":'
    """

    __slots__ = ("head", "identity", "length", "name", "operator", "outcome", "tail", "threshold", "verdict", "write")

    def __init__(
        self,
        identity: OperatorIdentity,
        outcome: Outcome,
        threshold: float,
        name: str | None,
        redaction: Redaction | None,
    ) -> None:
        self.operator = identity.name
        self.verdict = verdict_of(outcome, threshold)
        self.write = writer(redaction)
        self.head = head_of(identity, self.verdict, name, redaction)
        self.tail = tail_of(outcome, threshold, self.write, redaction)
        self.length = len(self.head) + len(self.tail) + _PLACE
        # Evidence holds values that may have changed when the outcome comes again.
        self.outcome = outcome if _is_plain(outcome) else None
        self.identity = identity
        self.threshold = threshold
        self.name = name

    def settled(self, expected: Any, observed: Any) -> tuple[Write, str, str]:
        """Give two sides in a form that nothing can change any more.

        Args:
            expected: The expected value.
            observed: The observed value.

        Returns:
            Both sides as they are written, behind the function that leaves them so.
        """
        return str, self.write(expected), self.write(observed)


def verdict_of(outcome: Outcome, threshold: float) -> Verdict:
    """Say what came out of a comparison.

    Args:
        outcome: What the operator found out.
        threshold: The lowest score that passes, in (0, 1].

    Returns:
        ``error`` when the comparison could not be made; otherwise the score decides.
    """
    if outcome.error is not None:
        return "error"
    return "pass" if outcome.score >= threshold else "fail"


_MOST_NAMES: Final = 1_000
_dump: Final = json.JSONEncoder(separators=(",", ":")).encode


def writer(redaction: Redaction | None) -> Write:
    """Give the function that writes a value of the evidence.

    Args:
        redaction: From a text to the text that may be written; None writes it verbatim.

    Returns:
        A function from any value to JSON text in ASCII.
    """
    if redaction is None:
        return encode_text
    return lambda value: json.dumps(redact(encode(value), redaction), separators=(",", ":"), allow_nan=False)


def head_of(identity: OperatorIdentity, verdict: Verdict, name: str | None, redaction: Redaction | None) -> str:
    """Write the members of a record before the expected side.

    Args:
        identity: The operator's name, version and settings.
        verdict: What came out.
        name: What the test calls the comparison, if anything.
        redaction: From a text of the evidence to the text that may be written; None writes it verbatim.

    Returns:
        JSON text in ASCII.
    """
    members = identity.members if redaction is None else _redacted(identity, redaction).members
    label = "" if name is None else f'"name":{_text(name, redaction)},'
    return f'"verdict":"{verdict}",{label}{members},"expected":'


def tail_of(outcome: Outcome, threshold: float, write: Write, redaction: Redaction | None) -> str:
    """Write the members of a record after the observed side.

    Args:
        outcome: What the operator found out.
        threshold: The lowest score that passes, in (0, 1].
        write: What `writer` gave.
        redaction: As for `writer`.

    Returns:
        JSON text in ASCII.
    """
    score = outcome.score
    # Nearly every score and threshold is 1.0, and writing a float is slow.
    return (
        f',"normalization":{_names(outcome.normalization) if outcome.normalization else "[]"},'
        f'"notes":{_names(outcome.notes) if outcome.notes else "[]"},'
        f'"score":{"1.0" if score == 1.0 else repr(score)},'
        f'"threshold":{"1.0" if threshold == 1.0 else repr(threshold)}'
        f"{'' if _is_plain(outcome) else _evidence(outcome, write, redaction)}"
    )


def _is_plain(outcome: Outcome) -> bool:
    """Say whether nothing is known but the score and how it came about."""
    return (
        outcome.expected_surface is outcome.observed_surface is ABSENT
        and outcome.details is None
        and not outcome.children
        and outcome.error is None
    )


def _redacted(identity: OperatorIdentity, redaction: Redaction) -> OperatorIdentity:
    # A setting may hold evidence, such as the substrings that are looked for.
    settings = {name: redact(value, redaction) for name, value in identity.settings.items()}
    return OperatorIdentity(identity.name, identity.version, settings)


def _evidence(outcome: Outcome, write: Write, redaction: Redaction | None) -> str:
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
        members.append(f'"error":{_text(outcome.error, redaction)}')
    return "".join(f",{member}" for member in members)


@functools.lru_cache(maxsize=_MOST_NAMES)
def _names(names: tuple[str, ...]) -> str:
    return _dump(names)


def _text(text: str, redaction: Redaction | None) -> str:
    return encode_text(text if redaction is None else redaction(text))
