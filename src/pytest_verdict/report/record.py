"""The record: one comparison and where it happened, as one line of JSON."""

from __future__ import annotations

import hashlib
import re
from json.encoder import encode_basestring_ascii
from typing import Final, Literal

RECORD_FORMAT: Final = 1
"""Version of the record's format; readers refuse a newer one."""

# The verdict stands right behind the id, so that counting and choosing records need not parse the evidence.
_HEAD: Final = re.compile(rb'\{"record":1,"id":"([0-9a-f]{12}-[0-9]+-[0-9]+)","verdict":"(pass|fail|error)",')


def digest_of_test(test: str, worker: str) -> str:
    """Name a test by its content.

    Args:
        test: The node id.
        worker: The worker, when every worker runs every test; otherwise empty.

    Returns:
        12 hexadecimal digits, the same on every machine.
    """
    return hashlib.sha256(f"{test}\0{worker}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def record_line(members: str, place: str, identifier: str) -> str:
    """Put a result and its place together.

    Args:
        members: What `ComparisonResult.to_members` wrote.
        place: What `place_members` wrote.
        identifier: The record's id.

    Returns:
        One line of JSON in ASCII, with its line end.
    """
    return f'{{"record":{RECORD_FORMAT},"id":"{identifier}",{members},{place}}}\n'


def place_members(test: str, attempt: int, ordinal: int, path: str, line: int) -> str:
    """Write where a comparison happened as members of a JSON object.

    Args:
        test: The node id.
        attempt: Which run of the test, from 1.
        ordinal: Which comparison of the attempt, from 1.
        path: The file of the call, relative to the root directory.
        line: The line of the call, from 1; 0 when unknown.

    Returns:
        JSON text in ASCII.
    """
    return (
        f'"test":{encode_basestring_ascii(test)},"attempt":{attempt},"ordinal":{ordinal},'
        f'"path":{encode_basestring_ascii(path)},"line":{line}'
    )


def verdict_of(line: bytes) -> Literal["pass", "fail", "error"] | None:
    """Read the verdict of a record without parsing its evidence.

    Args:
        line: One line of ``records.jsonl``.

    Returns:
        The verdict, or None when the line is not a record.
    """
    match = _HEAD.match(line)
    return match.group(2).decode("ascii") if match else None  # type: ignore[return-value]
