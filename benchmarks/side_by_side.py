"""Measuring side by side: every contestant runs in each round, so that a busy machine slows all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

ROUNDS = int(os.environ.get("BENCHMARK_ROUNDS", "15"))
"""How many rounds are made unless a script says otherwise."""

_ROUND = 0.02


def rounds_of(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int = 0, number: int = 0
) -> dict[str, list[float]]:
    """Give the microseconds of CPU of one call in each round; a round takes about 20 ms unless the number of calls is given."""
    numbers = {}
    for name, contestant in contestants.items():
        contestant()
        began = time.perf_counter()
        contestant()
        numbers[name] = number or max(1, int(_ROUND / max(time.perf_counter() - began, 1e-6)))
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(min(rounds or ROUNDS, ROUNDS)):
        for name, contestant in contestants.items():
            calls = range(numbers[name])
            began = time.process_time()
            for _ in calls:
                contestant()
            found[name].append((time.process_time() - began) / len(calls) * 1e6)
    return found


def microseconds(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int = 0, number: int = 0
) -> dict[str, float]:
    """Give the microseconds of CPU of one call of each contestant: the minimum over rounds."""
    return {name: min(values) for name, values in rounds_of(contestants, rounds=rounds, number=number).items()}


def print_table(
    title: str, times: Mapping[str, float], *, ours: str, wanted: Mapping[str, float] | None = None
) -> None:
    """Print each contestant's time, its ratio to ours and, where there are any, the ratios that are wanted."""
    print(f"\n| {title} | one call | ratio |{' wanted |' if wanted else ''}")
    print(f"|---|---|---|{'---|' if wanted else ''}")
    for name, taken in times.items():
        figure = f" {wanted.get(name, '')} |" if wanted else ""
        print(f"| {name} | {taken:.2f} us | {taken / times[ours]:.2f} |{figure}")
