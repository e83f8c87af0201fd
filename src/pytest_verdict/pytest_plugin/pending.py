"""How many comparisons each process has made and not handed over, in memory that outlives the process."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.core.values.display import counted
from pytest_verdict.pytest_plugin.recorder import Recorder

PENDING_COUNT: Final = "verdict_pending_count"
"""Key of what workers learn from the controller: the file of the counts, and which of them is the worker's."""

# So many processes of one session have a count; the first is the session's own.
_MOST: Final = 512


class PendingCounts:
    """The counts of a session, in a file of its journal."""

    def __init__(self, path: Path, recorder: Recorder) -> None:
        with path.open("xb") as file:
            file.truncate(8 * _MOST)
        self._path = path
        self._recorder = recorder
        self._counts = recorder.pending = _mapped(path)
        self._workers: dict[str, int] = {}

    def tell(self, node: Any) -> None:
        """Tell a worker where it counts."""
        at = self._workers[node.gateway.id] = (len(self._workers) + 1) % _MOST
        node.workerinput[PENDING_COUNT] = str(self._path), at

    def add_lost(self, report: Any) -> None:
        """Add to the report of a crash how many comparisons the worker took along."""
        at = self._workers[report.node.gateway.id]
        lost, self._counts[at] = self._counts[at], 0
        if lost:
            report.longrepr = (
                f"{report.longrepr}\n{counted(lost, 'comparison')} of its last phase {'is' if lost == 1 else 'are'} lost;"
                " verdict_flush = comparison hands each one over at once"
            )

    def close(self) -> None:
        """Let go of the file, which some systems do not remove while it is mapped."""
        self._recorder.pending = [0]
        self._counts.release()


def count_pending(recorder: Recorder, config: pytest.Config) -> None:
    """Let a worker count where the controller told it to."""
    path, at = config.workerinput[PENDING_COUNT]  # type: ignore[attr-defined]
    # A worker on another machine does not find the file.
    if Path(path).is_file():
        recorder.pending = _mapped(Path(path))[at:]


def _mapped(path: Path) -> Any:
    with path.open("r+b") as file:
        return memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
