"""Records: a comparison and its place in a test as one line of JSON, written and read."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring_ascii
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from pytest_verdict.core.record_members import (
    COMPARISON,
    CONTEXT,
    EVIDENCE,
    EXPECTED,
    ID_PATTERN,
    MEMBER,
    OBSERVED,
    OUTCOME,
    PLACE,
    RECORD_FORMAT,
    THRESHOLD,
    VERDICTS,
    Verdict,
    write_evidence,
    write_members,
    write_optional,
    write_redacted_text,
)
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY, encode_text
from pytest_verdict.core.values.redaction import Redaction, hiding
from pytest_verdict.errors import RecordError

if TYPE_CHECKING:
    from pytest_verdict.core.result import ComparisonResult

_VERDICT: Final = MEMBER["verdict"]
_NAME: Final = MEMBER["name"]
_TEST, _ATTEMPT, _ORDINAL, _PATH, _LINE = PLACE
_BEGINNING: Final = f'{{{MEMBER["record"].key}{RECORD_FORMAT},{MEMBER["id"].key}"'
_TYPED: Final = f'"{TYPE_KEY}":'
# The verdict follows the id, so counting and filtering records needs no parsing.
_HEAD: Final = re.compile(
    f'{re.escape(_BEGINNING)}({ID_PATTERN})",{MEMBER["verdict"].key}"({"|".join(VERDICTS)})",'.encode("ascii")
)
_DIGEST_DIGITS: Final = 12
# 128 bits, because there may be many millions of rows.
_KEY_DIGITS: Final = 32
# json.loads would also search for blanks around the document.
_decode: Final = json.JSONDecoder().raw_decode

Counts = dict[str, tuple[int, int, int]]
"""Per operator: how many comparisons passed, failed, and could not be made."""

_NO_COUNTS: Final = (0, 0, 0)
_POSITIONS: Final = {"pass": 0, "fail": 1, "error": 2}


def write_comparison(result: ComparisonResult, redaction: Redaction | None = None) -> str:
    """Write the members of a comparison, without the braces of the object."""
    expected = encode_text(result.recorded_expected)
    observed = encode_text(result.recorded_observed)
    # Only a value of a class can have hidden fields.
    if _TYPED in expected or _TYPED in observed:
        redaction = hiding(redaction, result.recorded_expected, result.recorded_observed)
    identity = result.identity
    if redaction is not None:
        identity = identity.redacted(redaction)
        expected = write_evidence(result.recorded_expected, redaction)
        observed = write_evidence(result.recorded_observed, redaction)

    text = f'{_VERDICT.key}"{result.verdict}"'
    if result.name is not None:
        text += f",{_NAME.key}{write_redacted_text(result.name, redaction)}"
    text += f",{identity.members},{EXPECTED.key}{expected},{OBSERVED.key}{observed}"
    text += f",{write_members((*OUTCOME, THRESHOLD), result, redaction)}"
    text += write_optional(EVIDENCE, result.outcome, result, redaction)
    if result.negated or result.sources_text is not None or result.accepted is not None:
        text += write_optional(CONTEXT, result, result, redaction)
    return text


class PendingRecord(NamedTuple):
    """A comparison of an attempt of a test, and the members and the end of its record."""

    attempt: AttemptRecords
    operator: str
    verdict: Verdict
    members: str
    end: str


class AttemptRecords:
    """Writes the records of one attempt of a test."""

    __slots__ = ("_ordinal", "_place", "_start", "attempt", "test", "traits", "worker")

    def __init__(self, test: str, attempt: int, worker: str = "", traits: dict[str, Any] | None = None) -> None:
        self.test = test
        self.traits = traits
        self.attempt = attempt
        self.worker = worker
        self._ordinal = 0
        self._place = _place_before_ordinal(test, attempt)
        self._start = f"{_BEGINNING}{digest_of_test(test, worker)}-{attempt}-"

    def write(self, records: Iterable[PendingRecord]) -> tuple[bytes, Counts]:
        """Write the next records, and count their verdicts."""
        lines: list[str] = []
        counts: Counts = {}
        for ordinal, record in enumerate(records, self._ordinal + 1):
            lines.append(self.line(record.members, ordinal, record.end))
            count(counts, record.operator, record.verdict)
        # Last, because after an interrupt by Ctrl-C the same records are written again.
        self._ordinal += len(lines)
        return "".join(lines).encode("ascii"), counts

    def take(self, number: int) -> int:
        """Reserve ordinals for a caller that writes its records by `line`; return the ordinal before them."""
        self._ordinal += number
        return self._ordinal - number

    def line(self, members: str, ordinal: int | str, end: str) -> str:
        """Write one record."""
        return f'{self._start}{ordinal}",{members},{self._place}{ordinal}{end}'


def _place_before_ordinal(test: str, attempt: int) -> str:
    return f"{_TEST.key}{_TEST.write(test)},{_ATTEMPT.key}{attempt},{_ORDINAL.key}"


def record_end(path: str, line: int) -> str:
    """Write the end of a record, from the path of its call."""
    return f",{_PATH.key}{_PATH.write(path)},{_LINE.key}{line}}}\n"


def write_record(members: str, summary: RecordSummary) -> str:
    """Write a comparison with the id and the place of another record."""
    place = _place_before_ordinal(summary.test, summary.attempt)
    end = record_end(summary.path, summary.line)
    return f'{_BEGINNING}{summary.id}",{members},{place}{summary.ordinal}{end}'


def renumber(lines: bytes, attempt: int) -> bytes:
    """Change the number of the attempt in records."""
    renumbered = []
    for line in lines.splitlines(keepends=True):
        summary = summarize_record(parse_record(line))
        before, after = write_record("\n", summary).split("\n", 1)
        members = line.decode("ascii")[len(before) : -len(after)]
        digest, _, ordinal = summary.id.split("-")
        summary = summary._replace(id=f"{digest}-{attempt}-{ordinal}", attempt=attempt)
        renumbered.append(write_record(members, summary).encode("ascii"))
    return b"".join(renumbered)


def read_verdict(line: bytes) -> Verdict | None:
    """Read the verdict of a record without parsing its evidence."""
    match = _HEAD.match(line)
    return cast("Verdict", match[2].decode("ascii")) if match else None


def read_id(line: bytes) -> str:
    """Read the id of a record without parsing its evidence; return an empty text if the line is no record."""
    match = _HEAD.match(line)
    return match[1].decode("ascii") if match else ""


def names_operator(line: bytes, operator: str) -> bool:
    """Return whether a record, or a part of it, has an operator, without parsing it."""
    # The quotes in evidence are escaped, so evidence cannot look like a key.
    return f"{MEMBER['operator'].key}{encode_basestring_ascii(operator)}".encode("ascii") in line


def parse_record(line: bytes) -> dict[str, Any]:
    """Parse the line of a record without checking its members; raise RecordError for another format."""
    try:
        text = line.decode("ascii").rstrip()
        record, end = _decode(text)
    except UnicodeDecodeError:
        raise RecordError("it is not ASCII, as every record is") from None
    except RecursionError:
        raise RecordError("it is nested too deeply") from None
    except ValueError as error:
        raise RecordError(f"it is not JSON: {error}") from None
    if end != len(text) or not isinstance(record, dict) or type(record.get("record")) is not int:
        raise RecordError("it is not a record")
    if record["record"] != RECORD_FORMAT:
        raise RecordError(f"it is a record of format {record['record']}, and this version reads format {RECORD_FORMAT}")
    return record


def check_record(record: Mapping[str, Any]) -> None:
    """Check the types of all members of an untrusted record and of its parts, as far as they are there."""
    for name, value in record.items():
        member = MEMBER.get(name)
        # A typed value may be an object, such as a redacted text; readers decode it.
        is_encoded = member is None or (member.is_typed and isinstance(value, dict))
        if member is not None and not is_encoded and not member.type.accepts(value):
            raise RecordError(f"{name} must be {member.type.requirement}, got {shown(value, 80)}")
    for member in COMPARISON:
        if member.is_required and member.name not in record:
            raise RecordError(f"there is no {member.name!r}")
    if record["verdict"] not in VERDICTS:
        raise RecordError(f"its verdict is {shown(record['verdict'], 80)}")
    for part in record.get("children", ()):
        if not isinstance(part, dict):
            raise RecordError(f"a part is no object: {shown(part, 80)}")
        check_record(part)


class RecordSummary(NamedTuple):
    """The verdict, the operator and the place of a record."""

    id: str
    verdict: str
    operator: str
    test: str
    attempt: int
    ordinal: int
    path: str
    line: int


_SUMMARY_TYPES: Final = (str, str, str, str, int, int, str, int)
_get_summary: Final = itemgetter(*RecordSummary._fields)
_ID: Final = re.compile(ID_PATTERN)


def summarize_record(record: Mapping[str, Any]) -> RecordSummary:
    """Return the summary of a record; raise RecordError if a member is missing or has a wrong value."""
    try:
        summary = RecordSummary(*_get_summary(record))
    except KeyError as error:
        raise RecordError(f"the record has no {error}") from None
    is_typed = tuple(map(type, summary)) == _SUMMARY_TYPES
    if not is_typed or not _ID.fullmatch(summary.id) or min(summary.attempt, summary.ordinal, summary.line) < 0:
        for name in RecordSummary._fields:
            MEMBER[name].read(record)
        raise RecordError(f"id must be as in 0123456789ab-1-1, got {shown(summary.id, 80)}")
    return summary


def operator_codes(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the digests of the operators' code in a record and its parts."""
    code = record.get("operator_code")
    if isinstance(code, str):
        yield code
    children = record.get("children")
    for child in children if isinstance(children, list) else ():
        if isinstance(child, dict):
            yield from operator_codes(child)


def record_keys(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the key of each record of a file: its name or its operator and expected value, the attempt and the occurrence."""
    test = None
    occurrences = Counter[str]()
    for record in records:
        if record["test"] != test:
            test = record["test"]
            occurrences.clear()
        subject = [record["name"]] if "name" in record else [record["operator"], record["expected"]]
        text = json.dumps([test, *subject], separators=(",", ":"))
        key = f"{hashlib.sha256(text.encode('ascii')).hexdigest()[:_KEY_DIGITS]}-{record['attempt']}"
        occurrences[key] += 1
        yield f"{key}-{occurrences[key]}"


def digest_of_test(test: str, worker: str) -> str:
    """Return the digest of a test, with which the ids of its records begin."""
    return hashlib.sha256(f"{test}\0{worker}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]


def merge_counts(counts: Counts, more: Counts) -> None:
    """Add counts to counts."""
    for operator, numbers in more.items():
        for verdict, number in zip(VERDICTS, numbers, strict=True):
            count(counts, operator, verdict, number)


def count(counts: Counts, operator: str, verdict: str, number: int = 1) -> None:
    """Count comparisons."""
    numbers = [*counts.get(operator, _NO_COUNTS)]
    numbers[_POSITIONS.get(verdict, -1)] += number
    passed, failed, broken = numbers
    counts[operator] = passed, failed, broken


def sum_counts(counts: Counts) -> tuple[int, int, int]:
    """Add counts over all operators."""
    passed, failed, broken = map(sum, zip(_NO_COUNTS, *counts.values(), strict=True))
    return passed, failed, broken
