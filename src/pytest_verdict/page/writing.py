"""A page as one file that needs nothing else: written from a folder, or from rows of any other origin."""

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
# What a page says beside the rows: texts, commands each with what ends it, facts each with its name, tests with outcome and
# message, fields with counts, tests with seconds. `start` may name the filters at first, by default what did not pass.
_NOTHING: Final[Mapping[str, Any]] = {
    "title": "",
    **dict.fromkeys(("warnings", "commands", "facts", "fields", "tests", "slowest"), ()),
}


class Written(NamedTuple):
    """A page that was written: how many rows it lists, and of how many it has no more than the list shows."""

    rows: int
    left_out: int


def write_page(rows: Iterable[Row], about: Mapping[str, Any], path: Path, limit: int = LARGEST_PAGE) -> Written:
    """Write a page of rows.

    What did not pass, or changed between two runs, is written first, and all of it that fits; the rest only if everything fits.
    """
    index, kept, rest = _collect(rows, limit)
    chunks = {"kept": kept.described(), "rest": rest.described()}
    new = NewFiles(path.parent)
    try:
        new.write(path.name, html(packed(index, about, chunks), (kept, rest)))
        new.put_in_place([path.name])
    finally:
        new.remove()
    return Written(index.rows, index.rows - kept.rows - rest.rows)


def packed(index: Index, about: Mapping[str, Any], chunks: Mapping[str, Any]) -> bytes:
    """Compress the index with all that the page says of the whole."""
    return index.packed({**_NOTHING, **about, "charts": charts_of(index.scores()), "counts": index.counts()}, chunks)


def _collect(rows: Iterable[Row], limit: int) -> tuple[Index, Bodies, Bodies]:
    index, kept, rest = Index(), Bodies(), Bodies()
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


def html(index: bytes, bodies: Iterable[Bodies]) -> Iterator[str]:
    """Write the page with its data."""
    head, script, tail = _document("")
    yield head
    yield f'<script type="text/plain" id="index">{_base64(index)}</script>\n'
    yield script
    for kind, one in zip("kr", bodies, strict=True):
        for number, piece in enumerate(one.pieces):
            yield f'<script type="text/plain" id="{kind}{number}">{_base64(piece)}</script>\n'
    yield tail


def served_html() -> str:
    """Write the page of a server, which asks for its data."""
    return "".join(_document("; connect-src 'self'"))


def _document(more_policy: str) -> tuple[str, str, str]:
    style, script = _asset("page.css"), _asset("page.js")
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
