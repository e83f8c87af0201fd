"""The statistics of two runs: whether the later one is worse or better, or the data is inconclusive."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, Final

from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import RecordError
from pytest_verdict.runs.run import Comparison, Pairs
from pytest_verdict.runs.significance import (
    LEVEL,
    benjamini_hochberg,
    changes_needed,
    cluster_bootstrap,
    mcnemar,
    permutation,
)

INCONCLUSIVE: Final = "inconclusive"
_MOST_GROUPS: Final = 20


def compute_statistics(pairs: Pairs, cluster: str | None = None) -> dict[str, Any]:
    """Compute all statistics of paired comparisons; an error counts as not passed, with the score 0."""
    by_operator: dict[str, list[tuple[Comparison, Comparison]]] = {}
    for pair in pairs:
        by_operator.setdefault(pair[1].operator, []).append(pair)
    operators = [{"operator": name, **_count_changes(group)} for name, group in sorted(by_operator.items())]
    adjusted = benjamini_hochberg([counts["p"] for counts in operators])
    for counts, p in zip(operators, adjusted, strict=True):
        counts["p_adjusted"] = p
        counts["conclusion"] = _conclusion(counts, p)
    differences = [after.score - before.score for before, after in pairs]
    statistics = {
        "level": LEVEL,
        "verdicts": _count_changes(pairs),
        "errors": [sum(comparison.verdict == "error" for comparison in run) for run in zip(*pairs, strict=True)],
        "scores": {"mean_difference": sum(differences) / len(differences), "p": permutation(differences)},
        "operators": operators,
    }
    if cluster:
        clusters: dict[str, list[float]] = {}
        for before, after in pairs:
            value = after.record().get(cluster)
            if not isinstance(value, str | int):
                raise RecordError(f"--cluster {cluster}: the record of {after.test} has no text or number of this name")
            clusters.setdefault(str(value), []).append(float(after.passed) - float(before.passed))
        statistics["cluster"] = {"column": cluster, **cluster_bootstrap([*clusters.values()])._asdict()}
    return statistics


def _count_changes(pairs: Pairs) -> dict[str, Any]:
    worse = sum(before.passed and not after.passed for before, after in pairs)
    better = sum(after.passed and not before.passed for before, after in pairs)
    counts = {"pairs": len(pairs), "worse": worse, "better": better}
    p = mcnemar(worse, better)
    needed = None if p < LEVEL else changes_needed(worse, better)
    return {
        **counts,
        "p": p,
        "changes_needed": needed,
        "pairs_needed": None if needed is None else -(-needed * len(pairs) // (worse + better)),
        "conclusion": _conclusion(counts, p),
    }


def _conclusion(counts: dict[str, Any], p: float) -> str:
    if p >= LEVEL:
        return INCONCLUSIVE
    return "worse" if counts["worse"] > counts["better"] else "better"


def statistics_lines(statistics: dict[str, Any], escape: Callable[[str], str]) -> Iterator[str]:
    scores = statistics["scores"]
    errors = statistics["errors"]
    yield f"verdicts: {_sentence(statistics['verdicts'])}"
    yield f"errors, counted as not passed: {errors[0]} before, {errors[1]} now"
    yield f"scores: mean difference {scores['mean_difference']:+.4f}, p = {scores['p']:.4g} (paired permutation test)"
    if cluster := statistics.get("cluster"):
        interval = f"95 % from {100 * cluster['low']:+.2f} to {100 * cluster['high']:+.2f}"
        clusters = f"{counted(cluster['clusters'], 'cluster')} by {escape(cluster['column'])}"
        conclusion = f": {INCONCLUSIVE}" if cluster["low"] <= 0 <= cluster["high"] else ""
        yield f"pass rate: {100 * cluster['mean']:+.2f} points, {interval} ({clusters}){conclusion}"
    if len(statistics["operators"]) > 1:
        changed = [counts for counts in statistics["operators"] if counts["worse"] + counts["better"]]
        for counts in sorted(changed, key=itemgetter("p"))[:_MOST_GROUPS]:
            yield f"{escape(counts['operator'])}: {_sentence(counts)}"


def _sentence(counts: dict[str, Any]) -> str:
    p = f"p = {counts['p']:.4g}"
    if "p_adjusted" in counts:
        p = f"p = {counts['p_adjusted']:.4g}, adjusted for the number of operators"
    sentence = (
        f"{counts['worse']} worse, {counts['better']} better of {counted(counts['pairs'], 'pair')}, {p}:"
        f" {counts['conclusion']}"
    )
    if counts["pairs_needed"]:
        sentence += (
            f"; in this proportion, {counts['changes_needed']} changes would be significant, not"
            f" {counts['worse'] + counts['better']}, so about {counts['pairs_needed']} pairs are needed"
        )
    return sentence
