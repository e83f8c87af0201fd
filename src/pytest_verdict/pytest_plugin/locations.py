"""The file and line in a test from which a comparison was made."""

from pathlib import Path
from types import CodeType, FrameType

from pytest_verdict.core.record import record_end


class CallLocations:
    """Finds and keeps where calls come from.

    Finding the line of an instruction is slow, and tests call in loops and with many parameters.
    """

    __slots__ = ("_fixed", "_paths", "_recent", "_root")

    def __init__(self, root: Path) -> None:
        self._root = root
        self._fixed = ""
        self._paths: dict[str, str] = {}
        # The code that called last, and the record ends by its instructions. One tuple, because threads call too.
        self._recent: tuple[CodeType | None, dict[int, str]] = (None, {})

    def fix(self, place: tuple[Path, int] | None) -> None:
        """Set the place of a test that is not Python code, or None for one that is."""
        self._fixed = "" if place is None else record_end(self._relative(place[0]), place[1])

    def end_of(self, frame: FrameType | None) -> str:
        """Write the end of a record, which names the place of the call."""
        if self._fixed:
            return self._fixed
        if frame is None:
            return record_end("", 0)
        code, ends = self._recent
        if code is not frame.f_code:
            ends = {}
            self._recent = frame.f_code, ends
        end = ends.get(frame.f_lasti)
        if end is None:
            # Generated code may have no lines.
            end = ends[frame.f_lasti] = record_end(self._path_of(frame.f_code.co_filename), frame.f_lineno or 0)
        return end

    def _path_of(self, file: str) -> str:
        if file not in self._paths:
            self._paths[file] = self._relative(Path(file))
        return self._paths[file]

    def _relative(self, path: Path) -> str:
        # Outside the root directory only the name is the same on every machine.
        if path.is_relative_to(self._root):
            return path.relative_to(self._root).as_posix()
        return path.name
