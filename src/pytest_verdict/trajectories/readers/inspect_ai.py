"""Inspect AI: a log with one sample, a sample, or messages. The calls of scorers are not the agent's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call
from pytest_verdict.trajectories.readers.shape import MISSING, has, items, list_of, look, objects, only_one

_BLOCK: Final = Shape(
    "type text",
    read="name arguments result internal",
    types="tool_use|text|reasoning|image|audio|video|data|document",
    text=True,
)
_MESSAGE: Final = Shape("role", {"content": _BLOCK}, "tool_calls function")
_CHOICE: Final = Shape("message", {"message": replace(_MESSAGE, one=True)})
_EVENT: Final = Shape(
    "event",
    {"output": Shape(inside={"choices": _CHOICE}, text=True, one=True)},
    # What went to the model, to an approver and to a sandbox, and what changed in the state.
    "function arguments result events input call view modified sample state changes score action options",
    "model|tool|span_begin|span_end|step|sample_init|sample_limit|state|store|score|score_edit|sandbox|approval|review|sentinel"
    "|subtask|info|input|logger|error|compaction|interrupt|checkpoint|branch|anchor",
    "event",
)
_SAMPLE: Final = Shape(
    "messages events",
    {"messages": _MESSAGE, "events": _EVENT},
    "input output scores metadata store timelines error_retries events_data",
)
_BARE: Final = Shape(f"{_SAMPLE.marks} role", {**_SAMPLE.inside, **_MESSAGE.inside}, f"{_SAMPLE.read} {_MESSAGE.read}")


def _recognises(value: Any) -> bool:
    if has(value, "eval") and has(value, "plan", "samples"):
        return True
    is_sample = any(has(item, "epoch") and has(item, "messages", "events") for item in list_of(value))
    return is_sample or any(map(_is_answer, list_of(value, "messages")))


def _is_answer(item: Any) -> bool:
    made = look(item, "tool_calls")
    return isinstance(made, list | tuple) and any(isinstance(look(one, "function"), str) for one in made)


@partial(Format, item=_BARE, whole=_recognises, others={"samples": _SAMPLE}, beside="eval plan results metadata")
def inspect_ai(value: Any) -> Iterator[Found]:
    """Read the calls; those of one answer of a model are one group."""
    sample = _sample(value)
    texts = look(sample, "attachments") or {}
    known: Counter[tuple[Any, Any]] = Counter()
    by_source: Counter[tuple[str, Any, Any]] = Counter()
    for place, (source, message, agent) in enumerate(_told(sample)):
        for found in _said(message, place, agent):
            if isinstance(found, Result):
                yield found
                continue
            by_source[source, found.id, found.name] += 1
            # The model, the tool and the messages tell of the same call.
            if by_source[source, found.id, found.name] > known[found.id, found.name]:
                known[found.id, found.name] += 1
                yield replace(found, args=_with_texts(found.args, texts))


def _sample(value: Any) -> Any:
    if has(value, "eval"):
        return only_one(look(value, "samples"), "samples")
    listed = isinstance(value, list | tuple) and not all(has(item, "role") for item in value)
    return only_one(value, "samples") if listed else value


def _told(sample: Any) -> Iterator[tuple[str, Any, Any]]:
    events = look(sample, "events")
    messages = objects(sample if isinstance(sample, list | tuple) else look(sample, "messages"), "messages")
    if not messages and not events:
        raise TrajectoryError("the sample has no messages and no events, so nothing was recorded")
    for event, agent in _of_agents(events, {}):
        kind = look(event, "event")
        if kind == "model":
            for choice in items(look(look(event, "output"), "choices"), "choices")[:1]:
                yield kind, look(choice, "message"), agent
        elif kind == "tool":
            given = {"tool_call_id": look(event, "id"), "content": look(event, "result"), "error": look(event, "error")}
            yield kind, {"role": "tool", "tool_calls": [event], **given}, agent
    # The conversation may begin with what the author of the sample wrote.
    yield from (("message", message, None) for message in messages if look(message, "source") != "input")


def _of_agents(events: Any, spans: dict[Any, tuple[Any, bool]]) -> Iterator[tuple[Any, Any]]:
    """Give each event that is not a scorer's, with the agent in whose span it is."""
    for event in objects(events, "events"):
        if look(event, "event") == "span_begin":
            agent, scored = spans.get(look(event, "parent_id"), (None, False))
            kind = look(event, "type")
            scored = scored or kind in {"scorer", "scorers"}
            spans[look(event, "id")] = (look(event, "name") if kind == "agent" else agent, scored)
        agent, scored = spans.get(look(event, "span_id"), (None, False))
        if not scored:
            yield event, agent
            # Logs of early versions have the events of an agent inside those of its tool.
            yield from _of_agents(look(event, "events"), spans)


def _said(message: Any, group: int, agent: Any) -> Iterator[Found]:
    content = look(message, "content")
    for block in content if isinstance(content, list | tuple) else ():
        # What the provider ran itself.
        if look(block, "type") == "tool_use":
            identifier, error = look(block, "id"), look(block, "error")
            yield call(look(block, "name"), look(block, "arguments"), id=identifier, group=group, agent=agent)
            yield Result(identifier, look(block, "result"), error is not None, error)
    for made in items(look(message, "tool_calls"), "tool_calls"):
        # Arguments that were not JSON come with the reason beside an empty object.
        arguments = look(made, "parse_error") or look(made, "arguments", default=MISSING)
        yield call(look(made, "function"), arguments, id=look(made, "id"), group=group, agent=agent)
    if look(message, "role") == "tool":
        error = look(message, "error")
        yield Result(look(message, "tool_call_id"), content, error is not None, look(error, "message"))


def _with_texts(value: Any, texts: Mapping[str, Any]) -> Any:
    """Put long texts, which a log keeps apart, where they belong."""
    if isinstance(value, Mapping):
        return {key: _with_texts(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_texts(item, texts) for item in value]
    if not isinstance(value, str) or not value.startswith("attachment://"):
        return value
    name = value.removeprefix("attachment://")
    if name not in texts:
        raise TrajectoryError(f"the attachment {name} is not in the sample")
    return texts[name]
