"""Google: Gemini contents and ADK invocations in camelCase and in snake_case, sessions of ADK, evaluation rows of Vertex AI."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    CallOrResult,
    Result,
    build_call,
    format_failure,
    get,
    get_objects,
    has,
    omit_keys,
    parse_if_json,
    require_list,
    require_objects,
    require_one,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.unread import Format, require_one_answer

_INTERMEDIATE: Final = ("intermediate_data", "intermediateData")
_TOOL_USES: Final = ("tool_uses", "toolUses")
_EVENTS: Final = ("invocation_events", "invocationEvents")
_CALL: Final = ("function_call", "functionCall")
_RESPONSE: Final = ("function_response", "functionResponse")
_CONTAINERS: Final = "conversation invocations contents candidates events"
_MARKS: Final = (
    f"content parts text thought finish_reason finishReason user_content userContent {' '.join(_INTERMEDIATE)}"
    f" {' '.join((*_TOOL_USES, *_EVENTS, *_CALL, *_RESPONSE))}"
)
# The details of an app list the tools of its agents.
_IGNORED: Final = "app_details appDetails"
_WHOLE_KEYS: Final = " ".join((*_TOOL_USES, *_EVENTS))


def _is_item(item: Any) -> bool:
    if has(item, *_INTERMEDIATE, "user_content", "userContent", "parts") or has(get(item, "content"), "parts"):
        return True
    # An OpenAI message may have a function_call too, but always next to a role.
    return has(item, *_CALL, *_RESPONSE) and not has(item, "role", "messages")


@partial(Format, is_item=_is_item, marks=_MARKS, containers=_CONTAINERS, whole_keys=_WHOLE_KEYS, ignored=_IGNORED)
def gemini(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one content are one group, and so are those of one list of tool uses."""
    require_one_answer(get(value, "candidates"), "candidates")
    items = require_objects(unwrap_list(value, *_CONTAINERS.split()), "contents")
    are_parts = all(has(item, *_CALL, *_RESPONSE, "text", "thought") for item in items)
    contents = (content for item in items for content in _iter_contents(item))
    for place, (parts, author) in enumerate(contents):
        for part in parts:
            call = get(part, *_CALL)
            if get(call, "partial_args", "partialArgs"):
                name = shown(get(call, "name"), 80)
                raise TrajectoryError(f"the arguments of {name} came in pieces (partial_args); join them")
            if call is not None:
                group = 0 if are_parts else place
                yield build_call(get(call, "name"), get(call, "args"), get(call, "id"), group=group, agent=author)
            result = get(part, *_RESPONSE)
            if result is not None:
                response = get(result, "response")
                failure = format_failure(get(response, "error")) if has(response, "error") else None
                yield Result(get(result, "id"), response, failure, get(result, "name"))


def _iter_contents(item: Any) -> Iterator[tuple[Sequence[Any], str | None]]:
    """Yield the parts of each content of an item, and its author."""
    source = get(item, *_INTERMEDIATE, default=item)
    if isinstance(source, str | bool | int | float | list | tuple):
        raise TrajectoryError(f"intermediate_data must be an object, got {shown(source, 80)}")
    events = get(source, *_EVENTS)
    uses = get(source, *_TOOL_USES)
    if events and uses:
        raise TrajectoryError(
            "invocation_events and tool_uses are two ways to say the same, and here both have something"
        )
    if events:
        for event in require_objects(events, "invocation_events"):
            yield from _iter_contents(event)
    elif uses is not None:
        parts = [{"function_call": use} for use in require_objects(uses, "tool_uses")]
        responses = get_objects(source, "tool_responses", "toolResponses")
        yield parts + [{"function_response": response} for response in responses], None
    else:
        parts = get(get(item, "content", default=item), "parts")
        if parts is None and has(item, *_CALL, *_RESPONSE):
            parts = [item]
        author = get(item, "author")
        yield require_objects(parts, "parts"), author if isinstance(author, str) else None


# ADK: an EvalSet with one eval case, and the events of a session or a run. The other keys hold the state of a session, its
# changes, and the output of a workflow's node.
_CASES: Final = ("eval_cases", "evalCases")
_STATES: Final = "actions state session_input sessionInput final_session_state finalSessionState output"
_EVENT_KEYS: Final = ("invocation_id", "invocationId", "actions", "partial")


def _list_events(value: Any) -> Sequence[Any]:
    source = require_one(get(value, *_CASES), "eval_cases") if has(value, *_CASES) else value
    for container in ("conversation", "events"):
        events = get(source, container, default=MISSING)
        if events is not MISSING and not events:
            raise TrajectoryError(f"{container} is empty, so nothing was recorded")
        if events is not MISSING:
            return require_objects(events, container)
    return require_objects(unwrap_list(source), "events")


def _list_parts(value: Any) -> Iterator[Any]:
    yield _list_events(value)
    for source in (value, *(get(value, *_CASES) or ())):
        yield omit_keys(source, *_CASES, "conversation", "events", "content")


@partial(
    Format,
    is_item=lambda item: has(item, "author") and has(item, *_EVENT_KEYS),
    marks=f"{_MARKS} {' '.join(_EVENT_KEYS)}",
    containers="events",
    whole_keys=" ".join(_CASES),
    ignored=f"{_IGNORED} {_STATES}",
    list_parts=_list_parts,
)
def adk(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one event are one group, and so are those of one list of tool uses."""
    incomplete_tools: set[Any] = set()
    events = []
    for event in _list_events(value):
        calls = [get(part, *_CALL) for part in get_objects(get(event, "content"), "parts")]
        tools = {get(call, "name") for call in calls if has(call, "name")}
        if get(event, "partial") is True:
            incomplete_tools |= tools
            # The complete event repeats it, with other identifiers.
            yield from (CallLike(get(call, "name"), get(call, "id")) for call in calls if call is not None)
        else:
            incomplete_tools -= tools
            events.append(event)
    if incomplete_tools:
        names = ", ".join(sorted(map(str, incomplete_tools)))
        raise TrajectoryError(f"partial events call {names}, and no event after them is the whole call")
    yield from gemini.read(events)


# Rows of Vertex AI hold lists of tool_name and tool_input, and so do the first evaluation files of ADK.
_COLUMNS: Final = ("predicted_trajectory", "reference_trajectory", "expected_tool_use")


@partial(
    Format,
    is_item=lambda item: has(item, "tool_name", "toolName") and has(item, "tool_input", "toolInput"),
    marks="tool_name toolName",
    whole_keys=" ".join(_COLUMNS),
    ignored=" ".join(_COLUMNS[1:]),
)
def vertex(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; a row does not say which were made together."""
    column = get(value, *_COLUMNS)
    calls = unwrap_list(value) if column is None else require_list(parse_if_json(column), "a trajectory column")
    for call in calls:
        yield build_call(get(call, "tool_name", "toolName"), get(call, "tool_input", "toolInput", default=MISSING))
