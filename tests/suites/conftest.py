"""Fixtures of the tests of suites: sessions in a folder of their own, and suites as files."""

from __future__ import annotations

import pytest
import yaml

from pytest_verdict.cli import main
from session_fixtures import harness, import_for_good, write

__all__ = ["harness", "write"]

import_for_good("core", "operators", "pytest_plugin", "report", "datasets", "extraction", "suites", "trajectories")


@pytest.fixture
def imported(tmp_path, capsys):
    """Import a document, and give the exit code, what was said and what was written."""

    def run(tool, document, name="theirs.yaml"):
        path = tmp_path / name
        path.write_text(document if isinstance(document, str) else yaml.safe_dump(document), encoding="utf-8")
        before = {*tmp_path.iterdir()}
        code = main(["import", tool, str(path)])
        written = next(iter({*tmp_path.iterdir()} - before), None)
        out, err = capsys.readouterr()
        said = [line.removeprefix(f"{path}:") for line in out.splitlines() if not line.startswith("written")]
        return code, said, written, err.replace(str(tmp_path), "")

    return run
