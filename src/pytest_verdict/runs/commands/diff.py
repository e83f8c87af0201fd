"""``pytest-verdict diff``: compare two runs."""

import argparse
import sys
from pathlib import Path
from typing import Final

from pytest_verdict.console import say, say_json

_EXIT_CODES: Final = """\
Comparisons are paired by test and name, or by test, operator and expected value. Ids are not used, because a new comparison
shifts them. For each verdict that changed, the command swaps what differs between the two records and derives the verdict
again with the installed operators: the causes are the smallest sets of differences that change the verdict. Nothing that a
record names is imported.

exit codes:
  0  no change of a class in --fail-on
  1  a change of a class in --fail-on (default: regressed,alarm)
  2  a run cannot be read, or the runs have no comparison in common
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    for name, what in (("old", "the earlier run"), ("new", "the later run")):
        parser.add_argument(
            name, metavar=name.upper(), help=f"{what}: a report's folder, a records.jsonl, or what `bundle` wrote"
        )
    parser.add_argument("--format", choices=("terminal", "json", "markdown", "html"), default="terminal")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="diff.html",
        help="the page to write with --format html (default: diff.html)",
    )
    parser.add_argument(
        "--fail-on",
        metavar="CLASSES",
        help="the classes of changes that exit with 1, joined by commas (default: regressed,alarm)",
    )
    parser.add_argument("--statistics", action="store_true", help="test whether the later run is worse or better")
    parser.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="the column whose equal values belong together, such as test, name or path; implies --statistics",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.core.garbage_collection import pause_garbage_collection
    from pytest_verdict.runs.changes import FAIL_ON, diff, parse_fail_on
    from pytest_verdict.runs.diff_output import diff_json, markdown_lines, terminal_lines, write_html
    from pytest_verdict.runs.run import read_run
    from pytest_verdict.runs.statistics import compute_statistics

    fail_on = FAIL_ON if arguments.fail_on is None else parse_fail_on(arguments.fail_on)
    with pause_garbage_collection():
        differences = diff(read_run(arguments.old), read_run(arguments.new))
    statistics = None
    if arguments.statistics or arguments.cluster:
        statistics = compute_statistics(differences.pairs, arguments.cluster)
    failing = len(differences.failing(fail_on))
    if arguments.format == "json":
        say_json(diff_json(differences, statistics, failing))
    elif arguments.format == "markdown":
        # These lines are escaped already; say() would escape their backslashes again.
        sys.stdout.writelines(f"{line}\n" for line in markdown_lines(differences, statistics))
    elif arguments.format == "html":
        write_html(differences, statistics, Path(arguments.output))
        say(f"written: {arguments.output}")
    else:
        for line in terminal_lines(differences, statistics):
            say(line)
    return int(failing > 0)
