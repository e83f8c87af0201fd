"""What docs/reference/trajectory-names.md teaches for the metrics of tool calls in ragas."""

from typing import Any

from tools.peers.case import REFUSED, Here

_PENALTY = "fewer calls than expected are penalized twice there"
_REPEATS = "repeated calls count here; there, both sides are sets"


def _value(theirs: Any) -> Any:
    return REFUSED if theirs is REFUSED else float(getattr(theirs, "value", theirs))


def _calls(messages: Any) -> list[Any]:
    made = [one for message in messages for one in (getattr(message, "tool_calls", None) or ())]
    return _plain(made)


def _plain(calls: Any) -> list[Any]:
    return [{"name": one.name, "args": dict(one.args)} for one in calls]


def accuracy(call: Any, theirs: Any) -> Any:
    sample = call.get("sample")
    messages = sample.user_input if sample else call["user_input"]
    references = sample.reference_tool_calls if sample else call["reference_tool_calls"]
    if not isinstance(messages, list) or not isinstance(references, list):
        yield _value(theirs), Here("trajectory_recall", references, messages)
        return
    expected, observed = _plain(references), _calls(messages)
    matching = "same_order" if call["self"].strict_order else "same_tools"
    settings = {"matching": matching, "credit": "partial", "args": "contains"}
    reason = _PENALTY if len(expected) != len(observed) else None
    yield _value(theirs), Here("trajectory_recall", expected, observed, settings, reason=reason)


def f1(call: Any, theirs: Any) -> Any:
    sample = call.get("sample")
    messages = sample.user_input if sample else call["user_input"]
    references = sample.reference_tool_calls if sample else call["reference_tool_calls"]
    if not isinstance(messages, list) or not isinstance(references, list):
        yield _value(theirs), Here("trajectory_f1", references, messages)
        return
    expected, observed = _plain(references), _calls(messages)
    texts = [[str(sorted(one["args"].items())) + one["name"] for one in side] for side in (expected, observed)]
    reason = _REPEATS if any(len(set(side)) < len(side) for side in texts) else None
    if not expected and not observed:
        reason = "two sides without calls are equal here"
    # The score there has four decimal places.
    yield (
        _value(theirs),
        Here("trajectory_f1", expected, observed, reason=reason, scale=lambda result: round(result.score, 4)),
    )


WATCHED = {
    "ragas.metrics.collections:ToolCallAccuracy.ascore": accuracy,
    "ragas.metrics.collections:ToolCallF1.ascore": f1,
    "ragas.metrics:ToolCallAccuracy._multi_turn_ascore": accuracy,
    "ragas.metrics:ToolCallF1._multi_turn_ascore": f1,
}
