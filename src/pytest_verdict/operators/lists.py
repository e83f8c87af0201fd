"""Operators on lists: containment and similarity without order, equality in order."""

import functools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Needs, Operator, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, differences, step, summarize_differences
from pytest_verdict.core.values.encoding import encode, encode_text
from pytest_verdict.core.values.equality import TEXT, content_key, equal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.refused import ARRAY_PACKAGES, items_of_array, package_of
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NormalizedSides, normalize_sides, unusable

EMPTY_OBSERVED: Final = "empty_observed"
NOT_A_LIST: Final = "not_a_list"
NOT_A_MAPPING: Final = "not_a_mapping"
_SEQUENCES: Final = (list, tuple)
# How much common, missing and unexpected items weigh in the denominator of each metric.
_WEIGHTS: Final = {"f1": (2, 1, 1), "precision": (1, 0, 1), "recall": (1, 1, 0), "jaccard": (1, 1, 1)}
MOST_ITEMS: Final = 100
"""The most items of one kind in details; a further key ends in ``_omitted`` and counts the rest."""


def as_list(value: Any) -> list[Any] | None:
    """Return the items of a list, tuple, set, array or column; None for any other value."""
    if isinstance(value, _SEQUENCES):
        return list(value)
    if package_of(value) in ARRAY_PACKAGES:
        return items_of_array(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=encode_text)
    return None


def as_texts(value: Any) -> list[Any] | None:
    """Return the items as `as_list` does, with those of a set in the order of texts and not of their JSON."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return as_list(value)


IN_ORDER: Final = BeforeValidator(lambda values: tuple(items) if (items := as_texts(values)) is not None else values)
"""Turns the list or set of a setting into a tuple, in the same order in every process."""


def item_details(name: str, items: Sequence[Any]) -> dict[str, Any]:
    details: dict[str, Any] = {name: [encode(item) for item in items[:MOST_ITEMS]]}
    if len(items) > MOST_ITEMS:
        details[f"{name}_omitted"] = len(items) - MOST_ITEMS
    return details


class SetContainment(PassFailOperator):
    """Two lists have the same items, or one contains the other, whatever their order and repetitions.

    Items may be of any type and are compared as by the operator ``exact``: 1 is 1.0 and is not true. A tuple, a set and
    an array of one dimension (NumPy, pandas, polars, Arrow) count as a list; text and mappings do not (note
    ``not_a_list``).

    Args:
        mode: ``exact`` (the same items), ``subset`` (every observed item is expected), ``superset`` (every expected item is
            observed) or ``overlap`` (enough items are in both).
        min_overlap: The number of different items that must be in both, for ``overlap`` (default: 1).
        normalize: Normalizers for text in the items, at every depth (default: none).

    Example:
        >>> compare("set_containment", ["EGFR", "KRAS"], ["KRAS"], mode="superset").details
        {'missing': ['EGFR'], 'unexpected': [], 'common': ['KRAS']}
    """

    name: ClassVar[str] = "set_containment"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "list"
    needs: ClassVar[Mapping[str, Needs]] = {
        "min_overlap": Needs(lambda operator: operator.mode == "overlap", "it needs mode='overlap'")
    }

    mode: Literal["exact", "subset", "superset", "overlap"] = "exact"
    min_overlap: Annotated[int, Field(strict=True, ge=1)] | None = None
    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        sides = _read_lists(expected, observed, self.normalize)
        if isinstance(sides, Outcome):
            return sides
        missing, unexpected, common = _split(sides)
        least = {"overlap": self.min_overlap or 1, "superset": 1}.get(self.mode, 0)
        if len(missing) + len(common) < least:
            items = "item" if least == 1 else "different items"
            return unusable(EMPTY_EXPECTED, f"a list of at least {least} {items} for mode={self.mode!r}", expected)
        if self.mode == "overlap":
            passed = len(common) >= least
        else:
            passed = (self.mode == "subset" or not missing) and (self.mode == "superset" or not unexpected)
        # A comparison that checks no item passes with a note.
        notes = [EMPTY_OBSERVED] if self.mode == "subset" and not sides.observed else []
        details = functools.partial(_split_details, missing, unexpected, common)
        return sides.outcome(float(passed), notes, details)


class SetSimilarity(Operator):
    """Two lists have enough items in common, without order and repetition.

    - ``precision``: the share of the observed items that are expected.
    - ``recall``: the share of the expected items that were observed.
    - ``f1``: their harmonic mean, twice the common items over the items of both lists.
    - ``jaccard``: the common items over all different items.

    Items and lists are read as by `SetContainment`. Two empty lists score 1.0, one empty list 0.0.

    Args:
        metric: The measure of similarity (default: ``f1``).
        normalize: Normalizers for text in the items, at every depth (default: none).

    Example:
        >>> result = compare("set_similarity", ["EGFR", "KRAS", "BRAF"], ["KRAS"])
        >>> result.score, result.details
        (0.5, {'missing': ['EGFR', 'BRAF'], 'unexpected': [], 'common': ['KRAS']})
    """

    name: ClassVar[str] = "set_similarity"
    kind: ClassVar[str] = "list"

    metric: Literal["f1", "precision", "recall", "jaccard"] = "f1"
    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        sides = _read_lists(expected, observed, self.normalize)
        if isinstance(sides, Outcome):
            return sides
        missing, unexpected, common = _split(sides)
        if common:
            common_weight, missing_weight, unexpected_weight = _WEIGHTS[self.metric]
            shared = common_weight * len(common)
            score = shared / (shared + missing_weight * len(missing) + unexpected_weight * len(unexpected))
        else:
            score = float(not missing and not unexpected)
        return sides.outcome(score, details=functools.partial(_split_details, missing, unexpected, common))


class OrderedMatch(PassFailOperator):
    """Two lists have the same length and equal items in the same order.

    Args:
        normalize: Normalizers for text in the items, at every depth (default: ``["lowercase", "strip"]``).

    Example:
        >>> compare("ordered_match", ["a", "b"], ["A", "c"]).details["differences"]
        [{'path': '$[1]', 'kind': 'changed', 'expected': 'b', 'observed': 'c'}]
    """

    name: ClassVar[str] = "ordered_match"
    kind: ClassVar[str] = "list"

    normalize: Normalization = ("lowercase", "strip")

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        sides = _read_lists(expected, observed, self.normalize)
        if isinstance(sides, Outcome):
            return sides
        details = summarize_differences(differences(sides.expected, sides.observed))
        if details["differences"]:
            return sides.outcome(0.0, details=details)
        return sides.outcome(1.0)


class MappingMatch(PassFailOperator):
    """Two mappings with keys of any type have equal values, or the expected one is contained in the observed one.

    Keys and values are compared as by the operator ``exact``, so bytes, dates and tuples are values like others. Mappings
    inside, also in lists, follow the same rule.

    Args:
        mode: ``exact`` (the same keys) or ``subset`` (observed may have more) (default: ``exact``).
        key_order: Whether the keys of expected must occur in their order (default: False).
        none_is_absent: Whether a key with the value None counts as missing (default: False).

    Example:
        >>> compare("mapping_match", {1: b"a"}, {1: b"a", (2, 3): None}, none_is_absent=True).score
        1.0
        >>> compare("mapping_match", {"a": 1}, {"a": 2, "b": 3}, mode="subset").details["differences"]
        [{'path': '$.a', 'kind': 'changed', 'expected': 1, 'observed': 2}]
    """

    name: ClassVar[str] = "mapping_match"
    kind: ClassVar[str] = "list"

    mode: Literal["exact", "subset"] = "exact"
    key_order: bool = False
    none_is_absent: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(expected, Mapping) or (self.mode == "subset" and not expected):
            return unusable(NOT_A_MAPPING, "a mapping, and not an empty one for a subset", expected)
        if not isinstance(observed, Mapping):
            return Outcome(0.0, notes=(NOT_A_MAPPING,))
        details = summarize_differences(self._compare(expected, observed, "$"))
        return Outcome(float(not details["differences"]), details=details)

    def _compare(self, expected: Any, observed: Any, path: str) -> Iterator[Difference]:
        if isinstance(expected, Mapping) and isinstance(observed, Mapping):
            yield from self._compare_fields(expected, observed, path)
        elif type(expected) is type(observed) is list and len(expected) == len(observed):
            for index, (item, other) in enumerate(zip(expected, observed, strict=True)):
                yield from self._compare(item, other, step(path, index))
        elif not equal(expected, observed):
            yield Difference(path, expected, observed)

    def _compare_fields(
        self, expected: Mapping[Any, Any], observed: Mapping[Any, Any], path: str
    ) -> Iterator[Difference]:
        fields = _fields(expected)
        others = _fields(observed)
        sides = [{key: side[key] for key in side if self._is_there(side[key][1])} for side in (fields, others)]
        for key, (label, value) in sides[0].items():
            if key in sides[1]:
                yield from self._compare(value, sides[1][key][1], step(path, label))
            else:
                yield Difference(step(path, label), value, ABSENT)
        # In a subset, only a key that is expected to be null may not be there.
        for key in others if self.mode == "exact" else fields:
            if key in sides[1] and key not in sides[0]:
                label, value = sides[1][key]
                yield Difference(step(path, label), ABSENT, value)
        orders = [[side[key][0] for key in side if key in other] for side, other in (sides, sides[::-1])]
        if self.key_order and orders[0] != orders[1]:
            yield Difference(path, orders[0], orders[1], reason="the keys are in another order")

    def _is_there(self, value: Any) -> bool:
        return value is not None or not self.none_is_absent


def _fields(mapping: Mapping[Any, Any]) -> dict[Hashable, tuple[str, Any]]:
    """Return the label and value of each key."""
    fields: dict[Hashable, tuple[str, Any]] = {}
    for key, value in mapping.items():
        label = key if isinstance(key, str) else encode_text(key)
        fields[content_key(key) or label] = (label, value)
    return fields


def _read_lists(expected: Any, observed: Any, steps: Normalization) -> NormalizedSides | Outcome:
    expected_items = as_list(expected)
    observed_items = as_list(observed)
    if expected_items is None or observed_items is None:
        unreadable = (expected_items is None, observed_items is None)
        return NormalizedSides().unreadable(NOT_A_LIST, "a list", expected, unreadable)
    return normalize_sides(expected_items, observed_items, steps)


def _split(sides: NormalizedSides) -> tuple[list[Any], list[Any], list[Any]]:
    expected = _Distinct(sides.expected)
    observed = _Distinct(sides.observed)
    missing, common = expected.split(observed)
    has_unkeyed = expected.unkeyed or observed.unkeyed
    if not missing and not has_unkeyed and len(expected.items) == len(observed.items):
        return missing, [], common
    return missing, observed.split(expected)[0], common


def _split_details(missing: list[Any], unexpected: list[Any], common: list[Any]) -> dict[str, Any]:
    return item_details("missing", missing) | item_details("unexpected", unexpected) | item_details("common", common)


class _Distinct:
    """The items of a list that differ by `equal`, in order; items without a key are compared one by one."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items: dict[Hashable, Any] = {}
        self.unkeyed: dict[Hashable, Any] = {}
        self.has_only_texts = TEXT.issuperset(map(type, items))
        if self.has_only_texts:
            self.items = dict(zip(items, items, strict=True))
            return
        for item in items:
            key = content_key(item)
            if self.contains(key, item):
                continue
            # Named tuples with the same items, and no field names in common, have the same key.
            if key is None or key in self.items:
                key = object()
                self.unkeyed[key] = item
            self.items[key] = item

    def contains(self, key: Hashable | None, item: Any) -> bool:
        """Return whether an item, with its key, is among the items."""
        if key is not None and key in self.items and equal(self.items[key], item):
            return True
        return any(equal(other, item) for other in (self.items if key is None else self.unkeyed).values())

    def split(self, other: "_Distinct") -> tuple[list[Any], list[Any]]:
        """Split the items into those that another list lacks and those that it has."""
        if self.has_only_texts and self.items.keys() <= other.items.keys():
            return [], [*self.items.values()]
        parts: tuple[list[Any], list[Any]] = ([], [])
        for key, item in self.items.items():
            parts[other.contains(None if key in self.unkeyed else key, item)].append(item)
        return parts
