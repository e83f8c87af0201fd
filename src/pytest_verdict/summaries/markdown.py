"""A report as Markdown, for the summary of a job or a comment."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from pytest_verdict.core.values.display import counted
from pytest_verdict.report.reading import Report, Test
from pytest_verdict.summaries.escaping import code, fenced, html_code, one_line
from pytest_verdict.summaries.reading import MOST_SHOWN, Comparison, failures

LIMIT: Final = 256 * 1024
"""The limit in bytes. GitHub drops the summaries of a job beyond 1,024 kB, and a job may have several."""

_RESERVED: Final = 200
_MOST_ROWS: Final = 100
_MOST_OPEN: Final = 10


def write(report: Report) -> Iterator[str]:
    """Yield the counts, then the failures up to the limit."""
    head = "".join(_head(report))
    yield head
    size = len(head.encode()) + _RESERVED
    for number, (test, failing) in enumerate(failures(report)):
        text = "".join(_failure(test, failing, is_open=number < _MOST_OPEN))
        size += len(text.encode())
        if size > LIMIT:
            yield f"… and {counted(report.not_green - number, 'more test')} that did not pass\n"
            return
        yield text


def _head(report: Report) -> Iterator[str]:
    result = "no test failed"
    if report.not_green:
        result = f"{report.not_green} of {counted(len(report.tests), 'test')} did not pass"
    yield f"## pytest-verdict: {result}\n\n| | total | passed | failed | error | other |\n|---|---|---|---|---|---|\n"
    tests = [report.totals.tests[name] for name in ("total", "passed", "failed", "error")]
    yield f"| tests | {' | '.join(map(str, tests))} | {tests[0] - sum(tests[1:])} |\n"
    comparisons = [report.totals.comparisons[name] for name in ("total", "pass", "fail", "error")]
    yield f"| comparisons | {' | '.join(map(str, comparisons))} | 0 |\n"
    for counts in report.operators[:_MOST_ROWS]:
        total = counts.passed + counts.fail + counts.error
        yield f"| {code(counts.operator)} | {total} | {counts.passed} | {counts.fail} | {counts.error} | 0 |\n"
    for line, is_met in islice(report.gate_lines(), _MOST_ROWS):
        yield f"\n- **{'met' if is_met else 'not met'}**: {code(line)}"
    yield "\n"
    if not report.complete:
        yield "**The report is not complete:** not every collected test ended.\n"
    yield "\n"


def _failure(test: Test, failing: Iterator[Comparison], *, is_open: bool) -> Iterator[str]:
    yield f"<details{' open' if is_open else ''}>\n<summary>{html_code(test.name)} {test.outcome}</summary>\n\n"
    first = list(islice(failing, MOST_SHOWN))
    for comparison in first:
        yield f"{code('{}:{}'.format(*comparison.place()))}\n\n{fenced(comparison.block())}\n"
    if not first:
        yield f"{fenced(one_line(test.reason, 2_000))}\n"
    more = sum(1 for _ in failing)
    if more:
        yield f"… and {counted(more, 'more comparison')} that did not pass\n\n"
    yield "</details>\n\n"
