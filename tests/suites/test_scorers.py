"""Scorers of scenarios: the built-in ones, operators, and those of the user."""

import pytest
from scenarios import ADAPTERS, REPORT, reads_output, run_with, suite

from pytest_verdict.core.replay import replay

TOOLS = {"expected_tools": ["search"], "expected_tool_args": {"search": {"q": "x"}}, "expected_output": "I"}


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, None),
        ({"expected_tools": ["book", "search"]}, None),
        ({"input": "  "}, "PassFail: FAIL."),
        ({"expected_tools": ["search", "pay"]}, "Missing call 2 pay"),
        ({"expected_tool_args": {"search": {"q": "y"}}}, "Call 1 search"),
        ({"expected_tool_args": {"pay": {"n": 1}}}, "Missing call 1 pay"),
        ({"expected_output": "j"}, "Expected any of 'j', got 'i'."),
    ],
    ids=str,
)
def test_the_four_checks_of_passfail(harness, change, sentence):
    run = run_with(harness, "my_adapters.Echo", scorer="passfail", **{**TOOLS, **change})
    assert run.outcomes == ({"passed": 1} if sentence is None else {"failed": 1})
    assert sentence is None or sentence in run.stdout


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expected_tools": ["search", "search"]}, "expected_tools has 'search' twice"),
        ({"expected_tools": ["book", "search", "search"]}, "expected_tools has 'search' twice"),
        ({"expected_tool_args": {"pay": {}}}, "expected_tool_args of 'pay' is empty"),
        ({"expected_tool_args": {"search": {"q": "x"}, "pay": {}}}, "expected_tool_args of 'pay' is empty"),
        ({"expected_output": " "}, "has no visible character"),
    ],
    ids=str,
)
def test_passfail_refuses_expectations_that_ask_for_nothing_more(harness, change, message):
    run = run_with(harness, "my_adapters.Echo", scorer="passfail", **{**TOOLS, **change})
    assert run.outcomes == {"errors": 1}
    assert message in run.stdout


SCORERS = """
from types import SimpleNamespace
from pytest_verdict.suites import register_scorer

@register_scorer
class Polite:
    name = "polite"
    def score(self, scenario, result):
        return {"score": 0.4, "passed": "please" in result.output, "explanation": f"{scenario.name}: say please"}

class Long:
    name = "long"
    def score(self, scenario, result):
        return len(result.output) / 10

class Bad:
    name = "bad"
    def score(self, scenario, result):
        return 7

class Raises:
    name = "raises"
    def score(self, scenario, result):
        raise LookupError("nothing")

class Skips:
    name = "skips"
    def score(self, scenario, result):
        import pytest
        pytest.skip("not today")
"""


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("scorer", "more", "outcome", "words"),
    [
        ("polite", {}, "failed", "polite: FAIL. x: say please"),
        ("polite", {"input": "please"}, "passed", ""),
        ("my_scorers.Long", {"input": "12345", "threshold": 0.5}, "passed", ""),
        ("my_scorers.Long", {"input": "1234", "threshold": 0.5}, "failed", "The score is 0.4."),
        ("my_scorers.Bad", {}, "failed", "the scorer's score is not a number from 0 to 1"),
        (
            "my_scorers.Raises",
            {},
            "failed",
            "my_scorers.Raises: ERROR. the scorer my_scorers.Raises raised LookupError",
        ),
        ("my_scorers.Skips", {}, "failed", "my_scorers.Skips: ERROR. the scorer my_scorers.Skips raised Skipped"),
        ("regex", {"metadata": {"regex_pattern": "^i$"}}, "passed", ""),
        (
            "regex",
            {"metadata": {"regex_pattern": "[a-h]"}},
            "failed",
            "Regex: FAIL. ",
        ),
        ("normalized_exact", {"input": " I "}, "passed", ""),
        (
            "numeric_exact",
            {"input": "5", "expected_output": "6"},
            "failed",
            "numeric_exact: FAIL. Off by 1: expected '6', got '5'.",
        ),
        ("trajectory_in_order", {"expected_tools": ["search", "book"]}, "passed", ""),
        ("trajectory_exact", {"expected_tools": ["book", "search"]}, "failed", "trajectory_exact: FAIL."),
        (
            {"operator": "trajectory_any_order", "settings": {"args": "contains"}},
            {"expected_tools": ["search"], "expected_tool_args": {"search": {"q": "y"}}},
            "failed",
            "trajectory_any_order: FAIL.",
        ),
        (
            {
                "operator": "numeric_maximum",
                "mapping": {"observed": "$.tool_calls[0].arguments.limit", "expected": {"literal": 5}},
            },
            {},
            "passed",
            "",
        ),
        (
            {"operator": "exact", "mapping": {"expected": "$.metadata.nope", "observed": "$.output"}},
            {},
            "failed",
            "exact: ERROR. expected: the path $.metadata.nope matches nothing",
        ),
    ],
    ids=str,
)
def test_scorers(harness, scorer, more, outcome, words):
    harness.write({"my_scorers.py": SCORERS})
    scenario = {"name": "x", "input": "i", "expected_output": "i", "scorer": scorer, **more}
    if not reads_output(scorer):
        del scenario["expected_output"]
    files = {
        "conftest.py": "import my_scorers",
        "my_adapters.py": ADAPTERS,
        "a.verdict.yaml": suite(scenario, adapter="my_adapters.Echo"),
    }
    run = harness.run(files, REPORT)
    assert run.outcomes == {outcome: 1}
    assert words in run.stdout
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"identical"}


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("scorer", "more", "outcome"),
    [
        ({"operator": "exact", "mapping": {"observed": "$.output"}}, {}, "passed"),
        ({"operator": "exact", "mapping": {"observed": "$.output"}}, {"expected_output": "j"}, "failed"),
        ({"operator": "exact", "mapping": {"expected": "$.input"}}, {"expected_output": None}, "passed"),
        ({"operator": "exact", "mapping": {}}, {"expected_output": "j"}, "failed"),
        ({"operator": "trajectory_exact", "mapping": {"observed": "$.tool_calls"}}, {"expected_tools": []}, "failed"),
        ({"operator": "trajectory_exact", "mapping": {}}, {"expected_tools": ["search", "book"]}, "passed"),
        ({"operator": "trace_length", "settings": {"max": 5}, "mapping": {}}, {"expected_output": None}, "passed"),
        ({"operator": "regex", "mapping": {"pattern": {"literal": "^i$"}}}, {"expected_output": None}, "passed"),
        ({"operator": "regex", "mapping": {"pattern": "$.metadata.p"}, "settings": {"mode": "search"}},
         {"metadata": {"p": "^i$"}}, "passed"),
    ],
    ids=str,
)  # fmt: skip
def test_mapping_defaults_come_from_the_scenario(harness, scorer, more, outcome):
    assert run_with(harness, "my_adapters.Echo", scorer=scorer, **more).outcomes == {outcome: 1}


@pytest.mark.ci
@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("scorer", "key"),
    [
        ({"operator": "exact", "mapping": {"observed": "$.output"}}, "expected_output"),
        ({"operator": "trajectory_exact", "mapping": {"observed": "$.tool_calls"}}, "expected_tools"),
        ({"operator": "exact", "mapping": {"expected": None, "observed": "$.output"}}, "the mapping does not say"),
    ],
    ids=str,
)
def test_a_mapping_that_finds_no_expectation_is_refused(harness, scorer, key):
    run = run_with(harness, "my_adapters.Echo", scorer=scorer, expected_output=None)
    assert run.outcomes == {"errors": 1}
    assert key in run.stdout
