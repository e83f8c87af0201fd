"""A report as JSON: the Common Test Report Format (CTRF), and GitLab's code quality report."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_verdict.core.record import digest_of_test
from pytest_verdict.report.reading import Report, Test
from pytest_verdict.summaries.reading import MOST_SHOWN, Comparison, by_test, comparisons, one_line

_CTRF_VERSION: Final = "0.0.0"
_STATUSES: Final = ("passed", "failed", "skipped", "pending", "other")
_STATUS: Final = {
    **dict.fromkeys(("passed", "xpassed", "pass"), "passed"),
    **dict.fromkeys(("failed", "error", "rerun", "fail"), "failed"),
    **dict.fromkeys(("skipped", "xfailed"), "skipped"),
    "unfinished": "other",
}
_SEVERITY: Final = {"fail": "major", "failed": "major"}


def write_ctrf(report: Report) -> Iterator[str]:
    """Yield the document, test by test, because a report may have very many; the steps of a test are its comparisons."""
    start, stop = report.milliseconds()
    counts = Counter(_STATUS[test.outcome] for test in report.tests)
    summary = {"tests": len(report.tests), **{status: counts[status] for status in _STATUSES}}
    environment: dict[str, Any] = {"healthy": report.complete}
    if report.run.git:
        environment["commit"] = one_line(report.run.git.commit)
    if report.run.shard:
        environment["shardId"] = f"{report.run.shard.index}/{report.run.shard.of}"
    if report.gates:
        gates = [{"line": one_line(line), "met": is_met} for line, is_met in report.gate_lines()]
        environment["extra"] = {"gates": gates}
    head = {
        "tool": {"name": "pytest-verdict", "version": one_line(report.run.pytest_verdict)},
        "summary": {**summary, "start": start, "stop": stop, "duration": stop - start},
        "environment": environment,
    }
    beginning = (
        f'{{"reportFormat": "CTRF", "specVersion": "{_CTRF_VERSION}", "results": {json.dumps(head)[:-1]}, "tests": '
    )
    groups = by_test(report, comparisons(report, keys=True))
    tests = (_test(report, test, list(compared)) for test, compared in groups)
    return _json_array(tests, beginning, "}}\n")


def _test(report: Report, test: Test, compared: list[Comparison]) -> dict[str, Any]:
    retries = len(test.attempts) - 1
    failing = [comparison for comparison in compared if comparison.record["verdict"] != "pass"]
    steps = []
    for comparison in compared:
        record = comparison.record
        extra = {name: record[name] for name in ("id", "operator", "verdict", "score", "threshold")}
        name = one_line(str(record.get("name") or record["operator"]))
        steps.append({"name": name, "status": _STATUS[record["verdict"]], "extra": {**extra, "key": comparison.key}})
    optional = {
        "message": one_line(test.message, 1_000),
        "filePath": one_line(report.place(test.path), 1_000),
        "line": test.line,
        "trace": "\n\n".join(comparison.block() for comparison in failing[:MOST_SHOWN]),
        "retries": retries,
        "flaky": bool(retries)
        and _STATUS[test.outcome] == "passed"
        and test.repeats.get("stability", "flaky") == "flaky",
        "steps": steps,
    }
    return {
        "testId": digest_of_test(test.test, test.worker),
        "name": one_line(test.name) or "session",
        "status": _STATUS[test.outcome],
        "rawStatus": test.outcome,
        "duration": round(report.run.seconds.get(test.name, 0.0) * 1000),
        **{name: value for name, value in optional.items() if value},
    }


def write_gitlab(report: Report) -> Iterator[str]:
    """Yield an issue for each failing comparison of a failed test, by its key, or one for the test itself."""
    groups = by_test(report, comparisons(report, keys=True))
    return _json_array(
        issue for test, compared in groups if not test.is_green for issue in _issues(report, test, compared)
    )


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


def _json_array(items: Iterable[Any], head: str = "", tail: str = "\n") -> Iterator[str]:
    """Yield a JSON list in ASCII, an item on each line, without commands for a log."""
    yield f"{head}["
    for number, item in enumerate(items):
        text = json.dumps(item, allow_nan=False).replace("##", "#\\u0023")
        yield f",\n{text}" if number else f"\n{text}"
    yield f"\n]{tail}"
