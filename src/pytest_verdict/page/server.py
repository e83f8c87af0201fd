"""A server on this machine for the page of a report, for reports that are too large for one file."""

import json
import secrets
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import parse_qs, urlsplit

from pytest_verdict.core.record import parse_record
from pytest_verdict.errors import RecordError, VerdictError
from pytest_verdict.page.folder import about_folder
from pytest_verdict.page.rows import Index, Row, body, format_explanation_lines, read_rows
from pytest_verdict.page.writing import build_served_html
from pytest_verdict.report.compression import find_stored, open_records
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.records_file import map_file

_BLOCK: Final = 1 << 22
_NO_CHUNKS: Final = {"starts": [], "rows": 0}
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ServedReport:
    """One version of a report: its index, and the end of each record in the file, which a second file would have to follow."""

    def __init__(self, folder: Path, title: str) -> None:
        self.version = version_of(folder)
        path = folder / RECORDS
        with open_records(path) as file:
            self._content = map_file(path) if path.is_file() else file.read()
        self._ends = array("Q")
        index = Index()
        for _ in read_rows(map(Row, self._lines()), index):
            pass
        about = {**about_folder(folder, title), "version": self.version}
        self.index = index.pack(about, {"kept": _NO_CHUNKS, "rest": _NO_CHUNKS})

    def _lines(self) -> Iterator[bytes]:
        start = 0
        while start < len(self._content):
            end = self._content.find(b"\n", start) + 1 or len(self._content)
            self._ends.append(end)
            yield self._content[start:end]
            start = end

    def row(self, number: int) -> bytes:
        """Return the record of a row with its explanation."""
        start = self._ends[number - 1] if number else 0
        line = self._content[start : self._ends[number]]
        record = parse_record(line)
        return body(Row(line), format_explanation_lines(record) if record["verdict"] != "pass" else [])

    def search(self, query: str) -> bytes:
        """Return the numbers of the rows whose records contain a text, as little-endian 32-bit numbers."""
        # Records are ASCII. Other characters are escapes, in which upper and lower case differ.
        needles = {json.dumps(form)[1:-1].lower().encode("ascii") for form in (query, query.lower(), query.upper())}
        rows = set()
        start = 0
        while start < len(self._content):
            last = min(bisect_right(self._ends, start + _BLOCK), len(self._ends) - 1)
            text = self._content[start : self._ends[last]].lower()
            for needle in needles:
                at = text.find(needle)
                while at >= 0:
                    row = bisect_right(self._ends, start + at)
                    rows.add(row)
                    at = text.find(needle, self._ends[row] - start)
            start = self._ends[last]
        return b"".join(row.to_bytes(4, "little") for row in sorted(rows))


def version_of(folder: Path) -> str:
    """Return the version of a report: the time and size of its records."""
    status = find_stored(folder / RECORDS).stat()
    return f"{status.st_mtime_ns}-{status.st_size}"


class Server(ThreadingHTTPServer):
    """Serves the page on 127.0.0.1, to clients that send the token in the address."""

    daemon_threads = True

    def __init__(self, folder: Path, title: str, port: int) -> None:
        self._folder = folder
        self._title = title
        self._loading = Lock()
        self._report = ServedReport(folder, title)
        self.token = secrets.token_urlsafe(16)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            raise RecordError(f"port {port} cannot be used: {error}; leave out --port to use a free port") from None

    @property
    def hosts(self) -> tuple[str, ...]:
        """The accepted Host headers; they keep out other sites whose name resolves to this address."""
        return tuple(f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost"))

    @property
    def address(self) -> str:
        return f"http://{self.hosts[0]}/{self.token}/"

    def answer(self, name: str, argument: str) -> tuple[str, bytes] | None:
        """Return the content type and the content of a resource; None if there is no such resource."""
        if name == "":
            return "text/html; charset=utf-8", build_served_html().encode("ascii")
        if name == "state":
            return "text/plain", self._state().encode("ascii")
        if name == "index":
            with self._loading:
                if self._report.version != self._state():
                    self._report = ServedReport(self._folder, self._title)
                return "application/gzip", self._report.index
        if name == "search" and argument:
            return "application/octet-stream", self._report.search(argument)
        if name == "row" and argument.isascii() and argument.isdecimal():
            return "application/json", self._report.row(int(argument[:18]))
        return None

    def _state(self) -> str:
        try:
            return version_of(self._folder)
        except OSError:
            # While a session runs, the earlier report is in another folder.
            return self._report.version


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        if self.headers.get("Host") not in self.server.hosts:
            return self._send(HTTPStatus.FORBIDDEN, "text/plain", b"another host")
        address = urlsplit(self.path)
        _, token, name, *_ = [*address.path.split("/", 2), "", ""]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            return self._send(HTTPStatus.FORBIDDEN, "text/plain", b"the address has another token")
        try:
            answer = self.server.answer(name, parse_qs(address.query).get("for", [""])[0])
        except (IndexError, OSError, VerdictError) as error:
            return self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", str(error).encode("utf-8", "replace"))
        if answer is None:
            return self._send(HTTPStatus.NOT_FOUND, "text/plain", b"nothing")
        return self._send(HTTPStatus.OK, *answer)

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name of the standard library
        pass
