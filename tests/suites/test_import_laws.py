"""Importers: every kind of check of the other tools has its place, keeps its meaning, and what is written can be checked."""

from __future__ import annotations

import argparse
import json

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from pytest_verdict.errors import SuiteError
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.commands import import_
from pytest_verdict.suites.importing import FORMATS
from pytest_verdict.suites.importing.promptfoo import _CHECKS
from pytest_verdict.suites.importing.pydantic_evals import _EVALUATORS
from pytest_verdict.suites.suite_reader import read_suite

# Every kind of assertion that the documentation of promptfoo 0.121 lists, and every evaluator of pydantic-evals 2.62.
PROMPTFOO = """
    agent-rubric answer-relevance bleu classifier contains contains-all contains-any contains-html contains-json
    contains-sql contains-xml context-faithfulness context-recall context-relevance conversation-relevance cost
    equals factuality finish-reason g-eval gleu guardrails icontains icontains-all icontains-any is-html is-json
    is-refusal is-sql is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml
    javascript latency levenshtein llm-rubric max-score meteor model-graded-closedqa model-graded-factuality
    moderation perplexity perplexity-score pi python regex rouge-n ruby search-rubric select-best similar
    similar:cosine similar:dot similar:euclidean skill-used starts-with tool-call-f1 trace-error-spans
    trace-span-count trace-span-duration trajectory:goal-success trajectory:step-count trajectory:tool-args-match
    trajectory:tool-sequence trajectory:tool-used webhook word-count
""".split()  # noqa: SIM905 - a list of names
PYDANTIC_EVALS = """
    ArgumentCorrectness Contains Equals EqualsExpected GEval HasMatchingSpan IsInstance LLMJudge MaxDuration
    MaxModelRequests MaxToolCalls ToolCorrectness TrajectoryMatch
""".split()  # noqa: SIM905 - a list of names


@pytest.mark.parametrize("kind", sorted({*PROMPTFOO} - {*_CHECKS}))
def test_an_assertion_that_is_not_translated_is_named(imported, kind):
    checks = [{"type": kind, "value": "a"}, {"type": f"not-{kind}", "value": "a"}, {"type": "contains", "value": "a"}]
    _, said, path, _ = imported("promptfoo", {"prompts": ["a"], "tests": [{"assert": checks}]})
    assert len(said) == 2
    assert all(f"{kind}: it is not translated" in line for line in said)
    assert len(read_suite(path).scenarios[0].scorers) == 1


def test_every_kind_is_in_the_list():
    assert {*_CHECKS} <= {*PROMPTFOO}
    assert {*_EVALUATORS} <= {*PYDANTIC_EVALS}


@pytest.mark.parametrize("name", sorted({*PYDANTIC_EVALS} - {*_EVALUATORS}))
def test_an_evaluator_that_is_not_translated_is_named(imported, name):
    cases = [{"inputs": "a", "evaluators": [name, {name: {}}, {name: "x"}, {"Contains": "a"}]}]
    _, said, path, _ = imported("pydantic-evals", {"cases": cases})
    assert all(f"{name}: " in line for line in said)
    assert any(f"{name}: it is not translated" in line for line in said)
    assert len(read_suite(path).scenarios[0].scorers) == 1


def passes(imported, tool, document, output):
    """Return the verdicts of all checks of a file on one output; None if it has no suite."""
    code, _, path, _ = imported(tool, document)
    if code == 2:
        return None
    (plan,) = read_suite(path).scenarios
    results = [scorer.score(plan.scenario, AgentResult(output), "a", None).verdict for scorer in plan.scorers]
    assert "error" not in results
    return all(verdict == "pass" for verdict in results)


NESTED = {"properties": {"a": {"type": "object"}}}
# An assertion, an output, and the verdict of promptfoo; None for what cannot be said exactly.
SAME = [
    ({"type": "contains", "value": 1.0}, "1 or 2", None),
    ({"type": "contains", "value": 1.5}, "1.5", None),
    ({"type": "contains", "value": True}, "true", None),
    ({"type": "contains", "value": ["a"]}, "a", None),
    ({"type": "contains", "value": 1e-9}, "1e-9", None),
    ({"type": "contains", "value": " a"}, "ba", False),
    ({"type": "contains", "value": "a", "weight": 3}, "a", True),
    ({"type": "contains", "value": "a", "weight": 0}, "b", None),
    ({"type": "contains", "value": "a", "threshold": 0.5}, "a", None),
    ({"type": "contains", "value": "a", "transform": "output.trim()"}, "a", None),
    ({"type": "icontains", "value": "STRASSE"}, "straße", False),
    ({"type": "icontains", "value": "Straße"}, "DIE STRAßE", True),
    ({"type": "icontains", "value": "s"}, "\u017f", False),
    ({"type": "not-icontains", "value": "A"}, "bab", False),
    ({"type": "not-icontains", "value": "A"}, "bb", True),
    ({"type": "contains-any", "value": "a, b"}, "xb", True),
    ({"type": "contains-any", "value": '"a, b", c'}, "a", None),
    ({"type": "contains-any", "value": '"a, b", c'}, "a, b", None),
    ({"type": "contains-any", "value": '"say ""hi"""'}, 'say "hi"', None),
    ({"type": "contains-any", "value": r'"say \"hi\""'}, 'say "hi"', None),
    ({"type": "contains-any", "value": '"a'}, "a", None),
    ({"type": "contains-any", "value": 'x"y'}, 'x"y', None),
    ({"type": "contains-any", "value": "a,,b,"}, "x", False),
    ({"type": "contains-any", "value": [1, 2.0]}, "2", None),
    ({"type": "contains-any", "value": []}, "a", None),
    ({"type": "contains-any", "value": 5}, "5", None),
    ({"type": "contains-any", "value": [None]}, "null", None),
    ({"type": "contains-all", "value": ["a", 1]}, "1a", True),
    ({"type": "icontains-all", "value": "Ä, B"}, "bä", True),
    ({"type": "icontains-all", "value": "ss"}, "ß", False),
    ({"type": "not-contains-all", "value": "a, b"}, "a", True),
    ({"type": "not-icontains-any", "value": "a, b"}, "B", False),
    ({"type": "equals", "value": True}, "true", True),
    ({"type": "equals", "value": 5.0}, "5", None),
    ({"type": "equals", "value": 5.0}, "5.0", None),
    ({"type": "equals", "value": "a"}, "a\n", False),
    ({"type": "equals", "value": "A"}, "a", False),
    ({"type": "equals", "value": {"a": [1]}}, '{"a": [1.0]}', True),
    ({"type": "equals", "value": {"a": 1}}, '{"a": true}', False),
    ({"type": "equals", "value": [2, 1]}, "[1, 2]", False),
    ({"type": "equals", "value": "e\u0301", "normalizeUnicode": True}, "\xe9", None),
    ({"type": "not-equals", "value": "a"}, "b", True),
    ({"type": "not-equals", "value": {"a": 1}}, "b", None),
    ({"type": "starts-with", "value": "a"}, " a", False),
    ({"type": "starts-with", "value": "a."}, "ab", False),
    ({"type": "not-starts-with", "value": "a"}, "ba", True),
    ({"type": "regex", "value": "^a$"}, "a\n", False),
    ({"type": "regex", "value": r"^\d$"}, "٣", False),
    ({"type": "not-regex", "value": "a+"}, "b", True),
    ({"type": "is-json"}, "5", True),
    ({"type": "is-json", "value": ""}, "[]", True),
    ({"type": "is-json"}, "{a: 1}", False),
    ({"type": "is-json", "value": '{"required": ["a"]}'}, '{"a": 1}', None),
    ({"type": "is-json", "value": "required: [a]"}, "{}", None),
    ({"type": "is-json", "value": {"format": "ipv4"}}, '"1.2.3"', False),
    ({"type": "is-json", "value": {"format": "ipv4"}}, '"1.2.3.4"', True),
    ({"type": "is-json", "value": {"dependencies": {"a": ["b"]}}}, '{"a": 1}', False),
    ({"type": "is-json", "value": {"items": [{"type": "null"}]}}, "[1]", False),
    ({"type": "is-json", "value": {"$schema": "https://json-schema.org/draft/2020-12/schema"}}, "1", None),
    ({"type": "is-json", "value": False}, "1", False),
    ({"type": "not-is-json"}, "a", None),
    ({"type": "contains-json"}, "see [1, 2]", False),
    ({"type": "contains-json"}, 'see {"a": 1}.', True),
    ({"type": "contains-json", "value": NESTED}, 'see {"a": 1}.', False),
    ({"type": "word-count", "value": 2}, " a  b ", True),
    ({"type": "word-count", "value": "2"}, "a b", True),
    ({"type": "word-count", "value": {"min": 2}}, "a", False),
    ({"type": "word-count", "value": {"max": 2}}, "", True),
    ({"type": "word-count", "value": {"min": 0}}, "", None),
    ({"type": "word-count", "value": {"min": 3, "max": 2}}, "a b", None),
    ({"type": "word-count", "value": [2]}, "a b", None),
    ({"type": "not-word-count", "value": 2}, "a b", False),
    ({"type": "assert-set", "assert": [{"type": "contains", "value": "a"}, {"type": "contains", "value": "b"}]}, "a", None),
    ({"type": "assert-set", "assert": [{"type": "contains", "value": "a"}], "threshold": 0.5}, "a", None),
    ({"$ref": "#/assertionTemplates/has", "value": "z"}, "z", True),
    ({"$ref": "#/assertionTemplates/has"}, "z", False),
]  # fmt: skip


@pytest.mark.parametrize(("check", "output", "verdict"), SAME)
def test_a_promptfoo_assertion_keeps_its_meaning(imported, check, output, verdict):
    document = {"prompts": ["a"], "tests": [{"assert": [check]}]}
    document["assertionTemplates"] = {"has": {"type": "contains", "value": "q"}}
    assert passes(imported, "promptfoo", document, output) is verdict


SAME_EVALUATORS = [
    ({"Contains": "A"}, "a", False),
    ({"Contains": {"value": "A", "case_sensitive": False}}, "xa", True),
    ({"Contains": {"value": "ss", "case_sensitive": False}}, "ß", False),
    ({"Contains": {"value": 5, "as_strings": True}}, "15", True),
    ({"Contains": {"value": True, "as_strings": True}}, "True", True),
    ({"Contains": {"value": 5}}, "5", None),
    ({"Contains": {}}, "5", None),
    ({"Contains": {"value": "a", "fuzzy": True}}, "a", None),
    ({"Contains": {"value": {"a": {"b": 1}}}}, '{"a": {"b": 1, "c": 2}}', False),
    ({"Contains": {"value": {"a": {"b": 1}}}}, '{"a": {"b": 1}, "d": 2}', True),
    ({"Contains": {"value": {"a": "5"}}}, '{"a": 5}', False),
    ({"Contains": {"value": {"a.b": 1}}}, '{"a.b": 1}', True),
    ({"Contains": {"value": {"a": None}}}, "{}", False),
    ({"Contains": {"value": {}}}, "{}", None),
    ({"Equals": "a"}, "a", True),
    ({"Equals": "a"}, "a ", False),
    ({"Equals": {"value": "a", "evaluation_name": "same"}}, "a", True),
    ({"Equals": {"evaluation_name": "same"}}, "a", None),
    ({"name": "Equals", "arguments": {"value": "a"}}, "a", True),
    ({"name": "Equals", "arguments": None}, "a", None),
    ({"EqualsExpected": None}, "x", True),
    ("EqualsExpected", "y", False),
    ({"EqualsExpected": {"value": "y"}}, "y", None),
    ("Equals", "x", None),
    ({"MaxDuration": "PT2S"}, "x", None),
    ({"MaxDuration": float("inf")}, "x", None),
]  # fmt: skip


LIMITS = [
    ({"MaxModelRequests": 3}, "run_limits", {"limits": {"model_requests": 3}}),
    ({"MaxModelRequests": 0}, "run_limits", {"limits": {"model_requests": 0}}),
    (
        {"MaxModelRequests": {"max_requests": 3, "evaluation_name": "few"}},
        "run_limits",
        {"limits": {"model_requests": 3}},
    ),
    ({"MaxToolCalls": 2}, "trajectory_max_calls", {"limits": 2, "failed": "count"}),
    ({"MaxToolCalls": 0}, "trajectory_max_calls", {"limits": 0, "failed": "count"}),
    ({"name": "MaxToolCalls", "arguments": {"max_calls": 2}}, "trajectory_max_calls", {"limits": 2, "failed": "count"}),
    (
        {"MaxToolCalls": {"max_calls": 2, "include_failed": False}},
        "trajectory_max_calls",
        {"limits": 2, "failed": "skip"},
    ),
    ({"MaxModelRequests": -1}, None, None),
    ({"MaxModelRequests": "3"}, None, None),
    ({"MaxModelRequests": True}, None, None),
    ({"MaxModelRequests": {"max_calls": 3}}, None, None),
    ({"MaxToolCalls": 2.5}, None, None),
    ({"MaxToolCalls": -2}, None, None),
    ({"MaxToolCalls": {"max_calls": 2, "include_failed": "no"}}, None, None),
    ({"MaxToolCalls": {"include_failed": False}}, None, None),
    ({"MaxToolCalls": None}, None, None),
    ("MaxToolCalls", None, None),
    ("MaxModelRequests", None, None),
]


@pytest.mark.parametrize(("evaluator", "operator", "settings"), LIMITS)
def test_limit_of_pydantic_evals_is_an_operator(imported, evaluator, operator, settings):
    _, said, path, _ = imported(
        "pydantic-evals", {"cases": [{"inputs": "a", "evaluators": [evaluator, {"Contains": "a"}]}]}
    )
    (scenario,) = yaml.safe_load(path.read_text("utf-8"))["suite"]["scenarios"]
    first = scenario["scorers"][0]
    assert first["operator"] == (operator or "contains_all")
    if operator is None:
        assert len(said) == 1
    else:
        assert first["settings"] == settings


@pytest.mark.parametrize(("evaluator", "output", "verdict"), SAME_EVALUATORS)
def test_an_evaluator_of_pydantic_evals_keeps_its_meaning(imported, evaluator, output, verdict):
    document = {"cases": [{"inputs": "a", "expected_output": "x", "evaluators": [evaluator]}]}
    assert passes(imported, "pydantic-evals", document, output) is verdict


def test_seconds_are_exact_milliseconds(imported):
    _, _, path, _ = imported("pydantic-evals", {"cases": [{"inputs": "a", "evaluators": [{"MaxDuration": 1.001}]}]})
    assert "literal: 1001\n" in path.read_text("utf-8")


def test_a_list_of_values_is_not_one_test(imported):
    _, said, path, _ = imported(
        "promptfoo",
        {"prompts": ["{{a}}"], "tests": [{"vars": {"a": [1, 2]}, "assert": []}, {"assert": [{"type": "is-json"}]}]},
    )
    assert "a list stands for a test with each of its values" in said[0]
    assert len(read_suite(path).scenarios) == 1


@pytest.mark.parametrize(
    "document",
    [
        {"cases": [{"inputs": "a", "evaluators": [{}]}]},
        {"cases": [{"inputs": "a", "evaluators": [{"Equals": "a", "Contains": "b"}]}]},
        {"cases": [{"inputs": "a", "evaluators": [5]}]},
        {"cases": [{"inputs": "a", "evaluators": [[]]}]},
        {"cases": [{"evaluators": ["Equals"]}]},
        {"cases": {"a": 1}},
        {"cases": [5]},
        [],
    ],
    ids=str,
)
def test_a_hostile_file_is_refused_in_one_line(imported, document):
    code, _, _, error = imported("pydantic-evals", json.dumps(document))
    assert code == 2
    assert len(error.splitlines()) <= 1


NAMES = st.sampled_from(
    [5, 1.5, True, "a::b", "a:::b", ":", "", " ", "x\ny", "\x00", "\ud800", None, "é", [1], {"a": 1}, "1"]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), NAMES)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
CHECKS = st.builds(
    lambda kind, value, more: {"type": kind, "value": value, **more},
    st.sampled_from([*_CHECKS, *(f"not-{kind}" for kind in _CHECKS), "levenshtein"]),
    VALUES,
    st.dictionaries(st.sampled_from(["threshold", "weight", "metric", "x"]), SCALARS, max_size=1),
)
EVALUATORS = st.one_of(
    st.dictionaries(st.sampled_from([*_EVALUATORS, "LLMJudge", "name", "arguments"]), VALUES, max_size=2),
    st.builds(lambda name, value: {name: {"value": value}}, st.sampled_from([*_EVALUATORS]), VALUES),
    VALUES,
)
DOCUMENTS = {
    "promptfoo": st.builds(
        lambda name, variables, checks: {
            "prompts": ["{{a}}"],
            "description": name,
            "tests": [{"description": name, "vars": variables, "assert": checks}] * 2,
        },
        NAMES,
        st.dictionaries(st.sampled_from(["a", "b"]), SCALARS, max_size=2),
        st.lists(CHECKS, max_size=3),
    ),
    "pydantic-evals": st.builds(
        lambda name, inputs, expected, evaluators: {
            "name": name,
            "cases": [{"name": name, "inputs": inputs, "expected_output": expected, "evaluators": evaluators}] * 2,
        },
        NAMES,
        VALUES,
        VALUES,
        st.lists(EVALUATORS, max_size=3),
    ),
    "agenticassure": st.builds(
        lambda name, values, scorers: {
            "suite": {"name": name, "description": name},
            "scenarios": [{"name": name, "input": "a", "expected_output": "a", **values, "scorers": scorers}] * 2,
        },
        NAMES,
        st.dictionaries(
            st.sampled_from(["input", "expected_output", "expected_tools", "expected_tool_args", "tags", "metadata"]),
            VALUES,
            max_size=3,
        ),
        st.lists(st.sampled_from(["passfail", "exact", "regex", "similarity", "own"]) | NAMES, max_size=3),
    ),
    "karenina": st.builds(
        lambda name, code: {
            "dataFeedElement": [{"item": {"text": name, "hasPart": {"text": code}}}],
        },
        NAMES,
        st.sampled_from(["class Answer(BaseAnswer): pass", "class A: pass", "x =", 5, "", "from karenina import X"]),
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize("tool", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_what_an_import_writes_is_accepted_by_check(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("imported")
    output = folder / "out.verdict.yaml"
    source = folder / "their file.json"
    errors = []

    @settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(DOCUMENTS[tool])
    def law(document):
        output.unlink(missing_ok=True)
        source.write_text(json.dumps(document), "utf-8")
        try:
            code = import_.run(argparse.Namespace(format=tool, file=source, output=output))
        except SuiteError as error:
            errors.append(str(error))
            return
        assert (code == 2) is not output.exists()
        if not output.exists():
            return
        if tool == "karenina":
            compile(output.read_text("utf-8"), "test_imported.py", "exec")
        else:
            assert read_suite(output).scenarios

    law()
    assert not [error for error in errors if "\n" in error]
