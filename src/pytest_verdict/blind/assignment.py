"""The assignment of two candidates to the labels A and B: drawn from a key, committed to, and revealed afterwards."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_verdict.core.values.encoding import content_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The index of the candidate that is called A, and the proof that it was drawn before the judge was asked."""

    key: str
    position: int | None
    comparison: str
    a: int
    nonce: str
    commitment: str

    def to_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "position": self.position,
            "A": self.a,
            "nonce": self.nonce,
            "commitment": self.commitment,
        }


def _hash(*parts: Any) -> str:
    return content_digest(["pytest-verdict blind 1", *parts])


def draw_assignment(key: str, comparison: str, position: int | None = None) -> Assignment:
    """Draw the assignment of a comparison, which does not depend on the order of tests or the number of workers."""
    if position is None:
        a = int(_hash("draw", key, comparison), 16) & 1
    else:
        # Each pair of positions gets both assignments.
        a = (int(_hash("draw", key, position // 2), 16) ^ position) & 1
    nonce = _hash("nonce", key, comparison)
    commitment = _hash("commitment", nonce, comparison, a, position)
    return Assignment(key=key, position=position, comparison=comparison, a=a, nonce=nonce, commitment=commitment)


def is_drawn_from_its_key(assignment: Mapping[str, Any], comparison: str) -> bool:
    """Return whether a recorded assignment is the one that its key draws, with the right commitment."""
    key = assignment.get("key")
    position = assignment.get("position")
    if not isinstance(key, str):
        return False
    if position is not None and type(position) is not int:
        return False
    return draw_assignment(key, comparison, position).to_json() == dict(assignment)


def hash_json(part: Literal["comparison", "calls"], value: Any) -> str:
    return _hash(part, json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False))


def build_fence(key: str, comparison: str, number: int) -> str:
    """Return the line that frames the outputs in a prompt."""
    return _hash("fence", key, comparison, number)[:16]
