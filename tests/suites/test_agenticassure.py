"""Files, adapters and scorers for AgenticAssure; a fake package of that name takes its place."""

import pytest

STAND_IN = {
    "agenticassure/__init__.py": "",
    "agenticassure/scorers/__init__.py": "",
    "agenticassure/scorers/base.py": """
_KNOWN = {}

def register_scorer(scorer):
    _KNOWN[scorer.name] = scorer

def get_scorer(name):
    return _KNOWN[name]

def list_scorers():
    return list(_KNOWN)
""",
    "conftest.py": """
from types import SimpleNamespace
from agenticassure.scorers.base import register_scorer

class Polite:
    name = "polite"

    def score(self, scenario, result):
        called = [call.name for call in result.tool_calls]
        passed = called == ["get_weather"] and scenario.description is not None
        told = f"{scenario.id} called {called}"
        said = {"scenario_id": scenario.id, "scorer_name": self.name, "score": float(passed), "passed": passed}
        return SimpleNamespace(**said, explanation=told)

register_scorer(Polite())
""",
    "my_agent.py": """
class Call:
    name, arguments, result = "get_weather", {"location": "Rome"}, None

class Agent:
    def run(self, input, context=None):
        class Result:
            output, tool_calls, reasoning_trace = "It is sunny", [Call()], None
            latency_ms, token_usage, raw_response = 1.0, None, None
        return Result()
""",
}
SUITE = """
suite:
  name: weather
  config: {default_timeout: 30, retries: 1, default_scorers: [passfail], fail_fast: FAIL_FAST}
scenarios:
  - name: tools
    input: What is the weather in Rome?
    expected_tools: [get_weather]
    expected_tool_args: ARGUMENTS
    scorers: [passfail, polite]
  - name: wrong
    input: i
    expected_output: rain
  - name: last
    input: i
    expected_output: sunny
"""


def run(harness, *options, fail_fast="false", arguments="{get_weather: {location: Rome}}"):
    content = SUITE.replace("FAIL_FAST", fail_fast).replace("ARGUMENTS", arguments)
    return harness.run({**STAND_IN, "a.verdict.yaml": content}, "--verify-adapter=my_agent.Agent", "-rP", *options)


@pytest.mark.parametrize("more", [["--verify-report"], ["--verify-report", "--verify-resume"]])
def test_their_files_scorers_and_results_run_as_they_are(harness, more):
    for _ in more:
        session = run(harness, *more)
        assert session.outcomes == {"passed": 2, "failed": 1}
        assert "polite: PASS. tools called ['get_weather']" in session.stdout


def test_fail_fast_skips_what_follows_in_its_suite(harness):
    session = run(harness, "--verify-report", fail_fast="true")
    assert session.outcomes == {"passed": 1, "failed": 1, "skipped": 1}
    assert (
        "fail_fast: an earlier scenario of this suite did not pass"
        in harness.run({}, "-rs", "--verify-adapter=my_agent.Agent").stdout
    )


def test_arguments_without_a_tool_belong_to_the_only_tool(harness):
    session = run(harness, "-Wdefault", arguments="{location: Rome}")
    assert session.outcomes == {"passed": 2, "failed": 1, "warnings": 1}
    assert "SuiteWarning: a.verdict.yaml:9: expected_tool_args are taken for those of 'get_weather'" in session.stdout
    assert run(harness, "-Wdefault", arguments="{location: Oslo}").outcomes == {"passed": 1, "failed": 2, "warnings": 1}


@pytest.mark.ci
def test_arguments_of_an_ambiguous_tool_are_refused(harness):
    session = harness.run(
        {"a.verdict.yaml": "scenarios:\n- {name: a, input: b, expected_tools: [x, y], expected_tool_args: {q: 1}}\n"}
    )
    assert "a.verdict.yaml:2: expected_tool_args: write the arguments below the name of their tool" in session.stdout
