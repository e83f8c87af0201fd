"""Runs sent by the client of LangSmith: of LangChain with a fake model, and of traced functions."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from test_formats import OPENAI_CHAT, SHAPES

from pytest_verdict import compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format
from pytest_verdict.trajectories.readers.logs import langsmith
from refusals import refused

recognises = langsmith.recognises
RUNS = json.loads((Path(__file__).parent / "samples" / "langsmith.json").read_text(encoding="utf-8"))
CALLS = [("search", {"query": "tea"}), ("clock", {}), ("buy", {"id": 7})]
ASKED = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": "{}"}}]}


def of(*kinds):
    return [run for run in RUNS if run["run_type"] in kinds]


def tree():
    root, *others = RUNS
    return {**root, "child_runs": others}


def run(run_type, name, outputs=None, **more):
    return {"id": name, "name": name, "run_type": run_type, "inputs": {}, "outputs": outputs, "trace_id": "t", **more}


@pytest.mark.parametrize("format", ["auto", "langsmith"])
@pytest.mark.parametrize(
    "value",
    [RUNS, tree(), [tree()], [tree(), *RUNS[1:]], {"runs": RUNS, "cursors": {}}, RUNS[::-1], of("tool"), of("llm")],
    ids=["list", "tree", "list of trees", "tree and list", "answer", "newest first", "tools", "models"],
)
def test_requested_and_executed_call_is_read_once(value, format):
    events = read_trajectory(value, format)
    assert [(event.name, event.args, event.id) for event in events] == [
        (*call, f"c{place}") for place, call in enumerate(CALLS, 1)
    ]
    assert compare("trajectory_exact", CALLS, json.dumps(value), observed_format=format).passed


def test_result_and_error_are_read():
    search, clock, _ = read_trajectory(RUNS)
    assert "3 teas" in repr(search.result)
    assert (search.error, clock.error) == (None, "ValueError('no clock')")


@pytest.mark.parametrize("label", SHAPES)
def test_other_formats_are_not_recognised(label):
    assert not recognises(SHAPES[label])


def test_request_without_tool_run_is_a_call():
    asked = run("llm", "model", {"choices": [{"message": ASKED}]}, start_time="2026-01-01T00:00:00")
    other = run("tool", "look", "x", start_time="2026-01-01T00:00:01", end_time="2026-01-01T00:00:02")
    assert [event.name for event in read_trajectory([asked, other])] == ["search", "look"]
    executed = run("tool", "search", {"output": "x"})
    assert [(event.name, event.id) for event in read_trajectory([asked, executed])] == [("search", None)]


def test_runs_with_the_same_identifier_are_separate_unless_equal():
    timed = run("tool", "buy", "x", start_time="2026-01-01T00:00:01", end_time="2026-01-01T00:00:02")
    for other in ({**timed, "start_time": "2026-01-01T00:00:00"}, {**timed, "name": "drop"}):
        assert len(read_trajectory([timed, other])) == 2
    assert len(read_trajectory([run("tool", "buy", "x"), run("tool", "buy", "x", inputs={"id": 7})])) == 2
    assert len(read_trajectory([timed, dict(timed)])) == 1


def test_nested_model_runs_request_a_call_once():
    outer = run("llm", "outer", ASKED)
    inner = run("llm", "inner", {"messages": [ASKED]}, parent_run_id="outer")
    later = run("llm", "later", {"output": {"message": ASKED}})
    assert [event.name for event in read_trajectory([outer, inner])] == ["search"]
    assert [event.group for event in read_trajectory([outer, later])] == [0, 1]


def test_langchain_arguments_as_python_text_are_parsed():
    def executed(text, library):
        return run("tool", "search", "x", inputs={"input": text}, extra={"runtime": {"library": library}})

    (event,) = read_trajectory(executed("{'query': 'tea', 'fresh': True}", "langchain-core"))
    assert event.args == {"query": "tea", "fresh": True}
    in_process = {**executed("{'query': 'tea'}", None), "extra": {"color": "green"}}
    assert read_trajectory(in_process)[0].args == {"query": "tea"}
    (event,) = read_trajectory(executed("{'query': Tea()}", "langchain-core"))
    assert (event.args_note, event.args_text) == ("args_malformed", "{'query': Tea()}")
    (event,) = read_trajectory(executed('{"query": "tea\\/milk", "fresh": true}', "langchain-js"))
    assert event.args == {"query": "tea/milk", "fresh": True}
    (event,) = read_trajectory(executed("tea", "langchain"))
    assert event.args == {"input": "tea"}
    (event,) = read_trajectory(executed("{'query': 'tea'}", "langsmith"))
    assert event.args == {"input": "{'query': 'tea'}"}
    (event,) = read_trajectory(run("tool", "search", inputs=None))
    assert event.args_note == "args_not_recorded"


@pytest.mark.ci
@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
    )
)
@example(
    {"it's": 'so-called "tea"', "\\n\n\t": "caf\u00e9 \u8336 \U0001f375 \x00 \\u00e9 True", "None": [None, True, False]}
)
def test_langchain_arguments_survive_the_round_trip(args):
    written = run("tool", "search", "x", inputs={"input": str(args)}, extra={"color": "green"})
    (event,) = read_trajectory(written)
    assert event.args == args


def test_tool_message_with_error_status_has_an_error():
    message = {"type": "tool", "status": "error", "content": "no clock", "tool_call_id": "c2"}
    (event,) = read_trajectory(run("tool", "clock", {"output": message}))
    assert (event.id, event.error) == ("c2", "no clock")


def test_model_run_without_call_has_no_events():
    sent = {"messages": OPENAI_CHAT}
    answered = run("llm", "model", {"role": "assistant", "content": "Done."}, inputs=sent)
    # The state of a graph has the calls of earlier turns.
    graph = run("chain", "graph", {"messages": OPENAI_CHAT})
    assert read_trajectory([graph, answered]) == []
    assert compare("trajectory_forbidden", ["buy"], [graph, answered]).passed
    assert read_trajectory(run("llm", "model", error="timeout")) == []


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (of("chain"), "no run of a tool or a model"),
        ([*RUNS, run("chain", "root", {"output": "x"}, trace_id="u")], "no run of a tool or a model"),
        ([run("llm", "title", {"output": "x"}), run("chain", "agent", {"messages": OPENAI_CHAT})], "'agent' returned"),
        ([run("llm", "model")], "'model' has neither an output nor an error"),
        ([run("llm", "model", {})], "'model' has neither an output nor an error"),
        ([run("llm", "model", {"actions": [{"name": "buy", "args": {}}]})], "known format|buy"),
        ([run("llm", "model", {"output": "x"}, extra={"tool_call_count": 2})], "known format"),
        ([run("llm", "model", {"messages": []}, extra={"tool_call_count": 2})], "cannot be read"),
        ([run("llm", "model", {"generations": [[{"text": "x", "tool_calls": [ASKED]}]]})], "None"),
        ([run("robot", "buy")], "robot"),
        ([{**tree(), "tool_calls": [{"name": "drop", "args": {}}]}], "tool_calls"),
        ([{**tree(), "child_runs": [{"name": "buy", "inputs": {}}]}], "run_type"),
        ([{**tree(), "child_runs": [3]}], "must be an object"),
        ([run("tool", "")], "name of its tool"),
    ],
)
@pytest.mark.parametrize("format", ["auto", "langsmith"])
def test_export_that_may_lack_a_call_is_unreadable(value, named, format):
    result = refused(
        "trajectory_forbidden", ["drop"], value, "trajectory_unreadable", verdict="fail", observed_format=format
    )
    assert any(name in result.details["reason"] for name in named.split("|"))


def test_empty_export_is_unreadable():
    refused("trajectory_forbidden", ["a"], [], "trajectory_unreadable", verdict="fail", observed_format="langsmith")


def test_library_runs_are_read():
    run_trees = pytest.importorskip("langsmith.run_trees", reason="needs langsmith")
    schemas = pytest.importorskip("langsmith.schemas", reason="needs langsmith")
    root = run_trees.RunTree(name="agent", run_type="chain", inputs={"input": "Buy tea."})
    model = root.create_child("model", run_type="llm", inputs={"messages": []})
    model.end(outputs=ASKED)
    search = root.create_child("search", run_type="tool", inputs={"query": "tea"})
    search.end(outputs={"output": "3 teas"})
    buy = root.create_child("buy", run_type="tool", inputs={"id": 7})
    buy.end(error="sold out")
    root.end(outputs={"messages": [ASKED]})
    runs = [root, model, search, buy]
    fields = (
        "id",
        "trace_id",
        "parent_run_id",
        "name",
        "run_type",
        "inputs",
        "outputs",
        "error",
        "start_time",
        "end_time",
    )
    stored = [schemas.Run(**{field: getattr(one, field) for field in fields}) for one in runs]
    for value in (root, runs, stored):
        assert recognise_format(value) == "langsmith"
        found = [(event.name, event.args, event.error) for event in read_trajectory(value)]
        assert found == [("search", {"query": "tea"}, None), ("buy", {"id": 7}, "sold out")]


def test_langchain_runs_are_read():
    tools = pytest.importorskip("langchain_core.tools", reason="needs langchain-core")
    tracers = pytest.importorskip("langchain_core.tracers.run_collector", reason="needs langchain-core")

    @tools.tool
    def search(query: str) -> str:
        """Search."""
        return f"3 {query}s"

    collector = tracers.RunCollectorCallbackHandler()
    search.invoke(
        {"name": "search", "args": {"query": "tea"}, "id": "c1", "type": "tool_call"}, {"callbacks": [collector]}
    )
    (event,) = read_trajectory(collector.traced_runs)
    assert (event.name, event.args, event.id) == ("search", {"query": "tea"}, "c1")
