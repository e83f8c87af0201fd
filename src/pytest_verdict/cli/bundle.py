"""``pytest-verdict bundle``: write a report and its in-toto statements to one file.

The bundle is a ZIP file of the report's three files, of outputs.jsonl if suites ran, and of two in-toto statements. Before the
command writes it, it checks the folder as `pytest-verdict replay` does.

exit codes:
  0  the bundle was written
  1  the folder does not agree with its records
  2  there is nothing to verify, or a file cannot be read or written
"""

import argparse
import json
import zipfile
from pathlib import Path
from typing import Final

from pytest_verdict.console import say
from pytest_verdict.errors import RecordError
from pytest_verdict.report.compression import find_stored, open_records
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.statements import FILES, files_of, statements
from pytest_verdict.report.verification import format_tally, replay_file

# Two bundles of the same report have the same bytes.
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a report's folder")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write, such as evidence.zip")


def run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.folder)
    missing = next((name for name in FILES if not find_stored(folder / name).is_file()), None)
    if missing is not None:
        raise RecordError(f"{folder}: there is no {missing} in this folder")
    tally = replay_file(RecordsFile(arguments.folder))
    say(*format_tally(tally))
    if tally.exit_code:
        say("no bundle was written")
        return tally.exit_code

    contents: dict[str, bytes] = {}
    for name, statement in statements(folder).items():
        contents[name] = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode("ascii")
    for name in files_of(folder):
        with open_records(folder / name) as source:
            contents[name] = source.read()
    with zipfile.ZipFile(arguments.output, "w") as file:
        for name, content in contents.items():
            file.writestr(zipfile.ZipInfo(name, _NO_TIME), content, zipfile.ZIP_DEFLATED)
    say(f"written: {arguments.output}")
    return 0
