"""``pytest-verdict push``: store the report of a session.

The run goes to a folder or a URL: an index of its tests, and the bundle of the report. A run is never changed; pushing the
same report with the same tags again changes nothing.

exit codes:
  0  the run is stored
  2  there is no report, or the store cannot be reached
"""

import argparse
from pathlib import Path

from pytest_verdict.console import complain, say
from pytest_verdict.store.files import VARIABLE, open_store
from pytest_verdict.store.store import Store, parse_tags


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        metavar="REPORT",
        nargs="?",
        default="verify-report",
        help="a report's folder (default: verify-report)",
    )
    parser.add_argument(
        "--tag", metavar="NAME=VALUE", action="append", default=[], help="a tag of the run, such as model=small"
    )
    add_store_argument(parser)


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="DIR",
        help=f"folder or URL of the store (default: {VARIABLE}, or verdict_store in the configuration of pytest)",
    )


def run(arguments: argparse.Namespace) -> int:
    store = Store(open_store(arguments.store))
    pushed = store.push(Path(arguments.folder), parse_tags(arguments.tag))
    say(f"stored: {pushed.run} in {store.files}")
    for note in pushed.notes:
        complain(note)
    return 0
