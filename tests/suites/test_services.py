"""Services as adapters: requests, hidden secrets, and services that ask to wait."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from scenarios import REPORT, suite
from service import Service

from pytest_verdict.cli import main
from pytest_verdict.errors import AdapterError
from pytest_verdict.judging.calls import CallTimeoutError
from pytest_verdict.suites.adapters import open_adapter
from pytest_verdict.suites.suite_model import HttpRequest

CONTEXT = {"suite": "s", "scenario": "x", "timeout_seconds": 5}
SECRET = "sk-hunter2-é"


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    services = []

    def started(answer):
        services.append(Service(answer))
        return services[-1]

    yield started
    for service in services:
        service.close()


def echo(request, _number):
    return 200, {}, {"output": json.loads(request["body"])["input"]}


def test_a_request_as_the_suite_writes_it(harness, serve, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-hunter2")
    service = serve(lambda request, _: (200, {}, {"choices": [{"message": {"content": "Paris"}}], "tools": ["search"]}))
    adapter = {
        "url": f"{service.url}/v1/{{{{context.scenario}}}}?q={{{{input}}}}",
        "method": "PUT",
        "headers": {"Authorization": "Bearer {{env.MY_KEY}}", "X-Suite": "{{context.suite}}"},
        "body": {"messages": [{"role": "user", "content": "Answer: {{input}}"}], "all": "{{context.metadata}}", "n": 1},
        "reply": {"output": "$.choices[0].message.content", "tool_calls": "$.tools"},
    }
    given = {
        "name": "x",
        "input": "a b&c",
        "expected_output": "Paris",
        "expected_tools": ["search"],
        "metadata": {"a": [1]},
    }
    run = harness.run({"a.verdict.yaml": suite(given, adapter=adapter)}, REPORT)
    assert run.outcomes == {"passed": 1}
    (request,) = service.requests
    assert (request["method"], request["path"]) == ("PUT", "/v1/x?q=a%20b%26c")
    assert request["headers"]["Authorization"] == "Bearer sk-hunter2"
    assert request["headers"]["X-Suite"] == "s"
    assert json.loads(request["body"]) == {
        "messages": [{"role": "user", "content": "Answer: a b&c"}],
        "all": {"a": [1]},
        "n": 1,
    }


def test_braces_in_an_input_are_never_filled_in(serve, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    service = serve(echo)
    asked = HttpRequest(url=service.url, headers={"X-Key": "abc"}, body={"input": "{{input}} and {{input}}"})
    output = open_adapter(asked, tmp_path).run("{{env.MY_KEY}}", CONTEXT).output
    assert output == "{{env.MY_KEY}} and {{env.MY_KEY}}"


def test_a_body_of_text_and_a_request_without_body(serve, tmp_path):
    service = serve(lambda *_: (200, {"Content-Type": "text/plain"}, "fine"))
    form = HttpRequest(url=service.url, headers={"Content-Type": "text/plain"}, body="q={{input}}")
    assert open_adapter(form, tmp_path).run("é", CONTEXT).output == "fine"
    assert open_adapter(HttpRequest(url=service.url, method="GET"), tmp_path).run("i", CONTEXT).output == "fine"
    assert [request["body"] for request in service.requests] == ["q=é", ""]
    assert service.requests[0]["headers"]["Content-Type"] == "text/plain"


PLACES = """\
suite:
  name: s
  adapter:
    url: "http://127.0.0.1/{{contxt.scenario}}"
    headers:
      X-A: "{{env}}"
      X-B: "a {{env.NO_SUCH_KEY}}"
    body: "{{input}}, {{context.tags}}"
  scenarios:
    - {name: text, input: a, expected_output: b}
"""


def test_unknown_names_in_a_request_are_found_without_a_call(write, capsys, harness):
    file = write("a.verdict.yaml", PLACES)
    wrong = [
        "4: {{contxt.scenario}}: there is no 'contxt'; there is input, context, env",
        "6: {{env}}: name one environment variable, such as {{env.API_KEY}}",
    ]
    assert main(["check", str(file)]) == 1
    assert capsys.readouterr().out.splitlines() == [f"{file}:{line}" for line in wrong]
    run = harness.run({"a.verdict.yaml": PLACES}, REPORT)
    assert [line for line in wrong if f"a.verdict.yaml:{line}" not in run.output] == []


REPLIES = """suite:
  name: s
  adapter:
    url: "http://127.0.0.1/"
    reply:
      REPLY
  scenarios:
    - {name: x, input: a, expected_output: b}
"""


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("latency_ms: $.ms", "say where its output is, such as output: $.answer"),
        ("{output: $.a, tool_cals: $.calls}", "a result has no 'tool_cals'. Did you mean 'tool_calls'?"),
        ("output: '$.[['", "output: '$.[[' is not a JSONPath: Parse error at 1:3 "),
    ],
)
def test_the_reply_of_a_request_is_checked_without_a_call(write, capsys, reply, complaint):
    file = write("a.verdict.yaml", REPLIES.replace("REPLY", reply))
    assert main(["check", str(file)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{file}:5: adapter.reply: {complaint}")


def test_a_service_that_is_only_a_url_is_looked_at_too(write, capsys):
    content = suite({"name": "x", "input": "i", "expected_output": "o"}, adapter="http://h/{{inptu}}")
    file = write("a.verdict.yaml", content)
    assert main(["check", str(file)]) == 1
    assert "{{inptu}}: there is no 'inptu'; there is input, context, env" in capsys.readouterr().out


def test_path_with_braces_in_a_reply_is_no_name(write):
    adapter = {"url": "http://h/", "reply": {"output": {"path": "$.text", "extract": {"after": "{{answer}}"}}}}
    content = suite({"name": "x", "input": "i", "expected_output": "o"}, adapter=adapter)
    assert main(["check", str(write("a.verdict.yaml", content))]) == 0


def test_check_says_which_variables_are_not_set_here(write, capsys, monkeypatch):
    monkeypatch.setenv("MY_KEY", "a")
    adapter = {"url": "http://h/", "headers": {"A": "{{env.MY_KEY}}", "B": "{{env.MY_KEI}} {{env.MY_KEI}}"}}
    content = suite({"name": "x", "input": "i", "expected_output": "o"}, adapter=adapter)
    file = write("a.verdict.yaml", content)
    warning = "the environment variable MY_KEI is not set here"
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"{file}:7: warning: {warning}"]
    assert main(["check", "--strict", str(file)]) == 1
    assert f"{file}:7: error: {warning}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "answer",
    [
        lambda request, _: (500, {}, f"no: {request['headers']}"),
        lambda request, _: (302, {"Location": "/elsewhere"}, f"{request['headers']}"),
        lambda request, _: (200, {}, f"no JSON {request['headers']}"),
        lambda request, _: (200, {}, {"wrong": request["headers"]}),
        lambda request, _: (200, {}, {"output": json.dumps(request["headers"])}),
        lambda request, _: None,
    ],
    ids=["status", "redirection", "no_json", "no_result", "output", "dies"],
)
def test_a_secret_is_in_no_message_no_record_and_no_file(harness, serve, monkeypatch, answer):
    monkeypatch.setenv("MY_KEY", "sk-hunter2/zoë")
    service = serve(answer)
    adapter = {"url": service.url, "headers": {"Authorization": "Bearer {{env.MY_KEY}}".replace("ë", "")}}
    monkeypatch.setenv("MY_KEY", "sk-hunter2/zoe")
    given = {"name": "x", "input": "i", "expected_output": "other", "scorer": "exact"}
    run = harness.run({"a.verdict.yaml": suite(given, adapter=adapter)}, REPORT)
    assert not run.outcomes.get("passed")
    assert len(service.requests) == 1
    written = [path.read_text() for path in run.folder.rglob("*") if path.is_file()]
    assert not [text for text in [run.output, *written] if "hunter2" in text]


def test_unset_and_unsendable_variables_are_errors(serve, tmp_path, monkeypatch):
    asked = HttpRequest(url=serve(echo).url, headers={"X": "{{env.NO_SUCH_KEY}}"})
    with pytest.raises(AdapterError, match="needs the environment variable NO_SUCH_KEY, which is not set"):
        open_adapter(asked, tmp_path)
    monkeypatch.setenv("NO_SUCH_KEY", "hunter2\nX: y")
    with pytest.raises(AdapterError, match="cannot be reached: ValueError") as error:
        open_adapter(asked, tmp_path).run("i", CONTEXT)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"body": "{{inptu}}"}, r"\{\{inptu\}\}: there is no 'inptu'; there is input, context, env"),
        ({"body": "{{context.scenari}}"}, "there is no 'scenari'; there is suite, scenario"),
        ({"reply": {"output": "$.no"}}, "the reply of .* cannot be read: .*no"),
        ({"reply": {"tool_calls": "$.output"}}, "say where its output is"),
        ({"reply": {"output": "$["}}, "output: "),
    ],
)
def test_a_request_that_is_written_wrongly(serve, tmp_path, asked, words):
    with pytest.raises(Exception, match=words):
        open_adapter(HttpRequest(url=serve(echo).url, **asked), tmp_path).run("i", CONTEXT)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("adapter", "words"),
    [
        ({"url": "ftp://x"}, "url: 'ftp://x' is not allowed; a service has a URL with http:// or https://"),
        ({"url": "http://x", "header": {}}, "there is no key 'header'. Did you mean 'headers'?"),
        ({"url": "http://x", "method": "post"}, "a method is written in capitals"),
        ({"method": "POST"}, "the key 'url' is required"),
        (["http://x"], "adapter: "),
    ],
)
def test_a_wrong_adapter_is_reported_with_its_line(harness, adapter, words):
    run = harness.run({"a.verdict.yaml": suite({"name": "x", "input": "i"}, adapter=adapter)})
    assert "a.verdict.yaml:" in run.stdout
    assert words in run.stdout


def busy(times, status=429, **headers):
    def answer(request, number):
        return (status, headers, "later") if number <= times else echo(request, number)

    return answer


def scenarios(count):
    return [{"name": f"s{n}", "input": f"i{n}", "expected_output": f"i{n}", "scorer": "exact"} for n in range(count)]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("status", "headers"),
    [(429, {"Retry-After": "0.2"}), (503, {"Retry-After": "0"}), (529, {"Retry-After": "0"})],
)
def test_call_is_repeated_after_retry_after(harness, serve, status, headers):
    service = serve(busy(2, status, **headers))
    run = harness.run({"a.verdict.yaml": suite(*scenarios(1), adapter=service.url)}, REPORT, "-rP")
    assert run.outcomes == {"passed": 1}
    assert len(service.requests) == 3
    assert service.times[2] - service.times[0] >= 2 * float(headers["Retry-After"])
    assert "attempts that failed" not in run.stdout
    assert len(run.records) == 1


@pytest.mark.ci
def test_retries_of_a_service_do_not_change_the_report(harness, serve):
    runs = []
    for times in (0, 7):
        service = serve(busy(times, **{"Retry-After": "0.05"}))
        given = suite(*scenarios(10), adapter="{service}", rate_limit={"max_retries": 9}).replace(
            "{service}", service.url
        )
        runs.append(harness.run({"a.verdict.yaml": given}, REPORT).records_bytes)
    assert runs[0] == runs[1]


@pytest.mark.ci
def test_a_date_is_waited_for(harness, serve):
    def answer(request, number):
        # The session may have taken its time to begin.
        until = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        return busy(1, **{"Retry-After": until})(request, number)

    service = serve(answer)
    assert harness.run({"a.verdict.yaml": suite(*scenarios(1), adapter=service.url)}).outcomes == {"passed": 1}
    assert service.times[1] - service.times[0] > 0.5


@pytest.mark.parametrize(
    ("limit", "headers", "requests"),
    [
        ({"max_retries": 2}, {"Retry-After": "0"}, 3),
        ({"max_retries": 0}, {"Retry-After": "0"}, 1),
        ({"max_retries": 9, "max_delay_seconds": 5}, {"Retry-After": "3600"}, 1),
        ({"max_retries": 2, "max_delay_seconds": 0.05}, {}, 3),
    ],
)
def test_patience_has_an_end(harness, serve, limit, headers, requests):
    service = serve(busy(99, **headers))
    began = time.monotonic()
    run = harness.run({"a.verdict.yaml": suite(*scenarios(1), adapter=service.url, rate_limit=limit)}, REPORT)
    assert run.outcomes == {"errors": 1}
    assert "replied 429: 'later'" in run.stdout
    assert len(service.requests) == requests
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("status", [500, 503, 404])
def test_call_without_retry_after_is_not_repeated(harness, serve, status):
    service = serve(busy(99, status))
    assert harness.run({"a.verdict.yaml": suite(*scenarios(1), adapter=service.url)}).outcomes == {"errors": 1}
    assert len(service.requests) == 1


def test_a_retry_after_a_service_that_died(harness, serve):
    service = serve(lambda request, number: None if number < 3 else echo(request, number))
    run = harness.run({"a.verdict.yaml": suite(*scenarios(1), adapter=service.url, retries=2)}, REPORT)
    assert run.outcomes == {"passed": 1}


@pytest.mark.ci
def test_requests_per_second(harness, serve):
    service = serve(echo)
    limit = {"requests_per_second": 50}
    assert harness.run({"a.verdict.yaml": suite(*scenarios(31), adapter=service.url, rate_limit=limit)}).outcomes == {
        "passed": 31
    }
    # The first request may arrive late on a busy machine.
    assert service.times[-1] - service.times[0] >= 30 / 50 - 0.2


CLIENTS = """
class Response:
    def __init__(self, status, headers):
        self.status_code, self.headers = status, headers

class ClientError(Exception):
    def __init__(self, response):
        self.response = response
        super().__init__("busy")

class ModelError(Exception):
    status_code = 429

calls = []

def by_response(text):
    calls.append(text)
    if len(calls) < 3:
        raise ClientError(Response(429, {"retry-after": "0"}))
    return text

def by_status(text):
    calls.append(text)
    if len(calls) < 2:
        raise ModelError
    return text
"""


SAME_RANDOM = """
import random

random.seed(1)
state = random.getstate()

def pytest_sessionfinish():
    assert random.getstate() == state
"""


@pytest.mark.ci
@pytest.mark.parametrize("adapter", ["by_response", "by_status"])
def test_the_exceptions_of_clients_are_understood(harness, adapter):
    given = {
        "my_agent.py": CLIENTS,
        "conftest.py": "",
        "a.verdict.yaml": suite(*scenarios(1), adapter=f"my_agent.{adapter}"),
    }
    assert harness.run(given, REPORT).outcomes == {"passed": 1}


def test_random_pauses_do_not_change_the_seed_of_the_tests(harness):
    given = {
        "my_agent.py": CLIENTS,
        "conftest.py": SAME_RANDOM,
        "a.verdict.yaml": suite(*scenarios(1), adapter="my_agent.by_response"),
    }
    run = harness.run(given)
    assert (run.status, run.outcomes) == (0, {"passed": 1})


def ask(service, tmp_path, path="", **asked):
    return open_adapter(HttpRequest(url=service.url + path, **asked), tmp_path).run("ab", CONTEXT)


def test_connections_are_used_again(serve, tmp_path):
    def answer(request, number):
        return (500, {}, "no") if number == 2 else echo(request, number)

    service = serve(answer)
    adapter = open_adapter(service.url, tmp_path)
    assert adapter.run("a", CONTEXT).output == "a"
    with pytest.raises(AdapterError, match="replied 500"):
        adapter.run("b", CONTEXT)
    assert [adapter.run(text, CONTEXT).output for text in "cde"] == ["c", "d", "e"]
    assert service.connections == 1


def test_connection_that_the_service_closed_is_replaced(serve, tmp_path):
    service = serve(lambda request, number: echo(request, number) if number != 2 else None)
    adapter = open_adapter(service.url, tmp_path)
    assert adapter.run("a", CONTEXT).output == "a"
    with pytest.raises(AdapterError, match="cannot be reached"):
        adapter.run("b", CONTEXT)
    assert adapter.run("c", CONTEXT).output == "c"
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("status", "method", "requests"),
    [(307, "POST", 2), (308, "POST", 2), (302, "GET", 2), (302, "POST", 1), (303, "POST", 1)],
)
def test_redirect_on_the_same_host(serve, tmp_path, status, method, requests):
    def answer(request, _):
        if request["path"] != "/new":
            return status, {"Location": "/new"}, "moved"
        return 200, {"Content-Type": "text/plain"}, request["headers"]["X-Key"]

    service = serve(answer)
    if requests == 2:
        assert ask(service, tmp_path, method=method, headers={"X-Key": "k"}).output == "k"
    else:
        with pytest.raises(AdapterError, match=f"replied {status}"):
            ask(service, tmp_path, method=method, headers={"X-Key": "k"})
    assert len(service.requests) == requests
    assert {request["method"] for request in service.requests} == {method}


@pytest.mark.parametrize("location", ["{other}/", "//{host}/", "https://{here}/", "http://user@{here}/"])
def test_redirect_to_another_host_is_refused(serve, tmp_path, location):
    other = serve(echo)
    target = location.format(other=other.url, host=other.url.partition("//")[2], here="{here}")
    service = serve(lambda *_: (307, {"Location": target.replace("{here}", service.url.partition("//")[2])}, "moved"))
    with pytest.raises(AdapterError, match="replied 307"):
        ask(service, tmp_path)
    assert (len(service.requests), len(other.requests)) == (1, 0)


def test_endless_redirects_end(serve, tmp_path):
    service = serve(lambda request, _: (307, {"Location": request["path"] + "a"}, "on"))
    with pytest.raises(AdapterError, match="redirected more than 5 times"):
        ask(service, tmp_path)
    assert len(service.requests) == 6


def test_long_body_is_refused_before_it_is_read(serve, tmp_path):
    sent = []

    def parts():
        for number in range(4_096):
            sent.append(number)
            yield b"a" * (1 << 16)

    service = serve(lambda *_: (200, {"Content-Type": "text/plain"}, parts()))
    with pytest.raises(AdapterError, match="is longer than 33,554,432 bytes"):
        ask(service, tmp_path)
    assert len(sent) < 1_024


def test_slow_body_ends_with_the_time_of_the_whole_request(serve, tmp_path):
    def parts():
        for _ in range(100):
            time.sleep(0.05)
            yield b"a"

    service = serve(lambda *_: (200, {"Content-Type": "text/plain"}, parts()))
    began = time.monotonic()
    with pytest.raises(CallTimeoutError):
        open_adapter(service.url, tmp_path).run("ab", {**CONTEXT, "timeout_seconds": 0.3})
    assert time.monotonic() - began < 2


def test_proxy_of_the_environment_is_used(serve, tmp_path, monkeypatch):
    proxy = serve(echo)
    monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//zoe:hunt%40er2@"))
    adapter = open_adapter("http://service.invalid/a", tmp_path)
    assert adapter.run("ab", CONTEXT).output == "ab"
    (request,) = proxy.requests
    assert request["path"] == "http://service.invalid/a"
    assert request["headers"]["proxy-authorization"] == "Basic em9lOmh1bnRAZXIy"
    direct = serve(echo)
    assert open_adapter(direct.url, tmp_path).run("ab", CONTEXT).output == "ab"
    assert len(proxy.requests) == 1
