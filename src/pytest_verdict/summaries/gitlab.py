"""What failed as GitLab's code quality report; the key of a comparison is its fingerprint, so that pipelines can be compared."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.report.reading import Report
from pytest_verdict.summaries.escaping import json_array, one_line
from pytest_verdict.summaries.reading import by_test, comparisons

_SEVERITY: Final = {"fail": "major", "failed": "major"}


def write(report: Report) -> Iterator[str]:
    """Write a list with one issue for each comparison of a failed test that did not pass, or for the test itself."""
    return json_array(_issues(report))


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    for test, found in by_test(report, comparisons(report, keys=True)):
        if test.is_green:
            continue
        unsuccessful = 0
        for one in (one for one in found if one.record["verdict"] != "pass"):
            unsuccessful += 1
            check, verdict = str(one.record["operator"]), str(one.record["verdict"])
            yield _issue(report, one.headline(), check, one.key, verdict, *one.place())
        if not unsuccessful:
            fingerprint = hashlib.sha256(test.name.encode("utf-8", "surrogatepass")).hexdigest()
            said = f"{test.name}: {test.reason}"
            yield _issue(report, said, test.outcome, fingerprint, test.outcome, test.path, test.line)


def _issue(
    report: Report, said: str, check: str, fingerprint: str, verdict: str, path: str, line: int
) -> dict[str, Any]:
    return {
        "description": one_line(said, 1_000),
        "check_name": f"verdict.{one_line(check)}",
        "fingerprint": fingerprint,
        "severity": _SEVERITY.get(verdict, "critical"),
        "location": {"path": one_line(report.place(path), 1_000), "lines": {"begin": max(line, 1)}},
    }
