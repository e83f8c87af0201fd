"""Relative paths start at the file that names them; those of the command line start in the current folder."""

import json
import sys

import pytest

from pytest_verdict.cli import main

ROWS = '{"want": "a", "got": "a"}\n'
OUTPUTS = '{"name": "x", "output": "a"}\n'
SCENARIO = "scenarios: [{name: x, input: i, expected_output: a, scorer: exact}]"
PROGRAM = "import sys; sys.stdout.write('a')"
CHECK = """
from pytest_verdict.suites import check_dataset
def test_it():
    check_dataset({}, 'exact', expected='want', observed='got')
"""
FIXTURE = CHECK.replace("def test_it", "import pytest\n@pytest.fixture\ndef checked")
CASES = """
import pytest
@pytest.mark.verdict_cases({}, mapping={{"want": "$.want", "observed": "$.got"}})
def test_it(want, observed): assert want == observed
"""
# Files of a project whose folder is not the current one, and the tests that pass; each names a path in the file's folder.
NAMED_IN_A_FILE = {
    "the adapter of a suite": {
        "sub/a.verdict.yaml": f"suite: {{name: s, adapter: 'recorded: data/o.jsonl', {SCENARIO}}}"
    },
    "the program of a suite": {
        "sub/a.verdict.yaml": f"suite: {{name: s, adapter: 'command: {sys.executable} data/program.py', {SCENARIO}}}"
    },
    "the data set of a suite": {
        "sub/a.verdict.yaml": "suite: {name: s, adapter: 'recorded: data/o.jsonl', scorer: exact, dataset: {file: data/s.jsonl}}"
    },
    "the marker of a test": {"sub/test_it.py": CASES.format("'data/rows.jsonl'")},
    "a check in a test": {"sub/test_it.py": CHECK.format("'data/rows.jsonl'")},
    "a Path in a test": {"sub/test_it.py": "from pathlib import Path\n" + CHECK.format("Path('data/rows.jsonl')")},
    "a check in a fixture of conftest.py": {
        "sub/conftest.py": FIXTURE.format("'data/rows.jsonl'"),
        "sub/test_it.py": "def test_it(checked): pass",
    },
    "several processes": {"sub/test_it.py": CHECK.format("'data/rows.jsonl'").replace("'got')", "'got', jobs=1)")},
    "the ini file": {
        "sub/a.verdict.yaml": f"suite: {{name: s, {SCENARIO}}}",
        "pytest.ini": "[pytest]\nverdict_adapter = recorded: sub/data/o.jsonl\n",
    },
    "a project that counts from its root": {"sub/test_it.py": CHECK.format("'sub/data/rows.jsonl'")},
}
DATA = {
    "sub/data/o.jsonl": OUTPUTS,
    "sub/data/rows.jsonl": ROWS,
    "sub/data/program.py": PROGRAM,
    "sub/data/s.jsonl": json.dumps({"name": "x", "input": "i", "expected_output": "a"}) + "\n",
}


@pytest.mark.every(3)
@pytest.mark.parametrize("files", NAMED_IN_A_FILE.values(), ids=NAMED_IN_A_FILE)
def test_a_path_starts_at_the_file_that_names_it(harness, files):
    assert harness.run({"pytest.ini": "[pytest]\n", **DATA, **files}, "sub").outcomes == {"passed": 1}


def test_a_path_starts_at_its_file_from_every_folder(harness, monkeypatch):
    harness.write({**DATA, "sub/test_it.py": CHECK.format("'data/rows.jsonl'")})
    for folder in ("sub", "sub/data"):
        monkeypatch.chdir(harness.path / folder)
        assert harness.run((), str(harness.path / "sub")).outcomes == {"passed": 1}


def test_two_files_that_a_path_may_mean_are_refused(harness):
    files = {
        "data/rows.jsonl": ROWS.replace('"a"}', '"b"}'),
        **DATA,
        "sub/test_it.py": CHECK.format("'data/rows.jsonl'"),
    }
    run = harness.run(files, "sub")
    assert run.outcomes == {"failed": 1}
    assert (
        "beside the file that names it, and in the current folder; name one of them by Path(__file__).parent"
        in run.stdout
    )


def test_paths_of_a_command_start_in_the_current_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "rows.jsonl").write_text(ROWS)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mapping.yaml").write_text("expected: $.want\nobserved: $.got\n")
    monkeypatch.chdir(tmp_path)
    assert main(["score", "rows.jsonl", "--operator", "exact", "--mapping", "sub/mapping.yaml", "-o", "out"]) == 0
    assert (tmp_path / "out" / "report.json").is_file()
    monkeypatch.chdir(tmp_path / "sub")
    assert main(["score", "rows.jsonl", "--operator", "exact", "--mapping", "mapping.yaml", "-o", "out"]) == 2
    assert "rows.jsonl" in capsys.readouterr().err
