"""The record: one comparison and where it happened, as one line of JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii
from typing import Any, Final, Literal

from pytest_verdict.envelope import Envelope, Write
from pytest_verdict.errors import RecordError
from pytest_verdict.report.counts import Counts, count

RECORD_FORMAT: Final = 1
"""Version of the record's format; readers refuse a newer one."""

# How every record begins; its id follows.
_BEGINNING: Final = f'{{"record":{RECORD_FORMAT},"id":"'

# The verdict stands right behind the id, so that counting and choosing records need not parse the evidence.
_HEAD: Final = re.compile(rb'\{"record":1,"id":"([0-9a-f]{12}-[0-9]+-[0-9]+)","verdict":"(pass|fail|error)",')

_ATTEMPT: Final = b',"attempt":'
_ID_ATTEMPT: Final = re.compile(rb'^(\{"record":1,"id":"[0-9a-f]{12}-)[0-9]+')
_NUMBER: Final = re.compile(rb"^[0-9]+")

# Without the search for blanks around the document that json.loads makes.
_decode: Final = json.JSONDecoder().raw_decode
# Copied for each test, because OpenSSL takes longer to find its SHA-256 than to digest a name. BLAKE2, which is faster, is not
# there where only hashes of the FIPS are allowed.
_DIGEST: Final = hashlib.sha256()


def record_head(identifier: str, members: str) -> str:
    """Write a record up to its place.

    Args:
        identifier: The record's id.
        members: What `ComparisonResult.to_members` wrote.

    Returns:
        JSON text in ASCII, ready for the place.
    """
    return f'{_BEGINNING}{identifier}",{members},'


def record_end(path: str, line: int) -> str:
    """Write a record from behind its place.

    Args:
        path: The file of the call, relative to the root directory.
        line: The line of the call, from 1; 0 when unknown.

    Returns:
        The last members in ASCII, the brace and the line end.

    Example:
        >>> record_end("test_x.py", 12)
        ',"path":"test_x.py","line":12}\\n'
    """
    return f',"path":{encode_basestring_ascii(path)},"line":{line}}}\n'


class AttemptRecords:
    """Writes the records of one attempt of a test; what all of them share is made once.

    Args:
        test: The node id.
        attempt: Which run of the test, from 1.
        worker: The worker, when every worker runs every test; otherwise empty.

    Attributes:
        test: The node id.
        attempt: Which run of the test, from 1.

    Example:
        >>> from pytest_verdict import compare
        >>> records = AttemptRecords("test_x.py::test_a", 1)
        >>> envelope = compare("exact", 1, 1).envelope()
        >>> lines, _, _ = records.lines([(records, envelope, *envelope.settled(1, 1), record_end("test_x.py", 12))])
        >>> record = parse_record(lines)
        >>> record["id"], record["verdict"], record["line"]
        ('4ac0a574a986-1-1', 'pass', 12)
    """

    __slots__ = ("_around", "_ordinal", "_worker", "attempt", "test")

    def __init__(self, test: str, attempt: int, worker: str = "") -> None:
        self.test = test
        self.attempt = attempt
        self._worker = worker
        self._ordinal = 0
        # Made with the first record, which many tests do not have.
        self._around: tuple[str, str] | None = None

    def lines(self, observed: Iterable[Observed]) -> tuple[bytes, Counts, list[Observed]]:
        """Write the next records.

        Args:
            observed: Comparisons of this attempt, and perhaps of others.

        Returns:
            One line of JSON in ASCII with its line end for each of this attempt, their counts, and those of other attempts.
        """
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
            pieces += (beginning, number, head, left, ',"observed":', right, tail, number, end)
        if known is not None:
            count(counts, known.operator, known.verdict, ordinal - before)
        self._ordinal = ordinal
        return "".join(pieces).encode("ascii"), counts, others

    def _beginning_and_place(self) -> tuple[str, str]:
        beginning = f"{_BEGINNING}{_digest_of_test(self.test, self._worker)}-{self.attempt}-"
        return beginning, f'"test":{encode_basestring_ascii(self.test)},"attempt":{self.attempt},"ordinal":'


Observed = tuple[AttemptRecords, Envelope, Write, str, str, str]
"""A comparison whose line is not written yet.

Its attempt, its envelope, what writes a side, the two sides (texts as they are, or what `Envelope.settled` gave), and what
`record_end` wrote.
"""


def renumbered(lines: bytes, attempt: int) -> bytes:
    """Say of records that they are of another attempt.

    Args:
        lines: Whole lines of ``records.jsonl``.
        attempt: Which run of the test, from 1.

    Returns:
        The same records, with the attempt in their id and in their place.

    Example:
        >>> from pytest_verdict import compare
        >>> records = AttemptRecords("test_x.py::test_a", 1)
        >>> envelope = compare("exact", 1, 1).envelope()
        >>> lines, _, _ = records.lines([(records, envelope, *envelope.settled(1, 1), record_end("test_x.py", 12))])
        >>> identifier_of(renumbered(lines, 2))
        '4ac0a574a986-2-1'
    """
    number = str(attempt).encode("ascii")
    return b"".join(_renumbered(line, number) for line in lines.splitlines(keepends=True))


def verdict_of(line: bytes) -> Literal["pass", "fail", "error"] | None:
    """Read the verdict of a record without parsing its evidence.

    Args:
        line: One line of ``records.jsonl``.

    Returns:
        The verdict, or None when the line is not a record.
    """
    match = _HEAD.match(line)
    return match.group(2).decode("ascii") if match else None  # type: ignore[return-value]


def identifier_of(line: bytes) -> str:
    """Read the id of a record without parsing its evidence.

    Args:
        line: One line of ``records.jsonl``.

    Returns:
        The id; empty when the line is not a record.
    """
    match = _HEAD.match(line)
    return match.group(1).decode("ascii") if match else ""


def parse_record(line: bytes) -> dict[str, Any]:
    """Read a record, as far as it is one.

    Args:
        line: One line of ``records.jsonl``, with or without its line end.

    Returns:
        The record's JSON object; its evidence is still encoded.

    Raises:
        RecordError: The line is not a record, or one of a newer format.

    Example:
        >>> parse_record(b"[1, 2]")
        Traceback (most recent call last):
            ...
        pytest_verdict.errors.RecordError: it is not a record
    """
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


def _digest_of_test(test: str, worker: str) -> str:
    # 12 digits name a test by its content, the same on every machine.
    digest = _DIGEST.copy()
    digest.update(f"{test}\0{worker}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def _renumbered(line: bytes, number: bytes) -> bytes:
    # The place comes last, so the last member of that name is not the evidence's.
    at = line.rindex(_ATTEMPT)
    return (
        _ID_ATTEMPT.sub(rb"\g<1>" + number, line[:at], count=1)
        + _ATTEMPT
        + _NUMBER.sub(number, line[at + len(_ATTEMPT) :], count=1)
    )
