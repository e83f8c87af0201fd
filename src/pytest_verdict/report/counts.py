"""Counts: how many comparisons of each operator came out how."""

from __future__ import annotations

from typing import Final

Counts = dict[str, tuple[int, int, int]]
"""Per operator: how many comparisons passed, failed, and could not be made."""

_NONE: Final = (0, 0, 0)


def merge_counts(counts: Counts, more: Counts) -> None:
    """Add counts to counts.

    Args:
        counts: The counts to add to.
        more: What to add.
    """
    for operator, (passed, failed, broken) in more.items():
        before = counts.get(operator, _NONE)
        counts[operator] = before[0] + passed, before[1] + failed, before[2] + broken


def count(counts: Counts, operator: str, verdict: str, number: int = 1) -> None:
    """Count comparisons.

    Args:
        counts: The counts to add to.
        operator: The operator's name.
        verdict: ``pass``, ``fail`` or ``error``.
        number: How many.
    """
    passed, failed, broken = counts.get(operator, _NONE)
    if verdict == "pass":
        passed += number
    elif verdict == "fail":
        failed += number
    else:
        broken += number
    counts[operator] = passed, failed, broken


def added(counts: Counts) -> tuple[int, int, int]:
    """Add counts over all operators.

    Args:
        counts: Counts per operator.

    Returns:
        How many comparisons passed, failed, and could not be made.
    """
    passed = failed = broken = 0
    for of_operator in counts.values():
        passed += of_operator[0]
        failed += of_operator[1]
        broken += of_operator[2]
    return passed, failed, broken
