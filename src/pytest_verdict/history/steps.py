"""Steps: where the rate of a series changed, by Fisher's exact test, corrected for all places and all series."""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeVar

from pytest_verdict.runs.significance import LEVEL, benjamini_hochberg, fisher

Key = TypeVar("Key", bound=Hashable)


class Step(NamedTuple):
    """A change of the rate before the result at a position; the counts are of the results on both sides."""

    position: int
    p: float
    before: tuple[int, int]
    after: tuple[int, int]


class _Part(NamedTuple):
    start: int
    results: Sequence[int]


def find_steps(series: Mapping[Key, Sequence[int]]) -> dict[Key, list[Step]]:
    """Find the steps of series of 0 and 1.

    Each series is split where that fits best, and the p-value is multiplied by the number of places. The values of all
    series are corrected together. A series with a significant step is split there, and both parts are searched again.
    """
    steps: dict[Key, list[Step]] = {}
    parts = [(key, _Part(0, results)) for key, results in series.items()]
    while parts:
        candidates = []
        for key, part in parts:
            step = _best_split(part)
            if step is not None:
                candidates.append((key, part, step))
        parts = []
        adjusted = benjamini_hochberg([step.p for _, _, step in candidates])
        for (key, part, step), p in zip(candidates, adjusted, strict=True):
            if p >= LEVEL:
                continue
            steps.setdefault(key, []).append(step._replace(p=p))
            at = step.position - part.start
            parts.append((key, _Part(part.start, part.results[:at])))
            parts.append((key, _Part(step.position, part.results[at:])))
    return {key: sorted(found) for key, found in steps.items()}


def _best_split(part: _Part) -> Step | None:
    """Return the most likely step; None if all results are equal."""
    results = part.results
    total = len(results)
    sums = [0, *accumulate(results)]
    passed = sums[-1]
    if passed in {0, total}:
        return None

    # x log x of each number, from which the likelihood of a rate is a sum of three.
    logs = [0.0, *(number * math.log(number) for number in range(1, total + 1))]

    def likelihood(at: int) -> float:
        before = sums[at]
        after = passed - before
        later = total - at
        return (logs[before] + logs[at - before] - logs[at]) + (logs[after] + logs[later - after] - logs[later])

    # The best place is never between two equal results.
    places = [at for at in range(1, total) if results[at - 1] != results[at]]
    at = max(places, key=likelihood)
    counts = (sums[at], at, passed - sums[at], total - at)
    p = min(1.0, fisher(*counts) * (total - 1))
    return Step(part.start + at, p, counts[:2], counts[2:])
