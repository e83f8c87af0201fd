"""``pytest-verdict unblind``: reveal which output was A, and verify the commitment and the verdict.

FOLDER is the output of blind_compare(..., output=FOLDER): commitment.json, written before the judge was asked, and blind.json
and comparison.json, written afterwards. The command computes the commitment again from the revealed assignment and setup, and
derives the verdict, every number and comparison.json again from the replies. It asks no judge.

A person who can change all three files can make them match. To rule this out, keep the commitment in another place, such as
the output of the job that ran the test, and pass it as --commitment.

exit codes:
  0  everything matches
  1  something was altered
  2  blind.json is missing or cannot be read
"""

import argparse
from pathlib import Path

from pytest_verdict.console import complain, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the folder of a blind comparison")
    parser.add_argument("--commitment", metavar="DIGEST", help="the commitment as it was kept in another place")


def run(arguments: argparse.Namespace) -> int:
    from pytest_verdict.blind.files import RECORD, read_record, verify_folder

    folder = Path(arguments.folder)
    problems = list(verify_folder(folder, arguments.commitment))
    for problem in problems:
        complain(f"{folder}: {problem}")
    if problems:
        return 1

    record = read_record(folder / RECORD)
    for label, name in sorted(record.details["assignment"].items()):
        say(f"{label} was {name}")
    say(f"{record.details['status']}, winner: {record.details['winner']}")
    say(f"commitment {record.observed['assignment']['commitment']} holds")
    return 0
