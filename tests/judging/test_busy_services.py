"""Judges whose service asks to wait: they are called again after the pause, and nobody is called before."""

import contextlib
import http.server
import json
import threading
import time
import urllib.error
import urllib.request

import pytest

from pytest_verdict.judging import JudgeRequest, RecordedJudge
from pytest_verdict.judging.asking import ask

REQUEST = JudgeRequest(prompt="How many?", schema={}, instructions="", parts={"text": "5"})


@contextlib.contextmanager
def service(*replies):
    """Start a service that gives these replies, a status and the headers, and then the status 200."""
    times = []
    waiting = list(replies)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            times.append(time.monotonic())
            status, headers = waiting.pop(0) if waiting else (200, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(json.dumps({"number": 5}).encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"

    def judge(_request):
        try:
            with urllib.request.urlopen(address) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            error.close()
            raise

    try:
        yield judge, times
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


SOON = {"Retry-After": "0.05"}


@pytest.mark.parametrize(
    "replies",
    [
        [(429, SOON)],
        [(529, SOON)],
        [(503, SOON)],
        [(429, SOON), (503, SOON), (429, SOON)],
        [(429, {"retry-after": "0"})],
        [(429, {"Retry-After": "Mon, 01 Jan 2024 00:00:00 GMT"})],
    ],
    ids=str,
)
def test_busy_service_is_called_again_after_its_pause(replies):
    with service(*replies) as (judge, times):
        assert ask(judge, REQUEST).reply == {"number": 5}
    assert len(times) == len(replies) + 1
    pauses = [float(headers.get("Retry-After", 0)) for _, headers in replies if "Jan" not in str(headers)]
    assert all(later - earlier >= pause for earlier, later, pause in zip(times, times[1:], pauses, strict=False))


@pytest.mark.parametrize(
    "reply", [(400, SOON), (401, {}), (404, SOON), (500, SOON), (503, {}), (429, {"Retry-After": "3600"})], ids=str
)
def test_other_errors_are_raised_at_once(reply):
    with service(reply) as (judge, times), pytest.raises(urllib.error.HTTPError):
        ask(judge, REQUEST)
    assert len(times) == 1


@pytest.mark.ci
def test_service_that_stays_busy_is_called_six_times():
    with service(*[(429, {"Retry-After": "0"})] * 20) as (judge, times), pytest.raises(urllib.error.HTTPError):
        ask(judge, REQUEST)
    assert len(times) == 6


@pytest.mark.ci
@pytest.mark.parametrize("mode", ["record", "rewrite"])
def test_recorded_judge_waits_once(tmp_path, mode):
    with service(*[(429, {"Retry-After": "0"})] * 20) as (judge, times), pytest.raises(urllib.error.HTTPError):
        ask(RecordedJudge(tmp_path, judge, mode=mode), REQUEST)
    assert len(times) == 6
    with service((429, SOON)) as (judge, times):
        assert ask(RecordedJudge(tmp_path, judge, mode=mode), REQUEST).reply == {"number": 5}
    assert len(times) == 2


@pytest.mark.ci
def test_pause_is_no_part_of_the_time_limit():
    with service((429, {"Retry-After": "0.6"})) as (judge, times):
        assert ask(judge, REQUEST, timeout=0.5).reply == {"number": 5}
    assert len(times) == 2


@pytest.mark.ci
def test_other_calls_wait_too():
    with service((429, {"Retry-After": "0.4"})) as (judge, times):
        threads = [threading.Thread(target=ask, args=(judge, REQUEST)) for _ in range(3)]
        threads[0].start()
        while not times:
            time.sleep(0.01)
        time.sleep(0.1)
        for thread in threads[1:]:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(times) == 4
    assert times[1] - times[0] >= 0.4
