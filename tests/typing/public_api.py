"""What a type checker says of the public functions; checked by test_signatures.py, never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, assert_type

from pytest_verdict import (
    Budget,
    Comparator,
    ComparisonResult,
    Expectation,
    MismatchError,
    Operator,
    OperatorRegistry,
    Outcome,
    SynonymMap,
    assert_matches,
    compare,
    expect,
    explain,
)
from pytest_verdict.operators import ContainsAll
from pytest_verdict.templates import ExactMatch

result = compare("exact", "Paris", "paris")
assert_type(result, ComparisonResult)
assert_type(
    compare(ExactMatch(normalize=["strip", SynonymMap(mapping={"a": "b"})]), 1, 2, 0.5, name="n"), ComparisonResult
)
assert_type(compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute"), ComparisonResult)
assert_type(assert_matches("exact", expected=1, observed=1, threshold=1), ComparisonResult)

assert_type(result.passed, bool)
assert_type(result.verdict, Literal["pass", "fail", "error"])
assert_type(result.score, float)
assert_type(result.threshold, float)
assert_type(result.notes, list[str])
assert_type(result.normalization, list[str])
assert_type(result.details, dict[str, Any])
assert_type(result.children, tuple[ComparisonResult, ...])
assert_type(result.to_report(), dict[str, Any])
assert_type(ComparisonResult.from_record(result.to_record()), ComparisonResult)
assert_type(explain(result, Budget(lines=10)), Iterator[str])

wanted = expect("normalized_exact", "Paris")
assert_type(wanted, Expectation)
assert_type(wanted.compare("paris"), ComparisonResult)
assert_type(wanted == "paris", ComparisonResult)

comparator = Comparator().with_defaults("exact", case_sensitive=False, threshold=0.5)
assert_type(comparator, Comparator)
assert_type(comparator("exact", 1, 1), ComparisonResult)
assert_type(comparator.assert_matches("exact", 1, 1, name="n"), ComparisonResult)
with comparator.collect() as collecting:
    assert_type(collecting, Comparator)
# The block may raise, so what follows is reached, but never instead of an exception of the body.
assert_type(ContainsAll(substrings=["a"]).evaluate(None, "a"), Outcome)


class SameLength(Operator):
    """An operator of a user."""

    name = "same_length"
    ignore_blanks: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        return Outcome(1.0 if len(expected) == len(observed) else 0.0)


registry = OperatorRegistry()
assert_type(registry.add(SameLength), type[Operator])


@registry.add
def starts_with(expected: str, observed: str, *, ignore_case: bool = False) -> bool:
    return observed.startswith(expected)


def failing(error: MismatchError) -> None:
    assert_type(error.result, ComparisonResult)
    assert_type(error.results, tuple[ComparisonResult, ...])


compare("exact", "no observed")  # type: ignore[call-overload]
compare(3, 1, 1)  # type: ignore[call-overload]
compare("exact", 1, 1, "1.0")  # type: ignore[call-overload]
assert_matches("exact", 1, 1, name=5)  # type: ignore[call-overload]
result.score = 1.0  # type: ignore[misc]
explain("text")  # type: ignore[arg-type]
