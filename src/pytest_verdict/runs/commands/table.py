"""``pytest-verdict table``: count a run by field, operator, parameter or other columns."""

import argparse
import itertools
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.runs.table_files import markdown, write_rows
from pytest_verdict.runs.tables import KEYS, PARAMETER, count_groups, parse_keys, read_records

_EXIT_CODES: Final = f"""\
--by groups comparisons by {", ".join(KEYS)} and parameters of tests, such as --by field,{PARAMETER}model. By field, the
table counts the parts of answer templates, criteria and aggregates; otherwise it counts the comparisons that tests made. The
rate has an exact 95 % interval, and an error counts as not passed. Without --by, the output file contains the records.

exit codes:
  0  the table was written
  2  there is nothing to count, or a file cannot be read or written
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument(
        "file",
        metavar="DIR",
        nargs="?",
        default="verify-report",
        help="a report's folder, or a records.jsonl (default: verify-report)",
    )
    parser.add_argument("--by", metavar="NAMES", help=f"names joined by commas: {', '.join(KEYS)}, {PARAMETER}NAME")
    parser.add_argument("-o", "--output", metavar="FILE", help="a .csv, .jsonl, .md or .parquet file to write")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.by is None and arguments.output is None:
        complain("give --by NAMES to count comparisons, or -o FILE to write the records; for example, --by operator")
        return 2
    names = None if arguments.by is None else parse_keys(arguments.by)
    records = read_records(arguments.file)
    rows = iter(records if names is None else count_groups(records, names))
    first = next(rows, None)
    if first is None:
        complain(f"{arguments.file}: there is no such comparison")
        return 2
    rows = itertools.chain([first], rows)
    if arguments.output is None:
        say(*markdown(rows).splitlines())
        return 0
    write_rows(rows, Path(arguments.output))
    say(f"written: {arguments.output}")
    return 0
