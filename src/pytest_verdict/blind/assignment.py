"""The assignment of two candidates to the labels A and B: drawn from a key, committed to before, revealed afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_verdict.blind.scoring import LABELS, OTHER, Label
from pytest_verdict.values.encoding import digest, encode_text


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which candidate is called A, and the proof that this was settled before the judge was asked.

    Args:
        key: What it was drawn from.
        position: The comparison's number in a series that is balanced, from 0; None when it stands alone.
        comparison: The digest of all that was settled before the judge was asked.
        a: Which candidate is A: 0 for the first, 1 for the second.
        nonce: What makes the commitment unguessable.
        commitment: A digest of nonce, comparison, assignment and position.
    """

    key: str
    position: int | None
    comparison: str
    a: int
    nonce: str
    commitment: str

    def slots(self, *, exchanged: bool) -> dict[Label, int]:
        """Give the candidate behind each label.

        Args:
            exchanged: Whether the labels are exchanged, as in the second of both orders.

        Returns:
            0 or 1 by label.
        """
        first = LABELS[0]
        a = 1 - self.a if exchanged else self.a
        return {first: a, OTHER[first]: 1 - a}

    def written(self) -> dict[str, Any]:
        """Write it as JSON."""
        return {
            "key": self.key,
            "position": self.position,
            "A": self.a,
            "nonce": self.nonce,
            "commitment": self.commitment,
        }


def _hashed(*parts: Any) -> str:
    return digest(encode_text(["pytest-verdict blind 1", *parts]))


def draw(key: str, comparison: str, position: int | None = None) -> Assignment:
    """Draw the assignment of a comparison.

    It depends on the key and the comparison and on nothing else, so neither the order of tests nor the number of workers
    changes it.

    Args:
        key: A secret, or a seed.
        comparison: The digest of all that was settled before.
        position: The comparison's number in a series, from 0. Of each pair 0 and 1, 2 and 3, ... one has the first
            candidate as A, so that a series is balanced exactly.

    Returns:
        The assignment.

    Example:
        >>> {draw("seed", "c", 0).a, draw("seed", "d", 1).a}
        {0, 1}
    """
    if position is None:
        a = int(_hashed("draw", key, comparison), 16) & 1
    else:
        a = (int(_hashed("draw", key, position // 2), 16) ^ position) & 1
    nonce = _hashed("nonce", key, comparison)
    return Assignment(key, position, comparison, a, nonce, committed(nonce, comparison, a, position))


def committed(nonce: str, comparison: str, a: int, position: int | None) -> str:
    """Give the commitment to an assignment.

    Args:
        nonce: See `Assignment`.
        comparison: See `Assignment`.
        a: See `Assignment`.
        position: See `Assignment`.

    Returns:
        A SHA-256 in hexadecimal.
    """
    return _hashed("commitment", nonce, comparison, a, position)


def comparison_digest(settled: Mapping[str, Any]) -> str:
    """Name all that was settled before the judge was asked.

    Args:
        settled: JSON values.

    Returns:
        A SHA-256 in hexadecimal; the order of members does not matter.
    """
    return _hashed("comparison", json.dumps(settled, sort_keys=True, separators=(",", ":"), allow_nan=False))


def calls_digest(calls: Sequence[Mapping[str, Any]]) -> str:
    """Name all calls of a comparison, so that one that is altered by itself is noticed.

    Args:
        calls: JSON values, in order.

    Returns:
        A SHA-256 in hexadecimal. It is no commitment: whoever alters a call can compute it again.
    """
    return _hashed("calls", json.dumps(list(calls), sort_keys=True, separators=(",", ":"), allow_nan=False))


def fence(key: str, comparison: str, number: int) -> str:
    """Give the text that frames the outputs in a prompt.

    Args:
        key: See `draw`.
        comparison: See `draw`.
        number: The number of the attempt to find one that is in neither output.

    Returns:
        16 hexadecimal digits.
    """
    return _hashed("fence", key, comparison, number)[:16]


def draws_again(written: Mapping[str, Any], comparison: str) -> bool:
    """Say whether an assignment is the one that its key draws, and its commitment holds.

    Args:
        written: What `Assignment.written` gave.
        comparison: The digest of all that was settled before.

    Returns:
        False when anything was altered.
    """
    key, position = written.get("key"), written.get("position")
    if not isinstance(key, str) or not (position is None or type(position) is int):
        return False
    return draw(key, comparison, position).written() == dict(written)
