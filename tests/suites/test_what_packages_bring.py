"""Scorers, adapters and readers of rows that another installed package brings."""

import json
import os

import pytest
from scenarios import REPORT, suite

from pytest_verdict.core.replay import replay
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites import register_scorer

FAMILY = """
from pytest_verdict.core.families import hookimpl

@hookimpl
def scorers():
    return {"polite": "their_package.parts:Polite", "short": "their_package.parts:SHORT", "bad": "their_package.parts:Bad",
            "gone": "their_package.parts:Gone"}

@hookimpl
def adapters():
    return {"echo": "their_package.parts:open_echo"}

@hookimpl
def row_readers():
    return {".lines": "their_package.parts:read_lines"}
"""
PARTS = """
from pytest_verdict.suites import Row

class Polite:
    name = "polite"
    def score(self, scenario, result):
        return {"passed": "please" in result.output, "explanation": "say please"}

class Short:
    name = "short"
    def score(self, scenario, result):
        return len(result.output) < 5

SHORT = Short()

class Bad:
    name = "bad"

class Echo:
    def __init__(self, prefix):
        self.prefix = prefix
    def run(self, input, context):
        return self.prefix + input

def open_echo(written, folder):
    return Echo(written.partition(":")[2])

def read_lines(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "?":
            yield Row(number, None, "it is a question mark")
        else:
            yield {"want": line, "got": line.lower()}
"""
ENTRY = "[pytest_verdict]\ntheirs = their_package.family\n"


@pytest.fixture
def package(harness, monkeypatch):
    """Install a package beside the tests."""
    harness.write(
        {
            "site/their_package/__init__.py": "",
            "site/their_package/family.py": FAMILY,
            "site/their_package/parts.py": PARTS,
            "site/their_package-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n",
            "site/their_package-1.0.dist-info/entry_points.txt": ENTRY,
        }
    )
    monkeypatch.setenv("PYTHONPATH", str(harness.path / "site"), prepend=os.pathsep)
    return harness


def scenario(name, scorer, text="hello"):
    return {"name": name, "input": text, "expected_output": "a", "scorer": scorer}


@pytest.mark.ci
def test_a_scorer_and_an_adapter_are_named_as_ours_are(package):
    scenarios = [
        scenario("class", "polite"),
        scenario("instance", "short", "a"),
        scenario("ours", "passfail"),
        scenario("operator", "contains_any", "a"),
    ]
    run = package.run({"a.verdict.yaml": suite(*scenarios, adapter="echo:>")}, REPORT, process=True)
    assert run.outcomes == {"passed": 2, "failed": 2}
    assert "polite: FAIL. say please" in run.stdout
    first, second = run.records[:2]
    assert (first["operator"], first["settings"]["scorer"], first["observed"]["output"]) == (
        "scorer_verdict",
        "polite",
        ">hello",
    )
    assert (second["name"], second["verdict"]) == ("short", "pass")
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"identical"}


@pytest.mark.ci
def test_a_reader_gives_values_and_rows(package):
    code = (
        "from pytest_verdict.suites import check_dataset\n\ndef test_rows():\n"
        "    check_dataset('words.lines', 'exact', {'expected': '$.want', 'observed': '$.got'})\n"
    )
    run = package.run({"words.lines": "a\nB\n?\n", "test_it.py": code}, REPORT, process=True)
    assert "1 of 3 rows passed, 1 failed, 1 could not be compared (1 of these could not be read)" in run.stdout
    assert [record["name"] for record in run.records[:3]] == ["words.lines:1", "words.lines:2", "words.lines:3"]
    assert run.records[2]["error"] == "words.lines:3: it is a question mark"


@pytest.mark.ci
@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("head", "words"),
    [
        ({"scorer": "polit"}, ["unknown scorer: 'polit'. Did you mean 'polite'?", "passfail, polite,", "short,"]),
        ({"scorer": "bad"}, ["a scorer has a name and a method score(scenario, result)"]),
        (
            {"scorer": "gone"},
            ["'gone' of scorers, their_package.parts:Gone, cannot be loaded", "has no attribute 'Gone'"],
        ),
        (
            {"adapter": "ecko:x"},
            [
                "there is no module 'ecko'",
                "Nor is there a kind of adapter 'ecko'. Did you mean 'echo'? Allowed: command, command-json, echo, http,",
            ],
        ),
        ({"adapter": "recorded:x.line"}, ["Did you mean '.lines'?", ".jsonl, .lines, .ndjson"]),
    ],
    ids=lambda value: next(iter(value.values())) if isinstance(value, dict) else "",
)
def test_a_wrong_name_lists_what_is_installed_too(package, head, words):
    content = suite({"name": "x", "input": "i", "expected_output": "i"}, **{"adapter": "echo:>", **head})
    run = package.run({"a.verdict.yaml": content}, REPORT, process=True)
    assert run.outcomes == {"errors": 1}
    assert [word for word in words if word not in run.stdout] == []
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize("name", ["exact", "passfail", "regex", "similarity"])
def test_register_scorer_refuses_the_name_of_an_installed_scorer(name):
    class Mine:
        def score(self, scenario, result):
            return True

    Mine.name = name
    with pytest.raises(ConfigurationError, match=f"the name '{name}' is taken by the scorer pytest_verdict"):
        register_scorer(Mine)


CASES = """
import pytest

@pytest.mark.verdict_cases("rows.jsonl", mapping={"expected": "$.want", "observed": "$.got"}, ids="$.id")
def test_row(comparator, expected, observed):
    comparator.assert_matches("exact", expected, observed)
"""


@pytest.mark.ci
def test_suites_and_cases_give_the_same_report_in_every_kind_of_session(harness):
    rows = [{"id": str(number), "want": number, "got": number % 5} for number in range(8)]
    outputs = [{"name": f"s{number}", "output": "a" if number % 3 else "b"} for number in range(8)]
    scenarios = [{"name": output["name"], "input": "i", "expected_output": "a", "tags": ["t"]} for output in outputs]
    harness.write(
        {
            "test_cases.py": CASES,
            "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows) + "half a row\n",
            "outputs.jsonl": "".join(json.dumps(row) + "\n" for row in outputs),
            "a.verdict.yaml": suite(*scenarios, adapter="recorded:outputs.jsonl", scorers=["exact", "passfail"]),
        }
    )
    runs = [
        harness.run((), REPORT, "--strict-markers", *more, process=process)
        for process, more in ((False, ()), (True, ()), (False, ("-n2",)))
    ]
    found = [(run.outcomes, run.records_bytes) for run in runs]
    assert found[0] == found[1] == found[2]
    assert found[0][0] == {"passed": 10, "failed": 6, "errors": 1}
    runs[-1].check_agreement()
