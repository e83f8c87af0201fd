"""Untrusted text, written for where it stands: Markdown, HTML, JSON, and the log of a CI that reads commands in it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_verdict.core.values.display import shortened, visible

_COMMAND: Final = re.compile(r"^( *):(?=:)|##\[", re.MULTILINE)
_LONGEST: Final = 300


def no_command(text: str) -> str:
    """Break what the runner of GitHub takes for a command: two colons where a line begins, and ``##[`` anywhere."""
    return _COMMAND.sub(lambda found: "#\\x23[" if found.group(1) is None else f"{found.group(1)}\\x3a", text)


def one_line(text: str, limit: int = _LONGEST) -> str:
    """Write text on one line, in which nothing moves a cursor, changes the direction of writing or is a command."""
    return no_command(visible(shortened(text, limit)))


def code(text: str) -> str:
    """Write text as a code span, in which neither Markdown nor HTML means anything; it may stand in a table."""
    written = one_line(text).replace("|", "\\x7c")
    ticks = "`" * (_longest_run(written) + 1)
    return f"{ticks} {written} {ticks}"


def html_code(text: str) -> str:
    """Write text as an element of HTML."""
    return f"<code>{html.escape(one_line(text))}</code>"


def fenced(text: str) -> str:
    """Write lines in which nothing moves a cursor as a block of code, between fences that they cannot close."""
    fence = "`" * max(_longest_run(text) + 1, 3)
    return f"{fence}text\n{no_command(text)}\n{fence}\n"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def json_array(items: Iterable[Any], head: str = "", tail: str = "\n") -> Iterator[str]:
    """Write a list in ASCII, an item a line, in which a log finds no command."""
    yield f"{head}["
    for number, item in enumerate(items):
        written = json.dumps(item, allow_nan=False).replace("##[", "#\\u0023[")
        yield f"{',' if number else ''}\n{written}"
    yield f"\n]{tail}"
