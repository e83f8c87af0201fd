"""The assignment of two candidates to the labels A and B: drawn from a key, committed to before, revealed afterwards."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_verdict.core.values.encoding import content_digest


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which candidate is called A, and the proof that this was settled before the judge was asked."""

    key: str
    position: int | None
    comparison: str
    a: int
    nonce: str
    commitment: str

    def written(self) -> dict[str, Any]:
        """Write it as JSON."""
        drawn = {"key": self.key, "position": self.position, "A": self.a}
        return {**drawn, "nonce": self.nonce, "commitment": self.commitment}


def _hashed(*parts: Any) -> str:
    return content_digest(["pytest-verdict blind 1", *parts])


def draw(key: str, comparison: str, position: int | None = None) -> Assignment:
    """Draw the assignment of a comparison.

    It depends on the key and the comparison and on nothing else, so neither the order of tests nor the number of
    workers changes it.
    """
    if position is None:
        a = int(_hashed("draw", key, comparison), 16) & 1
    else:
        a = (int(_hashed("draw", key, position // 2), 16) ^ position) & 1
    nonce = _hashed("nonce", key, comparison)
    commitment = _hashed("commitment", nonce, comparison, a, position)
    return Assignment(key, position, comparison, a, nonce, commitment)


def digest_of(what: Literal["comparison", "calls"], value: Any) -> str:
    """Name all that was settled before the judge was asked, or all calls, so that one altered by itself is noticed."""
    return _hashed(what, json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False))


def fence(key: str, comparison: str, number: int) -> str:
    """Give the text that frames the outputs in a prompt."""
    return _hashed("fence", key, comparison, number)[:16]


def draws_again(written: Mapping[str, Any], comparison: str) -> bool:
    """Say whether an assignment is the one that its key draws, and its commitment holds."""
    key, position = written.get("key"), written.get("position")
    if not isinstance(key, str) or not (position is None or type(position) is int):
        return False
    return draw(key, comparison, position).written() == dict(written)
