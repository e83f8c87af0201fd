"""Which tests a session leaves out, so a later command knows whether an absent test was removed or only not selected."""

from typing import Any, Final

import pytest

SELECTION: Final = "verdict-selection"
"""The name of the plugin, and the key of a worker's output."""


class Selection:
    """Counts the tests that were collected and then left out by -k, -m or any plugin."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._collected = 0
        self._deselected = 0

    def pytest_itemcollected(self) -> None:
        self._collected += 1

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._deselected = self._collected - len(session.items)
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[SELECTION] = self._deselected

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._deselected = max(self._deselected, getattr(node, "workeroutput", {}).get(SELECTION, 0))

    def describe(self) -> dict[str, Any]:
        """Return what a session left out; empty if it ran every test of its paths."""
        arguments = []
        if self._config.args_source is pytest.Config.ArgsSource.ARGS:
            arguments = self._config.args
        parts = {
            "deselected": self._deselected,
            "node_ids": any("::" in argument for argument in arguments),
            # It skips files without telling anybody.
            "last_failed": bool(getattr(self._config.option, "lf", False)),
            "paths": bool(arguments),
        }
        return {name: value for name, value in parts.items() if value}
