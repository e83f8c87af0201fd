"""The page of a report's folder: what report.json says of the session, and the rows of its records."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.record import read_verdict
from pytest_verdict.core.values.display import counted
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.records_file import damage_told
from pytest_verdict.report.summary import NOT_GREEN, VERDICTS
from pytest_verdict.report.writers import PAGE

_MOST_TESTS: Final = 200
_SLOWEST: Final = 10
# So many records take a few hundredths of a second.
_FEW: Final = 2_000


def write_page_of_session(folder: Path, shown: str, passed: int, *, is_watched: bool) -> None:
    """Write the page at the end of a session, without what passed if that is much and nobody waits for it."""
    about = about_folder(folder, shown)
    with open_records(folder / RECORDS) as records:
        lines: Iterable[bytes] = records
        if passed > _FEW and not is_watched:
            lines = (line for line in records if read_verdict(line) != "pass")
            about["warnings"].append(
                f"This page has what did not pass, without the {counted(passed, 'comparison')} that passed."
                f" To write it with all of them: pytest-verdict view {shlex.quote(shown)}"
            )
        write_page(map(Row, lines), about, folder / PAGE)


def about_folder(folder: Path, shown: str) -> dict[str, Any]:
    """Say what the page shows beside the records: the session, its tests that are not green, the slowest of them."""
    quoted = shlex.quote(shown)
    return {
        "title": shown,
        # Each with what of the comparison stands at its end.
        "commands": [
            [f"pytest-verdict explain {quoted} --id ", "id"],
            [f"pytest-verdict replay {quoted}", ""],
            ["pytest ", "test"],
        ],
        "warnings": [],
        **_of_report(folder / REPORT),
    }


def _of_report(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {"warnings": [f"There is no {REPORT} beside the records, so nothing is known of the session."]}
    with damage_told(f"{path} is not the report of pytest-verdict"):
        return _described(json.loads(path.read_bytes()))


def _described(report: Mapping[str, Any]) -> dict[str, Any]:
    run = report["run"]
    seconds = {str(test): float(time) for test, time in run.get("seconds", {}).items()}
    slowest = sorted(seconds.items(), key=lambda pair: (-pair[1], pair[0]))[:_SLOWEST]
    not_green = [test for test in report["tests"] if test["outcome"] in NOT_GREEN]
    return {
        "facts": [[name, str(value)] for name, value in _facts(report, run)],
        "slowest": [list(pair) for pair in slowest if pair[1] >= 0.001],
        "tests": [
            [str(test["test"]), str(test["outcome"]), str(test.get("message", ""))[:300]]
            for test in not_green[:_MOST_TESTS]
        ],
        "fields": list(_fields(report.get("fields", ()))),
        "warnings": [] if report["complete"] else ["The session did not come to its end: not every test has a result."],
    }


def _fields(fields: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """Give what passed of each field, by name and parameters; those of which most did not pass come first."""
    for one in sorted(fields, key=lambda one: -one["fail"] - one["error"])[:_MOST_TESTS]:
        parameters = ", ".join(f"{name}={value}" for name, value in one.get("parameters", {}).items())
        yield [str(one["field"]), str(one.get("name", "")), parameters, *(int(one[verdict]) for verdict in VERDICTS)]


def _facts(report: Mapping[str, Any], run: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    tests = {name: number for name, number in report["totals"]["tests"].items() if number and name != "total"}
    yield "tests", ", ".join(f"{number} {outcome}" for outcome, number in tests.items()) or "none"
    for name, key in (("started", "started"), ("exit status", "exit_status"), ("arguments", "arguments")):
        if key in run:
            value = run[key]
            yield name, shlex.join(map(str, value)) if isinstance(value, list) else value
    if git := run.get("git"):
        yield "commit", f"{git['commit']}{'' if git.get('clean') else ', with changes'}"
    if shard := run.get("shard"):
        yield "shard", f"{shard['index']} of {shard['of']}"
    versions = [
        f"{name.replace('_', '-')} {run[name]}" for name in ("pytest_verdict", "pytest", "python") if name in run
    ]
    yield "versions", ", ".join([*versions, str(run.get("platform", ""))])
    yield "records", f"{report['records']['count']}, SHA-256 {report['records']['sha256']}"
