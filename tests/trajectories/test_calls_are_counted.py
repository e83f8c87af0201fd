"""Whatever looks like a call is read, or the trajectory is refused; what only looks like one changes nothing.

`samples/calls.jsonl` has traces as users dump them, made with the types of the libraries: the number of their calls, or None
if they hold calls that are not read, alternatives, pieces of a stream, or results of calls that were cut off.
"""

import json
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories import read_trajectory
from pytest_verdict.trajectories.readers.unread import find_calls

SAMPLES = [json.loads(line) for line in (Path(__file__).parent / "samples" / "calls.jsonl").read_text().splitlines()]
CALL = {"name": "delete", "arguments": {"path": "/"}}
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "delete", "arguments": '{"path": "/"}'}}


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample["label"] for sample in SAMPLES])
def test_trace_has_its_calls_or_is_refused(sample):
    result = compare("trajectory_max_calls", 0, sample["value"])
    if sample["calls"] is None:
        assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
    else:
        assert result.details["calls"] == {"*": sample["calls"]}


def chat(**keys):
    return {"role": "assistant", "content": "x", **keys}


# Where a second call may be that no reader knows.
HIDDEN = {
    "beside the messages": lambda call: {"messages": [chat(tool_calls=[CHAT_CALL])], "more": [call]},
    "deep in a message": lambda call: [chat(tool_calls=[CHAT_CALL], extra={"a": [{"b": call}]})],
    "in an attribute": lambda call: [SimpleNamespace(**chat(tool_calls=[CHAT_CALL], extra=SimpleNamespace(b=call)))],
    "under tools": lambda call: [chat(tool_calls=[CHAT_CALL], tools=[call])],
    "in anthropic": lambda call: [chat(content=[{"type": "tool_use", "id": "1", "name": "a", "input": {}}], x=call)],
    "in gemini": lambda call: {"candidates": [{"content": {"parts": [{"text": "x"}]}}], "x": [call]},
    "in langchain": lambda call: [{"type": "ai", "content": "x", "response_metadata": {"x": call}}],
    "in responses": lambda call: {"object": "response", "output": [], "x": call},
    "in bedrock": lambda call: {"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}}, "x": call},
    "in pydantic-ai": lambda call: [{"kind": "response", "parts": [{"part_kind": "text"}], "x": call}],
    "in mcp": lambda call: [{"jsonrpc": "2.0", "method": "tools/list", "id": 1, "x": call}],
    "in an inspect sample": lambda call: {"epoch": 1, "messages": [chat()], "x": call},
    "in a span": lambda call: [{"name": "x", "attributes": {"gen_ai.system": "x", "y": json.dumps(call)}}],
}
FORMS = {
    "arguments": CALL,
    "input": {"name": "drop", "input": {"path": "/"}},
    "args": {"tool": "drop", "args": {}},
    "text as arguments": {"tool_name": "drop", "tool_input": "/"},
    "JSON text": {"name": "drop", "arguments": '{"path": "/"}'},
    "no arguments": {"name": "drop", "args": None},
    "camelCase": {"toolName": "drop", "rawInput": {}},
    "function": {"function": {"name": "drop", "arguments": "{}"}},
    "type": {"type": "tool_call", "title": "drop"},
    "key": {"functionCall": {"name": "drop"}},
    "keys": {"tool_calls": [{"title": "drop"}]},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", HIDDEN)
def test_call_in_any_place_is_refused(place, form):
    call = FORMS[form]
    if call is CALL:
        call = {**CALL, "arguments": {"path": "/etc"}}
    value = HIDDEN[place](call)
    with pytest.raises(TrajectoryError, match="is not read|no span"):
        read_trajectory(value)


# What is no call, beside one that is.
HARMLESS = {
    "definition": {"name": "drop", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
    "definition of Anthropic": {"name": "drop", "description": "Drops.", "input_schema": {"type": "object"}},
    "definition of MCP": {"name": "drop", "inputSchema": {"type": "object", "properties": {}}},
    "definition with schemas": {"name": "drop", "description": "d", "args": {"path": {"type": "string"}}},
    "person": {"name": "Ann", "role": "user"},
    "prompt": {"name": "greet", "arguments": [{"name": "who", "required": True}]},
    "text": '{"name": "drop", "arguments": {}}',
    "test case": {"name": "case 1", "input": "Delete all."},
    "count": {"tool_calls": 3, "max_tool_calls": 5},
    "empty": {"tool_calls": [], "function_call": None},
    "setting": {"tool_choice": {"type": "function", "function": {"name": "drop"}}, "function_call": "auto"},
    "copy with the identifier": {"tool_calls": [CHAT_CALL]},
    "copy": CALL,
    "result": {"tool_results": [{"name": "drop", "arguments": {}}]},
    "user of a simulation": {"name": "drop", "arguments": {}, "requestor": "user"},
    "usage": {"usage": {"server_tool_use": {"web_search_requests": 1}}},
}


@pytest.mark.parametrize("label", HARMLESS)
def test_what_is_no_call_changes_nothing(label):
    for value in (
        [chat(tool_calls=[CHAT_CALL], x=HARMLESS[label])],
        {"messages": [chat(tool_calls=[CHAT_CALL])], "x": HARMLESS[label]},
    ):
        assert [event.name for event in read_trajectory(value)] == ["delete"]


def test_arguments_and_results_may_hold_anything():
    arguments = {"plan": [CALL, {"tool_calls": [CHAT_CALL]}], "function_call": CALL}
    call = {"id": "c1", "function": {"name": "save", "arguments": json.dumps(arguments)}}
    result = {
        "role": "tool",
        "tool_call_id": "c1",
        "content": [{"type": "text", "text": "x", "tool": "a", "input": {}}],
    }
    assert [event.name for event in read_trajectory([chat(tool_calls=[call], x=1), result])] == ["save"]


def test_copies_are_counted():
    twice = [chat(tool_calls=[CHAT_CALL], x=[CALL, CALL])]
    with pytest.raises(TrajectoryError, match=r"x\[\] has a call of 'delete', which is not read"):
        read_trajectory(twice)
    assert len(read_trajectory([chat(tool_calls=[CHAT_CALL], x=[CALL], y=[CALL])])) == 1


@pytest.mark.parametrize(
    ("value", "calls"),
    [
        ([chat(tool_calls=[{**CHAT_CALL, "id": "1"}]), {"role": "tool", "tool_call_id": "1", "content": "x"}], 1),
        ([chat(tool_calls=[{"function": CALL}]), {"role": "tool", "tool_call_id": "1", "content": "x"}], 1),
        ([chat(tool_calls=[CHAT_CALL]), {"role": "tool", "content": "x"}], 1),
        ([chat(function_call=CALL), {"role": "function", "name": "delete", "content": "x"}], 1),
        ([chat(tool_calls=[CHAT_CALL]), {"role": "tool", "tool_call_id": "2", "content": "x"}], None),
        ([{"role": "tool", "content": "x"}], None),
        ([chat(tool_calls=[CHAT_CALL]), *[{"role": "tool", "content": "x"}] * 2], None),
        ([chat(function_call=CALL), {"role": "function", "name": "drop", "content": "x"}], None),
    ],
)
def test_result_needs_its_call(value, calls):
    if calls is None:
        with pytest.raises(TrajectoryError, match="result without its call"):
            read_trajectory(value)
    else:
        assert len(read_trajectory(value)) == calls


def test_path_is_no_trajectory():
    for format in ("auto", "gemini", "vercel", "plain"):
        with pytest.raises(TrajectoryError, match="is a path, so nothing of the file was read"):
            read_trajectory(PurePosixPath("runs/1.json"), format)


def test_value_that_contains_itself_is_searched_once():
    message = chat(tool_calls=[CHAT_CALL])
    message["self"] = [message]
    assert len(find_calls([message])) == 1


def test_many_calls_are_counted_quickly():
    call = {"type": "function_call", "name": "a", "arguments": "{}"}
    assert len(read_trajectory([{**call, "call_id": str(place)} for place in range(5_000)])) == 5_000
    assert len(read_trajectory([dict(call) for _ in range(5_000)])) == 5_000
