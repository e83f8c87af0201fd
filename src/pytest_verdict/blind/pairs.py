"""Pairs of outputs to compare, of two folders or of a skill, and the other files of the skill-creator workflow."""

import json
import os
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from pytest_verdict.blind.files import read_object
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.strict_model import LISTED, NotBlank, StrictModel, Text
from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import ConfigurationError

OUTPUTS: Final = "outputs"
GRADING: Final = "grading.json"
_METADATA: Final = "eval_metadata.json"
_FIGURES: Final = ("pass_rate", "time_seconds", "tokens")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two outputs of one task; the name is a relative path."""

    name: str
    outputs: tuple[Path, Path]
    prompt: str
    expectations: tuple[str, ...] = ()
    results: Mapping[str, Path] = field(default_factory=dict)
    evaluation: int | str = ""


def pairs_by_name(
    first: Path, second: Path, prompt_of: Callable[[str], str], expectations: Sequence[str]
) -> list[Pair]:
    """Pair the entries of two folders that have the same name."""
    left, right = (_entries(folder) for folder in (first, second))
    alone = sorted(left.keys() ^ right.keys())
    if alone:
        raise ConfigurationError(f"{alone[0]!r} is in one of {first} and {second} alone; each output needs its partner")
    return [
        Pair(name, (left[name], right[name]), prompt_of(Path(name).stem), tuple(expectations)) for name in sorted(left)
    ]


def _entries(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder of outputs")
    found = {entry.name: entry for entry in folder.iterdir() if not entry.name.startswith(".")}
    if not found:
        raise ConfigurationError(f"{folder} has no outputs")
    return found


class _Metadata(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "an eval_metadata.json"

    eval_id: int | str | None = None
    prompt: NotBlank
    # Both names are in use.
    assertions: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")


def evaluations(workspace: Path) -> tuple[tuple[str, str], list[Pair]]:
    """Read the evaluations of a skill in ``eval-*`` folders: the names of the two configurations, and their runs as pairs."""
    folders = sorted(folder for folder in workspace.glob("eval-*") if folder.is_dir())
    runs = {folder: dict(_configurations(folder)) for folder in folders}
    names = sorted({name for found in runs.values() for name in found})
    if len(names) != 2:
        got = ", ".join(names) or "none"
        raise ConfigurationError(
            f"{workspace}: two configurations in eval-*/, such as with_skill and without_skill, are compared, got {got}"
        )
    both = names[0], names[1]
    return both, [pair for folder, found in runs.items() for pair in _pairs_of_runs(folder, found, both)]


def _configurations(folder: Path) -> Iterator[tuple[str, dict[str, Path]]]:
    for configuration in sorted(folder.iterdir()):
        runs = {run.name: run for run in sorted(configuration.glob("run-*")) if (run / OUTPUTS).is_dir()}
        if (configuration / OUTPUTS).is_dir():
            runs = {"": configuration}
        if runs:
            yield configuration.name, runs


def _pairs_of_runs(folder: Path, runs: Mapping[str, Mapping[str, Path]], names: tuple[str, str]) -> Iterator[Pair]:
    left, right = (runs.get(name, {}) for name in names)
    if left.keys() != right.keys():
        both = " and ".join(counted(len(side), "run") for side in (left, right))
        raise ConfigurationError(f"{folder}: {names[0]} and {names[1]} have {both}; each run needs its partner")
    about = _Metadata.read(read_object(folder / _METADATA, ConfigurationError), str(folder / _METADATA))
    expectations = about.assertions or about.expectations
    for run in left:
        graded = {name: side[run] / GRADING for name, side in zip(names, (left, right), strict=True)}
        is_graded = expectations and all(path.is_file() for path in graded.values())
        outputs = left[run] / OUTPUTS, right[run] / OUTPUTS
        place = (Path(folder.name) / run).as_posix()
        number = folder.name.removeprefix("eval-") if about.eval_id is None else about.eval_id
        yield Pair(place, outputs, about.prompt, expectations, graded if is_graded else {}, number)


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
        graded = read_object(run / GRADING, ConfigurationError) if (run / GRADING).is_file() else {}
        timing = read_object(run / "timing.json", ConfigurationError) if (run / "timing.json").is_file() else {}
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
