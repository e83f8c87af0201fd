"""Calls in a form that the reader does not see: refused, because a call that is left out could make a comparison pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers.shape import list_of, look

_CONTAINERS: Final = ("messages", "contents", "candidates", "events", "output")
_IN_MESSAGES: Final = ("tool_calls", "toolCalls", "function_call", "functionCall")
_IN_BLOCKS: Final = ("toolUse", "function_call", "functionCall")
_KIND: Final = re.compile(r".*(tool|function)[-_]?(use|call|invocation)|tool-(?!result).+|dynamic-tool", re.IGNORECASE)


def refuse_foreign_calls(known: str | None, format: str, value: Any) -> None:  # noqa: A002 - as in `read_trajectory`
    """Refuse messages with calls in another form than the one known, a pattern; None for formats without messages."""
    for place, message in enumerate(list_of(value, *_CONTAINERS) if known else ()):
        for form in _forms(message):
            if not re.fullmatch(known or "", form):
                raise TrajectoryError(f"item {place} has a call in the form {form!r}, which is not one of {format}")


def _forms(message: Any) -> Iterator[str]:
    yield from (key for key in _IN_MESSAGES if look(message, key))
    content = look(message, "content", "parts")
    blocks = content if isinstance(content, list | tuple) else look(content, "parts")
    for block in blocks if isinstance(blocks, list | tuple) else ():
        yield from (key for key in _IN_BLOCKS if look(block, key) is not None)
        kind = look(block, "type")
        if isinstance(kind, str) and _KIND.fullmatch(kind):
            yield kind
