"""The operators on how alike two JSON documents are: what it costs to turn one into the other, and their parts on average."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Final, NamedTuple

from pydantic import field_validator

from pytest_verdict.core.operator import Needs
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.numbers import EXACT, as_decimal, is_number
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.exact_number import Tolerance, as_exact, as_written
from pytest_verdict.operators.json.alignment import Aligner
from pytest_verdict.operators.json.document import (
    JsonOperator,
    apply_to_both,
    are_equal,
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
from pytest_verdict.operators.json.tree import UNIT, Kind, Node, Pairs, TreeBuilder, find_unpaired, precedes
from pytest_verdict.operators.number import similarity_of_numbers
from pytest_verdict.operators.similarity import measure_of

ALIGNMENT_BOUNDED: Final = "alignment_bounded"
SIMILARITY_BOUNDED: Final = "similarity_bounded"
BUDGET: Final = 250_000
"""The number of pairs of nodes, roughly, that one comparison visits before it accepts a pairing that may not be the best."""

_MOST_CHARACTER_PAIRS: Final = 10**9

_Share = tuple[Node, Node, int]
"""Two parts that are partners, and their share of the budget."""


class JsonDistance(JsonOperator):
    """Few changes turn one JSON document into the other.

    The score is 1 - cost / (size of expected + size of observed). A size is the number of scalars, lists and objects; two
    roots of one kind do not count, so that documents with nothing in common score 0.0. The cost is the size of all parts
    that must be removed and added, with objects paired by key and list items so that the cost is lowest. Equal documents
    score exactly 1.0, and swapping the two changes nothing. docs/explanation/json-distance.md has the exact definition.
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

        policy = Policy(as_exact(self.tolerance), self.mode, self.string_similarity, self.list_order)
        builder = TreeBuilder(policy)
        first = builder.build(documents.expected, marks[0])
        second = builder.build(documents.observed, marks[1])
        # Rules may treat the two partners of a pair differently, which strict comparison does not expect.
        comparison = TreeComparison(first, second, strict=not self.rules and policy.is_strict)
        cost = comparison.cost()
        # Two roots of one kind do not make documents similar.
        roots = 0
        if first.is_container and first.kind is second.kind:
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
        if cost:
            details |= difference_details(comparison.differences())
        return documents.sides.outcome((size - cost) / size, comparison.notes(), details)


class _Place(NamedTuple):
    """Two parts that are partners, or one without a partner, with their paths."""

    first_path: str | None
    second_path: str | None
    first: Node | None
    second: Node | None
    budget: int


class TreeComparison:
    def __init__(self, expected: Node, observed: Node, *, strict: bool) -> None:
        # The two are compared in an order of their own, so that swapping them cannot change the result.
        self._swapped = precedes(expected, observed) > 0
        self._first, self._second = (observed, expected) if self._swapped else (expected, observed)
        self._similarity_bounded = False
        self._aligner = Aligner(self._cost, strict=strict)
        self._cache: dict[tuple[int, int, int], int] = {}

    def cost(self) -> int:
        """Return the cost of turning one document into the other."""
        return self._cost(self._first, self._second, BUDGET)

    def notes(self) -> list[str]:
        """Return a note for each bound that was reached."""
        bounds = {ALIGNMENT_BOUNDED: self._aligner.reached_bound, SIMILARITY_BOUNDED: self._similarity_bounded}
        return [note for note, is_reached in bounds.items() if is_reached]

    def _cost(self, first: Node, second: Node, budget: int) -> int:
        if first.identity == second.identity:
            return 0
        if first.kind is not second.kind:
            return first.size + second.size
        if not first.is_container:
            return self._scalar_cost(first, second)
        key = (first.context, second.context, budget)
        total = self._cache.get(key)
        if total is not None:
            return total
        if first.kind is Kind.LIST:
            # Called here, because a document may have many levels, and each stack frame counts.
            indices, share = self._alignment(first, second)(first.items, second.items, budget)
            pairs = [(first.items[index], second.items[other_index], share) for index, other_index in indices]
        else:
            pairs = _common_fields(first, second, budget)
        total = first.size + second.size - 2 * UNIT
        for part, other, share in pairs:
            total += self._cost(part, other, share) - part.size - other.size
        self._cache[key] = total
        return total

    def _alignment(
        self, first: Node, second: Node
    ) -> Callable[[Sequence[Node], Sequence[Node], int], tuple[Pairs, int]]:
        return self._aligner.ordered if _policy(first, second).list_order == "ordered" else self._aligner.unordered

    def _scalar_cost(self, first: Node, second: Node) -> int:
        policy = _policy(first, second)
        if first.kind is Kind.NUMBER and policy.tolerance and _is_within(first.document, second.document, policy):
            return 0
        if first.kind is not Kind.TEXT or policy.string_similarity is None:
            return 2 * UNIT
        texts = sorted((first.document, second.document))
        if len(texts[0]) * len(texts[1]) > _MOST_CHARACTER_PAIRS:
            self._similarity_bounded = True
            return 2 * UNIT
        similarity: float = measure_of(policy.string_similarity).normalized_similarity(*texts)
        # Rounding must not make different texts equal.
        return max(round(2 * UNIT * (1 - similarity)), 1)

    def differences(self) -> Iterator[Difference]:
        """Yield the places where the cost arises."""
        pending = [_Place("$", "$", self._first, self._second, BUDGET)]
        while pending:
            place = pending.pop()
            first = place.first
            second = place.second
            if first is None or second is None:
                yield self._difference(place)
            elif first.identity == second.identity:
                continue
            elif first.kind is second.kind and first.is_container:
                pending += reversed([*self._parts(place, first, second)])
            elif self._cost(first, second, place.budget):
                yield self._difference(place)

    def _difference(self, place: _Place) -> Difference:
        first_path, second_path, first, second, _ = place
        if self._swapped:
            first_path, second_path, first, second = second_path, first_path, second, first
        expected = ABSENT if first is None else first.document
        observed = ABSENT if second is None else second.document
        return Difference(first_path or second_path or "$", expected, observed, second_path)

    def _parts(self, place: _Place, first: Node, second: Node) -> Iterator[_Place]:
        first_path = place.first_path or "$"
        second_path = place.second_path or "$"
        if first.kind is Kind.OBJECT:
            shares = {field.label: share for field, _, share in _common_fields(first, second, place.budget)}
            for key in sorted({*first.fields, *second.fields}):
                field = first.fields.get(key)
                other_field = second.fields.get(key)
                yield _Place(step(first_path, key), step(second_path, key), field, other_field, shares.get(key, 0))
            return
        indices, share = self._alignment(first, second)(first.items, second.items, place.budget)
        alone, others = find_unpaired(first.items, second.items, indices)
        pairs: list[tuple[Node | None, Node | None]] = []
        pairs += [(first.items[index], second.items[other]) for index, other in indices]
        pairs += [(first.items[index], None) for index in alone]
        pairs += [(None, second.items[index]) for index in others]
        # They follow the expected list; unexpected items come last.
        for item, other in sorted(pairs, key=self._position):
            path = None if item is None else step(first_path, item.label)
            other_path = None if other is None else step(second_path, other.label)
            yield _Place(path, other_path, item, other, share)

    def _position(self, pair: tuple[Node | None, Node | None]) -> list[tuple[bool, Any]]:
        return [(item is None, item and item.label) for item in (pair[::-1] if self._swapped else pair)]


def _common_fields(first: Node, second: Node, budget: int) -> list[_Share]:
    pairs = [(field, second.fields[key]) for key, field in first.fields.items() if key in second.fields]
    unequal = sum([field.size + other.size for field, other in pairs if field.identity != other.identity])
    return [(field, other, budget * (field.size + other.size) // max(unequal, 1)) for field, other in pairs]


def _policy(first: Node, second: Node) -> Policy:
    return first.policy if first.policy.ranks >= second.policy.ranks else second.policy


def _is_within(first: int | Decimal, second: int | Decimal, policy: Policy) -> bool:
    number = as_decimal(first)
    other = as_decimal(second)
    if number is None or other is None:
        return False
    limit = policy.tolerance
    if policy.mode == "relative":
        limit = EXACT.multiply(limit, max(number.copy_abs(), other.copy_abs()))
    return EXACT.subtract(number, other).copy_abs() <= limit


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
    if are_equal(expected, observed):
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
