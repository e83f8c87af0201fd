"""What the pairs of two runs say about more than these runs: whether one is worse, better, or nobody can tell."""

from collections.abc import Callable, Iterator
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


def statistics_of(pairs: Pairs, cluster: str | None = None) -> dict[str, Any]:
    """Compute all statistics of paired comparisons; an error is a comparison that did not pass, with the score 0."""
    by_operator: dict[str, list[tuple[Comparison, Comparison]]] = {}
    for pair in pairs:
        by_operator.setdefault(pair[1].operator, []).append(pair)
    operators = [{"operator": name, **_verdicts(group)} for name, group in sorted(by_operator.items())]
    for found, adjusted in zip(operators, benjamini_hochberg([one["p"] for one in operators]), strict=True):
        found |= {"p_adjusted": adjusted, "conclusion": _conclusion(found, adjusted)}
    differences = [after.score - before.score for before, after in pairs]
    return {
        "level": LEVEL,
        "verdicts": _verdicts(pairs),
        "errors": [sum(one.verdict == "error" for one in run) for run in zip(*pairs, strict=True)],
        "scores": {"mean_difference": sum(differences) / len(differences), "p": permutation(differences)},
        "operators": operators,
        **({"cluster": _clustered(pairs, cluster)} if cluster else {}),
    }


def _verdicts(pairs: Pairs) -> dict[str, Any]:
    worse = sum(before.passed and not after.passed for before, after in pairs)
    better = sum(after.passed and not before.passed for before, after in pairs)
    p, found = mcnemar(worse, better), {"pairs": len(pairs), "worse": worse, "better": better}
    needed = None if p < LEVEL else changes_needed(worse, better)
    pairs_needed = None if needed is None else -(-needed * len(pairs) // (worse + better))
    told = {"p": p, "changes_needed": needed, "pairs_needed": pairs_needed, "conclusion": _conclusion(found, p)}
    return {**found, **told}


def _conclusion(found: dict[str, Any], p: float) -> str:
    if p >= LEVEL:
        return INCONCLUSIVE
    return "worse" if found["worse"] > found["better"] else "better"


def _clustered(pairs: Pairs, column: str) -> dict[str, Any]:
    clusters: dict[str, list[float]] = {}
    for before, after in pairs:
        value = after.record().get(column)
        if not isinstance(value, str | int):
            raise RecordError(f"--cluster {column}: the record of {after.test} has no such text or number")
        clusters.setdefault(str(value), []).append(float(after.passed) - float(before.passed))
    return {"column": column, **cluster_bootstrap([*clusters.values()])._asdict()}


def statistics_lines(found: dict[str, Any], write: Callable[[str], str]) -> Iterator[str]:
    """Say what the statistics are."""
    verdicts, scores, errors = found["verdicts"], found["scores"], found["errors"]
    yield f"verdicts: {_sentence(verdicts)}"
    yield f"errors, counted as not passed: {errors[0]} before, {errors[1]} now"
    yield f"scores: mean difference {scores['mean_difference']:+.4f}, p = {scores['p']:.4g} (paired permutation test)"
    if cluster := found.get("cluster"):
        low, high = cluster["low"], cluster["high"]
        yield (
            f"pass rate: {100 * cluster['mean']:+.2f} points, 95 % from {100 * low:+.2f} to {100 * high:+.2f}"
            f" ({counted(cluster['clusters'], 'cluster')} by {write(cluster['column'])})"
            f"{'' if low > 0 or high < 0 else f': {INCONCLUSIVE}'}"
        )
    if len(found["operators"]) > 1:
        changed = [one for one in found["operators"] if one["worse"] + one["better"]]
        for one in sorted(changed, key=lambda one: one["p"])[:_MOST_GROUPS]:
            yield f"{write(one['operator'])}: {_sentence(one)}"


def _sentence(found: dict[str, Any]) -> str:
    changed, p = found["worse"] + found["better"], found.get("p_adjusted", found["p"])
    kind = ", adjusted for the number of operators" if "p_adjusted" in found else ""
    told = f"{found['worse']} worse, {found['better']} better of {counted(found['pairs'], 'pair')}, p = {p:.4g}{kind}"
    needed = (
        f"; with changes in this proportion it takes {found['changes_needed']} of them, not {changed},"
        f" so about {found['pairs_needed']} pairs"
    )
    return f"{told}: {found['conclusion']}{needed if found['pairs_needed'] else ''}"
