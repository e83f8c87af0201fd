"""Google: Gemini contents and ADK invocations in camelCase and in snake_case, sessions of ADK, evaluation rows of Vertex AI."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call
from pytest_verdict.trajectories.readers.shape import MISSING, has, items, list_of, look, objects, only_one, parsed

_INTERMEDIATE: Final = ("intermediate_data", "intermediateData")
_TOOL_USES: Final = ("tool_uses", "toolUses")
_RESPONSES: Final = ("tool_responses", "toolResponses")
_EVENTS: Final = ("invocation_events", "invocationEvents")
_CALL: Final = ("function_call", "functionCall")
_RESPONSE: Final = ("function_response", "functionResponse")
_CONTAINERS: Final = "conversation invocations contents candidates events"

_MADE: Final = " ".join((*_CALL, *_RESPONSE))
_USED: Final = " ".join((*_TOOL_USES, *_RESPONSES))
_PART: Final = Shape(
    f"{_MADE} text thought thought_signature thoughtSignature inline_data inlineData file_data fileData"
    " code_execution_result codeExecutionResult",
    read=_MADE,
    text=True,
)
_CONTENTS: Final = {"content": Shape("parts role", {"parts": _PART}, text=True, one=True), "parts": _PART}
# What an agent did to its session is called actions.
_EVENT: Final = Shape(f"content parts author {_PART.marks}", _CONTENTS, f"actions {_MADE}")
_TRACE: Final = Shape(inside=dict.fromkeys(_EVENTS, _EVENT), read=_USED, one=True)
_ITEM: Final = Shape(
    f"intermediate_data intermediateData user_content userContent invocation_events invocationEvents tool_uses toolUses"
    f" finish_reason finishReason content parts {_PART.marks}",
    {**_CONTENTS, **_TRACE.inside, **dict.fromkeys(_INTERMEDIATE, _TRACE)},
    # Which tools the agents had.
    f"{_EVENT.read} {_USED} app_details appDetails",
)


def _is_bare(value: Any) -> bool:
    return has(value, *_TOOL_USES) or has(value, *_EVENTS)


def _is_ours(item: Any) -> bool:
    if has(item, *_INTERMEDIATE) or has(item, "user_content", "userContent") or has(item, "parts"):
        return True
    # An OpenAI message may have a function_call too, but always next to a role.
    return has(look(item, "content"), "parts") or (has(item, *_CALL, *_RESPONSE) and not has(item, "role"))


@partial(Format, is_ours=_is_ours, item=_ITEM, containers=_CONTAINERS, whole=_is_bare)
def gemini(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one content are one group, and so are those of one list of tool uses."""
    group = 0
    bare = _is_bare(value)
    listed = (value,) if bare else objects(list_of(value, *_CONTAINERS.split()), "contents")
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
    made, given = look(part, *_CALL), look(part, *_RESPONSE)
    if made is not None:
        if look(made, "partial_args", "partialArgs"):
            raise TrajectoryError(
                f"the arguments of {shown(look(made, 'name'), 80)} came in pieces (partial_args); join them"
            )
        yield call(look(made, "name"), look(made, "args"), id=look(made, "id"), group=group, agent=author)
    if given is not None:
        response = look(given, "response")
        error = look(response, "error")
        yield Result(look(given, "id"), response, error is not None, error, look(given, "name"))


# An EvalSet of ADK with one eval case, and the events of a session or of a run. Their own are the states of a session, and what
# a node of a workflow returned.
_CASES: Final = ("eval_cases", "evalCases")
_STATES: Final = "state session_input sessionInput final_session_state finalSessionState output"
_OF_EVENTS: Final = ("invocation_id", "invocationId", "actions", "partial")
_RECORDED: Final = replace(_ITEM, marks=f"{_ITEM.marks} {' '.join(_OF_EVENTS)}", read=f"{_ITEM.read} {_STATES}")
_CASE: Final = Shape("conversation", {"conversation": _RECORDED}, _STATES)


@partial(
    Format,
    is_ours=lambda item: has(item, "author") and has(item, *_OF_EVENTS),
    item=_RECORDED,
    containers="events",
    keys=" ".join(_CASES),
    others={**dict.fromkeys(_CASES, _CASE), "conversation": _RECORDED},
    beside=_STATES,
)
def adk(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one event are one group, and so are those of one list of tool uses."""
    return iter(gemini.read(list(_finished(_recorded(value)))))


def _recorded(value: Any) -> Sequence[Any]:
    case = only_one(look(value, *_CASES), "eval_cases") if has(value, *_CASES) else value
    for container in ("conversation", "events"):
        found = look(case, container, default=MISSING)
        if found is not MISSING:
            if not found:
                raise TrajectoryError(f"{container} is empty, so nothing was recorded")
            return objects(found, container)
    return objects(list_of(case), "events")


def _finished(events: Sequence[Any]) -> Iterator[Any]:
    # A partial event comes once more when it is whole, with other identifiers.
    waiting: set[Any] = set()
    for event in events:
        parts = objects(look(look(event, "content"), "parts"), "parts")
        made = (look(part, *_CALL) for part in parts)
        tools = {look(one, "name") for one in made if has(one, "name")}
        if look(event, "partial") is True:
            waiting |= tools
        else:
            waiting -= tools
            yield event
    if waiting:
        names = ", ".join(sorted(map(str, waiting)))
        raise TrajectoryError(f"partial events call {names}, and no event after them is the whole call")


# Rows of Vertex AI hold lists of tool_name and tool_input, and so do the first evaluation files of ADK.
_COLUMNS: Final = ("predicted_trajectory", "reference_trajectory", "expected_tool_use")
_NAMES: Final = ("tool_name", "toolName")
_INPUTS: Final = ("tool_input", "toolInput")


@partial(
    Format,
    is_ours=lambda made: has(made, *_NAMES) and has(made, *_INPUTS),
    item=Shape("tool_name toolName", read="tool_name toolName tool_input toolInput"),
    keys=" ".join(_COLUMNS),
    others=dict.fromkeys(_COLUMNS, Shape(text=True, one=True)),
    beside=" ".join(_COLUMNS),
)
def vertex(value: Any) -> Iterator[Event]:
    """Read the calls; a row does not say which were made together."""
    column = look(value, *_COLUMNS)
    listed = list_of(value) if column is None else items(parsed(column), "a trajectory column")
    for made in listed:
        yield call(look(made, *_NAMES), look(made, *_INPUTS, default=MISSING))
