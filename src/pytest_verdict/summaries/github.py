"""A report for a GitHub workflow: the summary of the job, and annotations for lines of code."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from pytest_verdict.core.values.display import counted, visible
from pytest_verdict.report.reading import Report, Test
from pytest_verdict.summaries import markdown
from pytest_verdict.summaries.escaping import one_line
from pytest_verdict.summaries.reading import Comparison, failures

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
MOST: Final = 9
"""GitHub shows 10 annotations of a step and drops the others silently; the last one counts the others."""

_LONGEST_MESSAGE: Final = 4_000


def write(report: Report) -> Iterator[str]:
    """Append the summary to the file that GitHub names, and yield the annotations."""
    summary = os.environ.get(SUMMARY)
    if summary:
        text = "".join(markdown.write(report))
        with Path(summary).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    for test, failing in islice(failures(report), MOST):
        yield _annotation(report, test, next(failing, None))
    more = report.not_green - MOST
    if more > 0:
        yield f"::error title=pytest-verdict::and {counted(more, 'more test')} that did not pass\n"


def _annotation(report: Report, test: Test, first: Comparison | None) -> str:
    path, line = first.place() if first else (test.path, test.line)
    text = first.block() if first else visible(test.reason)
    properties = {"file": visible(report.place(path)), "line": str(line or ""), "title": one_line(test.name)}
    escaped = {name: _escape(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    settings = ",".join(f"{name}={value}" for name, value in escaped.items() if value)
    return f"::error {settings}::{_escape(text[:_LONGEST_MESSAGE])}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
