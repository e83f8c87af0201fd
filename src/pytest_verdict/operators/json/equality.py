"""Operators on whole JSON documents: equal, and contained in."""

from collections.abc import Hashable, Iterator
from itertools import zip_longest
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.core.operator import OmitWhenDefault, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, differences, step
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.json.document import (
    Documents,
    JsonOperator,
    apply_to_both,
    difference_details,
    read_both,
    refuse_ignored,
)
from pytest_verdict.operators.json.rules import IgnoredPaths, mark
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, must_be

ListMode = Literal["contained", "exact"]

_CONTAINERS: Final = (dict, list)
_SORTED: Final = ("json_sort_keys",)


class _JsonPartsOperator(JsonOperator, PassFailOperator):
    ignore: OmitWhenDefault[IgnoredPaths] = ()
    case_sensitive: OmitWhenDefault[bool] = True

    def _read(self, expected: Any, observed: Any) -> Documents | Outcome:
        documents = read_both(expected, observed, self.normalize, (self.parse, self.parse))
        if isinstance(documents, Outcome) or (self.case_sensitive and not self.ignore):
            return documents
        marks = apply_to_both(documents, expected, lambda document: mark(document, self.ignore, {}))
        if isinstance(marks, Outcome):
            return marks
        fold = not self.case_sensitive
        expected_part = _remove_ignored(documents.expected, "$", marks[0].ignored, fold=fold)
        if documents.expected and expected_part in ({}, []):
            return refuse_ignored(documents)
        observed_part = _remove_ignored(documents.observed, "$", marks[1].ignored, fold=fold)
        return Documents(expected_part, observed_part, documents.sides)

    def _steps(self) -> tuple[str, ...]:
        return () if self.case_sensitive else ("casefold",)


def _remove_ignored(document: Any, path: str, ignored: frozenset[str], *, fold: bool) -> Any:
    if fold and isinstance(document, str):
        return document.casefold()
    if not isinstance(document, dict | list):
        return document
    remaining = []
    for label, item in document.items() if isinstance(document, dict) else enumerate(document):
        place = step(path, label)
        if place not in ignored:
            remaining.append((label, _remove_ignored(item, place, ignored, fold=fold)))
    return dict(remaining) if isinstance(document, dict) else [item for _, item in remaining]


class JsonCanonical(_JsonPartsOperator):
    """Expected and observed are the same JSON document.

    The order of keys does not count, which is recorded as the step ``json_sort_keys``; the order of lists counts. Numbers
    are equal by value (1, 1.0 and 1e0), and a bool is never a number. JSON text is read by RFC 8259, without duplicate keys,
    ``NaN`` and more than 200 levels. A document that cannot be read is a fail with a note and the reason in the details, and
    an ``error`` if it is expected.

    `ByField` compares each field by an operator of its own. A byte-order mark before JSON text is ignored.

    Args:
        normalize: Normalizers for evidence that is text, such as ``["strip_markdown_fence"]`` (default: none). A value that
            is neither str nor bytes is the parsed document; a dataclass or model is the object of its fields.
        parse: Whether text is parsed (default: True). With False a text is a JSON string, and bytes have no JSON form.
        ignore: JSONPaths (dialect of jsonpath-ng with its extensions) of parts that are removed from both documents.
        case_sensitive: False folds the case of texts, but not of keys, recorded as the last step ``casefold``.

    Example:
        >>> compare("json_canonical", '{"a": 1, "b": [2]}', '{"b": [2.0], "a": 1e0}').score
        1.0
        >>> compare("json_canonical", {"a": [1]}, '{"a": [2]}').details
        {'differences': [{'path': '$.a[0]', 'kind': 'changed', 'expected': 1, 'observed': 2}]}
    """

    name: ClassVar[str] = "json_canonical"
    version: ClassVar[int] = 2

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        documents = self._read(expected, observed)
        if isinstance(documents, Outcome):
            return documents
        steps = (*_SORTED, *self._steps())
        if equal(documents.expected, documents.observed):
            return documents.sides.outcome(1.0, normalization=steps)
        details = difference_details(differences(documents.expected, documents.observed))
        return documents.sides.outcome(0.0, details=details, normalization=steps)


class JsonSubset(_JsonPartsOperator):
    """The expected JSON document is contained in the observed one.

    An object is contained in an object that has all its keys, with values that contain the expected ones; a scalar is
    contained in an equal scalar. The other settings are those of `JsonCanonical`.

    Args:
        list_mode: ``contained``: every expected item is contained in an observed item of its own, in any order, found by
            maximum matching. ``exact``: the lists have equal lengths, and each item is contained in the one at its index.

    Example:
        >>> compare("json_subset", {"tags": ["b"]}, '{"tags": ["a", "b"], "id": 7}').score
        1.0
        >>> compare("json_subset", {"tags": ["c"]}, '{"tags": ["a", "b"]}').details
        {'differences': [{'path': '$.tags[0]', 'kind': 'missing', 'expected': 'c'}]}
    """

    name: ClassVar[str] = "json_subset"
    version: ClassVar[int] = 2

    list_mode: ListMode = "contained"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        documents = self._read(expected, observed)
        if isinstance(documents, Outcome):
            return documents
        steps = self._steps()
        in_place = self.list_mode == "exact"
        if documents.expected == {} or (documents.expected == [] and not in_place):
            requirement = "a document that is not empty: every object contains {}, every list []"
            return documents.sides.outcome(0.0, [EMPTY_EXPECTED], error=must_be(requirement, expected))
        if _is_contained(documents.expected, documents.observed, in_place):
            return documents.sides.outcome(1.0, normalization=steps)
        details = difference_details(_find_missing("$", documents.expected, documents.observed, in_place))
        return documents.sides.outcome(0.0, details=details, normalization=steps)


def _is_contained(expected: Any, observed: Any, in_place: bool) -> bool:  # noqa: FBT001 - called for each part
    """Return whether a document is contained in another one; ``in_place`` compares the items of lists by their index."""
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key, item in expected.items():
            if key not in observed or not _is_contained(item, observed[key], in_place):
                return False
        return True
    if isinstance(expected, list) and isinstance(observed, list):
        if not in_place:
            return not _find_unmatched(expected, observed)
        if len(expected) != len(observed):
            return False
        for item, other in zip(expected, observed, strict=True):  # noqa: SIM110 - all() takes a second frame per level
            if not _is_contained(item, other, in_place):
                return False
        return True
    return equal(expected, observed)


def _find_unmatched(expected: list[Any], observed: list[Any]) -> list[int]:
    """Return the indices of the expected items that no observed item of their own contains."""
    # Pairing equal items first is safe: any other item that needs an item's equal is contained in the item's partner too.
    places: dict[Hashable, list[int]] = {}
    for place in range(len(observed) - 1, -1, -1):
        places.setdefault(_key(observed[place]), []).append(place)
    rest = []
    taken = set()
    for index, item in enumerate(expected):
        same = places.get(_key(item))
        if same:
            taken.add(same.pop())
        else:
            rest.append(index)
    if not rest:
        return []

    holders: dict[Hashable, list[int]] = {}
    for place, item in enumerate(observed):
        if place not in taken:
            for label in _labels(item):
                holders.setdefault(label, []).append(place)
    candidates: list[list[int]] = []
    for index in rest:
        item = expected[index]
        choices: list[int] = []
        for place in min([holders.get(label, []) for label in _labels(item)], key=len, default=[]):
            if _is_contained(item, observed[place], False):  # noqa: FBT003
                choices.append(place)  # noqa: PERF401 - a comprehension takes a third frame per level
        candidates.append(choices)
    partners = maximum_matching(candidates, len(observed))
    return [index for index, partner in zip(rest, partners, strict=True) if partner is None]


def _key(item: Any) -> Hashable:
    """Return a key that only equal items have; equal objects and lists may have other keys."""
    return repr(item) if isinstance(item, _CONTAINERS) else (isinstance(item, bool), item)


def _labels(item: Any) -> Iterator[Hashable]:
    """Yield what every item that contains this one has as well; nothing for scalars, which only equal ones contain."""
    if isinstance(item, dict | list):
        yield type(item)
    if isinstance(item, dict):
        for key, part in item.items():
            if not isinstance(part, dict | list):
                yield key, isinstance(part, bool), part


def _find_missing(path: str, expected: Any, observed: Any, in_place: bool) -> Iterator[Difference]:  # noqa: FBT001
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key in sorted(expected):
            yield from _find_missing(step(path, key), expected[key], observed.get(key, ABSENT), in_place)
    elif isinstance(expected, list) and isinstance(observed, list):
        if in_place:
            for index, (item, other) in enumerate(zip_longest(expected, observed, fillvalue=ABSENT)):
                yield from _find_missing(step(path, index), item, other, in_place)
            return
        for index in _find_unmatched(expected, observed):
            yield Difference(step(path, index), expected[index], ABSENT)
    elif not equal(expected, observed):
        yield Difference(path, expected, observed)
