"""What a report attests, as two statements of in-toto (Statement v1)."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, cast

from pytest_verdict.core.record import parse_record
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.gate_lines import MET
from pytest_verdict.report.journal import OUTPUTS, RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import JUNIT
from pytest_verdict.report.summary import NOT_GREEN

FILES: Final = (RECORDS, REPORT, JUNIT)
TEST_RESULT: Final = "test-result.intoto.json"
VERDICTS: Final = "records.intoto.json"
RECORDS_PREDICATE: Final = "urn:pytest-verdict:records:v1"
_STATEMENT: Final = "https://in-toto.io/Statement/v1"
_TEST_RESULT_PREDICATE: Final = "https://in-toto.io/attestation/test-result/v0.1"
_WARNED: Final = {"xfailed", "xpassed"}


def statements(folder: Path) -> dict[str, dict[str, Any]]:
    """Derive both statements from the files of a report; all numbers are whole and all keys ASCII."""
    report = json.loads((folder / REPORT).read_bytes())
    digests = {name: file_digest(folder / name) for name in files_of(folder)}
    subject = [{"name": RECORDS, "digest": {"sha256": digests[RECORDS]}}]
    if git := report["run"].get("git"):
        subject.append({"name": "source", "digest": {"gitCommit": git["commit"]}})
    predicates = {
        TEST_RESULT: (_TEST_RESULT_PREDICATE, _test_result(report, digests)),
        VERDICTS: (RECORDS_PREDICATE, _verdicts(report, digests, folder / RECORDS)),
    }
    return {
        name: {"_type": _STATEMENT, "subject": subject, "predicateType": kind, "predicate": predicate}
        for name, (kind, predicate) in predicates.items()
    }


def files_of(folder: Path) -> tuple[str, ...]:
    """Name the files of a report that are attested; what adapters returned is there only where suites ran."""
    return (*FILES, OUTPUTS) if (folder / OUTPUTS).is_file() else FILES


def file_digest(path: Path) -> str:
    """Give the SHA-256 of a file, of a compressed one of what it holds."""
    with open_records(path) as file:
        return hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest()


def _test_result(report: dict[str, Any], digests: dict[str, str]) -> dict[str, Any]:
    outcomes = [(test["outcome"], test["test"]) for test in report["tests"]]
    failed = [test for outcome, test in outcomes if outcome in NOT_GREEN]
    warned = [test for outcome, test in outcomes if outcome in _WARNED]
    passed = [test for outcome, test in outcomes if outcome == "passed"]
    are_met = all(gate["verdict"] == MET for gate in report.get("gates", ()))
    is_green = report["complete"] and not failed and are_met and report["run"].get("exit_status") == 0
    configuration = [{"name": REPORT, "digest": {"sha256": digests[REPORT]}}]
    return {
        "result": ("WARNED" if warned else "PASSED") if is_green else "FAILED",
        "configuration": configuration,
        "passedTests": passed,
        "warnedTests": warned,
        "failedTests": failed,
    }


def _verdicts(report: dict[str, Any], digests: dict[str, str], records: Path) -> dict[str, Any]:
    run = report["run"]
    with open_records(records) as lines:
        operators = sorted({found for line in lines for found in _operators([parse_record(line)])})
    told = {
        name: run[name]
        for name in ("git", "packages", "shard", "shards", "missing_shards", "collected", "pytest_verdict")
        if name in run
    }
    return {
        **told,
        "complete": report["complete"],
        "files": digests,
        "operators": [
            {"operator": name, "version": version, **({"code": code} if code else {})}
            for name, version, code in operators
        ],
        "records": {"count": report["records"]["count"], "root": report["records"]["root"]},
        "replay": f"pytest-verdict replay {RECORDS}",
        "totals": report["totals"],
    }


def _operators(records: Iterable[dict[str, Any]]) -> Iterator[tuple[str, int, str]]:
    for record in records:
        yield record["operator"], record["operator_version"], record.get("operator_code", "")
        yield from _operators(record.get("children", ()))
