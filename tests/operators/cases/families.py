"""Operators of answer templates, trajectories and blind comparisons."""

from operators.cases import case
from pytest_verdict.blind import blind_compare

RUBRIC = {"id": "essay", "version": 1, "content": ["argument"], "structure": ["clarity"]}
BALLOT = '{"rubric": {"A": {"content": {"argument": 5}, "structure": {"clarity": 4}}, "B": %s}, "winner": "B"}'
ONE_CALL = [{"name": "search", "args": {"q": "x"}}]
TWO_CALLS = [*ONE_CALL, {"name": "book", "args": {}}]


def longer_is_better(request):
    def side(output):
        return {"content": {"argument": min(5, len(output.text))}, "structure": {"clarity": 3}}

    return {"rubric": {label: side(output) for label, output in request.outputs.items()}, "winner": "A"}


def judged_blindly(x, y):
    """Return the record of a blind comparison, which is what `blind_preference` observes."""
    return blind_compare(x, y, "Count.", longer_is_better, rubric=RUBRIC, key="seed").result.observed


CASES = [
    case("answer_template", {"a": 1}, {"a": None, "_trace": "x"}, "fail", "null_observed", fields={"a": "exact"}),
    case("case_choice", ["low", "high"], "low", "pass"),
    case("case_choice", ["low"], None, "pass", "default_case"),
    case("case_choice", ["low"], ["low"], "error"),
    case("field_check", {"a": 1}, {"a": 2}, "fail", field="a"),
    case("quote_check", "is Paris", "It is Paris.", "pass", value="Paris"),
    case("regex_check", None, "5 mg", "pass", pattern="([0-9]+) (mg|g)", value=("5", "mg")),
    case("run_limits", {"cost": 1}, {"cost": 0.5}, "pass"),
    case("run_limits", {"total_tokens": 6}, {"usage": {"input_tokens": 3, "output_tokens": 4}}, "fail"),
    case("run_limits", {"speed": 1}, {"cost": 0.5}, "error", "not_a_limit"),
    case("trajectory_any_order", ONE_CALL, TWO_CALLS, "fail", "no_such_call", occurrences={"search": 2}),
    case("trajectory_any_order", ONE_CALL, [*TWO_CALLS, *ONE_CALL], "pass", occurrences={"search": "last"}),
    case("trajectory_forbidden", ["delete"], [{"name": "search", "args": {"q": "x"}}], "pass"),
    case("trajectory_max_calls", 3, [{"name": "search", "args": {"q": "x"}}], "pass"),
    case("trajectory_single_tool_use", "search", [{"name": "search", "args": {"q": "x"}}], "pass"),
    case("trajectory_valid_calls", {"search": {"required": ["q"]}}, ONE_CALL, "pass"),
    case("trajectory_valid_calls", {"search": {"properties": {"q": {"type": "integer"}}}}, ONE_CALL, "fail"),
    case("trajectory_valid_calls", {"find": None}, ONE_CALL, "fail"),
    case("trajectory_valid_calls", [], ONE_CALL, "error", "not_a_definition"),
    case(
        "blind_ballot",
        None,
        BALLOT % '{"content": {"argument": 2}, "structure": {"clarity": 4}}',
        "pass",
        "winner_opposite",
        rubric=RUBRIC,
    ),
    case(
        "blind_ballot",
        {"slots": {"A": 1, "B": 0}},
        "I would rather not.",
        "fail",
        "reply_without_json",
        expectations=["It has a name."],
    ),
    case("blind_preference", "y", judged_blindly("12", "123"), "fail", "contradiction", "winner_opposite", "informal"),
    case(
        "blind_preference",
        None,
        judged_blindly("12", "12"),
        "pass",
        "tie",
        "identical_outputs",
        "informal",
        tie="pass",
        gate=["blindness_breach"],
    ),
    case("blind_preference", "x", {"format": 1}, "fail", "not_a_blind_comparison"),
    case("trajectory_any_order", ONE_CALL, TWO_CALLS, "pass"),
    case("trajectory_exact", ONE_CALL, TWO_CALLS, "fail"),
    case("trajectory_f1", ONE_CALL, TWO_CALLS, 2 / 3),
    case("trajectory_in_order", ONE_CALL, TWO_CALLS, "pass"),
    case("trajectory_only_from", ONE_CALL, TWO_CALLS, "fail"),
    case("trajectory_precision", ONE_CALL, TWO_CALLS, 0.5),
    case("trajectory_recall", ONE_CALL, TWO_CALLS, "pass"),
    case("trajectory_similarity", ONE_CALL, TWO_CALLS, 0.5),
    case("trajectory_steps", ONE_CALL, TWO_CALLS, "pass"),
]
