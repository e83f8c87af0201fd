"""The operator on the distance between two JSON documents."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from pydantic import field_validator

from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.numbers import EXACT
from pytest_verdict.operators.exact_number import Tolerance, as_exact, as_written
from pytest_verdict.operators.json.cost import TreeComparison
from pytest_verdict.operators.json.document import Documents, JsonOperator, listed, read_both
from pytest_verdict.operators.json.ignoring import mark_both, nothing_left
from pytest_verdict.operators.json.rules import (
    IgnoredPaths,
    JsonRule,
    ListOrder,
    Marks,
    Policy,
    RulePath,
    StringSimilarity,
    ToleranceMode,
    is_root,
)
from pytest_verdict.operators.json.tree import UNIT, TreeBuilder


class JsonDistance(JsonOperator):
    """How little must be changed to turn one JSON document into the other.

    The score is 1 - cost / (size of expected + size of observed). A size is the number of scalars, lists and objects; two
    roots of one kind do not count, so that documents with nothing in common score 0.0. The cost is the size of all that must
    be left out and put in, objects paired by key and the items of lists so that it is lowest. Equal documents score exactly
    1.0, swapping the two changes nothing. docs/explanation/json-distance.md has the exact definition. Evidence is read as by
    `JsonCanonical`.

    Args:
        list_order: ``ordered`` pairs the items of two lists without crossing, ``unordered`` in any order.
        tolerance: How far two numbers may differ and still cost nothing, at least 0.
        mode: ``absolute``, or ``relative`` to the larger of the two absolute values: 0.1 is ten percent.
        string_similarity: ``levenshtein``, ``indel`` or ``jaro_winkler``: two texts cost 2 * (1 - similarity). None: 2 when they
            are not equal.
        ignore: JSONPaths (dialect of jsonpath-ng with its extensions) of parts that are removed from both documents.
        rules: By JSONPath, settings that hold for the matched parts and all they hold. The rule nearest to a part wins;
            among those that match the same part the longest path, then the one with fewer wildcards, then the later one.
        normalize: Normalizers for evidence that is text; none unless given.
        parse: Whether text is parsed, as for `JsonCanonical`.

    Example:
        >>> found = compare("json_distance", {"a": 1, "b": [1, 2]}, '{"a": 1, "b": [1, 3]}')
        >>> found.score, found.details["cost"], found.details["differences"]
        (0.75, '2', [{'path': '$.b[1]', 'kind': 'changed', 'expected': 2, 'observed': 3}])
        >>> compare("json_distance", {"id": 1, "a": 2}, {"a": 2}, ignore=["$..id"]).score
        1.0
    """

    name: ClassVar[str] = "json_distance"

    list_order: ListOrder = "ordered"
    tolerance: Tolerance = 0
    mode: ToleranceMode = "absolute"
    string_similarity: StringSimilarity | None = None
    ignore: IgnoredPaths = ()
    rules: Mapping[RulePath, JsonRule] = {}

    @field_validator("rules")
    @classmethod
    def _rules_for_parts(cls, rules: Mapping[str, JsonRule]) -> Mapping[str, JsonRule]:
        for path, rule in rules.items():
            if rule.ignore and is_root(path):
                raise ValueError(f"{path!r} matches the whole document, which cannot be ignored")
        return rules

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = read_both(expected, observed, self.normalize, (self.parse, self.parse))
        if found.refusal is not None:
            return found.refusal
        marks = mark_both(found, expected, self.ignore, self.rules)
        if isinstance(marks, Outcome):
            return marks
        return self._measured(found, *marks)

    def _measured(self, found: Documents, expected_marks: Marks, observed_marks: Marks) -> Outcome:
        policy = Policy(as_exact(self.tolerance), self.mode, self.string_similarity, self.list_order)
        builder = TreeBuilder(policy)
        expected = builder.build(found.expected, expected_marks)
        observed = builder.build(found.observed, observed_marks)
        # Rules may treat the two partners of a pair differently, which the short cuts for strict documents do not allow for.
        comparison = TreeComparison(expected, observed, strict=not self.rules and policy.is_strict)
        cost = comparison.cost()
        # That both are objects, or both lists, is no likeness.
        roots = 0
        if expected.is_container and expected.kind is observed.kind:
            roots = UNIT
        sizes = [expected.size - roots, observed.size - roots]
        if not any(sizes) and found.expected:
            return nothing_left(found)
        size = sum(sizes) or 1
        details: dict[str, Any] = {
            "cost": as_written(EXACT.divide(Decimal(cost), Decimal(UNIT))),
            "expected_size": sizes[0] // UNIT,
            "observed_size": sizes[1] // UNIT,
            "distance": repr(cost / size),
        }
        if cost:
            details |= listed(comparison.differences())
        return found.surfaces.outcome((size - cost) / size, comparison.notes(), details)
