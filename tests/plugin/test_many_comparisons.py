"""One test with very many comparisons: they are sent while it runs, so that memory stays flat."""

from __future__ import annotations

import json

import pytest

# The peak of the process that ran the test must not hold the records: 300,000 of them are over 100 MB.
MANY = """
import resource
from pathlib import Path
from pytest_verdict import compare

def test_many():
    for number in range(1000):
        compare("exact", 1, 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(299_000):
        compare("exact", 1, 1)
    Path("grown").write_text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""


@pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "xdist"])
def test_memory_stays_flat_and_nothing_is_lost(harness, args):
    """The slow one: about ten seconds for each way."""
    run = harness.run(MANY, "--verify-report", *args, process=True)
    assert run.outcomes == {"passed": 1}
    report = json.loads((run.folder / "report.json").read_bytes())
    assert report["totals"]["comparisons"]["pass"] == report["records"]["count"] == 300_000
    with (run.folder / "records.jsonl").open("rb") as lines:
        ordinals = [int(line.split(b'","verdict"', 1)[0].rsplit(b"-", 1)[1]) for line in lines]
    assert ordinals == list(range(1, 300_001))
    kilobytes = int((run.path / "grown").read_text())
    assert kilobytes < 20_000
    # pytester keeps the folders of its last sessions.
    (run.folder / "records.jsonl").unlink()
