"""A report for a workflow of GitHub: the summary of the job, and annotations beside the lines of code."""

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
"""GitHub shows 10 of a step and drops the rest without a word; the last says how many more there are."""

_LONGEST_MESSAGE: Final = 4_000


def write(report: Report) -> Iterator[str]:
    """Append the summary to the file that GitHub names, and give the annotations."""
    place = os.environ.get(SUMMARY)
    if place:
        text = "".join(markdown.write(report))
        with Path(place).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    for test, found in islice(failures(report), MOST):
        yield _annotation(report, test, next(found, None))
    more = report.not_green - MOST
    if more > 0:
        yield f"::error title=pytest-verdict::and {counted(more, 'more test')} that did not pass\n"


def _annotation(report: Report, test: Test, first: Comparison | None) -> str:
    path, line = first.place() if first else (test.path, test.line)
    text = first.block() if first else visible(test.reason)
    given = {"file": visible(report.place(path)), "line": str(line or ""), "title": one_line(test.name)}
    written = {name: _message(value).replace(":", "%3A").replace(",", "%2C") for name, value in given.items() if value}
    properties = ",".join(f"{name}={value}" for name, value in written.items())
    return f"::error {properties}::{_message(text[:_LONGEST_MESSAGE])}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
