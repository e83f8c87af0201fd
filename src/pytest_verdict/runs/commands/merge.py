"""``pytest-verdict merge``: put the shards of a session together."""

import argparse
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import counted
from pytest_verdict.report.gate_lines import MET, verdict_line
from pytest_verdict.report.summary import counts_text

_EXIT_CODES: Final = """\
A shard is a session that says which part it ran: by --verify-shard, by the options of pytest-split and pytest-shard, or by the
variables of GitLab and CircleCI. The report is the one that a single session would have written: the same records.jsonl, the
same report.json apart from its section `run`, the same junit.xml apart from times. Shards that are missing, doubled, or of
another commit or another collection of tests are refused.

exit codes:
  0  the report was written, whatever came out of the tests
  1  the report was written, and a gate is not met that the shards were given
  2  it was not
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("folders", metavar="DIR", nargs="+", help="the folders of the shards' reports")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder of the whole report")
    parser.add_argument("--allow-missing", action="store_true", help="write an incomplete report if shards are missing")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.runs.merging import left_out, merge, read_shard

    with pause_garbage_collection():
        shards = [read_shard(Path(folder)) for folder in arguments.folders]
        built = merge(shards, Path(arguments.output), allow_missing=arguments.allow_missing)
    summary = built.summary
    say(
        f"{counted(len(shards), 'shard')}, {counted(len(summary.tests), 'test')}, comparisons: {counts_text(summary.comparisons)}"
    )
    if number := left_out(shards):
        say(f"left out of every shard: {counted(number, 'test')} of those that were collected")
    if not summary.complete:
        say("the report is not complete: a shard is missing, or a test did not come to its end")
    gates = built.sections.get("gates", ())
    for gate in gates:
        say(verdict_line(gate))
    for problem in built.problems:
        complain(problem)
    say(f"written: {arguments.output}")
    return 2 if built.problems else int(any(gate["verdict"] != MET for gate in gates))
