"""Writing the journal of a running session."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.report.journal import (
    JOURNAL_FORMAT,
    RECORDS,
    TESTS,
    ByteRange,
    Journal,
    TestEntry,
    add_unfinished,
    place_of,
)

_ENCODE: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class JournalWriter:
    """Appends to a journal; the operating system receives every line at once."""

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        folder.mkdir(parents=True)
        # Without a buffer, because a kill loses what the operating system does not have.
        self._records = (folder / RECORDS).open("xb", buffering=0)
        self._tests = (folder / TESTS).open("xb", buffering=0)
        self._digested = 0
        self._digest: Any = hashlib.sha256()
        self.journal = Journal(folder, {"journal": JOURNAL_FORMAT, **header})
        self._line(self.journal.header)

    def append_records(self, lines: bytes) -> ByteRange:
        """Append records, and return their place in the file."""
        # The file itself knows the offset, even if an exception interrupted an earlier write.
        place = ByteRange(offset=self._records.tell(), length=len(lines))
        _write_all(self._records, lines)
        if self._digest is not None:
            self._digest.update(lines)
            self._digested += len(lines)
        return place

    def expect_disorder(self) -> None:
        """Stop computing the digest, because the records of several workers are sorted at the end."""
        self._digest = None

    def append_start(self, test: str, location: tuple[str, int | None, str]) -> None:
        """Append the start of a test."""
        path, line = place_of(location)
        self.journal.add_start(test, path, line)
        where = encode_basestring_ascii(path)
        self._text(f'{{"began":{encode_basestring_ascii(test)},"path":{where},"line":{line}}}\n')

    def append_order(self, tests: list[str]) -> None:
        """Append the order in which tests were collected."""
        self.journal.order = tests
        self._line({"collected": tests})

    def append_test(self, entry: TestEntry) -> None:
        """Append one attempt of a test."""
        members = zip(TestEntry.__slots__, _members(entry), strict=True)
        self._line({name: value for name, value in members if value and name not in _RECORD_MEMBERS})
        self.journal.add_entry(entry)

    def close(self, footer: Mapping[str, Any], whole: Mapping[str, Any] | None = None) -> None:
        """Append the footer, with the collected tests of a shard, and close the files."""
        finished: dict[str, Any] = {"run": footer}
        if whole:
            finished["whole"] = whole
        if self._digest is not None and self._digested == self._records.tell():
            finished["records_sha256"] = self._digest.hexdigest()
        self._line({"finished": finished})
        self.abandon()
        self.journal.footer = finished
        add_unfinished(self.journal)

    def forget(self) -> None:
        """Free the memory of the journal, after the report is written."""
        self.journal = Journal(self.journal.folder)

    def abandon(self) -> None:
        """Close the files without a footer."""
        for file in (self._records, self._tests):
            # On a full disk, closing fails again.
            with suppress(OSError):
                file.close()

    def _line(self, content: Mapping[str, Any]) -> None:
        self._text(f"{_ENCODE(content)}\n")

    def _text(self, line: str) -> None:
        _write_all(self._tests, line.encode("ascii"))


_members: Final = attrgetter(*TestEntry.__slots__)
# Reading the journal derives these from the records.
_RECORD_MEMBERS: Final = {"comparisons", "records"}


def _write_all(file: FileIO, content: bytes) -> None:
    # A disk that becomes full writes a part first.
    while content:
        content = content[file.write(content) :]
