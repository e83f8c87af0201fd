"""The file and line in a test from which a comparison was made."""

import os
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import pytest_verdict
from pytest_verdict.core.record import record_end

_PACKAGE: Final = str(Path(pytest_verdict.__file__).parent) + os.sep


class CallLocations:
    """Finds and keeps where calls come from.

    Finding the line of an instruction is slow, and tests call in loops and with many parameters.
    """

    __slots__ = ("_fixed", "_paths", "_root", "recent")

    def __init__(self, root: Path) -> None:
        self._root = root
        self._fixed = ""
        # By file name; None for the files of this package.
        self._paths: dict[str, str | None] = {}
        # The code that called last, and the record ends by its instructions. One tuple, because threads call too.
        self.recent: tuple[CodeType | None, dict[int, str]] = (None, {})

    def fix(self, place: tuple[Path, int] | None) -> None:
        """Set the place of a test that is not Python code, or None for one that is."""
        self._fixed = "" if place is None else record_end(self._relative(place[0]), place[1])
        if self._fixed:
            self.recent = (None, {})

    def end_of(self, frame: FrameType | None) -> str:
        """Write the end of a record, which names the place of the call."""
        if self._fixed:
            return self._fixed
        known, ends = self.recent
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
        known, ends = self.recent
        if known is not frame.f_code:
            ends = {}
        # Generated code may have no lines.
        end = ends[frame.f_lasti] = record_end(path, frame.f_lineno or 0)
        self.recent = frame.f_code, ends
        return end

    def _relative(self, path: Path) -> str:
        # Outside the root directory only the name is the same on every machine.
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.name
