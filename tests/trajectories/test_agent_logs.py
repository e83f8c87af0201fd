"""Logs of ADK, and the messages of Inspect AI and tau2-bench."""

import copy
import json

import agent_logs as made
import pytest
from agent_logs import LOGS
from test_formats import FORMATS, SHAPES

from pytest_verdict import compare
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

CALLS = [("search", {"query": "tea"}), ("clock", {}), ("buy", {"id": 7})]
logs = pytest.mark.parametrize("label", LOGS)


def names(value, format="auto"):
    return [event.name for event in read_trajectory(value, format)]


@logs
def test_log_calls_are_read(label):
    read = read_trajectory(LOGS[label])
    assert [(event.name, event.args) for event in read] == CALLS
    assert read_trajectory(json.dumps(LOGS[label])) == read
    assert read_trajectory(LOGS[label], label.partition(" ")[0]) == read
    assert read[0].group == read[1].group != read[2].group


@logs
def test_results_and_errors_are_attached_to_their_calls(label):
    read = read_trajectory(LOGS[label])
    assert "3 teas" in repr(read[0].result)
    assert [event.error for event in read] == [None, "no clock", None]


@logs
def test_log_format_is_recognised_without_changing_the_value(label):
    before = copy.deepcopy(LOGS[label])
    assert recognise_format(LOGS[label]) == label.partition(" ")[0]
    read_trajectory(LOGS[label])
    assert LOGS[label] == before


@pytest.mark.parametrize("label", [*LOGS, *SHAPES])
def test_reading_as_another_format_loses_no_call(label):
    value = LOGS.get(label, SHAPES.get(label))
    for format in FORMATS:
        try:
            read = names(value, format)
        except TrajectoryError:
            continue
        # The format of LangChain does not tell who called.
        assert [name for name in read if name != "pay"] == ["search", "clock", "buy"], format


def with_key(value, **more):
    return {**value, **more}


UNKNOWN_PART = {"executable_code": {"code": "rm()"}}
SCENARIO = {"eval_id": "1", "conversation": None, "conversation_scenario": {"starting_prompt": "Buy tea."}}
UNREADABLE = {
    "adk, eval set": ({"eval_set_id": "s", "eval_cases": [made.eval_case()]}, "any known format"),
    "adk, session without events": ({**made.ADK_SESSION, "events": []}, "any known format"),
    "adk, unknown part": ([made.adk_event("shopper", UNKNOWN_PART)], "executable_code"),
    "adk, unknown key": (made.eval_case(tools_taken=[{"tool": "a", "input": {}}]), "tools_taken"),
    "adk, stream": (made.ADK_STREAM, "partial events are pieces of a stream"),
}


@pytest.mark.parametrize("label", UNREADABLE)
def test_log_without_exactly_one_trajectory_is_unreadable(label):
    value, reason = UNREADABLE[label]
    with pytest.raises(TrajectoryError, match=reason):
        read_trajectory(value)


def test_adk_events_without_content_have_no_calls():
    silent = {"author": "shopper", "invocationId": "e1", "actions": {"stateDelta": {"x": {"tool": "a", "input": {}}}}}
    assert names([silent, made.ADK_EVENTS[3]]) == ["buy"]
    with pytest.raises(TrajectoryError):
        read_trajectory([{"author": "shopper"}], "gemini")


@pytest.mark.parametrize("key", ["contents", "candidates", "actions_taken", "more"])
def test_call_beside_the_events_of_adk_is_unreadable(key):
    value = {**made.ADK_SESSION, key: [{"parts": [{"function_call": {"name": "drop", "args": {}}}]}]}
    result = compare("trajectory_forbidden", ["drop"], value)
    assert result.verdict == "fail"
    read = compare("trajectory_forbidden", ["drop"], {**made.ADK_SESSION, "state": {"actions": []}})
    assert read.passed


def test_adk_events_name_agents():
    assert {event.agent for event in read_trajectory(made.ADK_EVENTS)} == {"shopper"}


def test_inspect_calls_in_the_input_are_no_calls_of_the_agent():
    written = {**made.requested(("c0", "delete_all", {})), "source": "input"}
    with pytest.raises(TrajectoryError, match="delete_all"):
        read_trajectory([written, *made.INSPECT_MESSAGES])


def test_inspect_parse_errors_are_malformed_arguments():
    message = made.requested(("c1", "search", {}))
    message["tool_calls"][0]["parse_error"] = 'Error parsing {"query": '
    (event,) = read_trajectory([message])
    assert (event.args_note, event.args_text) == ("args_malformed", 'Error parsing {"query": ')


@pytest.mark.parametrize(
    "value",
    [
        {"eval": {"task": "shop"}, "samples": [{"messages": made.INSPECT_MESSAGES}]},
        {"messages": made.INSPECT_MESSAGES, "events": [{"event": "tool", "function": "drop", "arguments": {}}]},
        {"messages": made.TAU2_MESSAGES, "reward_info": [{"action": {"name": "drop", "arguments": {}}}]},
        {"simulations": [{"messages": made.TAU2_MESSAGES}]},
        [made.requested(("c1", "search", {"query": "attachment://1"}))],
    ],
    ids=["log of Inspect AI", "sample with another call", "simulation with another call", "simulations", "attachment"],
)
def test_log_around_the_messages_is_unreadable(value):
    assert compare("trajectory_forbidden", ["drop"], value).notes == ["trajectory_unreadable"]


def test_actions_of_tau2_are_plain_calls():
    assert compare("trajectory_exact", made.TAU2_ACTIONS, made.TAU2_MESSAGES).passed
    assert compare("trajectory_forbidden", ["pay"], made.TAU2_MESSAGES).passed
