"""The files of the skill-creator workflow: its iterations, ``grading.json`` and ``benchmark.json``."""

import os
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.blind.api import Pair
from pytest_verdict.blind.files import format_json, read_object
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError

GRADING: Final = "grading.json"
_FIGURES: Final = ("pass_rate", "time_seconds", "tokens")


class Iteration(NamedTuple):
    """The pairs of two configurations, and the ids of their evaluations by the names of the pairs."""

    names: tuple[str, str]
    pairs: list[Pair]
    ids: dict[str, int | str]


def read_iteration(workspace: Path) -> Iteration:
    """Pair the runs ``eval-*/CONFIGURATION/run-*/outputs`` of two configurations; one of one run needs no ``run-*``."""
    runs: dict[tuple[str, ...], dict[str, Path]] = {}
    for outputs in sorted([*workspace.glob("eval-*/*/outputs"), *workspace.glob("eval-*/*/run-*/outputs")]):
        evaluation, configuration, *run = outputs.parent.relative_to(workspace).parts
        runs.setdefault((evaluation, *run), {})[configuration] = outputs
    names = sorted({name for outputs_by_name in runs.values() for name in outputs_by_name})
    if len(names) != 2:
        got = ", ".join(names) or "none"
        raise ConfigurationError(
            f"{workspace}: two configurations in eval-*/, such as with_skill and without_skill, are compared, got {got}"
        )
    iteration = Iteration((names[0], names[1]), [], {})
    for (evaluation, *run), outputs_by_name in runs.items():
        name = "/".join([evaluation, *run])
        if len(outputs_by_name) < 2:
            raise ConfigurationError(f"{workspace}: {name} has a run of {next(iter(outputs_by_name))} only")
        path = workspace / evaluation / "eval_metadata.json"
        metadata = read_object(path)
        if not isinstance(metadata.get("prompt"), str):
            raise ConfigurationError(f"{path}: the prompt is a text, got {shown(metadata.get('prompt'), 80)}")
        # Files use either name.
        expectations = metadata.get("assertions") or metadata.get("expectations") or ()
        gradings = {side: outputs_by_name[side].parent / GRADING for side in names}
        is_graded = expectations and all(path.is_file() for path in gradings.values())
        iteration.ids[name] = metadata.get("eval_id", evaluation.removeprefix("eval-"))
        iteration.pairs.append(
            Pair(
                name=name,
                outputs=(outputs_by_name[names[0]], outputs_by_name[names[1]]),
                prompt=metadata["prompt"],
                expectations=expectations,
                results=gradings if is_graded else None,
            )
        )
    return iteration


def write_grading(folder: str | os.PathLike[str], results: Mapping[str, ComparisonResult]) -> None:
    """Write the ``grading.json`` of a run from comparisons, one for each expectation.

    Args:
        folder: The folder of the run, which contains ``outputs``.
        results: The result for each expectation, by its text.

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
    # Import explanations only when they are needed.
    from pytest_verdict.explanation import headline
    from pytest_verdict.explanation.lines import format_plain

    expectations = [
        {"text": text, "passed": result.passed, "evidence": format_plain(headline(result))}
        for text, result in results.items()
    ]
    passed = sum(result.passed for result in results.values())
    total = len(results)
    summary = {"passed": passed, "failed": total - passed, "total": total, "pass_rate": round(passed / total, 2)}
    write_whole(Path(folder, GRADING), format_json({"expectations": expectations, "summary": summary}))


def write_benchmark(path: Path, skill: str, iteration: Iteration, notes: Iterable[str]) -> None:
    """Write a ``benchmark.json`` from the gradings and timings of runs."""
    runs: list[dict[str, Any]] = []
    for pair in iteration.pairs:
        for configuration, outputs in zip(iteration.names, pair.outputs, strict=True):
            files = [outputs.parent / name for name in (GRADING, "timing.json")]
            grading, timing = (read_object(file) if file.is_file() else {} for file in files)
            counts = grading.get("summary") or {}
            number = outputs.parent.name.removeprefix("run-")
            result = {key: counts.get(key, 0) for key in ("pass_rate", "passed", "failed", "total")}
            result["time_seconds"] = timing.get("total_duration_seconds", 0.0)
            result["tokens"] = timing.get("total_tokens", 0)
            runs.append(
                {
                    "eval_id": iteration.ids[pair.name],
                    "configuration": configuration,
                    "run_number": int(number) if number.isdecimal() else 1,
                    "result": result,
                    "expectations": grading.get("expectations") or [],
                    "notes": [],
                }
            )

    summary: dict[str, Any] = {"delta": {}}
    for figure in _FIGURES:
        for name in iteration.names:
            values = [float(run["result"][figure]) for run in runs if run["configuration"] == name]
            deviation = statistics.stdev(values) if len(values) > 1 else 0.0
            sums = {"mean": statistics.fmean(values), "stddev": deviation, "min": min(values), "max": max(values)}
            summary.setdefault(name, {})[figure] = {key: round(value, 4) for key, value in sums.items()}
        first, second = (summary[name][figure]["mean"] for name in iteration.names)
        summary["delta"][figure] = f"{first - second:+.2f}"
    metadata = {
        "skill_name": skill,
        "evals_run": sorted({run["eval_id"] for run in runs}, key=str),
        "runs_per_configuration": max(run["run_number"] for run in runs),
    }
    document = {"metadata": metadata, "runs": runs, "run_summary": summary, "notes": list(notes)}
    write_whole(path, format_json(document))
