"""``pytest-verdict bundle``: write a report and its in-toto statements to one file.

The bundle is a ZIP file of the report's three files, of the parts of its records, of outputs.jsonl if suites ran, and of two
in-toto statements. Before the
command writes it, it checks the folder as `pytest-verdict replay` does.

exit codes:
  0  the bundle was written
  1  the folder does not agree with its records
  2  there is nothing to verify, or a file cannot be read or written
"""

import argparse
from pathlib import Path

from pytest_verdict.console import say
from pytest_verdict.core.new_files import writing_output
from pytest_verdict.errors import RecordError
from pytest_verdict.report.bundle import write_bundle
from pytest_verdict.report.compression import find_stored
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.statements import FILES
from pytest_verdict.report.verification import format_tally, replay_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a report's folder")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write, such as evidence.zip")


def run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.folder)
    missing = next((name for name in FILES if not find_stored(folder / name).is_file()), None)
    if missing is not None:
        raise RecordError(f"{folder}: there is no {missing} in this folder")
    tally = replay_file(RecordsFile(arguments.folder, may_be_changed=True))
    say(*format_tally(tally))
    if tally.exit_code:
        say("no bundle was written")
        return tally.exit_code

    with writing_output(Path(arguments.output)) as path:
        write_bundle(folder, path)
    say(f"written: {arguments.output}")
    return 0
