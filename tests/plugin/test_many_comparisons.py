"""One test with very many comparisons: they are sent while it runs, so that memory stays flat."""

from __future__ import annotations

import json
import signal

import pytest
from harness import PEAK

from modes import serial_and_workers

# The peak of the process that ran the test must not hold the records: 100,000 of them are over 35 MB.
MANY = f"""{PEAK}
from pytest_verdict import compare

def test_many():
    for number in range(1000):
        compare("exact", 1, 1)
    before = peak()
    for number in range(99_000):
        compare("exact", 1, 1)
    Path("grown").write_text(str(peak() - before))
"""


@pytest.mark.ci
@serial_and_workers("args", "-n2")
def test_memory_stays_flat(harness, args):
    run = harness.run(MANY, "--verify-report", *args, process=True)
    assert run.outcomes == {"passed": 1}
    report = json.loads((run.folder / "report.json").read_bytes())
    assert report["totals"]["comparisons"]["pass"] == report["records"]["count"] == 100_000
    with (run.folder / "records.jsonl").open("rb") as lines:
        ordinals = [int(line.split(b'","verdict"', 1)[0].rsplit(b"-", 1)[1]) for line in lines]
    assert ordinals == list(range(1, 100_001))
    kilobytes = int((run.path / "grown").read_text())
    assert kilobytes < 10_000
    # pytester keeps the folders of its last sessions.
    (run.folder / "records.jsonl").unlink()


# Two short sides and 100 kB of evidence, a hundred times: ten megabytes.
EVIDENCE = """
from pytest_verdict import Operator, Outcome, compare

sent = []

class Sending:
    def pytest_runtest_logreport(self, report):
        sent.append(report)

class Tracing(Operator):
    name = "tracing"

    def evaluate(self, expected, observed):
        return Outcome(1.0, details={"trace": "x" * 100_000})

def test_evidence(request):
    request.config.pluginmanager.register(Sending())
    sent.clear()
    for _ in range(100):
        compare(Tracing(), "a", "b")
    assert 8 <= len(sent) <= 12
"""


def test_long_evidence_is_sent_in_time(harness):
    run = harness.run(EVIDENCE, "--verify-report")
    assert run.outcomes == {"passed": 1}
    assert run.report["records"]["count"] == 100


# The time limit strikes in the middle of each sending; whoever takes the records after that must still get them.
LIMITED = """
import signal
import pytest
from pytest_verdict import compare

arrived = []

class Sending:
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if hasattr(report, "verdict_records_only"):
            signal.raise_signal(signal.SIGALRM)
        result = yield
        if hasattr(report, "verdict_records_only"):
            arrived.append("whole")
        return result

def strike(number, frame):
    raise TimeoutError("the time limit")

def test_with_a_time_limit(request):
    request.config.pluginmanager.register(Sending())
    former = signal.signal(signal.SIGALRM, strike)
    with pytest.raises(TimeoutError, match="the time limit"):
        for number in range(10_000):
            compare("exact", "a" * 1000, "a" * 1000)
    assert arrived == ["whole"]
    assert signal.signal(signal.SIGALRM, former) is strike
"""


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs a signal that a time limit is made of")
@serial_and_workers("args", "-n1")
def test_time_limit_waits_until_records_are_sent(harness, args):
    run = harness.run(LIMITED, "--verify-report", *args, process=True)
    assert run.outcomes == {"passed": 1}
    assert [record["ordinal"] for record in run.records] == list(range(1, len(run.records) + 1))
    assert 100 < len(run.records) < 10_000
