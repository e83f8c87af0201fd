"""ADK: an EvalSet with one eval case, and the events of a session or of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import gemini
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found
from pytest_verdict.trajectories.readers.shape import MISSING, has, list_of, look, objects, only_one

_CASES: Final = ("eval_cases", "evalCases")
_CONTAINERS: Final = ("conversation", "events")
# The states of a session, and what a node of a workflow returned.
_STATES: Final = frozenset(
    {"state", "session_input", "sessionInput", "final_session_state", "finalSessionState", "output"}
)
_OF_EVENTS: Final = ("invocation_id", "invocationId", "actions", "partial")
_GEMINI: Final = gemini.ROOT.item
_ITEM: Final = Shape((*_GEMINI.marks, *_OF_EVENTS), _GEMINI.inside, _GEMINI.read | _STATES)
_CASE: Final = Shape(("conversation",), {"conversation": _ITEM}, _STATES)

ROOT: Final = Root(_ITEM, {**dict.fromkeys(_CASES, _CASE), **dict.fromkeys(_CONTAINERS, _ITEM)}, _STATES)


def recognises(value: Any) -> bool:
    """Say whether a value is an EvalSet, or holds events that say who wrote them in which invocation."""
    if has(value, *_CASES):
        return True
    return any(has(item, "author") and has(item, *_OF_EVENTS) for item in list_of(value, "events"))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one event are one group, and so are those of one list of tool uses."""
    yield from gemini.read(list(_finished(_recorded(value))))


def _recorded(value: Any) -> Sequence[Any]:
    case = only_one(look(value, *_CASES), "eval_cases") if has(value, *_CASES) else value
    for container in _CONTAINERS:
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
        if look(event, "partial") is True:
            waiting |= _tools(event)
        else:
            waiting -= _tools(event)
            yield event
    if waiting:
        names = ", ".join(sorted(map(str, waiting)))
        raise TrajectoryError(f"partial events call {names}, and no event after them is the whole call")


def _tools(event: Any) -> set[Any]:
    parts = objects(look(look(event, "content"), "parts"), "parts")
    made = [look(part, "function_call", "functionCall") for part in parts]
    return {look(one, "name") for one in made if has(one, "name")}
