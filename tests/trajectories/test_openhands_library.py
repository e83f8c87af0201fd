"""Events of OpenHands, made by the library."""

import json
import os

import pytest

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

# Else a library of theirs asks the network for prices.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
sdk = pytest.importorskip("openhands.sdk.event", reason="openhands-sdk is not installed")
llm = pytest.importorskip("openhands.sdk.llm")
builtin = pytest.importorskip("openhands.sdk.tool.builtins")
pytestmark = pytest.mark.filterwarnings("ignore")


def asked(name, arguments, identifier, response, action=None):
    return sdk.ActionEvent(
        thought=[llm.TextContent(text="Hm.")],
        action=action,
        tool_name=name,
        tool_call_id=identifier,
        tool_call=llm.MessageToolCall(id=identifier, name=name, arguments=arguments, origin="completion"),
        llm_response_id=response,
    )


@pytest.fixture(params=["objects", "dicts"])
def events(request):
    user = llm.Message(role="user", content=[llm.TextContent(text="Buy tea.")])
    think = asked("think", '{"thought": "tea", "security_risk": "LOW"}', "c1", "r1", builtin.ThinkAction(thought="tea"))
    noted = builtin.ThinkObservation.from_text("Noted.")
    listed = [
        sdk.SystemPromptEvent(system_prompt=llm.TextContent(text="You shop."), tools=[]),
        sdk.MessageEvent(source="user", llm_message=user),
        think,
        asked("clock", "{", "c2", "r1"),
        sdk.ObservationEvent(observation=noted, action_id=think.id, tool_name="think", tool_call_id="c1"),
        sdk.AgentErrorEvent(error="no clock", tool_name="clock", tool_call_id="c2"),
        asked("finish", '{"message": "Done."}', "c3", "r2", builtin.FinishAction(message="Done.")),
    ]
    return listed if request.param == "objects" else [json.loads(event.model_dump_json()) for event in listed]


def test_calls_are_read(events):
    assert recognise_format(events) == "openhands"
    read = read_trajectory(events)
    assert [(event.name, event.args, event.args_note) for event in read] == [
        ("think", {"thought": "tea", "security_risk": "LOW"}, None),
        ("clock", {}, "args_malformed"),
        ("finish", {"message": "Done."}, None),
    ]
    assert [event.error for event in read] == [None, "no clock", None]
    assert "Noted." in repr(read[0].result)
    assert read[0].group == read[1].group != read[2].group


def test_record_of_events_replays(events):
    result = compare("trajectory_exact", ["think", "clock", "finish"], events)
    again = ComparisonResult.from_record(json.loads(result.to_text()))
    assert result.passed
    assert compare("trajectory_exact", again.expected, again.observed).passed
