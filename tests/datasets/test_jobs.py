"""`check_dataset(..., jobs=N)`: several processes write the same report as one."""

from __future__ import annotations

# pytester forgets what its sessions load, and these must be loaded once.
import concurrent.futures.process  # noqa: F401
import json
import multiprocessing.synchronize  # noqa: F401

import pytest
from harness import structure

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites import DatasetWarning, check_dataset

BOTH = {"expected": "$.want", "observed": "$.got"}
pytestmark = pytest.mark.usefixtures("quick_processes")
FILE = """
import pytest
from pytest_verdict import compare
from pytest_verdict.suites import check_dataset

BOTH = {"expected": "$.want", "observed": "$.got"}

@pytest.fixture(autouse=True)
def small_units(monkeypatch):
    monkeypatch.setattr("pytest_verdict.datasets.units.ROWS", 9)

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_rows(suffix):
    assert compare("exact", 1, 1)
    check = check_dataset(f"rows.{suffix}", "exact", BOTH, ids="$.id", pass_rate=0.5, jobs=JOBS)
    assert check.failed == 8
    assert [result.passed for result in check.first] == [False] * 5
    assert compare("exact", 2, 2)

def test_gate():
    check_dataset("rows.jsonl", "normalized_exact", BOTH, expect_rows=50, steps=["strip"], jobs=JOBS)
"""


@pytest.fixture
def session(harness):
    rows = [{"id": f"q{n % 45}", "want": f"secret{n}", "got": f"secret{n}" if n % 7 else "x"} for n in range(50)]
    (harness.path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [["id", "want", "got"], *map(dict.values, rows)]
    (harness.path / "rows.csv").write_text("".join(",".join(row) + "\n" for row in lines))
    return lambda jobs, *options: harness.run(FILE.replace("JOBS", str(jobs)), *options)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, id=str(options), marks=pytest.mark.ci if options else ())
        for options in [(), ("-n2",), ("-o", "verdict_redact=secret4")]
    ],
)
def test_the_number_of_processes_changes_no_byte(session, options):
    def made(jobs):
        run = session(jobs, "--verify-report", *options)
        run.check_agreement()
        assert run.outcomes == {"passed": 2, "failed": 1}
        return run.records_bytes, structure(run.report)

    one = made(None)
    assert made(2 if options else 3) == one


@pytest.mark.ci
def test_without_a_report(session):
    assert session(2).outcomes == {"passed": 2, "failed": 1}


def test_two_rows_with_one_id_are_warned_of(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1, "want": 1, "got": 1}\n' * 3)
    with pytest.warns(DatasetWarning, match=r"rows.jsonl: 2 rows have the id of an earlier one") as caught:
        check_dataset(path, "exact", BOTH, ids="$.id", jobs=2)
    assert [warning.filename for warning in caught] == [__file__]


CONFTEST = """
def pytest_verdict_operators(registry):
    @registry.add
    def same_length(expected, observed):
        return len(expected) == len(observed)
"""
OWN = """
from pytest_verdict.suites import check_dataset
from pytest_verdict.datasets import units

def test_rows(monkeypatch):
    monkeypatch.setattr(units, "ROWS", 5)
    check_dataset("rows.jsonl", "same_length", {"expected": "$.want", "observed": "$.got"}, jobs=2)
"""


@pytest.mark.ci
def test_an_operator_that_no_other_process_has(harness):
    rows = '{"want": "a", "got": "b"}\n' * 20
    run = harness.run({"conftest.py": CONFTEST, "rows.jsonl": rows, "test_it.py": OWN})
    assert run.outcomes == {"failed": 1}
    assert "UnknownOperatorError" in run.output
    assert "same_length" in run.output


ROWS = [{"want": "a", "got": "a"}]
WRONG = [(ROWS, 2, "give its path, or leave jobs out"), ("rows.jsonl", 0, "jobs is a whole number from 1, got 0")]


@pytest.mark.parametrize(("source", "jobs", "message"), WRONG)
def test_wrong_argument_of_jobs_is_refused(source, jobs, message):
    with pytest.raises(ConfigurationError, match=message):
        check_dataset(source, "exact", BOTH, jobs=jobs)
