"""Many questions at once: to a service over HTTP, cached, resumed, and with the same bytes whatever the order of the replies."""

from __future__ import annotations

import http.client
import http.server
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pytest_verdict import ConfigurationError, RecordError, compare
from pytest_verdict.blind import BlindProtocol, Pair, blind_compare, compare_pairs
from pytest_verdict.errors import MissingRecordingError, SettingsError, TemplateError
from pytest_verdict.judging import JudgeReply, RecordedJudge
from pytest_verdict.judging.protocol import format_usage, sum_usage
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, NumericExact, VerifiedField


class Answer(BaseAnswer):
    pairs: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())


RESPONSES = [f"There are {number} pairs, said person {number}." for number in range(24)]


class Service(http.server.BaseHTTPRequestHandler):
    """Answers after 50 ms, the first questions last, and counts how many it has at once."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server = self.server
        prompt = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with server.lock:
            server.prompts.append(prompt)
            server.now += 1
            server.most = max(server.most, server.now)
        time.sleep(0.05 + random.Random(prompt).random() / 50)
        status, reply = server.answer(prompt)
        with server.lock:
            server.now -= 1
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Write nothing."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def count_pairs(prompt):
    number = int(prompt.rpartition("There are ")[2].split()[0])
    return 200, {"text": json.dumps({"pairs": number}), "usage": {"input_tokens": 10, "cost": 0.1}}


@pytest.fixture
def service():
    server = Server(("127.0.0.1", 0), Service)
    server.lock, server.prompts, server.now, server.most = threading.Lock(), [], 0, 0
    server.answer = count_pairs
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Client:
    """A judge that asks the service."""

    judge_id = "service"

    def __init__(self, server):
        self.port = server.server_port

    def __call__(self, request):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("POST", "/", request.prompt.encode())
        response = connection.getresponse()
        body = json.loads(response.read())
        connection.close()
        if response.status != 200:
            raise ConnectionError(f"status {response.status}")
        return JudgeReply(body["text"], body.get("usage", {}))


def test_a_hundred_questions_are_asked_at_once(service):
    template = AnswerTemplate(Answer, Client(service))
    responses = [f"There are {number} pairs." for number in range(200)]
    started = time.monotonic()
    answers = template.parse_all(responses, max_concurrency=100)
    assert [answer.answer.pairs for answer in answers] == [*range(200)]
    # One after the other takes more than 10 s.
    assert time.monotonic() - started < 5
    assert 20 < service.most <= 100


@pytest.mark.parametrize("most", [1, 3, 100])
def test_number_of_calls_at_once_is_never_exceeded(service, most):
    AnswerTemplate(Answer, Client(service)).parse_all(RESPONSES[:12], max_concurrency=most)
    assert service.most <= most


@pytest.mark.ci
def test_records_do_not_depend_on_the_number_of_calls(service):
    template = AnswerTemplate(Answer, Client(service))
    texts = []
    for most in (1, 7, 100):
        answers = template.parse_all(RESPONSES, max_concurrency=most)
        texts.append([template.verify(answer).comparison.to_text() for answer in answers])
    assert texts[0] == texts[1] == texts[2]
    assert '"_usage"' in texts[0][0]


def test_recording_asks_only_for_what_is_missing(service, tmp_path):
    recorded = RecordedJudge(tmp_path, Client(service), mode="record")
    # The run was killed after 15 replies.
    AnswerTemplate(Answer, recorded).parse_all(RESPONSES[:15], max_concurrency=5)
    service.prompts.clear()
    resumed = AnswerTemplate(Answer, RecordedJudge(tmp_path, Client(service), mode="record"))
    answers = resumed.parse_all(RESPONSES, max_concurrency=20)
    assert len(service.prompts) == len(RESPONSES) - 15
    assert not any(response in prompt for prompt in service.prompts for response in RESPONSES[:15])
    uninterrupted = AnswerTemplate(Answer, Client(service))
    assert [resumed.verify(answer).comparison.to_text() for answer in answers] == [
        uninterrupted.verify(answer).comparison.to_text() for answer in uninterrupted.parse_all(RESPONSES)
    ]


@pytest.mark.ci
def test_killed_process_is_continued(service, tmp_path):
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_many_questions import Answer, AnswerTemplate, Client, RecordedJudge, RESPONSES
server = type("Server", (), {{"server_port": {service.server_port}}})
recorded = RecordedJudge({str(tmp_path)!r}, Client(server), mode="record")
AnswerTemplate(Answer, recorded).parse_all(RESPONSES, max_concurrency=3)
"""
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", program])
    while len(service.prompts) < 12:
        time.sleep(0.01)
    process.kill()
    process.wait()
    recordings = len(list(tmp_path.glob("*.json")))
    assert 0 < recordings < len(RESPONSES)
    time.sleep(0.2)
    service.prompts.clear()
    resumed = AnswerTemplate(Answer, RecordedJudge(tmp_path, Client(service), mode="record"))
    assert [answer.answer.pairs for answer in resumed.parse_all(RESPONSES)] == [*range(len(RESPONSES))]
    assert len(service.prompts) == len(RESPONSES) - recordings


def test_equal_questions_at_once_are_asked_once(service, tmp_path):
    numbers = iter(range(100))

    def judge(_request):
        return JudgeReply({"pairs": next(numbers)})

    judge.judge_id = "counting"
    template = AnswerTemplate(Answer, RecordedJudge(tmp_path, judge, mode="record"))
    assert {answer.answer.pairs for answer in template.parse_all(["23 pairs"] * 20, max_concurrency=20)} == {0}
    assert template.parse("23 pairs", attempt=2).answer.pairs == 1
    assert template.parse("23 pairs").answer.pairs == 0


@pytest.mark.parametrize("place", ["reply", "usage", "asked"])
def test_altered_recording_is_an_error_for_a_run_that_continues(service, tmp_path, place):
    template = AnswerTemplate(Answer, RecordedJudge(tmp_path, Client(service), mode="record"))
    template.parse(RESPONSES[3])
    (path,) = tmp_path.iterdir()
    recording = json.loads(path.read_text())
    recording[place] = {"reply": '{"pairs": 23}', "usage": {"cost": 0.0}, "asked": {}}[place]
    path.write_text(json.dumps(recording))
    with pytest.raises(RecordError, match="was altered"):
        template.parse_all(RESPONSES[:6], max_concurrency=6)


@pytest.mark.parametrize(
    "bad",
    [
        (503, {}),
        (200, {"text": "I am sorry, but I cannot help with that."}),
        (200, {"text": '{"pairs": 2'}),
        (200, {"text": ""}),
        (200, {"text": "{}"}),
        (200, {"text": '{"refusal": "policy"}'}),
        (200, {"text": '[{"pairs": 23}, {"pairs": 24}]'}),
    ],
    ids=["down", "refusal", "cut off", "empty", "empty object", "other object", "several"],
)
def test_failures_and_refusals_are_asked_again(service, tmp_path, bad):
    service.answer = lambda _prompt: bad
    template = AnswerTemplate(Answer, RecordedJudge(tmp_path, Client(service), mode="record"))
    answers = template.parse_all(RESPONSES[:4], max_concurrency=4)
    assert {template.verify(answer).verdict for answer in answers} <= {"error", "fail"}
    service.answer = count_pairs
    template = AnswerTemplate(Answer, RecordedJudge(tmp_path, Client(service), mode="record"))
    answers = template.parse_all(RESPONSES[:4], max_concurrency=4)
    assert [answer.answer.pairs for answer in answers] == [0, 1, 2, 3]
    # Now they are answered.
    service.answer = lambda _prompt: bad
    assert [answer.answer.pairs for answer in template.parse_all(RESPONSES[:4])] == [0, 1, 2, 3]


def test_judge_that_fails_is_the_error_of_its_answer_only(service):
    service.answer = lambda prompt: (500, {}) if "person 2" in prompt else count_pairs(prompt)
    template = AnswerTemplate(Answer, Client(service))
    answers = template.parse_all(RESPONSES[:4], max_concurrency=4)
    results = [template.verify(answer) for answer in answers]
    assert [result.verdict for result in results] == ["fail", "fail", "error", "fail"]
    assert "the judge did not answer: ConnectionError: status 500" in results[2].error
    # What is not reported is missing, and not 0.
    assert [result.usage for result in results] == [{"input_tokens": 10, "cost": 0.1}] * 2 + [{}] + [results[3].usage]


def test_errors_of_the_check_raise(tmp_path):
    template = AnswerTemplate(Answer, RecordedJudge(tmp_path))
    with pytest.raises(MissingRecordingError):
        template.parse_all(RESPONSES, max_concurrency=4)
    calls = []
    with pytest.raises(TemplateError, match="a response is text, got 3"):
        AnswerTemplate(Answer, calls.append).parse_all(["text", 3])
    for most in (0, -1, True, 2.0, "4", None):
        with pytest.raises(ConfigurationError, match="max_concurrency is a whole number from 1, got"):
            AnswerTemplate(Answer, calls.append).parse_all(RESPONSES, max_concurrency=most)
    assert calls == []


def score_outputs(prompt):
    sides = {}
    for label in "AB":
        (file,) = json.loads(prompt.split(f"Output {label}, between")[1].split("\n", 3)[2])
        score = 1 + len(file["text"]) % 5
        sides[label] = {
            "content": dict.fromkeys(["correctness", "completeness", "accuracy"], score),
            "structure": dict.fromkeys(["organization", "formatting", "usability"], score),
        }
    return 200, {"text": json.dumps({"rubric": sides}), "usage": {"output_tokens": 7}}


PAIRS = [
    Pair(name=f"pair {n}", outputs=(f"first {'x' * n}", f"second {'y' * (n % 4)}"), prompt=f"Q{n}") for n in range(6)
]


@pytest.mark.ci
def test_blind_comparisons_do_not_depend_on_the_number_of_calls(service, tmp_path):
    service.answer = score_outputs
    protocol = BlindProtocol(repetitions=2)
    texts = []
    for most in (1, 100):
        output = tmp_path / str(most)
        comparisons = compare_pairs(
            PAIRS, Client(service), key="k", protocol=protocol, max_concurrency=most, output=output
        )
        assert list(comparisons) == [pair.name for pair in PAIRS]
        texts.append({str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*.json")})
    assert texts[0] == texts[1]
    assert len(texts[0]) == 3 * len(PAIRS)
    assert service.most > 5
    assert comparisons["pair 1"].usage == {"output_tokens": {"sum": 28, "replies": 4}}


def test_blind_series_is_resumed(service, tmp_path):
    service.answer = lambda prompt: score_outputs(prompt) if prompt[24:28] < '"Q2"' else (503, {})
    judge = RecordedJudge(tmp_path, Client(service), mode="record")
    options = {"key": "k", "protocol": BlindProtocol(retries=0)}
    first = compare_pairs(PAIRS, judge, **options, max_concurrency=4)
    assert {comparison.status for comparison in first.values()} > {"INVALID"}
    service.prompts.clear()
    service.answer = score_outputs
    judge = RecordedJudge(tmp_path, Client(service), mode="record")
    resumed = compare_pairs(PAIRS, judge, **options, max_concurrency=4)
    assert len(service.prompts) == 8
    fresh = compare_pairs(PAIRS, Client(service), **options)
    assert [one.result.to_text() for one in resumed.values()] == [one.result.to_text() for one in fresh.values()]


def test_attempts_of_one_call_have_recordings_of_their_own(service, tmp_path):
    service.answer = lambda prompt: (
        (200, {"text": "No."}) if service.prompts.count(prompt) == 1 else score_outputs(prompt)
    )
    options = {"key": "k"}
    recorded = blind_compare(
        "a text", "another", "Write.", RecordedJudge(tmp_path, Client(service), mode="record"), **options
    )
    assert [child.verdict for child in recorded.result.children] == ["fail", "pass", "fail", "pass"]
    replayed = blind_compare("a text", "another", "Write.", RecordedJudge(tmp_path, Client(service)), **options)
    assert replayed.result == recorded.result
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("name", ["name", "position"])
def test_options_of_one_comparison_are_refused_for_a_series(name):
    with pytest.raises(SettingsError, match=f"{name} belongs to one comparison"):
        compare_pairs(PAIRS, print, **{name: None})


def test_pairs_with_one_name_are_refused():
    with pytest.raises(SettingsError, match="each pair has a name of its own"):
        compare_pairs([PAIRS[0], PAIRS[0]], print)


@pytest.mark.parametrize(
    "usage",
    [
        {"cost": None},
        {"cost": -1},
        {"cost": "0.1"},
        {"cost": True},
        {"cost": float("nan")},
        {"cost": float("inf")},
        {3: 1},
    ],
    ids=str,
)
def test_invalid_usage_is_refused(usage):
    with pytest.raises(ConfigurationError, match=r"is a number from 0, got .*; leave out what is not reported"):
        JudgeReply("{}", usage)


def test_sums_say_of_how_many_replies_they_are():
    reports = [{"input_tokens": 1000, "cost": 0.1}, {"input_tokens": 500}, {}, {"cost": 0.2}]
    assert sum_usage(reports) == {
        "cost": {"sum": 0.1 + 0.2, "replies": 2},
        "input_tokens": {"sum": 1500, "replies": 2},
    }
    assert list(format_usage(reports)) == ["reported by judges: cost 0.3 in 2 calls; input_tokens 1,500 in 2 calls"]
    assert list(format_usage([{}, {}])) == []
    assert sum_usage(reversed(reports)) == sum_usage(reports)


def test_usage_does_not_change_a_verdict():
    class City(BaseAnswer):
        city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())

    for usage in ({}, {"cost": 9.5}):
        template = AnswerTemplate(City, lambda _request, usage=usage: JudgeReply({"city": "Paris"}, usage))
        result = template.verify(template.parse("It is Paris."))
        assert result.passed
        assert result.usage == usage
        assert compare(result.comparison.operator, *_sides(result), **_settings(result)).passed


def _sides(result):
    return result.comparison.expected, result.comparison.observed


def _settings(result):
    return dict(result.comparison.settings)
