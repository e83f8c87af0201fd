"""The differences between two values: mappings by key, objects by field, lists aligned, sets by member."""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.equality import content_key, equal
from pytest_verdict.core.values.opcodes import Opcode, opcodes
from pytest_verdict.core.values.placeholders import ABSENT, has_named_fields, named_fields

MOST_DIFFERENCES: Final = 100

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two values differ; an unexpected part has no ``expected``, a missing one no ``observed``."""

    path: str
    expected: Any = ABSENT
    observed: Any = ABSENT
    observed_path: str | None = None
    reason: str | None = None

    @property
    def kind(self) -> Literal["changed", "missing", "unexpected"]:
        """The kind of the difference."""
        if self.reason is not None or (self.expected is not ABSENT and self.observed is not ABSENT):
            return "changed"
        if self.expected is ABSENT:
            return "unexpected"
        return "missing"


def summarize_differences(places: Iterable[Difference], write: Callable[[Any], Any] = encode) -> dict[str, Any]:
    """Return the first differences and the number of the others, for the details of a record."""
    remaining = iter(places)
    details: dict[str, Any] = {"differences": [_to_details(one, write) for one in islice(remaining, MOST_DIFFERENCES)]}
    omitted = sum(1 for _ in remaining)
    if omitted:
        details["differences_omitted"] = omitted
    return details


def _to_details(difference: Difference, write: Callable[[Any], Any]) -> dict[str, Any]:
    details: dict[str, Any] = {"path": difference.path, "kind": difference.kind}
    if difference.expected is not ABSENT:
        details["expected"] = write(difference.expected)
    if difference.observed is not ABSENT:
        details["observed"] = write(difference.observed)
    if difference.observed_path not in {None, difference.path}:
        details["observed_path"] = difference.observed_path
    if difference.reason is not None:
        details["reason"] = difference.reason
    return details


def step(path: str, label: str | int) -> str:
    """Extend a JSONPath by one step."""
    if isinstance(label, int):
        return f"{path}[{label}]"
    if _IDENTIFIER.fullmatch(label):
        return f"{path}.{label}"
    # Escaped as in JSON, between single quotes.
    escaped = json.dumps(label, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"{path}['{escaped}']"


def differences(expected: Any, observed: Any) -> Iterator[Difference]:
    """Yield the differences between two values, in the order of their paths."""
    pending = [] if equal(expected, observed) else [Difference("$", expected, observed)]
    while pending:
        difference = pending.pop()
        inner = _differences_inside(difference)
        if inner:
            pending += reversed(inner)
        else:
            yield difference


def _differences_inside(outer: Difference) -> list[Difference]:
    """Return the differences between the parts of two containers of one kind."""
    expected = outer.expected
    observed = outer.observed
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        return _of_mappings(outer, expected, observed)
    for kind in (list, tuple):
        if isinstance(expected, kind) and isinstance(observed, kind):
            return _of_lists(outer, expected, observed)
    if isinstance(expected, set | frozenset) and isinstance(observed, set | frozenset):
        return _of_sets(outer.path, expected, observed)
    if has_named_fields(expected) and has_named_fields(observed):
        *expected_class, expected_fields = named_fields(expected)
        *observed_class, observed_fields = named_fields(observed)
        if expected_class == observed_class:
            return _of_mappings(outer, expected_fields, observed_fields)
    return []


def _of_mappings(outer: Difference, expected: Mapping[Any, Any], observed: Mapping[Any, Any]) -> list[Difference]:
    inner = []
    for key in _sort_keys(expected, observed):
        path, observed_path = [
            step(path, key) if isinstance(key, str) else f"{path}[{shown(key, 40)}]"
            for path in (outer.path, outer.observed_path or outer.path)
        ]
        one = expected.get(key, ABSENT)
        other = observed.get(key, ABSENT)
        if one is ABSENT or other is ABSENT or not equal(one, other):
            inner.append(_at(path, observed_path, one, other))
    return inner


def _sort_keys(expected: Mapping[Any, Any], observed: Mapping[Any, Any]) -> list[Any]:
    keys = [*expected, *(key for key in observed if key not in expected)]
    try:
        return sorted(keys)
    except TypeError:
        return sorted(keys, key=lambda key: (type(key).__name__, shown(key)))


def _at(path: str, observed_path: str, expected: Any, observed: Any) -> Difference:
    return Difference(path, expected, observed, observed_path if observed_path != path else None)


def _of_lists(outer: Difference, expected: Any, observed: Any) -> list[Difference]:
    path = outer.path
    observed_path = outer.observed_path or path
    inner = []
    for tag, removed, added in _align_lists(expected, observed):
        if tag == "equal":
            continue
        paired = min(len(removed), len(added))
        for at, to in zip(removed[:paired], added[:paired], strict=True):
            if not equal(expected[at], observed[to]):
                inner.append(_at(step(path, at), step(observed_path, to), expected[at], observed[to]))
        inner += [Difference(step(path, at), expected[at]) for at in removed[paired:]]
        inner += [Difference(step(observed_path, to), ABSENT, observed[to]) for to in added[paired:]]
    return inner


def _align_lists(expected: Any, observed: Any) -> list[Opcode]:
    if len(expected) == len(observed):
        # Most lists of one length have the same items in the same places.
        changed = [at for at, pair in enumerate(zip(expected, observed, strict=True)) if not equal(*pair)]
        if 2 * len(changed) <= len(expected):
            return [Opcode("replace", range(at, at + 1), range(at, at + 1)) for at in changed]
    return opcodes(_item_keys(expected), _item_keys(observed))


def _of_sets(path: str, expected: Any, observed: Any) -> list[Difference]:
    # Sorted, because the order of a set depends on the hash seed.
    members = [sorted(items, key=shown) for items in (expected, observed)]
    missing, unexpected = [dict(zip(_item_keys(items), items, strict=True)) for items in members]
    for key in missing.keys() & unexpected.keys():
        del missing[key], unexpected[key]
    return [Difference(path, item) for item in missing.values()] + [
        Difference(path, ABSENT, item) for item in unexpected.values()
    ]


def _item_keys(items: Any) -> list[Hashable]:
    # An item without a recorded form equals nothing.
    return [object() if (key := content_key(item)) is None else key for item in items]
