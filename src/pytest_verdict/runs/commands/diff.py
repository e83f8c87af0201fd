"""``pytest-verdict diff``: compare two runs."""

import argparse
import sys
from pathlib import Path
from typing import Final

from pytest_verdict.console import say, say_json

_EXIT_CODES: Final = """\
Comparisons are paired by test and name, or by test, operator and expected value; never by an id, which others shift. For each
verdict that changed, what differs is swapped between the two records and the verdict derived again by the operators installed
here: the smallest sets of differences that turn it are its causes. Nothing that a record names is imported.

exit codes:
  0  nothing that --fail-on names
  1  something that --fail-on names: regressed,alarm unless it is given
  2  a run cannot be read, or both have no comparison in common
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    for name, what in (("old", "the earlier run"), ("new", "the later run")):
        parser.add_argument(
            name, metavar=name.upper(), help=f"{what}: a report's folder, a records.jsonl, or what `bundle` wrote"
        )
    parser.add_argument("--format", choices=("terminal", "json", "markdown", "html"), default="terminal")
    parser.add_argument("-o", "--output", metavar="FILE", default="diff.html", help="the page; diff.html unless given")
    parser.add_argument("--fail-on", metavar="CLASSES", help="the classes that exit with 1, with commas between them")
    parser.add_argument(
        "--statistics", action="store_true", help="whether one run is worse, better, or nobody can tell"
    )
    parser.add_argument(
        "--cluster", metavar="COLUMN", help="what values share that are no evidence of their own: test, name, path ..."
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.core.garbage_collection import pause_garbage_collection
    from pytest_verdict.runs.changes import FAIL_ON, checked_words, diff
    from pytest_verdict.runs.forms import as_json, markdown_lines, terminal_lines, write_html
    from pytest_verdict.runs.run import read_run
    from pytest_verdict.runs.statistics import statistics_of

    fail_on = FAIL_ON if arguments.fail_on is None else checked_words(arguments.fail_on)
    with pause_garbage_collection():
        found = diff(read_run(arguments.old), read_run(arguments.new))
    wanted = arguments.statistics or arguments.cluster
    statistics = statistics_of(found.pairs, arguments.cluster) if wanted else None
    failing = len(found.failing(fail_on))
    if arguments.format == "json":
        say_json(as_json(found, statistics, failing))
    elif arguments.format == "markdown":
        # Escaped by themselves, and a backslash of theirs must stay one.
        sys.stdout.writelines(f"{line}\n" for line in markdown_lines(found, statistics))
    elif arguments.format == "html":
        write_html(found, statistics, Path(arguments.output))
        say(f"written: {arguments.output}")
    else:
        for line in terminal_lines(found, statistics):
            say(line)
    return int(failing > 0)
