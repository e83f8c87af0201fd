"""Whatever looks like a call is read, or the trajectory is refused; what only looks like one changes nothing.

`samples/calls.jsonl` has traces as users dump them, made with the types of the libraries: the number of their calls, or None
if they hold calls that are not read, alternatives, pieces of a stream, or results of calls that were cut off.
"""

import json
from collections import deque
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
NAMES = (
    *("tool_id", "functionName", "method", "action", "command", "func", "fn", "api_name", "operation", "tool_slug"),
    *("recipient_name", "skill", "action_name"),
)
ARGUMENTS = (
    *("inputs", "payload", "tool_arguments", "function_arguments", "call_args", "toolInputs", "raw_args", "param"),
    *("arguments_str", "params", "inputParameters", "arg"),
)


class Slots:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class MoreSlots(Slots):
    __slots__ = ()


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
    "kind": {"type": "action", "name": "drop", "params": {"path": "/"}},
    "Mistral": {"type": "function.call", "name": "drop", "arguments": '{"path": "/"}', "object": "entry"},
    "Mistral, executed": {"type": "tool.execution", "name": "drop", "arguments": "{}"},
    "AG-UI": {"type": "TOOL_CALL_START", "toolCallId": "9", "toolCallName": "drop"},
    "AutoGen": {"content": [{"id": "9", "arguments": "{}", "name": "drop"}], "type": "ToolCallRequestEvent"},
    "Cohere": {"tool_plan": "x", "tool_calls": [{"name": "drop", "parameters": {"path": "/"}}]},
    "Groq": {"executed_tools": [{"index": 0, "type": "drop", "arguments": {"path": "x"}, "output": "x"}]},
    "A2A": {"kind": "data", "data": {"name": "drop", "args": {}}, "metadata": {"adk_type": "function_call"}},
    "ReAct": {"action": "drop", "action_input": {"path": "/"}},
    "result": {"tool": "drop", "observation": "ok"},
    "OpenCode": {"type": "tool", "tool": "drop", "callID": "9", "state": {"input": {"path": "/"}}},
    "names": {"tools_used": ["drop"]},
    "name before": {"called_tools": ["drop"]},
    "upper case": {"TOOL_CALLS": [{"title": "drop"}]},
    "without separator": {"toolcalls": ["drop('/')"]},
    "parallel": {"tool_uses": [{"recipient_name": "functions.drop", "parameters": {}}]},
    "action group": {"function": "drop", "parameters": [{"name": "path", "value": "/"}]},
    "Dialogflow": {"toolUse": {"tool": "projects/1", "action": "drop", "inputActionParameters": {}}},
    "deque": {"a": deque([{"name": "drop", "args": {}}])},
    "values": {"a": {"b": {"name": "drop", "args": {}}}.values()},
    "slots": MoreSlots({"name": "drop", "args": {}}),
    **{f"args as {key}": {"tool": "drop", key: "/"} for key in ARGUMENTS},
    **{f"name as {key}": {key: "drop", "arguments": {"path": "/"}} for key in NAMES},
}


# The definition of a tool may have the same form, and an attribute of a span is a text.
EXCEPTIONS = {
    *(("under tools", form) for form in ("action group", "args as params", "kind")),
    *(("in a span", form) for form in ("deque", "values", "slots")),
}


@pytest.mark.parametrize("place", HIDDEN)
def test_call_in_any_place_is_refused(place):
    for form, call in FORMS.items():
        if (place, form) in EXCEPTIONS:
            continue
        value = HIDDEN[place]({**CALL, "arguments": {"path": "/etc"}} if call is CALL else call)
        with pytest.raises(TrajectoryError, match=r"is not read|no span"):
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
    "names of those called": {"tools_used": ["delete"]},
    "names of those there are": {"tools": ["drop"], "available_tools": ["drop"]},
    "model": {"model": {"name": "gpt", "parameters": {"temperature": 0}}},
    "model with kwargs": {"model": {"name": "gpt", "kwargs": {"temperature": 0}}},
    "evaluator": {"evaluators": [{"name": "exact", "params": {"case": True}}]},
    "experiment": {"metadata": {"name": "a", "params": {"rate": 1}}},
    "agents": {"agents": [{"name": "planner", "tools": ["drop"], "params": {"temperature": 1}}]},
    "run": {"name": "run", "input": {"question": "x"}, "messages": []},
    "test case with fields": {"name": "case 1", "input": {"question": "x"}},
    "field of a form": {"name": "email", "type": "text", "params": {"required": True}},
    "feedback": {"feedback": {"name": "useful", "type": "rating", "input": {"stars": 5}}},
    "webhook": {"name": "order.created", "payload": {"id": 1}},
    "server": {"command": "npx", "args": ["-y", "server"]},
    "tool that made it": {"metadata": {"tool": "cursor", "version": "1"}},
    "answer": {"parsed": {"name": "Ann", "params": {"age": 3}}},
    "tool of Bedrock": {"tools": [{"toolSpec": {"name": "drop", "description": "d", "inputSchema": {"json": {}}}}]},
    "tool of Gemini": {"tools": [{"functionDeclarations": [{"name": "drop", "parameters": {"type": "OBJECT"}}]}]},
    "tool without parameters": {"tools": [{"type": "function", "function": {"name": "drop", "parameters": {}}}]},
    "finish reason": {"finish_reason": "tool_calls"},
    "step of a plan": {"type": "step", "step": "Plan the trip"},
    "request": {"type": "request", "request": "abc"},
    "flags": {"parallel_tool_calls": True, "has_tool_calls": False, "num_tool_calls": 1},
    "citation": {"annotations": [{"type": "url_citation", "url_citation": {"title": "t", "url": "u"}}]},
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


def make_spans(setting, count):
    request = [{"role": "assistant", "parts": [{"type": "tool_call", "name": name}]} for name in ("a", "b")]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(request)}
    if setting != "gen_ai.request.choice.count":
        key = "llm.output_messages.{}.message.tool_calls.0.tool_call.function.name"
        attributes = {"openinference.span.kind": "LLM", key.format(0): "a", key.format(1): "b"}
        count = json.dumps({"n": count})
    return [{"name": "chat", "attributes": {**attributes, setting: count}}]


@pytest.mark.parametrize("setting", ["gen_ai.request.choice.count", "llm.invocation_parameters"])
def test_answers_of_a_span_are_alternatives_if_several_were_asked_for(setting):
    assert len(read_trajectory(make_spans(setting, 1))) == 2
    with pytest.raises(TrajectoryError, match="has 2 answers"):
        read_trajectory(make_spans(setting, 2))


def test_call_beside_malformed_arguments_is_no_copy():
    broken = {"id": "c1", "function": {"name": "delete", "arguments": '{"path": '}}
    with pytest.raises(TrajectoryError, match=r"x\[\] has a call of 'delete', which is not read"):
        read_trajectory([chat(tool_calls=[broken], x=[CALL])])


@pytest.mark.parametrize(
    "more",
    [{"error": ""}, {"error": False}, {"error": None}, {"outcome": None}, {"status": "ok"}, {"is_error": False}],
    ids=str,
)
def test_result_without_an_error_is_no_failure(more):
    answered = {"role": "tool", "tool_call_id": "c1", "content": "x", **more}
    assert read_trajectory([chat(tool_calls=[CHAT_CALL]), answered])[0].error is None


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


@pytest.mark.ci
def test_many_calls_are_counted_quickly():
    call = {"type": "function_call", "name": "a", "arguments": "{}"}
    assert len(read_trajectory([{**call, "call_id": str(place)} for place in range(5_000)])) == 5_000
    assert len(read_trajectory([dict(call) for _ in range(5_000)])) == 5_000


WRITTEN = """
<tool_call>\\n{"name": "drop", "arguments": {}}\\n</tool_call>
I will clean up.\\n<tool_call>drop\\n<arg_key>path</arg_key>\\n</tool_call>
<function_calls>\\n<invoke name="drop">\\n</invoke>
<invoke name="drop">
<function=drop>{}</function>
<functioncall> {"name": "drop"}
<|python_tag|>{"name": "drop", "parameters": {}}
[TOOL_CALLS] [{"name": "drop", "arguments": {}}]
<\uff5ctool\u2581calls\u2581begin\uff5c>drop
<|channel|>commentary to=functions.drop <|message|>{}
Thought: x\\nAction: drop\\nAction Input: {"path": "/"}
**Action**: drop\\n**Action Input**: /
{"name": "drop", "arguments": {"path": "/"}}
{"name": "drop", "parameters": {"path": "/"}}
{"type": "function", "function": {"name": "drop", "arguments": "{}"}}
{"tool_calls": [{"name": "drop", "arguments": {}}]}
{"tool": "drop", "tool_input": {"path": "/"}}
{"action": "drop", "action_input": "/"}
{"tool_name": "drop", "tool_args": {"path": "/"}}
[{"name": "drop", "arguments": {"path": "/"}}]
[{"function": "drop", "parameters": {}}, {"function": "drop", "parameters": {}}]
[drop(path="/")]
[fs.drop(path="/"), fs.drop(path="/etc")]
```json\\n{"name": "drop", "arguments": {"path": "/"}}\\n```
```\\n{"action": "drop", "action_input": {"path": "/"}}\\n```
```tool_code\\ndrop(path="/")\\n```
I will.\\n```tool_code\\nprint(drop("/"))\\n```
\u273fFUNCTION\u273f: drop\\n\u273fARGS\u273f: {}
<|tool_call|>[{"name": "drop", "arguments": {}}]
<|tool_calls_section_begin|><|tool_call_begin|>functions.drop:0<|tool_call_end|>
<function_calls><invoke><tool_name>drop</tool_name></invoke></function_calls>
<drop_file>\\n<path>a.txt</path>\\n</drop_file>
I will.\\n\\n<execute_command>\\n<command>drop a</command>\\n<requires_approval>false</requires_approval>\\n</execute_command>
<use_mcp_tool>\\n<server_name>fs</server_name>\\n<tool_name>drop</tool_name>\\n</use_mcp_tool>
<attempt_completion>\\n<result>drop is done</result>\\n</attempt_completion>
<tool_use><name>drop</name><arguments>{}</arguments></tool_use>
<tool>drop</tool><tool_input>/</tool_input>
functools[{"name": "drop", "arguments": {}}]
<start_function_call>call:drop{path:<escape>/<escape>}<end_function_call>
```python\\nprint(default_api.drop(path="/"))\\n```
drop(path="/")
fs.drop(path='/', times=2)
drop(path="/", force=True)
""".strip().splitlines()
NOT_WRITTEN = """
{"name": "Ann", "age": 4}
{"name": "Ann", "arguments": {"for": "yes"}, "summary": "x"}
{"plan": [{"name": "drop", "arguments": {}}]}
Call drop(path="/") to clean up.
The action: none. No action input is needed.
Action: nothing to do.
A tool_call is a request of a model.
{"action": "Final Answer", "action_input": "Paris"}
```json\\n{"action": "Final Answer", "action_input": "Paris"}\\n```
```json\\n{"name": "Ann", "age": 4}\\n```
[{"name": "Ann", "age": 4}, {"name": "Bob", "age": 5}]
[1, 2, 3]
[]
[see the notes (below)]
f(x=3)
The call drop(path="/") removes it.
<final_answer>\\n<city>Paris</city>\\n</final_answer>
<search_results>\\n<item>Paris</item>\\n</search_results>
<my_thinking>\\n<step>1</step>\\n</my_thinking>
<ul>\\n<li>Paris</li>\\n</ul>
<invoice><total>5</total></invoice>
print("a")
[drop] is a tool (not called)
Use it so:\\n```json\\n{"name": "drop", "arguments": {}}\\n```
```python\\ndrop(path="/")\\n```
""".strip().splitlines()


def messages_with(text):
    """Yield histories in several formats in which the model wrote a text."""
    ask = {"role": "user", "content": f"Never write {text}"}
    yield [ask, {"role": "assistant", "content": text}]
    yield {"messages": [ask, {"role": "assistant", "content": [{"type": "text", "text": text}]}]}
    yield {"choices": [{"message": {"role": "assistant", "content": text}}]}
    yield [{"type": "human", "content": text}, {"type": "ai", "content": text}]
    yield [{"role": "user", "parts": [{"text": text}]}, {"role": "model", "parts": [{"text": text}]}]
    yield [{"kind": "response", "parts": [{"part_kind": "text", "content": text}]}]
    yield {"output": {"message": {"role": "assistant", "content": [{"text": text}]}}}
    yield [ask, {"role": "assistant", "content": "x", "reasoning_content": text}]
    yield [ask, {"role": "assistant", "content": [{"type": "thinking", "thinking": text}]}]


@pytest.mark.parametrize("text", WRITTEN)
def test_call_in_the_text_of_a_model_is_refused(text):
    text = text.replace(r"\n", "\n")
    for value in messages_with(text):
        result = compare("trajectory_forbidden", ["drop"], value)
        assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
    other = [{**chat(tool_calls=[CHAT_CALL]), "content": text}]
    assert compare("trajectory_forbidden", ["drop"], other).notes == ["trajectory_unreadable"]
    call = {**CHAT_CALL, "function": {**CHAT_CALL["function"], "name": "drop"}}
    repeated = [{**chat(tool_calls=[call]), "content": text}, {"role": "user", "content": text}]
    assert compare("trajectory_max_calls", 1, repeated).details["calls"] == {"*": 1}


@pytest.mark.parametrize("text", NOT_WRITTEN)
def test_text_without_a_call_is_no_call(text):
    for value in messages_with(text.replace(r"\n", "\n")):
        assert compare("trajectory_max_calls", 0, value).passed


def test_item_of_many_brackets_is_read_quickly():
    assert compare("trajectory_max_calls", 1, ["a(" * 20_000 + ")" * 20_000 + "x"]).details["calls"] == {"*": 1}


def test_text_of_many_lines_is_searched_quickly():
    assert compare("trajectory_max_calls", 0, [chat() | {"content": "\n*" * 200_000 + "Action: x"}]).passed


@pytest.mark.parametrize(
    "observed",
    [
        *(
            ["pay(id=7)"],
            ['{"name": "pay", "args": {}}'],
            ["{'name': 'pay'}"],
            ["pay, search"],
            ["pay;search"],
            ["pay\n"],
        ),
        *(["pay -> ok"], ['["pay"]'], ("pay", '["x"]'), [[]], {"steps": [[]]}),
        [{"role": "assistant", "recipient": "functions.pay", "content": "{}"}],
        [{"lc": 1, "type": "not_implemented", "repr": "LLMResult(tool_calls=[...])"}],
    ],
    ids=str,
)
def test_text_that_is_no_name_is_refused(observed):
    result = compare("trajectory_forbidden", ["pay"], observed)
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
    assert compare("trajectory_forbidden", observed, ["pay"]).verdict == "error"


@pytest.mark.parametrize(
    "name", ["Search Agent", "__start__", "functions.pay:0", "mcp__fs__pay", "Wolfram|Alpha", "C++"]
)
def test_name_in_a_plain_list_may_have_signs(name):
    assert compare("trajectory_single_tool_use", name, [name]).passed
