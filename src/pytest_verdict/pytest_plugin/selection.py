"""Which tests a session leaves out, so a later command knows whether an absent test was removed or only not selected."""

import re
import sys
from collections.abc import Iterable, Sequence
from glob import iglob
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

# The option before a value in the same word, such as -m or --ignore=.
_OPTION: Final = re.compile(r"^(-[qvxsl]*[km]=?|--[\w-]+=)")
# The ini keys that decide which tests there are.
_COLLECTING: Final = {"python_files", "python_classes", "python_functions", "testpaths", "norecursedirs", "addopts"}
# The modules of pytest that obey -k, -m and --deselect.
_OBEYING: Final = {"_pytest.mark", "_pytest.main"}
SELECTION: Final = "verdict-selection"
"""The name of the plugin, and the key of a worker's output."""


class Selection:
    """Counts the tests that were collected and then left out by -k, -m or any plugin."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._collected = 0
        self._deselected = 0
        # Those that -k, -m and --deselect did not leave out.
        self._by_others = 0

    def pytest_itemcollected(self) -> None:
        self._collected += 1

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        if _calling_module() in _OBEYING:
            self._by_others -= len(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._deselected = self._collected - len(session.items)
        self._by_others += self._deselected
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[SELECTION] = (self._deselected, self._by_others)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        deselected, by_others = getattr(node, "workeroutput", {}).get(SELECTION, (0, 0))
        self._deselected = max(self._deselected, deselected)
        self._by_others = max(self._by_others, by_others)

    def describe(self) -> dict[str, Any]:
        """Return what a session left out; empty if it ran every test of its paths."""
        arguments = []
        if self._config.args_source is pytest.Config.ArgsSource.ARGS:
            arguments = self._config.args
        option = self._config.option
        configured = self._config.getini("addopts")
        selections = [option.keyword, option.markexpr, *(option.deselect or ())]
        parts = {
            "deselected": self._deselected,
            # Each session of the project leaves these tests out.
            "configured": self._deselected and not self._by_others and _are_configured(selections, configured),
            "ignored": not _are_configured([*(option.ignore or ()), *(option.ignore_glob or ())], configured),
            "overridden": any(text.partition("=")[0] in _COLLECTING for text in option.override_ini or ()),
            "node_ids": any("::" in argument for argument in arguments),
            # It skips files without telling anybody.
            "last_failed": bool(getattr(self._config.option, "lf", False)),
            "paths": bool(arguments),
            "narrowed": self._is_narrowed([argument for argument in arguments if "::" not in argument], configured),
        }
        return {name: value for name, value in parts.items() if value}

    def _is_narrowed(self, paths: Sequence[str], configured: Sequence[str]) -> bool:
        """Return whether these are fewer files than those that pytest collects without a path."""
        if not paths or not set(paths).isdisjoint(configured):
            return False
        folder = self._config.invocation_params.dir
        named = [(folder / path).resolve() for path in paths]
        root = self._config.rootpath.resolve()
        patterns = [str(root / pattern) for pattern in self._config.getini("testpaths")]
        # An absolute pattern is none for Path.glob.
        usual = [Path(place) for pattern in patterns for place in iglob(pattern, recursive=True)]  # noqa: PTH207
        return not all(any(place.is_relative_to(one) for one in named) for place in usual or [root])


def _calling_module() -> str:
    """Return the module that called the hook which runs."""
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - a hook is not told who called it
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("pluggy"):
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__"))


def _are_configured(selections: Iterable[str], configured: Sequence[str]) -> bool:
    """Return whether each selection is in the configuration, and not on the command line or in the environment."""
    words = {_OPTION.sub("", word) for word in configured}
    return all(selection in words for selection in selections if selection)
