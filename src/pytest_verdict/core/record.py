"""The record: one comparison and its place in a test, as one line of JSON; and counts of verdicts."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any, Final, Literal

from pytest_verdict.core.writing import OBSERVED, Envelope, Write
from pytest_verdict.errors import RecordError

RECORD_FORMAT: Final = 1
"""Version of the record's format; readers refuse a newer one."""

# How every record begins; its id follows.
BEGINNING: Final = f'{{"record":{RECORD_FORMAT},"id":"'

# The verdict stands right behind the id, so that counting and choosing records need not parse the evidence.
_HEAD: Final = re.compile(rb'\{"record":1,"id":"([0-9a-f]{12}-[0-9]+-[0-9]+)","verdict":"(pass|fail|error)",')

# 128 bits, because there may be many millions of rows.
_KEY_DIGITS: Final = 32

_ATTEMPT: Final = b',"attempt":'
_ID_ATTEMPT: Final = re.compile(rb'^(\{"record":1,"id":"[0-9a-f]{12}-)[0-9]+')
_NUMBER: Final = re.compile(rb"^[0-9]+")

# Without the search for blanks around the document that json.loads makes.
_decode: Final = json.JSONDecoder().raw_decode
# Copied for each test, because OpenSSL takes longer to find SHA-256 than to digest a name. BLAKE2 is faster, but not there in
# FIPS mode.
_DIGEST: Final = hashlib.sha256()


Counts = dict[str, tuple[int, int, int]]
"""Per operator: how many comparisons passed, failed, and could not be made."""

_NO_COUNTS: Final = (0, 0, 0)


def record_head(identifier: str, members: str) -> str:
    """Write a record up to its place."""
    return f'{BEGINNING}{identifier}",{members},'


def record_end(path: str, line: int) -> str:
    """Write a record from behind its place."""
    return f',"path":{encode_basestring_ascii(path)},"line":{line}}}\n'


class AttemptRecords:
    """Writes the records of one attempt of a test."""

    __slots__ = ("_around", "_ordinal", "attempt", "test", "traits", "worker")

    def __init__(self, test: str, attempt: int, worker: str = "", traits: dict[str, Any] | None = None) -> None:
        self.test = test
        self.traits = traits
        self.attempt = attempt
        self.worker = worker
        self._ordinal = 0
        # What all records share; made with the first, which many tests do not have.
        self._around: tuple[str, str] | None = None

    def lines(self, observed: Iterable[Observed]) -> tuple[bytes, Counts, list[Observed]]:
        """Write the next records."""
        if self._around is None:
            self._around = self._beginning_and_place()
        (beginning, place), ordinal = self._around, self._ordinal
        pieces: list[str] = []
        counts: Counts = {}
        others: list[Observed] = []
        known, before, head, tail = None, 0, "", ""
        for one in observed:
            attempt, envelope, write, expected, seen, end = one
            if attempt is not self:
                others.append(one)
                continue
            if envelope is not known:
                if known is not None:
                    count(counts, known.operator, known.verdict, ordinal - before)
                known, before = envelope, ordinal
                head, tail = f'",{envelope.head}', f"{envelope.tail},{place}"
            ordinal += 1
            number = str(ordinal)
            left = write(expected)
            # Most texts pass because they are the same; seeing that costs a tenth of writing one of them.
            right = left if expected == seen else write(seen)
            # The members as `members_of` writes them; calling a function for each record would take a sixth longer.
            pieces += (beginning, number, head, left, OBSERVED, right, tail, number, end)
        if known is not None:
            count(counts, known.operator, known.verdict, ordinal - before)
        self._ordinal = ordinal
        return "".join(pieces).encode("ascii"), counts, others

    def take(self, number: int) -> int:
        """Leave the next ordinals to whoever has their records written by `line`; give the last ordinal before them."""
        before = self._ordinal
        self._ordinal += number
        return before

    def line(self, members: str, ordinal: int | str, end: str) -> str:
        """Write one record."""
        if self._around is None:
            self._around = self._beginning_and_place()
        beginning, place = self._around
        return f'{beginning}{ordinal}",{members},{place}{ordinal}{end}'

    def _beginning_and_place(self) -> tuple[str, str]:
        beginning = f"{BEGINNING}{digest_of_test(self.test, self.worker)}-{self.attempt}-"
        return beginning, f'"test":{encode_basestring_ascii(self.test)},"attempt":{self.attempt},"ordinal":'


Observed = tuple[AttemptRecords, Envelope, Write, str, str, str]
"""A comparison whose line is not written yet: attempt, envelope, what writes a side, both sides, and what `record_end` wrote.

A side is a text as it is, or what `Envelope.settled` wrote.
"""


def renumbered(lines: bytes, attempt: int) -> bytes:
    """Give records another number of attempt."""
    number = str(attempt).encode("ascii")
    return b"".join(_renumbered(line, number) for line in lines.splitlines(keepends=True))


def verdict_in(line: bytes) -> Literal["pass", "fail", "error"] | None:
    """Read the verdict of a record without parsing its evidence."""
    match = _HEAD.match(line)
    return match.group(2).decode("ascii") if match else None  # type: ignore[return-value]


def identifier_in(line: bytes) -> str:
    """Read the id of a record without parsing its evidence."""
    match = _HEAD.match(line)
    return match.group(1).decode("ascii") if match else ""


def parse_record(line: bytes) -> dict[str, Any]:
    """Read a record, as far as it is one."""
    try:
        text = line.decode("ascii").rstrip()
        found, end = _decode(text)
    except UnicodeDecodeError:
        raise RecordError("it is not ASCII, as every record is") from None
    except RecursionError:
        raise RecordError("it is nested too deeply") from None
    except ValueError as error:
        raise RecordError(f"it is not JSON: {error}") from None
    if end != len(text) or not isinstance(found, dict) or type(found.get("record")) is not int:
        raise RecordError("it is not a record")
    if found["record"] != RECORD_FORMAT:
        raise RecordError(f"it is a record of format {found['record']}, and this version reads format {RECORD_FORMAT}")
    return found


def record_keys(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Give the key of each record of a file: what it compares, attempt and occurrence; comparisons beside it do not shift it."""
    running, seen = None, Counter[str]()
    for record in records:
        if record["test"] != running:
            running = record["test"]
            seen.clear()
        what = [record["name"]] if "name" in record else [record["operator"], record["expected"]]
        text = json.dumps([running, *what], separators=(",", ":"))
        key = f"{hashlib.sha256(text.encode('ascii')).hexdigest()[:_KEY_DIGITS]}-{record['attempt']}"
        seen[key] += 1
        yield f"{key}-{seen[key]}"


def digest_of_test(test: str, worker: str) -> str:
    """Give the beginning of the ids of a test."""
    # 12 digits name a test by its content, the same on every machine.
    digest = _DIGEST.copy()
    digest.update(f"{test}\0{worker}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def _renumbered(line: bytes, number: bytes) -> bytes:
    # The place comes last, so the last member of that name is not part of the evidence.
    at = line.rindex(_ATTEMPT)
    return (
        _ID_ATTEMPT.sub(rb"\g<1>" + number, line[:at], count=1)
        + _ATTEMPT
        + _NUMBER.sub(number, line[at + len(_ATTEMPT) :], count=1)
    )


def merge_counts(counts: Counts, more: Counts) -> None:
    """Add counts to counts."""
    for operator, (passed, failed, broken) in more.items():
        before = counts.get(operator, _NO_COUNTS)
        counts[operator] = before[0] + passed, before[1] + failed, before[2] + broken


def count(counts: Counts, operator: str, verdict: str, number: int = 1) -> None:
    """Count comparisons."""
    passed, failed, broken = counts.get(operator, _NO_COUNTS)
    is_pass, is_fail = verdict == "pass", verdict == "fail"
    is_error = not (is_pass or is_fail)
    counts[operator] = passed + number * is_pass, failed + number * is_fail, broken + number * is_error


def summed(counts: Counts) -> tuple[int, int, int]:
    """Add counts over all operators."""
    # A loop, because this runs several times for each test, mostly for one operator.
    passed = failed = broken = 0
    for of_operator in counts.values():
        passed += of_operator[0]
        failed += of_operator[1]
        broken += of_operator[2]
    return passed, failed, broken
