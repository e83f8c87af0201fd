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
  timeout_seconds: 30
  retries: 1
  scorers: [passfail]
  fail_fast: FAIL_FAST
scenarios:
  - name: tools
    input: What is the weather in Rome?
    expected_tools: [get_weather]
    expected_tool_args: {get_weather: {location: Rome}}
    scorers: [passfail, polite]
  - name: wrong
    input: i
    expected_output: rain
  - name: last
    input: i
    expected_output: sunny
"""


def run(harness, *options, fail_fast="false"):
    content = SUITE.replace("FAIL_FAST", fail_fast)
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


@pytest.mark.parametrize("tools", ["[x]", "[x, y]"])
def test_arguments_without_a_tool_are_refused(harness, tools):
    suite = f"scenarios:\n- {{name: a, input: b, expected_tools: {tools}, expected_tool_args: {{q: 1}}}}\n"
    session = harness.run({"a.verdict.yaml": suite})
    assert "a.verdict.yaml:2: expected_tool_args.q: Input should be a valid dictionary, got 1" in session.stdout
