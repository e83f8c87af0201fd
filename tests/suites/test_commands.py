"""The commands on suites: ``init`` and ``check``."""

import json

import pytest

from pytest_verdict.cli import main
from pytest_verdict.suites.suite_model import suite_schema


def test_what_init_writes_runs_and_is_written_rightly(harness, capsys):
    assert main(["init", str(harness.path / "first")]) == 0
    assert "now run: pytest" in capsys.readouterr().out
    run = harness.run((), "first", "--verify-report", "--strict-markers", "-W", "error")
    assert run.outcomes == {"passed": 2}
    assert [record["operator"] for record in run.records] == ["normalized_exact"] * 2
    capsys.readouterr()
    suite = harness.path / "first" / "capitals.verdict.yaml"
    assert main(["check", str(suite)]) == 0
    assert capsys.readouterr().out == f"{suite}: capitals, 2 scenarios, adapter capitals_adapter.answer\n"


def test_init_overwrites_nothing(tmp_path, capsys):
    (tmp_path / "conftest.py").write_text("mine")
    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / "conftest.py").read_text() == "mine"
    (tmp_path / "capitals_adapter.py").write_text("mine too")
    (tmp_path / "capitals.verdict.yaml").unlink()
    assert main(["init", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert not (tmp_path / "capitals.verdict.yaml").exists()


def test_check_names_every_mistake(write, capsys):
    good = write("good.verdict.yaml", "scenarios: [{name: a, input: b}]")
    bad = write("bad.verdict.yaml", "scenarios:\n  - name: a\n    input: no\n    outputs: x\n")
    assert main(["check", str(bad), str(good)]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert (
        first
        == f'{bad}:3: input: no without quotes is a boolean in YAML (False), and this is compared as text; write "no"'
    )
    assert second.startswith(f"{bad}:4: there is no key 'outputs' here.")
    assert third == f"{good}: good, 1 scenario, no adapter of its own"


def test_check_is_told_what_conftest_registers(write, capsys):
    path = write("a.verdict.yaml", "scenarios: [{name: a, input: b, scorers: [exact, from_conftest]}]")
    assert main(["check", str(path)]) == 1
    assert "say --scorer NAME" in capsys.readouterr().out
    assert main(["check", "--scorer", "from_conftest", str(path)]) == 0
    assert main(["check", "--scorer", "other", str(path)]) == 1


@pytest.mark.parametrize("words", [[], ["absent.verdict.yaml"]])
def test_check_without_a_file_is_code_2(words, capsys):
    assert main(["check", *words]) == 2
    assert capsys.readouterr().err


def test_check_prints_the_schema(capsys):
    assert main(["check", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == suite_schema()
