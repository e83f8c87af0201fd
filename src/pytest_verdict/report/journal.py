"""The journal: the files that a session writes while it runs, and that remain when it is killed."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from pytest_verdict.core.record import Counts, count, digest_of_test, merge_counts, parse_record, read_id, read_verdict
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import RecordError

JOURNAL_FORMAT: Final = 1
JOURNAL: Final = "journal"
RECORDS: Final = "records.jsonl"
"""The records in order of arrival."""
TESTS: Final = "tests.jsonl"
"""A header, a line for each attempt of a test, and a footer, if the session ended."""
SHARD: Final = "shard.jsonl"
"""The part of a shard's journal that stays in its report, so shards can be merged."""
OUTPUTS: Final = "outputs.jsonl"
"""The outputs of adapters, in order of arrival; the report has the same lines, sorted."""

Properties = Sequence[Sequence[str]]
"""Names and values from `record_property` or `record_testsuite_property`."""
_BLOCK: Final = 1 << 20
TRAITS: Final = ("markers", "parameters")
"""The members of an entry that describe a test besides its name."""

LATE: Final = "late"
"""The outcome of an entry that only adds comparisons to an attempt which had already ended."""


class ByteRange(NamedTuple):
    """The place of consecutive records in ``records.jsonl``."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length


@dataclass(slots=True)
class TestEntry:
    # Not a test class for pytest, in spite of its name.
    __test__ = False

    test: str
    attempt: int = 1
    outcome: str = "unfinished"
    path: str = ""
    line: int = 0
    microseconds: int = 0
    message: str = ""
    text: str = ""
    crashed: bool = False
    teardown_error: bool = False
    subtests: dict[str, int] | None = None
    properties: Properties = ()
    output: Mapping[str, str] | None = None
    worker: str = ""
    traits: dict[str, Any] | None = None
    repeats: dict[str, Any] | None = None
    comparisons: Counts = field(default_factory=dict)
    records: tuple[ByteRange, ...] = ()

    @property
    def is_decided(self) -> bool:
        """Whether this attempt decided over the repeats of its test."""
        return self.repeats is not None and "verdict" in self.repeats

    def add_records(self, counts: Counts, place: ByteRange) -> None:
        last = self.records[-1] if self.records else None
        if last is not None and last.end == place.offset:
            # Joined with the last range: adding a range copies all before it, and a test may have very many records.
            self.records = (*self.records[:-1], ByteRange(last.offset, last.length + place.length))
        else:
            self.records += (place,)
        if self.comparisons:
            # A copy, because entries share equal counts.
            self.comparisons = dict(self.comparisons)
            merge_counts(self.comparisons, counts)
        else:
            self.comparisons = counts


_ENTRY_OUTCOMES: Final = {"passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished", "rerun", LATE}
_TEXTS: Final = ("test", "path", "message", "text", "worker")
_MEMBER_TYPES: Final = {**dict.fromkeys(_TEXTS, str), "crashed": bool, "teardown_error": bool}
_HEADER_TYPES: Final = {"run": dict, "asked": dict, "limit": int, "profile": str}
_ENCODE: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
# Reading the journal derives these from the records.
_WRITTEN_MEMBERS: Final = [name for name in TestEntry.__slots__ if name not in {"comparisons", "records"}]


@dataclass(slots=True)
class Journal:
    """The content of a journal, while a session writes it or after it is read."""

    folder: Path
    header: dict[str, Any] = field(default_factory=dict)
    footer: dict[str, Any] | None = None
    order: list[str] = field(default_factory=list)
    entries: list[TestEntry] = field(default_factory=list)
    began: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    damaged: int = 0

    @property
    def run(self) -> dict[str, Any]:
        """Times and environment of the session, as far as the journal has them."""
        return {**self.header.get("run", {}), **(self.footer or {}).get("run", {})}

    @property
    def records(self) -> Path:
        return self.folder / RECORDS

    def add_start(self, test: str, path: str, line: int) -> None:
        before = self.began.get(test)
        self.began[test] = path, line, 1 if before is None else before[2]

    def add_entry(self, entry: TestEntry) -> None:
        """Add one attempt of a test, or comparisons of one that had already ended."""
        index = self._find(entry) if entry.outcome == LATE or entry.is_decided else None
        if entry.outcome == LATE:
            if index is None:
                raise ValueError(f"comparisons of {entry.test} arrived late, but the test is not there")
            # No place in an entry that was read back: `add_unfinished` assigns its records.
            for place in entry.records:
                self.entries[index].add_records(entry.comparisons, place)
            self.entries[index].traits = entry.traits
            return
        if index is not None:
            # The attempt that decided is there without the decision.
            earlier = self.entries.pop(index)
            entry.comparisons = earlier.comparisons
            entry.records = earlier.records + entry.records
            entry.traits = earlier.traits
        self.entries.append(entry)
        began = self.began.pop(entry.test, None)
        if began is not None and (entry.outcome == "rerun" or (entry.repeats and not entry.is_decided)):
            self.began[entry.test] = began[0], began[1], entry.attempt + 1

    def _find(self, entry: TestEntry) -> int | None:
        for index in reversed(range(len(self.entries))):
            earlier = self.entries[index]
            if (earlier.test, earlier.attempt, earlier.worker) == (entry.test, entry.attempt, entry.worker):
                return index
        return None


class JournalWriter:
    """Appends to a journal; the operating system receives every line at once."""

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        folder.mkdir(parents=True)
        # Without a buffer, because a kill loses what the operating system does not have.
        self._records = (folder / RECORDS).open("xb", buffering=0)
        self._tests = (folder / TESTS).open("xb", buffering=0)
        self.journal = Journal(folder, {"journal": JOURNAL_FORMAT, **header})
        self._append(self.journal.header)

    def append_records(self, lines: bytes) -> ByteRange:
        """Append records, and return their place in the file."""
        # The file itself knows the offset, even if an exception interrupted an earlier write.
        place = ByteRange(offset=self._records.tell(), length=len(lines))
        _write_all(self._records, lines)
        return place

    def append_start(self, test: str, location: tuple[str, int | None, str]) -> None:
        path, line = place_of(location)
        self.journal.add_start(test, path, line)
        self._append({"began": test, "path": path, "line": line})

    def append_order(self, tests: list[str]) -> None:
        self.journal.order = tests
        self._append({"collected": tests})

    def append_test(self, entry: TestEntry) -> None:
        members = {name: getattr(entry, name) for name in _WRITTEN_MEMBERS}
        self._append({name: value for name, value in members.items() if value})
        self.journal.add_entry(entry)

    def close(self, footer: Mapping[str, Any], whole: Mapping[str, Any] | None = None) -> None:
        """Append the footer, with the collected tests of a shard, and close the files."""
        finished: dict[str, Any] = {"run": footer}
        if whole:
            finished["whole"] = whole
        self._append({"finished": finished})
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

    def _append(self, content: Mapping[str, Any]) -> None:
        _write_all(self._tests, f"{_ENCODE(content)}\n".encode("ascii"))


def _write_all(file: FileIO, content: bytes) -> None:
    # A disk that becomes full writes a part first.
    while content:
        content = content[file.write(content) :]


def read_journal(folder: Path, tests: str = TESTS) -> Journal:
    """Read the journal of a session that ended or was killed, or the part that a shard keeps."""
    if not (folder / tests).is_file() or not (folder / RECORDS).is_file():
        raise RecordError(f"{folder} holds no journal ({tests} and {RECORDS})")
    journal = Journal(folder)
    with (folder / tests).open("rb") as lines:
        for line in lines:
            try:
                _add_line(journal, json.loads(line.decode("ascii")))
            except (ValueError, TypeError, KeyError, AttributeError):
                # The last line of a killed session may be half a line.
                journal.damaged += 1
    if journal.header.get("journal") != JOURNAL_FORMAT:
        raise RecordError(f"{folder / tests} is not a journal of format {JOURNAL_FORMAT}")
    for name, kind in _HEADER_TYPES.items():
        if type(journal.header.get(name, kind())) is not kind:
            raise RecordError(f"{folder / tests}: the header has no usable {name!r}: {shown(journal.header[name], 80)}")
    add_unfinished(journal)
    return journal


def _add_line(journal: Journal, content: dict[str, Any]) -> None:
    if "journal" in content:
        journal.header = content
    elif "collected" in content:
        journal.order = _check_texts(content["collected"])
    elif "finished" in content:
        if not isinstance(content["finished"].get("run", {}), dict):
            raise ValueError("the run is no object")
        journal.footer = content["finished"]
    elif "began" in content:
        _check_texts([content["began"], content["path"]])
        journal.add_start(content["began"], content["path"], _whole(content["line"]))
    else:
        journal.add_entry(_entry(content))


def _check_texts(texts: Any) -> list[str]:
    if not isinstance(texts, list) or any(type(text) is not str for text in texts):
        raise ValueError("a list of texts is needed")
    return texts


def _entry(content: dict[str, Any]) -> TestEntry:
    entry = TestEntry(**content)
    # Older journals have them here as well.
    entry.comparisons = {}
    entry.records = ()
    # The report contains these members unchanged.
    for number in (entry.attempt, entry.line, entry.microseconds, *(entry.subtests or {}).values()):
        _whole(number)
    for texts in (*entry.properties, *(entry.output or {}).items()):
        if [*map(type, texts)] != [str, str]:
            raise ValueError("a property or the output is no pair of texts")
    for member, kind in _MEMBER_TYPES.items():
        if type(getattr(entry, member)) is not kind:
            raise ValueError(f"{member} is of another type")
    if entry.traits is not None:
        markers = entry.traits.get("markers", [])
        parameters = entry.traits.get("parameters", {})
        are_plain = all(type(value) in {str, int, float, bool} for value in parameters.values())
        if not (are_plain and isinstance(markers, list) and all(type(marker) is str for marker in markers)):
            raise ValueError("traits are markers and parameters")
    if entry.repeats is not None:
        for name, value in entry.repeats.items():
            if type(value) is not (int if name in {"attempt", "most"} else str):
                raise ValueError(f"repeats: {name} is of another type")
    if entry.outcome not in _ENTRY_OUTCOMES:
        raise ValueError("there is no such outcome")
    return entry


def _whole(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 2**43:
        raise ValueError("a whole number from 0 is needed")
    return number


def blocks_of(records: IO[bytes], places: Iterable[ByteRange]) -> Iterator[list[bytes]]:
    """Read the lines of some places, many at once."""
    for place in places:
        records.seek(place.offset)
        missing = place.length
        while missing > 0:
            # readlines() stops after the line that exceeds its argument.
            lines = records.readlines(max(min(missing, _BLOCK) - 1, 1))
            if not lines:
                return
            yield lines
            missing -= sum(map(len, lines))


def add_unfinished(journal: Journal) -> None:
    """Assign the records without an entry to their attempts, and add entries for tests that never ended."""
    ended = len(journal.entries)
    by_attempt = {}
    for entry in journal.entries:
        name = digest_of_test(entry.test, entry.worker) if entry.worker else entry.test
        by_attempt[name, entry.attempt] = entry
    for offset, line in _find_unclaimed_records(journal):
        try:
            record = parse_record(line)
            verdict = read_verdict(line)
            if verdict is None or not line.endswith(b"\n"):
                raise RecordError("it is not a whole record")
            counts: Counts = {}
            count(counts, record["operator"], verdict)
            attempt = (record["test"], _whole(record["attempt"]))
            # If every worker runs every test, only the id of a record identifies its worker.
            owner = by_attempt.get((read_id(line).partition("-")[0], attempt[1]), by_attempt.get(attempt))
            if owner is None:
                path, number, _ = journal.began.get(attempt[0], (record["path"], _whole(record["line"]), 1))
                owner = by_attempt[attempt] = TestEntry(*attempt, path=path, line=number)
                journal.entries.append(owner)
            owner.add_records(counts, ByteRange(offset, len(line)))
        except (ValueError, TypeError, KeyError):
            journal.damaged += 1
    unfinished = {entry.test for entry in journal.entries[ended:]}
    for test, (path, number, attempt_number) in journal.began.items():
        if test not in unfinished:
            journal.entries.append(TestEntry(test, attempt_number, path=path, line=number))
    # The journal does not record the start of tests that share a name, so the attempt after a rerun may be missing.
    last: dict[tuple[str, str], TestEntry] = {}
    for entry in sorted(journal.entries, key=attrgetter("attempt")):
        last[entry.test, entry.worker] = entry
    for entry in last.values():
        if entry.outcome == "rerun":
            journal.entries.append(
                TestEntry(entry.test, entry.attempt + 1, path=entry.path, line=entry.line, worker=entry.worker)
            )


def _find_unclaimed_records(journal: Journal) -> Iterator[tuple[int, bytes]]:
    """Yield the records that no entry has, with their offsets; with several workers they are between the others."""
    size = journal.records.stat().st_size
    claimed = sorted(chain.from_iterable(entry.records for entry in journal.entries))
    position = 0
    with journal.records.open("rb") as lines:
        for place in [*claimed, ByteRange(size, 0)]:
            if position < place.offset:
                lines.seek(position)
            while position < place.offset:
                line = lines.readline()
                if not line:
                    # The file is shorter than its entries.
                    return
                yield position, line
                position += len(line)
            position = place.end


def place_of(location: tuple[str, int | None, str]) -> tuple[str, int]:
    """Return the file and line of a test, the same on every system."""
    path, line, _ = location
    return path.replace("\\", "/"), 0 if line is None else line + 1
