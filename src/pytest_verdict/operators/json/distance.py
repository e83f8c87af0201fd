"""The operators on how alike two JSON documents are: what it costs to turn one into the other, and their parts on average."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Final

from pydantic import field_validator

from pytest_verdict.core.operator import Needs
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.numbers import EXACT, as_decimal, is_number
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.exact_number import Tolerance, as_exact, as_written
from pytest_verdict.operators.json.alignment import Aligner, Alignment
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
from pytest_verdict.operators.json.tree import UNIT, Kind, Node, TreeBuilder, find_unpaired, precedes
from pytest_verdict.operators.number import similarity_of_numbers
from pytest_verdict.operators.similarity import measure_of

ALIGNMENT_BOUNDED: Final = "alignment_bounded"
SIMILARITY_BOUNDED: Final = "similarity_bounded"
BUDGET: Final = 250_000
"""The number of pairs of nodes, roughly, that one comparison visits before it accepts a pairing that may not be the best."""

_MOST_CACHED: Final = 100_000
_MOST_CHARACTER_PAIRS: Final = 10**9

_Place = tuple[str | None, str | None, Node | None, Node | None, int]


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


class TreeComparison:
    def __init__(self, expected: Node, observed: Node, *, strict: bool) -> None:
        # The two are compared in an order of their own, so that swapping them cannot change the result.
        self._swapped = precedes(expected, observed) > 0
        self._first, self._second = (observed, expected) if self._swapped else (expected, observed)
        self._similarity_bounded = False
        self._aligner = Aligner(self._cost, strict=strict)
        self._cache: dict[tuple[int, int, int], tuple[int, bool]] = {}

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
        if first.kind < Kind.LIST:
            return self._scalar_cost(first, second)
        key = (first.context, second.context, budget)
        cached = self._cache.get(key)
        if cached is not None:
            self._aligner.reached_bound |= cached[1]
            return cached[0]

        was_reached = self._aligner.reached_bound
        self._aligner.reached_bound = False
        if first.kind is Kind.LIST:
            total, pairs = _pair_items(first, second, self._alignment(first, second)(first.items, second.items, budget))
        else:
            total, pairs = _pair_fields(first, second, budget)
        for part, other, share in pairs:
            total += self._cost(part, other, share)
        if len(self._cache) < _MOST_CACHED:
            self._cache[key] = total, self._aligner.reached_bound
        self._aligner.reached_bound |= was_reached
        return total

    def _alignment(self, first: Node, second: Node) -> Callable[[Sequence[Node], Sequence[Node], int], Alignment]:
        # Returns the method and not its result, which saves a stack frame on every level of a document.
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
        pending: list[_Place] = [("$", "$", self._first, self._second, BUDGET)]
        while pending:
            place = first_path, second_path, first, second, budget = pending.pop()
            if first is None or second is None:
                yield self._difference(place)
            elif first.kind is second.kind and first.is_container:
                if first.identity != second.identity:
                    pending += reversed(self._parts(first_path or "$", second_path or "$", first, second, budget))
            elif self._cost(first, second, budget):
                yield self._difference(place)

    def _difference(self, place: _Place) -> Difference:
        first_path, second_path, first, second, _ = place
        if self._swapped:
            first_path, second_path, first, second = second_path, first_path, second, first
        expected = ABSENT if first is None else first.document
        observed = ABSENT if second is None else second.document
        return Difference(first_path or second_path or "$", expected, observed, second_path)

    def _parts(self, first_path: str, second_path: str, first: Node, second: Node, budget: int) -> list[_Place]:
        parts: list[_Place] = []
        if first.kind is Kind.OBJECT:
            shares = {field.label: share for field, _, share in _pair_fields(first, second, budget)[1]}
            for key in sorted({*first.fields, *second.fields}):
                paths = step(first_path, key), step(second_path, key)
                parts.append((*paths, first.fields.get(key), second.fields.get(key), shares.get(key, 0)))
            return parts

        alignment = self._alignment(first, second)(first.items, second.items, budget)
        pairs: list[tuple[int | None, int | None]] = [*alignment.pairs]
        pairs += [(index, None) for index in find_unpaired(first.items, [index for index, _ in alignment.pairs])]
        pairs += [(None, index) for index in find_unpaired(second.items, [index for _, index in alignment.pairs])]
        # The pairs follow the expected list; unexpected items come last.
        pairs.sort(key=lambda pair: [(index is None, index or 0) for index in (pair[::-1] if self._swapped else pair)])
        for index, other_index in pairs:
            item = None if index is None else first.items[index]
            other = None if other_index is None else second.items[other_index]
            path = None if item is None else step(first_path, item.label)
            other_path = None if other is None else step(second_path, other.label)
            parts.append((path, other_path, item, other, alignment.budget))
        return parts


_NodePairs = list[tuple[Node, Node, int]]


def _pair_fields(first: Node, second: Node, budget: int) -> tuple[int, _NodePairs]:
    """Return the cost of the fields that one side lacks, and the pairs of other fields with their share of the budget."""
    unpaired_cost = 0
    pairs: list[tuple[Node, Node]] = []
    for key, field in first.fields.items():
        other = second.fields.get(key)
        if other is None:
            unpaired_cost += field.size
        elif other.identity != field.identity:
            pairs.append((field, other))
    for key, other in second.fields.items():
        if key not in first.fields:
            unpaired_cost += other.size
    total = sum([field.size + other.size for field, other in pairs])
    return unpaired_cost, [(field, other, budget * (field.size + other.size) // total) for field, other in pairs]


def _pair_items(first: Node, second: Node, alignment: Alignment) -> tuple[int, _NodePairs]:
    """Return the same for the items of two lists; no pairs if the alignment has its cost."""
    if alignment.cost is not None:
        return alignment.cost, []
    pairs = [(first.items[index], second.items[place]) for index, place in alignment.pairs]
    paired_size = sum([item.size + other.size for item, other in pairs])
    unpaired_cost = first.size + second.size - 2 * UNIT - paired_size
    return unpaired_cost, [(item, other, alignment.budget) for item, other in pairs if item.identity != other.identity]


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
