"""Keys of rows: 128 bits of each id, sorted in the part of its unit, to find two rows of one id without a set of all."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

_KEY: Final = 16
_ENTRY: Final = _KEY + 8


def key_entry(name: str, ordinal: int) -> bytes:
    """Write the key of a row and the ordinal of its record."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:_KEY] + ordinal.to_bytes(8)


def same_key(files: Sequence[Path]) -> tuple[int, int] | None:
    """Find two rows with one key, and give the ordinals of their records."""
    with ExitStack() as stack:
        return _same_key([_mapped(path, stack) for path in files if path.stat().st_size])


def _mapped(path: Path, stack: ExitStack) -> mmap:
    file = stack.enter_context(path.open("rb"))
    return stack.enter_context(mmap(file.fileno(), 0, access=ACCESS_READ))


def _same_key(contents: Sequence[mmap]) -> tuple[int, int] | None:
    # Keys are held by their first byte, so that only a part of them is in memory as Python values.
    for first in range(256):
        seen: dict[bytes, int] = {}
        for entry in (entry for content in contents for entry in _beginning_with(first, content)):
            key, ordinal = entry[:_KEY], int.from_bytes(entry[_KEY:])
            if seen.setdefault(key, ordinal) != ordinal:
                return seen[key], ordinal
    return None


def _beginning_with(first: int, content: mmap) -> Iterable[bytes]:
    places = range(0, len(content), _ENTRY)
    start, stop = (bisect_left(places, wanted, key=content.__getitem__) for wanted in (first, first + 1))
    return (content[place : place + _ENTRY] for place in places[start:stop])
