"""Operators on whole JSON documents: equal, and contained in."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, differences, step
from pytest_verdict.core.values.jsontext import hold_surely_the_same
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.json.document import listed, same
from pytest_verdict.operators.json.ignoring import JsonPartsOperator
from pytest_verdict.operators.json.tree import Kind, Node, TreeBuilder, without_equal

ListMode = Literal["contained", "exact"]
_Place = tuple[str, Node | None, Node | None]

_SORTED: Final = ("json_sort_keys",)
_PASS: Final = Outcome(1.0, normalization=_SORTED)


class JsonCanonical(JsonPartsOperator):
    """Expected and observed are the same JSON document.

    The order of keys is irrelevant and recorded as the step ``json_sort_keys``; numbers are equal by value (1, 1.0 and 1e0),
    a bool is never a number, the order of lists counts. JSON text is read as RFC 8259 says, with a key that occurs twice,
    ``NaN`` and more than 200 levels refused: with a note and its reason in the details it is a fail, and an ``error`` where
    expected cannot be read.

    Args:
        normalize: Normalizers for evidence that is text, such as ``["strip_markdown_fence"]``; none unless given. A value
            that is neither str nor bytes stands for the parsed document, a dataclass or model for the object of its fields.
        parse: Whether text is parsed, as is the default. With False a text is a JSON string, and bytes have no JSON form.
        ignore: JSONPaths (dialect of jsonpath-ng with its extensions) of parts that are removed from both documents.
        case_sensitive: False folds the case of texts, but not of keys, which is recorded as the last step ``casefold``.

    Example:
        >>> compare("json_canonical", '{"a": 1, "b": [2]}', '{"b": [2.0], "a": 1e0}').score
        1.0
        >>> compare("json_canonical", {"a": [1]}, '{"a": [2]}').details
        {'differences': [{'path': '$.a[0]', 'kind': 'changed', 'expected': 1, 'observed': 2}]}
    """

    name: ClassVar[str] = "json_canonical"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        is_text = type(expected) is type(observed) is str
        is_plain = self.parse and self.case_sensitive and not self.normalize and not self.ignore
        if is_text and is_plain and hold_surely_the_same(expected, observed):
            return _PASS
        found = self._read(expected, observed)
        if found.refusal is not None:
            return found.refusal
        steps = (*_SORTED, *self._steps())
        if same(found.expected, found.observed):
            return found.surfaces.outcome(1.0, normalization=steps)
        details = listed(differences(found.expected, found.observed))
        return found.surfaces.outcome(0.0, details=details, normalization=steps)


class JsonSubset(JsonPartsOperator):
    """The expected JSON document is contained in the observed one.

    An object is contained in an object that has all its keys, with values that contain the expected ones; a scalar in an equal
    scalar. Evidence is read as by `JsonCanonical`.

    Args:
        normalize: Normalizers for evidence that is text; none unless given.
        parse: Whether text is parsed, as for `JsonCanonical`.
        ignore: As for `JsonCanonical`.
        case_sensitive: As for `JsonCanonical`.
        list_mode: ``contained``: every expected item is contained in an observed item of its own, in any order, found by
            maximum matching. ``exact``: the lists are equally long, and each item is contained in the one at its place.

    Example:
        >>> compare("json_subset", {"tags": ["b"]}, '{"tags": ["a", "b"], "id": 7}').score
        1.0
        >>> compare("json_subset", {"tags": ["c"]}, '{"tags": ["a", "b"]}').details
        {'differences': [{'path': '$.tags[0]', 'kind': 'missing', 'expected': 'c'}]}
    """

    name: ClassVar[str] = "json_subset"

    list_mode: ListMode = "contained"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = self._read(expected, observed)
        steps = self._steps()
        if found.refusal is not None:
            return found.refusal
        if _surely_contained(found.expected, found.observed, self.list_mode == "exact"):
            return found.surfaces.outcome(1.0, normalization=steps)
        builder = TreeBuilder()
        left = builder.build(found.expected)
        right = builder.build(found.observed)
        if self.list_mode == "contained" and _contained(left, right):
            return found.surfaces.outcome(1.0, normalization=steps)
        details = listed(_missing(left, right, self.list_mode))
        return found.surfaces.outcome(0.0, details=details, normalization=steps)


def _surely_contained(expected: Any, observed: Any, in_place: bool) -> bool:  # noqa: FBT001 - called for each part
    """Say whether a document is contained in another one with the items of its lists in their order, or in their places."""
    kind = type(expected)
    if (kind is not dict and kind is not list) or type(observed) is not kind:
        return same(expected, observed)
    if kind is dict:
        for key, item in expected.items():
            if key not in observed or not _surely_contained(item, observed[key], in_place):
                return False
        return True
    following = iter(observed)
    for item in expected:
        for other in following:
            if _surely_contained(item, other, in_place):
                break
            if in_place:
                return False
        else:
            return False
    return not in_place or len(expected) == len(observed)


def _contained(expected: Node, observed: Node) -> bool:
    if expected.identity == observed.identity:
        return True
    if expected.kind is not observed.kind:
        return False
    if expected.kind is Kind.OBJECT:
        if not expected.fields.keys() <= observed.fields.keys():
            return False
        for key, field in expected.fields.items():  # noqa: SIM110 - all() takes a second frame per level
            if not _contained(field, observed.fields[key]):
                return False
        return True
    return expected.kind is Kind.LIST and not _unmatched(expected.items, observed.items)


def _unmatched(expected: list[Node], observed: list[Node]) -> list[Node]:
    _, (rows, columns) = without_equal(expected, observed)
    wanted = [expected[row] for row in rows]
    # An item may take its equal: whatever else would need that one is contained in the other's partner too. What is left
    # of the scalars is contained in nothing.
    given = [observed[column] for column in columns if observed[column].is_container]
    candidates: list[list[int]] = []
    for item, likely in zip(wanted, _likely(wanted, given), strict=True):
        choices: list[int] = []
        for index in likely:
            if _contained(item, given[index]):
                choices.append(index)  # noqa: PERF401 - a comprehension takes a third frame per level
        candidates.append(choices)
    partners = maximum_matching(candidates, len(given))
    return [item for item, partner in zip(wanted, partners, strict=True) if partner is None]


def _likely(wanted: list[Node], given: list[Node]) -> Iterator[Sequence[int]]:
    """Give for each wanted item the places of what may contain it: what holds the rarest of its scalars."""
    holders: dict[int, list[int]] = {}
    too_large = [index for index, other in enumerate(given) if other.profile().scalars is None]
    for index, other in enumerate(given):
        for identity in other.profile().scalars or ():
            holders.setdefault(identity, []).append(index)
    for item in wanted:
        if item.is_container:
            scalars = item.profile().scalars
        else:
            scalars = None
        if scalars:
            rarest = min((holders.get(identity, []) for identity in scalars), key=len)
            yield sorted(rarest + too_large)
        else:
            yield range(len(given) if item.is_container else 0)


def _missing(expected: Node, observed: Node, list_mode: ListMode) -> Iterator[Difference]:
    pending: list[_Place] = [("$", expected, observed)]
    while pending:
        path, left, right = pending.pop()
        if left is None or right is None:
            yield Difference(path, left.document if left else ABSENT, right.document if right else ABSENT)
        elif left.identity != right.identity:
            parts = _parts(path, left, right, list_mode)
            if parts is None:
                yield Difference(path, left.document, right.document)
            else:
                pending += reversed(parts)


def _parts(path: str, expected: Node, observed: Node, list_mode: ListMode) -> list[_Place] | None:
    if expected.kind is Kind.OBJECT and observed.kind is Kind.OBJECT:
        return [(step(path, key), field, observed.fields.get(key)) for key, field in sorted(expected.fields.items())]
    if expected.kind is not Kind.LIST or observed.kind is not Kind.LIST:
        return None
    if list_mode == "contained":
        return [(step(path, item.label), item, None) for item in _unmatched(expected.items, observed.items)]
    pairs = enumerate(zip_longest(expected.items, observed.items))
    return [(step(path, index), item, other) for index, (item, other) in pairs]
