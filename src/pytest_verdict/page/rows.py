"""The rows of a page: one for each comparison, or for each pair of comparisons of two runs; and their index."""

from __future__ import annotations

import gzip
import json
import sys
from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import parse_record, summarize_record
from pytest_verdict.core.record_members import MEMBER
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import RecordError
from pytest_verdict.report.summary import VERDICTS, is_answer

# Higher levels take twice as long and save little.
_COMPRESSION: Final = 5
# Explaining a comparison takes longer than everything else in a row.
_MOST_EXPLAINED: Final = 5_000
_INCOMPLETE: Final = "it is not a whole record"


class Row(NamedTuple):
    """A comparison on the page; a page of two runs also has the earlier record, the class of the change and its causes."""

    record: bytes
    before: bytes = b""
    change: str = ""
    causes: Sequence[str] = ()


# The members of a page besides its rows; a member `start` may set the first filters (default: all verdicts except pass).
_EMPTY: Final[Mapping[str, Any]] = {
    "title": "",
    "left_out": 0,
    "numbers": {},
    **dict.fromkeys(("warnings", "commands", "facts", "fields", "operators", "tests", "slowest"), ()),
}
# The columns of a row for the list and the filters.
_NUMBERS: Final = {"attempt": "I", "ordinal": "I", "score": "f", "threshold": "f"}
_TEXTS: Final = ("verdict", "operator", "test", "name", "notes", "parts", "change", "causes", "headline")


class Index:
    """The columns of all rows, with dictionaries of their texts."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[Hashable, int]] = {name: {} for name in _TEXTS}
        self._texts["verdict"] = {verdict: code for code, verdict in enumerate(VERDICTS)}
        self._columns: dict[str, array[Any]] = {name: array(kind) for name, kind in _NUMBERS.items()}
        self._columns |= {name: array("I") for name in _TEXTS}

    @property
    def rows(self) -> int:
        return len(self._columns["verdict"])

    def add(self, entry: Mapping[str, Any]) -> None:
        for name, column in self._columns.items():
            value = entry[name]
            if name in self._texts:
                # A new text gets the next code.
                value = self._texts[name].setdefault(value, len(self._texts[name]))
            column.append(value)

    def pack(self, about: Mapping[str, Any], chunks: Mapping[str, Any]) -> bytes:
        """Build the index: the length of a JSON head, the head, and the columns as little-endian 32-bit numbers."""
        codes = Counter(self._columns["verdict"])
        members = {
            "counts": {verdict: codes[code] for code, verdict in enumerate(VERDICTS)},
            "decisions": [name for name in self._texts["operator"] if not is_answer(str(name))],
        }
        head = {
            "about": {**_EMPTY, **members, **about},
            "chunks": chunks,
            "rows": self.rows,
            "texts": {name: list(codes) for name, codes in self._texts.items()},
            "columns": [[name, column.typecode] for name, column in self._columns.items()],
        }
        text = json.dumps(head, separators=(",", ":")).encode("ascii")
        text += b" " * (-len(text) % 4)
        columns = []
        for column in self._columns.values():
            little_endian = column[:]
            if sys.byteorder == "big":
                little_endian.byteswap()
            columns.append(little_endian.tobytes())
        return compress([len(text).to_bytes(4, "little"), text, *columns])


def compress(pieces: Iterable[bytes]) -> bytes:
    """Compress pieces with gzip, without a timestamp, so equal pages are equal files."""
    return gzip.compress(b"".join(pieces), _COMPRESSION, mtime=0)


def _entry(record: dict[str, Any], row: Row) -> dict[str, Any]:
    summary = summarize_record(record)
    if summary.verdict not in VERDICTS:
        raise RecordError(_INCOMPLETE)
    digest, _, position = summary.id.partition("-")
    if position != f"{summary.attempt}-{summary.ordinal}":
        raise RecordError(_INCOMPLETE)
    failed_parts = [part for part in MEMBER["children"].read(record) if part["verdict"] != "pass"]
    return {
        **summary._asdict(),
        **{name: MEMBER[name].read(record) for name in ("score", "threshold", "notes")},
        "test": (summary.test, digest),
        "name": MEMBER["name"].read(record) or "",
        "parts": tuple([MEMBER["name"].read(part) or MEMBER["operator"].read(part) for part in failed_parts]),
        "change": row.change,
        "causes": tuple(row.causes),
    }


def format_explanation_lines(record: dict[str, Any]) -> list[list[str]]:
    """Format the lines that a failed test prints, each as alternating texts and roles."""
    # Not loaded while all comparisons pass.
    from pytest_verdict.budget import Budget
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation.drawing import draw_explanation

    budget = Budget(characters=1_000, lines=200, differences=50, width=92)
    try:
        lines = list(draw_explanation(ComparisonResult.from_record(record), budget))
    except Exception as error:  # noqa: BLE001 - a record is untrusted, and its details may be of any form
        return [[f"{visible(str(record['operator']))}: ", "", f"cannot be explained ({type(error).__name__})", ""]]
    return [[text for part in line for text in part] for line in lines[: budget.lines]]


def read_rows(rows: Iterable[Row], index: Index) -> Iterator[tuple[Row, str, list[list[str]]]]:
    """Add rows to an index, and yield each with its verdict and its explanation."""
    explained = 0
    for number, row in enumerate(rows, 1):
        lines: list[list[str]] = []
        # Records are untrusted.
        try:
            record = parse_record(row.record)
            entry = _entry(record, row)
            if entry["verdict"] != "pass" and explained < _MOST_EXPLAINED:
                explained += 1
                lines = format_explanation_lines(record)
            # The list shows the operator in a column of its own.
            index.add(entry | {"headline": "".join(lines[0][2::2])[:240] if lines else ""})
        except RecordError as error:
            raise RecordError(f"record {number} is unreadable: {error}") from None
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise RecordError(f"record {number} is unreadable: {_INCOMPLETE}") from None
        yield row, entry["verdict"], lines


def body(row: Row, lines: list[list[str]]) -> bytes:
    """Build the line of JSON that the page reads when a row is opened."""
    explanation = json.dumps(lines, separators=(",", ":")).encode("ascii")
    return b"[%s,%s,%s]\n" % (row.record.strip(), explanation, row.before.strip() or b"null")
