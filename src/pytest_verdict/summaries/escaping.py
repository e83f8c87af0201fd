"""Escaping of untrusted text for Markdown, HTML, JSON, and CI logs, whose runners interpret commands."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_verdict.core.values.display import shortened, visible

_COMMAND: Final = re.compile(r"^( *):(?=:)|##\[", re.MULTILINE)
_LONGEST: Final = 300


def no_command(text: str) -> str:
    """Break commands of the GitHub runner: two colons at the start of a line, and ``##[`` anywhere."""
    return _COMMAND.sub(lambda found: "#\\x23[" if found.group(1) is None else f"{found.group(1)}\\x3a", text)


def one_line(text: str, limit: int = _LONGEST) -> str:
    """Format text as one line without control characters, changes of the writing direction, or commands."""
    return no_command(visible(shortened(text, limit)))


def code(text: str) -> str:
    """Format text as a code span that also works in a table; it contains no Markdown or HTML."""
    content = one_line(text).replace("|", "\\x7c")
    ticks = "`" * (_longest_run(content) + 1)
    return f"{ticks} {content} {ticks}"


def html_code(text: str) -> str:
    """Format text as an HTML element."""
    return f"<code>{html.escape(one_line(text))}</code>"


def fenced(text: str) -> str:
    """Format lines without control characters as a code block, with fences that they cannot close."""
    fence = "`" * max(_longest_run(text) + 1, 3)
    return f"{fence}text\n{no_command(text)}\n{fence}\n"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def json_array(items: Iterable[Any], head: str = "", tail: str = "\n") -> Iterator[str]:
    """Yield a JSON list in ASCII, an item on each line, without commands for a log."""
    yield f"{head}["
    for number, item in enumerate(items):
        text = json.dumps(item, allow_nan=False).replace("##[", "#\\u0023[")
        yield f",\n{text}" if number else f"\n{text}"
    yield f"\n]{tail}"
