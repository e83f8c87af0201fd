"""What docs/how-to/coming-from.md teaches for the evaluators of pydantic-evals that are no judges."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic_evals.evaluators import agentic
from pydantic_evals.otel import SpanTreeRecordingError

from tools.peers.case import REFUSED, Absent, Here

_DEPTH = "`contains` holds at any depth here, there for the keys of the first level"
_ONE_NUMBER = "True is not 1, and a list is no tuple here"
_EMPTY = "an expected side without calls that any calls would satisfy is an error"
_UNCOUNTED = "a number that is not known is an error, not zero"


def _value(theirs: Any) -> Any:
    if theirs is REFUSED:
        return REFUSED
    return getattr(theirs, "value", theirs)


def equals(call: Any, theirs: Any) -> Any:
    yield _value(theirs), Here("exact", call["self"].value, call["ctx"].output)


def equals_expected(call: Any, theirs: Any) -> Any:
    if theirs == {}:
        yield REFUSED, Absent("a case without an expected output is skipped there; a row without it is an error here")
        return
    yield _value(theirs), Here("exact", call["ctx"].expected_output, call["ctx"].output)


def contains(call: Any, theirs: Any) -> Any:
    scorer, output = call["self"], call["ctx"].output
    if scorer.as_strings:
        yield _value(theirs), Absent("a value is not turned into text: its text is an accident of the class")
    elif isinstance(output, str):
        settings = {"case_sensitive": scorer.case_sensitive}
        yield _value(theirs), Here("contains_all", [scorer.value], output, settings)
    elif isinstance(scorer.value, Mapping) and isinstance(output, Mapping):
        yield _value(theirs), Here("mapping_match", scorer.value, output, {"mode": "subset"})
    elif isinstance(scorer.value, Mapping):
        yield _value(theirs), Here("json_subset", scorer.value, output)
    elif isinstance(output, Mapping):
        yield _value(theirs), Here("json_schema", {"required": [scorer.value]}, output)
    else:
        yield _value(theirs), Here("set_containment", [scorer.value], output, {"mode": "superset"})


_JSON_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}


def is_instance(call: Any, theirs: Any) -> Any:
    name = call["self"].type_name
    if name not in _JSON_TYPES:
        yield _value(theirs), Absent("a class is no value that a record could hold; `is_type` has the types of JSON")
        return
    yield _value(theirs), Here("is_type", _JSON_TYPES[name], call["ctx"].output)


def max_duration(call: Any, theirs: Any) -> Any:
    limit = call["self"].seconds
    seconds = limit.total_seconds() if isinstance(limit, timedelta) else limit
    yield _value(theirs), Here("run_limits", {"seconds": seconds}, {"seconds": call["ctx"].duration})


def _calls(call: Any, *, include_failed: bool) -> Any:
    """Return the calls of a run as pairs of a name and the arguments; the adapter reads them from the spans."""
    try:
        tree = call["ctx"].span_tree
    except SpanTreeRecordingError:
        return None
    found = agentic._extract_tool_calls(tree, include_failed=include_failed)
    return [item.name if item.arguments is None else {"name": item.name, "arguments": item.arguments} for item in found]


def tool_correctness(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    observed = _calls(call, include_failed=scorer.include_failed)
    settings = {"extras": "allow" if scorer.allow_extra else "forbid", "args": "ignore"}
    reason = None if scorer.expected_tools else _EMPTY
    yield _value(theirs), Here("trajectory_any_order", scorer.expected_tools, observed, settings, reason=reason)


def trajectory_match(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    observed = _calls(call, include_failed=scorer.include_failed)
    if scorer.order == "exact":
        yield _value(theirs), Here("trajectory_exact", scorer.expected_trajectory, observed, {"args": "ignore"})
        return
    settings = {"matching": scorer.order, "args": "ignore"}
    yield _value(theirs), Here("trajectory_f1", scorer.expected_trajectory, observed, settings)


def argument_correctness(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    observed = _calls(call, include_failed=scorer.include_failed)
    occurrence = scorer.occurrence
    settings = {
        "args": "equal" if scorer.match_mode == "exact" else "contains",
        "occurrences": {scorer.tool_name: occurrence + 1 if isinstance(occurrence, int) else occurrence},
    }
    nested = any(isinstance(value, dict) for value in scorer.expected_arguments.values())
    reason = _DEPTH if nested and scorer.match_mode == "subset" else None
    can_be = occurrence >= 0 if isinstance(occurrence, int) else occurrence in ("first", "last")
    if not can_be:
        reason = "an occurrence that cannot be is refused when the operator is built"
    expected = [(scorer.tool_name, scorer.expected_arguments)]
    yield _value(theirs), Here("trajectory_exact", expected, observed, settings, reason=reason)


def max_tool_calls(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    observed = _calls(call, include_failed=scorer.include_failed)
    yield _value(theirs), Here("trajectory_max_calls", scorer.max_calls, observed)


def max_model_requests(call: Any, theirs: Any) -> Any:
    context = call["ctx"]
    try:
        tree = context.span_tree
    except SpanTreeRecordingError:
        yield _value(theirs), Here("run_limits", {"model_requests": call["self"].max_requests}, {}, reason=_UNCOUNTED)
        return
    requests = context.metrics.get("requests")
    if not isinstance(requests, int | float):
        requests = agentic._count_model_requests(tree)
    observed = {"model_requests": requests}
    yield _value(theirs), Here("run_limits", {"model_requests": call["self"].max_requests}, observed)


_COMMON = "pydantic_evals.evaluators.common"
_AGENTIC = "pydantic_evals.evaluators.agentic"
WATCHED = {
    f"{_COMMON}:Equals.evaluate": equals,
    f"{_COMMON}:EqualsExpected.evaluate": equals_expected,
    f"{_COMMON}:Contains.evaluate": contains,
    f"{_COMMON}:IsInstance.evaluate": is_instance,
    f"{_COMMON}:MaxDuration.evaluate": max_duration,
    f"{_AGENTIC}:ToolCorrectness.evaluate": tool_correctness,
    f"{_AGENTIC}:TrajectoryMatch.evaluate": trajectory_match,
    f"{_AGENTIC}:ArgumentCorrectness.evaluate": argument_correctness,
    f"{_AGENTIC}:MaxToolCalls.evaluate": max_tool_calls,
    f"{_AGENTIC}:MaxModelRequests.evaluate": max_model_requests,
}
