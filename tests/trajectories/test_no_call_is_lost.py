"""A value with a call where its reader does not look is unreadable, and the reason names the key."""

import pytest

from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import read_trajectory

FORMATS = tuple(FAMILIES.own("trajectory_readers"))
CALL = {"name": "delete_all", "arguments": "{}"}
GEMINI_CALL = {"role": "model", "parts": [{"functionCall": {"name": "delete_all", "args": {}}}]}
CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{"id": "1", "function": CALL}]}]


def blocks(*content, **message):
    return [{"role": "assistant", "content": [*content], **message}]


def ai(*content, **message):
    return [{"type": "ai", "content": [*content], **message}]


def parts(*found):
    return [{"role": "model", "parts": [*found]}]


def items(*found):
    return {"object": "response", "output": [*found]}


def spans(*attributes, **more):
    return [{"name": f"s{place}", "attributes": found, **more} for place, found in enumerate(attributes)]


REQUEST = '[{"role": "assistant", "parts": [{"type": "tool_call", "id": "2", "name": "delete_all", "arguments": {}}]}]'
EXECUTED = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.id": "1"}
HISTORY = {"candidates": [{"content": {"parts": [{"text": "Done."}]}}]}

# The value, its format, and a part of the reason.
LOST = {
    "chat as mcp": (CHAT, "mcp", "jsonrpc"),
    "text as chat": ("delete_all", "openai_chat", "must be an object"),
    "texts as chat": (["delete_all"], "openai_chat", "must be an object"),
    "text as messages": ({"messages": "delete_all"}, "openai_chat", "must be an object"),
    "anthropic as chat": (blocks({"type": "tool_use", **CALL}), "openai_chat", "delete_all"),
    "chat as responses": (CHAT, "openai_responses", "tool_calls"),
    "chat as bedrock": (CHAT, "bedrock", "tool_calls"),
    "chat as gemini": (CHAT, "gemini", "tool_calls"),
    "responses as chat": ([{"type": "function_call", **CALL}], "openai_chat", "none of role"),
    "pydantic-ai as gemini": (
        [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "delete_all", "args": {}}]}],
        "gemini",
        "delete_all",
    ),
    "automatic history": (
        {**HISTORY, "automatic_function_calling_history": [GEMINI_CALL]},
        "auto",
        "automatic_function",
    ),
    "automatic history, camelCase": (
        {**HISTORY, "automaticFunctionCallingHistory": [GEMINI_CALL]},
        "auto",
        "automaticFunction",
    ),
    "executable code": (parts({"executableCode": {"language": "PYTHON", "code": "rm()"}}), "auto", "executableCode"),
    "executable code, snake": (parts({"executable_code": {"code": "rm()"}}), "gemini", "executable_code"),
    "gemini arguments in pieces": (
        parts({"functionCall": {"name": "delete_all", "partialArgs": [{"jsonPath": "$.path", "stringValue": "/"}]}}),
        "gemini",
        "partial_args",
    ),
    "gemini tool call": (parts({"text": "x"}, {"toolCall": {"functionCalls": [CALL]}}), "auto", "toolCall"),
    "live tool call": ([{"toolCall": {"functionCalls": [CALL]}}], "gemini", "toolCall"),
    "haystack": (
        [{"role": "assistant", "content": [{"tool_call": {"tool_name": "delete_all", "arguments": {}}}]}],
        "auto",
        "tool_call",
    ),
    "haystack meta": (
        [{"role": "assistant", "meta": {}, "name": None, "content": [{"text": "x"}, {"tool_call": CALL}]}],
        "auto",
        "tool_call",
    ),
    "llamaindex": (
        [{"role": "assistant", "blocks": [{"block_type": "tool_call", "tool_name": "delete_all", "tool_kwargs": {}}]}],
        "auto",
        "blocks",
    ),
    "llamaindex kwargs": (
        [{"role": "assistant", "content": "x", "additional_kwargs": {"tool_calls": [{"function": CALL}]}}],
        "auto",
        "tool_calls",
    ),
    "langchain server tool use": (
        ai({"type": "server_tool_use", "name": "delete_all", "input": {}}),
        "auto",
        "delete_all",
    ),
    "langchain web search": (ai({"type": "web_search_call", "id": "1"}), "auto", "web_search"),
    "langchain server tool call": (
        ai({"type": "server_tool_call", "name": "delete_all", "args": {}}),
        "auto",
        "delete_all",
    ),
    "approval": (items({"type": "mcp_approval_request", **CALL}), "auto", "delete_all"),
    "item of tomorrow": (items({"type": "robot_call"}), "auto", "'robot'"),
    "anthropic block of tomorrow": (
        blocks({"type": "tool_use", "name": "a", "input": {}}, {"type": "robot_action"}),
        "auto",
        "robot_action",
    ),
    "list in a list": (blocks([{"type": "tool_use", **CALL}]), "auto", "delete_all"),
    "beside the steps of a graph": ({"steps": [["a"]], "messages": CHAT}, "auto", "messages"),
    "events and tool uses": (
        [
            {
                "intermediate_data": {
                    "invocation_events": [{"content": {"parts": []}}],
                    "tool_uses": [{"name": "delete_all"}],
                }
            }
        ],
        "auto",
        "tool_uses",
    ),
    "claude code line of tomorrow": (
        [{"type": "assistant", "message": {"role": "assistant", "content": "x"}}, {"type": "robot", "deed": "rm"}],
        "auto",
        "'deed'",
    ),
    "claude code block of tomorrow": (
        [{"type": "assistant", "message": {"role": "assistant", "content": [{"type": "robot_call"}]}}],
        "auto",
        "'robot'",
    ),
    "bedrock block of tomorrow": (
        blocks({"toolUse": {"name": "a", "input": {}}}, {"robotUse": {"name": "b", "input": {}}}),
        "auto",
        "robotUse",
    ),
    "chat with actions": ([{"role": "assistant", "content": "x", "actions": [CALL]}], "auto", "actions"),
    "deep in a message": (
        [{"role": "assistant", "content": "x", "extra": [{"deep": {"tool": "a", "input": {}}}]}],
        "auto",
        "extra",
    ),
    "beside the messages": (
        {"messages": [{"role": "user", "content": "x"}], "steps_taken": [CALL]},
        "auto",
        "steps_taken",
    ),
    "swe-agent": (
        [{"role": "assistant", "content": "Listing.", "thought": "Listing.", "action": "rm -r /", "agent": "main"}],
        "auto",
        "action",
    ),
    "swe-agent trajectory": ([{"action": "rm -r /", "observation": "", "response": "x"}], "auto", "action|a call is"),
    "swe-agent history": (
        {"history": [{"role": "assistant", "content": "x", "action": "ls"}]},
        "openai_chat",
        "history",
    ),
    "traceloop tool": (
        spans({"traceloop.span.kind": "tool", "traceloop.entity.name": "delete_all", "traceloop.entity.input": "{}"}),
        "auto",
        "tool_calls",
    ),
    "traceloop completion": (
        spans({"gen_ai.system": "openai", "gen_ai.completion.0.tool_calls.0.name": "delete_all"}),
        "auto",
        "tool_calls",
    ),
    "vercel tool": (
        spans({"ai.operationId": "ai.toolCall", "ai.toolCall.name": "delete_all"}),
        "auto",
        "ai.toolCall",
    ),
    "vercel response": (
        spans({"gen_ai.system": "x", "ai.response.toolCalls": '[{"toolName": "delete_all", "input": "{}"}]'}),
        "auto",
        "ai.response.toolCalls",
    ),
    "mlflow": (spans({"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"path": "/"}'}), "auto", "tool_calls"),
    "openinference as otel": (
        spans({"openinference.span.kind": "TOOL", "tool.name": "delete_all"}),
        "otel",
        "delete_all",
    ),
    "span event": (
        spans(
            {"gen_ai.operation.name": "chat"},
            events=[
                {"name": "gen_ai.choice", "attributes": {"message": '{"tool_calls": [{"function": {"name": "a"}}]}'}}
            ],
        ),
        "auto",
        "message.tool_calls",
    ),
    "spans of something else": (spans({"http.method": "GET"}), "auto", "gen_ai"),
}


@pytest.mark.parametrize("label", LOST)
def test_call_under_an_unknown_key_is_unreadable(label):
    value, format, named = LOST[label]
    with pytest.raises(TrajectoryError, match=named):
        read_trajectory(value, format)
    result = compare("trajectory_forbidden", ["delete_all"], value, observed_format=format)
    assert (result.verdict, result.score, result.notes) == ("fail", 0.0, ["trajectory_unreadable"])


@pytest.mark.parametrize("format", ["auto", *FORMATS])
@pytest.mark.parametrize(
    "value",
    [{"foo": 1}, {}, [{"foo": 1}], {"messages": [{"foo": 1}]}, {"output": "x"}, "delete_all", 3, None],
    ids=repr,
)
def test_unrecognised_value_is_unreadable(value, format):
    with pytest.raises(TrajectoryError):
        read_trajectory(value, format)


def test_requests_without_span_are_calls():
    read = read_trajectory(spans(EXECUTED, {"gen_ai.output.messages": REQUEST}))
    assert [event.name for event in read] == ["search", "delete_all"]
    executed = {**EXECUTED, "gen_ai.tool.name": "delete_all", "gen_ai.tool.call.id": "2"}
    read = read_trajectory(spans({"gen_ai.output.messages": REQUEST}, executed))
    assert [(event.name, event.id) for event in read] == [("delete_all", "2")]


# What providers add to real messages.
HARMLESS = {
    "chat": [
        {
            "role": "assistant",
            "content": "x",
            "annotations": [{"type": "url_citation", "url_citation": {"url": "u", "title": "t"}}],
            "reasoning_content": "hm",
            "reasoning_details": [{"type": "reasoning.text", "text": "hm", "id": "r"}],
            "audio": None,
            "function_call": None,
            "usage": {"input": 3, "output": 4},
            "provider": {"name": "acme", "id": 3},
        }
    ],
    "completion": {
        "id": "x",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}],
        "usage": {"prompt_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 0}},
    },
    "request": {
        "model": "m",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "search"}},
    },
    "response": {
        "object": "response",
        "tools": [{"type": "function", "name": "search", "parameters": {}}],
        "tool_choice": "auto",
        "reasoning": {"effort": None, "summary": None},
        "text": {"format": {"type": "text"}},
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "x", "annotations": []}],
            }
        ],
    },
    "anthropic": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "x", "citations": [{"type": "char_location", "cited_text": "y"}]},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "server_tool_use": {"web_search_requests": 0}},
    },
    "bedrock": {
        "output": {"message": {"role": "assistant", "content": [{"text": "x"}, {"reasoningContent": {"text": "hm"}}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 3},
        "metrics": {"latencyMs": 3},
    },
    "gemini": {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "x", "thoughtSignature": "s"}]},
                "finishReason": "STOP",
                "groundingMetadata": {"webSearchQueries": ["q"], "searchEntryPoint": {"renderedContent": "<p>"}},
            }
        ],
        "usageMetadata": {"promptTokenCount": 3},
        "automatic_function_calling_history": [],
    },
    "langchain": [
        {
            "type": "ai",
            "content": [{"type": "text", "text": "x"}, {"type": "reasoning", "summary": []}],
            "response_metadata": {"model_name": "m", "token_usage": {"input": 3}},
            "usage_metadata": {"input_tokens": 3},
        }
    ],
    "otel": spans(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": REQUEST,
            "gen_ai.tool.definitions": '[{"name": "delete_all", "parameters": {}}]',
            "gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content": "x"}]}]',
        },
        {"http.method": "GET"},
    ),
}


@pytest.mark.parametrize("label", HARMLESS)
def test_additional_keys_of_providers_are_accepted(label):
    assert read_trajectory(HARMLESS[label]) == []
    assert compare("trajectory_forbidden", ["delete_all"], HARMLESS[label]).passed


# Calls that were lost, and where they belong to the format.
READ = {
    "no events, but tool uses": (
        [{"intermediate_data": {"invocation_events": [], "tool_uses": [{"name": "delete_all", "args": {}}]}}],
        ["delete_all"],
    ),
    "shell": (items({"type": "shell_call", "action": {"commands": ["rm"]}}), ["shell"]),
    "patch": (items({"type": "apply_patch_call", "operation": {"type": "delete_file"}}), ["apply_patch"]),
    "tool search": (items({"type": "tool_search_call", "arguments": {}}), ["tool_search"]),
    "langchain content": (
        ai({"type": "function_call", "call_id": "2", **CALL}, tool_calls=[{"name": "a", "args": {}, "id": "9"}]),
        ["a", "delete_all"],
    ),
    "langchain copy": (
        ai(
            {"type": "function_call", "call_id": "9", **CALL},
            tool_calls=[{"name": "delete_all", "args": {}, "id": "9"}],
        ),
        ["delete_all"],
    ),
    "the user's tools": (
        [
            {"role": "assistant", "tool_calls": [{"id": "1", "name": "a", "arguments": {}, "requestor": "assistant"}]},
            {"role": "tool", "id": "1", "content": "x", "requestor": "assistant", "error": False},
            {"role": "user", "tool_calls": [{"id": "2", "name": "b", "arguments": {}, "requestor": "user"}]},
        ],
        ["a"],
    ),
    "the user's actions": (
        [
            {
                "action_id": "1",
                "name": "a",
                "arguments": {},
                "requestor": "assistant",
                "info": None,
                "compare_args": ["x"],
            },
            {"action_id": "2", "name": "b", "arguments": {}, "requestor": "user"},
        ],
        ["a"],
    ),
}


@pytest.mark.parametrize("label", READ)
def test_calls_under_additional_keys_are_read(label):
    value, names = READ[label]
    assert [event.name for event in read_trajectory(value)] == names


# Not one of these is a call, although each has a name.
NAMED = {
    "ADK EvalSet": {
        "eval_set_id": "s",
        "name": "shop",
        "description": None,
        "eval_cases": [{"eval_id": "1", "conversation": []}],
    },
    "LangSmith run": {"id": "1", "name": "shop", "run_type": "chain", "inputs": {}, "outputs": {}, "child_runs": []},
    "Langfuse trace": {"id": "1", "name": "shop", "input": {}, "output": "x", "timestamp": "2026", "observations": []},
    "Langfuse observation": {"id": "1", "type": "SPAN", "name": "shop", "input": {}},
    "deepeval test case": {
        "name": "shop",
        "input": "Buy tea.",
        "actual_output": "x",
        "tools_called": [{"name": "delete_all"}],
    },
}


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("label", NAMED)
def test_object_with_a_name_is_not_always_a_call(label, listed):
    value = [NAMED[label]] if listed else NAMED[label]
    result = compare("trajectory_forbidden", ["delete_all"], value)
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])


def execution(tool, start, end, **more):
    times = {"startTimeUnixNano": start, "endTimeUnixNano": end}
    attributes = {**EXECUTED, "gen_ai.tool.name": tool, "gen_ai.tool.call.id": "call_0", **more}
    return {"name": f"execute_tool {tool}", "attributes": attributes, **times}


def test_spans_with_the_same_identifier_are_one_call_if_they_overlap():
    one_after_another = [
        execution(tool, 10 * at, 10 * at + 5) for at, tool in enumerate(["a", "b", "a", "delete_all"], 1)
    ]
    assert [event.name for event in read_trajectory(one_after_another)] == ["a", "b", "a", "delete_all"]
    twice = [execution("a", 10, 20), execution("a", 11, 19), execution("b", 12, 13)]
    assert [event.name for event in read_trajectory(twice)] == ["a", "b"]
    nested = [{**execution("a", 0, 0), "spanId": "1"}, {**execution("a", 0, 0), "parentSpanId": "1"}]
    assert [event.name for event in read_trajectory(nested)] == ["a"]


def test_control_flow_spans_are_not_calls():
    parameters = '{"function_tools": [{"name": "search"}], "output_tools": [{"name": "final_result"}]}'
    asked = REQUEST.replace("delete_all", "final_result")
    trace = [
        *spans(
            {"gen_ai.operation.name": "chat", "model_request_parameters": parameters, "gen_ai.output.messages": asked}
        ),
        execution("final_result", 1, 2, **{"logfire.msg": "running output function: final_result"}),
        execution("book", 3, 4, **{"pydantic_ai.tool.deferral.name": "CallDeferred"}),
        execution("search", 5, 6),
    ]
    assert [event.name for event in read_trajectory(trace)] == ["search"]
