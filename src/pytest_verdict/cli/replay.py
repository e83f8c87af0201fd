"""``pytest-verdict replay``: derive every verdict of a file again."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.console import complain, progress, say, say_json
from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import parse_record
from pytest_verdict.core.values.display import counted
from pytest_verdict.report.records_file import RecordsFile

if TYPE_CHECKING:
    from pytest_verdict.core.replay import Replayed
    from pytest_verdict.report.checks import ConsecutiveRecords, Finding

MOST_LISTED: Final = 20
# Windows cannot wait for more processes.
_MOST_JOBS: Final = 61

_EXIT_CODES: Final = """\
Every record is derived again from the values, settings and threshold that it holds, with the operators installed here,
and compared byte for byte. Nothing that the file names is imported, and no model is asked.

  identical        the same bytes came out
  differs          something else came out, or the verdict does not follow from the score
  version_changed  another version of the operator is installed; a difference only when the verdict is another one
  unverifiable     not_encodable, redacted, operator_absent, settings_refused, not_recorded, nested_model
  unreadable       the line is no record, or one of a newer format

In a report's folder all that report.json and junit.xml say is derived from the records as well; what they say otherwise is
named by file and place.

exit codes:
  0  no difference (some records may be unverifiable, or of another version with the same verdict)
  1  at least one difference, or a file of the folder says something else than the records
  2  nothing to verify (no record, or all of them unverifiable), or a line or the file is unreadable
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a records.jsonl, also compressed, a bundle, a report's folder, or - for standard input",
    )
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
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors; the exit code says it all")


@dataclass(slots=True)
class Tally:
    """The results of all records."""

    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    listed: list[tuple[int, Replayed]] = field(default_factory=list)
    differences: int = 0
    findings: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, answers: Sequence[Replayed]) -> Tally:
        """Count records."""
        tally = cls(Counter(map(attrgetter("status"), answers)))
        if tally.statuses.keys() == {"identical"}:
            return tally
        for number, answer in enumerate(answers, 1):
            if answer.status == "unverifiable":
                tally.reasons[answer.reason] += 1
            elif len(tally.listed) < MOST_LISTED and (answer.is_difference or answer.status == "unreadable"):
                tally.listed.append((number, answer))
            tally.differences += answer.is_difference
        return tally

    def append(self, other: Tally) -> None:
        """Count the records that follow."""
        listed = ((self.records + number, answer) for number, answer in other.listed)
        self.listed += islice(listed, MOST_LISTED - len(self.listed))
        self.statuses += other.statuses
        self.reasons += other.reasons
        self.differences += other.differences

    @property
    def records(self) -> int:
        """How many there were."""
        return self.statuses.total()

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        if self.differences or self.findings:
            return 1
        verified = self.statuses["identical"] + self.statuses["version_changed"]
        return 0 if verified and not self.statuses["unreadable"] else 2


class ReplayedPiece(NamedTuple):
    """The replay of a piece of a file, and what the check of a folder needs of its records."""

    tally: Tally
    groups: list[ConsecutiveRecords]
    inline: list[dict[str, Any]]


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    file = RecordsFile(arguments.file)
    tally = tally_of(file, arguments.jobs)
    if arguments.json:
        say_json(_as_json(tally))
    elif not arguments.quiet:
        say(*report_lines(tally))
    if not tally.records:
        complain(f"{file.path}: it is empty, so there is nothing to verify")
    return tally.exit_code


def tally_of(file: RecordsFile, jobs: int = 1) -> Tally:
    """Replay all records in some processes, and check the folder of a report against them."""
    from pytest_verdict.report.checks import FolderCheck

    check, tally = FolderCheck(file.folder) if file.folder else None, Tally()
    pieces = check.watch(file.pieces()) if check else file.pieces()
    # How much will come through a pipe is not known.
    unit, label = ("B", "records") if file.size else (" records", "")
    with progress(file.size, unit, counted=label) as show:
        replay_lines = partial(_replay_lines, inline=check.inline() if check else None)
        for piece in in_order(replay_lines, pieces, jobs):
            tally.append(piece.tally)
            show(file.done if file.size else tally.records, tally.records)
            if check:
                check.add(piece.groups, piece.inline)
    tally.findings += check.findings() if check else ()
    return tally


def _replay_lines(lines: list[bytes], inline: frozenset[str] | None) -> ReplayedPiece:
    from pytest_verdict.core.replay import replay
    from pytest_verdict.report.checks import group_consecutive

    answers = list(replay(lines))
    tally = Tally.of(answers)
    if inline is None:
        return ReplayedPiece(tally, [], [])
    chosen = [line for line, answer in zip(lines, answers, strict=True) if answer.id in inline and answer.summary]
    return ReplayedPiece(tally, group_consecutive(lines, answers), [*map(parse_record, chosen)])


def _as_json(tally: Tally) -> dict[str, Any]:
    from pytest_verdict.core.replay import STATUSES

    return {
        "records": tally.records,
        **{status: tally.statuses[status] for status in STATUSES},
        "reasons": dict(sorted(tally.reasons.items())),
        "differences": tally.differences,
        "records_are_those_of_the_report": not any(finding.place == "records.sha256" for finding in tally.findings),
        "findings": [asdict(finding) for finding in tally.findings],
        "listed": [_listed_as_json(number, answer) for number, answer in tally.listed],
        "exit_code": tally.exit_code,
    }


def _listed_as_json(number: int, answer: Replayed) -> dict[str, Any]:
    members = answer._asdict()
    del members["summary"]
    return {"line": number, **members}


def report_lines(tally: Tally) -> Iterator[str]:
    """Format the results as lines."""
    for number, answer in tally.listed:
        yield _listed(number, answer)
    unlisted = tally.differences + tally.statuses["unreadable"] - len(tally.listed)
    if unlisted:
        yield f"... and {unlisted} more"
    yield from map(str, tally.findings[:MOST_LISTED])
    if len(tally.findings) > MOST_LISTED:
        yield f"... and {len(tally.findings) - MOST_LISTED} more findings in the folder"
    for reason, number in sorted(tally.reasons.items()):
        yield f"unverifiable, {reason}: {number}"
    counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in sorted(tally.statuses.items()))
    total = tally.records
    yield f"{counted(total, 'record')}: {counts or 'none'}"


def _listed(number: int, answer: Replayed) -> str:
    if answer.status == "unreadable":
        return f"line {number}: unreadable, {answer.reason}"
    what = ", ".join(answer.differing)
    reason = f" ({answer.reason})" if answer.reason else ""
    return f"{answer.id} {answer.test} {answer.operator}: {answer.status.replace('_', ' ')} in {what}{reason}"
