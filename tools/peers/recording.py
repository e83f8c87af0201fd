"""The pytest plugin that watches the scorers of a tool while its own tests run."""

import functools
import importlib
import inspect
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tools.peers.case import REFUSED, judge


class Recorder:
    """Writes one line for each call that a test makes; the calls inside of such a call are not counted."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.test = ""
        self.depth = 0
        self.seen: set[tuple[str, ...]] = set()
        target.write_text("")

    def watch(self, place: str, translate: Any) -> None:
        """Replace a function, named as module:attribute, by one that also compares here."""
        module, _, name = place.partition(":")
        owner = importlib.import_module(module)
        *parents, last = name.split(".")
        for parent in parents:
            owner = getattr(owner, parent)
        original = inspect.getattr_static(owner, last)
        if isinstance(original, staticmethod | classmethod):
            original = original.__func__
            kind = type(inspect.getattr_static(owner, last))
        else:
            kind = None
        replaced = self._watched(original, translate, name)
        setattr(owner, last, kind(replaced) if kind else replaced)

    def _watched(self, original: Any, translate: Any, name: str) -> Any:
        signature = inspect.signature(original)

        def record(args: Any, kwargs: Any, theirs: Any) -> None:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            try:
                self.add(name, bound.arguments, theirs, translate)
            except Exception as error:
                # The test of the other tool goes on, and the table shows the mistake.
                self.write({"call": name, "kind": "wrong", "reason": f"the mapping raised {error!r}"})

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.depth or not self.test:
                return original(*args, **kwargs)
            self.depth += 1
            try:
                result = original(*args, **kwargs)
            except Exception:
                record(args, kwargs, REFUSED)
                raise
            else:
                record(args, kwargs, result)
                return result
            finally:
                self.depth -= 1

        @functools.wraps(original)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            if self.depth or not self.test:
                return await original(*args, **kwargs)
            self.depth += 1
            try:
                result = await original(*args, **kwargs)
            except Exception:
                record(args, kwargs, REFUSED)
                raise
            else:
                record(args, kwargs, result)
                return result
            finally:
                self.depth -= 1

        return acall if inspect.iscoroutinefunction(original) else call

    def add(self, name: str, arguments: Any, theirs: Any, translate: Any) -> None:
        for theirs_each, here in translate(arguments, theirs):
            key = (self.test, name, _text(arguments), _text(here))
            if key in self.seen:
                continue
            self.seen.add(key)
            kind, reason, ours = judge(theirs_each, here)
            line = {"call": name, "kind": kind, "reason": reason, "ours": ours}
            self.write(line | {"theirs": _text(theirs_each)[:200], "here": _text(here)[:600]})

    def write(self, line: dict[str, Any]) -> None:
        with self.target.open("a") as file:
            file.write(json.dumps({"test": self.test, **line}) + "\n")


def _text(value: Any) -> str:
    try:
        return repr(value)
    except Exception as error:
        return f"no repr: {error!r}"


def pytest_configure(config: pytest.Config) -> None:
    mapping = importlib.import_module(f"tools.peers.{os.environ['PEERS_MAPPING']}")
    recorder = Recorder(Path(os.environ["PEERS_TARGET"]))
    for place, translate in mapping.WATCHED.items():
        recorder.watch(place, translate)
    config.pluginmanager.register(_Tests(recorder))


class _Tests:
    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        self.recorder.test = item.nodeid
        try:
            return (yield)
        finally:
            self.recorder.test = ""
