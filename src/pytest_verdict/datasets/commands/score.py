"""``pytest-verdict score``: the rows of a data set compared by an operator, without pytest."""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import progress, say
from pytest_verdict.core.parallel import MOST_DEATHS, in_order
from pytest_verdict.core.record import summed
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.datasets.fold import Fold
from pytest_verdict.datasets.plan import ROWS
from pytest_verdict.datasets.rows import checked_size
from pytest_verdict.datasets.units import Run, Unit
from pytest_verdict.errors import ConfigurationError, MissingExtraError

_EXIT_CODES: Final = """\
The folder DIR gets the records, report.json and junit.xml that a session with one test would have written, and every command
reads it. The rows are compared in units, which do not depend on -j; a run that was killed goes on where it was when the same
command is given again, in DIR/parts.

exit codes:
  0  enough rows passed
  1  they did not
  2  something is written wrongly, or a file cannot be read or written; there are no rows; two rows have the same id
"""
_PASSED_ON: Final = ("threshold", "pass_rate", "confident", "confidence", "limit", "sample", "seed")
# Settings that no operator has: they belong to the whole.
_OPTIONS: Final = {*_PASSED_ON, "ids", "unit_rows", "run"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    add = parser.add_argument
    add("dataset", metavar="DATA", help="a JSONL, CSV, YAML, Parquet or Arrow file, or the URL of one")
    add("--operator", required=True, metavar="NAME", help="the operator that compares each row")
    add("--settings", metavar="JSON", help="its settings, such as '{\"tolerance\": 0.1}'")
    add("--expected", metavar="COLUMN", help="the column, or the JSONPath, of the expected value")
    add("--observed", metavar="COLUMN", help="the column, or the JSONPath, of the observed value")
    add("--mapping", metavar="FILE", help="a JSON or YAML file with the mapping, instead of --expected and --observed")
    add("--threshold", type=float, metavar="T", help="the lowest score with which a row passes")
    add("--pass-rate", type=float, default=1.0, metavar="P", help="the lowest share of rows to pass; 1 unless given")
    add("--confident", action="store_true", help="ask that the whole confidence interval lies at or above this share")
    add("--confidence", type=float, default=0.95, metavar="C", help="of the interval; 0.95 unless given")
    add("--ids", metavar="PATH", help="the column, or JSONPath, of what tells rows apart; file and line unless given")
    add("--limit", type=int, metavar="N", help="only so many of the first rows")
    add("--sample", type=int, metavar="N", help="only so many rows, chosen by the seed and their names")
    add("--seed", type=int, default=0, metavar="N", help="0 unless given")
    add("-o", "--output", metavar="DIR", required=True, help="the folder of the report, or its URL")
    add("--engine", choices=("local", "ray"), default="local", help="processes of this machine, or tasks of Ray")
    add("--address", metavar="A", help="the address of a Ray cluster; one on this machine is started unless given")
    add("-j", "--jobs", type=int, metavar="N", help="how many units run at once; one a processor unless given")
    add("--unit-rows", type=int, metavar="N", help="how many rows a unit has; fewer where an operator is slow")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.datasets.score import score_dataset

    check = score_dataset(
        arguments.dataset,
        arguments.operator,
        _mapping(arguments),
        arguments.output,
        ids=arguments.ids and _path_of(arguments.ids),
        unit_rows=checked_size("--unit-rows", arguments.unit_rows) or ROWS,
        run=_engine(arguments),
        **{name: getattr(arguments, name) for name in _PASSED_ON},
        **_settings(arguments.settings),
    )
    say(*check.describe().splitlines(), f"written: {arguments.output}")
    return int(not check.gate.passed)


def _settings(text: str | None) -> dict[str, Any]:
    try:
        found = {} if text is None else parse_json_with_floats(text)
    except ValueError as error:
        raise ConfigurationError(f"--settings: it is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ConfigurationError(
            f"--settings takes an object, such as '{{\"tolerance\": 0.1}}', got {shown(found, 80)}"
        )
    for option in found.keys() & _OPTIONS:
        raise ConfigurationError(f"--settings: {option!r} is an option of its own, --{option.replace('_', '-')}")
    return found


def _mapping(arguments: argparse.Namespace) -> Any:
    columns = {name: getattr(arguments, name) for name in ("expected", "observed")}
    given = {name: _path_of(column) for name, column in columns.items() if column is not None}
    if bool(given) is (arguments.mapping is not None):
        raise ConfigurationError("say where the values are: by --expected and --observed, or by --mapping")
    try:
        return given or YamlDocument.read(Path(arguments.mapping)).value
    except YamlTextError as error:
        raise ConfigurationError(error.at(arguments.mapping)) from None


def _path_of(column: str) -> str:
    """Write a column as a JSONPath, which it may be already."""
    if column.startswith("$"):
        return column
    return f"$.{column}" if column.isidentifier() else f"$[{json.dumps(column, ensure_ascii=False)}]"


def _engine(arguments: argparse.Namespace) -> Run:
    jobs = checked_size("--jobs", arguments.jobs) or os.cpu_count() or 1
    if arguments.address is not None and arguments.engine != "ray":
        raise ConfigurationError("--address is that of a Ray cluster: give --engine ray too")

    def watched(score: Callable[[Unit], Fold], units: Sequence[Unit]) -> Iterator[Fold]:
        is_local, at_once = arguments.engine == "local", min(jobs, len(units))
        folds = in_order(score, units, at_once) if is_local else _run_on_ray(score, units, jobs, arguments.address)
        done = failed = 0
        with progress(sum(unit.piece.rows for unit in units), "row", counted="not passed") as show:
            for fold in folds:
                done, failed = done + fold.rows, failed + sum(summed(fold.counts)[1:])
                show(done, failed)
                yield fold

    return watched


def _run_on_ray(score: Callable[[Unit], Fold], units: Sequence[Unit], jobs: int, address: str | None) -> Iterator[Fold]:
    """Score units as tasks of Ray, so many at once; on a cluster of this machine where no address is given."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("scoring on Ray", "ray") from None
    ray.init(address, log_to_driver=False)
    task = ray.remote(max_retries=MOST_DEATHS)(score)
    try:
        waiting, running = iter(units), list[Any]()
        while running := [*running, *map(task.remote, islice(waiting, jobs - len(running)))]:
            done, running = ray.wait(running)
            yield from ray.get(done)
    except ray.exceptions.RayTaskError as error:
        # Its own text is a traceback.
        raise error.cause from None
    finally:
        ray.shutdown()
