"""The report's folder: held by one session at a time, and what a killed session left in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from pytest_verdict.errors import VerdictError

JOURNAL: Final = "journal"
INTERRUPTED: Final = "journal.interrupted"
_LOCK: Final = ".lock"


class FolderInUseError(VerdictError):
    """Another session is writing to the folder."""


class ReportFolder:
    """A folder held for one session; the operating system lets go of it when the process dies.

    Args:
        path: The folder; it is made when absent.

    Raises:
        FolderInUseError: Another session holds it.
        OSError: It cannot be made or written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(path / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
        try:
            _lock(self._lock)
        except OSError:
            os.close(self._lock)
            raise FolderInUseError(
                f"another session is writing its report to {path}; give this one a place of its own with --verify-report-dir"
            ) from None

    @property
    def journal(self) -> Path:
        """Where the session writes its journal."""
        return self.path / JOURNAL

    def set_aside_interrupted(self) -> Path | None:
        """Move the journal of a killed session out of the way.

        Returns:
            Where it lies now; None when there was none.
        """
        if not self.journal.exists():
            return None
        kept = self.path / INTERRUPTED
        shutil.rmtree(kept, ignore_errors=True)
        self.journal.rename(kept)
        return kept

    def remove_journal(self) -> None:
        """Remove the journal, once the report holds all of it."""
        shutil.rmtree(self.journal, ignore_errors=True)

    def release(self) -> None:
        """Let another session have the folder."""
        (self.path / _LOCK).unlink(missing_ok=True)
        os.close(self._lock)


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
