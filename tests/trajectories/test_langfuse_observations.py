"""Observations of Langfuse, made by its decorator and by its callback for LangChain."""

import json
from pathlib import Path

import pytest
from test_formats import SHAPES

from pytest_verdict import compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format
from pytest_verdict.trajectories.readers.logs import langfuse
from refusals import refused

recognises = langfuse.recognises
SAMPLES = json.loads((Path(__file__).parent / "samples" / "langfuse.json").read_text(encoding="utf-8"))
TRACE = SAMPLES["traced functions"]
LANGCHAIN = SAMPLES["LangChain"]
OBSERVATIONS = TRACE["observations"]
CALLS = [("search", {"query": "tea"}), ("clock", {}), ("buy", {"id": 7})]
ALONE = {key: value for key, value in TRACE.items() if key != "observations"}
ASKED = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": "{}"}}]}


def observation(kind, name, output=None, **more):
    return {"id": name, "traceId": "t", "type": kind, "name": name, "input": {}, "output": output, **more}


@pytest.mark.parametrize("format", ["auto", "langfuse"])
@pytest.mark.parametrize(
    "value",
    [
        TRACE,
        [TRACE],
        OBSERVATIONS,
        {"trace": ALONE, "observations": OBSERVATIONS},
        {"data": OBSERVATIONS, "meta": {}},
        [{**one, "input": json.dumps(one["input"]), "output": json.dumps(one["output"])} for one in OBSERVATIONS],
    ],
    ids=["trace", "list of traces", "list", "file", "answer", "texts"],
)
def test_requested_and_executed_call_is_read_once(value, format):
    search, clock, buy = read_trajectory(value, format)
    assert [(event.name, event.args) for event in (search, clock)] == CALLS[:2]
    assert (search.result, search.error, clock.error) == ("3 teas", None, "no clock")
    # The function was called with a position, which names no argument.
    assert (buy.name, buy.args_note) == ("buy", "args_malformed")
    assert {event.agent for event in (search, clock, buy)} == {"shopper"}
    assert compare("trajectory_exact", [name for name, _ in CALLS], json.dumps(value), observed_format=format).passed


@pytest.mark.parametrize(
    "value",
    [LANGCHAIN, [one for one in LANGCHAIN if one["type"] == "TOOL"], LANGCHAIN[::-1]],
    ids=["all", "tools", "newest first"],
)
def test_langchain_calls_are_read(value):
    assert [(event.name, event.args, event.id) for event in read_trajectory(value)] == [
        (*call, f"c{place}") for place, call in enumerate(CALLS, 1)
    ]
    assert compare("trajectory_exact", CALLS, value).passed


@pytest.mark.parametrize("value", [OBSERVATIONS, LANGCHAIN], ids=["traced functions", "LangChain"])
def test_requests_are_calls_if_no_tool_was_traced(value):
    asked = [one for one in value if one["type"] == "GENERATION"]
    assert [(event.name, event.args) for event in read_trajectory(asked)] == CALLS
    assert [event.group for event in read_trajectory(asked)] == [0, 0, 1]


def test_observations_beside_messages_are_openai_chat():
    assert recognise_format({"messages": [{"role": "user", "content": "x"}], "observations": []}) == "openai_chat"


@pytest.mark.parametrize("label", SHAPES)
def test_other_formats_are_not_recognised(label):
    assert not recognises(SHAPES[label])


def test_several_traces_are_read_in_sequence():
    later = [{**one, "traceId": "u"} for one in LANGCHAIN]
    events = read_trajectory([*LANGCHAIN, *later])
    assert [event.name for event in events] == ["search", "clock", "buy"] * 2
    assert len({event.group for event in events}) == 6


def test_python_literals_are_read_as_arguments():
    (event,) = read_trajectory([observation("TOOL", "search", input="{'query': 'tea'}")])
    assert event.args == {"query": "tea"}
    (event,) = read_trajectory([observation("TOOL", "search", input=None)])
    assert event.args_note == "args_not_recorded"


@pytest.mark.parametrize(
    ("recorded", "args", "note"),
    [
        ({"args": [], "kwargs": {"query": "tea"}}, {"query": "tea"}, None),
        ({"args": [], "kwargs": {}}, {}, None),
        ({"args": ["tea"], "kwargs": {"fresh": True}}, {}, "args_malformed"),
        ({"args": {"query": "tea"}, "kwargs": {}}, {"args": {"query": "tea"}, "kwargs": {}}, None),
        ("tea", {}, "args_malformed"),
        ("{" * 300, {}, "args_malformed"),
        ("{'a': " + "-" * 100_000 + "1}", {}, "args_malformed"),
        ("{'a': '\\U00110000'}", {}, "args_malformed"),
        ("{'a': 1, 'a': 2}", {}, "args_malformed"),
        ("{'a': b'x', 'b': ('x',)}", {}, "args_malformed"),
        (["tea"], {}, "args_malformed"),
    ],
)
def test_input_of_a_tool_becomes_arguments_or_is_malformed(recorded, args, note):
    (event,) = read_trajectory([observation("TOOL", "search", input=recorded)])
    assert (event.args, event.args_note) == (args, note)


def test_error_level_marks_a_failed_call():
    levels = [
        {"level": "DEFAULT", "statusMessage": "cached"},
        {"level": "ERROR", "statusMessage": None},
        {"level": "WARNING"},
    ]
    for level, error in zip(levels, [None, "the tool reported an error", None], strict=True):
        (event,) = read_trajectory([observation("TOOL", "search", "x", **level)])
        assert event.error == error


def test_calls_noted_by_the_server_are_read_once():
    named = {"toolCalls": ['{"name": "search"}'], "toolCallNames": ["search"], "toolDefinitions": {"search": "{}"}}
    assert [event.name for event in read_trajectory([observation("GENERATION", "chat", ASKED, **named)])] == ["search"]


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ([one for one in OBSERVATIONS if one["type"] == "AGENT"], "no run of a tool or a model"),
        ({**TRACE, "observations": []}, "no run of a tool or a model"),
        ({**TRACE, "observations": ["o1"]}, "nothing is known"),
        ({**TRACE, "observations": [3]}, "must be an object"),
        ({**TRACE, "tool_uses": [{"name": "a", "args": {}}]}, "tool_uses"),
        ([{**one, "output": None} for one in OBSERVATIONS], "'chat' has neither an output nor an error"),
        ([observation("GENERATION", "chat", "x", toolCallNames=["search"])], "known format"),
        ([observation("GENERATION", "chat", "x"), observation("SPAN", "agent", ASKED)], "'agent' returned"),
        (
            {**ALONE, "output": ASKED, "observations": [observation("GENERATION", "chat", "x", traceId=TRACE["id"])]},
            "'shopper' returned",
        ),
        ([observation("GENERATION", "chat", ASKED), observation("ROBOT", "x")], "robot"),
        ([{**observation("SPAN", "x"), "toolUse": {"name": "a"}}], "nothing is known of its calls"),
    ],
)
@pytest.mark.parametrize("format", ["auto", "langfuse"])
def test_export_that_may_lack_a_call_is_unreadable(value, named, format):
    result = refused(
        "trajectory_forbidden", ["drop"], value, "trajectory_unreadable", verdict="fail", observed_format=format
    )
    assert named in result.details["reason"]


def test_library_objects_are_read():
    types = pytest.importorskip("langfuse.api.commons.types", reason="needs langfuse")
    utilities = pytest.importorskip("langfuse.api.core.pydantic_utilities", reason="needs langfuse")
    made = [utilities.parse_obj_as(types.ObservationV2, {**one, "projectId": "p"}) for one in LANGCHAIN]
    assert recognise_format(made) == "langfuse"
    assert compare("trajectory_exact", CALLS, made).passed


def test_traced_functions_are_read(monkeypatch):
    langfuse = pytest.importorskip("langfuse", reason="needs langfuse")
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs opentelemetry-sdk")
    export = pytest.importorskip(
        "opentelemetry.sdk.trace.export.in_memory_span_exporter", reason="needs opentelemetry-sdk"
    )
    exporter, provider = export.InMemorySpanExporter(), sdk.TracerProvider()
    client = langfuse.Langfuse(
        public_key="pk-lf-of-a-test", secret_key="sk-lf-of-a-test", tracer_provider=provider, span_exporter=exporter
    )

    @langfuse.observe(as_type="tool")
    def search(query):
        return f"3 {query}s"

    @langfuse.observe(as_type="agent")
    def shopper():
        return search(query="tea")

    shopper(langfuse_public_key="pk-lf-of-a-test")
    client.flush()
    prefix = "langfuse.observation."
    found = [
        {
            "id": format(span.context.span_id, "016x"),
            "traceId": format(span.context.trace_id, "032x"),
            "parentObservationId": span.parent and format(span.parent.span_id, "016x"),
            "type": span.attributes[f"{prefix}type"].upper(),
            "name": span.name,
            "startTime": span.start_time,
            "endTime": span.end_time,
            "input": span.attributes[f"{prefix}input"],
            "output": span.attributes[f"{prefix}output"],
        }
        for span in exporter.get_finished_spans()
    ]
    (event,) = read_trajectory(found)
    assert (event.name, event.args, event.result, event.agent) == ("search", {"query": "tea"}, "3 teas", "shopper")


def test_observation_whose_trace_is_null_is_read():
    (event,) = read_trajectory([{**observation("TOOL", "search", input={"query": "tea"}), "trace": None}])
    assert event.name == "search"
