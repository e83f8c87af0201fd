"""Sets of characters in a regular expression, as far as needed to say that two of them share none."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

# Up to this many characters of a range are looked at one by one; a longer range counts as sharing some.
_MOST_LISTED: Final = 1_024

_CATEGORIES: Final[dict[str, Callable[[str], bool]]] = {
    "CATEGORY_DIGIT": str.isdecimal,
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_WORD": lambda character: character.isalnum() or character == "_",
    "CATEGORY_NOT_DIGIT": lambda character: not character.isdecimal(),
    "CATEGORY_NOT_SPACE": lambda character: not character.isspace(),
    "CATEGORY_NOT_WORD": lambda character: not (character.isalnum() or character == "_"),
}

# ASCII classes are parts of the Unicode ones, so only facts that hold for both are written down here.
_APART: Final = frozenset(
    frozenset(f"CATEGORY_{name}" for name in pair)
    for pair in (("DIGIT", "SPACE"), ("WORD", "SPACE"), ("DIGIT", "NOT_WORD"))
)


@dataclass(frozen=True, slots=True)
class Characters:
    """A set of characters: ranges and categories, or everything else."""

    ranges: tuple[tuple[int, int], ...] = ()
    categories: tuple[str, ...] = ()
    negated: bool = False


ANYTHING: Final = Characters(negated=True)


def characters_of(kind: str, argument: Any, flags: int) -> Characters | None:
    """Read a node of a parsed pattern that matches exactly one character."""
    if kind == "LITERAL":
        return _folded(Characters(((argument, argument),)), flags)
    if kind == "NOT_LITERAL":
        return Characters(((argument, argument),), negated=True)
    if kind == "ANY":
        return ANYTHING if flags & re.DOTALL else Characters(((10, 10),), negated=True)
    return _folded(_listed(argument), flags) if kind == "IN" else None


def _listed(items: Sequence[tuple[Any, Any]]) -> Characters:
    ranges: list[tuple[int, int]] = []
    categories: list[str] = []
    for kind, argument in items:
        if str(kind) == "LITERAL":
            ranges.append((argument, argument))
        elif str(kind) == "RANGE":
            ranges.append(argument)
        elif str(kind) == "CATEGORY":
            categories.append(str(argument))
    return Characters(tuple(ranges), tuple(categories), any(str(kind) == "NEGATE" for kind, _ in items))


def _folded(found: Characters, flags: int) -> Characters:
    # A negated set is left as it is: without the other cases it is the larger set, which is the safe side.
    if not flags & re.IGNORECASE or found.negated:
        return found
    if any(last - first >= _MOST_LISTED for first, last in found.ranges):
        return ANYTHING
    cases = {case for first, last in found.ranges for code in range(first, last + 1) for case in _cases(chr(code))}
    return Characters(tuple((ord(case), ord(case)) for case in sorted(cases)), found.categories)


def _cases(character: str) -> set[str]:
    found = {character}
    for _ in range(3):
        # The first of several characters stands for them all: too many cases are on the safe side.
        found |= {case[0] for known in found for case in (known.lower(), known.upper())}
    return found


def disjoint(left: Characters, right: Characters) -> bool:
    """Say whether two sets certainly share no character."""
    if left.negated and right.negated:
        return False
    if left.negated or right.negated:
        inside, outside = (right, left) if left.negated else (left, right)
        return all(_covers(outside, item) for item in _items(inside))
    return all(_apart(one, other) for one in _items(left) for other in _items(right))


_Item = tuple[int, int] | str


def _items(found: Characters) -> list[_Item]:
    return [*found.ranges, *found.categories]


def _apart(left: _Item, right: _Item) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return frozenset((left, right)) in _APART or _opposite(left, right)
    if isinstance(left, str) or isinstance(right, str):
        category, characters = (left, right) if isinstance(left, str) else (right, left)
        return _all_in(characters, lambda character: not _possibly_in(str(category), character))
    return left[1] < right[0] or right[1] < left[0]


def _opposite(left: str, right: str) -> bool:
    return left.replace("NOT_", "") == right.replace("NOT_", "") and left != right


def _possibly_in(category: str, character: str) -> bool:
    # Under ASCII the negated classes hold every character beyond it.
    return _CATEGORIES[category](character) or ("NOT_" in category and not character.isascii())


def _certainly_in(category: str, character: str) -> bool:
    return _CATEGORIES[category](character) and ("NOT_" in category or character.isascii())


def _covers(outer: Characters, item: _Item) -> bool:
    if isinstance(item, str):
        return item in outer.categories or (item == "CATEGORY_DIGIT" and "CATEGORY_WORD" in outer.categories)
    within = any(first <= item[0] and item[1] <= last for first, last in outer.ranges)
    return within or any(_all_in(item, functools.partial(_certainly_in, name)) for name in outer.categories)


def _all_in(characters: Any, test: Callable[[str], bool]) -> bool:
    first, last = characters
    return last - first < _MOST_LISTED and all(test(chr(code)) for code in range(first, last + 1))
