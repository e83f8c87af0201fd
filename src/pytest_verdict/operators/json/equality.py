"""Operators on whole JSON documents: equal, and contained in."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.core.operator import OmitWhenDefault, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, differences, step
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.json.document import (
    Documents,
    JsonOperator,
    apply_to_both,
    are_equal,
    difference_details,
    read_both,
    refuse_ignored,
)
from pytest_verdict.operators.json.rules import IgnoredPaths, Marks, mark
from pytest_verdict.operators.json.tree import Kind, Node, TreeBuilder, without_equal
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, must_be

ListMode = Literal["contained", "exact"]
_Place = tuple[str, Node | None, Node | None]

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
        expected_part = _remove_ignored(documents.expected, marks[0], fold=fold)
        if documents.expected and expected_part in ({}, []):
            return refuse_ignored(documents)
        return Documents(expected_part, _remove_ignored(documents.observed, marks[1], fold=fold), documents.sides)

    def _steps(self) -> tuple[str, ...]:
        return () if self.case_sensitive else ("casefold",)


def _remove_ignored(document: Any, marks: Marks, *, fold: bool) -> Any:
    holder = id(document)
    if isinstance(document, dict):
        fields = [(key, item) for key, item in document.items() if (holder, key) not in marks.ignored]
        return {key: _remove_ignored(item, marks, fold=fold) for key, item in fields}
    if isinstance(document, list):
        items = [item for index, item in enumerate(document) if (holder, index) not in marks.ignored]
        return [_remove_ignored(item, marks, fold=fold) for item in items]
    if fold and isinstance(document, str):
        return document.casefold()
    return document


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
        if are_equal(documents.expected, documents.observed):
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
        is_empty = documents.expected == {} or (documents.expected == [] and self.list_mode == "contained")
        if is_empty:
            requirement = "a document that is not empty: every object contains {}, every list []"
            return documents.sides.outcome(0.0, [EMPTY_EXPECTED], error=must_be(requirement, expected))
        if _is_surely_contained(documents.expected, documents.observed, self.list_mode == "exact"):
            return documents.sides.outcome(1.0, normalization=steps)
        builder = TreeBuilder()
        first = builder.build(documents.expected)
        second = builder.build(documents.observed)
        if self.list_mode == "contained" and _is_contained(first, second):
            return documents.sides.outcome(1.0, normalization=steps)
        details = difference_details(_find_missing(first, second, self.list_mode))
        return documents.sides.outcome(0.0, details=details, normalization=steps)


def _is_surely_contained(expected: Any, observed: Any, in_place: bool) -> bool:  # noqa: FBT001 - called for each part
    """Return whether a document is contained in another one without reordering its lists; ``in_place`` keeps indices too."""
    kind = type(expected)
    if (kind is not dict and kind is not list) or type(observed) is not kind:
        return are_equal(expected, observed)
    if kind is dict:
        for key, item in expected.items():
            if key not in observed or not _is_surely_contained(item, observed[key], in_place):
                return False
        return True
    remaining = iter(observed)
    for item in expected:
        for other in remaining:
            if _is_surely_contained(item, other, in_place):
                break
            if in_place:
                return False
        else:
            return False
    return not in_place or len(expected) == len(observed)


def _is_contained(expected: Node, observed: Node) -> bool:
    if expected.identity == observed.identity:
        return True
    if expected.kind is not observed.kind:
        return False
    if expected.kind is Kind.OBJECT:
        if not expected.fields.keys() <= observed.fields.keys():
            return False
        for key, field in expected.fields.items():  # noqa: SIM110 - all() takes a second frame per level
            if not _is_contained(field, observed.fields[key]):
                return False
        return True
    return expected.kind is Kind.LIST and not _find_unmatched(expected.items, observed.items)


def _find_unmatched(expected: list[Node], observed: list[Node]) -> list[Node]:
    _, (rows, columns) = without_equal(expected, observed)
    items = [expected[row] for row in rows]
    # Pairing equal items first is safe: any other item that needs an item's equal is contained in the item's partner too.
    # An expected scalar without an equal is contained in nothing.
    containers = [observed[column] for column in columns if observed[column].is_container]
    candidates: list[list[int]] = []
    for item, indices in zip(items, _find_candidates(items, containers), strict=True):
        choices: list[int] = []
        for index in indices:
            if _is_contained(item, containers[index]):
                choices.append(index)  # noqa: PERF401 - a comprehension takes a third frame per level
        candidates.append(choices)
    partners = maximum_matching(candidates, len(containers))
    return [item for item, partner in zip(items, partners, strict=True) if partner is None]


def _find_candidates(items: list[Node], containers: list[Node]) -> Iterator[Sequence[int]]:
    """Yield for each item the indices of the containers that hold the rarest of its scalars."""
    holders: dict[int, list[int]] = {}
    too_large = [index for index, other in enumerate(containers) if other.profile().scalars is None]
    for index, other in enumerate(containers):
        for identity in other.profile().scalars or ():
            holders.setdefault(identity, []).append(index)
    for item in items:
        if not item.is_container:
            yield ()
            continue
        scalars = item.profile().scalars
        if scalars:
            rarest = min((holders.get(identity, []) for identity in scalars), key=len)
            yield sorted(rarest + too_large)
        else:
            yield range(len(containers))


def _find_missing(expected: Node, observed: Node, list_mode: ListMode) -> Iterator[Difference]:
    pending: list[_Place] = [("$", expected, observed)]
    while pending:
        path, first, second = pending.pop()
        if first is None or second is None:
            yield Difference(path, first.document if first else ABSENT, second.document if second else ABSENT)
        elif first.identity != second.identity:
            parts = _pair_parts(path, first, second, list_mode)
            if parts is None:
                yield Difference(path, first.document, second.document)
            else:
                pending += reversed(parts)


def _pair_parts(path: str, expected: Node, observed: Node, list_mode: ListMode) -> list[_Place] | None:
    if expected.kind is Kind.OBJECT and observed.kind is Kind.OBJECT:
        return [(step(path, key), field, observed.fields.get(key)) for key, field in sorted(expected.fields.items())]
    if expected.kind is not Kind.LIST or observed.kind is not Kind.LIST:
        return None
    if list_mode == "contained":
        return [(step(path, item.label), item, None) for item in _find_unmatched(expected.items, observed.items)]
    pairs = enumerate(zip_longest(expected.items, observed.items))
    return [(step(path, index), item, other) for index, (item, other) in pairs]
