"""Vercel AI SDK: UI messages with parts ``tool-NAME`` and ``dynamic-tool``, model messages, and the steps of ``generateText``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, as_text, call
from pytest_verdict.trajectories.readers.shape import MISSING, blocks_of, has, list_of, look, objects

_RESULTS: Final = {"tool-result", "tool-error"}
_KINDS: Final = {"tool-call", "tool-approval-request", *_RESULTS}
_FAILURES: Final = {"error-text", "error-json", "execution-denied"}

_READ: Final = "toolName input rawInput args output result error errorText approval toolCall"
_PART: Final = Shape(
    "type",
    read=_READ,
    types="|".join(sorted(_KINDS)) + "|tool-approval-response|text|reasoning|reasoning-file|file|image|source",
    text=True,
)
_UI_PART: Final = Shape(
    "type",
    read=_READ,
    types="tool-.+|dynamic-tool|text|reasoning|reasoning-file|source-(url|document)|file|step-start|data-.+",
)
# What was sent to the provider and what it answered repeat the calls.
_ITEM: Final = Shape(
    "parts content toolCalls type",
    {"parts": _UI_PART, "content": _PART, "toolCalls": _PART, "toolResults": _PART},
    f"{_READ} request response",
    _PART.types,
)


def _is_ours(item: Any) -> bool:
    content, made = look(item, "content"), look(item, "toolCalls")
    listed = isinstance(content, list | tuple)
    return (
        any(isinstance(look(part, "type"), str) for part in list_of(look(item, "parts")))
        or any(look(part, "type") in _KINDS and not has(part, "name") for part in (item, *(content if listed else ())))
        or (listed and has(item, "finishReason"))
        or (isinstance(made, list | tuple) and all(has(one, "toolName") for one in made))
    )


@partial(
    Format,
    is_ours=_is_ours,
    item=_ITEM,
    containers="steps messages",
    beside="content toolCalls toolResults request response _output",
)
def vercel(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one step are one group."""
    found = list(_in_items(objects(list_of(value, "steps", "messages"), "messages")))
    yield from found
    if has(value, "steps", "messages"):
        # A result has the calls of its last step once more.
        known = frozenset((one.id, one.name) for one in found if isinstance(one, Event))
        yield from _in_content(value, len(found), known)


def _in_items(items: Sequence[Any]) -> Iterator[Found]:
    loose = all(has(item, "type") for item in items)
    group = 0
    for item in [{"content": items}] if loose else items:
        for part in objects(look(item, "parts"), "parts"):
            group += look(part, "type") == "step-start"
            yield from _in_ui_part(part, group)
        yield from _in_content(item, group, frozenset())
        group += 1


def _in_content(item: Any, group: int, known: frozenset[tuple[Any, Any]]) -> Iterator[Found]:
    parts = [item] if has(item, "type") else objects(blocks_of(item), "content")
    made: list[Any] = []
    # Calls are listed, and wait for approval, beside the parts that they are.
    for source in (
        [part for part in parts if look(part, "type") == "tool-call"],
        objects(look(item, "toolCalls"), "toolCalls"),
        [look(part, "toolCall") for part in parts if has(part, "toolCall")],
    ):
        before = known.union(map(_identity, made))
        made += [one for one in source if _identity(one) not in before]
    for one in made:
        yield _made(one, look(one, "toolName"), group)
    for part in (*parts, *objects(look(item, "toolResults"), "toolResults")):
        if look(part, "type") in _RESULTS:
            output = look(part, "output", "result")
            failed = look(part, "type") == "tool-error" or look(output, "type") in _FAILURES
            reason = look(part, "error") or look(output, "value", "reason")
            yield Result(look(part, "toolCallId"), output, failed or look(part, "isError") is True, reason)


def _identity(made: Any) -> tuple[Any, Any]:
    return look(made, "toolCallId"), look(made, "toolName")


def _in_ui_part(part: Any, group: int) -> Iterator[Found]:
    kind, state = str(look(part, "type")), look(part, "state")
    if kind != "dynamic-tool" and not kind.startswith("tool-"):
        return
    made = _made(part, look(part, "toolName", default=kind.removeprefix("tool-")), group)
    if state == "input-streaming":
        # The stream ended within the arguments.
        made = Event(made.name, id=made.id, group=group, args_note=ARGS_MALFORMED, args_text=as_text(made.args))
    yield made
    if state in {"output-available", "output-error", "output-denied"}:
        reason = look(part, "errorText") or look(look(part, "approval"), "reason")
        yield Result(made.id, look(part, "output"), state != "output-available", reason)


def _made(part: Any, name: Any, group: int) -> Event:
    arguments = look(part, "input", "args", "rawInput", default=MISSING)
    return call(name, arguments, id=look(part, "toolCallId"), group=group)
