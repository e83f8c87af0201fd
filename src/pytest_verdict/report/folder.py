"""The folder of a report: the names of its files, the lock of its session, and the journal of a killed session."""

import errno
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import RecordError, VerdictError
from pytest_verdict.report.compression import MANIFEST, MANIFEST_MARK, is_manifest
from pytest_verdict.report.journal import JOURNAL, OUTPUTS, RECORDS, SHARD, TESTS
from pytest_verdict.report.plugin import report_writers

PAGE: Final = "report.html"
INTERRUPTED: Final = "journal.interrupted"
PARTS: Final = "parts"
"""The folder of the files of records that a manifest lists."""
EARLIER: Final = "report.earlier"
"""The folder of the earlier report, until the present session has written its own."""

# Texts near the beginning of our files.
_MARKS: Final = {
    RECORDS: b'{"record":',
    "report.json": b'"schema_version":',
    "junit.xml": b'name="pytest-verdict"',
    SHARD: b'{"journal":',
    OUTPUTS: b'{"suite":',
    PAGE: b'content="pytest-verdict"',
}
_PLAIN_NAME: Final = re.compile(r"\w[\w.-]*(?<!\.new)")
_RESERVED_NAMES: Final = (RECORDS, MANIFEST, SHARD, *report_writers(), PAGE, JOURNAL, EARLIER)
_NUMBERED: Final = re.compile(re.escape(INTERRUPTED) + r"(?:\.([0-9]{1,9}))?")
_LOCK: Final = ".lock"
_GITIGNORE: Final = "# Made by pytest-verdict.\n*\n"


class FolderInUseError(VerdictError):
    """Another session is writing to the folder."""


class ReportFolder:
    """The folder of a report, locked for one session; the operating system releases the lock when the process ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.mkdir(parents=True, exist_ok=True)
            # Only in a new folder: in the root of a project, the file would hide the project from git.
            (path / ".gitignore").write_text(_GITIGNORE, encoding="utf-8")
        self._lock = acquire_lock(
            path / _LOCK,
            f"another session is writing its report to {path}; give this one a place of its own with --verify-report-dir",
        )

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    def set_aside_interrupted(self) -> Path | None:
        """Rename the journal of a killed session, and return its new path."""
        if not self.journal.exists():
            return None
        foreign = sorted({path.name for path in self.journal.iterdir()} - {RECORDS, TESTS, OUTPUTS})
        if foreign:
            # The folder may be something else, such as a whole project.
            raise _foreign_error(f"{self.journal} is no journal of a session, for it holds {foreign[0]}")
        if not (self.journal / RECORDS).exists():
            # The session was killed while it removed its journal.
            remove_journal(self.journal)
            return None
        number = max(map(interruption, self.path.glob(f"{INTERRUPTED}*")), default=0) + 1
        target = self.path / (f"{INTERRUPTED}.{number}" if number > 1 else INTERRUPTED)
        self.journal.rename(target)
        return target

    def refuse_foreign_files(self, *more: str) -> None:
        for name in (*_MARKS, *more):
            refuse_foreign_file(self.path / name)

    def set_aside_earlier(self) -> None:
        """Move the report of an earlier session to a folder of its own, so nobody mistakes it for this session's."""
        if not (self.path / "report.json").is_file() and not (self.path / RECORDS).is_file():
            return
        (self.path / EARLIER).mkdir(exist_ok=True)
        # Only a session whose folder has its own may remove it: many programs call a file so.
        manifest = [MANIFEST] if is_manifest(self.path / MANIFEST) else []
        for name in (*files_of_report(), *manifest):
            if (self.path / name).is_file():
                (self.path / name).replace(self.path / EARLIER / name)

    def remove_earlier(self) -> None:
        """Remove the earlier report, with its parts."""
        earlier = self.path / EARLIER
        listed: set[str] = set()
        # A damaged manifest says nothing of its parts.
        with suppress(RecordError):
            listed = list_parts(earlier)
        _remove(self.path / PARTS, listed - list_parts(self.path))
        _remove(earlier, (*files_of_report(), MANIFEST))

    def release(self) -> None:
        release_lock(self.path / _LOCK, self._lock)


def list_parts(folder: Path) -> set[str]:
    """Return the names of the files in ``parts`` that the manifest of a folder lists."""
    if not is_manifest(folder / MANIFEST):
        return set()
    # Imported only for a manifest, because it needs pydantic.
    from pytest_verdict.report.manifest import read_manifest

    manifest = read_manifest((folder / MANIFEST).read_bytes(), folder / MANIFEST)
    return {part.file.removeprefix(f"{PARTS}/") for part in manifest.parts}


def files_of_report() -> tuple[str, ...]:
    return (*_MARKS, *plugin_files()[0])


def plugin_files() -> tuple[Mapping[str, str], list[str]]:
    """Return the files of plugins with their writers, and the problems of their names."""
    try:
        writers = FAMILIES.all("report_writers")
    except Exception as error:  # noqa: BLE001 - the hook of a plugin may raise anything
        return {}, [visible(str(error))]
    files = {}
    problems = []
    for name, place in writers.items():
        if name in report_writers():
            continue
        if _PLAIN_NAME.fullmatch(name) and not name.lower().startswith(_RESERVED_NAMES):
            files[name] = place
        else:
            problems.append(f"a file of the report cannot be called {visible(repr(name))}")
    return files, problems


def refuse_foreign_file(path: Path) -> None:
    if path.is_file():
        with path.open("rb") as file:
            refuse_foreign_text(path, path.name, file.read(200))


def refuse_foreign_text(place: Path | str, name: str, beginning: bytes) -> None:
    """Refuse to replace a file whose beginning is not that of a report's file of this name."""
    if beginning and {**_MARKS, MANIFEST: MANIFEST_MARK}.get(name, b"") not in beginning:
        raise _foreign_error(f"{place} was not written by this plugin")


def remove_journal(journal: Path) -> None:
    _remove(journal, (RECORDS, TESTS, OUTPUTS))


def latest_interrupted(folder: Path) -> Path | None:
    journals = [path for path in folder.glob(f"{INTERRUPTED}*") if (path / TESTS).is_file()]
    return max(filter(interruption, journals), key=interruption, default=None)


def interruption(path: Path) -> int:
    """Return the number in the name of an interrupted session's journal; 0 for any other name."""
    match = _NUMBERED.fullmatch(path.name)
    return int(match.group(1) or 1) if match else 0


def _foreign_error(reason: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, f"{reason}; give the report a folder of its own with --verify-report-dir")


def _remove(folder: Path, names: Iterable[str]) -> None:
    # Files of another origin stay.
    for name in names:
        with suppress(OSError):
            (folder / name).unlink()
    with suppress(OSError):
        folder.rmdir()


def acquire_lock(path: Path, problem: str) -> int:
    """Lock a file of this name; the operating system releases it when the process ends."""
    while True:
        # Windows has no O_NOFOLLOW.
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if os.name == "nt":
                import msvcrt

                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            else:
                import fcntl

                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise FolderInUseError(problem) from None
        # Another session may have removed the file meanwhile, and a lock on a removed file locks nobody out.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)


def release_lock(path: Path, descriptor: int) -> None:
    """Release a lock and remove its file."""
    with suppress(OSError):
        # The file goes before the lock. Some systems do not remove an open file, which does no harm.
        path.unlink()
    os.close(descriptor)
