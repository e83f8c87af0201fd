"""`--verify-report-dir` outside the project, given as two arguments: pytest takes the folder for a place of tests."""

from __future__ import annotations

import pytest

from modes import serial_and_workers

TEST = "from pytest_verdict import compare\n\ndef test_a():\n    compare('exact', 'hunter2', 'hunter2')\n"
SECRETIVE = {"pytest.ini": "[pytest]\nverdict_redact = hunter2\n", "test_it.py": TEST}


@pytest.fixture
def outside(harness, tmp_path_factory):
    """A folder that shares no configuration with the project."""
    return tmp_path_factory.mktemp("elsewhere") / "report"


def written(folder):
    return "".join(path.read_text() for path in folder.iterdir())


@serial_and_workers("workers", "-n2")
def test_new_folder_outside_the_project_keeps_redaction(harness, outside, workers):
    run = harness.run(SECRETIVE, *workers, "--verify-report-dir", str(outside))
    assert run.outcomes == {"passed": 1}
    assert "[redacted]" in written(outside)
    assert "hunter2" not in written(outside)
    assert '"test": "test_it.py::test_a"' in written(outside)


@pytest.mark.ci
def test_workers_redact_like_the_controller(harness, outside, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", f"--verify-report-dir {outside}")
    harness.run(SECRETIVE, "-n2")
    assert "[redacted]" in written(outside)
    assert "hunter2" not in written(outside)


@pytest.mark.parametrize("by_variable", [False, True], ids=["argument", "PYTEST_ADDOPTS"])
@serial_and_workers("workers", "-n2")
def test_folder_that_hides_the_configuration_is_rejected(harness, outside, monkeypatch, by_variable, workers):
    outside.mkdir()
    given = ("--verify-report-dir", str(outside))
    if by_variable:
        monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(given))
    run = harness.run(SECRETIVE, *workers, *(() if by_variable else given))
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"write --verify-report-dir={outside}" in run.output
    assert "pytest.ini" in run.output
    assert list(outside.iterdir()) == []


def test_configuration_is_read_with_equals_sign(harness, outside):
    outside.mkdir()
    run = harness.run(SECRETIVE, f"--verify-report-dir={outside}")
    assert run.outcomes == {"passed": 1}
    assert "hunter2" not in written(outside)


@pytest.mark.ci
def test_existing_folder_is_accepted_without_configuration(harness, outside):
    outside.mkdir()
    run = harness.run(TEST, "--verify-report-dir", str(outside))
    assert run.outcomes == {"passed": 1}


@pytest.mark.parametrize("files", [SECRETIVE, {"test_it.py": TEST}], ids=["configured", "without configuration"])
@serial_and_workers("workers", "-n2")
def test_folder_inside_the_project_is_reusable(harness, files, workers):
    for _ in range(2):
        run = harness.run(files, *workers, "--verify-report-dir", "reports")
        assert run.outcomes == {"passed": 1}
        text = written(harness.path / "reports")
        assert ("hunter2" in text) == (files is not SECRETIVE)
        assert '"test": "test_it.py::test_a"' in text


def test_empty_folder_name_is_rejected(harness):
    run = harness.run(TEST, "--verify-report-dir=")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "--verify-report-dir is empty" in run.output
    assert not run.folder.exists()
