"""``pytest-verdict unblind``: reveal which output was A, and verify that this was settled before the judge was asked."""

import argparse
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import visible

_EXIT_CODES: Final = """\
FOLDER is what blind_compare(..., output=FOLDER) wrote: commitment.json before the judge was asked, blind.json and
comparison.json afterwards. The commitment is computed again from the revealed assignment and from all that was settled
before; the verdict, every number and comparison.json are derived again from the replies. No judge is asked. Any other
file in FOLDER is named, because nothing is known of it.

Whoever can change all three files can make them fit one another. Keep the commitment where they cannot, such as in the
output of the job that ran the test, and give it as --commitment.

exit codes:
  0  everything fits
  1  something was altered
  2  a file is missing or cannot be read
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("folder", metavar="FOLDER", help="the folder of a blind comparison")
    parser.add_argument("--commitment", metavar="DIGEST", help="the commitment as it was kept elsewhere")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.blind.api import BlindComparison
    from pytest_verdict.blind.files import RECORD, foreign_files, read_record, verify_folder

    folder = Path(arguments.folder)
    problems = list(verify_folder(folder, arguments.commitment))
    for problem in problems:
        complain(f"{folder}: {problem}")
    for name in foreign_files(folder):
        say(f"{visible(name)} is no part of the comparison; nothing was verified about it")
    if problems:
        return 1
    found = BlindComparison(read_record(folder / RECORD))
    for label, name in sorted(found.assignment.items()):
        say(f"{label} was {name}")
    say(f"{found.status}, winner: {found.winner}")
    say(f"commitment {found.commitment} holds")
    return 0
