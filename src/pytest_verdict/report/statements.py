"""The two statements of in-toto (Statement v1) that a report attests."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.record import parse_record
from pytest_verdict.report.compression import find_stored, open_records, stored_digest
from pytest_verdict.report.journal import OUTPUTS, RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import JUNIT
from pytest_verdict.report.reading import Report, read_report

FILES: Final = (RECORDS, REPORT, JUNIT)
TEST_RESULT: Final = "test-result.intoto.json"
VERDICTS: Final = "records.intoto.json"
RECORDS_PREDICATE: Final = "urn:pytest-verdict:records:v1"
_STATEMENT: Final = "https://in-toto.io/Statement/v1"
_TEST_RESULT_PREDICATE: Final = "https://in-toto.io/attestation/test-result/v0.1"
_WARNED: Final = {"xfailed", "xpassed"}


def statements(folder: Path) -> dict[str, dict[str, Any]]:
    """Derive both statements from the files of a report; numbers are integers, and keys are ASCII."""
    report = read_report(folder)
    digests = {name: stored_digest(folder / name) for name in files_of(folder)}
    records = find_stored(folder / RECORDS).name
    subject = [{"name": records, "digest": {"sha256": digests[records]}}]
    if report.run.git:
        subject.append({"name": "source", "digest": {"gitCommit": report.run.git.commit}})
    statement = {"_type": _STATEMENT, "subject": subject}
    result = _test_result(report, digests)
    verdicts = _verdicts(report, digests, folder / RECORDS)
    return {
        TEST_RESULT: {**statement, "predicateType": _TEST_RESULT_PREDICATE, "predicate": result},
        VERDICTS: {**statement, "predicateType": RECORDS_PREDICATE, "predicate": verdicts},
    }


def files_of(folder: Path) -> tuple[str, ...]:
    """List the attested files of a report; the outputs of adapters exist only if suites ran, and a manifest lists parts."""
    files = (find_stored(folder / RECORDS).name, REPORT, JUNIT)
    return (*files, OUTPUTS) if (folder / OUTPUTS).is_file() else files


def _test_result(report: Report, digests: dict[str, str]) -> dict[str, Any]:
    failed = [test.test for test in report.tests if not test.is_green]
    warned = [test.test for test in report.tests if test.outcome in _WARNED]
    passed = [test.test for test in report.tests if test.outcome == "passed"]
    result = "WARNED" if warned else "PASSED"
    if failed or not report.complete or not report.are_gates_met or report.run.exit_status != 0:
        result = "FAILED"
    return {
        "result": result,
        "configuration": [{"name": REPORT, "digest": {"sha256": digests[REPORT]}}],
        "passedTests": passed,
        "warnedTests": warned,
        "failedTests": failed,
    }


def _verdicts(report: Report, digests: dict[str, str], records: Path) -> dict[str, Any]:
    run = report.document["run"]
    members = ("git", "packages", "shard", "shards", "missing_shards", "collected", "pytest_verdict")
    with open_records(records) as lines:
        operators = sorted({identity for line in lines for identity in _operators([parse_record(line)])})
    return {
        **{name: run[name] for name in members if name in run},
        "complete": report.complete,
        "files": digests,
        "operators": [
            {"operator": name, "version": version, **({"code": code} if code else {})}
            for name, version, code in operators
        ],
        "records": {"count": report.records.count, "root": report.records.root},
        "replay": f"pytest-verdict replay {RECORDS}",
        "totals": report.document["totals"],
    }


def _operators(records: Iterable[dict[str, Any]]) -> Iterator[tuple[str, int, str]]:
    for record in records:
        yield record["operator"], record["operator_version"], record.get("operator_code", "")
        yield from _operators(record.get("children", ()))
