"""What docs/reference/trajectory-names.md teaches for agentevals."""

from typing import Any

from agentevals.trajectory.utils import _normalize_to_openai_messages_list

from tools.peers.case import REFUSED, Absent, Here

_RULES = {"exact": "equal", "superset": "contains", "subset": "within", "ignore": "ignore"}
_OPERATORS = {
    "unordered": ("trajectory_any_order", {"extras": "forbid"}),
    "superset": ("trajectory_any_order", {}),
    "subset": ("trajectory_only_from", {}),
    "strict": ("trajectory_steps", {"extras": "forbid"}),
}


def _score(theirs: Any) -> Any:
    return REFUSED if theirs is REFUSED else bool(theirs["score"])


def evaluate(call: Any, theirs: Any) -> Any:
    mode = call["run_name"].removeprefix("trajectory_").removesuffix("_match")
    values = call["kwargs"]
    if mode not in _OPERATORS:
        if not call["run_name"].startswith("graph_trajectory_strict"):
            return
        outputs, references = values["outputs"], values["reference_outputs"]
        yield _score(theirs), Here("exact", references["steps"], outputs["steps"])
        return
    default = values.get("tool_args_match_mode") or "exact"
    rules: dict[str, Any] = {"*": _RULES[default]}
    for tool, override in (values.get("tool_args_match_overrides") or {}).items():
        if isinstance(override, str):
            rules[tool] = _RULES[override]
        elif isinstance(override, list):
            rules[tool] = {**dict.fromkeys(override, "equal"), "*": "ignore"}
        else:
            yield _score(theirs), Absent("a function of the user compares the arguments")
            return
    operator, settings = _OPERATORS[mode]
    expected = _normalize_to_openai_messages_list(values["reference_outputs"])
    observed = _normalize_to_openai_messages_list(values["outputs"])
    reason = None
    if mode == "strict" and [item["role"] for item in expected] != [item["role"] for item in observed]:
        reason = "only calls are compared, not the messages between them"
    yield _score(theirs), Here(operator, expected, observed, {**settings, "args": rules}, reason=reason)


_MODULES = ("match", "strict", "unordered", "subset", "superset")
WATCHED = {
    **{f"agentevals.trajectory.{module}:_run_evaluator": evaluate for module in _MODULES},
    **{f"agentevals.trajectory.{module}:_arun_evaluator": evaluate for module in _MODULES},
    "agentevals.graph_trajectory.strict:_run_evaluator": evaluate,
    "agentevals.graph_trajectory.strict:_arun_evaluator": evaluate,
}
