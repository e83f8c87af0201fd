"""How a result is written as JSON."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final, Literal

from pytest_verdict.core.values.encoding import TYPE_KEY, encode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.redaction import (
    REDACTED,
    REDACTED_VALUE,
    Redaction,
    hiding,
    redact,
    redact_names,
    redact_text,
)

if TYPE_CHECKING:
    from pytest_verdict.core.result import Outcome

Verdict = Literal["pass", "fail", "error"]
Write = Callable[[Any], str]

OBSERVED: Final = ',"observed":'
"""What stands between the two sides of a record."""

# The length of a record's id, test and place, roughly.
_PLACE: Final = 300


@dataclass(frozen=True)
class OperatorIdentity:
    """The operator in a record."""

    name: str
    version: int
    settings: Mapping[str, Any]
    code: str = ""

    @functools.cached_property
    def members(self) -> str:
        """The members of a JSON object, without its braces, in ASCII."""
        name = encode_basestring_ascii(self.name)
        settings = json.dumps(self.settings, separators=(",", ":"), allow_nan=False)
        code = f'"operator_code":"{self.code}",' if self.code else ""
        return f'"operator":{name},"operator_version":{self.version},{code}"settings":{settings}'


class Envelope:
    """The text of a record around its two sides, shared by results that differ in nothing else."""

    __slots__ = (
        *("head", "identity", "length", "name", "operator", "outcome", "tail", "threshold", "verdict", "write"),
        "redaction",
    )

    def __init__(
        self,
        identity: OperatorIdentity,
        outcome: Outcome,
        threshold: float,
        name: str | None,
        redaction: Redaction | None,
        sides: tuple[Any, Any] = ("", ""),
    ) -> None:
        self.operator = identity.name
        self.verdict = verdict_of(outcome, threshold)
        self.redaction = redaction
        self.write = writer(redaction)
        self.head = head_of(identity, self.verdict, name, redaction)
        self.tail = tail_of(outcome, threshold, sides, redaction)
        self.length = len(self.head) + len(self.tail) + _PLACE
        # Evidence may have changed when the same outcome comes again.
        self.outcome = outcome if _is_plain(outcome) else None
        self.identity = identity
        self.threshold = threshold
        self.name = name

    def settled(self, expected: Any, observed: Any) -> tuple[Write, str, str]:
        """Write both sides now, because the test may change them."""
        left, right = self.write(expected), self.write(observed)
        return str, *_without_hidden((expected, observed), self.redaction, left, right)[1:]


def members_of(
    identity: OperatorIdentity,
    outcome: Outcome,
    threshold: float,
    name: str | None,
    sides: tuple[Any, Any],
    redaction: Redaction | None,
) -> str:
    """Write the members of a record's JSON object, without its braces."""
    expected, observed = sides
    write = writer(redaction)
    left = write(expected)
    is_same = type(expected) is str and type(observed) is str and expected == observed
    right = left if is_same else write(observed)
    if _TYPED in left or _TYPED in right:
        redaction, left, right = _without_hidden(sides, redaction, left, right)
    # Not by an envelope, which takes half as long again where it is not shared: replay writes every record once.
    head = head_of(identity, verdict_of(outcome, threshold), name, redaction)
    tail = tail_of(outcome, threshold, sides, redaction)
    return f"{head}{left}{OBSERVED}{right}{tail}"


def _without_hidden(
    sides: tuple[Any, Any], redaction: Redaction | None, left: str, right: str
) -> tuple[Redaction | None, str, str]:
    """Write both sides again if they hide something, and return the redaction that the rest of the record needs."""
    without = hiding(redaction, *sides)
    if without is redaction:
        return redaction, left, right
    write = writer(without)
    return without, write(sides[0]), write(sides[1])


def verdict_of(outcome: Outcome, threshold: float) -> Verdict:
    """Return the verdict of a comparison."""
    if outcome.error is not None:
        return "error"
    return "pass" if (outcome.score >= threshold) is not outcome.negated else "fail"


_MOST_NAMES: Final = 1_000
_ALL_REDACTED: Final = f'{{{REDACTED_VALUE},"value":"{REDACTED}"}}'
_TYPED: Final = f'"{TYPE_KEY}":"'
_dump: Final = json.JSONEncoder(separators=(",", ":")).encode


def writer(redaction: Redaction | None) -> Write:
    """Return the function that writes a value of the evidence."""
    if redaction is None:
        return encode_text
    return lambda value: json.dumps(redact(encode(value), redaction), separators=(",", ":"), allow_nan=False)


def head_of(identity: OperatorIdentity, verdict: Verdict, name: str | None, redaction: Redaction | None) -> str:
    """Write the members of a record before the expected side."""
    members = identity.members if redaction is None else _redacted(identity, redaction).members
    label = "" if name is None else f'"name":{_text(name, redaction)},'
    return f'"verdict":"{verdict}",{label}{members},"expected":'


def tail_of(outcome: Outcome, threshold: float, sides: tuple[Any, Any], redaction: Redaction | None) -> str:
    """Write the members of a record after the observed side."""
    score = outcome.score
    # Nearly every score and threshold is 1.0, and writing a float is slow.
    notes = outcome.notes if redaction is None else tuple(map(redaction, outcome.notes))
    return (
        f',"normalization":{_names(outcome.normalization) if outcome.normalization else "[]"},'
        f'"notes":{_names(notes) if notes else "[]"},'
        f'"score":{"1.0" if score == 1.0 else repr(score)},'
        f'"threshold":{"1.0" if threshold == 1.0 else repr(threshold)}'
        f"{'' if _is_plain(outcome) else _evidence(outcome, sides, redaction)}"
    )


def _is_plain(outcome: Outcome) -> bool:
    """Say whether an outcome has no evidence of its own."""
    return (
        outcome.expected_surface is outcome.observed_surface is ABSENT
        and outcome.details is None
        and not outcome.children
        and outcome.error is None
        and not outcome.negated
        and outcome.sources is None
    )


def _redacted(identity: OperatorIdentity, redaction: Redaction) -> OperatorIdentity:
    # A setting may hold evidence, such as the substrings that are looked for.
    settings = {name: redact(value, redaction) for name, value in identity.settings.items()}
    return replace(identity, settings=settings)


def _evidence(outcome: Outcome, sides: tuple[Any, Any], redaction: Redaction | None) -> str:
    write = writer(redaction)
    members = []
    surfaces = outcome.expected_surface, outcome.observed_surface
    for name, side, surface in zip(("expected", "observed"), sides, surfaces, strict=True):
        if surface is not ABSENT:
            # In lower case, for example, what is to be redacted would match no pattern.
            is_redacted = redaction is not None and REDACTED_VALUE in write(side)
            members.append(f'"{name}_surface":{_ALL_REDACTED if is_redacted else write(surface)}')
    if outcome.details:
        details = outcome.details if redaction is None else redact_names(outcome.details, redaction)
        members.append(f'"details":{write(dict(details))}')
    if outcome.children:
        members.append(f'"children":[{",".join(child.to_text(redaction) for child in outcome.children)}]')
    if outcome.error is not None:
        members.append(f'"error":{encode_text(str(redact_text(outcome.error, redaction)))}')
    if outcome.negated:
        members.append('"negated":true')
    if outcome.sources is not None:
        members.append(f'"sources":{write(dict(outcome.sources))}')
    return "".join(f",{member}" for member in members)


@functools.lru_cache(maxsize=_MOST_NAMES)
def _names(names: tuple[str, ...]) -> str:
    return _dump(names)


def _text(text: str, redaction: Redaction | None) -> str:
    return encode_text(text if redaction is None else redaction(text))
