"""The folder of a report, held by one session at a time, and what a killed session left in it."""

import errno
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pytest_verdict.errors import VerdictError
from pytest_verdict.report.compression import GZIP
from pytest_verdict.report.journal import JOURNAL, OUTPUTS, PENDING, RECORDS, SHARD, TESTS
from pytest_verdict.report.writers import PAGE, brought

INTERRUPTED: Final = "journal.interrupted"
EARLIER: Final = "report.earlier"
"""Where the report of an earlier session is until the present one has its own."""

# What stands near the beginning of our files.
_MARKS: Final = {
    RECORDS: b'{"record":',
    f"{RECORDS}.gz": GZIP,
    "report.json": b'"schema_version":',
    "junit.xml": b'name="pytest-verdict"',
    SHARD: b'{"journal":',
    OUTPUTS: b'{"suite":',
    PAGE: b'content="pytest-verdict"',
}
_NUMBERED: Final = re.compile(re.escape(INTERRUPTED) + r"(?:\.([0-9]{1,9}))?")
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
        strange = sorted({path.name for path in self.journal.iterdir()} - {RECORDS, TESTS, PENDING, OUTPUTS})
        if strange:
            # The folder may hold other things too, such as a whole project.
            raise _foreign(f"{self.journal} is no journal of a session, for it holds {strange[0]}")
        if not (self.journal / RECORDS).exists():
            # The session was killed after its report had taken the records.
            remove_journal(self.journal)
            return None
        number = max(map(interruption, self.path.glob(f"{INTERRUPTED}*")), default=0) + 1
        kept = self.path / (f"{INTERRUPTED}.{number}" if number > 1 else INTERRUPTED)
        self.journal.rename(kept)
        return kept

    def refuse_foreign_files(self) -> None:
        """Refuse a folder in which a report would replace files that are none of a report."""
        for name in _MARKS:
            refuse_foreign_file(self.path / name)

    def set_aside_earlier(self) -> None:
        """Move the report of an earlier session out of the way, so that it is not taken for the one of this session."""
        if not (self.path / "report.json").is_file() and not (self.path / RECORDS).is_file():
            return
        (self.path / EARLIER).mkdir(exist_ok=True)
        for name in files_of_report():
            if (self.path / name).is_file():
                (self.path / name).replace(self.path / EARLIER / name)

    def remove_earlier(self) -> None:
        """Remove the report of an earlier session, once there is another."""
        _remove(self.path / EARLIER, files_of_report())

    def release(self) -> None:
        """Let another session have the folder."""
        with suppress(OSError):
            # Before the lock is released. Some systems do not remove an open file, which does no harm.
            (self.path / _LOCK).unlink()
        os.close(self._lock)


def files_of_report() -> tuple[str, ...]:
    """Name all files that a report may have."""
    return (*_MARKS, *brought()[0])


def refuse_foreign_file(path: Path) -> None:
    """Refuse to replace a file that is none of a report."""
    if path.is_file():
        with path.open("rb") as file:
            refuse_foreign_text(path, path.name, file.read(200))


def refuse_foreign_text(place: Path | str, name: str, beginning: bytes) -> None:
    """Refuse to replace what begins otherwise than a file of this name in a report."""
    if beginning and _MARKS.get(name, b"") not in beginning:
        raise _foreign(f"{place} was not written by this plugin")


def remove_journal(journal: Path) -> None:
    """Remove a journal and nothing else."""
    _remove(journal, (RECORDS, TESTS, PENDING, OUTPUTS))


def latest_interrupted(folder: Path) -> Path | None:
    """Find the journal of the interrupted session that was the last."""
    found = [path for path in folder.glob(f"{INTERRUPTED}*") if (path / TESTS).is_file()]
    return max(filter(interruption, found), key=interruption, default=None)


def interruption(path: Path) -> int:
    """Read the number of an interrupted session's journal from its name; 0 where it is none."""
    match = _NUMBERED.fullmatch(path.name)
    return int(match.group(1) or 1) if match else 0


def _foreign(reason: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, f"{reason}; give the report a folder of its own with --verify-report-dir")


def _remove(folder: Path, names: Iterable[str]) -> None:
    # What else somebody has put there stays.
    for name in names:
        with suppress(OSError):
            (folder / name).unlink()
    with suppress(OSError):
        folder.rmdir()


def _held(lock: Path) -> int:
    while True:
        # Windows has no such flag.
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o644)
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
