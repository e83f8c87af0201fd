"""How long a regular expression can take on a text of a given length, read from the pattern alone.

Python's matcher backtracks: when the rest of a pattern fails, it tries every other way in which the part before can match.
So what counts is the number of ways. A repeat can stop after any of its rounds; ways of parts in a row multiply; a repeat
whose body itself matches in several ways multiplies them in every round, which is exponential. A repeat has only one way
where the next character decides whether it goes on, as in ``\\d+,``. The estimate is an upper bound: never too low, often too
high.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pytest_verdict.operators.regex_characters import ANYTHING, Characters, characters_of, disjoint

_Made = TypeVar("_Made")

# Each pair of alternatives is looked at; a longer list counts as ambiguous.
_MOST_OPTIONS: Final = 60
_REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of a part of a pattern, for one starting place."""

    ways: float
    work: float
    first: tuple[Characters, ...] = ()
    shortest: int = 0
    extending: tuple[Characters, ...] | None = ()
    heads: tuple[Characters, ...] = ()


_NOTHING: Final = _Part(1.0, 1.0)


def quietly(make: Callable[[], _Made]) -> _Made:
    """Compile or parse a pattern, whatever the user's warning filters are."""
    try:
        return make()
    except Warning:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()


def estimated_steps(pattern: str, flags: int, length: int, mode: str) -> float:
    """Estimate the most steps that a match can take."""
    # Rounded up, so that a run over many texts analyses each pattern a few times only.
    size = 1 << max(length, 1).bit_length()
    try:
        found = _steps(pattern, flags, size, mode)
    except (OverflowError, RecursionError):
        return math.inf
    # Infinitely many ways of nothing are no number.
    return math.inf if math.isnan(found) else found


@functools.lru_cache(maxsize=1_024)
def _steps(pattern: str, flags: int, size: int, mode: str) -> float:
    parser = importlib.import_module("re._parser")
    parsed = quietly(lambda: parser.parse(pattern, flags))
    nodes = _flattened(parsed, parsed.state.flags)
    tail = 0 if mode == "fullmatch" else _length_of_sure_tail(nodes)
    core = _sequence(nodes[: len(nodes) - tail], size)
    places = size if mode == "search" and not _anchored(nodes) else 1
    return places * (core.work + sum(_part(node, size).work for node in nodes[len(nodes) - tail :]))


_Node = tuple[str, Any, int]


def _anchored(nodes: Sequence[_Node]) -> bool:
    kind, argument, flags = nodes[0] if nodes else ("", "", 0)
    at_start = str(argument) == "AT_BEGINNING" and not flags & re.MULTILINE
    return kind == "AT" and (at_start or str(argument) == "AT_BEGINNING_STRING")


def _length_of_sure_tail(nodes: Sequence[_Node]) -> int:
    # What may be left out never fails, so nothing before it is tried a second time.
    sure = itertools.takewhile(lambda node: node[0] in _REPEATS and int(node[1][0]) == 0, reversed(nodes))
    return sum(1 for _ in sure)


def _flattened(items: Iterable[tuple[Any, Any]], flags: int) -> list[_Node]:
    nodes: list[_Node] = []
    for kind, argument in items:
        if str(kind) == "SUBPATTERN":
            _, added, removed, inner = argument
            nodes.extend(_flattened(inner, (flags | added) & ~removed))
        else:
            nodes.append((str(kind), argument, flags))
    return nodes


def _part(node: _Node, size: int) -> _Part:
    kind, argument, flags = node
    characters = characters_of(kind, argument, flags)
    if characters is not None:
        return _Part(1.0, 1.0, (characters,), 1, (), (characters,))
    if kind in _REPEATS:
        low, high, body = argument
        found = _repeat(int(low), int(high), _sequence(_flattened(body, flags), size), size)
        return _settled(found) if kind == "POSSESSIVE_REPEAT" else found
    if kind == "ATOMIC_GROUP":
        return _settled(_sequence(_flattened(argument, flags), size))
    if kind in {"ASSERT", "ASSERT_NOT"}:
        return _Part(1.0, 1.0 + _sequence(_flattened(argument[1], flags), size).work)
    if kind == "BRANCH":
        return _branch([_sequence(_flattened(option, flags), size) for option in argument[1]])
    if kind == "GROUPREF_EXISTS":
        return _branch([_sequence(_flattened(option or (), flags), size) for option in argument[1:]])
    # A reference to a group compares up to the whole text; every other kind is a place, such as a word boundary.
    return _Part(1.0, float(size), (ANYTHING,)) if kind == "GROUPREF" else _NOTHING


def _settled(part: _Part) -> _Part:
    return _Part(1.0, part.work, part.first, part.shortest, (), part.heads)


def _branch(options: Sequence[_Part]) -> _Part:
    first = tuple(characters for option in options for characters in option.first)
    shortest = min(option.shortest for option in options)
    work = sum(option.work for option in options)
    pairs = [(one, other) for at, one in enumerate(options) for other in options[at + 1 :]]
    if shortest == 0 or len(options) > _MOST_OPTIONS or not all(_exclusive(one, other) for one, other in pairs):
        return _Part(sum(option.ways for option in options), work, first, shortest, None)
    return _Part(max(option.ways for option in options), work, first, shortest, _joined(options))


def _exclusive(left: _Part, right: _Part) -> bool:
    heads = zip(left.heads, right.heads, strict=False)
    return _all_disjoint(left.first, right.first) or any(disjoint(one, other) for one, other in heads)


def _all_disjoint(left: Iterable[Characters], right: Sequence[Characters]) -> bool:
    return all(disjoint(one, other) for one in left for other in right)


def _joined(parts: Iterable[_Part]) -> tuple[Characters, ...] | None:
    found: list[Characters] = []
    for part in parts:
        if part.extending is None:
            return None
        found.extend(part.extending)
    return tuple(found)


def _repeat(low: int, high: int, body: _Part, size: int) -> _Part:
    most = min(high, size // body.shortest) if body.shortest else min(high, max(low, size + 1))
    rounds = max(most, 1)
    stops = float(max(rounds - low + 1, 1))
    shortest = low * body.shortest
    extending: tuple[Characters, ...] | None
    heads = body.heads if low else ()
    certain = body.extending is not None and body.shortest > 0
    if certain and (rounds == 1 or _all_disjoint(body.extending or (), body.first)):
        # Where a round could also end earlier, the next one is tried there and fails, mostly at its first character.
        retries = (body.ways - 1.0) * (1.0 if body.heads else body.work)
        extending = (*(body.extending or ()), *body.first)
        return _Part(stops * body.ways, rounds * (body.work + retries), body.first, shortest, extending, heads)
    ways = _power(max(body.ways, 1.0), rounds)
    extending = () if ways == stops == 1.0 else None
    return _Part(stops * ways, rounds * ways * body.work, body.first, shortest, extending, heads)


def _power(base: float, exponent: int) -> float:
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def _sequence(nodes: Sequence[_Node], size: int) -> _Part:
    parts = [_part(node, size) for node in nodes]
    closing = [_closed_after(parts, at) for at in range(len(parts))]
    work = 1.0
    for at, part in enumerate(parts):
        work += part.work * math.prod(parts[before].ways for before in range(at) if closing[before] >= at)
    still_open = [part for part, end in zip(parts, closing, strict=True) if end >= len(parts)]
    extending = None if math.inf in closing else _joined(still_open)
    ways = math.prod(part.ways for part in still_open)
    first = tuple(characters for part in _leading(parts, 0) for characters in part.first)
    return _Part(ways, work, first, sum(part.shortest for part in parts), extending, _heads(parts))


def _leading(parts: Sequence[_Part], start: int) -> list[_Part]:
    found: list[_Part] = []
    for part in parts[start:]:
        found.append(part)
        if part.shortest:
            break
    return found


def _closed_after(parts: Sequence[_Part], at: int) -> float:
    """Give the place after which a part has one way only: infinite if none, beyond the end if what follows decides."""
    if parts[at].ways == 1.0:
        return at
    following = _leading(parts, at + 1)
    extending = parts[at].extending
    if extending is None or not all(_all_disjoint(extending, part.first) for part in following):
        return math.inf
    decided = bool(following) and following[-1].shortest > 0
    return at + len(following) if decided else len(parts)


def _heads(parts: Sequence[_Part]) -> tuple[Characters, ...]:
    found: list[Characters] = []
    for part in parts:
        single = len(part.heads) == 1 and part.shortest == 1 and part.ways == 1.0 and part.extending == ()
        found.extend(part.heads)
        if not single:
            break
    return tuple(found[:16])
