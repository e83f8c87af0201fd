"""Failures as GitLab's code quality report; the key of a comparison is its fingerprint, so pipelines can be compared."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.report.reading import Report
from pytest_verdict.summaries.reading import by_test, comparisons, json_array, one_line

_SEVERITY: Final = {"fail": "major", "failed": "major"}


def write(report: Report) -> Iterator[str]:
    """Yield a list of issues: one for each failing comparison of a failed test, or one for the test itself."""
    return json_array(_issues(report))


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    for test, compared in by_test(report, comparisons(report, keys=True)):
        if test.is_green:
            continue
        has_failing = False
        for comparison in compared:
            verdict = str(comparison.record["verdict"])
            if verdict == "pass":
                continue
            has_failing = True
            yield {
                "description": one_line(comparison.headline(), 1_000),
                "check_name": f"verdict.{one_line(str(comparison.record['operator']))}",
                "fingerprint": comparison.key,
                "severity": _SEVERITY.get(verdict, "critical"),
                "location": _location(report, *comparison.place()),
            }
        if not has_failing:
            yield {
                "description": one_line(f"{test.name}: {test.reason}", 1_000),
                "check_name": f"verdict.{one_line(test.outcome)}",
                "fingerprint": hashlib.sha256(test.name.encode("utf-8", "surrogatepass")).hexdigest(),
                "severity": _SEVERITY.get(test.outcome, "critical"),
                "location": _location(report, test.path, test.line),
            }


def _location(report: Report, path: str, line: int) -> dict[str, Any]:
    return {"path": one_line(report.place(path), 1_000), "lines": {"begin": max(line, 1)}}
