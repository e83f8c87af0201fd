"""Verdicts made of other verdicts."""

from operators.cases import case

CASES = [
    case("all_of", "a", "a", "pass", conditions=["exact", {"operator": "text_similarity", "threshold": 0.5}]),
    case("all_of", {"a": None}, {}, "fail", conditions={"a": "exact"}),  # observed
    case("all_of", {}, {"a": None}, "error", "child_error", conditions={"a": "exact"}),  # expected
    case("all_of", {}, {}, "error", "child_error", conditions={"a": "exact"}),  # both
    case("all_of", {"a": 1}, "text", "fail", conditions={"a": "exact"}),  # observed is no mapping
    case("all_of", None, {"a": None}, "error", "child_error", conditions={"a": "exact"}),  # expected is no mapping
    case("any_of", "a", "b", "fail", conditions=["exact", "contains_any"]),
    case("at_least_n", {"x": 1, "y": 2}, {"x": 1}, 0.5, n=1, conditions={"x": "numeric_exact", "y": "exact"}),
    case("best_of", ["Paris", "City of Paris"], "city of  paris", "pass", inner="normalized_exact"),
    case("best_of", [1, 5], "x", "fail", inner={"operator": "numeric_tolerance", "settings": {"tolerance": 1}}),
    case("best_of", [], "x", "error", "empty_expected", inner="exact"),
    case("best_of", None, (1, "a"), "pass", inner="exact", references=["a", (1, "a")]),
    case("best_of", "abc", "a", "error", "not_a_list", inner="exact"),
    case("best_of", [], "a", "error", "empty_expected", inner="exact"),
    case(
        "criteria",
        {"polite": ["please"]},
        "Go.",
        "fail",
        id="tone",
        revision=2,
        criteria=[{"id": "polite", "version": 1, "severity": "major", "operator": "contains_any"}],
    ),
    case(
        "criteria",
        {},
        "Please go.",
        "error",
        "child_error",
        id="tone",
        revision="2.1",
        criteria=[{"id": "polite", "version": 1, "severity": "major", "operator": "contains_any"}],
        fail_on=["blocker"],
    ),
    case("derived", 5, "5.0", "pass", inner="numeric_exact", source="spec"),
    case("derived", "a", "b", "fail", inner="exact", source="blind_rederivation", extraction="model_mediated"),
    case("none_of", "a", "b", "pass", conditions=["exact", "contains_any"]),
    case("none_of", 5, "b", "fail", conditions=["numeric_exact"]),
    case("weighted", "a", "A", 0.75, conditions=["exact", "normalized_exact"], weights=[1, 3]),
]
