"""Tests of significance for paired results, exact where that is possible and seeded where it is not."""

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
# So many items are drawn at most in a bootstrap.
_MOST_DRAWS: Final = 5_000_000
_FEWEST_RESAMPLES: Final = 200
# Differences as whole numbers, because sums of floats that should be equal are not.
_SCALE: Final = 10**9
_MOST_NEEDED: Final = 2_000


def mcnemar(worse: int, better: int) -> float:
    """Give the p-value of the exact, two-sided McNemar test for pairs whose verdict changed."""
    changed = worse + better
    term = total = 1
    for index in range(min(worse, better)):
        term = term * (changed - index) // (index + 1)
        total += term
    return min(1.0, 2 * total / (1 << changed)) if changed else 1.0


def changes_needed(worse: int, better: int) -> int | None:
    """Give how many pairs would have to change, in the same proportion, to be significant; about, where they are very many."""
    if worse == better:
        return None
    share = min(worse, better) / (worse + better)
    # From the normal distribution, which the exact test is close to and needs a little more than.
    number = max(math.ceil((_QUANTILE / (1 - 2 * share)) ** 2), worse + better + 1)
    while number < _MOST_NEEDED and mcnemar(fewer := math.ceil(number * share), number - fewer) >= LEVEL:
        number += 1
    return number


def permutation(differences: Sequence[float]) -> float:
    """Give the p-value of the paired permutation test for the mean of differences, two-sided."""
    scaled = [size for difference in differences if (size := round(difference * _SCALE))]
    sizes = list(map(abs, scaled))
    # Each of them may have been rounded by half a unit.
    total, found = sum(sizes), abs(sum(scaled)) - len(sizes)
    # A sum over random signs is twice the sum of a random part, less the whole.
    if len(sizes) <= _MOST_EXACT:
        sums = [0]
        for size in sizes:
            sums += [one + size for one in sums]
        return sum(abs(2 * one - total) >= found for one in sums) / len(sums)
    # The bits of all sizes, plane by plane: a random part is then summed by few operations on long integers.
    planes = [sum_of_bits(sizes, bit) for bit in range(max(sizes).bit_length())]
    source, extreme = _seeded(), 1
    for _ in range(_RESAMPLES):
        chosen = source.getrandbits(len(sizes))
        part = sum((plane & chosen).bit_count() << bit for bit, plane in enumerate(planes))
        extreme += abs(2 * part - total) >= found
    return extreme / (_RESAMPLES + 1)


def sum_of_bits(sizes: Sequence[int], bit: int) -> int:
    """Collect one bit of many numbers in one integer."""
    return int("".join("1" if size >> bit & 1 else "0" for size in sizes), 2)


class Interval(NamedTuple):
    """A mean and where it lies with 95 % confidence."""

    mean: float
    low: float
    high: float
    clusters: int


def cluster_bootstrap(clusters: Sequence[Sequence[float]]) -> Interval:
    """Give the percentile interval of a mean whose values come in clusters, which are drawn as a whole."""
    parts = [(sum(cluster), len(cluster)) for cluster in clusters]
    source = _seeded()
    resamples = max(_FEWEST_RESAMPLES, min(_RESAMPLES, _MOST_DRAWS // len(parts)))
    means = sorted(_mean(source.choices(parts, k=len(parts))) for _ in range(resamples))
    tail = round(resamples * LEVEL / 2)
    return Interval(_mean(parts), means[tail], means[-1 - tail], len(parts))


def _mean(parts: Sequence[tuple[float, int]]) -> float:
    number: int = sum(map(itemgetter(1), parts))
    return math.fsum(map(itemgetter(0), parts)) / number


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Adjust p-values for how many there are, so that the share of false discoveries is bounded."""
    adjusted, least = [1.0] * len(values), 1.0
    for rank, index in sorted(enumerate(sorted(range(len(values)), key=values.__getitem__), 1), reverse=True):
        least = min(least, values[index] * len(values) / rank)
        adjusted[index] = least
    return adjusted


def _seeded() -> random.Random:
    return random.Random(_SEED)  # noqa: S311 - nothing is secret, and the same runs give the same numbers
