"""`AgentResult`: what an adapter returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import AdapterError


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    Args:
        name: The tool.
        arguments: Its arguments by name.
        result: What it returned.

    Example:
        >>> ToolCall("search", {"query": "capital of France"}, result=["Paris"]).arguments["query"]
        'capital of France'
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The result of one run of the tested system.

    Args:
        output: The answer: text, or a JSON value such as a dict.
        tool_calls: The calls of tools in order: `ToolCall`, dicts with ``name`` and ``arguments``, or names. An empty list means
            that none were made; None, that the adapter does not report calls.
        latency_ms: The duration of the run, in milliseconds.
        token_usage: Tokens by kind, such as ``{"prompt_tokens": 12, "completion_tokens": 3}``.
        raw_response: The answer of the model, verbatim.
        reasoning_trace: Steps of reasoning, if the agent reports them.

    Example:
        >>> AgentResult("Paris", tool_calls=[ToolCall("search", {"query": "capital of France"})]).tool_calls[0].name
        'search'
    """

    output: Any
    tool_calls: Sequence[Any] | None = None
    latency_ms: float | None = None
    token_usage: Any = None
    raw_response: Any = None
    reasoning_trace: Sequence[str] | None = None


RESULT_FIELDS: Final = tuple(entry.name for entry in fields(AgentResult))
CALL_FIELDS: Final = tuple(entry.name for entry in fields(ToolCall))
_OUTPUT_TYPES: Final = (str, dict, list, int, float)


def as_result(returned: Any) -> AgentResult:
    """Return the result that an adapter returned, or its text as a result."""
    if isinstance(returned, str):
        return AgentResult(returned)
    if not hasattr(returned, "output"):
        value = f"{type(returned).__name__}: {shown(returned, 80)}"
        raise AdapterError(f"the adapter must return an AgentResult or text, and returned {value}")
    return _build({name: getattr(returned, name) for name in RESULT_FIELDS if hasattr(returned, name)})


def result_from_json(value: Any, source: str) -> AgentResult:
    if isinstance(value, str):
        return AgentResult(value)
    if not isinstance(value, dict) or "output" not in value or not set(value) <= set(RESULT_FIELDS):
        form = f"text or an object with output and, if wanted, {', '.join(RESULT_FIELDS[1:])}"
        raise AdapterError(f"{source} must be {form}; got {shown(value, 80)}")
    return _build(value)


def _build(members: Mapping[str, Any]) -> AgentResult:
    output = members["output"]
    calls = members.get("tool_calls")
    if not isinstance(output, _OUTPUT_TYPES):
        value = f"{type(output).__name__}: {shown(output, 80)}"
        raise AdapterError(f"the output of an adapter is text or another JSON value, got {value}")
    if calls is not None and (isinstance(calls, str | Mapping) or not isinstance(calls, Sequence)):
        raise AdapterError(f"tool_calls is a list, got {type(calls).__name__}: {shown(calls, 80)}")
    return AgentResult(**{**members, "tool_calls": None if calls is None else tuple(calls)})


def called_tools(result: AgentResult) -> list[Any]:
    return [
        {name: getattr(call, name, None) for name in CALL_FIELDS} if hasattr(call, "arguments") else call
        for call in result.tool_calls or ()
    ]


def name_of_call(call: Any) -> Any:
    if isinstance(call, str):
        return call
    if isinstance(call, Mapping):
        return call.get("name")
    return getattr(call, "name", None)
