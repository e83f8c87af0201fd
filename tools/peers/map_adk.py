"""What docs/reference/trajectory-names.md teaches for the trajectory evaluator of ADK."""

import math
from typing import Any

from tools.peers.case import REFUSED, Absent, Here

_EMPTY = "a comparison without turns is an error"


def evaluate(call: Any, theirs: Any) -> Any:
    conversations = call["eval_dataset"] or []
    turns = [turn for conversation in conversations for turn in conversation]
    expected = [[_plain(one) for one in turn["expected_tool_use"]] for turn in turns]
    observed = [[_plain(one) for one in turn["actual_tool_use"]] for turn in turns]
    if theirs is not REFUSED and math.isnan(theirs):
        theirs = REFUSED
    if not turns:
        yield theirs, Here("trajectory_exact", None, None, {"turns": "mean"}, reason=_EMPTY)
        return
    yield theirs, Here("trajectory_exact", expected, observed, {"turns": "mean"})


def are_equal(call: Any, theirs: Any) -> Any:
    first, second = call["list_a_original"], call["list_b_original"]
    yield theirs, Here("trajectory_exact", [_plain(one) for one in second], [_plain(one) for one in first])


def _plain(call: Any) -> Any:
    return {"name": call["tool_name"], "args": call.get("tool_input", {})}


def rouge(call: Any, theirs: Any) -> Any:
    yield theirs, Absent("ROUGE-1 of one text is token F1 with a stemmer of its own")


WATCHED = {
    "google.adk.evaluation.trajectory_evaluator:TrajectoryEvaluator.evaluate": evaluate,
    "google.adk.evaluation.trajectory_evaluator:TrajectoryEvaluator.are_tools_equal": are_equal,
}
