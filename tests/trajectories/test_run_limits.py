"""Limits on what a run reports of itself: each source of figures, and what is missing."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from pytest_verdict import assert_matches, compare
from pytest_verdict.errors import MismatchError, SettingsError
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.trajectories.run_limits import read_figures

OPENAI = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
CURRENT = {"input_tokens": 10, "output_tokens": 5}
TOKENS = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
ONE = {"model_requests": 1, **TOKENS}
TWO = {"model_requests": 2, "input_tokens": 20, "output_tokens": 10, "total_tokens": 30}


def ai(**keys):
    return {"type": "ai", "content": "x", **keys}


def span(start, end, **attributes):
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    times = {"start_time": f"2026-01-01T00:00:{start:02}Z", "end_time": f"2026-01-01T00:00:{end:02}Z"}
    return {"name": "span", **times, "attributes": named}


def chat(start, end, **attributes):
    return span(start, end, gen_ai__operation__name="chat", **attributes)


USAGE = {"gen_ai__usage__input_tokens": 10, "gen_ai__usage__output_tokens": 5}
AGENT = span(
    0, 9, gen_ai__operation__name="invoke_agent", gen_ai__usage__input_tokens=20, gen_ai__usage__output_tokens=10
)

# What reports figures, and all that it reports.
REPORTS = {
    "figures": ({"model_requests": 2, "cost": 0.5, "seconds": 3}, {"model_requests": 2, "cost": 0.5, "seconds": 3}),
    "figures as text": ('{"cost": 0.5}', {"cost": 0.5}),
    "OpenAI completion": ({"choices": [{"message": {"role": "assistant"}}], "usage": OPENAI}, ONE),
    "OpenAI completion of an object": (SimpleNamespace(choices=[1], usage=SimpleNamespace(**OPENAI)), ONE),
    "OpenAI Responses": ({"object": "response", "output": [], "usage": {**CURRENT, "total_tokens": 15}}, ONE),
    "completions": ([{"choices": [1], "usage": OPENAI}, {"choices": [1], "usage": OPENAI}], TWO),
    "Anthropic message": ({"role": "assistant", "content": [], "usage": CURRENT}, ONE),
    "Anthropic with a cache": (
        {"role": "assistant", "usage": {**CURRENT, "cache_read_input_tokens": 90, "cache_creation_input_tokens": None}},
        {"model_requests": 1, "input_tokens": 100, "output_tokens": 5, "total_tokens": 105},
    ),
    "Gemini": (
        {"candidates": [{}], "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}},
        ONE,
    ),
    "Gemini with thoughts": (
        {
            "candidates": [{}],
            "usage_metadata": {
                "prompt_token_count": 10,
                "candidates_token_count": 5,
                "thoughts_token_count": 7,
                "total_token_count": 22,
            },
        },
        {"model_requests": 1, "input_tokens": 10, "output_tokens": 12, "total_tokens": 22},
    ),
    "ADK events": (
        [{"author": "a", "content": {}, "usageMetadata": {"promptTokenCount": 10}}, {"author": "user"}],
        {"model_requests": 1, "input_tokens": 10},
    ),
    "Bedrock": (
        {
            "output": {"message": {"role": "assistant"}},
            "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
            "metrics": {"latencyMs": 300},
        },
        {**ONE, "seconds": 0.3},
    ),
    "LangChain": (
        [
            {"type": "human", "content": "x"},
            ai(usage_metadata=TOKENS, response_metadata={"token_usage": OPENAI}),
            {"type": "tool", "content": "x"},
            ai(usage_metadata=TOKENS),
        ],
        TWO,
    ),
    "LangGraph state": ({"messages": [ai(usage_metadata=TOKENS), ai(usage_metadata=TOKENS)]}, TWO),
    "pydantic-ai messages": ([{"kind": "request", "parts": []}, {"kind": "response", "parts": [], "usage": CURRENT}], ONE),
    "pydantic-ai usage": ({"requests": 2, "tool_calls": 1, **CURRENT}, {"model_requests": 2, **TOKENS}),
    "AgentResult": (
        AgentResult("x", latency_ms=1500, token_usage={"prompt_tokens": 10, "completion_tokens": 5}),
        {**TOKENS, "seconds": 1.5},
    ),
    "Claude Code": (
        [
            {"type": "assistant", "message": {"id": "m", "role": "assistant", "usage": CURRENT}},
            {"type": "assistant", "message": {"id": "m", "role": "assistant", "usage": CURRENT}},
            {"type": "result", "total_cost_usd": 0.05, "duration_ms": 3000, "usage": {"input_tokens": 12, "output_tokens": 5}},
        ],
        {"model_requests": 1, "input_tokens": 12, "output_tokens": 5, "total_tokens": 17, "cost": 0.05, "seconds": 3},
    ),
    "spans": ([AGENT, chat(1, 2, **USAGE), chat(3, 5, **USAGE)], {**TWO, "seconds": 9}),
    "request inside a request": (
        [{**chat(1, 4, **USAGE), "spanId": "a"}, {**chat(2, 3, **USAGE), "spanId": "b", "parentSpanId": "a"}],
        {**ONE, "seconds": 3},
    ),
    "spans without an operation": ([span(0, 1, gen_ai__system="x", **USAGE)], {**ONE, "seconds": 1}),
    "spans of OpenInference": (
        [
            {
                "name": "llm",
                "attributes": {
                    "openinference.span.kind": "LLM",
                    "llm.token_count.prompt": 10,
                    "llm.token_count.completion": 5,
                },
            },
            {"name": "agent", "attributes": {"openinference.span.kind": "AGENT", "llm.token_count.prompt": 10}},
        ],
        ONE,
    ),
    "OTLP": (
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "name": "chat",
                                    "startTimeUnixNano": "1000000000",
                                    "endTimeUnixNano": "3500000000",
                                    "attributes": [
                                        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                                        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "10"}},
                                    ],
                                }
                            ]
                        }
                    ]
                }
            ]
        },
        {"model_requests": 1, "input_tokens": 10, "seconds": 2.5},
    ),
    "Langfuse": (
        [{"type": "GENERATION", "traceId": "t", "usageDetails": {"input": 10, "output": 5, "total": 15}, "totalCost": 0.1}],
        {**ONE, "cost": 0.1},
    ),
    "LangSmith": ({"run_type": "llm", "prompt_tokens": 10, "completion_tokens": 5, "total_cost": 0.1}, {**ONE, "cost": 0.1}),
    # A figure that one answer lacks is unknown.
    "half of the answers": ([ai(usage_metadata=TOKENS), ai()], {"model_requests": 2}),
    "half of the spans": ([chat(1, 2, **USAGE), chat(3, 5)], {"model_requests": 2, "seconds": 4}),
    "total above its parts": ({"usage": {**CURRENT, "total_tokens": 40}}, {**TOKENS, "total_tokens": 40}),
    "total below its parts": ({"usage": {**CURRENT, "total_tokens": 1}}, TOKENS),
    "two usages": ({"usage": {"input_tokens": 1}, "token_usage": {"prompt_tokens": 10}}, {"input_tokens": 10}),
    "total of a run": ({"messages": [ai(usage_metadata=TOKENS)], "usage": {"input_tokens": 90}}, {**ONE, "input_tokens": 90}),
    # These are no figures.
    "nothing": ({}, {}),
    "no answers": ([{"role": "user", "content": "x"}], {}),
    "empty": ([], {}),
    "None": (None, {}),
    "text": ("It cost 5 dollars.", {}),
    "text in a figure": ({"cost": "0.5"}, {}),
    "truth value": ({"cost": True}, {}),
    "negative": ({"cost": -1}, {}),
    "NaN": ({"cost": float("nan"), "seconds": float("inf")}, {}),
    "list": ({"requests": [1, 2]}, {}),
    "input of a run": ({"input": 5, "output": 7, "total": 12}, {}),
}  # fmt: skip


@pytest.mark.parametrize("label", REPORTS)
def test_figures_are_read(label):
    report, figures = REPORTS[label]
    assert read_figures(report) == {name: Decimal(str(number)) for name, number in figures.items()}


@pytest.mark.parametrize("label", REPORTS)
def test_limits_decide_and_a_missing_figure_is_an_error(label):
    report, figures = REPORTS[label]
    for figure in ("model_requests", "input_tokens", "output_tokens", "total_tokens", "cost", "seconds"):
        result = compare("run_limits", {figure: figures.get(figure, 10**9)}, report)
        assert (result.verdict, result.notes) == (("pass", []) if figure in figures else ("error", ["missing_figure"]))
        if figure in figures:
            assert compare("run_limits", {figure: figures[figure] * 0.999}, report).verdict == "fail"
            assert compare("run_limits", {figure: figures[figure], "cost": -1}, report).verdict == "error"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"tokens": 5}, "unknown figure, 'tokens'. Did you mean 'total_tokens'?"),
        ({"milliseconds": 5}, "unknown figure"),
        ({1: 5}, "unknown figure"),
        ({"cost": -1}, "takes a number from 0 for cost"),
        ({"cost": True}, "takes a number from 0 for cost"),
        ({"cost": "1"}, "takes a number from 0 for cost"),
        ({"cost": None}, "takes a number from 0 for cost"),
        ({"cost": float("nan")}, "takes a number from 0 for cost"),
        ({"cost": float("inf")}, "takes a number from 0 for cost"),
        ({}, "takes a limit"),
        (5, "takes a limit"),
        ("cost", "takes a limit"),
        (["cost"], "takes a limit"),
    ],
    ids=str,
)
def test_limits_that_cannot_be_used_are_an_error(limits, reason):
    result = compare("run_limits", limits, {"cost": 1})
    assert (result.verdict, result.notes) == ("error", ["not_a_limit"])
    assert reason in result.error
    with pytest.raises(SettingsError):
        compare("run_limits", None, {"cost": 1}, limits=limits)


def test_limits_are_exact():
    assert compare("run_limits", {"cost": 0.3}, {"cost": Decimal("0.3")}).passed
    assert compare("run_limits", {"cost": 0.3}, {"cost": 0.1 + 0.2}).verdict == "fail"
    assert compare("run_limits", {"cost": 0}, {"cost": 0}).passed


def test_limits_may_be_a_setting():
    result = compare("run_limits", None, {"cost": 1}, limits={"cost": 2})
    assert (result.passed, result.expected, result.details) == (True, {"cost": 2}, {"figures": {"cost": 1}})


def test_spans_that_cannot_be_read_fail():
    assert compare("run_limits", {"cost": 1}, "[{").notes == ["trajectory_unreadable"]


def test_failure_names_each_figure():
    with pytest.raises(MismatchError) as failure:
        assert_matches("run_limits", {"total_tokens": 14, "model_requests": 0}, REPORTS["OpenAI completion"][0])
    assert "total_tokens is 15, at most 14 allowed" in str(failure.value)
    assert "model_requests is 1, at most 0 allowed" in str(failure.value)
