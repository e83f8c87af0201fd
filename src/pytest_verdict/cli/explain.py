"""``pytest-verdict explain``: show records as a failed test would print them.

exit codes:
  0  records were shown, or with --failed alone there are none
  2  there is no such record, or it or the file is unreadable
"""

import argparse
import shutil
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.console import complain, say, say_in_colour
from pytest_verdict.core.record import parse_record, read_id
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import RecordError
from pytest_verdict.explanation.drawing import draw_explanation
from pytest_verdict.report.manifest import Part
from pytest_verdict.report.records_file import RecordsFile

_EVERYTHING: Final = Budget(characters=0, lines=0, differences=0, width=0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="verify-report",
        help="a records.jsonl, also compressed, or a report's folder (default: verify-report)",
    )
    parser.add_argument("--id", help="show the record with this complete id")
    parser.add_argument("--failed", action="store_true", help="show the records that did not pass")
    parser.add_argument("--test", metavar="TEXT", help="show the records of tests whose name contains this text")
    parser.add_argument("--operator", metavar="NAME", help="show the records of this operator")
    parser.add_argument("-v", "--verbose", action="store_true", help="show complete values and all differences")


def run(arguments: argparse.Namespace) -> int:
    file = RecordsFile(arguments.file)
    is_one = arguments.id is not None
    if not (is_one or arguments.failed or arguments.test or arguments.operator):
        complain("no records are selected; pass --failed, --test TEXT, --operator NAME or --id ID")
        return 2

    budget = _EVERYTHING
    if not (arguments.verbose or is_one):
        budget = Budget(width=shutil.get_terminal_size((100, 24)).columns)
    count = 0

    def may_have_wanted(part: Part) -> bool:
        if is_one:
            return part.has_record(arguments.id)
        return part.has_failures or not arguments.failed

    for line in file.lines(may_have_wanted):
        if is_one and read_id(line) != arguments.id:
            continue
        record = _parse_line(line, file)
        if (
            (not arguments.failed or record.get("verdict") != "pass")
            and (arguments.test is None or arguments.test in str(record.get("test")))
            and (arguments.operator is None or arguments.operator == record.get("operator"))
        ):
            if count:
                say("")
            _show(record, file, budget)
            count += 1
        if is_one:
            break
    if count:
        return 0
    if arguments.failed and not (is_one or arguments.test or arguments.operator):
        say("every comparison passed")
        return 0
    advice = ". The ids are in report.json and at the start of each line." if is_one else ""
    complain(f"{file.path}: there is no such record{advice}")
    return 2


def _parse_line(line: bytes, file: RecordsFile) -> dict[str, Any]:
    try:
        return parse_record(line)
    except RecordError as error:
        raise RecordError(f"{file.path}: the record {read_id(line)} is unreadable: {error}") from None


def _show(record: dict[str, Any], file: RecordsFile, budget: Budget) -> None:
    identifier = record.get("id")
    try:
        lines = list(draw_explanation(ComparisonResult.from_record(record), budget))
    except RecordError as error:
        raise RecordError(f"{file.path}: the record {identifier} is unreadable: {error}") from None
    except Exception as error:  # noqa: BLE001 - a record is untrusted, and its details may be of any form
        raise RecordError(f"{file.path}: the record {identifier} cannot be shown: {type(error).__name__}") from None
    for line in lines:
        say_in_colour(line)
    say(f"  record: {identifier}")
    say(f"  test: {record.get('test')}, attempt {record.get('attempt')}, comparison {record.get('ordinal')}")
    say(f"  where: {record.get('path')}:{record.get('line')}")
