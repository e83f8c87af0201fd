"""Significance tests for paired results, and the statistics of two runs: whether the later one is worse or better."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_verdict.core.values.display import format_count
from pytest_verdict.runs.run import Pairs

LEVEL: Final = 0.05
# More changes than these are not tried.
_MOST_NEEDED: Final = 200
INCONCLUSIVE: Final = "inconclusive"


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


def fisher(passed: int, total: int, later_passed: int, later_total: int) -> float:
    """Return the p-value of Fisher's exact, two-sided test for two rates."""
    all_passed = passed + later_passed
    least = max(0, all_passed - later_total)
    weight = math.comb(total, least) * math.comb(later_total, all_passed - least)
    weights = [weight]
    for number in range(least, min(total, all_passed)):
        weight = weight * (total - number) * (all_passed - number)
        weight //= (number + 1) * (later_total - all_passed + number + 1)
        weights.append(weight)
    observed = weights[passed - least]
    return sum(weight for weight in weights if weight <= observed) / math.comb(total + later_total, all_passed)


def pairs_needed(worse: int, better: int, pairs: int) -> int | None:
    """Return the multiple of the pairs that would be significant in the same proportion; None if no such number is small."""
    for factor in range(2, _MOST_NEEDED // max(worse + better, 1)):
        if mcnemar(factor * worse, factor * better) < LEVEL:
            return factor * pairs
    return None


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


def compute_statistics(pairs: Pairs, equal: int = 0) -> dict[str, Any]:
    """Compute all statistics of paired comparisons, and of a number of unlisted equal ones; an error has the score 0."""
    worse = sum(before.passed and not after.passed for before, after in pairs)
    better = sum(after.passed and not before.passed for before, after in pairs)
    total = len(pairs) + equal
    p = mcnemar(worse, better)
    conclusion = INCONCLUSIVE
    needed = None
    if p >= LEVEL:
        needed = pairs_needed(worse, better, total)
    else:
        conclusion = "worse" if worse > better else "better"
    counts = {"pairs": total, "worse": worse, "better": better}
    mean = sum(after.score - before.score for before, after in pairs) / total
    sides = [old for old, _ in pairs], [new for _, new in pairs]
    return {
        "level": LEVEL,
        "verdicts": {**counts, "p": p, "pairs_needed": needed, "conclusion": conclusion},
        "errors": [sum(comparison.verdict == "error" for comparison in side) for side in sides],
        "scores": {"mean_difference": mean},
    }


def statistics_lines(statistics: dict[str, Any]) -> Iterator[str]:
    counts = statistics["verdicts"]
    pairs = format_count(counts["pairs"], "pair")
    needed = ""
    if counts["pairs_needed"]:
        needed = f"; in this proportion, about {counts['pairs_needed']} pairs are needed"
    yield (
        f"verdicts: {counts['worse']} worse, {counts['better']} better of {pairs}, p = {counts['p']:.4g}:"
        f" {counts['conclusion']}{needed}"
    )
    errors = statistics["errors"]
    yield f"errors, counted as not passed: {errors[0]} before, {errors[1]} now"
    yield f"scores: mean difference {statistics['scores']['mean_difference']:+.4f}"
