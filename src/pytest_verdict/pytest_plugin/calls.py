"""Calls: the file and line in a test from which a comparison was asked for."""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import pytest_verdict
from pytest_verdict.report.record import record_end

_PACKAGE: Final = str(Path(pytest_verdict.__file__).parent) + os.sep
# Stands for the path of a frame of this package.
_OWN: Final = ""


class Calls:
    """Writes where calls come from, each place once as long as one function makes them.

    Args:
        root: The directory to which paths are relative.
    """

    __slots__ = ("_caller", "_paths", "_root")

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: dict[str, str] = {}
        # The function that called last, and what was written for each of its instructions; one tuple, because threads call too.
        self._caller: tuple[CodeType | None, dict[int, str]] = (None, {})

    def end_of(self, frame: FrameType | None) -> str:
        """Give the end of a record, which says where the call comes from.

        Args:
            frame: The frame that called, or one of this package on whose behalf it did.

        Returns:
            What `record_end` writes of the nearest frame that is not of this package.
        """
        known, ends = self._caller
        while frame is not None:
            code = frame.f_code
            # Finding the line of an instruction takes longer than all the rest, and a test is run with many parameters.
            if code is known and (end := ends.get(frame.f_lasti)):
                return end
            path = self._paths.get(code.co_filename)
            if path is None:
                path = self._path(code.co_filename)
            if path:
                return self._remember(frame, path)
            frame = frame.f_back
        return record_end("", 0)

    def end_in(self, path: Path, line: int) -> str:
        """Give the end of a record of a test that is not Python code.

        Args:
            path: Its file.
            line: Its line, from 1.

        Returns:
            What `record_end` writes.
        """
        return record_end(self._relative(path), line)

    def _remember(self, frame: FrameType, path: str) -> str:
        known, ends = self._caller
        if known is not frame.f_code:
            ends = {}
        end = ends[frame.f_lasti] = record_end(path, frame.f_lineno)
        self._caller = frame.f_code, ends
        return end

    def _path(self, name: str) -> str:
        path = self._paths[name] = _OWN if name.startswith(_PACKAGE) else self._relative(Path(name))
        return path

    def _relative(self, path: Path) -> str:
        # Outside the root directory only the name is the same on every machine.
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.name
