"""Operators on lists, containment without order and equality in order; and how evidence is read as a list."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import differences, listed_differences
from pytest_verdict.core.values.encoding import encode, encode_text
from pytest_verdict.core.values.equality import TEXT, content_key, equal
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NormalizedSides, normalize_sides

EMPTY_OBSERVED: Final = "empty_observed"
NOT_A_LIST: Final = "not_a_list"
# How much common, missing and unexpected items count in what could have been common.
_WEIGHTS: Final = {"f1": (2, 1, 1), "precision": (1, 0, 1), "recall": (1, 1, 0), "jaccard": (1, 1, 1)}
MOST_ITEMS: Final = 100
"""The most items that details list of one kind; a further key ends in ``_omitted`` and counts the rest."""


def as_list(value: Any) -> list[Any] | None:
    """Read a value as a list of items."""
    if isinstance(value, list | tuple):
        return list(value)
    return sorted(value, key=encode_text) if isinstance(value, set | frozenset) else None


def listed(name: str, items: Sequence[Any]) -> dict[str, Any]:
    """Write items for the details of an outcome."""
    found: dict[str, Any] = {name: [encode(item) for item in items[:MOST_ITEMS]]}
    if len(items) > MOST_ITEMS:
        found[f"{name}_omitted"] = len(items) - MOST_ITEMS
    return found


class SetContainment(Operator):
    """The items of two lists, without order and repetition, are in a relation.

    Items may be of any type and are compared as by the operator ``exact``: 1 is 1.0 and is not true. A list, tuple or set
    is a list; text and a mapping are ``not_a_list``.

    Args:
        mode: ``exact`` (the same items), ``subset`` (every observed item is expected), ``superset`` (every expected item is
            observed) or ``overlap`` (enough items are in both).
        min_overlap: For ``overlap``, how many different items must be in both, from 1; 1 unless given.
        normalize: Normalizers for text in the items, at every depth; none unless given.

    Example:
        >>> compare("set_containment", ["EGFR", "KRAS"], ["KRAS"], mode="superset").details
        {'missing': ['EGFR'], 'unexpected': [], 'common': ['KRAS']}
    """

    name: ClassVar[str] = "set_containment"
    kind: ClassVar[str] = "list"

    mode: Literal["exact", "subset", "superset", "overlap"] = "exact"
    min_overlap: Annotated[int, Field(strict=True, ge=1)] | None = None
    normalize: Normalization = ()

    @model_validator(mode="after")
    def _only_for_overlap(self) -> Self:
        if self.min_overlap is not None and self.mode != "overlap":
            raise ValueError(f"min_overlap={self.min_overlap} needs mode='overlap', got mode={self.mode!r}")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = _read_lists(expected, observed, self.normalize)
        if isinstance(found, Outcome):
            return found
        missing, unexpected, common = _split(found)
        return found.outcome(
            float(self._holds(missing, unexpected, common)),
            self._notes(found.expected, found.observed),
            functools.partial(_listed_parts, missing, unexpected, common),
        )

    def _holds(self, missing: list[Any], unexpected: list[Any], common: list[Any]) -> bool:
        if self.mode == "overlap":
            return len(common) >= (self.min_overlap or 1)
        return (self.mode == "subset" or not missing) and (self.mode == "superset" or not unexpected)

    def _notes(self, expected: list[Any], observed: list[Any]) -> list[str]:
        # Such a comparison passes without having asked for anything.
        if self.mode == "subset" and not observed:
            return [EMPTY_OBSERVED]
        return [EMPTY_EXPECTED] if self.mode == "superset" and not expected else []


class SetSimilarity(Operator):
    """Two lists have enough items in common, without order and repetition.

    - ``precision``: the share of the observed items that are expected.
    - ``recall``: the share of the expected items that were observed.
    - ``f1``: their harmonic mean, twice the common items over the items of both lists.
    - ``jaccard``: the common items over all different items.

    Items and lists are read as by `SetContainment`. Two empty lists score 1.0, one empty list 0.0.

    Args:
        metric: How similarity is measured; ``f1`` unless given.
        normalize: Normalizers for text in the items, at every depth; none unless given.

    Example:
        >>> found = compare("set_similarity", ["EGFR", "KRAS", "BRAF"], ["KRAS"])
        >>> found.score, found.details
        (0.5, {'missing': ['EGFR', 'BRAF'], 'unexpected': [], 'common': ['KRAS']})
    """

    name: ClassVar[str] = "set_similarity"
    kind: ClassVar[str] = "list"

    metric: Literal["f1", "precision", "recall", "jaccard"] = "f1"
    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = _read_lists(expected, observed, self.normalize)
        if isinstance(found, Outcome):
            return found
        missing, unexpected, common = _split(found)
        of_common, of_missing, of_unexpected = _WEIGHTS[self.metric]
        possible = of_common * len(common) + of_missing * len(missing) + of_unexpected * len(unexpected)
        score = of_common * len(common) / possible if common else float(not missing and not unexpected)
        return found.outcome(score, details=_listed_parts(missing, unexpected, common))


class OrderedMatch(Operator):
    """Two lists have the same length and equal items in the same order.

    Args:
        normalize: Normalizers for text in the items, at every depth; ``["lowercase", "strip"]`` unless given.

    Example:
        >>> compare("ordered_match", ["a", "b"], ["A", "c"]).details["differences"]
        [{'path': '$[1]', 'kind': 'changed', 'expected': 'b', 'observed': 'c'}]
    """

    name: ClassVar[str] = "ordered_match"
    kind: ClassVar[str] = "list"

    normalize: Normalization = ("lowercase", "strip")

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = _read_lists(expected, observed, self.normalize)
        if isinstance(found, Outcome):
            return found
        different = listed_differences(differences(found.expected, found.observed))
        return found.outcome(0.0, details=different) if different["differences"] else found.outcome(1.0)


def _read_lists(expected: Any, observed: Any, steps: Normalization) -> NormalizedSides | Outcome:
    wanted, given = as_list(expected), as_list(observed)
    if wanted is None or given is None:
        return NormalizedSides().unreadable(NOT_A_LIST, "a list", expected, (wanted is None, given is None))
    return normalize_sides(wanted, given, steps)


def _split(found: NormalizedSides) -> tuple[list[Any], list[Any], list[Any]]:
    """Give the items that are missing, that are unexpected, and that are in both lists."""
    left, right = _Distinct(found.expected), _Distinct(found.observed)
    missing, common = left.split(right)
    unexpected = [] if not missing and left.is_as_large_as(right) else right.split(left)[0]
    return missing, unexpected, common


def _listed_parts(missing: list[Any], unexpected: list[Any], common: list[Any]) -> dict[str, Any]:
    return {**listed("missing", missing), **listed("unexpected", unexpected), **listed("common", common)}


class _Distinct:
    """Items that differ by `equal`, in the order in which they came; those without a key are searched one by one."""

    def __init__(self, items: Sequence[Any]) -> None:
        # Those without a key stand below one that is theirs alone.
        self._items: dict[Hashable, Any] = {}
        self._others: dict[Hashable, Any] = {}
        if TEXT.issuperset(map(type, items)):
            self._items = dict(zip(items, items, strict=True))
            return
        for item in items:
            key = content_key(item)
            if not self._has(key, item):
                own = object() if key is None else key
                self._items[own] = item
                if key is None:
                    self._others[own] = item

    def _has(self, key: Hashable | None, item: Any) -> bool:
        if key is not None and key in self._items:
            return True
        return any(equal(other, item) for other in (self._items if key is None else self._others).values())

    def is_as_large_as(self, other: _Distinct) -> bool:
        """Say whether there are as many, all of which have a key, so that either is all of the other or neither is."""
        return len(self._items) == len(other._items) and not self._others and not other._others

    def split(self, other: _Distinct) -> tuple[list[Any], list[Any]]:
        """Give the items that are not among others, and those that are."""
        if not self._others and self._items.keys() <= other._items.keys():
            return [], [*self._items.values()]
        found: tuple[list[Any], list[Any]] = [], []
        for key, item in self._items.items():
            found[other._has(None if key in self._others else key, item)].append(item)
        return found
