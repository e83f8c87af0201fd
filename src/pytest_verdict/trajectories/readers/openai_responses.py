"""OpenAI Responses: output items of the types ``function_call`` and its kin, results in ``function_call_output``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import MISSING, call, call_in, failure, free_text, list_of, look, objects

_CALLS: Final = {"function_call", "custom_tool_call", "mcp_call"}
_RESULTS: Final = {"function_call_output", "custom_tool_call_output"}
# Tools that OpenAI runs itself have an item type instead of a name, and no object of arguments.
_HOSTED: Final = {
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "image_generation_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "tool_search_call",
}
_BLOCK: Final = Shape(
    ("type",),
    types="(input_|output_|summary_|reasoning_)?(text|image|audio|file)|refusal|computer_screenshot",
    text=True,
)
_ITEM: Final = Shape(
    ("type", "role"),
    {"content": _BLOCK},
    frozenset({"name", "arguments", "input", "output", "outputs", "results", "action", "actions", "operation"}),
    "|".join(sorted(_CALLS | _HOSTED))
    + "|.+_call_output|tool_search_output|message|reasoning|item_reference|compaction"
    "|mcp_list_tools|mcp_approval_response",
)

ROOT: Final = Root(_ITEM, {"output": _ITEM, "items": _ITEM}, frozenset({"input"}))


def recognises(value: Any) -> bool:
    """Say whether a value holds Responses items, or is a response with ``output``."""
    known = _CALLS | _RESULTS | _HOSTED | {"reasoning"}
    # A type that is not text, as in a foreign message, cannot be hashed.
    return look(value, "object") == "response" or any(
        isinstance(kind := look(item, "type"), str) and kind in known for item in list_of(value, "output", "items")
    )


def read(value: Any) -> Iterator[Found]:
    """Read the calls; calls with nothing but other calls and reasoning between them are one group."""
    group = 0
    is_response = look(value, "object") == "response"
    for item in objects(look(value, "output") if is_response else list_of(value, "output", "items"), "output"):
        kind = look(item, "type")
        if kind in _CALLS or kind in _HOSTED:
            yield _requested(item, kind, group)
            continue
        if kind in _RESULTS:
            yield Result(look(item, "call_id"), look(item, "output"))
        group += kind != "reasoning"


def _requested(item: Any, kind: str, group: int) -> Event:
    identifier = look(item, "call_id", "id")
    if kind in _HOSTED:
        return call(kind.removesuffix("_call"), MISSING, id=identifier, group=group)
    if kind == "custom_tool_call":
        return call(look(item, "name"), free_text(item), id=identifier, group=group)
    error = look(item, "error")
    more = {"result": look(item, "output"), "error": None if error is None else failure(error)}
    return call_in(item, "arguments", id=identifier, group=group, **more)
