"""Claude Code: the lines of ``--output-format stream-json`` and of its session files, each with an Anthropic message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import anthropic
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found
from pytest_verdict.trajectories.readers.shape import has, list_of, look, messages_of

_SPEAKERS: Final = {"assistant", "user"}
_MESSAGE: Final = Shape(
    ("role", "content"), anthropic.ROOT.item.inside, anthropic.ROOT.item.read, anthropic.ROOT.item.types, one=True
)
_LINE: Final = Shape(
    ("message", "subtype", "summary", "snapshot"),
    {"message": _MESSAGE},
    # What a tool returned and which calls were not allowed, once more.
    frozenset({"tool_use_result", "toolUseResult", "permission_denials"}),
    types="assistant|user|system|result|summary|file-history-snapshot",
)

ROOT: Final = Root(_LINE)


def recognises(value: Any) -> bool:
    """Say whether a line of the value says who speaks, beside the message."""
    return any(look(line, "type") in _SPEAKERS and has(line, "message") for line in list_of(value))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; those of one message are one group, also where each has a line of its own."""
    groups: dict[Any, int] = {}
    for place, line in enumerate(messages_of(value)):
        message = look(line, "message")
        if message is None:
            continue
        group = groups.setdefault(look(message, "id") or ("line", place), len(groups))
        for found in anthropic.read([message]):
            yield replace(found, group=group) if isinstance(found, Event) else found
