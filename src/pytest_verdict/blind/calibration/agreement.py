"""Statistics of agreement, each in a few lines, and defined where others give nan.

They are checked in the tests against scikit-learn, scipy and statsmodels.
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist, quantiles
from typing import Final

RESAMPLES: Final = 2_000
_CONFIDENCE: Final = 0.95
Interval = tuple[float, float]
Pairs = Sequence[tuple[str, str]]


def wilson(successes: int, trials: int) -> Interval | None:
    """Give the Wilson score interval of a rate (Wilson 1927), which stays sensible for few trials and for rates of 0 and 1."""
    if not trials:
        return None
    z = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
    rate = successes / trials
    scale = 1 + z * z / trials
    middle = (rate + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    # At the ends the bound is exact, whatever the square root rounds to.
    return 0.0 if not successes else middle - half, 1.0 if successes == trials else middle + half


def kappa(pairs: Pairs) -> float | None:
    """Give Cohen's kappa (Cohen 1960), the agreement beyond what the two would reach by chance."""
    if not pairs:
        return None
    total = len(pairs)
    first, second = Counter(left for left, _ in pairs), Counter(right for _, right in pairs)
    observed = Fraction(sum(left == right for left, right in pairs), total)
    chance = Fraction(sum(first[label] * second[label] for label in first), total * total)
    return None if chance == 1 else float((observed - chance) / (1 - chance))


def kappa_interval(pairs: Pairs, seed: int = 0) -> Interval | None:
    """Give the percentile bootstrap interval of kappa (Efron 1979)."""
    if kappa(pairs) is None:
        return None
    generator = random.Random(seed)  # noqa: S311 - resampling, no secret
    drawn = (kappa(generator.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    cuts = quantiles(
        (value for value in drawn if value is not None), n=round(2 / (1 - _CONFIDENCE)), method="inclusive"
    )
    return cuts[0], cuts[-1]


def confusion(pairs: Pairs, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """Count the pairs of labels, by the person's label and then by the judge's."""
    counts = Counter(pairs)
    return {human: {judge: counts[human, judge] for judge in labels} for human in labels}


def precision_and_recall(pairs: Pairs, label: str) -> tuple[float | None, float | None]:
    """Give precision and recall of one label."""
    both = sum(pair == (label, label) for pair in pairs)
    judged = sum(judge == label for _, judge in pairs)
    human = sum(truth == label for truth, _ in pairs)
    return both / judged if judged else None, both / human if human else None
