"""Readers of the logs of ADK, Inspect AI, tau2-bench and OpenHands."""

import copy
import json
from pathlib import Path

import agent_logs as made
import pytest
from agent_logs import LOGS
from test_formats import FORMATS, SHAPES

from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

OURS = ("adk", "inspect_ai", "tau2", "openhands")
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
ASKED = {"tool_calls": [{"name": "drop", "args": {}}]}
SCENARIO = {"eval_id": "1", "conversation": None, "conversation_scenario": {"starting_prompt": "Buy tea."}}
UNREADABLE = {
    "adk, two cases": (
        made.eval_set(made.eval_case(), made.eval_case("2")),
        r"eval_cases has 2 items.*eval_cases\[\.\.\.\]",
    ),
    "adk, no case": (made.eval_set(), "eval_cases has 0 items"),
    "adk, empty conversation": (made.eval_set(made.eval_case(conversation=[])), "conversation is empty"),
    "adk, scenario": (made.eval_set(SCENARIO), "item 0 of conversation"),
    "adk, session without events": ({**made.ADK_SESSION, "events": []}, "any known format"),
    "adk, unknown part": ([made.adk_event("shopper", UNKNOWN_PART)], "executable_code"),
    "adk, unknown key": (made.eval_set(made.eval_case(tools_taken=[{"tool": "a", "input": {}}])), "tools_taken"),
    "adk, stream": (made.ADK_STREAM, "partial events are pieces of a stream"),
    "inspect, two samples": (made.log(made.sample(), made.sample(epoch=2)), r"samples has 2 items.*samples\[\.\.\.\]"),
    "inspect, list of samples": ([made.sample(), made.sample()], "samples has 2 items"),
    "inspect, sample and message": ([made.sample(), made.INSPECT_MESSAGES[0]], "samples has 2 items"),
    "inspect, header": (with_key(made.log(), samples=None), "samples has 0 items"),
    "inspect, nothing recorded": (made.sample([], []), "nothing was recorded"),
    "inspect, event of tomorrow": (made.sample([{"event": "robot"}]), "'robot'"),
    "inspect, block of tomorrow": (
        made.sample([made.model({"role": "assistant", "content": [{"type": "robot_call"}]})]),
        "a call of 'robot'",
    ),
    "inspect, unknown key": (made.sample(robot=[{"tool": "a", "input": {}}]), "robot"),
    "inspect, lost text": (made.sample([made.tool("c1", "a", {"x": ["attachment://1"]})], []), "resolve_attachments"),
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
    "openhands, acp": (
        [*made.OPENHANDS_SDK, {"source": "agent", "kind": "ACPToolCallEvent", "tool_call_id": "1", "title": "rm"}],
        "ACPToolCallEvent",
    ),
    "openhands, call in a message": (
        [*made.OPENHANDS_SDK, made.message_event("agent", "x", tool_calls=[{"name": "a", "arguments": "{}"}])],
        "tool_calls",
    ),
    "openhands, event of tomorrow": ([*made.OPENHANDS_SDK, {"source": "agent", "deed": "rm"}], "'deed'"),
    "openhands, pairs": ({"history": [made.OPENHANDS[2:4]]}, "any known format"),
    "openhands, actions of earlier versions": (made.OPENHANDS, "cannot be read as plain"),
    "openhands, history of earlier versions": ({"instance_id": "1", "history": made.OPENHANDS}, "any known format"),
    "tau2, voice": (made.simulation(None, ticks=made.TAU2_TICKS), "any known format"),
    "tau2, voice in results": (made.results(made.simulation(None, ticks=made.TAU2_TICKS)), "nothing was recorded"),
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


def test_inspect_spans_name_the_agents():
    assert {event.agent for event in read_trajectory(made.sample())} == {"react"}
    helper = [
        made.span("a", "agent", "react"),
        made.model(made.requested(("c1", "ask", {}))),
        made.tool("c1", "ask", {}),
        made.span("b", "agent", "helper", "a"),
        made.model(made.requested(("c2", "search", {})), "b"),
        made.tool("c2", "search", {}, in_span="b"),
    ]
    # The messages of a sample do not have the calls of the agents that the first one asked.
    value = made.sample(helper, [made.requested(("c1", "ask", {}))])
    assert [(event.name, event.agent) for event in read_trajectory(value)] == [("ask", "react"), ("search", "helper")]
    assert compare("trajectory_exact", ["ask"], value, agents=["react"]).passed


def test_inspect_sample_with_events_cannot_be_split_into_turns():
    result = compare("trajectory_forbidden", ["search"], made.sample(), turns="flatten")
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
    assert "further calls" in result.details["reason"]
    assert not compare("trajectory_forbidden", ["search"], made.sample([]), turns="flatten").passed
    flat = compare("trajectory_exact", [["search", "clock", "buy"]], [made.INSPECT_MESSAGES], turns="flatten")
    assert flat.passed, flat.details


def test_inspect_calls_with_the_same_identifier_are_separate():
    again = made.requested(("call_0", "search", {"query": "milk"}))
    twice = [made.model(again), made.tool("call_0", "search", {}), made.model(again), made.tool("call_0", "search", {})]
    assert names(made.sample(twice, [again, again])) == ["search", "search"]
    assert names(made.sample(twice[:2], [again, again])) == ["search", "search"]
    assert names(made.sample(twice[1::2], [])) == ["search", "search"]
    assert names(made.sample([], [again, again])) == ["search", "search"]


def test_inspect_calls_inside_tool_events_are_read():
    outer = made.tool("c1", "ask", {}, events=[made.tool("c2", "delete_all", {})])
    assert names(made.sample([outer], [])) == ["ask", "delete_all"]


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


def test_openhands_reads_the_arguments_of_the_model():
    event = made.action_event("search", made.SEARCH, "c1", "r1")
    broken = {**event, "action": None, "tool_call": {"id": "c1", "name": "search", "arguments": '{"query": '}}
    assert [one.args_note for one in read_trajectory([event, broken])] == [None, "args_malformed"]
    alone = [{key: item for key, item in event.items() if key != "llm_response_id"}] * 2
    assert [one.group for one in read_trajectory(alone)] == [0, 1]
    old = {**event, "tool_call": {"id": "c1", "function": {"name": "search", "arguments": '{"query": "tea"}'}}}
    assert read_trajectory([old])[0].args == made.SEARCH


def test_openhands_recorded_objects_are_recognised_by_class():
    def recorded(event):
        fields = {"parent_id": None, **{key: item for key, item in event.items() if key != "kind"}}
        return EncodedObject("model", f"openhands.sdk.event:{event['kind']}", fields)

    assert names([recorded(event) for event in made.OPENHANDS_SDK]) == ["search", "clock", "buy"]
    acp = recorded({"source": "agent", "kind": "ACPToolCallEvent", "tool_call_id": "1", "title": "rm"})
    with pytest.raises(TrajectoryError, match="ACPToolCallEvent"):
        read_trajectory([recorded(made.OPENHANDS_SDK[1]), acp])


def test_openhands_rejected_call_has_an_error():
    rejected = {"source": "environment", "kind": "UserRejectObservation", "tool_name": "search", "tool_call_id": "c1"}
    value = [made.action_event("search", made.SEARCH, "c1", "r1"), {**rejected, "rejection_reason": "No."}]
    assert [event.error for event in read_trajectory(value)] == ["No."]


@pytest.mark.parametrize("key", ["contents", "candidates", "actions_taken", "more"])
def test_call_beside_the_events_of_adk_is_unreadable(key):
    value = {**made.ADK_SESSION, key: [{"parts": [{"function_call": {"name": "drop", "args": {}}}]}]}
    result = compare("trajectory_forbidden", ["drop"], value)
    assert result.verdict == "fail"
    read = compare("trajectory_forbidden", ["drop"], {**made.ADK_SESSION, "state": {"actions": []}})
    assert read.passed


@pytest.mark.parametrize(
    "value",
    [
        {"messages": made.INSPECT_MESSAGES, "events": [{"event": "info", "tool_calls": ["drop"]}], "x": ASKED},
        {"task_id": "1", "messages": made.TAU2_MESSAGES, "more": ASKED},
        {"task_id": "1", "messages": made.TAU2_MESSAGES, "ticks": [{"agent_tool_calls": [ASKED]}]},
        {**made.eval_set(made.eval_case()), "events": [ASKED]},
        {"conversation": made.eval_case()["conversation"], "events": [ASKED]},
    ],
    ids=["sample", "simulation", "simulation with ticks", "eval set", "eval case with events"],
)
def test_call_around_what_is_read_is_unreadable(value):
    assert compare("trajectory_forbidden", ["drop"], value).notes == ["trajectory_unreadable"]


def test_actions_of_tau2_are_plain_calls():
    assert compare("trajectory_exact", made.TAU2_ACTIONS, made.TAU2_MESSAGES).passed
    assert compare("trajectory_forbidden", ["pay"], made.TAU2_MESSAGES).passed
