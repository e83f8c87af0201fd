"""Measuring side by side: every contestant runs in each round, so that a busy machine slows all of them."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable, Mapping


def microseconds(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int = 9, number: int = 2_000
) -> dict[str, float]:
    """Give the time of one call of each contestant: the median over rounds of the mean within a round."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            found[name].append(timeit.timeit(contestant, number=number) / number * 1e6)
    return {name: statistics.median(values) for name, values in found.items()}


def print_table(title: str, times: Mapping[str, float], *, ours: str) -> None:
    """Print each contestant's time and its ratio to ours."""
    print(f"\n| {title} | one call | ratio to ours |\n|---|---|---|")
    for name, time in times.items():
        print(f"| {name} | {time:.2f} us | {time / times[ours]:.2f} |")
