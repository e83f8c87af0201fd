"""Google Gemini contents and ADK invocations, in camelCase and in snake_case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import call, has, list_of, look, objects

_INTERMEDIATE: Final = ("intermediate_data", "intermediateData")
_TOOL_USES: Final = ("tool_uses", "toolUses")
_RESPONSES: Final = ("tool_responses", "toolResponses")
_EVENTS: Final = ("invocation_events", "invocationEvents")
_CALL: Final = ("function_call", "functionCall")
_RESPONSE: Final = ("function_response", "functionResponse")
_PARTIAL: Final = ("partial_args", "partialArgs")
_CONTAINERS: Final = ("conversation", "invocations", "contents", "candidates", "events")


_PART: Final = Shape(
    (
        *_CALL,
        *_RESPONSE,
        "text",
        "thought",
        "thought_signature",
        "thoughtSignature",
        "inline_data",
        "inlineData",
        "file_data",
        "fileData",
        "code_execution_result",
        "codeExecutionResult",
    ),
    read=frozenset((*_CALL, *_RESPONSE)),
    text=True,
)
_CONTENT: Final = Shape(("parts", "role"), {"parts": _PART}, text=True, one=True)
_EVENT: Final = Shape(
    ("content", "parts", "author", *_PART.marks),
    {"content": _CONTENT, "parts": _PART},
    # What an agent did to its session is called actions.
    frozenset({"actions", *_PART.read}),
)
_TRACE: Final = Shape(inside=dict.fromkeys(_EVENTS, _EVENT), read=frozenset((*_TOOL_USES, *_RESPONSES)), one=True)
_ITEM: Final = Shape(
    (
        *_INTERMEDIATE,
        "user_content",
        "userContent",
        *_EVENTS,
        *_TOOL_USES,
        "finish_reason",
        "finishReason",
        "content",
        "parts",
        *_PART.marks,
    ),
    {**_EVENT.inside, **_TRACE.inside, **dict.fromkeys(_INTERMEDIATE, _TRACE)},
    # Which tools the agents had.
    _EVENT.read | _TRACE.read | {"app_details", "appDetails"},
)

ROOT: Final = Root(_ITEM, dict.fromkeys(_CONTAINERS, _ITEM))


def recognises(value: Any) -> bool:
    """Say whether a value holds invocations, intermediate data, events, contents or parts."""
    if has(value, *_TOOL_USES) or has(value, *_EVENTS):
        return True
    return any(_is_ours(item) for item in list_of(value, *_CONTAINERS))


def _is_ours(item: Any) -> bool:
    if has(item, *_INTERMEDIATE) or has(item, "user_content", "userContent") or has(item, "parts"):
        return True
    # An OpenAI message may have a function_call too, but always next to a role.
    return has(look(item, "content"), "parts") or (has(item, *_CALL, *_RESPONSE) and not has(item, "role"))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one content are one group, and so are those of one list of tool uses."""
    group = 0
    bare = has(value, *_TOOL_USES) or has(value, *_EVENTS)
    listed = (value,) if bare else objects(list_of(value, *_CONTAINERS), "contents")
    loose = not bare and all(has(item, *_CALL, *_RESPONSE, "text", "thought") for item in listed)
    for item in listed:
        for parts, author in _contents(item):
            for part in parts:
                yield from _in_part(part, 0 if loose else group, author)
            group += 1


def _contents(item: Any) -> list[tuple[list[Any], str | None]]:
    intermediate = look(item, *_INTERMEDIATE)
    if isinstance(intermediate, str | bool | int | float | list | tuple):
        raise TrajectoryError(f"intermediate_data must be an object, got {shown(intermediate, 80)}")
    source = item if intermediate is None else intermediate
    events = look(source, *_EVENTS)
    if events and look(source, *_TOOL_USES):
        raise TrajectoryError(
            "invocation_events and tool_uses are two ways to say the same, and here both have something"
        )
    if events:
        return [content for event in objects(events, "invocation_events") for content in _contents(event)]
    if has(source, *_TOOL_USES):
        uses = [{"function_call": use} for use in objects(look(source, *_TOOL_USES), "tool_uses")]
        responses = [{"function_response": given} for given in objects(look(source, *_RESPONSES), "tool_responses")]
        return [([*uses, *responses], None)]
    author = look(item, "author")
    content = look(item, "content")
    parts = look(item if content is None else content, "parts")
    if parts is None:
        parts = [item] if has(item, *_CALL, *_RESPONSE) else None
    return [(list(objects(parts, "parts")), author if isinstance(author, str) else None)]


def _in_part(part: Any, group: int, author: str | None) -> Iterator[Found]:
    made = look(part, *_CALL)
    if made is not None:
        if look(made, *_PARTIAL):
            raise TrajectoryError(
                f"the arguments of {shown(look(made, 'name'), 80)} came in pieces (partial_args); join them"
            )
        yield call(look(made, "name"), look(made, "args"), id=look(made, "id"), group=group, agent=author)
    given = look(part, *_RESPONSE)
    if given is not None:
        response = look(given, "response")
        error = look(response, "error")
        yield Result(look(given, "id"), response, error is not None, error, look(given, "name"))
