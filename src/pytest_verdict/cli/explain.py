"""``pytest-verdict explain``: one record as a failed test would print it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.cli.records_file import RecordsFile
from pytest_verdict.console import complain, say
from pytest_verdict.core.record import identifier_in, parse_record
from pytest_verdict.core.session import Budget
from pytest_verdict.errors import RecordError, similar

_MOST_CANDIDATES: Final = 2_000
_SAME_BEGINNING: Final = 4

_EXIT_CODES: Final = """\
exit codes:
  0  the record was shown
  2  there is no such record, or it or the file is unreadable
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("file", metavar="FILE", help="a records.jsonl, also compressed by gzip, or a report's folder")
    parser.add_argument("--id", required=True, help="the record's id, as the terminal and report.json have it")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    file = RecordsFile(arguments.file)
    candidates: list[str] = []
    for line in file.lines():
        identifier = identifier_in(line)
        if identifier == arguments.id:
            for text in _block(line, file, identifier):
                say(text)
            return 0
        if len(candidates) < _MOST_CANDIDATES and identifier[:_SAME_BEGINNING] == arguments.id[:_SAME_BEGINNING]:
            candidates.append(identifier)
    complain(f"{file.path}: there is no record {arguments.id}.{_suggestion(arguments.id, candidates)}")
    return 2


def _suggestion(given: str, candidates: list[str]) -> str:
    close = similar(given, candidates, 3)
    return (
        f" Did you mean {', '.join(close)}?" if close else " The ids stand in report.json and at the head of each line."
    )


def _block(line: bytes, file: RecordsFile, identifier: str) -> Iterator[str]:
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation import explain

    try:
        record = parse_record(line)
        lines = list(explain(ComparisonResult.from_record(record), Budget(characters=0, lines=0, differences=0)))
    except RecordError as error:
        raise RecordError(f"{file.path}: the record {identifier} is unreadable: {error}") from None
    except Exception as error:  # noqa: BLE001 - a record is untrusted, and its details may be of any form
        raise RecordError(f"{file.path}: the record {identifier} cannot be shown: {type(error).__name__}") from None
    yield from lines
    yield from _place(record)


def _place(record: dict[str, Any]) -> Iterator[str]:
    yield f"  record: {record.get('id')}"
    yield f"  test: {record.get('test')}, attempt {record.get('attempt')}, comparison {record.get('ordinal')}"
    yield f"  where: {record.get('path')}:{record.get('line')}"
