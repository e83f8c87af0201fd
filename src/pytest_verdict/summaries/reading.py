"""What the formats share: the comparisons of a report, test by test, and text on one line of a CI log."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import groupby, tee
from operator import attrgetter
from typing import Any, Final, NamedTuple

from pytest_verdict.budget import Budget
from pytest_verdict.core.record import digest_of_test, parse_record, read_verdict, record_keys
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import no_command, safe_repr, shorten, visible
from pytest_verdict.explanation.drawing import failure_block, headline
from pytest_verdict.explanation.lines import format_plain
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.reading import Report, Test
from pytest_verdict.report.summary import MOST_NAMES, failure_key

MOST_SHOWN: Final = 5
DAMAGED: Final = "the report is damaged; `pytest-verdict replay` lists the differences"
_BUDGET: Final = Budget()
_LONGEST: Final = 300
# More do not fit into a summary.
_MOST_GROUPS: Final = 5_000


def one_line(text: str, limit: int = _LONGEST) -> str:
    """Format text as one line without control characters, changes of the writing direction, or commands."""
    return no_command(visible(shorten(text, limit)))


class Comparison(NamedTuple):
    """A record of the last attempt of a test; ``key`` is empty unless it was requested."""

    test: Test
    key: str
    record: dict[str, Any]

    def place(self) -> tuple[str, int]:
        """Return file and line of the call, or of the test if they are unknown."""
        path = str(self.record["path"])
        return (path, int(self.record["line"])) if path else (self.test.path, self.test.line)

    def block(self) -> str:
        """Format the failure block that the test printed."""
        return self._explain(lambda result: str(failure_block(result, _BUDGET)))

    def headline(self) -> str:
        """Format the first line of the failure block, and what a scenario asked."""
        asked = next((line for line in self.block().split("\n") if line.startswith("  asked: ")), "")
        return self._explain(lambda result: format_plain(headline(result, _BUDGET))) + asked.replace("  ", "; ", 1)

    def _explain(self, write: Callable[[ComparisonResult], str]) -> str:
        result = ComparisonResult.from_record(self.record)
        try:
            return write(result)
        except Exception as error:  # noqa: BLE001 - an operator of another package must not hide the other comparisons
            reason = visible(safe_repr(error))
            return f"{visible(result.operator)}: {result.verdict}, which cannot be explained: {reason}"


def comparisons(report: Report, *, keys: bool) -> Iterator[Comparison]:
    """Yield the comparisons of last attempts in order; without keys, only those that did not pass."""
    tests = {digest_of_test(test.test, test.worker): test for test in report.tests}
    with open_records(report.folder / RECORDS, None if keys else lambda part: part.has_failures) as lines:
        keyed: Iterable[tuple[dict[str, Any], str]]
        if keys:
            records, records_again = tee(map(parse_record, lines))
            keyed = zip(records, record_keys(records_again), strict=True)
        else:
            keyed = ((parse_record(line), "") for line in lines if read_verdict(line) != "pass")
        for record, key in keyed:
            test = tests[str(record["id"]).partition("-")[0]]
            if record["attempt"] == test.last_attempt:
                yield Comparison(test=test, key=key, record=record)


def by_test(report: Report, comparisons: Iterator[Comparison]) -> Iterator[tuple[Test, Iterator[Comparison]]]:
    """Yield each test with its comparisons; read them before the next test."""
    groups = groupby(comparisons, attrgetter("test"))
    following = next(groups, None)
    for test in report.tests:
        if following is not None and following[0] is test:
            yield test, following[1]
            following = next(groups, None)
        else:
            yield test, iter(())
    if following is not None:
        raise ValueError("its records are not in the order of its tests")


class EqualFailures(NamedTuple):
    """Equal failing comparisons of a test: the first of them, and their number."""

    first: Comparison
    number: int


class FailingTests(NamedTuple):
    """Tests with equal failures: the first of them, the names of some, their number, and what failed in each."""

    test: Test
    names: list[str]
    number: int
    failures: list[EqualFailures]
    more: int
    """The number of failing comparisons that are not in the list."""


def failing_tests(report: Report) -> list[FailingTests]:
    """Return the tests that are not green, those with equal failures once, up to a limit."""
    groups: dict[Hashable, FailingTests] = {}
    for test, failing in by_test(report, comparisons(report, keys=False)) if report.not_green else ():
        if test.is_green:
            continue
        failures: dict[str, EqualFailures] = {}
        more = 0
        for comparison in failing:
            key = failure_key(comparison.record)
            if key in failures:
                failures[key] = failures[key]._replace(number=failures[key].number + 1)
            elif len(failures) < MOST_SHOWN:
                failures[key] = EqualFailures(comparison, 1)
            else:
                more += 1
        counts = tuple((key, equal.number) for key, equal in failures.items())
        group = (test.outcome, counts, more, "" if failures else test.reason)
        if group in groups:
            groups[group].names.append(test.name)
        elif len(groups) < _MOST_GROUPS:
            groups[group] = FailingTests(test, [test.name], 1, list(failures.values()), more)
    return [tests._replace(names=tests.names[:MOST_NAMES], number=len(tests.names)) for tests in groups.values()]
