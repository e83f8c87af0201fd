"""Pairs of outputs from two folders or from an iteration of the skill-creator workflow, and the files of that workflow."""

import json
import os
import re
import statistics
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, NamedTuple

from pydantic import Field

from pytest_verdict.blind.files import read_object
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.strict_model import LISTED, NotBlank, StrictModel, Text
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.errors import ConfigurationError, SettingsError

OUTPUTS: Final = "outputs"
GRADING: Final = "grading.json"
_METADATA: Final = "eval_metadata.json"
_TIMING: Final = "timing.json"
SUMMARY: Final = "summary.json"
BENCHMARK: Final = "benchmark.json"
# Names that are devices on Windows, with any suffix.
_DEVICES: Final = (
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³"),
)
_MOST_BYTES: Final = 255
_FIGURES: Final = ("pass_rate", "time_seconds", "tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two outputs of one task.

    Args:
        name: The name of the pair, which is also its folder in an ``output``.
        outputs: The two outputs, each a `pathlib.Path` or the output itself.
        prompt: The task of both outputs.
        expectations: Statements that each output should meet.
        results: The results of checks by the name of a candidate, as ``expectation_results`` of `BlindOptions`.
        evaluation: The id of the evaluation in a ``benchmark.json``.

    Example:
        >>> Pair(name="refund", outputs=("Use the form.", "Call us."), prompt="Say how to get a refund.").expectations
        ()
    """

    name: str
    outputs: tuple[Any, Any]
    prompt: str
    expectations: Sequence[str] = ()
    results: Mapping[str, Any] = field(default_factory=dict)
    evaluation: int | str = ""


def check_names(pairs: Sequence[Pair], *, are_folders: bool) -> None:
    """Refuse names that are no texts or occur twice; and as folders, those that lead elsewhere or to one place."""
    places: list[tuple[tuple[str, ...], str]] = [((name,), name) for name in (SUMMARY, BENCHMARK)]
    for pair in pairs:
        if not isinstance(pair, Pair) or not isinstance(pair.name, str):
            raise SettingsError(f"pairs are Pair objects with a text as name, got {shown(pair, 200)}")
        parts = re.split(r"[/\\]", pair.name)
        is_output_itself = pair.name == "" and len(pairs) == 1
        if are_folders and not is_output_itself and (Path(pair.name).anchor or not all(map(_is_folder_name, parts))):
            raise SettingsError(
                f"the name of a pair is its folder in output, which {shown(pair.name, 200)} cannot be; give it another name"
            )
        # Some file systems ignore case, accents that are written apart, and periods or blanks at the end.
        place = tuple(unicodedata.normalize("NFC", part.rstrip(". ")).casefold() for part in parts)
        places.append((place, pair.name))

    names = [pair.name for pair in pairs]
    if len(set(names)) < len(names):
        raise SettingsError(f"each pair has a name of its own, got {shown(names, 200)}")
    # A folder comes directly before one of those inside of it.
    for (place, name), (next_place, next_name) in pairwise(sorted(places)):
        if are_folders and next_place[: len(place)] == place:
            raise SettingsError(
                f"{shown(name, 200)} and {shown(next_name, 200)} can be one folder in output; rename the pair"
            )


def _is_folder_name(part: str) -> bool:
    if part.casefold().partition(".")[0].strip() in _DEVICES:
        return False
    try:
        return part.strip(". ") != "" and "\0" not in part and len(os.fsencode(part)) <= _MOST_BYTES
    except UnicodeEncodeError:
        return False


class PairSeries(NamedTuple):
    names: tuple[str, str]
    pairs: list[Pair]


def pair_by_name(first: Path, second: Path, prompts: Path, expectations: tuple[str, ...]) -> list[Pair]:
    """Return the entries of two folders, paired by name; ``prompts`` is the task of all pairs, or a folder of tasks."""
    first_entries = _list_entries(first)
    second_entries = _list_entries(second)
    unpaired = sorted(first_entries.keys() ^ second_entries.keys())
    if unpaired:
        raise ConfigurationError(
            f"{unpaired[0]!r} is in one of {first} and {second} only; add an output of the same name to the other folder"
        )
    prompt_files = {}
    if prompts.is_dir():
        prompt_files = {file.stem: file for file in prompts.iterdir()}
    pairs = []
    for name in sorted(first_entries):
        path = prompts
        if prompts.is_dir():
            path = prompt_files.get(Path(name).stem, prompts / f"{Path(name).stem}.txt")
        outputs = (first_entries[name], second_entries[name])
        pairs.append(Pair(name=name, outputs=outputs, prompt=read_text(path), expectations=expectations))
    return pairs


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None


def _list_entries(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder of outputs")
    entries = {entry.name: entry for entry in folder.iterdir() if not entry.name.startswith(".")}
    if not entries:
        raise ConfigurationError(f"{folder} has no outputs")
    return entries


class _Metadata(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "an eval_metadata.json"

    eval_id: int | str | None = None
    prompt: NotBlank
    # Files use either name.
    assertions: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")


def read_iteration(workspace: Path) -> PairSeries:
    """Read an iteration of the skill-creator workflow: the runs of two configurations in ``eval-*`` folders."""
    runs_by_folder: dict[Path, dict[str, dict[str, Path]]] = {}
    for folder in sorted(folder for folder in workspace.glob("eval-*") if folder.is_dir()):
        runs_by_folder[folder] = {}
        for configuration in sorted(folder.iterdir()):
            runs = {run.name: run for run in sorted(configuration.glob("run-*")) if (run / OUTPUTS).is_dir()}
            if (configuration / OUTPUTS).is_dir():
                # A configuration may be a run itself.
                runs = {"": configuration}
            if runs:
                runs_by_folder[folder][configuration.name] = runs

    configurations = sorted({name for runs_by_name in runs_by_folder.values() for name in runs_by_name})
    if len(configurations) != 2:
        got = ", ".join(configurations) or "none"
        raise ConfigurationError(
            f"{workspace}: two configurations in eval-*/, such as with_skill and without_skill, are compared, got {got}"
        )
    names = (configurations[0], configurations[1])
    pairs: list[Pair] = []
    for folder, runs_by_name in runs_by_folder.items():
        pairs += _pair_runs(folder, runs_by_name, names)
    return PairSeries(names, pairs)


def _pair_runs(folder: Path, runs: Mapping[str, Mapping[str, Path]], names: tuple[str, str]) -> Iterator[Pair]:
    first_runs = runs.get(names[0], {})
    second_runs = runs.get(names[1], {})
    if first_runs.keys() != second_runs.keys():
        raise ConfigurationError(
            f"{folder}: {names[0]} and {names[1]} have {format_count(len(first_runs), 'run')} and"
            f" {format_count(len(second_runs), 'run')}; each run needs its partner"
        )
    metadata = _Metadata.read(read_object(folder / _METADATA, ConfigurationError), str(folder / _METADATA))
    expectations = metadata.assertions or metadata.expectations
    evaluation = metadata.eval_id
    if evaluation is None:
        evaluation = folder.name.removeprefix("eval-")

    for run, first in first_runs.items():
        second = second_runs[run]
        gradings = {names[0]: first / GRADING, names[1]: second / GRADING}
        is_graded = expectations and all(path.is_file() for path in gradings.values())
        yield Pair(
            name=(Path(folder.name) / run).as_posix(),
            outputs=(first / OUTPUTS, second / OUTPUTS),
            prompt=metadata.prompt,
            expectations=expectations,
            results=gradings if is_graded else {},
            evaluation=evaluation,
        )


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
    _write_json(Path(folder, GRADING), {"expectations": expectations, "summary": summary})


def write_benchmark(
    path: Path, skill: str, pairs: Sequence[Pair], names: tuple[str, str], notes: Iterable[str]
) -> None:
    """Write a ``benchmark.json`` from the gradings of runs."""
    runs = [run for pair in pairs for run in _read_runs(pair, names)]
    summary: dict[str, Any] = {}
    for name in names:
        results = [run["result"] for run in runs if run["configuration"] == name]
        summary[name] = {figure: _summarize([result[figure] for result in results]) for figure in _FIGURES}
    delta = {}
    for figure in _FIGURES:
        delta[figure] = f"{summary[names[0]][figure]['mean'] - summary[names[1]][figure]['mean']:+.2f}"

    metadata = {
        "skill_name": skill,
        "evals_run": sorted({run["eval_id"] for run in runs}, key=str),
        "runs_per_configuration": max((run["run_number"] for run in runs), default=0),
    }
    summary["delta"] = delta
    _write_json(path, {"metadata": metadata, "runs": runs, "run_summary": summary, "notes": list(notes)})


def _read_runs(pair: Pair, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    for name, outputs in zip(names, pair.outputs, strict=True):
        run = outputs.parent
        number = run.name.removeprefix("run-")
        grading = _read_optional(run / GRADING)
        timing = _read_optional(run / _TIMING)
        counts = grading.get("summary") or {}
        yield {
            "eval_id": pair.evaluation,
            "configuration": name,
            "run_number": int(number) if number.isdecimal() else 1,
            "result": {
                **{key: counts.get(key, 0) for key in ("pass_rate", "passed", "failed", "total")},
                "time_seconds": timing.get("total_duration_seconds", 0.0),
                "tokens": timing.get("total_tokens", 0),
            },
            "expectations": grading.get("expectations") or [],
            "notes": [],
        }


def _read_optional(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    return read_object(path, ConfigurationError)


def _summarize(values: Sequence[float]) -> dict[str, float]:
    numbers = [float(value) for value in values] or [0.0]
    summary = {
        "mean": statistics.fmean(numbers),
        "stddev": statistics.stdev(numbers) if len(numbers) > 1 else 0.0,
        "min": min(numbers),
        "max": max(numbers),
    }
    return {name: round(value, 4) for name, value in summary.items()}


def _write_json(path: Path, document: Any) -> None:
    write_whole(path, json.dumps(document, indent=2, default=float) + "\n")
