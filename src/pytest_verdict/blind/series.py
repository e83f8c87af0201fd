"""A series of blind comparisons: who won how often, and what that says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_verdict.blind.api import BlindComparison
from pytest_verdict.core.values.display import counted
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.runs.significance import mcnemar


def summary_of(found: Mapping[str, BlindComparison], names: tuple[str, str]) -> dict[str, Any]:
    """Count wins; ties and comparisons without a verdict are no part of the win rate."""
    winners = Counter(one.winner if one.is_conclusive else None for one in found.values())
    wins = [winners[name] for name in names]
    decided = sum(wins)
    return {
        "pairs": len(found),
        "wins": dict(zip(names, wins, strict=True)),
        "ties": winners["TIE"],
        "without_verdict": winners[None],
        "order_flips": sum(one.result.details.get("order_flips", 0) > 0 for one in found.values()),
        "win_rate": {
            "of": names[0],
            "decided": decided,
            "rate": wins[0] / decided if decided else None,
            "interval": list(exact_interval(wins[0], decided)) if decided else None,
            "p": mcnemar(wins[1], wins[0]) if decided else None,
        },
        "comparisons": {name: {"status": one.status, "winner": one.winner} for name, one in found.items()},
    }


def summary_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Write a summary for a person."""
    wins = ", ".join(f"{name} won {count}" for name, count in summary["wins"].items())
    others = f"{counted(summary['ties'], 'tie')}, {summary['without_verdict']} without a verdict"
    yield f"{counted(summary['pairs'], 'pair')}: {wins}, {others}; {counted(summary['order_flips'], 'order flip')}"
    rate = summary["win_rate"]
    if rate["decided"]:
        low, high = rate["interval"]
        share = f"{rate['rate']:.0%} of {rate['decided']} decided"
        yield f"win rate of {rate['of']}: {share} [{low:.2f}, {high:.2f}], p {rate['p']:.3g}"
