"""What a number of passes says about the true rate: exact intervals, pass^k and pass@k.

Everything is rounded to six decimals, the exact interval outwards, so that it reads the same on every machine.
"""

from __future__ import annotations

import math
from typing import Final

_DIGITS: Final = 1_000_000
_HALVINGS: Final = 60
_TINY: Final = 1e-300
_MOST_TERMS: Final = 100_000


def exact_interval(passed: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Give the exact confidence interval of a rate (Clopper and Pearson, Biometrika 26, 1934)."""
    tail = (1.0 - confidence) / 2.0
    low = 0.0 if passed == 0 else _quantile(tail, passed, total - passed + 1)
    high = 1.0 if passed == total else _quantile(1.0 - tail, passed + 1, total - passed)
    return math.floor(low * _DIGITS) / _DIGITS, math.ceil(high * _DIGITS) / _DIGITS


def all_of_next(passed: int, total: int, k: int) -> float:
    """Estimate pass^k: that k attempts all pass (Yao et al., tau-bench, 2024)."""
    return round(math.comb(passed, k) / math.comb(total, k), 6)


def any_of_next(passed: int, total: int, k: int) -> float:
    """Estimate pass@k: that at least one of k attempts passes (Chen et al., arXiv 2107.03374, 2021)."""
    return round(1 - math.comb(total - passed, k) / math.comb(total, k), 6)


def repeats_without_failure(rate: float, confidence: float) -> int:
    """Give how many passes without a failure show, with this confidence, that the rate is reached."""
    return math.ceil(math.log((1.0 - confidence) / 2.0) / math.log(rate))


def _quantile(probability: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if _beta_share(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _beta_share(x: float, a: float, b: float) -> float:
    """Give the regularized incomplete beta function."""
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _beta_share(1.0 - x, b, a)
    if x == 0.0:
        return 0.0
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / (a * _continued_fraction(x, a, b))


def _continued_fraction(x: float, a: float, b: float) -> float:
    # Lentz's method for the fraction of DLMF 8.17.22; it converges fast left of the mean, where alone it is asked.
    value, up, down = 1.0, 1.0, 0.0
    for term in range(1, _MOST_TERMS):
        half = term // 2
        if term % 2:
            factor = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            factor = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        down = 1.0 / (1.0 + factor * down or _TINY)
        up = 1.0 + factor / up or _TINY
        value *= up * down
        if abs(up * down - 1.0) < 1e-15:
            break
    return value
