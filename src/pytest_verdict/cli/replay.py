"""``pytest-verdict replay``: derive every verdict of a file again.

The command derives every record again from its values, settings and threshold, with the operators that are installed here, and
compares the result byte for byte. It imports nothing that the file names, and asks no model.

  identical        the bytes are the same
  differs          the bytes differ, or the verdict does not follow from the score
  version_changed  another version of the operator is installed; a difference only if the verdict is another one
  unverifiable     not_encodable, redacted, operator_absent, settings_refused, not_recorded, nested_model
  unreadable       the line is no record, or one of a newer format

If the file is in a report's folder, the command also derives everything in report.json and junit.xml from the records, and
lists the differences by file and place.

exit codes:
  0  no difference (some records may be unverifiable, or of another version with the same verdict)
  1  at least one difference, or a file of the folder does not agree with the records
  2  nothing to verify (no record, or all of them unverifiable), or a line or the file is unreadable
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any, Final

from pytest_verdict.console import complain, say, say_json
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import Tally, format_tally, replay_file

# Windows cannot wait for more processes.
_MOST_JOBS: Final = 61


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a records.jsonl, also compressed, a bundle, or a report's folder")
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=int,
        choices=range(1, _MOST_JOBS + 1),
        default=1,
        help=f"number of processes, at most {_MOST_JOBS}; the output is the same for every number (default: 1)",
    )
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors; the exit code has the result")


def run(arguments: argparse.Namespace) -> int:
    file = RecordsFile(arguments.file, may_be_changed=True)
    tally = replay_file(file, arguments.jobs)
    if arguments.json:
        say_json(_build_document(tally))
    elif not arguments.quiet:
        say(*format_tally(tally))
    if not tally.records:
        complain(f"{file.path}: it is empty, so there is nothing to verify")
    return tally.exit_code


def _build_document(tally: Tally) -> dict[str, Any]:
    from pytest_verdict.core.replay import STATUSES

    listed: list[dict[str, Any]] = []
    for number, answer in tally.listed:
        members = answer._asdict()
        del members["summary"]
        listed.append({"line": number, **members})
    return {
        "records": tally.records,
        **{status: tally.statuses[status] for status in STATUSES},
        "reasons": dict(sorted(tally.reasons.items())),
        "differences": tally.differences,
        "records_are_those_of_the_report": not any(finding.place == "records.sha256" for finding in tally.findings),
        "findings": [asdict(finding) for finding in tally.findings],
        "listed": listed,
        "exit_code": tally.exit_code,
    }
