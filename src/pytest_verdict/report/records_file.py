"""The FILE of a command: records, plain, compressed, or in a bundle."""

import mmap
import os
import sys
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Final, cast

from pytest_verdict.core.record import read_id, record_start
from pytest_verdict.errors import RecordError, VerdictError
from pytest_verdict.report.compression import DAMAGED, decompressed, stored
from pytest_verdict.report.journal import JOURNAL, RECORDS, TESTS

STANDARD_INPUT: Final = "-"
LONGEST_LINE: Final = 1 << 28
# So many bytes are a few hundredths of a second of work.
PIECE: Final = 1 << 20
_ZIP: Final = b"PK"
# The id of a record is within these bytes of its line.
_HEAD: Final = 128
_BEHIND: Final = sys.maxsize, ""
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
            except _damages() as error:
                raise RecordError(f"{self.path}: the compressed file is damaged: {error}") from None

    def find(self, identifier: str) -> bytes | None:
        """Find a record in a plain file by its id; faster than an index could be read of a file that anybody may change."""
        attempt, _, ordinal = identifier.rpartition("-")
        if self._is_piped or not identifier.isascii():
            return None
        content, mark = mapped(self.path), record_start(f'{identifier}"')
        first = _start_of(content, record_start(f"{attempt}-"), 0)
        at = _bisected(content, first, attempt, ordinal)
        if content[at : at + len(mark)] != mark:
            at = _start_of(content, mark, first)
        return content[at : content.find(b"\n", at) + 1 or len(content)] or None


_Content = bytes | mmap.mmap


def _start_of(content: _Content, mark: bytes, start: int) -> int:
    # Evidence may contain the text of another record, but never at the start of a line.
    is_here = content[start : start + len(mark)] == mark
    return start if is_here else content.find(b"\n" + mark, start) + 1 or len(content)


def _bisected(content: _Content, first: int, attempt: str, ordinal: str) -> int:
    """Find a record among those of its attempt, which follow one another in the order of their ordinals."""

    def place_of(at: int) -> tuple[int, str]:
        start = content.rfind(b"\n", first, at) + 1 or first
        found, _, number = read_id(content[start : start + _HEAD]).rpartition("-")
        return (len(number), number) if found == attempt else _BEHIND

    return first + bisect_left(range(first, len(content)), (len(ordinal), ordinal), key=place_of)


def mapped(path: Path) -> _Content:
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
    import zipfile

    return zipfile.ZipFile(raw).open(RECORDS)


def _damages() -> tuple[type[Exception], ...]:
    import zipfile

    return (*DAMAGED, KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile)


def _refuse_newer_journal(folder: Path) -> None:
    journal = folder / JOURNAL / TESTS
    if not journal.is_file():
        return
    from pytest_verdict.report.json_report import REPORT

    report = folder / REPORT
    if report.is_file() and journal.stat().st_mtime_ns > report.stat().st_mtime_ns:
        raise RecordError(
            f"{folder}: the report is older than the journal beside it, of a session that was killed or is still running;"
            f" run `pytest-verdict report` first, or name {RECORDS} itself"
        )


def _pieces(source: IO[bytes]) -> Iterator[list[bytes]]:
    while block := source.read(PIECE):
        line = b"" if block.endswith(b"\n") else source.readline(LONGEST_LINE)
        yield BytesIO(block + line).readlines()
        while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = source.readline(LONGEST_LINE)


@contextmanager
def reporting_damage(what: str) -> Iterator[None]:
    """Say in one line that a file is not as a session writes it."""
    try:
        yield
    except (VerdictError, OSError):
        raise
    except MALFORMED as error:
        raise RecordError(f"{what}: {error!r}") from None
