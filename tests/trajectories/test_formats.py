"""One real shape per wire format."""

import collections
import dataclasses
import json
from types import SimpleNamespace

import pytest

from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format
from refusals import refused

SEARCH = {"query": "tea"}
FORMATS = tuple(FAMILIES.own("trajectory_readers"))

OPENAI_CHAT = [
    {"role": "system", "content": "You shop."},
    {"role": "user", "content": "Buy tea."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "tea"}'}},
            {"id": "c2", "type": "function", "function": {"name": "clock", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "3 teas"},
    {"role": "tool", "tool_call_id": "c2", "content": "noon"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c3", "type": "function", "function": {"name": "buy", "arguments": '{"id": 7}'}}],
    },
]

OPENAI_RESPONSES = {
    "object": "response",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "search", "arguments": '{"query":"tea"}'},
        {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "clock", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "3 teas"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Buying."}]},
        {"type": "function_call", "id": "fc_3", "call_id": "c3", "name": "buy", "arguments": '{"id":7}'},
    ],
}

ANTHROPIC = [
    {"role": "user", "content": "Buy tea."},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "c1", "name": "search", "input": {"query": "tea"}},
            {"type": "tool_use", "id": "c2", "name": "clock", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "3 teas"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "no clock", "is_error": True},
        ],
    },
    {"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "c3", "name": "buy", "input": {"id": 7}}]},
]

CLAUDE_CODE = [
    {
        "type": "system",
        "subtype": "init",
        "tools": ["search"],
        "mcp_servers": [{"name": "shop", "status": "connected"}],
    },
    {
        "type": "assistant",
        "message": {"id": "m1", "type": "message", "role": "assistant", "content": ANTHROPIC[1]["content"][:2]},
        "parent_tool_use_id": None,
    },
    {
        "type": "assistant",
        "message": {"id": "m1", "type": "message", "role": "assistant", "content": ANTHROPIC[1]["content"][2:]},
    },
    {"type": "user", "message": ANTHROPIC[2], "tool_use_result": {"name": "x", "input": 3}},
    {"type": "assistant", "message": {"id": "m2", **ANTHROPIC[3]}},
    {
        "type": "result",
        "subtype": "success",
        "result": "x",
        "usage": {},
        "permission_denials": [{"tool_name": "search", "tool_use_id": "c1", "tool_input": {"query": "tea"}}],
    },
]

LANGCHAIN = [
    {"type": "human", "content": "Buy tea."},
    {
        "type": "ai",
        "content": "",
        "tool_calls": [
            {"name": "search", "args": {"query": "tea"}, "id": "c1", "type": "tool_call"},
            {"name": "clock", "args": {}, "id": "c2", "type": "tool_call"},
        ],
        "invalid_tool_calls": [],
    },
    {"type": "tool", "content": "3 teas", "tool_call_id": "c1", "status": "success"},
    {"type": "tool", "content": "no clock", "tool_call_id": "c2", "status": "error"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "buy", "args": {"id": 7}, "id": "c3", "type": "tool_call"}]},
]
LANGCHAIN_OBJECTS = [SimpleNamespace(**{"tool_calls": None, "name": None, **message}) for message in LANGCHAIN]

ADK = {
    "invocation_id": "i1",
    "user_content": {"role": "user", "parts": [{"text": "Buy tea."}]},
    "intermediate_data": {
        "tool_uses": [
            {"id": None, "name": "search", "args": {"query": "tea"}},
            {"name": "clock", "args": None},
            {"name": "buy", "args": {"id": 7}},
        ],
        "tool_responses": [],
        "intermediate_responses": [],
    },
}
ADK_CAMEL = {
    "userContent": {"parts": [{"text": "Buy tea."}]},
    "intermediateData": {
        "toolUses": [
            {"name": "search", "args": {"query": "tea"}},
            {"name": "clock"},
            {"name": "buy", "args": {"id": 7}},
        ]
    },
}
ADK_EVENTS = {
    "user_content": {"parts": [{"text": "Buy tea."}]},
    "intermediate_data": {
        "invocation_events": [
            {
                "author": "shopper",
                "content": {
                    "parts": [
                        {"function_call": {"id": "c1", "name": "search", "args": {"query": "tea"}}},
                        {"function_call": {"id": "c2", "name": "clock"}},
                    ]
                },
            },
            {
                "author": "shopper",
                "content": {
                    "parts": [{"function_response": {"id": "c1", "name": "search", "response": {"result": "3 teas"}}}]
                },
            },
            {
                "author": "shopper",
                "content": {"parts": [{"function_call": {"id": "c3", "name": "buy", "args": {"id": 7}}}]},
            },
        ]
    },
}
GEMINI = [
    {"role": "user", "parts": [{"text": "Buy tea."}]},
    {
        "role": "model",
        "parts": [{"functionCall": {"name": "search", "args": {"query": "tea"}}}, {"functionCall": {"name": "clock"}}],
    },
    {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"result": "3 teas"}}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "buy", "args": {"id": 7}}}]},
]

BEDROCK = [
    {"role": "user", "content": [{"text": "Buy tea."}]},
    {
        "role": "assistant",
        "content": [
            {"toolUse": {"toolUseId": "c1", "name": "search", "input": {"query": "tea"}}},
            {"toolUse": {"toolUseId": "c2", "name": "clock", "input": {}}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"toolResult": {"toolUseId": "c1", "content": [{"text": "3 teas"}], "status": "success"}},
            {"toolResult": {"toolUseId": "c2", "content": [{"text": "no clock"}], "status": "error"}},
        ],
    },
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c3", "name": "buy", "input": {"id": 7}}}]},
]

MCP = [
    {"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "tea"}}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "clock"}},
    {"jsonrpc": "2.0", "id": 0, "result": {"content": [{"type": "text", "text": "3 teas"}], "isError": False}},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no clock"}},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "buy", "arguments": {"id": 7}}},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}},
]

VERTEX = {
    "predicted_trajectory": [
        {"tool_name": "search", "tool_input": {"query": "tea"}},
        {"tool_name": "clock", "tool_input": "{}"},
        {"tool_name": "buy", "tool_input": '{"id": 7}'},
    ]
}


def attribute(key, value):
    kind = "intValue" if isinstance(value, int) else "stringValue"
    return {"key": key, "value": {kind: str(value) if isinstance(value, int) else value}}


def otlp_span(name, start, end, attributes, **more):
    return {
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [attribute(key, value) for key, value in attributes.items()],
        **more,
    }


def otlp(spans):
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": spans}]}]}


def tool_span(tool, start, end, **more):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, **more}
    return otlp_span(f"execute_tool {tool}", start, end, attributes, parentSpanId="a1")


OTEL = otlp(
    [
        tool_span("buy", 50, 60, **{"gen_ai.tool.call.arguments": '{"id": 7}', "gen_ai.tool.call.id": "c3"}),
        tool_span(
            "clock",
            15,
            30,
            **{"gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.id": "c2", "error.type": "no clock"},
        ),
        tool_span("search", 10, 20, **{"gen_ai.tool.call.arguments": '{"query": "tea"}', "gen_ai.tool.call.id": "c1"}),
        tool_span("search", 11, 19, **{"gen_ai.tool.call.id": "c1"}),
        otlp_span(
            "invoke_agent",
            1,
            70,
            {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shopper"},
            spanId="a1",
        ),
    ]
)

OPENINFERENCE = otlp(
    [
        otlp_span(
            "search",
            10,
            20,
            {
                "openinference.span.kind": "TOOL",
                "tool.name": "search",
                "input.value": '{"query": "tea"}',
                "tool.parameters": '{"type": "object"}',
            },
        ),
        otlp_span("clock", 15, 30, {"openinference.span.kind": "TOOL", "tool.name": "clock", "input.value": "{}"}),
        otlp_span(
            "buy",
            50,
            60,
            {
                "openinference.span.kind": "TOOL",
                "tool.name": "buy",
                "input.value": '{"id": 7}',
                "output.value": "bought",
            },
        ),
    ]
)

PLAIN = [("search", {"query": "tea"}), {"name": "clock", "args": None}, Event("buy", {"id": 7})]

SHAPES = {
    "openai_chat": OPENAI_CHAT,
    "openai_responses": OPENAI_RESPONSES,
    "anthropic": ANTHROPIC,
    "claude_code": CLAUDE_CODE,
    "langchain": LANGCHAIN,
    "langchain objects": LANGCHAIN_OBJECTS,
    "gemini": GEMINI,
    "gemini ADK": ADK,
    "gemini ADK camelCase": ADK_CAMEL,
    "gemini ADK events": ADK_EVENTS,
    "bedrock": BEDROCK,
    "mcp": MCP,
    "vertex": VERTEX,
    "otel": OTEL,
    "openinference": OPENINFERENCE,
    "plain": PLAIN,
}
shapes = pytest.mark.parametrize("label", SHAPES)


@shapes
def test_calls_are_read(label):
    events = read_trajectory(SHAPES[label])
    assert [(event.name, event.args) for event in events] == [("search", SEARCH), ("clock", {}), ("buy", {"id": 7})]
    assert [event.index for event in events] == [0, 1, 2]
    assert [event.args_note for event in events] == [None, None, None]


@shapes
def test_format_is_recognised(label):
    assert recognise_format(SHAPES[label]) == label.partition(" ")[0]


@shapes
def test_reading_does_not_change_the_input(label):
    before = repr(SHAPES[label])
    read_trajectory(SHAPES[label])
    assert repr(SHAPES[label]) == before


@shapes
def test_formats_compare_with_each_other_and_replay(label):
    from pytest_verdict import ComparisonResult

    result = compare("trajectory_exact", OPENAI_CHAT, SHAPES[label])
    assert result.passed, result.details
    again = ComparisonResult.from_record(json.loads(result.to_text()))
    if "objects" not in label:
        assert compare("trajectory_exact", again.expected, again.observed).passed


@pytest.mark.parametrize("label", [label for label in SHAPES if label not in {"langchain objects", "plain"}])
def test_json_text_is_read(label):
    assert [event.name for event in read_trajectory(json.dumps(SHAPES[label]))] == ["search", "clock", "buy"]


@pytest.mark.parametrize(
    "label",
    [
        "openai_chat",
        "openai_responses",
        "anthropic",
        "claude_code",
        "langchain",
        "gemini",
        "gemini ADK events",
        "bedrock",
        "mcp",
        "otel",
        "openinference",
    ],
)
def test_calls_of_one_message_are_a_group(label):
    first, second, third = (event.group for event in read_trajectory(SHAPES[label]))
    assert first == second != third


@pytest.mark.parametrize("label", ["anthropic", "claude_code", "langchain", "bedrock", "mcp", "otel"])
def test_failed_calls_have_an_error(label):
    assert [event.error is not None for event in read_trajectory(SHAPES[label])] == [False, True, False]
    assert compare("trajectory_exact", [("search", SEARCH), ("buy", {"id": 7})], SHAPES[label], failed="skip").passed


@pytest.mark.parametrize("label", ["openai_chat", "anthropic", "langchain", "gemini ADK events", "bedrock", "mcp"])
def test_results_are_attached_to_their_calls(label):
    assert "3 teas" in repr(read_trajectory(SHAPES[label])[0].result)


def test_langgraph_steps_are_groups():
    steps = [["__start__", "agent", "tools"], ["agent"]]
    events = read_trajectory({"results": [], "steps": steps})
    assert [(event.name, event.group) for event in events] == [
        ("__start__", 0),
        ("agent", 0),
        ("tools", 0),
        ("agent", 1),
    ]
    assert recognise_format(steps) == "langgraph"
    assert compare("trajectory_exact", ["agent", "tools", "agent"], steps, except_tools=["__start__"]).passed


def test_agent_is_read():
    assert [event.agent for event in read_trajectory(OTEL)] == ["shopper", "shopper", "shopper"]
    assert [event.agent for event in read_trajectory(ADK_EVENTS)] == ["shopper", "shopper", "shopper"]
    assert compare("trajectory_any_order", ["buy"], ADK_EVENTS, agents=["shopper"]).passed
    assert not compare("trajectory_any_order", ["buy"], ADK_EVENTS, agents=["cashier"]).passed
    refused("trajectory_any_order", [], ADK_EVENTS, "empty_selection", extras="forbid", agents=["cashier"])


def test_spans_without_arguments_have_unknown_arguments():
    observed = otlp([tool_span("search", 1, 2)])
    assert read_trajectory(observed)[0].args_note == "args_not_recorded"
    for operator in ["trajectory_exact", "trajectory_in_order", "trajectory_any_order"]:
        result = compare(operator, [("search", {})], observed)
        assert (result.verdict, result.notes) == ("fail", ["args_not_recorded"])
    assert compare("trajectory_exact", [("search", {})], observed, args="ignore").passed
    assert compare("trajectory_exact", ["search"], observed).passed


def test_adk_spans_without_content_have_unknown_arguments():
    spans = [
        tool_span("search", 1, 2, **{"gcp.vertex.agent.tool_call_args": "{}"}),
        tool_span("buy", 3, 4, **{"gcp.vertex.agent.tool_call_args": '{"id": 7}'}),
        tool_span("(merged tools)", 5, 6),
    ]
    assert [(event.name, event.args_note) for event in read_trajectory(otlp(spans))] == [
        ("search", "args_not_recorded"),
        ("buy", None),
    ]


def test_spans_of_the_python_sdk_are_read():
    span = {
        "name": "running tool",
        "context": {"span_id": "0x1"},
        "start_time": "2026-01-01T00:00:00.000001Z",
        "end_time": "2026-01-01T00:00:01Z",
        "status": {"status_code": "ERROR"},
        "attributes": {"gen_ai.tool.name": "search", "tool_arguments": '{"query": "tea"}'},
    }
    (event,) = read_trajectory([span])
    assert (event.name, event.args, event.error) == ("search", SEARCH, "the tool reported an error")


def test_requests_without_execution_are_calls():
    messages = [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "search", "arguments": SEARCH}]}
    ]
    asked = {"name": "chat", "attributes": {"gen_ai.output.messages": json.dumps(messages)}}
    assert [(event.name, event.args) for event in read_trajectory([asked])] == [("search", SEARCH)]
    prefix = "llm.output_messages.0.message.tool_calls.0.tool_call.function"
    asked = {
        "name": "chat",
        "attributes": {
            "openinference.span.kind": "LLM",
            f"{prefix}.name": "search",
            f"{prefix}.arguments": '{"query": "tea"}',
        },
    }
    assert [(event.name, event.args) for event in read_trajectory([asked])] == [("search", SEARCH)]


@pytest.mark.parametrize(
    "calls",
    [
        ["search"],
        [["search", {"query": "tea"}]],
        [{"tool_name": "search", "arguments": {"query": "tea"}}],
        [{"name": "search", "kwargs": {"query": "tea"}}],
        [{"tool": "search", "input": '{"query": "tea"}'}],
        [{"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"query": "tea"}'}}],
        [SimpleNamespace(name="search", input_parameters={"query": "tea"})],
        Event("search", {"query": "tea"}),
    ],
    ids=repr,
)
def test_plain_forms_are_read(calls):
    assert compare("trajectory_exact", ["search"], calls).passed
    recorded = calls != ["search"]
    assert compare("trajectory_exact", [("search", SEARCH)], calls).passed == recorded


def test_event_is_restored_from_its_record():
    from pytest_verdict import ComparisonResult

    result = compare("trajectory_exact", [Event("search", SEARCH)], [Event("search", SEARCH)])
    again = ComparisonResult.from_record(json.loads(result.to_text()))
    assert read_trajectory(again.observed) == [Event("search", SEARCH)]


@pytest.mark.parametrize(
    "value", [None, 3, "search", "{bad", [3], [None], [("a", 3)], [{"args": {}}], {"x": 1}, [{"role": "user", "tool_calls": 3}],
              [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}], {"resourceSpans": 3}], ids=repr
)  # fmt: skip
def test_value_without_trajectory_is_unreadable(value):
    with pytest.raises(TrajectoryError):
        read_trajectory(value)
    for verdict, *sides in [("error", value, ["a"]), ("fail", ["a"], value)]:
        for operator in [
            "trajectory_exact",
            "trajectory_f1",
            "trajectory_similarity",
            "trajectory_steps",
            "trajectory_forbidden",
        ]:
            result = refused(operator, *sides, "trajectory_unreadable", verdict=verdict)
            assert result.details["reason"]


@pytest.mark.parametrize("junk", [None, 3, True, []], ids=repr)
@pytest.mark.parametrize(
    ("value", "broken"),
    [
        (OPENAI_CHAT, lambda junk: [junk, *OPENAI_CHAT[1:]]),
        (BEDROCK, lambda junk: [{"role": "assistant", "content": [junk]}, *BEDROCK]),
        (ANTHROPIC, lambda junk: [{"role": "assistant", "content": [junk]}, *ANTHROPIC]),
        (GEMINI, lambda junk: [{"role": "model", "parts": [junk]}, *GEMINI]),
        (MCP, lambda junk: [junk, *MCP]),
        (OTEL, lambda junk: {"resourceSpans": [{"scopeSpans": [{"spans": [junk]}]}, *OTEL["resourceSpans"]]}),
        ({"object": "response", "output": []}, lambda junk: {"object": "response", "output": [junk]}),
    ],
    ids=["openai_chat", "bedrock", "anthropic", "gemini", "mcp", "otel", "openai_responses"],
)
def test_broken_item_that_may_be_a_call_is_unreadable(value, broken, junk):
    assert compare("trajectory_forbidden", ["delete"], value).passed
    assert compare("trajectory_forbidden", ["delete"], broken(junk)).notes == ["trajectory_unreadable"]


REQUEST = {"id": "c1", "function": {"name": "search", "arguments": "{}"}}
CHAT = {"role": "assistant", "tool_calls": [REQUEST]}


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ([{"role": "assistant", "content": [{"type": "tool_use", "name": "a", "input": {}}]}, CHAT], "tool_calls"),
        ([{"role": "assistant", "content": [{"toolUse": {"name": "a", "input": {}}}]}, CHAT], "tool_calls"),
        ([{"role": "model", "parts": [{"text": "x"}]}, CHAT], "tool_calls"),
        ([{"type": "function_call", "name": "a", "arguments": "{}"}, CHAT], "tool_calls"),
        ([{"role": "assistant", "toolCalls": [REQUEST]}], "toolCalls"),
    ],
    ids=["anthropic", "bedrock", "gemini", "responses", "camelCase"],
)
def test_call_of_another_format_is_unreadable(value, form):
    result = compare("trajectory_forbidden", ["search"], value)
    assert (result.passed, result.notes) == (False, ["trajectory_unreadable"])
    assert form in result.details["reason"]


def test_stream_chunks_are_unreadable():
    chunk = {"choices": [{"delta": {"tool_calls": [{"index": 0, **REQUEST}]}}]}
    with pytest.raises(TrajectoryError, match="a choice needs its message"):
        read_trajectory(chunk)


@pytest.mark.parametrize(
    "message",
    [
        {"additional_kwargs": {"tool_calls": [REQUEST]}},
        {"additional_kwargs": {"function_call": REQUEST["function"]}},
        {"content": [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "c1", "name": "search", "input": {}}]},
        {"tool_calls": [{"name": "search", "args": {}}], "additional_kwargs": {"tool_calls": [REQUEST]}},
    ],
    ids=["kwargs", "legacy", "content", "both"],
)
def test_langchain_provider_calls_are_read_once(message):
    assert [event.name for event in read_trajectory([{"type": "ai", **message}])] == ["search"]


def test_results_without_identifiers_are_attached_in_order():
    parts = [{"functionCall": {"name": name}} for name in "aba"]
    given = [{"name": "a", "response": {"error": "x"}}, {"name": "b", "response": {}}]
    contents = [
        {"role": "model", "parts": parts},
        {"role": "user", "parts": [{"functionResponse": one} for one in given]},
    ]
    assert [event.error for event in read_trajectory(contents)] == ["x", None, None]
    assert compare("trajectory_exact", ["b", "a"], contents, failed="skip").passed


@pytest.mark.parametrize("text", ['{"x": 1}', ' {"x": 1}', '{"x": '])
def test_pair_with_arguments_as_text_is_read(text):
    (event,) = read_trajectory([["search", text]])
    assert (event.name, event.args_note) == ("search", None if text.endswith("}") else "args_malformed")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "value",
    [None, 3, "x", [3], [[3]], {"messages": 3}, {"spans": [3]}, [{"role": 3, "content": 3, "type": 3}]],
    ids=repr,
)
def test_readers_only_raise_trajectory_errors(format, value):
    try:
        events = read_trajectory(value, format)
    except TrajectoryError:
        return
    assert all(dataclasses.is_dataclass(event) for event in events)


def test_unknown_format_raises():
    with pytest.raises(ValueError, match="openai_chat"):
        read_trajectory([], "openai_chats")


def test_span_objects_of_the_python_sdk_are_read():
    context = collections.namedtuple("SpanContext", "span_id")
    agent = SimpleNamespace(
        name="invoke_agent",
        context=context(1),
        parent=None,
        start_time=1,
        end_time=9,
        attributes={"gen_ai.agent.name": "shopper"},
    )
    tool = SimpleNamespace(
        name="execute_tool search",
        context=context(2),
        parent=context(1),
        start_time=2,
        end_time=3,
        attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
    )
    assert [(event.name, event.agent) for event in read_trajectory([agent, tool])] == [("search", "shopper")]


def test_first_column_of_a_vertex_row_is_read():
    used = [{"tool_name": "roll", "tool_input": {"sides": 6}, "mock_tool_output": 4}]
    assert [event.name for event in read_trajectory({"query": "Roll.", "expected_tool_use": used})] == ["roll"]
    with pytest.raises(TrajectoryError, match="needs the name of its tool"):
        read_trajectory({"predicted_trajectory": None, "reference_trajectory": used})
