"""Pairs of outputs to compare: two outputs, two folders of them, or the evaluations of a skill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from pytest_verdict.core.strict_model import LISTED, NotBlank, StrictModel, Text
from pytest_verdict.core.values.display import counted
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import ConfigurationError

OUTPUTS: Final = "outputs"
GRADING: Final = "grading.json"
_METADATA: Final = "eval_metadata.json"


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
    about = _Metadata.read(read_object(folder / _METADATA), str(folder / _METADATA))
    expectations = about.assertions or about.expectations
    for run in left:
        graded = {name: side[run] / GRADING for name, side in zip(names, (left, right), strict=True)}
        is_graded = expectations and all(path.is_file() for path in graded.values())
        outputs = left[run] / OUTPUTS, right[run] / OUTPUTS
        place = (Path(folder.name) / run).as_posix()
        number = folder.name.removeprefix("eval-") if about.eval_id is None else about.eval_id
        yield Pair(place, outputs, about.prompt, expectations, graded if is_graded else {}, number)


def read_object(path: Path) -> dict[str, Any]:
    """Read a file with a JSON object."""
    try:
        found = parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, JsonTextError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: the top level is an object")
    return found
