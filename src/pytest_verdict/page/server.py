"""The page of a report given out by a server on this machine, for reports that are too large for one file."""

import json
import secrets
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import parse_qs, urlsplit

from pytest_verdict.core.record import parse_record
from pytest_verdict.errors import RecordError, VerdictError
from pytest_verdict.page.folder import about_folder
from pytest_verdict.page.index import Index
from pytest_verdict.page.rows import Row, body, explained_lines, read_rows
from pytest_verdict.page.writing import packed, served_html
from pytest_verdict.report.compression import open_records, stored
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.records_file import mapped

_BLOCK: Final = 1 << 22
_NOTHING: Final = {"starts": [], "rows": 0}
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ServedReport:
    """One state of a report: its index, and where each record lies in the file.

    The places are kept in memory, 8 bytes for each record. A file of them could be older than the records.
    """

    def __init__(self, folder: Path, shown: str) -> None:
        self.version = version_of(folder)
        path = folder / RECORDS
        with open_records(path) as file:
            self._content = mapped(path) if path.is_file() else file.read()
        self._ends = array("Q")
        index = Index()
        for _ in read_rows(map(Row, self._lines()), index):
            pass
        about = {**about_folder(folder, shown), "version": self.version}
        self.index = packed(index, about, {"kept": _NOTHING, "rest": _NOTHING})

    def _lines(self) -> Iterator[bytes]:
        start = 0
        while start < len(self._content):
            end = self._content.find(b"\n", start) + 1 or len(self._content)
            self._ends.append(end)
            yield self._content[start:end]
            start = end

    def row(self, number: int) -> bytes:
        """Give the record of a row, and why it did not pass."""
        start = self._ends[number - 1] if number else 0
        line = self._content[start : self._ends[number]]
        record = parse_record(line)
        return body(Row(line), explained_lines(record) if record["verdict"] != "pass" else [])

    def search(self, query: str) -> bytes:
        """Give the numbers of the rows whose records have a text, as little-endian numbers of 32 bits."""
        # Records are ASCII, so what is not stands in them as an escape, which has no case.
        needles = {json.dumps(form)[1:-1].lower().encode("ascii") for form in (query, query.lower(), query.upper())}
        found = sorted({row for start, text in self._blocks() for row in self._matches(text.lower(), start, needles)})
        return b"".join(row.to_bytes(4, "little") for row in found)

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        start = 0
        while start < len(self._content):
            last = min(bisect_right(self._ends, start + _BLOCK), len(self._ends) - 1)
            yield start, self._content[start : self._ends[last]]
            start = self._ends[last]

    def _matches(self, text: bytes, start: int, needles: Iterable[bytes]) -> Iterator[int]:
        for needle in needles:
            at = text.find(needle)
            while at >= 0:
                row = bisect_right(self._ends, start + at)
                yield row
                at = text.find(needle, self._ends[row] - start)


def version_of(folder: Path) -> str:
    """Name the state of a report by the size and time of its records."""
    status = stored(folder / RECORDS).stat()
    return f"{status.st_mtime_ns}-{status.st_size}"


class Server(ThreadingHTTPServer):
    """Gives the page out to whoever knows the token in its address; on 127.0.0.1 alone."""

    daemon_threads = True

    def __init__(self, folder: Path, shown: str, port: int) -> None:
        self._folder = folder
        self._shown = shown
        self._loading = Lock()
        self._report = ServedReport(folder, shown)
        self.token = secrets.token_urlsafe(16)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise RecordError(
                f"port {port} cannot be used: {error.strerror}; without --port a free one is taken"
            ) from None

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a browser may call this server; a page of elsewhere whose name leads here calls it otherwise."""
        return tuple(f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost"))

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.hosts[0]}/{self.token}/"

    def answer(self, name: str, given: str) -> tuple[str, bytes] | None:
        """Answer a request by a type and content, or None where there is no such thing."""
        if name == "":
            return "text/html; charset=utf-8", served_html().encode("ascii")
        if name == "state":
            return "text/plain", self._state().encode("ascii")
        if name == "index":
            return "application/gzip", self._latest().index
        if name == "search" and given:
            return "application/octet-stream", self._report.search(given)
        if name == "row" and given.isascii() and given.isdecimal():
            return "application/json", self._report.row(int(given[:18]))
        return None

    def _state(self) -> str:
        try:
            return version_of(self._folder)
        except OSError:
            # A session is running; the report that it found lies elsewhere until it ends.
            return self._report.version

    def _latest(self) -> ServedReport:
        with self._loading:
            if self._report.version != self._state():
                self._report = ServedReport(self._folder, self._shown)
            return self._report


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        """Answer a browser that knows the token."""
        if self.headers.get("Host") not in self.server.hosts:
            return self._send(HTTPStatus.FORBIDDEN, "text/plain", b"another host")
        address = urlsplit(self.path)
        _, token, name, *_ = [*address.path.split("/", 2), "", ""]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            return self._send(HTTPStatus.FORBIDDEN, "text/plain", b"the address has another token")
        try:
            found = self.server.answer(name, parse_qs(address.query).get("for", [""])[0])
        except (IndexError, OSError, VerdictError) as error:
            return self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", str(error).encode("utf-8", "replace"))
        return (
            self._send(HTTPStatus.OK, *found) if found else self._send(HTTPStatus.NOT_FOUND, "text/plain", b"nothing")
        )

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing of each request."""
