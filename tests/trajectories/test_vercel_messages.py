"""Messages, steps and calls of the Vercel AI SDK, written by versions 5 to 7 with a mock model."""

import json
from pathlib import Path

import pytest
from test_formats import SHAPES

from pytest_verdict import compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format
from pytest_verdict.trajectories.readers.messages import vercel
from refusals import refused

recognises = vercel.recognises
SAMPLES = json.loads((Path(__file__).parent / "samples" / "vercel.json").read_text(encoding="utf-8"))
WHOLE = [label for label in SAMPLES if not label.startswith("failed")]
TRACED = [label for label in WHOLE if label != "calls"]
CALLS = [("search", {"query": "tea"}), ("clock", {}), ("buy", {"id": 7})]


def part(**found):
    return {"role": "assistant", "parts": [{"type": "step-start"}, found]}


def call(name, identifier, **arguments):
    return {"type": "tool-call", "toolCallId": identifier, "toolName": name, "input": arguments}


@pytest.mark.parametrize("format", ["auto", "vercel"])
@pytest.mark.parametrize("label", WHOLE)
def test_calls_are_read(label, format):
    events = read_trajectory(SAMPLES[label], format)
    assert [(event.name, event.args) for event in events] == CALLS
    assert [event.id for event in events] == ["c1", "c2", "c3"]
    assert compare("trajectory_exact", CALLS, json.dumps(SAMPLES[label]), observed_format=format).passed


@pytest.mark.parametrize("label", SAMPLES)
def test_format_is_recognised(label):
    assert recognise_format(SAMPLES[label]) == "vercel"


@pytest.mark.parametrize("label", SHAPES)
def test_other_formats_are_not_recognised(label):
    assert not recognises(SHAPES[label])


@pytest.mark.parametrize("label", TRACED)
def test_calls_of_one_step_are_a_group_with_results(label):
    first, second, third = read_trajectory(SAMPLES[label])
    assert first.group == second.group != third.group
    assert "3 teas" in repr(first.result)
    assert "7" in repr(third.result)
    if label != "steps":
        assert [event.error is not None for event in (first, second, third)] == [False, True, False]


@pytest.mark.parametrize("label", ["failed content", "failed UI message"])
def test_invalid_and_waiting_calls_are_read(label):
    search, unknown, pay = read_trajectory(SAMPLES[label])
    assert (search.name, search.args_note, search.args_text) == ("search", "args_malformed", '{"query":')
    assert (unknown.name, unknown.args, unknown.error is None) == ("nosuch", {}, False)
    assert (pay.name, pay.args, pay.error) == ("pay", {"id": 7}, None)


def test_denied_call_has_an_error():
    denied = {"state": "output-denied", "input": {}, "approval": {"id": "1", "approved": False, "reason": "too dear"}}
    (event,) = read_trajectory([part(type="tool-pay", toolCallId="c1", **denied)])
    assert (event.name, event.error) == ("pay", "too dear")
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "pay"}
    content = [call("pay", "c1"), {**result, "output": {"type": "execution-denied", "reason": "too dear"}}]
    assert [event.error for event in read_trajectory([{"role": "assistant", "content": content}])] == ["too dear"]


def test_streaming_arguments_are_malformed():
    (event,) = read_trajectory([part(type="tool-pay", toolCallId="c1", state="input-streaming", input={"id": 7})])
    assert (event.name, event.args_note) == ("pay", "args_malformed")
    assert not compare("trajectory_exact", [("pay", {"id": 7})], [event])


@pytest.mark.parametrize("name", ["call", "result", "invocation"])
def test_tool_named_like_a_type_is_read(name):
    part_of_it = part(type=f"tool-{name}", toolCallId="c1", state="input-available", input={})
    assert [event.name for event in read_trajectory([part_of_it])] == [name]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([{"role": "assistant", "content": [{"type": "tool-call", "toolName": "search"}]}], ["search"]),
        ([{"role": "assistant", "parts": [{"type": "tool-search", "input": {}}]}], ["search"]),
        ({"steps": [{"content": [call("a", "1")], "toolCalls": [call("a", "1")]}]}, ["a"]),
        ({"steps": [{"content": [call("a", "1"), call("a", "1")]}], "toolCalls": [call("a", "1")]}, ["a", "a"]),
        ({"steps": [{"toolCalls": [call("a", "1")]}, {"toolCalls": [call("a", "1")]}]}, ["a", "a"]),
        ({"steps": [{"toolCalls": [call("a", "1"), call("a", "1", x=2)]}]}, ["a", "a"]),
        ({"steps": [], "toolCalls": [call("a", "1")]}, ["a"]),
        ([{"content": [{"type": "tool-approval-request", "toolCall": call("a", "1")}]}], ["a"]),
        ([call("a", "1"), {"type": "text", "text": "x"}], ["a"]),
        ({"messages": [part(type="dynamic-tool", toolName="a", input={})]}, ["a"]),
        ({"steps": [{"content": [{"type": "text", "text": "x"}], "finishReason": "stop"}]}, []),
        ([{"toolCalls": [], "text": "x"}], []),
        ([{"id": "1", "role": "user", "parts": [{"type": "text", "text": "x"}]}], []),
        ([part(type="data-weather", data={"city": "Delft"})], []),
    ],
)
def test_calls_are_counted_once(value, names):
    assert [event.name for event in read_trajectory(value, "vercel")] == names
    assert names == [] or not compare("trajectory_forbidden", [names[-1]], value)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ([part(type="robot-call", toolName="a", input={})], "a call of 'a'"),
        ([part(type="robot-call")], "a call of 'robot'"),
        ([part(type="data-log", data={"toolName": "a", "input": {}})], "data"),
        ([part(type="tool-invocation", toolInvocation=call("a", "1"))], "toolInvocation"),
        ([{"role": "assistant", "parts": [None]}], "parts"),
        ([{"role": "assistant", "content": [{"type": "robot-call"}, call("a", "1")]}], "a call of 'robot'"),
        ([{"role": "assistant", "content": [call("a", "1")], "toolInvocations": [call("b", "2")]}], "toolInvocations"),
        ([{"content": [call("a", "1")], "toolCalls": [call("b", "1")]}], "toolCalls"),
        ({"steps": [{"content": [call("a", "1")], "toolCalls": [call("b", "1")]}]}, "toolCalls"),
        ({"steps": [{"content": [call("a", "1")]}], "toolCalls": [call("b", "2")]}, "toolCalls"),
        ([{"content": [call("a", "1")], "dynamicToolCalls": [call("b", "2")]}], "dynamicToolCalls"),
        ({"steps": [{"toolCalls": [call("a", "1")]}], "staticToolCalls": [call("b", "2")]}, "staticToolCalls"),
        ({"steps": [{"toolCalls": [call("a", "1"), 3]}]}, "toolCalls"),
        ([call("", "1")], "name of its tool"),
    ],
)
@pytest.mark.parametrize("format", ["auto", "vercel"])
def test_unknown_key_that_may_hold_a_call_is_unreadable(value, named, format):
    result = refused(
        "trajectory_forbidden", ["a", "b"], value, "trajectory_unreadable", verdict="fail", observed_format=format
    )
    assert named in result.details["reason"]
