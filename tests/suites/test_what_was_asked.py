"""What a scenario asked, and its file and line, in everything that shows its failure."""

import json
import re

import pytest
from scenarios import REPORT, suite

from pytest_verdict.cli import main

QUESTION = "What is the capital of France?"
MESSAGES = {"messages": [{"role": "user", "content": "Where is Rome?"}]}
SCENARIOS = [
    {"name": "fails", "input": QUESTION, "expected_output": "Paris"},
    {
        "name": "messages",
        "input": MESSAGES,
        "scorer": "regex",
        "metadata": {"regex_pattern": "Italy"},
    },
    {"name": "no_answer", "input": "What was never recorded?", "expected_output": "Paris"},
    {
        "name": "several",
        "input": "Which tool?",
        "expected_output": "x",
        "expected_tools": ["search"],
        "scorer": "passfail",
    },
    {"name": "repeated", "input": "How often?", "expected_output": "x", "repeats": 2, "scorer": "contains_any"},
    {"name": "own", "input": "Is it short?", "scorer": "own.Never"},
    {"name": "calls", "input": "Which calls?", "expected_tools": ["search"], "scorer": "trajectory_exact"},
    {"name": "mapped", "input": "From where?", "expected_output": "x", "scorer": {"operator": "exact", "mapping": {}}},
    {"name": "long", "input": "q" * 100_000, "expected_output": "y"},
    {"name": "passes", "input": "What passes?", "expected_output": "a"},
]
ASKED = {
    "fails": f"asked: '{QUESTION}'",
    "messages": "asked: {'messages': [{'role': 'user', 'content': 'Where is Rome?'}]}",
    "no_answer": "asked: 'What was never recorded?'",
    "several": "asked: 'Which tool?'",
    "repeated": "asked: 'How often?'",
    "own": "asked: 'Is it short?'",
    "calls": "asked: 'Which calls?'",
    "mapped": "From where?",
    "long": "asked: 100,0",
}
OWN = "class Never:\n    name = 'never'\n    def score(self, scenario, result): return False\n"


@pytest.fixture
def run(harness):
    answers = {scenario["name"]: "a" for scenario in SCENARIOS if scenario["name"] != "no_answer"}
    rows = "".join(json.dumps({"name": name, "output": text}) + "\n" for name, text in answers.items())
    rows += json.dumps({"name": "repeated", "output": "b"}) + "\n"
    content = suite(*SCENARIOS, scorer="exact", adapter="recorded: out.jsonl")
    return harness.run({"a.verdict.yaml": content, "out.jsonl": rows, "own.py": OWN, "conftest.py": ""}, REPORT)


def test_every_face_shows_what_was_asked_and_where(run, capsys):
    text = (run.path / "a.verdict.yaml").read_text()
    line = {name: text[: text.index(f"name: {name}\n")].count("\n") + 1 for name in ASKED}
    assert run.tests() == {**dict.fromkeys(ASKED, "failed"), "no_answer": "error", "passes": "passed"}
    faces = {}
    for name in ("markdown", "ctrf", "gitlab-codequality"):
        assert main(["summary", str(run.folder), "--format", name]) == 0
        faces[name] = capsys.readouterr().out.replace('\\"', '"')
    assert main(["explain", str(run.folder), "--failed"]) == 0
    faces["explain"] = capsys.readouterr().out
    for name, asked in ASKED.items():
        case = run.case(name)[0].text
        assert asked in case
        assert f"a.verdict.yaml:{line[name]}: {name}" in case
        assert asked in run.stdout
        for face, shown in faces.items():
            # The record of a mapping has the parts of the document that are on its paths.
            assert asked in shown or name == "mapped", (face, name)
    assert f" a.verdict.yaml:{line['fails']} " in faces["markdown"]
    records = {record["test"].rpartition("::")[2]: record for record in run.records if record["name"] != "repeats"}
    assert records["passes"]["sources"] == {"kind": "scenario", "document": {"input": "What passes?"}}
    assert {*records["long"]["sources"]} == {"kind", "document_sha256", "document_size"}


def test_what_was_asked_is_derived_and_no_change_of_it_is_a_cause(run, capsys):
    assert main(["replay", str(run.folder)]) == 0
    assert re.search(r"(\d+) records: \1 identical", capsys.readouterr().out)
    run.check_agreement()
