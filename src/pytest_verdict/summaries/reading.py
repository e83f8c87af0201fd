"""The comparisons of a report, test by test, for the formats of summaries."""

from collections.abc import Callable, Iterator
from itertools import groupby, repeat, tee
from operator import attrgetter
from typing import Any, Final, NamedTuple

from pytest_verdict.budget import Budget
from pytest_verdict.core.record import digest_of_test, parse_record, read_verdict, record_keys
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr, visible
from pytest_verdict.explanation.drawing import failure_block, headline
from pytest_verdict.explanation.lines import plain
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.reading import Report, Test

MOST_SHOWN: Final = 5
"""How many comparisons of one test a summary shows."""

DAMAGED: Final = "the report is not as a session writes it, `pytest-verdict replay` says where"
_BUDGET: Final = Budget()


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
    return ((test, found) for test, found in groups if not test.is_green)
