"""A report as Markdown, for the summary of a job or a comment."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from pytest_verdict.core.values.display import counted
from pytest_verdict.report.reading import Report, Test
from pytest_verdict.summaries.escaping import code, fenced, html_code, one_line
from pytest_verdict.summaries.reading import MOST_SHOWN, Comparison, failures

LIMIT: Final = 256 * 1024
"""In bytes. GitHub drops a summary of more than 1,024 kB, and a job may have several."""

_RESERVED: Final = 200
_MOST_ROWS: Final = 100
_MOST_OPEN: Final = 10


def write(report: Report) -> Iterator[str]:
    """Write the counts, then one failure after the other while there is room."""
    head = "".join(_head(report))
    yield head
    size = len(head.encode()) + _RESERVED
    for number, (test, found) in enumerate(failures(report)):
        text = "".join(_failure(test, found, is_open=number < _MOST_OPEN))
        size += len(text.encode())
        if size > LIMIT:
            yield f"… and {counted(report.not_green - number, 'more test')} that did not pass\n"
            return
        yield text


def _head(report: Report) -> Iterator[str]:
    tests, made, failed = report.totals.tests, report.totals.comparisons, report.not_green
    told = f"{failed} of {counted(len(report.tests), 'test')} did not pass" if failed else "no test failed"
    yield f"## pytest-verdict: {told}\n\n| | total | passed | failed | error | other |\n|---|---|---|---|---|---|\n"
    known = [tests[name] for name in ("total", "passed", "failed", "error")]
    yield f"| tests | {' | '.join(map(str, known))} | {known[0] - sum(known[1:])} |\n"
    yield f"| comparisons | {' | '.join(str(made[name]) for name in ('total', 'pass', 'fail', 'error'))} | 0 |\n"
    for found in report.operators[:_MOST_ROWS]:
        total = found.passed + found.fail + found.error
        yield f"| {code(found.operator)} | {total} | {found.passed} | {found.fail} | {found.error} | 0 |\n"
    for line, is_met in islice(report.gate_lines(), _MOST_ROWS):
        yield f"\n- **{'met' if is_met else 'not met'}**: {code(line)}"
    yield "\n" if report.complete else "\n**The report is not complete:** not every collected test came to its end.\n"
    yield "\n"


def _failure(test: Test, found: Iterator[Comparison], *, is_open: bool) -> Iterator[str]:
    yield f"<details{' open' if is_open else ''}>\n<summary>{html_code(test.name)} {test.outcome}</summary>\n\n"
    shown = list(islice(found, MOST_SHOWN))
    for comparison in shown:
        yield f"{code('{}:{}'.format(*comparison.place()))}\n\n{fenced(comparison.block())}\n"
    if not shown:
        yield f"{fenced(one_line(test.reason, 2_000))}\n"
    more = sum(1 for _ in found)
    yield f"… and {counted(more, 'more comparison')} that did not pass\n\n</details>\n\n" if more else "</details>\n\n"
