"""How much larger a YAML document is than its text, because aliases repeat what they name."""

from __future__ import annotations

from typing import Any, Final

MOST_REPEATED: Final = 1_000_000
"""The most values that aliases may add to a document; a few lines can add more than a machine can hold."""


def values_repeated(root: Any) -> int:
    """Count the values that aliases and merge keys add to a document."""
    return _Count().of(root)


class _Count:
    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._written = 0

    def of(self, root: Any) -> int:
        return self._size(root) - self._written

    def _size(self, node: Any) -> int:
        if isinstance(node.value, str):
            return 1
        size = self._sizes.get(id(node))
        if size is None:
            # A mapping is a list of pairs.
            children = [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]
            self._written += 1 + sum(isinstance(child.value, str) for child in children)
            size = self._sizes[id(node)] = 1 + sum(map(self._size, children))
        return size
