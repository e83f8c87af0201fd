"""Calls: the file and line in a test from which a comparison was asked for."""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import pytest_verdict
from pytest_verdict.core.record import record_end

_PACKAGE: Final = str(Path(pytest_verdict.__file__).parent) + os.sep


class Calls:
    """Writes where calls come from.

    Finding the line of an instruction takes longer than all the rest, and a test calls in loops and with many
    parameters.
    """

    __slots__ = ("_fixed", "_paths", "_root", "caller")

    def __init__(self, root: Path) -> None:
        self._root = root
        self._fixed = ""
        # By the name of the file; None for those of this package.
        self._paths: dict[str, str | None] = {}
        # One tuple, because threads call too.
        self.caller: tuple[CodeType | None, dict[int, str]] = (None, {})

    def are_all_from(self, place: tuple[Path, int] | None) -> None:
        """Say where the next test lies, if it is not Python code."""
        self._fixed = "" if place is None else record_end(self._relative(place[0]), place[1])
        if self._fixed:
            self.caller = (None, {})

    def end_of(self, frame: FrameType | None) -> str:
        """Give the end of a record, which says where the call comes from."""
        if self._fixed:
            return self._fixed
        known, ends = self.caller
        while frame is not None:
            code = frame.f_code
            if code is known and (end := ends.get(frame.f_lasti)):
                return end
            name = code.co_filename
            if name not in self._paths:
                self._paths[name] = None if name.startswith(_PACKAGE) else self._relative(Path(name))
            path = self._paths[name]
            if path is not None:
                return self._remember(frame, path)
            frame = frame.f_back
        return record_end("", 0)

    def _remember(self, frame: FrameType, path: str) -> str:
        known, ends = self.caller
        if known is not frame.f_code:
            ends = {}
        # Code that was generated may have no lines.
        end = ends[frame.f_lasti] = record_end(path, frame.f_lineno or 0)
        self.caller = frame.f_code, ends
        return end

    def _relative(self, path: Path) -> str:
        # Outside the root directory only the name is the same on every machine.
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.name
