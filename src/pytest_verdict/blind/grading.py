"""The files of the skill-creator workflow: ``grading.json`` of a run, and ``benchmark.json`` over the runs of a workspace."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_verdict.blind.pairs import GRADING, Pair, read_object
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.judging.recording import write_whole

_FIGURES = ("pass_rate", "time_seconds", "tokens")


def write_grading(folder: str | os.PathLike[str], results: Mapping[str, ComparisonResult]) -> None:
    """Write the ``grading.json`` of a run from comparisons, one for each expectation.

    Args:
        folder: The folder of the run, which has ``outputs``.
        results: What came of each expectation, by its text.

    Raises:
        ConfigurationError: There is no result, or the folder does not exist.

    Example:
        >>> import tempfile
        >>> from pytest_verdict import compare
        >>> with tempfile.TemporaryDirectory() as run:
        ...     write_grading(run, {"names the order": compare("contains_any", "4711", "Order 4711 ships.")})
        ...     read_object(Path(run, "grading.json"))["summary"]["passed"]
        1
    """
    if not results or not Path(folder).is_dir():
        raise ConfigurationError(f"a grading needs results and the folder of a run, got {len(results)} for {folder}")
    # Not loaded before it is needed.
    from pytest_verdict.explanation import headline
    from pytest_verdict.explanation.lines import plain

    expectations = [
        {"text": text, "passed": one.passed, "evidence": plain(headline(one))} for text, one in results.items()
    ]
    passed, total = sum(one.passed for one in results.values()), len(results)
    summary = {"passed": passed, "failed": total - passed, "total": total, "pass_rate": round(passed / total, 2)}
    write_whole(Path(folder, GRADING), _written({"expectations": expectations, "summary": summary}))


def write_benchmark(
    path: Path, skill: str, pairs: Sequence[Pair], names: tuple[str, str], notes: Iterable[str]
) -> None:
    """Write a ``benchmark.json`` from the gradings of runs."""
    runs = [run for pair in pairs for run in _runs(pair, names)]
    figures = {name: [run["result"] for run in runs if run["configuration"] == name] for name in names}
    summary: dict[str, Any] = {
        name: {figure: _spread([one[figure] for one in own]) for figure in _FIGURES} for name, own in figures.items()
    }
    first, second = (summary[name] for name in names)
    delta = {figure: f"{first[figure]['mean'] - second[figure]['mean']:+.2f}" for figure in _FIGURES}
    about = {
        "skill_name": skill,
        "evals_run": sorted({run["eval_id"] for run in runs}, key=str),
        "runs_per_configuration": max((run["run_number"] for run in runs), default=0),
    }
    document = {"metadata": about, "runs": runs, "run_summary": {**summary, "delta": delta}, "notes": list(notes)}
    write_whole(path, _written(document))


def _runs(pair: Pair, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    for name, outputs in zip(names, pair.outputs, strict=True):
        run = outputs.parent
        number = run.name.removeprefix("run-")
        graded = read_object(run / GRADING) if (run / GRADING).is_file() else {}
        timing = read_object(run / "timing.json") if (run / "timing.json").is_file() else {}
        counts = graded.get("summary") or {}
        yield {
            "eval_id": pair.evaluation,
            "configuration": name,
            "run_number": int(number) if number.isdecimal() else 1,
            "result": {
                **{key: counts.get(key, 0) for key in ("pass_rate", "passed", "failed", "total")},
                "time_seconds": timing.get("total_duration_seconds", 0.0),
                "tokens": timing.get("total_tokens", 0),
            },
            "expectations": graded.get("expectations") or [],
            "notes": [],
        }


def _spread(values: Sequence[float]) -> dict[str, float]:
    numbers = [float(value) for value in values] or [0.0]
    spread = statistics.stdev(numbers) if len(numbers) > 1 else 0.0
    found = {"mean": statistics.fmean(numbers), "stddev": spread, "min": min(numbers), "max": max(numbers)}
    return {name: round(value, 4) for name, value in found.items()}


def _written(document: Any) -> str:
    return json.dumps(document, indent=2, default=float) + "\n"
