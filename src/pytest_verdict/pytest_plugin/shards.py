"""The part of the tests that a session runs, and the place of its tests among all that it collected."""

import hashlib
import os
import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

_SHARD: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
# Options of pytest-split and pytest-shard, variables of GitLab and CircleCI; and the number of the first part.
_OTHER_SHARDS: Final = (
    ("group", "splits", 1),
    ("shard_id", "num_shards", 0),
    ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
)
WHOLE: Final = "verdict-whole"
"""The name of the plugin, and the key of a worker's output."""


def shard_of(config: pytest.Config) -> dict[str, int]:
    """Return which part of how many a session runs; empty if it runs all."""
    text = config.option.verify_shard
    if text is not None:
        match = _SHARD.fullmatch(text)
        index, of = map(int, match.groups()) if match else (0, 0)
        if not 1 <= index <= of:
            raise pytest.UsageError(
                f"--verify-shard: a part and how many there are is needed, such as 2/5, got {text!r}"
            )
        return {"index": index, "of": of}
    return _find_other_shard({**os.environ, **vars(config.option)})


def is_split(config: pytest.Config) -> bool:
    """Return whether an option splits the tests; a CI sets its variables even if each of its jobs runs all tests."""
    return config.option.verify_shard is not None or bool(_find_other_shard(vars(config.option)))


def _find_other_shard(values: Mapping[str, Any]) -> dict[str, int]:
    for index_name, total_name, first in _OTHER_SHARDS:
        number = str(values.get(index_name))
        parts = str(values.get(total_name))
        if number.isdecimal() and parts.isdecimal() and int(parts) > 1:
            return {"index": int(number) + 1 - first, "of": int(parts)}
    return {}


class CollectedTests:
    """Finds the places of the tests in the whole collection, so shards can be merged in the order of one session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._items: list[pytest.Item] = []
        self.summary: dict[str, Any] | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remember the order, after fixtures have changed it and before -k, -m and pytest-split remove tests."""
        self._items = [*items]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        files: dict[str, list[str]] = {}
        for item in self._items:
            files.setdefault(item.nodeid.split("::", 1)[0], []).append(item.nodeid)
        # By identity: pytest-xdist changes node ids, and what is equal to an item.
        position = {id(item): place for place, item in enumerate(self._items)}
        places = [position.get(id(item), len(position)) for item in session.items]
        digests = {}
        for path, names in files.items():
            digest = hashlib.sha256("\n".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]
            digests[path] = [len(names), digest]
        self.summary = {"files": digests, "places": places}
        self._items = []
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[WHOLE] = self.summary

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive the summary of a worker; xdist checks that all workers agree."""
        self.summary = getattr(node, "workeroutput", {}).get(WHOLE) or self.summary
