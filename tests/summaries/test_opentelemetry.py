"""Events of OpenTelemetry, sent to a collector on this machine that reads the protocol by its official definitions."""

from __future__ import annotations

import gzip
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

# Sessions inside a test forget the modules that they imported first.
for name in ("requests", "opentelemetry.exporter.otlp.proto.http._log_exporter"):
    pytest.importorskip(name)
protocol = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")


@pytest.fixture
def collector(monkeypatch):
    """A collector; what it received, and the status that it answers with."""
    requests, status = [], [200]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            content = self.rfile.read(int(self.headers["Content-Length"]))
            content = gzip.decompress(content) if self.headers.get("Content-Encoding") == "gzip" else content
            requests.append((self.path, protocol.ExportLogsServiceRequest.FromString(content)))
            self.send_response(status[0])
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield requests, status
    server.shutdown()
    thread.join()
    server.server_close()


def value(any_value):
    return getattr(any_value, any_value.WhichOneof("value"))


def events(requests):
    found = []
    for path, request in requests:
        assert path == "/v1/logs"
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                found += [(one, {pair.key: value(pair.value) for pair in one.attributes}) for one in scope.log_records]
    return found


@pytest.mark.ci
def test_each_comparison_is_an_event(hostile, summary, collector):
    requests, _ = collector
    status, out, err = summary(hostile.folder, "otel")
    assert (status, out, err) == (0, f"{len(hostile.records)} events gen_ai.evaluation.result sent\n", "")
    found = events(requests)
    assert len(found) == len(hostile.records)
    for (event, given), record in zip(found, hostile.records, strict=True):
        assert event.event_name == "gen_ai.evaluation.result"
        assert event.time_unix_nano > 0
        assert given["gen_ai.evaluation.score.value"] == record["score"]
        assert given["gen_ai.evaluation.score.label"] == record["verdict"]
        assert given["verdict.operator"] == record["operator"]
        assert ("gen_ai.evaluation.explanation" in given) == (record["verdict"] != "pass")
        assert given.get("error.type") == ("verdict.OperatorError" if record["verdict"] == "error" else None)
        assert len(str(given)) < 8_000
    names = [given["gen_ai.evaluation.name"] for _, given in found]
    assert names[0] == "a | b | c"
    assert names[-1] == "regex"
    resource = {pair.key: value(pair.value) for pair in requests[0][1].resource_logs[0].resource.attributes}
    assert resource == {"service.name": "pytest-verdict"}


@pytest.mark.ci
def test_the_same_report_sends_the_same_bytes_in_several_requests(harness, summary, collector):
    text = "from pytest_verdict import compare\ndef test_it():\n    for n in range(1201): compare('exact', n, n)\n"
    run = harness.run(text, "--verify-report")
    requests, _ = collector
    assert summary(run.folder, "otel")[0] == 0
    first = [request.SerializeToString(deterministic=True) for _, request in requests]
    assert len(first) == 3
    requests.clear()
    assert summary(run.folder, "otel")[0] == 0
    assert [request.SerializeToString(deterministic=True) for _, request in requests] == first


def test_a_collector_that_refuses_is_an_error(hostile, summary, collector):
    collector[1][0] = 400
    status, out, err = summary(hostile.folder, "otel")
    assert (status, out) == (2, "")
    assert "the collector refused a batch of events after 0 were sent" in err


def test_a_file_is_refused(hostile, summary, tmp_path):
    status, _, err = summary(hostile.folder, "otel", "-o", tmp_path / "events")
    assert status == 2
    assert "leave out --output" in err


def test_without_the_extra_it_says_what_to_install(hostile, summary, monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk._logs", None)
    status, _, err = summary(hostile.folder, "otel")
    assert status == 2
    assert "pip install 'pytest-verdict[otel]'" in err
