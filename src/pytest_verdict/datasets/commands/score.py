"""``pytest-verdict score``: the rows of a data set compared by an operator, without pytest.

DIR is the folder of a report, as a session with one test writes it: records, report.json and junit.xml. Every command reads
it. With --layout parts, by default above four million rows, the records stay in the files of DIR/parts, which manifest.json
lists. The rows are compared in units, which do not depend on -j. When a run was killed, the same command continues it: the
finished units are in DIR/parts.

exit codes:
  0  enough rows passed
  1  too few rows passed
  2  an argument is wrong, or a file cannot be read or written; there are no rows; two rows have the same id
"""

import argparse
import inspect
import json
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import progress, say
from pytest_verdict.core.parallel import MOST_DEATHS, in_order
from pytest_verdict.core.record import sum_counts
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.datasets.rows import check_count
from pytest_verdict.datasets.score import score_dataset
from pytest_verdict.datasets.units import LAYOUTS, ROWS, Executor, Unit
from pytest_verdict.errors import ConfigurationError, MissingExtraError

_PASSED_ON: Final = ("layout", "threshold", "pass_rate", "confident", "confidence", "limit", "sample", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("dataset", metavar="DATA", help="a JSONL, CSV, YAML, Parquet or Arrow file, or its URL")
    add("--operator", required=True, metavar="NAME", help="the operator that compares each row")
    add("--settings", metavar="JSON", help="its settings, such as '{\"tolerance\": 0.1}'")
    add("--expected", metavar="COLUMN", help="the column, or the JSONPath, of the expected value")
    add("--observed", metavar="COLUMN", help="the column, or the JSONPath, of the observed value")
    add("--mapping", metavar="FILE", help="a JSON or YAML file with the mapping, instead of --expected and --observed")
    add("--threshold", type=float, metavar="T", help="the lowest score with which a row passes")
    add("--pass-rate", type=float, default=1.0, metavar="P", help="the lowest share of rows that pass (default: 1)")
    add("--confident", action="store_true", help="the whole confidence interval must be at or above the pass rate")
    add("--confidence", type=float, default=0.95, metavar="C", help="confidence level (default: 0.95)")
    add("--ids", metavar="PATH", help="the column, or the JSONPath, of the id of a row (default: file and line)")
    add("--limit", type=int, metavar="N", help="compare at most N rows, from the start")
    add("--sample", type=int, metavar="N", help="compare a sample of N rows, drawn by the seed and their names")
    add("--seed", type=int, default=0, metavar="N", help="seed of the sample (default: 0)")
    add("-o", "--output", metavar="DIR", required=True, help="the folder of the report, or its URL")
    add("--layout", choices=LAYOUTS, help="all records in one file, or in parts with a manifest (default: by the rows)")
    add("--engine", choices=("local", "ray"), default="local", help="processes of this machine, or tasks of Ray")
    add("--address", metavar="A", help="address of the Ray cluster (default: start one on this machine)")
    add("-j", "--jobs", type=int, metavar="N", help="units that run at once (default: one for each processor)")
    add("--unit-rows", type=int, metavar="N", help=f"rows in a unit; use fewer for slow operators (default: {ROWS})")


def run(arguments: argparse.Namespace) -> int:
    check = score_dataset(
        arguments.dataset,
        arguments.operator,
        _read_mapping(arguments),
        arguments.output,
        ids=arguments.ids and _to_path(arguments.ids),
        unit_rows=check_count("--unit-rows", arguments.unit_rows) or ROWS,
        run=_build_executor(arguments),
        **{name: getattr(arguments, name) for name in _PASSED_ON},
        **_read_settings(arguments.settings),
    )
    selected = f", only {check.selected} were compared" if check.selected else ""
    say(*check.describe().splitlines(), f"written: {arguments.output}{selected}")
    return int(not check.gate.passed)


def _read_settings(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        settings = parse_json_with_floats(text)
    except ValueError as error:
        raise ConfigurationError(f"--settings: it is not JSON, such as '{{\"tolerance\": 0.1}}': {error}") from None
    if not isinstance(settings, dict):
        raise ConfigurationError(
            f"--settings takes an object, such as '{{\"tolerance\": 0.1}}', got {shown(settings, 80)}"
        )
    for option in settings.keys() & {*inspect.signature(score_dataset).parameters, "expected", "observed"}:
        raise ConfigurationError(f"--settings: {option!r} is an option of its own, --{option.replace('_', '-')}")
    return settings


def _read_mapping(arguments: argparse.Namespace) -> Any:
    columns = {name: getattr(arguments, name) for name in ("expected", "observed")}
    paths = {name: _to_path(column) for name, column in columns.items() if column is not None}
    if bool(paths) is (arguments.mapping is not None):
        raise ConfigurationError("say where the values are: by --expected and --observed, or by --mapping")
    if paths:
        return paths
    try:
        return YamlDocument.read_exactly(Path(arguments.mapping)).value
    except YamlTextError as error:
        raise ConfigurationError(error.at(arguments.mapping)) from None


def _to_path(column: str) -> str:
    """Return the JSONPath of a column, which may be a JSONPath already."""
    if column.startswith("$"):
        return column
    if column.isidentifier():
        return f"$.{column}"
    return f"$[{json.dumps(column, ensure_ascii=False)}]"


def _build_executor(arguments: argparse.Namespace) -> Executor:
    jobs = check_count("--jobs", arguments.jobs) or os.cpu_count() or 1
    if arguments.address is not None and arguments.engine != "ray":
        raise ConfigurationError("--address is that of a Ray cluster: give --engine ray too")

    def execute(function: Callable[[Any], Any], work: Sequence[Any]) -> Iterator[Any]:
        if arguments.engine == "ray":
            results = _run_on_ray(function, work, jobs, arguments.address)
        else:
            results = in_order(function, work, min(jobs, len(work)))
        if not isinstance(work[0], Unit):
            yield from results
            return
        rows = not_passed = 0
        with progress(sum(unit.piece.rows for unit in work), "row", counted="not passed") as show:
            for scored in results:
                rows += scored.rows
                not_passed += sum(sum_counts(scored.counts)[1:])
                show(rows, not_passed)
                yield scored

    return execute


def _run_on_ray(function: Callable[[Any], Any], work: Sequence[Any], jobs: int, address: str | None) -> Iterator[Any]:
    """Call a function as tasks of Ray, at most ``jobs`` at once; a cluster that it starts stays for the second round."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("scoring on Ray", "ray") from None
    if not ray.is_initialized():
        ray.init(address, log_to_driver=False)
    task = ray.remote(max_retries=MOST_DEATHS)(function)
    try:
        waiting = iter(work)
        running: list[Any] = []
        while running := [*running, *map(task.remote, islice(waiting, jobs - len(running)))]:
            finished, running = ray.wait(running)
            yield from ray.get(finished)
    except ray.exceptions.RayTaskError as error:
        # Its own message is a traceback.
        raise error.cause from None
