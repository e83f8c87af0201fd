"""Which part of the tests a session runs, and where its tests stand among all that it collected."""

import hashlib
import os
import re
from typing import Any, Final

import pytest

_OPTION: Final = "--verify-shard"
_GIVEN: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
# Options of pytest-split and pytest-shard, variables of GitLab and CircleCI; and the number of the first part.
_KNOWN: Final = (
    ("group", "splits", 1),
    ("shard_id", "num_shards", 0),
    ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
)
WHOLE: Final = "verdict-whole"
"""The name of the plugin, and the key of what a worker tells."""


def shard_of(config: pytest.Config) -> dict[str, int]:
    """Say which part of how many a session runs; empty where it runs all."""
    if config.option.verify_shard is not None:
        return _given(config.option.verify_shard)
    known = {**os.environ, **vars(config.option)}
    for index, of, first in _KNOWN:
        number = str(known.get(index))
        parts = str(known.get(of))
        if number.isdecimal() and parts.isdecimal() and int(parts) > 1:
            return {"index": int(number) + 1 - first, "of": int(parts)}
    return {}


def _given(text: str) -> dict[str, int]:
    match = _GIVEN.fullmatch(text)
    index, of = map(int, match.groups()) if match else (0, 0)
    if not 1 <= index <= of:
        raise pytest.UsageError(f"{_OPTION}: a part and how many there are is needed, such as 2/5, got {text!r}")
    return {"index": index, "of": of}


class Whole:
    """What was collected before tests were left out, so that shards can be put together in the order of one session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._all: list[pytest.Item] = []
        self.found: dict[str, Any] | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the order, which fixtures have changed by now and from which -k, -m and pytest-split take tests later."""
        self._all = [*items]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn which tests are left."""
        files: dict[str, list[str]] = {}
        for item in self._all:
            files.setdefault(item.nodeid.split("::", 1)[0], []).append(item.nodeid)
        # By identity: pytest-xdist changes node ids, and what is equal to an item.
        known = {id(item): place for place, item in enumerate(self._all)}
        places = [known.get(id(item), len(known)) for item in session.items]
        self.found = {"files": {path: [len(names), _digest(names)] for path, names in files.items()}, "places": places}
        self._all = []
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[WHOLE] = self.found

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker collected; xdist checks that all workers agree."""
        self.found = getattr(node, "workeroutput", {}).get(WHOLE) or self.found


def _digest(names: list[str]) -> str:
    return hashlib.sha256("\n".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]
