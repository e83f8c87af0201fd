"""The rows of a page: one for each comparison, or for each pair of comparisons of two runs."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import parse_record
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import RecordError
from pytest_verdict.page.index import Entry, Index
from pytest_verdict.report.summary import VERDICTS

# An explanation takes longer to make than all the rest of a row.
MOST_EXPLAINED: Final = 5_000


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
    digest, attempt, ordinal = _text(record["id"]).split("-")
    parts = record.get("children", ())
    # By their places, because names take longer.
    return Entry(
        int(attempt),
        int(ordinal),
        _finite(record["score"]),
        _finite(record["threshold"]),
        VERDICTS[VERDICTS.index(record["verdict"])],
        _text(record["operator"]),
        (_text(record["test"]), digest),
        _text(record.get("name", "")),
        tuple(map(_text, record["notes"])),
        tuple([_text(part.get("name", part["operator"])) for part in parts if part["verdict"] != "pass"]),
        row.change,
        tuple(row.causes),
    )


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("a text is needed")
    return value


def _finite(value: Any) -> float:
    if not math.isfinite(value):
        raise ValueError("a finite number is needed")
    return float(value)


def explained_lines(record: dict[str, Any]) -> list[list[str]]:
    """Write the lines that a failed test prints, each as texts and roles in turn."""
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
    """Add rows to an index, and give each with its verdict and the lines that say why it did not pass."""
    explained = 0
    for number, row in enumerate(rows, 1):
        lines: list[list[str]] = []
        # What a record holds is not trusted.
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
            raise RecordError(f"record {number} is unreadable: it is not a whole record") from None
        yield row, entry.verdict, lines


def body(row: Row, lines: list[list[str]]) -> bytes:
    """Write what the page shows of an opened row, as one line of JSON."""
    written = json.dumps(lines, separators=(",", ":")).encode("ascii")
    return b"[%s,%s,%s]\n" % (row.record.strip(), written, row.before.strip() or b"null")
