"""The commands on suites: ``init`` and ``check``."""

import json
import re

import jsonschema
import pytest
import yaml

from pytest_verdict.cli import main
from pytest_verdict.suites.suite_model import suite_schema


def test_suite_written_by_init_runs(harness, capsys):
    assert main(["init", str(harness.path / "first")]) == 0
    assert "now run: pytest" in capsys.readouterr().out
    run = harness.run((), "first", "--verify-report", "--strict-markers", "-W", "error")
    assert run.outcomes == {"passed": 2}
    assert [record["operator"] for record in run.records] == ["normalized_exact"] * 2
    capsys.readouterr()
    suite = harness.path / "first" / "capitals.verdict.yaml"
    assert main(["check", str(suite)]) == 0
    assert capsys.readouterr().out == f"{suite}: capitals, 2 scenarios, adapter capitals_adapter.answer\n"


def test_init_writes_the_schema_of_the_suite(tmp_path):
    """The line is the one that the YAML language server of editors reads; the path is relative to the suite."""
    assert main(["init", str(tmp_path)]) == 0
    text = (tmp_path / "capitals.verdict.yaml").read_text()
    modeline = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    schema = json.loads((tmp_path / modeline[1]).read_text("utf-8"))
    assert schema == suite_schema()
    assert schema["$id"] == "urn:pytest-verdict:suite"
    jsonschema.validate(yaml.safe_load(text), schema)
    with pytest.raises(jsonschema.ValidationError, match="expected_outptu"):
        jsonschema.validate(yaml.safe_load(text.replace("expected_output", "expected_outptu")), schema)


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
    good = write("good.verdict.yaml", "scenarios: [{name: a, input: b, expected_output: c}]")
    bad = write("bad.verdict.yaml", "scenarios:\n  - name: a\n    input: no\n    outputs: x\n")
    assert main(["check", str(bad), str(good)]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == f'{bad}:3: input: no without quotes is a boolean in YAML (False); write "no"'
    assert second.startswith(f"{bad}:4: there is no key 'outputs'.")
    assert third == f"{good}: good, 1 scenario, no adapter of its own"


def test_check_knows_scorers_of_conftest(write, capsys):
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


NOTHING = """
scenarios:
  - {name: nothing, input: b}
  - {name: an operator, input: b, scorer: exact_number}
  - {name: calls, input: b, scorer: trajectory_exact}
  - {name: tools, input: b, expected_tools: []}
  - {name: output, input: b, expected_output: c}
  - {name: no calls, input: b, scorer: trajectory_exact, expected_tools: []}
  - {name: there, input: b, scorer: not_blank}
  - {name: pattern, input: b, scorer: regex, metadata: {regex_pattern: c}}
  - {name: settings, input: b, scorer: {operator: regex, settings: {pattern: c}}}
  - {name: one of two, input: b, scorers: [passfail, not_blank]}
""".replace("exact_number", "numeric_exact")


def test_scenarios_that_expect_nothing_are_warnings_and_strict_errors(write, capsys):
    file = write("a.verdict.yaml", NOTHING)
    assert main(["check", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [(3, "nothing"), (4, "an operator"), (5, "calls"), (6, "tools")]
    assert lines[1:] == [f"{file}:{line}: warning: the scenario {name!r} expects nothing" for line, name in found]
    good = write("b.verdict.yaml", "scenarios: [{name: a, input: b, expected_output: c}]")
    assert main(["check", "--strict", str(file), str(good)]) == 1
    assert capsys.readouterr().out.count(": error: the scenario ") == 4
    assert main(["check", "--strict", str(good)]) == 0
