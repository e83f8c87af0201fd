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

# Explaining a comparison takes longer than everything else in a row.
MOST_EXPLAINED: Final = 5_000
_INCOMPLETE: Final = "it is not a whole record"


class Row(NamedTuple):
    """A comparison on the page.

    Args:
        record: The line of its record.
        before: The line of its record in an earlier run, if the page compares two runs.
        change: The class of its change between two runs.
        causes: The causes of the change.
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
    """Format the lines that a failed test prints, each as alternating texts and roles."""
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
            if entry.verdict != "pass" and explained < MOST_EXPLAINED:
                explained += 1
                lines = explained_lines(record)
            # The list shows the operator in a column of its own.
            index.add(entry, "".join(lines[0][2::2])[:240] if lines else "")
        except RecordError as error:
            raise RecordError(f"record {number} is unreadable: {error}") from None
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise RecordError(f"record {number} is unreadable: {_INCOMPLETE}") from None
        yield row, entry.verdict, lines


def body(row: Row, lines: list[list[str]]) -> bytes:
    """Build the line of JSON that the page reads when a row is opened."""
    explanation = json.dumps(lines, separators=(",", ":")).encode("ascii")
    return b"[%s,%s,%s]\n" % (row.record.strip(), explanation, row.before.strip() or b"null")
