"""``pytest-verdict view --serve``: who is answered, with what, and that the page follows the report."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from array import array
from http.client import HTTPConnection

import pytest

from pytest_verdict import compare
from pytest_verdict.page.server import Server
from written_records import lines_of

RESULTS = {
    "t.py::test_a": [compare("exact", at, at, name="Stra\u00dfe" if at == 7 else None) for at in range(20)],
    "t.py::test_b": [compare("exact", "needle", "hay")],
}


@pytest.fixture
def server(folder):
    place = folder(RESULTS)
    (place / "report.html").unlink()
    with Server(place, "verify-report", 0) as running:
        thread = threading.Thread(target=running.serve_forever, args=[0.01], daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server, path):
    return urllib.request.urlopen(server.address + path).read()


def status(server, path, host=None):
    connection = HTTPConnection("127.0.0.1", server.server_port)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    return connection.getresponse().status


def test_rows_are_slices_of_the_records(server, tmp_path):
    lines = (tmp_path / "records.jsonl").read_bytes().splitlines()
    for number, line in enumerate(lines):
        record, explained, before = json.loads(get(server, f"row?for={number}"))
        assert record == json.loads(line)
        assert bool(explained) == (record["verdict"] == "fail")
        assert before is None


def test_the_index_is_that_of_the_page(server):
    index = gzip.decompress(get(server, "index"))
    head = json.loads(index[4 : 4 + int.from_bytes(index[:4], "little")])
    assert head["rows"] == 21
    assert head["about"]["version"] == get(server, "state").decode()


@pytest.mark.parametrize(
    ("query", "rows"),
    [("needle", [20]), ("NEEDLE", [20]), ("Stra%C3%9Fe", [7]), ("test_b", [20]), ("nowhere", []), (".*", [])],
)
def test_search_gives_the_numbers_of_rows(server, query, rows):
    assert list(array("I", get(server, f"search?for={query}"))) == rows


NOT_THERE = ["row?for=21", "row?for=-1", "row?for=x", "row", f"row?for={'9' * 400}", "search", "../records.jsonl", "x"]


@pytest.mark.parametrize("path", NOT_THERE)
def test_server_serves_no_other_file(server, path):
    assert status(server, f"/{server.token}/{path}") in {404, 500}


def test_request_without_token_is_refused(server):
    for path in (
        "/",
        "/index",
        f"/{server.token[:-1]}/",
        f"/{server.token}x/index",
        "/%C3%A9/",
        "//",
    ):
        assert status(server, path) == 403
    assert status(server, f"/{server.token}/") == 200


def test_a_page_of_elsewhere_whose_name_leads_here_gets_nothing(server):
    path = f"/{server.token}/index"
    assert status(server, path, f"localhost:{server.server_port}") == 200
    for host in ("example.org", f"example.org:{server.server_port}", "127.0.0.1", ""):
        assert status(server, path, host) == 403


def test_server_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    headers = urllib.request.urlopen(server.address).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


def test_each_server_has_a_token_of_its_own(folder):
    place = folder(RESULTS)
    with Server(place, ".", 0) as one, Server(place, ".", 0) as other:
        assert one.token != other.token
        assert len(one.token) >= 20


def test_an_empty_file_of_records_is_served(folder):
    with Server(folder({}), ".", 0) as server:
        assert server.answer("search", "x") == ("application/octet-stream", b"")


def replaced(path, results):
    """Replace the records as a session does."""
    new = path.with_suffix(".new")
    new.write_bytes(lines_of(results))
    os.replace(new, path)


def test_rows_match_index_until_next_request(server, tmp_path):
    path = tmp_path / "records.jsonl"
    before = get(server, "row?for=20")
    version = get(server, "state")
    path.rename(tmp_path / "away")
    assert get(server, "state") == version
    replaced(path, [compare("exact", 5, 6)])
    assert get(server, "row?for=20") == before
    assert get(server, "state") != version
    get(server, "index")
    assert json.loads(get(server, "row?for=0"))[0]["expected"] == 5
    with pytest.raises(urllib.error.HTTPError, match="500"):
        get(server, "row?for=20")


def test_in_a_browser_the_page_reads_records_when_they_are_opened_and_follows_the_report(server, browse, tmp_path):
    page = browse(server.address)
    assert page.locator("#status").inner_text() == "1 of 21 comparisons"
    page.locator(".row").click()
    page.wait_for_selector("pre.said")
    assert page.locator(".sides .tree").first.inner_text().strip() == '"needle"'
    page.fill("#search", "Stra\u00dfe")
    page.wait_for_timeout(500)
    assert page.evaluate("found[7]") == 1
    page.evaluate("document.documentElement.dataset.before = 'yes'")
    replaced(tmp_path / "records.jsonl", [compare("exact", "new", "newer")] * 2)
    page.wait_for_selector("html:not([data-before])[data-ready]")
    assert page.locator("#totals").inner_text().split("\n")[1] == "\u2717 2 fail"


@pytest.mark.ci
def test_the_command_serves_until_it_is_stopped(folder):
    command = [sys.executable, "-m", "pytest_verdict", "view", "--serve", "--no-open", str(folder(RESULTS))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = next(word for word in process.stdout.readline().split() if word.startswith("http"))
        assert b"<title>pytest-verdict</title>" in urllib.request.urlopen(address).read()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_named(command, folder, server):
    status, _, complaint = command("view", "--serve", "--no-open", f"--port={server.server_port}", folder(RESULTS))
    assert status == 2
    assert f"port {server.server_port} cannot be used" in complaint
