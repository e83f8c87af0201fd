"""The folder of a report, held by one session at a time, and what a killed session left in it."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from pytest_verdict.errors import VerdictError
from pytest_verdict.report.journal import RECORDS, TESTS

JOURNAL: Final = "journal"
INTERRUPTED: Final = "journal.interrupted"
_LOCK: Final = ".lock"
_GITIGNORE: Final = "# Made by pytest-verdict.\n*\n"


class FolderInUseError(VerdictError):
    """Another session is writing to the folder."""


class ReportFolder:
    """A folder held for one session; the operating system releases it when the process dies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.mkdir(parents=True, exist_ok=True)
            # Only where the folder is made: in the root of a project it would hide the project.
            (path / ".gitignore").write_text(_GITIGNORE, encoding="utf-8")
        self._lock = _held(path / _LOCK)

    @property
    def journal(self) -> Path:
        """Where the session writes its journal."""
        return self.path / JOURNAL

    def set_aside_interrupted(self) -> Path | None:
        """Move the journal of a killed session out of the way."""
        if not self.journal.exists():
            return None
        strange = sorted({path.name for path in self.journal.iterdir()} - {RECORDS, TESTS})
        if strange:
            # The folder may hold other things too, such as a whole project.
            raise FileExistsError(
                errno.EEXIST,
                f"{self.journal} is no journal of a session, for it holds {strange[0]};"
                " give the report a folder of its own with --verify-report-dir",
            )
        kept = self.path / INTERRUPTED
        shutil.rmtree(kept, ignore_errors=True)
        self.journal.rename(kept)
        return kept

    def remove_journal(self) -> None:
        """Remove the journal, once the report holds all of it."""
        shutil.rmtree(self.journal, ignore_errors=True)

    def release(self) -> None:
        """Let another session have the folder."""
        with suppress(OSError):
            # Before the lock is released. Some systems do not remove an open file, which does no harm.
            (self.path / _LOCK).unlink()
        os.close(self._lock)


def _held(lock: Path) -> int:
    while True:
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o644)
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            raise FolderInUseError(
                f"another session is writing its report to {lock.parent};"
                " give this one a place of its own with --verify-report-dir"
            ) from None
        # Another session may have removed the file in between, and a lock on a removed file keeps nobody out.
        if lock.exists() and os.path.samestat(os.fstat(descriptor), lock.stat()):
            return descriptor
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
