"""The FILE of a command: records, plain, compressed, or in a bundle."""

import mmap
import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Final, cast

from pytest_verdict.core.record import BEGINNING
from pytest_verdict.errors import RecordError, VerdictError
from pytest_verdict.report.compression import DAMAGED, decompressed, stored
from pytest_verdict.report.journal import JOURNAL, RECORDS, TESTS

STANDARD_INPUT: Final = "-"
LONGEST_LINE: Final = 1 << 28
# So many bytes are a few hundredths of a second of work.
_PIECE: Final = 1 << 20
_ZIP: Final = b"PK"
_NO_BUNDLE: Final = (KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile)
MALFORMED: Final = (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""What is raised where a file does not hold what a session writes."""


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
        if (found := stored(folder / RECORDS)).is_file():
            _refuse_newer_journal(folder)
            return found
        journal = " (it has a journal: run `pytest-verdict report` first)" if (folder / JOURNAL).is_dir() else ""
        raise RecordError(f"{folder}: there is no {RECORDS} in this folder{journal}")

    @property
    def done(self) -> int:
        """How many bytes have been read."""
        return 0 if self._raw is None or self._raw.closed or self._is_piped else self._raw.tell()

    def lines(self) -> Iterator[bytes]:
        """Read line by line."""
        return chain.from_iterable(self.pieces())

    def pieces(self) -> Iterator[list[bytes]]:
        """Read many lines at once."""
        piped = cast("BufferedReader", sys.stdin.buffer)
        with nullcontext(piped) if self._is_piped else self.path.open("rb") as raw:
            self._raw = raw
            try:
                yield from _pieces(_opened(raw))
            except (*DAMAGED, *_NO_BUNDLE) as error:
                raise RecordError(f"{self.path}: the compressed file is damaged: {error}") from None

    def find(self, identifier: str) -> bytes | None:
        """Find a record in a plain file by its id; faster than an index could be read of a file that anybody may change."""
        if self._is_piped or not identifier.isascii():
            return None
        content, mark = mapped(self.path), f'{BEGINNING}{identifier}"'.encode("ascii")
        # In evidence another record may be written with its id, but in no line of its own.
        start = 0 if content[: len(mark)] == mark else content.find(b"\n" + mark) + 1 or len(content)
        return content[start : content.find(b"\n", start) + 1 or len(content)] or None


def mapped(path: Path) -> bytes | mmap.mmap:
    """Give the bytes of a file, which the system reads where they are looked at."""
    # Windows does not let a session replace a file that is mapped; nothing maps an empty one.
    if os.name == "nt" or not path.stat().st_size:
        return path.read_bytes()
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _opened(raw: BufferedReader) -> IO[bytes]:
    if raw.peek(2)[:2] != _ZIP:
        return decompressed(raw)
    if not raw.seekable():
        raise RecordError("a bundle is read from a file, not from standard input")
    return zipfile.ZipFile(raw).open(RECORDS)


def _refuse_newer_journal(folder: Path) -> None:
    from pytest_verdict.report.json_report import REPORT

    journal, report = folder / JOURNAL / TESTS, folder / REPORT
    if journal.is_file() and report.is_file() and journal.stat().st_mtime_ns > report.stat().st_mtime_ns:
        raise RecordError(
            f"{folder}: the report is older than the journal beside it, of a session that was killed or is still running;"
            f" run `pytest-verdict report` first, or name {RECORDS} itself"
        )


def _pieces(source: IO[bytes]) -> Iterator[list[bytes]]:
    while block := source.read(_PIECE):
        line = b"" if block.endswith(b"\n") else source.readline(LONGEST_LINE)
        yield BytesIO(block + line).readlines()
        while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = source.readline(LONGEST_LINE)


@contextmanager
def damage_told(what: str) -> Iterator[None]:
    """Say in one line that a file is not as a session writes it."""
    try:
        yield
    except (VerdictError, OSError):
        raise
    except MALFORMED as error:
        raise RecordError(f"{what}: {error!r}") from None
