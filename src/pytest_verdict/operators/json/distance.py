"""The operators on how alike two JSON documents are: what it costs to turn one into the other, and their parts on average."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Final

from pydantic import field_validator

from pytest_verdict.core.operator import Needs
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import step
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.numbers import EXACT, is_number
from pytest_verdict.operators.exact_number import Tolerance, as_written
from pytest_verdict.operators.json.alignment import UNIT, TooManyPairsError, TreeBuilder, TreeComparison
from pytest_verdict.operators.json.document import (
    JsonOperator,
    apply_to_both,
    difference_details,
    read_both,
    refuse_ignored,
    with_floats,
)
from pytest_verdict.operators.json.rules import (
    IgnoredPaths,
    JsonRule,
    ListOrder,
    Policy,
    RulePath,
    StringSimilarity,
    ToleranceMode,
    is_root,
    mark,
)
from pytest_verdict.operators.number import similarity_of_numbers
from pytest_verdict.operators.similarity import measure_of

_TOO_LARGE: Final = (
    "the documents differ in too many places to find the best pairing of their items; compare them by json_canonical or"
    " json_subset, ignore parts, or compare shorter lists"
)


class JsonDistance(JsonOperator):
    """Few changes turn one JSON document into the other.

    The score is 1 - cost / (size of expected + size of observed). A size is the number of scalars, lists and objects; two
    roots of one kind do not count, so that documents with nothing in common score 0.0. The cost is the size of all parts
    that must be removed and added, with objects paired by key and list items so that the cost is lowest. Equal documents
    score exactly 1.0, and swapping the two changes nothing. docs/explanation/json-distance.md has the exact definition.
    Documents that differ in so many places that the best pairing would take more than a few seconds are an ``error``.
    Evidence is read as by `JsonCanonical`.

    Args:
        list_order: ``ordered`` pairs the items of two lists without crossing, ``unordered`` in any order.
        tolerance: The difference of two numbers that costs nothing, at least 0.
        mode: ``absolute``, or ``relative`` to the larger of the two absolute values: 0.1 is ten percent.
        string_similarity: ``levenshtein``, ``indel`` or ``jaro_winkler``: two texts cost 2 * (1 - similarity). None: 2 when they
            are not equal.
        ignore: JSONPaths (dialect of jsonpath-ng with its extensions) of parts that are removed from both documents.
        rules: Settings by JSONPath for the matched parts and everything in them. The rule nearest to a part wins; of rules
            that match the same part the one with the longest path, then the one with fewer wildcards, then the later one.
        normalize: Normalizers for evidence that is text (default: none).
        parse: Whether text is parsed, as for `JsonCanonical`.

    Example:
        >>> result = compare("json_distance", {"a": 1, "b": [1, 2]}, '{"a": 1, "b": [1, 3]}')
        >>> result.score, result.details["cost"], result.details["differences"]
        (0.75, '2', [{'path': '$.b[1]', 'kind': 'changed', 'expected': 2, 'observed': 3}])
        >>> compare("json_distance", {"id": 1, "a": 2}, {"a": 2}, ignore=["$..id"]).score
        1.0
    """

    name: ClassVar[str] = "json_distance"
    version: ClassVar[int] = 2
    needs: ClassVar[Mapping[str, Needs]] = {
        "mode": Needs(
            lambda operator: (
                "tolerance" in operator.model_fields_set
                or any("tolerance" in rule.model_fields_set for rule in operator.rules.values())
            ),
            "set a tolerance as well",
        )
    }

    list_order: ListOrder = "ordered"
    tolerance: Tolerance = 0
    mode: ToleranceMode = "absolute"
    string_similarity: StringSimilarity | None = None
    ignore: IgnoredPaths = ()
    rules: Mapping[RulePath, JsonRule] = {}

    @field_validator("rules")
    @classmethod
    def _refuse_ignored_root(cls, rules: Mapping[str, JsonRule]) -> Mapping[str, JsonRule]:
        for path, rule in rules.items():
            if rule.ignore and is_root(path):
                raise ValueError(f"{path!r} matches the whole document, which cannot be ignored")
        return rules

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        documents = read_both(expected, observed, self.normalize, (self.parse, self.parse))
        if isinstance(documents, Outcome):
            return documents
        marks = apply_to_both(documents, expected, lambda document: mark(document, self.ignore, self.rules))
        if isinstance(marks, Outcome):
            return marks

        rule = JsonRule(
            tolerance=self.tolerance,
            mode=self.mode,
            string_similarity=self.string_similarity,
            list_order=self.list_order,
        )
        builder = TreeBuilder(Policy(rule))
        first = builder.build(documents.expected, marks[0])
        second = builder.build(documents.observed, marks[1])
        # Rules may treat the two partners of a pair differently, which strict comparison does not expect.
        strict = not self.rules and not self.tolerance and self.string_similarity is None
        comparison = TreeComparison(first, second, strict=strict)
        try:
            cost = comparison.cost()
            differences = difference_details(comparison.differences()) if cost else {}
        except TooManyPairsError:
            return documents.sides.outcome(0.0, error=_TOO_LARGE)
        # Two roots of one kind do not make documents similar.
        roots = 0
        if first.is_container and first.kind == second.kind:
            roots = UNIT
        sizes = [first.size - roots, second.size - roots]
        if not any(sizes) and documents.expected:
            return refuse_ignored(documents)
        size = sum(sizes) or 1
        details: dict[str, Any] = {
            "cost": as_written(EXACT.divide(Decimal(cost), Decimal(UNIT))),
            "expected_size": sizes[0] // UNIT,
            "observed_size": sizes[1] // UNIT,
            "distance": repr(cost / size),
        }
        return documents.sides.outcome((size - cost) / size, details=details | differences)


class JsonSimilarity(JsonOperator):
    """The parts of two JSON documents are similar on average.

    The score of two objects is the mean over all their keys, where a key that is missing is null; that of two lists is
    the sum over their positions, divided by the longer length. Texts score as by `TextSimilarity` with Levenshtein,
    numbers as by `NumericSimilarity`, null 1.0 with null and 0.0 with anything else; values of other types are compared
    as JSON texts. This is ``JSONDiff`` of autoevals, except that a bool is no number and texts inside are not parsed.
    The default threshold is 0.8.

    Args:
        normalize: Normalizers for evidence that is text, as for `JsonCanonical` (default: none).
        parse: Whether text is parsed, as for `JsonCanonical`.

    Example:
        >>> result = compare("json_similarity", {"name": "Ann", "age": 60}, {"name": "Ann", "age": 100})
        >>> result.score, result.details
        (0.875, {'parts': [['$.age', 0.75]]})
    """

    name: ClassVar[str] = "json_similarity"

    def default_threshold(self) -> float:
        return 0.8

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        documents = read_both(expected, observed, self.normalize, (self.parse, self.parse))
        if isinstance(documents, Outcome):
            return documents
        parts: list[list[Any]] = []
        score = _compare_parts(documents.expected, documents.observed, "$", parts)
        return documents.sides.outcome(score, details={"parts": parts[:100]})


def _compare_parts(expected: Any, observed: Any, path: str, parts: list[list[Any]]) -> float:
    """Return the score of a part, and list the scalars and other parts inside that are not equal."""
    if equal(expected, observed):
        return 1.0
    if isinstance(expected, dict) and isinstance(observed, dict):
        keys = sorted({*expected, *observed})
        scores = [_compare_parts(expected.get(key), observed.get(key), step(path, key), parts) for key in keys]
        return _mean(scores, len(keys))
    if isinstance(expected, list) and isinstance(observed, list):
        pairs = zip(expected, observed, strict=False)
        scores = [_compare_parts(*pair, step(path, index), parts) for index, pair in enumerate(pairs)]
        return _mean(scores, max(len(expected), len(observed)))

    if expected is None or observed is None:
        score = 0.0
    elif is_number(expected) and is_number(observed):
        score = similarity_of_numbers(expected, observed)
    else:
        texts = expected, observed
        if not (isinstance(expected, str) and isinstance(observed, str)):
            texts = encode_text(with_floats(expected)), encode_text(with_floats(observed))
        score = measure_of("levenshtein").normalized_similarity(*texts)
    parts.append([path, score])
    return score


def _mean(scores: Sequence[float], count: int) -> float:
    # The builtin sum has other last digits in other versions of Python.
    return round(math.fsum(scores) / count, 12)
