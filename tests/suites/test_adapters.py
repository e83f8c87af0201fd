"""Adapters outside Python: programs, services and recorded outputs."""

import datetime
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.errors import AdapterError, SuiteError
from pytest_verdict.judging.calls import CallTimeoutError, call_within
from pytest_verdict.suites.adapters import open_adapter

CONTEXT = {"suite": "s", "scenario": "x", "repeat": 1, "attempt": 1, "timeout_seconds": 5}


def program(code):
    return f'{sys.executable} -c "{code}"'


@pytest.mark.parametrize(
    ("kind", "code", "output", "calls"),
    [
        ("command", "print(input().upper())", "HELLO", None),
        ("command", "import sys; sys.stdout.write(sys.stdin.read() + chr(10) * 2)", "hello\n", None),
        (
            "command-json",
            "print('[1]'.join(['{', '}']).replace('[1]', chr(34) + 'output' + chr(34) + ': [1]'))",
            [1],
            None,
        ),
    ],
)
def test_a_program(tmp_path, kind, code, output, calls):
    result = open_adapter(f"{kind}: {program(code)}", tmp_path).run("hello", CONTEXT)
    assert (result.output, result.tool_calls) == (output, calls)


def test_a_program_reads_mappings_as_json_with_sorted_keys(tmp_path):
    given = {"b": [{2: 1, "a": None}], 1: True, datetime.date(2020, 1, 2): 0.5, False: "no"}
    result = open_adapter(f"command: {program('print(input())')}", tmp_path).run(given, CONTEXT)
    assert result.output == '{"1": true, "2020-01-02": 0.5, "b": [{"2": 1, "a": null}], "false": "no"}'


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (f"command: {program('import sys; sys.exit(3)')}", "ended with status 3"),
        (f"command: {program('import sys; sys.stderr.write(chr(27) + str(7)); sys.exit(1)')}", r"'\x1b7'"),
        (f"command-json: {program('print(1)')}", "must be text or an object with output"),
        (f"command-json: {program('print()')}", "must print JSON"),
        (f"command: {program('import sys; sys.stdout.buffer.write(bytes([255]))')}", "is not UTF-8"),
    ],
    ids=["status", "terminal", "no_result", "no_json", "bytes"],
)
def test_error_of_program_is_reported(tmp_path, written, words):
    with pytest.raises(AdapterError) as error:
        open_adapter(written, tmp_path).run("hello", CONTEXT)
    assert words in str(error.value)


def test_the_output_of_a_program_is_its_bytes(tmp_path):
    code = "import sys; sys.stderr.buffer.write(bytes([255])); sys.stdout.buffer.write(bytes([97, 13, 10, 98, 13, 99, 10]))"
    assert open_adapter(f"command: {program(code)}", tmp_path).run("", CONTEXT).output == "a\r\nb\rc"


def test_program_gets_its_arguments_without_a_shell(tmp_path):
    code = "import sys; print(sys.argv[1:])"
    written = f"command: {program(code)} 'a b' $HOME ; *"
    assert open_adapter(written, tmp_path).run("", CONTEXT).output == "['a b', '$HOME', ';', '*']"


def test_output_that_is_not_json_is_refused(tmp_path):
    code = "print('{', chr(34), 'output', chr(34), ': NaN}', sep='')"
    adapter = open_adapter(f"command-json: {program(code)}", tmp_path)
    with pytest.raises(AdapterError, match="NaN is not JSON"):
        adapter.run("", CONTEXT)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"output": Infinity}', "{", '{"output": 1, "output": 2}'])
def test_text_that_is_not_json_is_a_value_error(text):
    with pytest.raises(
        ValueError, match=r"nested too deeply|Infinity is not JSON|Expecting|occurs twice in one object"
    ):
        parse_json_with_floats(text)


def test_an_adapter_with_its_own_time_limit_may_clean_up():
    cleaned = threading.Event()

    def run():
        time.sleep(0.3)
        cleaned.set()
        raise AdapterError("ended")

    with pytest.raises(AdapterError, match="ended"):
        call_within(0.1, run, ends_itself=True)
    assert cleaned.is_set()


def test_running_programs_end_with_the_session(tmp_path):
    adapter = open_adapter(f"command: {program('import time; print(1, flush=True); time.sleep(30)')}", tmp_path)
    said = []

    def run():
        with pytest.raises(AdapterError) as error:
            adapter.run("", {**CONTEXT, "timeout_seconds": 30})
        said.append(str(error.value))

    thread = threading.Thread(target=run)
    thread.start()
    while not adapter._running:
        time.sleep(0.01)
    adapter.close()
    thread.join(5)
    assert "ended with status -9" in said[0]
    assert not adapter._running


def test_a_program_is_ended_with_its_children(tmp_path):
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(30)'])"
    begun = time.monotonic()
    with pytest.raises(CallTimeoutError):
        open_adapter(f"command: {program(code)}", tmp_path).run("", {**CONTEXT, "timeout_seconds": 0.3})
    assert time.monotonic() - begun < 10


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, kind, body = (
            200,
            "application/json",
            json.dumps({"output": given["input"] * 2, "tool_calls": ["search"]}),
        )
        if self.path.startswith("/who"):
            body = json.dumps({"output": f"{self.headers['Authorization']} {self.path}"})
        if self.path == "/text":
            kind, body = "text/plain", f"{given['input']} of {given['context']['scenario']}"
        if self.path.startswith("/list"):
            body = "[1]"
        if self.path == "/broken":
            status, body = 500, "\x1b[31mno"
        if self.path == "/slow":
            time.sleep(1)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_words):
        pass


@pytest.fixture
def url(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = HTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_service(url, tmp_path):
    result = open_adapter(f"{url}/json", tmp_path).run("ab", CONTEXT)
    assert (result.output, result.tool_calls) == ("abab", ("search",))
    assert open_adapter(f"{url}/text", tmp_path).run("ab", CONTEXT).output == "ab of x"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/broken", r"replied 500: '\x1b[31mno'"),
        ("/list", "must be text or an object"),
    ],
)
def test_error_of_service_is_reported(url, tmp_path, path, words):
    with pytest.raises(AdapterError) as error:
        open_adapter(url + path, tmp_path).run("ab", {**CONTEXT, "timeout_seconds": 0.2})
    assert words.replace("\\\\", "\\") in str(error.value) or words in str(error.value).replace("b'", "'")


def test_a_service_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(AdapterError, match="cannot be reached"):
        open_adapter("http://127.0.0.1:9", tmp_path).run("", CONTEXT)


def test_credentials_of_a_url_are_sent_and_never_shown(url, tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    given = url.replace("://", "://zoe:hunt%40er2@")
    assert (
        open_adapter(f"{given}/who?key=s3cret", tmp_path).run("", CONTEXT).output
        == "Basic em9lOmh1bnRAZXIy /who?key=s3cret"
    )
    for broken in (
        f"{given}/list?key=s3cret",
        "http://zoe:hunt%40er2@127.0.0.1:9/a?key=s3cret",
        f"{given}/list/a b?key=s3cret c",
    ):
        with pytest.raises(AdapterError) as error:
            open_adapter(broken, tmp_path).run("", CONTEXT)
        assert "127.0.0.1" in str(error.value)
        assert not any(secret in str(error.value) for secret in ("hunt", "s3cret", "zoe"))


def test_recorded_outputs_by_name_input_suite_and_repeat(write, tmp_path):
    rows = [
        {"name": "x", "output": "1"},
        {"name": "x", "output": "2"},
        {"input": "hello", "output": "3", "tool_calls": [{"name": "search", "arguments": {"q": 1}}]},
        {"suite": "t", "name": "x", "output": "4"},
    ]
    write("outputs.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    adapter = open_adapter("recorded: outputs.jsonl", tmp_path)
    assert [adapter.run("", {**CONTEXT, "repeat": repeat}).output for repeat in (1, 2)] == ["1", "2"]
    assert adapter.run("hello", {**CONTEXT, "scenario": "y"}).tool_calls == ({"name": "search", "arguments": {"q": 1}},)
    assert adapter.run("", {**CONTEXT, "suite": "t"}).output == "4"
    with pytest.raises(AdapterError, match="no recorded output for the scenario 'y'"):
        adapter.run("", {**CONTEXT, "scenario": "y"})


@pytest.mark.parametrize("row", ["half", '{"name": "x"}', '{"output": "a"}', '{"name": 3, "output": "a"}'])
def test_a_wrong_recording_names_its_line(write, tmp_path, row):
    write("outputs.jsonl", '{"name": "x", "output": "1"}\n' + row + "\n")
    with pytest.raises(AdapterError, match=r"outputs\.jsonl:2: "):
        open_adapter("recorded:outputs.jsonl", tmp_path)


@pytest.mark.parametrize("written", ["command:", "recorded: ", "command: 'x"])
def test_an_adapter_that_is_written_wrongly(tmp_path, written):
    with pytest.raises(SuiteError, match="the adapter"):
        open_adapter(written, tmp_path)


def test_exception_of_call_reaches_the_caller():
    with pytest.raises(KeyboardInterrupt):
        call_within(5, lambda: (_ for _ in ()).throw(KeyboardInterrupt()))
    with pytest.raises(TimeoutError, match="own"):
        call_within(5, own_timeout)


async def own_timeout():
    raise TimeoutError("own")
