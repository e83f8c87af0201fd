"""The rows of a page: one for each comparison, or for each pair of comparisons of two runs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import parse_record, summarize_record
from pytest_verdict.core.record_members import MEMBER
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import RecordError
from pytest_verdict.page.index import Entry, Index
from pytest_verdict.report.summary import VERDICTS

# An explanation takes longer to make than all the rest of a row.
MOST_EXPLAINED: Final = 5_000
_INCOMPLETE: Final = "it is not a whole record"


class Row(NamedTuple):
    """A comparison to look at.

    Args:
        record: The line of its record.
        before: The line of the record that an earlier run has of it, if there are two runs.
        change: What became of it between two runs, in a word or two.
        causes: Why it did.
    """

    record: bytes
    before: bytes = b""
    change: str = ""
    causes: Sequence[str] = ()


def _entry(record: dict[str, Any], row: Row) -> Entry:
    summary = summarize_record(record)
    if summary is None or summary.verdict not in VERDICTS:
        raise RecordError(_INCOMPLETE)
    digest, _, position = summary.id.partition("-")
    if position != f"{summary.attempt}-{summary.ordinal}":
        raise RecordError(_INCOMPLETE)
    failed_parts = [part for part in MEMBER["children"].read(record) if part["verdict"] != "pass"]
    return Entry(
        attempt=summary.attempt,
        ordinal=summary.ordinal,
        score=MEMBER["score"].read(record),
        threshold=MEMBER["threshold"].read(record),
        verdict=summary.verdict,
        operator=summary.operator,
        test=(summary.test, digest),
        name=MEMBER["name"].read(record) or "",
        notes=MEMBER["notes"].read(record),
        parts=tuple([MEMBER["name"].read(part) or MEMBER["operator"].read(part) for part in failed_parts]),
        change=row.change,
        causes=tuple(row.causes),
    )


def explained_lines(record: dict[str, Any]) -> list[list[str]]:
    """Write the lines that a failed test prints, each as texts and roles in turn."""
    from pytest_verdict.budget import Budget
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation.drawing import explained

    budget = Budget(characters=1_000, lines=200, differences=50, width=92)
    try:
        lines = list(explained(ComparisonResult.from_record(record), budget))
    except Exception as error:  # noqa: BLE001 - a record is untrusted, and its details may be of any form
        return [[f"{visible(str(record['operator']))}: ", "", f"cannot be explained ({type(error).__name__})", ""]]
    return [[text for part in line for text in part] for line in lines[: budget.lines]]


def read_rows(rows: Iterable[Row], index: Index) -> Iterator[tuple[Row, str, list[list[str]]]]:
    """Add rows to an index, and give each with its verdict and the lines that say why it did not pass."""
    explained = 0
    for number, row in enumerate(rows, 1):
        lines: list[list[str]] = []
        # Records are untrusted.
        try:
            record = parse_record(row.record)
            entry = _entry(record, row)
            if entry.verdict != "pass" and explained < MOST_EXPLAINED:
                explained += 1
                lines = explained_lines(record)
            # The first line without the operator, which the list shows beside it.
            index.add(entry, "".join(lines[0][2::2])[:240] if lines else "")
        except RecordError as error:
            raise RecordError(f"record {number} is unreadable: {error}") from None
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise RecordError(f"record {number} is unreadable: {_INCOMPLETE}") from None
        yield row, entry.verdict, lines


def body(row: Row, lines: list[list[str]]) -> bytes:
    """Write what the page shows of an opened row, as one line of JSON."""
    written = json.dumps(lines, separators=(",", ":")).encode("ascii")
    return b"[%s,%s,%s]\n" % (row.record.strip(), written, row.before.strip() or b"null")
