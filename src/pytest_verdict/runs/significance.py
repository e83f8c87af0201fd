"""Significance tests for paired results, and the statistics of two runs: whether the later one is worse or better."""

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

from pytest_verdict.core.values.display import format_count
from pytest_verdict.runs.run import Comparison, Pairs

LEVEL: Final = 0.05
# More changes than these are not tried.
_MOST_NEEDED: Final = 200
INCONCLUSIVE: Final = "inconclusive"
_MOST_GROUPS: Final = 20


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


def compute_statistics(pairs: Pairs, equal: Mapping[str, int] = MappingProxyType({})) -> dict[str, Any]:
    """Compute all statistics of paired comparisons, and of the unlisted equal ones by operator; an error has the score 0."""
    by_operator: dict[str, list[tuple[Comparison, Comparison]]] = {operator: [] for operator in equal}
    for pair in pairs:
        by_operator.setdefault(pair[1].operator, []).append(pair)
    operators = [
        {"operator": name, **_count_changes(group, equal.get(name, 0))} for name, group in sorted(by_operator.items())
    ]
    adjusted = benjamini_hochberg([counts["p"] for counts in operators])
    for counts, p in zip(operators, adjusted, strict=True):
        counts["p_adjusted"] = p
        counts["conclusion"] = _conclusion(counts, p)
    mean = sum(after.score - before.score for before, after in pairs) / (len(pairs) + sum(equal.values()))
    sides = [old for old, _ in pairs], [new for _, new in pairs]
    return {
        "level": LEVEL,
        "verdicts": _count_changes(pairs, sum(equal.values())),
        "errors": [sum(comparison.verdict == "error" for comparison in side) for side in sides],
        "scores": {"mean_difference": mean},
        "operators": operators,
    }


def _count_changes(pairs: Pairs, equal: int) -> dict[str, Any]:
    worse = sum(before.passed and not after.passed for before, after in pairs)
    better = sum(after.passed and not before.passed for before, after in pairs)
    counts = {"pairs": len(pairs) + equal, "worse": worse, "better": better}
    p = mcnemar(worse, better)
    needed = None if p < LEVEL else pairs_needed(worse, better, counts["pairs"])
    return {**counts, "p": p, "pairs_needed": needed, "conclusion": _conclusion(counts, p)}


def _conclusion(counts: dict[str, Any], p: float) -> str:
    if p >= LEVEL:
        return INCONCLUSIVE
    return "worse" if counts["worse"] > counts["better"] else "better"


def statistics_lines(statistics: dict[str, Any]) -> Iterator[str]:
    errors = statistics["errors"]
    yield f"verdicts: {_sentence(statistics['verdicts'])}"
    yield f"errors, counted as not passed: {errors[0]} before, {errors[1]} now"
    yield f"scores: mean difference {statistics['scores']['mean_difference']:+.4f}"
    if len(statistics["operators"]) > 1:
        changed = [counts for counts in statistics["operators"] if counts["worse"] + counts["better"]]
        for counts in sorted(changed, key=itemgetter("p"))[:_MOST_GROUPS]:
            yield f"{counts['operator']}: {_sentence(counts)}"


def _sentence(counts: dict[str, Any]) -> str:
    p = f"p = {counts['p']:.4g}"
    if "p_adjusted" in counts:
        p = f"p = {counts['p_adjusted']:.4g}, adjusted for the number of operators"
    pairs = format_count(counts["pairs"], "pair")
    needed = ""
    if counts["pairs_needed"]:
        needed = f"; in this proportion, about {counts['pairs_needed']} pairs are needed"
    return f"{counts['worse']} worse, {counts['better']} better of {pairs}, {p}: {counts['conclusion']}{needed}"
