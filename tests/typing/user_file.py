"""What a user writes, right and wrong; read by type checkers for test_signatures.py, never run.

A type checker refuses exactly the lines that say so.
"""

from __future__ import annotations

from typing import Any, assert_type

from pytest_verdict import (
    Comparator,
    ComparisonResult,
    Expectation,
    OperatorName,
    SynonymMap,
    assert_matches,
    compare,
    expect,
)
from pytest_verdict.operators import Exact, JsonRule, NumericTolerance

# Names.
assert_type(compare("exact", 1, 1), ComparisonResult)
compare("exakt", 1, 1)  # refused
assert_type(assert_matches("normalized_exact", expected="a", observed="A", threshold=0.5, name="n"), ComparisonResult)
assert_matches("equals", "a", "a")  # refused
assert_type(expect("literal", "a"), Expectation)
assert expect("litteral", "a") == "a"  # refused
compare("template_match", 1, 1)  # refused
compare("answer_template", 1, 1)  # refused

# Settings.
compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute")
compare("numeric_tolerance", 37.0, 36.8, tolerance="0.5", normalize=["strip", SynonymMap(mapping={"a": "1"})])
compare("numeric_tolerance", 37.0, 36.8, tol=0.5)  # refused
compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="abs")  # refused
compare("numeric_tolerance", 37.0, 36.8, tolerance=[0.5])  # refused
compare("numeric_tolerance", 37.0, 36.8)  # refused
compare("exact", 1, 1, tolerance=0.5)  # refused
compare("boolean", True, True, normalize=["strip"])  # refused
compare("exact", "a", "a", normalize=("lowercase", "strip"), case_sensitive=False)
compare("exact", "a", "a", normalize=["lowercse"])  # refused
compare("exact", "a", "a", normalize="strip")  # refused
compare("exact", "a")  # refused
compare("exact", "a", "a", "0.5")  # refused
assert expect("date_tolerance", "2026-01-01", tolerance=3, unit="days") == "2026-01-02"
assert expect("date_tolerance", "2026-01-01", tolerance=3, units="days") == "2026-01-02"  # refused
compare("regex", "a.c", "abc", flags=["IGNORECASE"], mode="search")
compare("json_distance", {}, {}, ignore=["$.id"], rules={"$.a": JsonRule(tolerance=1), "$.b": {"tolerance": 1}})
compare("all_of", 1, 1, conditions=["exact", Exact(), {"operator": "text_similarity", "threshold": 0.5}])
compare("weighted", {"a": 1}, {"a": 1}, conditions={"a": "exact"}, weights={"a": 2})
compare("trajectory_in_order", ["search"], [], ignored_args=["id"], mcp_servers="any", args={"search": "ignore"})
compare("trajectory_in_order", ["search"], [], credit="partial")  # refused

# Operators, and names that a type checker cannot know.
assert_type(compare(Exact(case_sensitive=False), 1, 1), ComparisonResult)
compare(Exact(normalize=["strip", SynonymMap(mapping={})]), 1, 1)
compare(Exact(normalize=["stripp"]), 1, 1)  # refused
compare(NumericTolerance(tol=0.5), 1, 1)  # refused
compare(Exact, 1, 1)  # refused
compare(Exact(), 1, 1, case_sensitive=False)  # refused
assert_type(compare(OperatorName("starts_with"), "a", "ab", ignore_case=True), ComparisonResult)


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0] for _ in texts]


compare("semantic", "a", "b", 0.9, embedder=embed)


def test_of_variables(operator: OperatorName, text: str, anything: Any, settings: dict[str, Any]) -> None:
    assert_type(compare(operator, 1, 1), ComparisonResult)
    assert_type(compare(operator, 1, 1, **settings), ComparisonResult)
    assert_type(compare("exact", 1, 1, **settings), ComparisonResult)
    assert_type(compare(anything, 1, 1), ComparisonResult)
    compare(text, 1, 1)  # refused
    compare(OperatorName(text), 1, 1)


def test_of_a_comparator(comparator: Comparator) -> None:
    assert_type(comparator("exact", 1, 1), ComparisonResult)
    comparator("exakt", 1, 1)  # refused
    comparator.assert_matches("exact", 1, 1, case_sensitiv=True)  # refused
    close = comparator.with_defaults(threshold=0.9).with_defaults("numeric_tolerance", tolerance=0.5, threshold=0.8)
    assert_type(close, Comparator)
    # What is required came with the defaults.
    assert_type(close("numeric_tolerance", 37.0, 36.8), ComparisonResult)
    close("numeric_tolerance", 37.0, 36.8, tol=0.5)  # refused
    comparator.with_defaults("numeric_tolerance", tol=0.5)  # refused
    comparator.with_defaults("exakt", threshold=0.5)  # refused
    comparator.with_defaults(tolerance=0.5)  # refused
    comparator.with_defaults("exact", name="n")  # refused
    comparator.with_defaults(OperatorName("starts_with"), ignore_case=True)
    with comparator.collect() as soft:
        soft.assert_matches("exact", 1, 1)
        soft.assert_matches("exakt", 1, 1)  # refused
