"""A report as GitLab's code quality report."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_verdict.report.reading import Report, Test
from pytest_verdict.summaries.reading import Comparison, by_test, comparisons, one_line

_SEVERITY: Final = {"fail": "major", "failed": "major"}


def write(report: Report) -> Iterator[str]:
    """Yield an issue on each line, for each failing comparison of a failed test, by its key, or for the test itself."""
    yield "["
    separator = "\n"
    for test, compared in by_test(report, comparisons(report, keys=True)):
        if test.is_green:
            continue
        for issue in _issues(report, test, compared):
            # Without commands for a log.
            text = json.dumps(issue, allow_nan=False).replace("##", "#\\u0023")
            yield f"{separator}{text}"
            separator = ",\n"
    yield "\n]\n"


def _issues(report: Report, test: Test, compared: Iterable[Comparison]) -> Iterator[dict[str, Any]]:
    failing = [comparison for comparison in compared if comparison.record["verdict"] != "pass"]
    facts = [
        (one.headline(), str(one.record["operator"]), one.key, str(one.record["verdict"]), *one.place())
        for one in failing
    ]
    if not failing:
        fingerprint = hashlib.sha256(test.name.encode("utf-8", "surrogatepass")).hexdigest()
        facts = [(f"{test.name}: {test.reason}", test.outcome, fingerprint, test.outcome, test.path, test.line)]
    for description, name, fingerprint, verdict, path, line in facts:
        yield {
            "description": one_line(description, 1_000),
            "check_name": f"verdict.{one_line(name)}",
            "fingerprint": fingerprint,
            "severity": _SEVERITY.get(verdict, "critical"),
            "location": {"path": one_line(report.place(path), 1_000), "lines": {"begin": max(line, 1)}},
        }
