"""Messages of pydantic-ai, made by the library."""

import json

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from pytest_verdict import compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

ANSWERS = [
    [TextPart("Looking."), ToolCallPart("search", '{"query": "tea"}', "c1"), ToolCallPart("clock", {}, "c2")],
    [ToolCallPart("buy", {"id": 7}, "c3")],
    [ToolCallPart("final_result", {"response": 3}, "c4")],
]


def respond(messages, _info):
    return ModelResponse(parts=ANSWERS[sum(message.kind == "response" for message in messages)])


def search(query: str) -> str:
    return f"3 {query}s"


def clock() -> str:
    raise ModelRetry("no clock")


def buy(id: int) -> int:
    return id


@pytest.fixture(scope="module")
def run():
    agent = Agent(FunctionModel(respond), tools=[search, clock, buy], retries=3, output_type=ToolOutput(int))
    return agent.run_sync("Buy tea.")


@pytest.fixture(params=["objects", "JSON text", "dicts"])
def messages(request, run):
    text = run.all_messages_json().decode()
    return {"objects": run.all_messages(), "JSON text": text, "dicts": json.loads(text)}[request.param]


def test_calls_are_read(messages):
    if not isinstance(messages, str):
        assert recognise_format(messages) == "pydantic_ai"
    read = read_trajectory(messages)
    assert [(event.name, event.args, event.group) for event in read] == [
        ("search", {"query": "tea"}, 1),
        ("clock", {}, 1),
        ("buy", {"id": 7}, 3),
        ("final_result", {"response": 3}, 5),
    ]
    assert [event.error for event in read] == [None, "no clock", None, None]
    assert read[0].result == "3 teas"


def test_messages_are_compared(messages):
    expected = [("search", {"query": "tea"}), ("buy", {"id": 7})]
    settings = {"except_tools": ["final_result"], "failed": "skip"}
    assert compare("trajectory_exact", expected, messages, **settings).passed
    assert not compare("trajectory_forbidden", ["buy"], messages).passed


def test_unknown_part_kind_is_unreadable(run):
    messages = json.loads(run.all_messages_json())
    messages[1]["parts"].append({"part_kind": "robot-call", "tool_name": "delete_all"})
    result = compare("trajectory_forbidden", ["delete_all"], messages)
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
    assert "parts[] has a call of 'delete_all'" in result.details["reason"]
