"""``pytest-verdict table``: a run by field, operator, parameter and what else comparisons share."""

import argparse
import itertools
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.runs.tables.files import markdown, write_rows
from pytest_verdict.runs.tables.grouping import KEYS, checked_keys, table
from pytest_verdict.runs.tables.rows import PARAMETER, read_records

_EXIT_CODES: Final = f"""\
Comparisons are grouped by {", ".join(KEYS)} and parameters of tests, as in --by field,{PARAMETER}model. By field the parts of
answer templates, criteria and aggregates count, otherwise the comparisons that tests made. The rate has its exact interval at
95 %, an error did not pass. Without --by the file has the records themselves.

exit codes:
  0  the table was written
  2  there is nothing to count, or a file cannot be read or written
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument(
        "file", metavar="DIR", nargs="?", default="verify-report", help="a report's folder, or a records.jsonl"
    )
    parser.add_argument("--by", metavar="NAMES", help=f"{', '.join(KEYS)}, {PARAMETER}NAME; several joined by commas")
    parser.add_argument("-o", "--output", metavar="FILE", help="a .csv, .jsonl, .md or .parquet file to write")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.by is None and arguments.output is None:
        complain(
            "say what to group by, such as --by operator, or where to write the records, such as -o records.parquet"
        )
        return 2
    names = None if arguments.by is None else checked_keys(arguments.by)
    rows = read_records(arguments.file)
    found = iter(rows if names is None else table(rows, names))
    first = next(found, None)
    if first is None:
        complain(f"{arguments.file}: there is no such comparison")
        return 2
    whole = itertools.chain([first], found)
    if arguments.output is None:
        say(*markdown(whole).splitlines())
        return 0
    write_rows(whole, Path(arguments.output))
    say(f"written: {arguments.output}")
    return 0
