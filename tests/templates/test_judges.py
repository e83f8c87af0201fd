"""Judges: asked through pydantic-ai, recorded, and replayed without a call."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading

import pydantic
import pytest

from pytest_verdict import ConfigurationError, MissingExtraError, RecordError
from pytest_verdict.errors import MissingRecordingError, ParseError, TemplateError
from pytest_verdict.judging import Judge, ModelJudge, RecordedJudge
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

    def __call__(self, request):
        self.calls.append(request)
        return self.reply


def test_judge_gets_form_response_and_hints():
    judge = Asked()
    result = (work := AnswerTemplate(Answer, judge)).verify(work.parse(RESPONSE))
    assert result.passed
    (request,) = judge.calls
    assert set(request.schema["properties"]) == {"target", "year"}
    assert (request.response, request.hints) == (RESPONSE, {"target": "A gene symbol"})
    assert isinstance(judge, Judge)


async def asked_later(request):
    await asyncio.sleep(0)
    return json.dumps(REPLY)


def test_async_judge_is_awaited():
    work = AnswerTemplate(Answer, asked_later)
    assert work.verify(work.parse(RESPONSE)).passed

    async def inside_a_loop():
        return work.verify(work.parse(RESPONSE)), work.verify(await work.parse_async(RESPONSE))

    assert all(asyncio.run(inside_a_loop()))


def test_exception_of_the_judge_propagates():
    def judge(request):
        raise ConnectionError("no network")

    with pytest.raises(ConnectionError):
        AnswerTemplate(Answer, judge).parse(RESPONSE)


def test_parse_without_judge_raises_with_the_fix():
    with pytest.raises(TemplateError, match="define the fixture verdict_judge"):
        AnswerTemplate(Answer).parse(RESPONSE)


def test_judge_is_not_called_when_there_is_nothing_to_extract():
    class Traced(BaseAnswer):
        named: bool = VerifiedField("Named", ground_truth=True, verify_with=TraceContains(substring="venetoclax"))

    judge = Asked()
    work = AnswerTemplate(Traced, judge)
    assert work.verify(work.parse(RESPONSE)).passed
    assert work.verify(asyncio.run(work.parse_async(RESPONSE))).passed
    assert judge.calls == []


def test_recording_is_replayed_without_a_call(tmp_path):
    judge = Asked()
    recording = AnswerTemplate(Answer, RecordedJudge(tmp_path, judge, mode="record"))
    assert recording.parse(RESPONSE).reply == REPLY
    assert recording.parse(RESPONSE).reply == REPLY
    assert len(judge.calls) == 1
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text("utf-8"))["reply"] == REPLY
    replaying = AnswerTemplate(Answer, RecordedJudge(tmp_path))
    assert replaying.verify(replaying.parse(RESPONSE)).passed


def test_async_judge_is_recorded(tmp_path):
    work = AnswerTemplate(Answer, RecordedJudge(tmp_path, asked_later, mode="record"))
    assert work.parse(RESPONSE).reply == json.dumps(REPLY)
    assert AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(RESPONSE).reply == json.dumps(REPLY)


class Reworded(BaseAnswer):
    target: str = VerifiedField("The protein that is targeted", "BCL2", ExactMatch(), extraction_hint="A gene symbol")
    year: int = VerifiedField("The year of approval", 2016, NumericExact())


@pytest.mark.parametrize(
    ("template", "response", "changes", "reason"),
    [
        (Answer, RESPONSE + ".", {}, "another response."),
        (Reworded, RESPONSE, {}, "another schema."),
        (Answer, RESPONSE, {"INSTRUCTIONS": "Be quick."}, "another instructions."),
    ],
    ids=["response", "schema", "prompt"],
)
def test_missing_recording_raises_and_calls_no_judge(tmp_path, monkeypatch, template, response, changes, reason):
    AnswerTemplate(Answer, RecordedJudge(tmp_path, Asked(), mode="record")).parse(RESPONSE)
    judge = Asked()
    for name, text in changes.items():
        monkeypatch.setattr(f"pytest_verdict.templates.form.{name}", text)
    for recorded in (RecordedJudge(tmp_path, judge), RecordedJudge(tmp_path)):
        with pytest.raises(MissingRecordingError, match=f"{reason} .*record it with mode='record'"):
            AnswerTemplate(template, recorded).parse(response)
    assert judge.calls == []


def test_renamed_recording_is_missing(tmp_path):
    AnswerTemplate(Answer, RecordedJudge(tmp_path, Asked(), mode="record")).parse(RESPONSE)
    (path,) = tmp_path.iterdir()
    path.rename(path.with_name("renamed.json"))
    with pytest.raises(MissingRecordingError, match="the nearest recording has another file name"):
        AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(RESPONSE)


def test_recording_has_the_same_bytes_on_every_machine(tmp_path):
    for folder in ("a", "b"):
        AnswerTemplate(Answer, RecordedJudge(tmp_path / folder, Asked(), mode="record")).parse(RESPONSE)
    first, second = (next((tmp_path / folder).iterdir()) for folder in ("a", "b"))
    assert (first.name, first.read_bytes()) == (second.name, second.read_bytes())


def test_swapped_recording_raises(tmp_path):
    judge = RecordedJudge(tmp_path, Asked(), mode="record")
    for response in (RESPONSE, RESPONSE + " \ud83d\ude00"):
        AnswerTemplate(Answer, judge).parse(response)
        assert AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(response).reply == REPLY
    one, other = sorted(tmp_path.iterdir())
    one.write_bytes(other.read_bytes())
    replaying = AnswerTemplate(Answer, RecordedJudge(tmp_path))
    with pytest.raises(RecordError, match="the reply to another question"):
        [replaying.parse(response) for response in (RESPONSE, RESPONSE + " \ud83d\ude00")]


def test_unreadable_recording_is_named(tmp_path):
    AnswerTemplate(Answer, RecordedJudge(tmp_path, Asked(), mode="record")).parse(RESPONSE)
    (path,) = tmp_path.iterdir()
    for text in ("{", "[]", '{"reply": 3}'):
        path.write_text(text)
        with pytest.raises(RecordError, match=path.name):
            AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(RESPONSE)


@pytest.mark.parametrize("reply", [None, ["BCL2"], {"target": {"BCL2"}}], ids=["none", "list", "set"])
def test_invalid_reply_is_not_recorded(tmp_path, reply):
    judge = RecordedJudge(tmp_path, Asked(reply), mode="record")
    with pytest.raises(ParseError, match=r"a judge answers with .*; not recorded: "):
        AnswerTemplate(Answer, judge).parse(RESPONSE)
    assert list(tmp_path.iterdir()) == []


def test_judge_that_raises_is_not_recorded(tmp_path):
    def judge(request):
        raise ConnectionError("no network")

    async def judge_later(request):
        raise ConnectionError("no network")

    for one in (judge, judge_later):
        with pytest.raises(ConnectionError):
            AnswerTemplate(Answer, RecordedJudge(tmp_path, one, mode="record")).parse(RESPONSE)
    assert list(tmp_path.iterdir()) == []


def test_recording_of_another_judge_is_missing(tmp_path):
    AnswerTemplate(Answer, RecordedJudge(tmp_path, Asked(), mode="record")).parse(RESPONSE)
    with pytest.raises(MissingRecordingError, match=r"the nearest recording has another judge\."):
        AnswerTemplate(Answer, RecordedJudge(tmp_path, asked_later)).parse(RESPONSE)
    recording = AnswerTemplate(Answer, RecordedJudge(tmp_path, asked_later, mode="record"))
    assert recording.parse(RESPONSE).reply == json.dumps(REPLY)
    assert AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(RESPONSE).reply == json.dumps(REPLY)


def test_altered_recording_raises_until_recorded_again(tmp_path):
    judge = Asked()
    AnswerTemplate(Answer, RecordedJudge(tmp_path, judge, mode="record")).parse(RESPONSE)
    (path,) = tmp_path.iterdir()
    for before, after in (('"BCL2"', '"MCL1"'), ("A gene symbol", "Any symbol")):
        path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")
        with pytest.raises(RecordError, match=f"{path.name} was altered"):
            AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(RESPONSE)
        assert AnswerTemplate(Answer, RecordedJudge(tmp_path, judge, mode="rewrite")).parse(RESPONSE).reply == REPLY
        assert AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(RESPONSE).reply == REPLY


def test_async_judge_is_recorded_in_a_running_loop(tmp_path):
    async def inside():
        work = AnswerTemplate(Answer, RecordedJudge(tmp_path, asked_later, mode="record"))
        return (await work.parse_async(RESPONSE)).reply, work.parse(RESPONSE).reply

    assert asyncio.run(inside()) == (json.dumps(REPLY), json.dumps(REPLY))


class Typed(pydantic.BaseModel):
    target: str
    year: int | None = None


def test_judge_may_return_a_pydantic_object(tmp_path):
    judge = Asked(Typed(target="BCL2"))
    replies = [
        AnswerTemplate(Answer, one).parse(RESPONSE).reply
        for one in (judge, RecordedJudge(tmp_path, judge, mode="record"), RecordedJudge(tmp_path))
    ]
    assert replies == ['{"target":"BCL2"}'] * 3


def test_mapping_that_json_would_change_is_recorded_as_text(tmp_path):
    judge = Asked({"target": "BCL2", 1: "a", "1": "b"})
    for one in (RecordedJudge(tmp_path, judge, mode="record"), RecordedJudge(tmp_path)):
        assert AnswerTemplate(Answer, one).parse(RESPONSE).reply == '{"target": "BCL2", "1": "a", "1": "b"}'


def test_recorded_model_is_replayed_without_an_api_key(tmp_path, monkeypatch):
    pytest.importorskip("pydantic_ai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = Asked()
    asked.judge_id = ModelJudge("openai:gpt-4o-mini").judge_id
    AnswerTemplate(Answer, RecordedJudge(tmp_path, asked, mode="record")).parse(RESPONSE)
    replaying = RecordedJudge(tmp_path, ModelJudge("openai:gpt-4o-mini"))
    assert AnswerTemplate(Answer, replaying).parse(RESPONSE).reply == REPLY
    with pytest.raises(MissingRecordingError, match="another judge"):
        AnswerTemplate(Answer, RecordedJudge(tmp_path, ModelJudge("openai:gpt-4o"))).parse(RESPONSE)


def test_any_text_can_be_recorded(tmp_path):
    response = "é \ud800 \x00 \U0001f9ec"
    AnswerTemplate(Answer, RecordedJudge(tmp_path, Asked(), mode="record")).parse(response)
    assert AnswerTemplate(Answer, RecordedJudge(tmp_path)).parse(response).reply == REPLY


@pytest.mark.parametrize(
    ("judge", "response", "message"),
    [("openai:gpt-4o", RESPONSE, "got 'openai:gpt-4o'"), (Asked(), None, "a response is text, got None")],
    ids=["judge", "response"],
)
def test_invalid_judge_or_response_raises(judge, response, message):
    with pytest.raises(TemplateError, match=message):
        AnswerTemplate(Answer, judge).parse(response)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "relay"}, "Did you mean 'replay'"),
        ({"mode": "record"}, "give it"),
        ({"mode": "rewrite"}, "give it"),
        ({"judge": "openai:gpt-4o"}, "got 'openai:gpt-4o'"),
    ],
)
def test_invalid_settings_of_a_recording_raise(tmp_path, settings, message):
    with pytest.raises(ConfigurationError, match=message):
        RecordedJudge(tmp_path, **settings)


def test_model_judge_calls_a_function_model():
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    seen = []

    def model(messages, info):
        seen.append((info.instructions, messages[0].parts[-1].content))
        return ModelResponse(parts=[TextPart(f"```json\n{json.dumps(REPLY)}\n```")])

    work = AnswerTemplate(Answer, ModelJudge(FunctionModel(model), instructions="Fill in the form."))
    result = work.verify(work.parse(RESPONSE))
    assert result.passed
    assert result.notes == ["markdown_fence_removed"]
    instructions, asked = seen[0]
    assert instructions == "Fill in the form."
    assert "The target protein" in asked
    assert "A gene symbol" in asked
    assert json.dumps(RESPONSE) in asked
    assert not {"BCL2", "2016"} & set(asked.replace('"', " ").split())


def test_missing_pydantic_ai_raises_missing_extra_error(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pydantic_ai", None)
    with pytest.raises(MissingExtraError, match=r"ModelJudge.*pytest-verdict\[judge\]"):
        ModelJudge("openai:any")


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
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield handler, f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.ci
def test_model_judge_calls_a_provider_over_http(provider):
    pytest.importorskip("pydantic_ai")
    openai = pytest.importorskip("pydantic_ai.models.openai")
    from pydantic_ai.providers.openai import OpenAIProvider

    handler, address = provider
    model = openai.OpenAIChatModel("local", provider=OpenAIProvider(base_url=address, api_key="none"))
    work = AnswerTemplate(Answer, ModelJudge(model, settings={"temperature": 0}))
    handler.replies[:] = [json.dumps(REPLY), json.dumps(REPLY)[:-4], json.dumps({**REPLY, "year": "soon"})]
    verdicts = [work.verify(work.parse(RESPONSE)) for _ in range(3)]
    assert [result.verdict for result in verdicts] == ["pass", "error", "error"]
    assert set(verdicts[2].problems) == {"year"}
    assert [request["temperature"] for request in handler.requests] == [0, 0, 0]
    assert all("BCL2" not in json.dumps(request) for request in handler.requests)
