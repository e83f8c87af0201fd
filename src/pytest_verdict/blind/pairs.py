"""Pairs of outputs from two folders, and the summary of their comparisons."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_verdict.blind.api import BlindComparison, Pair
from pytest_verdict.blind.calibration import run_sign_test
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError


def pair_by_name(first: Path, second: Path, prompts: Path, expectations: tuple[str, ...]) -> list[Pair]:
    """Return the entries of two folders, paired by name; ``prompts`` is the task of all pairs, or a folder of tasks."""
    first_entries = _list_entries(first)
    second_entries = _list_entries(second)
    unpaired = sorted(first_entries.keys() ^ second_entries.keys())
    if unpaired:
        raise ConfigurationError(
            f"{unpaired[0]!r} is in one of {first} and {second} only; add an output of the same name to the other folder"
        )
    tasks = {file.stem: file for file in prompts.iterdir()} if prompts.is_dir() else {}
    pairs = []
    for name in sorted(first_entries):
        stem = Path(name).stem
        path = tasks.get(stem, prompts / f"{stem}.txt") if prompts.is_dir() else prompts
        outputs = (first_entries[name], second_entries[name])
        pairs.append(Pair(name=name, outputs=outputs, prompt=read_text(path), expectations=expectations))
    return pairs


def _list_entries(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder of outputs")
    entries = {entry.name: entry for entry in folder.iterdir() if not entry.name.startswith(".")}
    if not entries:
        raise ConfigurationError(f"{folder} has no outputs")
    return entries


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None


def summarize(comparisons: Mapping[str, BlindComparison], names: tuple[str, str]) -> dict[str, Any]:
    winners = Counter(comparison.winner if comparison.is_conclusive else None for comparison in comparisons.values())
    wins = [True] * winners[names[0]] + [False] * winners[names[1]]
    return {
        "pairs": len(comparisons),
        "wins": {name: winners[name] for name in names},
        "ties": winners["TIE"],
        "without_verdict": winners[None],
        "order_flips": sum(one.result.details.get("order_flips", 0) > 0 for one in comparisons.values()),
        "win_rate": run_sign_test(wins),
        "comparisons": {
            name: {"folder": f"{number:04}", "status": comparison.status, "winner": comparison.winner}
            for number, (name, comparison) in enumerate(comparisons.items(), start=1)
        },
    }


def format_summary(summary: Mapping[str, Any]) -> Iterator[str]:
    wins = ", ".join(f"{name} won {count}" for name, count in summary["wins"].items())
    counts = f"{format_count(summary['ties'], 'tie')}, {summary['without_verdict']} without a verdict"
    flips = format_count(summary["order_flips"], "order flip")
    yield f"{format_count(summary['pairs'], 'pair')}: {wins}, {counts}; {flips}"
    rate = summary["win_rate"]
    if rate["of"]:
        low, high = rate["interval"]
        share = f"{rate['rate']:.0%} of {rate['of']} decided"
        yield f"win rate of {next(iter(summary['wins']))}: {share} [{low:.2f}, {high:.2f}], p {rate['p']:.3g}"
