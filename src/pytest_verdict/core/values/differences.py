"""Where two values differ, down to the leaves: mappings by key, objects by field, lists aligned, sets by member."""

import functools
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from pytest_verdict.core.values.display import safe_repr, shown
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.equality import content_key, equal
from pytest_verdict.core.values.opcodes import Opcode, opcodes
from pytest_verdict.core.values.placeholders import ABSENT, has_named_fields, named_fields

MOST_DIFFERENCES: Final = 100

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_TO_ESCAPE: Final = re.compile(r"[\\'\x00-\x1f\x7f]")
_SHORT_ESCAPES: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "'": "\\'", "\\": "\\\\"}

_MOST_KEYS: Final = 5_000
_PLAIN: Final = frozenset({str, int, float})


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two values differ: ``expected`` is absent from what is unexpected, ``observed`` from what is missing."""

    path: str
    expected: Any = ABSENT
    observed: Any = ABSENT
    observed_path: str | None = None
    reason: str | None = None

    @property
    def kind(self) -> Literal["changed", "missing", "unexpected"]:
        """What is the matter."""
        if self.reason is not None or (self.expected is not ABSENT and self.observed is not ABSENT):
            return "changed"
        if self.expected is ABSENT:
            return "unexpected"
        return "missing"


def listed_differences(found: Iterable[Difference], write: Callable[[Any], Any] = encode) -> dict[str, Any]:
    """Write differences for the details of a record, as many as it holds."""
    remaining = iter(found)
    details: dict[str, Any] = {"differences": [_to_details(one, write) for one in islice(remaining, MOST_DIFFERENCES)]}
    omitted = sum(1 for _ in remaining)
    if omitted:
        details["differences_omitted"] = omitted
    return details


def _to_details(difference: Difference, write: Callable[[Any], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"path": difference.path, "kind": difference.kind}
    if difference.expected is not ABSENT:
        found["expected"] = write(difference.expected)
    if difference.observed is not ABSENT:
        found["observed"] = write(difference.observed)
    if difference.observed_path not in {None, difference.path}:
        found["observed_path"] = difference.observed_path
    if difference.reason is not None:
        found["reason"] = difference.reason
    return found


def step(path: str, label: str | int) -> str:
    """Extend a JSONPath by one step."""
    if isinstance(label, int):
        return f"{path}[{label}]"
    return path + _key_step(label)


@functools.lru_cache(maxsize=1_000)
def _key_step(key: str) -> str:
    if _IDENTIFIER.fullmatch(key):
        return f".{key}"
    return f"['{_TO_ESCAPE.sub(_escaped, key)}']"


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04x}"


def differences(expected: Any, observed: Any) -> Iterator[Difference]:
    """Find where two values differ, in the order of their paths."""
    if equal(expected, observed):
        pending = []
    else:
        pending = [Difference("$", expected, observed)]
    while pending:
        found = pending.pop()
        inner = _inner(found)
        if inner:
            pending += reversed(inner)
        else:
            yield found


def _inner(found: Difference) -> list[Difference]:
    """Give what differs inside two containers of one kind."""
    left = found.expected
    right = found.observed
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return _of_mappings(found, left, right)
    for kind in (list, tuple):
        if isinstance(left, kind) and isinstance(right, kind):
            return _of_lists(found, left, right)
    if isinstance(left, set | frozenset) and isinstance(right, set | frozenset):
        return _of_sets(found.path, left, right)
    if has_named_fields(left) and has_named_fields(right):
        *left_class, fields = named_fields(left)
        *right_class, other_fields = named_fields(right)
        if left_class == right_class:
            return _of_mappings(found, fields, other_fields)
        return []
    return []


def _of_mappings(found: Difference, left: Mapping[Any, Any], right: Mapping[Any, Any]) -> list[Difference]:
    paths = found.path, found.observed_path or found.path
    inner = []
    for key in _sorted_keys(left, right):
        label = key if isinstance(key, str) else shown(key, 40)
        places = [step(path, label) if isinstance(key, str) else f"{path}[{label}]" for path in paths]
        one = left.get(key, ABSENT)
        other = right.get(key, ABSENT)
        if one is ABSENT or other is ABSENT or not equal(one, other):
            inner.append(_at(places[0], places[1], one, other))
    return inner


def _sorted_keys(left: Mapping[Any, Any], right: Mapping[Any, Any]) -> list[Any]:
    keys = [*left, *(key for key in right if key not in left)]
    try:
        return sorted(keys)
    except TypeError:
        return sorted(keys, key=lambda key: (type(key).__name__, shown(key)))


def _at(path: str, observed_path: str, expected: Any, observed: Any) -> Difference:
    return Difference(path, expected, observed, observed_path if observed_path != path else None)


def _of_lists(found: Difference, left: Any, right: Any) -> list[Difference]:
    path, other = found.path, found.observed_path or found.path
    inner = []
    for tag, lefts, rights in _aligned(left, right):
        if tag == "equal":
            continue
        paired = min(len(lefts), len(rights))
        for at, to in zip(lefts[:paired], rights[:paired], strict=True):
            if not equal(left[at], right[to]):
                inner.append(_at(step(path, at), step(other, to), left[at], right[to]))
        inner += [Difference(step(path, at), left[at]) for at in lefts[paired:]]
        inner += [Difference(step(other, to), ABSENT, right[to]) for to in rights[paired:]]
    return inner


def _aligned(left: Any, right: Any) -> list[Opcode]:
    if len(left) == len(right):
        # Most lists of one length have the same items in the same places.
        changed = [at for at, (one, other) in enumerate(zip(left, right, strict=True)) if not equal(one, other)]
        if 2 * len(changed) <= len(left):
            return [Opcode("replace", range(at, at + 1), range(at, at + 1)) for at in changed]
    return opcodes(_item_keys(left), _item_keys(right))


def _of_sets(path: str, left: Any, right: Any) -> list[Difference]:
    wanted = dict(_members(left))
    given = dict(_members(right))
    missing = [Difference(path, item) for key, item in wanted.items() if key not in given]
    return missing + [Difference(path, ABSENT, item) for key, item in given.items() if key not in wanted]


def _members(items: Any) -> list[tuple[Hashable, Any]]:
    # Sorted, because the order of a set depends on the hash seed.
    return list(zip(_item_keys(ordered := sorted(items, key=shown)), ordered, strict=True))


def _item_keys(items: Any) -> list[Hashable]:
    if len(items) > _MOST_KEYS:
        # Close enough to align very long lists; whether two items are equal is asked again.
        return [item if type(item) in _PLAIN else safe_repr(item) for item in items]
    # An item that has no recorded form equals nothing.
    return [object() if (key := content_key(item)) is None else key for item in items]
