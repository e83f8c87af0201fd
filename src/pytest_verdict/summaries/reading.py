"""A report read back from its folder, as far as a summary tells it."""

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, repeat, tee
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, NamedTuple

from pydantic import ConfigDict, Field

from pytest_verdict.budget import Budget
from pytest_verdict.core.record import digest_of_test, parse_record, read_verdict, record_keys
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.display import safe_repr, visible
from pytest_verdict.errors import RecordError
from pytest_verdict.explanation.drawing import failure_block, headline
from pytest_verdict.explanation.lines import plain
from pytest_verdict.report.compression import open_records, stored
from pytest_verdict.report.gate_lines import MET, verdict_line
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.summary import NOT_GREEN

MOST_SHOWN: Final = 5
"""How many comparisons of one test a summary shows."""

DAMAGED: Final = "the report is not as a session writes it, `pytest-verdict replay` says where"
_BUDGET: Final = Budget()


class _Part(StrictModel):
    model_config = ConfigDict(extra="ignore")

    subject = "the report"


class Test(_Part):
    """A test with all its attempts."""

    __test__ = False

    test: str
    path: str
    line: int
    outcome: Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished"]
    attempts: list[str]
    message: str = ""
    worker: str = ""

    @property
    def name(self) -> str:
        """The name that no other test of the report has."""
        return f"{self.test} ({self.worker})" if self.worker else self.test

    @property
    def reason(self) -> str:
        """Why it did not pass."""
        return self.message or f"the test did not pass ({self.outcome})"


class _Operator(_Part):
    operator: str
    passed: int = Field(alias="pass")
    fail: int
    error: int


class _Totals(_Part):
    tests: dict[str, int]
    comparisons: dict[str, int]


class _Run(_Part):
    pytest_verdict: str = ""
    started: str = ""
    finished: str = ""
    seconds: dict[str, float]
    git: Mapping[str, Any] = {}
    shard: Mapping[str, int] = {}


class Report(_Part):
    """``report.json``, where it lies, and where its root directory is in the repository."""

    folder: Path
    root: str
    schema_version: str = Field(pattern=r"^1\.[0-9]+$", description="a version 1 of the format, as this one reads")
    complete: bool
    totals: _Totals
    operators: list[_Operator]
    tests: list[Test]
    run: _Run
    gates: list[dict[str, Any]] = Field(default_factory=list)

    def place(self, path: str) -> str:
        """Give a path of the report inside the repository."""
        return str(PurePosixPath(self.root.replace("\\", "/")) / path) if path else ""

    @property
    def not_green(self) -> int:
        """How many tests failed, broke or did not end."""
        return sum(test.outcome in NOT_GREEN for test in self.tests)

    def gate_lines(self) -> Iterator[tuple[str, bool]]:
        """Give the line of each gate, and whether it was met."""
        return ((verdict_line(gate), gate["verdict"] == MET) for gate in self.gates)

    def milliseconds(self) -> tuple[int, int]:
        """Give start and end since 1970; 0 where they are not known."""
        times = (self.run.started, self.run.finished or self.run.started)
        start, end = (int(datetime.datetime.fromisoformat(time).timestamp() * 1000) if time else 0 for time in times)
        return start, end


class Comparison(NamedTuple):
    """A record of the last attempt of a test; its key, where that was asked for."""

    test: Test
    key: str
    record: dict[str, Any]

    def place(self) -> tuple[str, int]:
        """Give file and line of the call, or of the test where they are not known."""
        path, line = str(self.record["path"]), int(self.record["line"])
        return (path, line) if path else (self.test.path, self.test.line)

    def block(self) -> str:
        """Write what the failed test printed."""
        return self._told(lambda result: str(failure_block(result, _BUDGET)))

    def headline(self) -> str:
        """Write the first line of it."""
        return self._told(lambda result: plain(headline(result, _BUDGET)))

    def _told(self, write: Callable[[ComparisonResult], str]) -> str:
        result = ComparisonResult.from_record(self.record)
        try:
            return write(result)
        except Exception as error:  # noqa: BLE001 - what explains an operator of another package must not hide the rest
            return (
                f"{visible(result.operator)}: {result.verdict}, which cannot be explained: {visible(safe_repr(error))}"
            )


def read_report(folder: Path, root: str = "") -> Report:
    """Read the report in a folder."""
    for name in (REPORT, RECORDS):
        if not stored(folder / name).is_file():
            raise RecordError(f"{folder}: there is no {name} in this folder; name the folder of a report")
    content = json.loads((folder / REPORT).read_bytes())
    return Report.read({**content, "folder": folder, "root": root}, folder / REPORT)


def comparisons(report: Report, *, keys: bool) -> Iterator[Comparison]:
    """Give the comparisons of last attempts in their order; without keys only those that did not pass, which is faster."""
    tests = {digest_of_test(test.test, test.worker): test for test in report.tests}
    with open_records(report.folder / RECORDS) as lines:
        wanted = lines if keys else (line for line in lines if read_verdict(line) != "pass")
        records, again = tee(map(parse_record, wanted)) if keys else (map(parse_record, wanted), ())
        for record, key in zip(records, record_keys(again) if keys else repeat(""), strict=keys):
            test = tests[str(record["id"]).partition("-")[0]]
            if record["attempt"] == len(test.attempts):
                yield Comparison(test, key, record)


def by_test(report: Report, found: Iterator[Comparison]) -> Iterator[tuple[Test, Iterator[Comparison]]]:
    """Give each test with its comparisons, which are there until the next test is asked for."""
    groups = groupby(found, attrgetter("test"))
    following = next(groups, None)
    for test in report.tests:
        if following is not None and following[0] is test:
            yield test, following[1]
            following = next(groups, None)
        else:
            yield test, iter(())
    if following is not None:
        raise ValueError("its records are not in the order of its tests")


def failures(report: Report) -> Iterator[tuple[Test, Iterator[Comparison]]]:
    """Give each test that is not green with its comparisons that did not pass."""
    groups = by_test(report, comparisons(report, keys=False)) if report.not_green else iter(())
    return ((test, found) for test, found in groups if test.outcome in NOT_GREEN)
