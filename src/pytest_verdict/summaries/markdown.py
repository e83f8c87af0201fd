"""A report as Markdown, for the summary of a job or a comment; for a GitHub workflow, also annotations of lines of code."""

import html
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from pytest_verdict.core.values.display import format_count, no_command, visible
from pytest_verdict.report.reading import Report
from pytest_verdict.report.summary import is_answer, name_repeats, rate_text
from pytest_verdict.summaries.reading import FailingTests, failing_tests, one_line

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
    remaining = report.not_green
    for number, tests in enumerate(failing_tests(report)):
        text = "".join(_failure(tests, is_open=number < _MOST_OPEN))
        size += len(text.encode())
        if size > _LIMIT:
            yield f"… and {format_count(remaining, 'more test')} that did not pass\n"
            return
        yield text
        remaining -= tests.number


def write_github(report: Report) -> Iterator[str]:
    """Append the Markdown to the summary of the job, and yield the annotations."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        text = "".join(write(report))
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    remaining = report.not_green
    for tests in islice(failing_tests(report), _MOST_ANNOTATIONS):
        yield _annotation(report, tests)
        remaining -= tests.number
    if remaining:
        yield f"::error title=pytest-verdict::and {format_count(remaining, 'more test')} that did not pass\n"


def _head(report: Report) -> Iterator[str]:
    result = "no test failed"
    if report.not_green:
        result = f"{report.not_green} of {format_count(len(report.tests), 'test')} did not pass"
    yield f"## pytest-verdict: {result}\n\n| | total | passed | failed | error | other | rate |\n{'|---' * 7}|\n"
    tests = report.totals.tests
    yield _row("tests", tests["total"], tests["passed"], tests["failed"], tests["error"])
    compared = report.totals.comparisons
    yield _row("comparisons", compared["total"], compared["pass"], compared["fail"], compared["error"])
    # Decisions over other comparisons are no answers, so they come last and say so.
    for counts in sorted(report.operators, key=lambda counts: not is_answer(counts.operator))[:_MOST_ROWS]:
        label = _code(counts.operator) + ("" if is_answer(counts.operator) else " (decides over others)")
        yield _row(label, counts.passed + counts.fail + counts.error, counts.passed, counts.fail, counts.error)
    for line, is_met in islice(report.gate_lines(), _MOST_ROWS):
        yield f"\n- **{'met' if is_met else 'not met'}**: {_code(line)}"
    repeated = [(name_repeats(test.repeats), test) for test in report.tests if "verdict" in test.repeats]
    for word, test in [pair for pair in repeated if pair[0] in {"flaky", "reproducible", "undecided"}][:_MOST_ROWS]:
        yield f"\n- **{word}**: {_code(test.name)}: {_code(str(test.repeats.get('summary')))}"
    yield "\n"
    if not report.complete:
        yield "**The report is not complete:** not every collected test ended.\n"
    yield "\n"


def _row(label: str, total: int, passed: int, failed: int, errors: int) -> str:
    other = total - passed - failed - errors
    # A skipped test has not failed, so tests have no rate.
    rate = "" if other else rate_text(passed, total)
    return f"| {label} | {total} | {passed} | {failed} | {errors} | {other} | {rate} |\n"


def _failure(tests: FailingTests, *, is_open: bool) -> Iterator[str]:
    names = ", ".join(f"<code>{html.escape(one_line(name))}</code>" for name in tests.names)
    if tests.number > len(tests.names):
        names += f" and {tests.number - len(tests.names)} more"
    label = f"{names} {tests.test.outcome}"
    if tests.number > 1:
        label = f"{tests.number} tests {tests.test.outcome} in the same way: {names}"
    yield f"<details{' open' if is_open else ''}>\n<summary>{label}</summary>\n\n"
    for failure in tests.failures:
        times = "" if failure.number == 1 else f" and {format_count(failure.number - 1, 'equal failure')}"
        yield f"{_code('{}:{}'.format(*failure.first.place()))}{times}\n\n{_format_code_block(failure.first.block())}\n"
    if not tests.failures:
        yield f"{_format_code_block(one_line(tests.test.reason, 2_000))}\n"
    if tests.more:
        yield f"… and {format_count(tests.more, 'more comparison')} that did not pass\n\n"
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


def _annotation(report: Report, tests: FailingTests) -> str:
    test = tests.test
    path, line, text = test.path, test.line, visible(test.reason)
    if tests.failures:
        first = tests.failures[0].first
        path, line = first.place()
        text = first.block()
    title = one_line(test.name) + (f" and {tests.number - 1} more" if tests.number > 1 else "")
    properties = {"file": visible(report.place(path)), "line": str(line or ""), "title": title}
    escaped = {name: _escape(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    settings = ",".join(f"{name}={value}" for name, value in escaped.items() if value)
    return f"::error {settings}::{_escape(text[:_LONGEST_ANNOTATION])}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
