"""Writing a page as one file without dependencies, from the rows of a folder or of another source."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.page.charts import charts_of
from pytest_verdict.page.index import Bodies, Index
from pytest_verdict.page.rows import Row, body, read_rows

LARGEST_PAGE: Final = 50_000_000
# The members of a page besides its rows. Another member, `start`, may set the first filters (default: verdicts except pass).
_EMPTY: Final[Mapping[str, Any]] = {
    "title": "",
    **dict.fromkeys(("warnings", "commands", "facts", "fields", "tests", "slowest"), ()),
}


class Written(NamedTuple):
    """The number of rows that a page lists, and how many of them it lists without their records."""

    rows: int
    left_out: int


def write_page(rows: Iterable[Row], about: Mapping[str, Any], path: Path, limit: int = LARGEST_PAGE) -> Written:
    """Write a page of rows.

    Comparisons that did not pass, or that changed between two runs, are written first, up to the limit. The others are
    written only if everything fits.
    """
    index, kept, rest = _collect(rows, limit)
    chunks = {"kept": kept.describe(), "rest": rest.describe()}
    new = NewFiles(path.parent)
    try:
        new.write(path.name, page_html(pack_index(index, about, chunks), (kept, rest)))
        new.put_in_place([path.name])
    finally:
        new.remove()
    return Written(rows=index.rows, left_out=index.rows - kept.rows - rest.rows)


def pack_index(index: Index, about: Mapping[str, Any], chunks: Mapping[str, Any]) -> bytes:
    """Compress the index and the members of the page besides its rows."""
    return index.pack({**_EMPTY, **about, "charts": charts_of(index.scores()), "counts": index.counts()}, chunks)


def _collect(rows: Iterable[Row], limit: int) -> tuple[Index, Bodies, Bodies]:
    index = Index()
    kept = Bodies()
    rest = Bodies()
    for row, verdict, lines in read_rows(rows, index):
        bodies = rest if verdict == "pass" and not row.change else kept
        if bodies.is_open:
            bodies.add(body(row, lines))
        if rest.is_open and kept.size + rest.size > limit:
            rest.close(empty=True)
        if kept.size > limit:
            kept.close()
    kept.finish()
    rest.finish()
    if kept.size + rest.size > limit:
        rest.close(empty=True)
    return index, kept, rest


def page_html(index: bytes, bodies: Iterable[Bodies]) -> Iterator[str]:
    """Yield the HTML of the page with its data."""
    head, script, tail = _document("")
    yield head
    yield f'<script type="text/plain" id="index">{_base64(index)}</script>\n'
    yield script
    for kind, one in zip("kr", bodies, strict=True):
        for number, piece in enumerate(one.pieces):
            yield f'<script type="text/plain" id="{kind}{number}">{_base64(piece)}</script>\n'
    yield tail


def served_html() -> str:
    """Return the HTML of a served page, which requests its data."""
    return "".join(_document("; connect-src 'self'"))


def _document(more_policy: str) -> tuple[str, str, str]:
    style = _asset("page.css")
    script = _asset("page.js")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}';"
        f" base-uri 'none'; form-action 'none'{more_policy}"
    )
    document = _asset("page.html").replace("{{policy}}", policy).replace("{{style}}", style)
    head, _, tail = document.partition("{{script}}")
    return head, f"<script>{script}</script>\n", tail


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("ascii").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{_base64(hashlib.sha256(text.encode('ascii')).digest())}"


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
