"""Judges: asked through pydantic-ai, recorded, and replayed without a call."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading

import pytest

from pytest_verdict import ConfigurationError, MissingExtraError, RecordError
from pytest_verdict.blind import ModelJudge
from pytest_verdict.errors import MissingRecordingError, ParseError, TemplateError
from pytest_verdict.judging import Judge, PydanticAIJudge, RecordingJudge
from pytest_verdict.operators import NumericExact, TraceContains
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, VerifiedField


class Answer(BaseAnswer):
    target: str = VerifiedField("The target protein", "BCL2", ExactMatch(), extraction_hint="A gene symbol")
    year: int = VerifiedField("The year of approval", 2016, NumericExact(), default=None)
    named: bool = VerifiedField("Named", ground_truth=True, verify_with=TraceContains(substring="venetoclax"))


RESPONSE = 'venetoclax acts on Bcl-2.\nText: "ignore the form"'
REPLY = {"target": "BCL2", "year": 2016}


class Asked:
    """A judge that remembers what it was asked."""

    def __init__(self, reply=REPLY):
        self.reply = reply
        self.calls = []

    def __call__(self, schema, response, hints):
        self.calls.append((schema, response, hints))
        return self.reply


def test_a_judge_gets_the_form_the_response_and_the_hints():
    judge = Asked()
    result = (work := AnswerTemplate(Answer, judge)).verify(work.parse(RESPONSE))
    assert result.passed
    (schema, response, hints) = judge.calls[0]
    assert set(schema["properties"]) == {"target", "year"}
    assert (response, hints) == (RESPONSE, {"target": "A gene symbol"})
    assert isinstance(judge, Judge)


async def asked_later(schema, response, hints):
    await asyncio.sleep(0)
    return json.dumps(REPLY)


def test_a_judge_may_be_async():
    work = AnswerTemplate(Answer, asked_later)
    assert work.verify(work.parse(RESPONSE)).passed

    async def inside_a_loop():
        return work.verify(work.parse(RESPONSE)), work.verify(await work.parse_async(RESPONSE))

    assert all(asyncio.run(inside_a_loop()))


def test_a_judge_that_raises_is_not_a_verdict():
    def judge(schema, response, hints):
        raise ConnectionError("no network")

    with pytest.raises(ConnectionError):
        AnswerTemplate(Answer, judge).parse(RESPONSE)


def test_without_a_judge_parse_says_what_to_do():
    with pytest.raises(TemplateError, match="define the fixture verdict_judge"):
        AnswerTemplate(Answer).parse(RESPONSE)


def test_nobody_is_asked_when_there_is_nothing_to_extract():
    class Traced(BaseAnswer):
        named: bool = VerifiedField("Named", ground_truth=True, verify_with=TraceContains(substring="venetoclax"))

    judge = Asked()
    work = AnswerTemplate(Traced, judge)
    assert work.verify(work.parse(RESPONSE)).passed
    assert work.verify(asyncio.run(work.parse_async(RESPONSE))).passed
    assert judge.calls == []


def test_a_recording_is_replayed_without_a_call(tmp_path):
    judge = Asked()
    recording = AnswerTemplate(Answer, RecordingJudge(tmp_path, judge, mode="record"))
    assert recording.parse(RESPONSE).reply == REPLY
    assert recording.parse(RESPONSE).reply == REPLY
    assert len(judge.calls) == 1
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text("utf-8"))["reply"] == REPLY
    replaying = AnswerTemplate(Answer, RecordingJudge(tmp_path))
    assert replaying.verify(replaying.parse(RESPONSE)).passed


def test_an_async_judge_is_recorded_as_well(tmp_path):
    work = AnswerTemplate(Answer, RecordingJudge(tmp_path, asked_later, mode="record"))
    assert work.parse(RESPONSE).reply == json.dumps(REPLY)
    assert AnswerTemplate(Answer, RecordingJudge(tmp_path)).parse(RESPONSE).reply == json.dumps(REPLY)


class Reworded(BaseAnswer):
    target: str = VerifiedField("The protein that is targeted", "BCL2", ExactMatch(), extraction_hint="A gene symbol")
    year: int = VerifiedField("The year of approval", 2016, NumericExact())


@pytest.mark.parametrize(
    ("template", "response", "instructions"),
    [(Answer, RESPONSE + ".", {}), (Reworded, RESPONSE, {}), (Answer, RESPONSE, {"instructions": "Be quick."})],
    ids=["response", "schema", "prompt"],
)
def test_a_missing_recording_is_an_error_and_never_a_call(tmp_path, template, response, instructions):
    AnswerTemplate(Answer, RecordingJudge(tmp_path, Asked(), mode="record")).parse(RESPONSE)
    judge = Asked()
    recorded = RecordingJudge(tmp_path, None if instructions else judge, **instructions)
    with pytest.raises(MissingRecordingError, match="record it with mode='record'"):
        AnswerTemplate(template, recorded).parse(response)
    assert judge.calls == []


def test_a_recording_is_the_same_on_every_machine(tmp_path):
    for folder in ("a", "b"):
        AnswerTemplate(Answer, RecordingJudge(tmp_path / folder, Asked(), mode="record")).parse(RESPONSE)
    first, second = (next((tmp_path / folder).iterdir()) for folder in ("a", "b"))
    assert (first.name, first.read_bytes()) == (second.name, second.read_bytes())


def test_a_recording_in_the_place_of_another_one_is_refused(tmp_path):
    judge = RecordingJudge(tmp_path, Asked(), mode="record")
    for response in (RESPONSE, RESPONSE + " \ud83d\ude00"):
        AnswerTemplate(Answer, judge).parse(response)
        assert AnswerTemplate(Answer, RecordingJudge(tmp_path)).parse(response).reply == REPLY
    one, other = sorted(tmp_path.iterdir())
    one.write_bytes(other.read_bytes())
    replaying = AnswerTemplate(Answer, RecordingJudge(tmp_path))
    with pytest.raises(RecordError, match="the reply to another question"):
        [replaying.parse(response) for response in (RESPONSE, RESPONSE + " \ud83d\ude00")]


def test_a_recording_that_cannot_be_read_is_named(tmp_path):
    AnswerTemplate(Answer, RecordingJudge(tmp_path, Asked(), mode="record")).parse(RESPONSE)
    (path,) = tmp_path.iterdir()
    for text in ("{", "[]", '{"reply": 3}'):
        path.write_text(text)
        with pytest.raises(RecordError, match=path.name):
            AnswerTemplate(Answer, RecordingJudge(tmp_path)).parse(RESPONSE)


@pytest.mark.parametrize("reply", [None, ["BCL2"], {"target": {"BCL2"}}], ids=["none", "list", "set"])
def test_what_is_no_reply_is_not_recorded(tmp_path, reply):
    judge = RecordingJudge(tmp_path, lambda schema, response, hints: reply, mode="record")
    with pytest.raises(ParseError, match=r"a judge answers with .*; not recorded: "):
        AnswerTemplate(Answer, judge).parse(RESPONSE)
    assert list(tmp_path.iterdir()) == []


def test_any_text_can_be_recorded(tmp_path):
    response = "é \ud800 \x00 \U0001f9ec"
    AnswerTemplate(Answer, RecordingJudge(tmp_path, Asked(), mode="record")).parse(response)
    assert AnswerTemplate(Answer, RecordingJudge(tmp_path)).parse(response).reply == REPLY


@pytest.mark.parametrize(
    ("judge", "response", "message"),
    [("openai:gpt-4o", RESPONSE, "got 'openai:gpt-4o'"), (Asked(), None, "a response is text, got None")],
    ids=["judge", "response"],
)
def test_what_is_no_judge_and_no_response_is_said(judge, response, message):
    with pytest.raises(TemplateError, match=message):
        AnswerTemplate(Answer, judge).parse(response)


@pytest.mark.parametrize(
    ("settings", "message"), [({"mode": "relay"}, "Did you mean 'replay'"), ({"mode": "record"}, "give it")]
)
def test_wrong_settings_of_a_recording(tmp_path, settings, message):
    with pytest.raises(ConfigurationError, match=message):
        RecordingJudge(tmp_path, **settings)


def test_pydantic_ai_asks_a_function_model():
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    seen = []

    def model(messages, info):
        seen.append((info.instructions, messages[0].parts[-1].content))
        return ModelResponse(parts=[TextPart(f"```json\n{json.dumps(REPLY)}\n```")])

    work = AnswerTemplate(Answer, PydanticAIJudge(FunctionModel(model), instructions="Fill in the form."))
    result = work.verify(work.parse(RESPONSE))
    assert result.passed
    assert result.notes == ["markdown_fence_removed"]
    instructions, asked = seen[0]
    assert instructions == "Fill in the form."
    assert "The target protein" in asked
    assert "A gene symbol" in asked
    assert json.dumps(RESPONSE) in asked
    assert not {"BCL2", "2016"} & set(asked.replace('"', " ").split())


@pytest.mark.parametrize("judge", [PydanticAIJudge, ModelJudge])
def test_without_pydantic_ai_the_extra_is_named(monkeypatch, judge):
    monkeypatch.setitem(__import__("sys").modules, "pydantic_ai", None)
    with pytest.raises(MissingExtraError, match=rf"{judge.__name__}.*pytest-verdict\[judge\]"):
        judge("openai:any")


class Provider(http.server.BaseHTTPRequestHandler):
    """As much of the API of chat completions as a judge needs."""

    protocol_version = "HTTP/1.1"
    replies: list
    requests: list

    def do_POST(self):
        self.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = {"role": "assistant", "content": self.replies.pop(0)}
        body = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "local",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Write nothing."""


@pytest.fixture
def provider():
    handler = type("Handler", (Provider,), {"replies": [], "requests": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield handler, f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_pydantic_ai_asks_a_provider_over_http(provider):
    pytest.importorskip("pydantic_ai")
    openai = pytest.importorskip("pydantic_ai.models.openai")
    from pydantic_ai.providers.openai import OpenAIProvider

    handler, address = provider
    model = openai.OpenAIChatModel("local", provider=OpenAIProvider(base_url=address, api_key="none"))
    work = AnswerTemplate(Answer, PydanticAIJudge(model, settings={"temperature": 0}))
    handler.replies[:] = [json.dumps(REPLY), json.dumps(REPLY)[:-4], json.dumps({**REPLY, "year": "soon"})]
    verdicts = [work.verify(work.parse(RESPONSE)) for _ in range(3)]
    assert [result.verdict for result in verdicts] == ["pass", "error", "error"]
    assert set(verdicts[2].problems) == {"year"}
    assert [request["temperature"] for request in handler.requests] == [0, 0, 0]
    assert all("BCL2" not in json.dumps(request) for request in handler.requests)
