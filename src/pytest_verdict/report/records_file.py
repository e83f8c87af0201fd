"""The argument FILE of a command: records, plain, compressed, in parts or in a bundle."""

import hashlib
import mmap
import os
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.errors import RecordError
from pytest_verdict.report.compression import (
    MANIFEST,
    Select,
    content_of_manifest,
    find_stored,
    open_content,
    reporting_damage,
)
from pytest_verdict.report.journal import JOURNAL, RECORDS, TESTS
from pytest_verdict.report.json_report import REPORT

if TYPE_CHECKING:
    from pytest_verdict.report.manifest import Manifest

_LONGEST_LINE: Final = 1 << 28
# A few hundredths of a second of work.
PIECE: Final = 1 << 20


class NoBaselineError(RecordError):
    """A store has no baseline yet, so there is nothing to compare with."""


def local_run(name: str) -> Path:
    """Return the path of a run; a run with an address, such as ``store:main``, is fetched."""
    kind, colon, address = name.partition(":")
    place = FAMILIES.own("run_addresses").get(kind) if colon else None
    return Path(name) if place is None else Path(load(place)(address))


class RecordsFile:
    """A file of records; refused if its report has another SHA-256 of them."""

    def __init__(self, name: str, *, may_be_changed: bool = False) -> None:
        path = local_run(name)
        self.folder = path if path.is_dir() else None
        if self.folder:
            path = find_stored(self.folder / RECORDS)
            if not path.is_file():
                hint = "`pytest --verify-report` writes a report"
                if (self.folder / JOURNAL).is_dir():
                    hint = "it has a journal: run `pytest-verdict report` first"
                raise RecordError(f"{self.folder}: there is no {RECORDS} in this folder ({hint})")
            _refuse_newer_journal(self.folder)
        self.path = path
        if not path.is_file():
            raise RecordError(
                f"{name}: there is no such file; name a {RECORDS} or the folder of a report"
                " (`pytest --verify-report` writes a report)"
            )
        # The size of the records in parts is unknown.
        self.size = 0 if path.name == MANIFEST else path.stat().st_size
        self._raw: IO[bytes] | None = None
        if not may_be_changed:
            self._refuse_changed()

    def _refuse_changed(self) -> None:
        # Imported only here, because it needs pydantic.
        from pytest_verdict.report.reading import find_document

        # Nothing but the digest shows that a manifest does not list a part, or that its counts were changed.
        place = self.path.parent if self.path.name == MANIFEST else self.folder or self.path
        recorded = find_document(place).get("records")
        if not isinstance(recorded, dict) or "sha256" not in recorded:
            return
        # For records in parts, the report has the digest of the list of the parts.
        content = self._read_manifest()
        blocks = map(b"".join, self.pieces()) if content is None else [content]
        digest = hashlib.sha256()
        for block in blocks:
            digest.update(block)
        if recorded["sha256"] != digest.hexdigest():
            name = RECORDS if content is None else MANIFEST
            raise RecordError(
                f"{place}: its records were changed after the session: {REPORT} has another SHA-256 of {name};"
                f" `pytest-verdict replay {place}` lists what differs"
            )

    @property
    def done(self) -> int:
        """The number of bytes that have been read."""
        if self._raw is None or self._raw.closed:
            return 0
        return self._raw.tell()

    def manifest(self) -> "Manifest | None":
        """Read the manifest of records in parts; None for other records."""
        content = self._read_manifest()
        if content is None:
            return None
        # Imported only here, because it needs pydantic.
        from pytest_verdict.report.manifest import read_manifest

        return read_manifest(content, self.path)

    def _read_manifest(self) -> bytes | None:
        with reporting_damage(f"{self.path}: it cannot be read"), self.path.open("rb") as raw:
            return content_of_manifest(raw)

    def lines(self, select: Select | None = None) -> Iterator[bytes]:
        """Yield all records, or those of the selected parts."""
        return chain.from_iterable(self.pieces(select))

    def pieces(self, select: Select | None = None) -> Iterator[list[bytes]]:
        with self.path.open("rb") as raw, reporting_damage(f"{self.path}: the compressed file is damaged"):
            self._raw = raw
            source = open_content(raw, select)
            while block := source.read(PIECE):
                line = b"" if block.endswith(b"\n") else source.readline(_LONGEST_LINE)
                yield BytesIO(block + line).readlines()
                while len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
                    line = source.readline(_LONGEST_LINE)


def map_file(path: Path) -> bytes | mmap.mmap:
    """Return the bytes of a file, which the system reads on access."""
    # Windows does not let a session replace a file that is mapped; nothing maps an empty one.
    if os.name == "nt" or not path.stat().st_size:
        return path.read_bytes()
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _refuse_newer_journal(folder: Path) -> None:
    journal = folder / JOURNAL / TESTS
    if not journal.is_file():
        return
    report = folder / REPORT
    if report.is_file() and journal.stat().st_mtime_ns > report.stat().st_mtime_ns:
        raise RecordError(
            f"{folder}: the report is older than the journal beside it, of a session that was killed or is still running;"
            f" run `pytest-verdict report` first, or name {RECORDS} itself"
        )
