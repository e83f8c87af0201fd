"""One comparison of each kind: every operator with each of its verdicts, and what is more than an operator."""

from __future__ import annotations

from operators.cases import CASES
from pytest_verdict import ComparisonResult, compare
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, NumericExact, VerifiedField

RULES = {
    "search": {
        "query": {"operator": "normalized_exact"},
        "limit": {"operator": "numeric_tolerance", "settings": {"tolerance": 1, "mode": "absolute"}},
        "extra": "ignore",
    }
}
CALLS = [("search", {"query": "Tea", "limit": 5, "extra": 1}), ("book", {"id": 1, "a.b": {"c": 1}}), ("send", {})]
OBSERVED = [
    {"name": "search", "args": {"query": "tea ", "limit": 6, "extra": True}},
    {"name": "book", "args": {"id": 2, "a.b": {"c": 2}}},
    {"name": "open", "args": {}},
]


class Person(BaseAnswer):
    """A name and an age."""

    name: str = VerifiedField("The name", ground_truth="Ada | `Berg`", verify_with=ExactMatch())
    age: int = VerifiedField("The age", ground_truth=36, verify_with=NumericExact())


def kinds():
    """Return the results by a name for each."""
    results = {}
    for case in CASES:
        result = case.compare()
        results.setdefault(f"{case.operator}-{result.verdict}", result)
    results["threshold"] = compare("text_similarity", "Paris", "Parix", 0.7)
    results["missed threshold"] = compare("text_similarity", "Paris", "Parix", 0.9, name="a|b`c`<i>\u202e\n")
    for name, observed in (("negated fail", "same"), ("negated pass", "other")):
        results[name] = ComparisonResult.from_record(
            {**compare("exact", "same", observed).to_record(), "negated": True}
        )
    for order in ("exact", "in_order", "any_order"):
        results[f"rules {order}"] = compare(f"trajectory_{order}", CALLS, OBSERVED, args=RULES)
    results["bare calls"] = compare("trajectory_exact", ["search", "book"], OBSERVED[:1])
    results["template"] = AnswerTemplate(Person).verify({"name": "Bob", "age": 36}).comparison
    return results
