"""Writing a page as one file without dependencies, from the rows of a folder or of two runs."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.page.rows import Index, Row, body, compress, read_rows

_LARGEST_PAGE: Final = 50_000_000
# The limits of one compressed chunk.
_MOST_ROWS: Final = 500
_MOST_BYTES: Final = 1 << 20


class Written(NamedTuple):
    """The number of rows that a page lists, and how many of them it lists without their records."""

    rows: int
    left_out: int


class _Bodies:
    """The bodies of rows, in compressed chunks of some hundred rows."""

    def __init__(self, *, is_open: bool = True) -> None:
        self._waiting: list[bytes] = []
        self._bytes = 0
        self.starts: list[int] = []
        self.pieces: list[bytes] = []
        self.size = 0
        self.rows = 0
        self.is_open = is_open

    def add(self, body: bytes) -> None:
        self._waiting.append(body)
        self._bytes += len(body)
        if len(self._waiting) >= _MOST_ROWS or self._bytes > _MOST_BYTES:
            self.finish()

    def finish(self) -> None:
        """Compress the rows that are in no chunk yet."""
        if self._waiting:
            self.starts.append(self.rows)
            self.rows += len(self._waiting)
            self.pieces.append(compress(self._waiting))
            # The page contains it as base64.
            self.size += len(self.pieces[-1]) * 4 // 3
            self._waiting = []
            self._bytes = 0


def write_page(rows: Iterable[Row], about: Mapping[str, Any], path: Path, limit: int = _LARGEST_PAGE) -> Written:
    """Write a page of rows; the caller puts the file in place.

    Comparisons that did not pass, or that changed between two runs, are written first, up to the limit. The others are
    written only if everything fits.
    """
    index = Index()
    first = _Bodies()
    rest = _Bodies()
    for row, verdict, lines in read_rows(rows, index):
        bodies = rest if verdict == "pass" and not row.change else first
        if bodies.is_open:
            bodies.add(body(row, lines))
        if rest.is_open and first.size + rest.size > limit:
            rest = _Bodies(is_open=False)
        if first.size > limit:
            first.finish()
            first.is_open = False
    first.finish()
    rest.finish()
    if first.size + rest.size > limit:
        rest = _Bodies()
    chunks = {name: {"starts": one.starts, "rows": one.rows} for name, one in (("kept", first), ("rest", rest))}
    data = {f"k{number}": piece for number, piece in enumerate(first.pieces)}
    data |= {f"r{number}": piece for number, piece in enumerate(rest.pieces)}
    head, script, tail = _document("")
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(f"{head}{_data_element('index', index.pack(about, chunks))}{script}")
        file.writelines(_data_element(name, piece) for name, piece in data.items())
        file.write(tail)
    return Written(rows=index.rows, left_out=index.rows - first.rows - rest.rows)


def _data_element(name: str, content: bytes) -> str:
    return f'<script type="text/plain" id="{name}">{encode_base64(content)}</script>\n'


def build_served_html() -> str:
    """Return the HTML of a served page, which requests its data."""
    return "".join(_document("; connect-src 'self'"))


def _document(more_policy: str) -> tuple[str, str, str]:
    script = read_asset(__package__, "elements.js") + read_asset(__package__, "page.js")
    html = read_asset(__package__, "page.html")
    return build_document(html, read_asset(__package__, "page.css"), script, more_policy)


def build_document(html: str, style: str, script: str, more_policy: str = "") -> tuple[str, str, str]:
    """Fill in the template of a page that runs no other script; return what is before the script, the script, and the rest."""
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}';"
        f" base-uri 'none'; form-action 'none'{more_policy}"
    )
    document = html.replace("{{policy}}", policy).replace("{{style}}", style)
    head, _, tail = document.partition("{{script}}")
    return head, f"<script>{script}</script>\n", tail


def read_asset(package: str, name: str) -> str:
    """Read a part of a page."""
    return resources.files(package).joinpath(name).read_text("ascii").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{encode_base64(hashlib.sha256(text.encode('ascii')).digest())}"


def encode_base64(content: bytes) -> str:
    """Encode bytes for the HTML of a page."""
    return base64.b64encode(content).decode("ascii")
