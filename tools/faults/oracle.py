"""Compare the report of a session with the notes that the session wrote without the plugin.

The tests of the project under test write down each comparison that came back, and its conftest.py each report that pytest counts.
Both go to the disk at once, by the operating system and without any code of ours, so that they survive whatever ends the process.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_verdict.report.building import build
from pytest_verdict.report.journal import read_journal

CONFTEST = """
import json, os, signal, sys, threading
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
WHO = os.environ.get("PYTEST_XDIST_WORKER", "controller")

PROCESS = os.getpid()

def note(file, *fields):
    if os.getpid() != PROCESS:
        # A test forked this process; pytest runs in its parent.
        return
    descriptor = os.open(os.path.join(HERE, file), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, (json.dumps(fields) + "\\n").encode())
    os.close(descriptor)

def pytest_collection_finish(session):
    for item in session.items:
        note("collected", item.nodeid)

def pytest_runtest_logreport(report):
    if WHO == "controller" and not hasattr(report, "verdict_records_only"):
        expected = hasattr(report, "wasxfail")
        note("reported", report.nodeid, report.when, "x" + report.outcome if expected else report.outcome)

def pytest_collectreport(report):
    if WHO == "controller" and not report.passed:
        note("reported", report.nodeid, "collect", report.outcome)

def strike_at(moment, files):
    # The signal comes at the line event of that number; the handler runs before the line does.
    seen, places = 0, {}
    def in_frame(frame, event, argument):
        nonlocal seen
        if event == "line":
            seen += 1
            if not moment:
                places.setdefault(f"{frame.f_code.co_filename}:{frame.f_lineno}", []).append(seen)
            elif seen == moment:
                note("struck", frame.f_code.co_filename, frame.f_lineno)
                signal.raise_signal(getattr(signal, os.environ["FAULT_SIGNAL"]))
        return in_frame
    def on_call(frame, event, argument):
        name = frame.f_code.co_filename
        return in_frame if "pytest_verdict" in name and name.endswith(files) else None
    def tell():
        sys.settrace(None)
        note("moments", list(places.values()))
    sys.settrace(on_call)
    return tell

TELL = None
who, _, moment = os.environ.get("FAULT_MOMENT", "").partition(":")
if who == WHO:
    TELL = strike_at(int(moment), tuple(os.environ["FAULT_FILES"].split()))

def pytest_unconfigure():
    if TELL is not None and moment == "0":
        TELL()
"""

TESTS = {
    "test_one.py": """
import os
import pytest
from conftest import note
from fault import strike
from pytest_verdict import assert_matches, compare

def check(value):
    compare("exact", value, value)
    note("compared", os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0], value)

@pytest.fixture
def prepared():
    check("setup")
    yield
    check("teardown")

@pytest.fixture
def struck_around():
    check("before"), strike("setup")
    yield
    check("behind"), strike("teardown")

@pytest.mark.parametrize("number", range(3))
def test_number(number, prepared): check(f"number {number}")

def test_fails():
    assert_matches("exact", "a", "b")

def test_victim(struck_around):
    check("first"), check("second")
    strike("call")
    check("third")

@pytest.mark.xfail
def test_xfails(): check("xfails"), pytest.fail("known")
""",
    "test_two.py": """
import time
import pytest
from test_one import check, prepared

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

@pytest.mark.parametrize("number", range(4))
def test_other(number, prepared):
    time.sleep(0.02)
    check(f"other {number}")
""",
}


@dataclass
class Finding:
    """The files that a session left, and their faults."""

    state: str
    faults: list[str]


def noted(project: Path, name: str) -> list[list[Any]]:
    path = project / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def examine(project: Path, status: int | str, older: bytes | None = None) -> Finding:
    """Compare what a session left with what it noted; rebuild the report from the journal if there is one."""
    folder, reported = project / "verify-report", noted(project, "reported")
    told = "is not complete, so this session does not pass" in (project / "output").read_text(errors="replace")
    report = (folder / "report.json").read_bytes() if (folder / "report.json").is_file() else b""
    begun = (folder / "journal" / "tests.jsonl").is_file() and (folder / "journal" / "tests.jsonl").stat().st_size
    if begun and (folder / "journal" / "records.jsonl").is_file():
        finding = _of_journal(project, status, told=told)
        if reported and report == older:
            finding.faults.append("the report of an earlier session stands there")
        return finding
    if report and report != older:
        return Finding("report", _faults(project, folder, status, "report"))
    if told and status == 1:
        return Finding("nothing, reported", [])
    return Finding("nothing", ["reports were counted, and nothing is there"] if reported else [])


def _of_journal(project: Path, status: int | str, *, told: bool) -> Finding:
    journal = read_journal(project / "verify-report" / "journal")
    folder = build(journal, project / "rebuilt", run=journal.run, profile="ci").folder
    if told and status == 1:
        # What came after the disk was full is not there, and the session said so.
        return Finding("journal, reported", _of_records(*_read(folder)))
    return Finding("journal", _faults(project, folder, status, "journal"))


def _read(folder: Path) -> tuple[dict[str, Any], bytes]:
    return json.loads((folder / "report.json").read_bytes()), (folder / "records.jsonl").read_bytes()


def _faults(project: Path, folder: Path, status: int | str, state: str) -> list[str]:
    report, lines = _read(folder)
    reported = noted(project, "reported")
    return [
        *_of_records(report, lines),
        *_of_outcomes(report, _decided(reported, state)),
        *_of_comparisons(project, lines, reported),
        *_of_completeness(project, report, reported, status, state),
    ]


def _of_records(report: dict[str, Any], lines: bytes) -> list[str]:
    records = [json.loads(line) for line in lines.splitlines()]
    faults = []
    if hashlib.sha256(lines).hexdigest() != report["records"]["sha256"]:
        faults.append("the digest is of other records")
    if len(records) != report["records"]["count"]:
        faults.append(f"{report['records']['count']} records counted, {len(records)} there")
    last = {test["test"]: len(test["attempts"]) for test in report["tests"]}
    decisive = sum(record["attempt"] == last.get(record["test"]) for record in records)
    if decisive != report["totals"]["comparisons"]["total"]:
        faults.append(f"{report['totals']['comparisons']['total']} comparisons counted, {decisive} there")
    if len({record["id"] for record in records}) != len(records):
        faults.append("two records have one id")
    ordinals: dict[tuple[str, int], list[int]] = {}
    for record in records:
        ordinals.setdefault((record["test"], record["attempt"]), []).append(record["ordinal"])
    faults += [f"gap in {place}" for place, found in ordinals.items() if sorted(found) != [*range(1, len(found) + 1)]]
    return faults


def _counted_by_pytest(reported: list[list[str]]) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for test, when, outcome in reported:
        if outcome == "failed":
            counted[test, "failed" if when in {"call", "???"} else "error"] += 1
        elif outcome in {"skipped", "xskipped", "xpassed"} or (outcome == "passed" and when == "call"):
            counted[test, {"xskipped": "xfailed"}.get(outcome, outcome)] += 1
    return counted


def _decided(reported: list[list[str]], state: str) -> list[list[str]]:
    # Of a killed session, a test whose teardown did not come to its end is unfinished, whatever pytest had printed before.
    if state == "report":
        return reported
    ended = {test for test, when, _ in reported if when in {"teardown", "???"}}
    return [row for row in reported if row[0] in ended or row[1] == "collect"]


def _of_outcomes(report: dict[str, Any], reported: list[list[str]]) -> list[str]:
    counted = _counted_by_pytest(reported)
    told: Counter[tuple[str, str]] = Counter()
    for test in report["tests"]:
        for outcome in test["attempts"]:
            told[test["test"], outcome] += 1
        torn = test.get("teardown_error", False)
        if torn and test["outcome"] != "error":
            told[test["test"], "error"] += 1
        elif torn:
            told[test["test"], "passed"] += 1
    told = Counter({place: number for place, number in told.items() if place[1] != "unfinished"})
    return [
        f"{test.rpartition('::')[2]}: pytest counted {counted[test, outcome]} {outcome}, the report {told[test, outcome]}"
        for test, outcome in sorted(counted.keys() | told.keys())
        if counted[test, outcome] != told[test, outcome]
    ]


def _of_comparisons(project: Path, lines: bytes, reported: list[list[str]]) -> list[str]:
    compared = Counter((test, value) for test, value in noted(project, "compared"))
    records = [json.loads(line) for line in lines.splitlines()]
    written = Counter(
        (record["test"], record["observed"]) for record in records if not record["test"].endswith("::test_fails")
    )
    # One may have been made and not yet noted.
    faults = ["records of comparisons that were never made"] if (written - compared).total() > 1 else []
    phases = Counter(test for test, when, _ in reported if when == "teardown")
    begun = Counter(test for test, when, _ in reported if when == "setup")
    died = {test for test, when, _ in reported if when == "???"}
    ended = {test for test, number in phases.items() if number == begun[test]} - died
    faults += [
        f"lost of {test.rpartition('::')[2]}: {value!r}" for test, value in (compared - written) if test in ended
    ]
    return faults


def _of_completeness(
    project: Path, report: dict[str, Any], reported: list[list[str]], status: int | str, state: str
) -> list[str]:
    collected = {test for (test,) in noted(project, "collected")}
    counted = {test for test, _ in _counted_by_pytest(reported)}
    if report["complete"] and collected - counted:
        return [f"called complete without {sorted(collected - counted)}"]
    if not report["complete"] and status == 0 and state == "report":
        return ["not complete, and the session is green"]
    return []
