"""Sessions, streams and EvalSets of ADK, made by the library."""

import asyncio
import json

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

pytestmark = pytest.mark.filterwarnings("ignore")


def asking(name, **args):
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


ANSWERS = [[asking("search", query="tea"), asking("clock")], [asking("buy", id=7)], [types.Part(text="Bought.")]]


class Scripted(BaseLlm):
    asked: int = 0

    async def generate_content_async(self, llm_request, stream=False):
        parts = ANSWERS[self.asked]
        self.asked += 1
        for partial in [True, None] if stream else [None]:
            copies = [part.model_copy(deep=True) for part in parts]
            yield LlmResponse(content=types.Content(role="model", parts=copies), partial=partial)


def search(query: str) -> dict:
    return {"found": f"3 {query}s"}


def clock() -> dict:
    return {"error": "no clock"}


def buy(id: int) -> dict:
    return {"bought": id}


async def run(mode):
    agent = LlmAgent(name="shopper", model=Scripted(model="scripted"), tools=[search, clock, buy])
    runner = InMemoryRunner(agent, app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Buy tea.")])
    settings = RunConfig(streaming_mode=mode)
    going = runner.run_async(user_id="u", session_id=session.id, new_message=message, run_config=settings)
    events = [event async for event in going]
    return events, await runner.session_service.get_session(app_name="shop", user_id="u", session_id=session.id)


@pytest.fixture(scope="module", params=["NONE", "SSE"])
def recorded(request):
    return asyncio.run(run(StreamingMode[request.param]))


def forms(value):
    """Return the recording as objects and as JSON."""
    listed = value if isinstance(value, list) else [value]
    yield value
    for settings in [{}, {"by_alias": True, "exclude_none": True}]:
        dumped = [json.loads(item.model_dump_json(**settings)) for item in listed]
        yield dumped if isinstance(value, list) else dumped[0]


def test_adk_reads_events_sessions_and_eval_sets(recorded):
    events, session = recorded
    conversation = EvaluationGenerator.convert_events_to_eval_invocations(session.events)
    eval_set = EvalSet(eval_set_id="s", eval_cases=[EvalCase(eval_id="1", conversation=conversation)])
    for value in [[event for event in events if not event.partial], session, eval_set]:
        for form in forms(value):
            assert recognise_format(form) == "adk"
            read = read_trajectory(form)
            assert [(event.name, event.args) for event in read] == [
                ("search", {"query": "tea"}),
                ("clock", {}),
                ("buy", {"id": 7}),
            ]
            assert [event.error for event in read] == [None, "no clock", None]
            assert {event.agent for event in read} == {"shopper"}
            assert read[0].group == read[1].group != read[2].group
        result = compare("trajectory_exact", ["search", "clock", "buy"], value)
        again = ComparisonResult.from_record(json.loads(result.to_text()))
        assert result.passed
        assert compare("trajectory_exact", again.expected, again.observed).passed
