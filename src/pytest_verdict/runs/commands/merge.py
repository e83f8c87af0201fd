"""``pytest-verdict merge``: merge the shards of a session."""

import argparse
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import counted
from pytest_verdict.report.summary import MET, counts_text, verdict_line

_EXIT_CODES: Final = """\
A shard is a session that ran one part of the tests. The part is set by --verify-shard, by the options of pytest-split or
pytest-shard, or by the variables of GitLab or CircleCI. The merged report is the one that a single session would have
written: the same records.jsonl, the same report.json except for its section `run`, the same junit.xml except for times. A
missing or repeated shard is an error, and so is a shard of another commit or of another collection of tests.

exit codes:
  0  the report was written, whatever the outcomes of the tests
  1  the report was written, and a gate of the shards is not met
  2  the report was not written
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("folders", metavar="DIR", nargs="+", help="the folders of the shards' reports")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder to write the merged report to")
    parser.add_argument("--allow-missing", action="store_true", help="write an incomplete report if shards are missing")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.runs.merging import count_unselected, merge, read_shard

    with pause_garbage_collection():
        shards = [read_shard(Path(folder)) for folder in arguments.folders]
        built = merge(shards, Path(arguments.output), allow_missing=arguments.allow_missing)
    summary = built.summary
    tests = f"{counted(len(shards), 'shard')}, {counted(len(summary.tests), 'test')}"
    say(f"{tests}, comparisons: {counts_text(summary.comparisons)}")
    if number := count_unselected(shards):
        say(f"collected, but run by no shard: {counted(number, 'test')}")
    if not summary.complete:
        say("the report is not complete: a shard is missing, or a test did not end")
    gates = built.sections.get("gates", ())
    for gate in gates:
        say(verdict_line(gate))
    for problem in built.problems:
        complain(problem)
    say(f"written: {arguments.output}")
    return 2 if built.problems else int(any(gate["verdict"] != MET for gate in gates))
