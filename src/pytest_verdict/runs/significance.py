"""Significance tests for paired results: exact if possible, otherwise with seeded random numbers."""

import math
import random
from collections.abc import Sequence
from operator import itemgetter
from typing import Final, NamedTuple

LEVEL: Final = 0.05
_QUANTILE: Final = 1.959963984540054
_SEED: Final = 20_240_229
_MOST_EXACT: Final = 14
_RESAMPLES: Final = 9_999
# The most items that a bootstrap draws.
_MOST_DRAWS: Final = 5_000_000
_FEWEST_RESAMPLES: Final = 200
# Differences are scaled to whole numbers, because sums of floats are not exact.
_SCALE: Final = 10**9
_MOST_NEEDED: Final = 2_000


def mcnemar(worse: int, better: int) -> float:
    """Return the p-value of the exact, two-sided McNemar test for pairs whose verdict changed."""
    changed = worse + better
    if not changed:
        return 1.0
    term = total = 1
    for index in range(min(worse, better)):
        term = term * (changed - index) // (index + 1)
        total += term
    return min(1.0, 2 * total / (1 << changed))


def changes_needed(worse: int, better: int) -> int | None:
    """Return how many changed pairs, in the same proportion, would be significant; large numbers are approximate."""
    if worse == better:
        return None
    share = min(worse, better) / (worse + better)
    # The exact test needs slightly more pairs than its normal approximation.
    number = max(math.ceil((_QUANTILE / (1 - 2 * share)) ** 2), worse + better + 1)
    while number < _MOST_NEEDED:
        fewer = math.ceil(number * share)
        if mcnemar(fewer, number - fewer) < LEVEL:
            break
        number += 1
    return number


def permutation(differences: Sequence[float]) -> float:
    """Return the p-value of the two-sided paired permutation test for the mean of differences."""
    scaled = [round(difference * _SCALE) for difference in differences]
    scaled = [size for size in scaled if size]
    sizes = [abs(size) for size in scaled]
    total = sum(sizes)
    # Each size may be rounded by half a unit.
    observed = abs(sum(scaled)) - len(sizes)

    # The sum over random signs is twice the sum of a random subset, minus the total.
    if len(sizes) <= _MOST_EXACT:
        sums = [0]
        for size in sizes:
            sums += [part + size for part in sums]
        return sum(abs(2 * part - total) >= observed for part in sums) / len(sums)

    # One long integer holds the same bit of all sizes, so few operations sum a random subset.
    bits = range(max(sizes).bit_length())
    planes = [int("".join(str(size >> bit & 1) for size in sizes), 2) for bit in bits]
    source = _seeded_random()
    extreme = 1
    for _ in range(_RESAMPLES):
        subset = source.getrandbits(len(sizes))
        part = sum((plane & subset).bit_count() << bit for bit, plane in enumerate(planes))
        extreme += abs(2 * part - total) >= observed
    return extreme / (_RESAMPLES + 1)


class Interval(NamedTuple):
    mean: float
    low: float
    high: float
    clusters: int


def cluster_bootstrap(clusters: Sequence[Sequence[float]]) -> Interval:
    """Return the percentile interval of a mean; the bootstrap draws whole clusters of values."""
    parts = [(sum(cluster), len(cluster)) for cluster in clusters]
    source = _seeded_random()
    resamples = max(_FEWEST_RESAMPLES, min(_RESAMPLES, _MOST_DRAWS // len(parts)))
    means = sorted(_mean(source.choices(parts, k=len(parts))) for _ in range(resamples))
    tail = round(resamples * LEVEL / 2)
    return Interval(mean=_mean(parts), low=means[tail], high=means[-1 - tail], clusters=len(parts))


def _mean(parts: Sequence[tuple[float, int]]) -> float:
    number: int = sum(map(itemgetter(1), parts))
    return math.fsum(map(itemgetter(0), parts)) / number


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number; this bounds the share of false discoveries."""
    adjusted = [1.0] * len(values)
    least = 1.0
    order = sorted(range(len(values)), key=values.__getitem__)
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        least = min(least, values[index] * len(values) / rank)
        adjusted[index] = least
    return adjusted


def _seeded_random() -> random.Random:
    return random.Random(_SEED)  # noqa: S311 - the same runs must give the same numbers
