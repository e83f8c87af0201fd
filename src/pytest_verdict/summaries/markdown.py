"""A report as Markdown, for the summary of a job or a comment; for a GitHub workflow, also annotations of lines of code."""

import html
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from pytest_verdict.core.values.display import format_count, visible
from pytest_verdict.report.reading import Report, Test
from pytest_verdict.summaries.reading import MOST_SHOWN, Comparison, failures, no_command, one_line

# In bytes. GitHub drops the summaries of a job beyond 1,024 kB, and a job may have several.
_LIMIT: Final = 256 * 1024
_RESERVED: Final = 200
_MOST_ROWS: Final = 100
_MOST_OPEN: Final = 10
# GitHub shows 10 annotations of a step and drops the others silently; the last one counts the others.
_MOST_ANNOTATIONS: Final = 9
_LONGEST_ANNOTATION: Final = 4_000


def write(report: Report) -> Iterator[str]:
    head = "".join(_head(report))
    yield head
    size = len(head.encode()) + _RESERVED
    for number, (test, failing) in enumerate(failures(report)):
        text = "".join(_failure(test, failing, is_open=number < _MOST_OPEN))
        size += len(text.encode())
        if size > _LIMIT:
            yield f"… and {format_count(report.not_green - number, 'more test')} that did not pass\n"
            return
        yield text


def write_github(report: Report) -> Iterator[str]:
    """Append the Markdown to the summary of the job, and yield the annotations."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        text = "".join(write(report))
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    for test, failing in islice(failures(report), _MOST_ANNOTATIONS):
        yield _annotation(report, test, next(failing, None))
    more = report.not_green - _MOST_ANNOTATIONS
    if more > 0:
        yield f"::error title=pytest-verdict::and {format_count(more, 'more test')} that did not pass\n"


def _head(report: Report) -> Iterator[str]:
    result = "no test failed"
    if report.not_green:
        result = f"{report.not_green} of {format_count(len(report.tests), 'test')} did not pass"
    yield f"## pytest-verdict: {result}\n\n| | total | passed | failed | error | other |\n|---|---|---|---|---|---|\n"
    tests = [report.totals.tests[name] for name in ("total", "passed", "failed", "error")]
    yield f"| tests | {' | '.join(map(str, tests))} | {tests[0] - sum(tests[1:])} |\n"
    comparisons = [report.totals.comparisons[name] for name in ("total", "pass", "fail", "error")]
    yield f"| comparisons | {' | '.join(map(str, comparisons))} | 0 |\n"
    for counts in report.operators[:_MOST_ROWS]:
        total = counts.passed + counts.fail + counts.error
        yield f"| {_code(counts.operator)} | {total} | {counts.passed} | {counts.fail} | {counts.error} | 0 |\n"
    for line, is_met in islice(report.gate_lines(), _MOST_ROWS):
        yield f"\n- **{'met' if is_met else 'not met'}**: {_code(line)}"
    yield "\n"
    if not report.complete:
        yield "**The report is not complete:** not every collected test ended.\n"
    yield "\n"


def _failure(test: Test, failing: Iterator[Comparison], *, is_open: bool) -> Iterator[str]:
    name = f"<code>{html.escape(one_line(test.name))}</code>"
    yield f"<details{' open' if is_open else ''}>\n<summary>{name} {test.outcome}</summary>\n\n"
    first = list(islice(failing, MOST_SHOWN))
    for comparison in first:
        yield f"{_code('{}:{}'.format(*comparison.place()))}\n\n{_format_code_block(comparison.block())}\n"
    if not first:
        yield f"{_format_code_block(one_line(test.reason, 2_000))}\n"
    more = sum(1 for _ in failing)
    if more:
        yield f"… and {format_count(more, 'more comparison')} that did not pass\n\n"
    yield "</details>\n\n"


def _code(text: str) -> str:
    """Format text as a code span that also works in a table; it contains no Markdown or HTML."""
    content = one_line(text).replace("|", "\\x7c")
    ticks = "`" * (_longest_run(content) + 1)
    return f"{ticks} {content} {ticks}"


def _format_code_block(text: str) -> str:
    """Format lines without control characters as a code block, with fences that they cannot close."""
    fence = "`" * max(_longest_run(text) + 1, 3)
    return f"{fence}text\n{no_command(text)}\n{fence}\n"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _annotation(report: Report, test: Test, first: Comparison | None) -> str:
    path, line, text = test.path, test.line, visible(test.reason)
    if first is not None:
        path, line = first.place()
        text = first.block()
    properties = {"file": visible(report.place(path)), "line": str(line or ""), "title": one_line(test.name)}
    escaped = {name: _escape(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    settings = ",".join(f"{name}={value}" for name, value in escaped.items() if value)
    return f"::error {settings}::{_escape(text[:_LONGEST_ANNOTATION])}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
