"""Logs of Inspect AI, made by the library."""

import json

import pytest

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")

from inspect_ai import Task, eval
from inspect_ai.agent import agent, as_tool, react
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.tool import ToolCall, ToolError, tool

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

pytestmark = pytest.mark.filterwarnings("ignore")

LONG = "milk " + "x" * 200
FIRST = [("c1", "search", {"query": "tea"}), ("c2", "clock", {})]


def scripted(*answers):
    outputs = []
    for calls in answers:
        made = [ToolCall(id=identifier, function=name, arguments=args) for identifier, name, args in calls]
        output = ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=made))
        # Else the library counts tokens, for which it asks the network.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        outputs.append(output)
    return get_model("mockllm/model", custom_outputs=outputs)


@tool
def search():
    async def execute(query: str):
        """Search.

        Args:
            query: For what.
        """
        return f"3 {query}s"

    return execute


@tool
def clock():
    async def execute():
        """Return the time."""
        raise ToolError("no clock")

    return execute


@agent(description="Help.")
def helper():
    model = scripted([("h1", "search", {"query": LONG})], [("h2", "submit", {"answer": "ok"})])
    return react(name="helper", description="Help.", tools=[search()], model=model)


@scorer(metrics=[accuracy()])
def grade():
    async def score(state, target):
        await scripted([("g1", "delete_all", {})]).generate("Grade it.")
        return Score(value=1)

    return score


@pytest.fixture(scope="module", params=["json", "eval"])
def log(request, tmp_path_factory):
    model = scripted(FIRST, [("c3", "helper", {"input": "x"})], [("c4", "submit", {"answer": "done"})])
    solver = react(tools=[search(), clock(), as_tool(helper())])
    task = Task(dataset=[Sample("Buy tea.", target="x")], solver=solver, scorer=grade())
    folder = str(tmp_path_factory.mktemp("logs"))
    (done,) = eval(task, model=model, log_dir=folder, log_format=request.param, display="none")
    assert done.status == "success"
    return done


def test_calls_of_a_log_are_read(log):
    written = read_eval_log(log.location)
    dumped = written.model_dump(mode="json", exclude_none=True)
    for value in [log, written, dumped, json.dumps(dumped), written.samples[0], dumped["samples"][0]]:
        read = read_trajectory(value)
        assert [(event.name, event.args, event.agent) for event in read] == [
            ("search", {"query": "tea"}, "react"),
            ("clock", {}, "react"),
            ("helper", {"input": "x"}, "react"),
            ("search", {"query": LONG}, "helper"),
            ("submit", {"answer": "ok"}, "helper"),
            ("submit", {"answer": "done"}, "react"),
        ]
        assert [event.error for event in read] == [None, "no clock", None, None, None, None]
        assert read[0].group == read[1].group != read[2].group
        settings = {"agents": ["react"], "except_tools": ["submit"]}
        result = compare("trajectory_exact", ["search", "clock", "helper"], value, **settings)
        again = ComparisonResult.from_record(json.loads(result.to_text()))
        assert result.passed
        assert compare("trajectory_exact", again.expected, again.observed, **settings).passed


def test_calls_of_messages_are_read(log):
    messages = log.samples[0].messages
    for value in [messages, [message.model_dump(mode="json") for message in messages]]:
        assert recognise_format(value) == "inspect_ai"
        assert [event.name for event in read_trajectory(value)] == ["search", "clock", "helper"]
