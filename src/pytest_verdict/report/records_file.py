"""The FILE of a command: records, plain, compressed by gzip, or in a bundle."""

from __future__ import annotations

import gzip
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, cast

from pytest_verdict.errors import RecordError
from pytest_verdict.report.folder import JOURNAL
from pytest_verdict.report.journal import RECORDS, TESTS
from pytest_verdict.report.json_report import REPORT

STANDARD_INPUT: Final = "-"
LONGEST_LINE: Final = 1 << 28
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK"
_DAMAGED: Final = (
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    gzip.BadGzipFile,
    zipfile.BadZipFile,
)


class RecordsFile:
    """A file of records, or standard input, which is called ``-``."""

    def __init__(self, given: str) -> None:
        path = Path(given)
        self.folder = path if path.is_dir() else None
        self.path = self._inside(path) if self.folder else path
        self._is_piped = given == STANDARD_INPUT
        if not self._is_piped and not self.path.is_file():
            raise RecordError(
                f"{given}: there is no such file; name a {RECORDS}, the folder of a report, or - for standard input"
            )
        self.size = 0 if self._is_piped else self.path.stat().st_size
        self._raw: IO[bytes] | None = None

    @staticmethod
    def _inside(folder: Path) -> Path:
        for name in (RECORDS, f"{RECORDS}.gz"):
            if (folder / name).is_file():
                _refuse_newer_journal(folder)
                return folder / name
        journal = " (it has a journal: run `pytest-verdict report` first)" if (folder / JOURNAL).is_dir() else ""
        raise RecordError(f"{folder}: there is no {RECORDS} in this folder{journal}")

    @property
    def done(self) -> int:
        """How many bytes have been read."""
        return 0 if self._raw is None or self._raw.closed or self._is_piped else self._raw.tell()

    def lines(self) -> Iterator[bytes]:
        """Read line by line."""
        piped = cast("BufferedReader", sys.stdin.buffer)
        with nullcontext(piped) if self._is_piped else self.path.open("rb") as raw:
            self._raw = raw
            try:
                yield from _limited(_opened(raw))
            except _DAMAGED as error:
                raise RecordError(f"{self.path}: the compressed file is damaged: {error}") from None


def _opened(raw: BufferedReader) -> IO[bytes]:
    beginning = raw.peek(2)[:2]
    if beginning == _GZIP:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if beginning != _ZIP:
        return raw
    if not raw.seekable():
        raise RecordError("a bundle is read from a file, not from standard input")
    return zipfile.ZipFile(raw).open(RECORDS)


def _refuse_newer_journal(folder: Path) -> None:
    journal, report = folder / JOURNAL / TESTS, folder / REPORT
    if journal.is_file() and report.is_file() and journal.stat().st_mtime_ns > report.stat().st_mtime_ns:
        raise RecordError(
            f"{folder}: the report is older than the journal beside it, of a session that was killed or is still running;"
            f" run `pytest-verdict report` first, or name {RECORDS} itself"
        )


def _limited(source: IO[bytes]) -> Iterator[bytes]:
    while line := source.readline(LONGEST_LINE):
        yield line
        while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = source.readline(LONGEST_LINE)
