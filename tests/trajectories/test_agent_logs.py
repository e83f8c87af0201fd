"""Readers of the logs of ADK, Inspect AI and tau2-bench."""

import copy
import json
from pathlib import Path

import agent_logs as made
import pytest
from agent_logs import LOGS
from test_formats import FORMATS, SHAPES

from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

OURS = ("adk", "inspect_ai", "tau2")
CALLS = [("search", {"query": "tea"}), ("clock", {}), ("buy", {"id": 7})]
# Tasks and the first versions of a file say nothing of who failed, or of what was made together.
SILENT = {"tau2 task"}
logs = pytest.mark.parametrize("label", LOGS)


def names(value, format="auto"):
    return [event.name for event in read_trajectory(value, format)]


@logs
def test_log_calls_are_read(label):
    read = read_trajectory(LOGS[label])
    assert [(event.name, event.args) for event in read] == CALLS
    assert read_trajectory(json.dumps(LOGS[label])) == read
    assert read_trajectory(LOGS[label], label.partition(" ")[0]) == read
    if label not in SILENT:
        assert read[0].group == read[1].group != read[2].group


@logs
def test_results_and_errors_are_attached_to_their_calls(label):
    read = read_trajectory(LOGS[label])
    if label in SILENT:
        assert [(event.result, event.error) for event in read] == [(None, None)] * 3
    else:
        assert "3 teas" in repr(read[0].result)
        assert [event.error for event in read] == [None, "no clock", None]


@logs
def test_log_format_is_recognised_without_changing_the_value(label):
    before = copy.deepcopy(LOGS[label])
    assert recognise_format(LOGS[label]) == label.partition(" ")[0]
    read_trajectory(LOGS[label])
    assert LOGS[label] == before


def samples():
    """Return the samples of the other formats, whole and in parts."""
    yield from SHAPES.values()
    for path in (Path(__file__).parent / "samples").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        yield from [found, *(found.values() if isinstance(found, dict) else found)]


def test_log_formats_do_not_recognise_other_formats():
    for format in OURS:
        reader = load(FAMILIES.find("trajectory_readers", format))
        for value in samples():
            assert not reader.recognises(value), (format, value)


@pytest.mark.parametrize("label", [*LOGS, *SHAPES])
def test_reading_as_another_format_loses_no_call(label):
    value = LOGS.get(label, SHAPES.get(label))
    for format in FORMATS:
        try:
            read = names(value, format)
        except TrajectoryError:
            continue
        assert read == ["search", "clock", "buy"], format


def with_key(value, **more):
    return {**value, **more}


UNKNOWN_PART = {"executable_code": {"code": "rm()"}}
SCENARIO = {"eval_id": "1", "conversation": None, "conversation_scenario": {"starting_prompt": "Buy tea."}}
UNREADABLE = {
    "adk, two cases": (
        made.eval_set(made.eval_case(), made.eval_case("2")),
        r"eval_cases has 2 items.*eval_cases\[\.\.\.\]",
    ),
    "adk, no case": (made.eval_set(), "eval_cases has 0 items"),
    "adk, empty conversation": (made.eval_set(made.eval_case(conversation=[])), "conversation is empty"),
    "adk, scenario": (made.eval_set(SCENARIO), "conversation is empty"),
    "adk, session without events": ({**made.ADK_SESSION, "events": []}, "any known format"),
    "adk, unknown part": ([made.adk_event("shopper", UNKNOWN_PART)], "executable_code"),
    "adk, unknown key": (made.eval_set(made.eval_case(tools_taken=[{"tool": "a", "input": {}}])), "tools_taken"),
    "adk, cut stream": (made.ADK_STREAM[:2], "partial events call clock, search"),
    "adk, stream cut at the end": (made.ADK_STREAM[:-2], "partial events call buy"),
    "inspect, two samples": (made.log(made.sample(), made.sample(epoch=2)), r"samples has 2 items.*samples\[\.\.\.\]"),
    "inspect, list of samples": ([made.sample(), made.sample()], "samples has 2 items"),
    "inspect, sample and message": ([made.sample(), made.INSPECT_MESSAGES[0]], "samples has 2 items"),
    "inspect, header": (with_key(made.log(), samples=None), "samples has 0 items"),
    "inspect, nothing recorded": (made.sample([], []), "nothing was recorded"),
    "inspect, call of a scorer": (
        made.sample([made.tool("g1", "delete_all", {})]),
        "events has a call of 'delete_all'",
    ),
    "inspect, call of another agent": (made.sample([made.model(made.requested(("1", "ask", {})))]), "a call of 'ask'"),
    "inspect, call inside a tool": (
        made.sample([made.tool("c1", "search", made.SEARCH, events=[made.tool("c2", "delete_all", {})])]),
        "a call of 'delete_all'",
    ),
    "inspect, block of tomorrow": (
        made.sample([made.model({"role": "assistant", "content": [{"type": "robot_call"}]})]),
        "a call of 'robot'",
    ),
    "inspect, unknown key": (made.sample(robot=[{"tool": "a", "input": {}}]), "robot"),
    "inspect, lost text": (
        made.sample([], [made.requested(("c1", "a", {"x": ["attachment://1"]}))]),
        "are attachments",
    ),
    "tau2, two simulations": (made.results(made.simulation(), made.simulation()), "simulations has 2 items"),
    "tau2, list of tasks": ([made.TAU2_TASK, made.TAU2_TASK], "simulations has 2 items"),
    "tau2, no simulation": (made.results(), "simulations has 0 items"),
    "tau2, broken off": (made.simulation([]), "nothing was recorded"),
    "tau2, expects nothing": (
        {"id": "1", "evaluation_criteria": {"actions": None, "nl_assertions": []}},
        "nothing was recorded",
    ),
    "tau2, unknown key": (made.simulation(robot=[{"tool": "a", "input": {}}]), "robot"),
    "tau2, message without a role": (made.simulation([{"tool_calls": []}]), "role"),
}


@pytest.mark.parametrize("label", UNREADABLE)
def test_log_without_exactly_one_trajectory_is_unreadable(label):
    value, reason = UNREADABLE[label]
    with pytest.raises(TrajectoryError, match=reason):
        read_trajectory(value)
    if "any known format" not in reason:
        return
    for format in OURS:
        with pytest.raises(TrajectoryError):
            read_trajectory(value, format)


def test_adk_partial_events_are_read_when_complete():
    assert recognise_format(made.ADK_STREAM) == "adk"
    assert read_trajectory(made.ADK_STREAM) != []
    assert names(made.ADK_STREAM) == ["search", "clock", "buy"]


def test_adk_events_without_content_have_no_calls():
    silent = {"author": "shopper", "invocationId": "e1", "actions": {"stateDelta": {"x": 1}}}
    assert names([silent, made.ADK_EVENTS[3]]) == ["buy"]
    for format in ["adk", "gemini"]:
        with pytest.raises(TrajectoryError):
            read_trajectory([{"author": "shopper"}], format)


def test_adk_eval_set_names_agents():
    assert {event.agent for event in read_trajectory(made.eval_set(made.eval_case()))} == {"shopper"}
    camel = {"evalSetId": "s", "evalCases": [{"conversation": [SHAPES["gemini ADK camelCase"]]}]}
    assert names(camel) == ["search", "clock", "buy"]


def test_inspect_messages_of_plain_texts_are_recognised():
    call = {"id": "1", "function": "search", "arguments": {"query": "tea"}}
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    assert recognise_format(messages) == "inspect_ai"
    (event,) = read_trajectory(messages)
    assert (event.name, event.args) == ("search", {"query": "tea"})


def test_inspect_sample_with_events_cannot_be_split_into_turns():
    result = compare("trajectory_forbidden", ["search"], made.sample(), turns="flatten")
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
    assert "further calls" in result.details["reason"]
    assert not compare("trajectory_forbidden", ["search"], made.sample([]), turns="flatten").passed
    flat = compare("trajectory_exact", [["search", "clock", "buy"]], [made.INSPECT_MESSAGES], turns="flatten")
    assert flat.passed, flat.details


def test_inspect_calls_with_the_same_identifier_are_separate():
    again = made.requested(("call_0", "search", {"query": "milk"}))
    assert names(made.sample([], [again, again])) == ["search", "search"]


def test_inspect_calls_in_the_input_are_ignored():
    written = {**made.requested(("c0", "delete_all", {})), "source": "input"}
    assert names(made.sample([], [written, *made.INSPECT_MESSAGES])) == ["search", "clock", "buy"]


def test_inspect_parse_errors_are_malformed_arguments():
    message = made.requested(("c1", "search", {}))
    message["tool_calls"][0]["parse_error"] = 'Error parsing {"query": '
    (event,) = read_trajectory([message])
    assert (event.args_note, event.args_text) == ("args_malformed", 'Error parsing {"query": ')


def test_inspect_provider_tools_are_calls():
    used = {"type": "tool_use", "tool_type": "web_search", "id": "w1", "name": "web", "arguments": '{"q": "tea"}'}
    message = {"role": "assistant", "content": [{**used, "result": "3 teas", "error": None}]}
    (event,) = read_trajectory(made.sample([made.model(message)], [message]))
    assert (event.name, event.args, event.result, event.error) == ("web", {"q": "tea"}, "3 teas", None)


def test_tau2_task_is_compared_with_a_simulation():
    assert compare("trajectory_exact", made.TAU2_TASK, made.results(made.simulation())).passed
    assert compare("trajectory_forbidden", ["pay"], made.simulation()).passed
    assert names({**made.simulation(), "evaluation_criteria": {"actions": []}}) == ["search", "clock", "buy"]
    none = {"id": "1", "user_scenario": {}, "evaluation_criteria": {"actions": []}}
    assert read_trajectory(none) == []
