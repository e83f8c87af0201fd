"""Derive every verdict of a file again, and check the folder of a report against its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.console import progress
from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.merkle import leaves_of
from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import parse_record
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import PIECE, RecordsFile

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_verdict.core.record import RecordSummary
    from pytest_verdict.core.replay import Replayed
    from pytest_verdict.report.checks import Finding
    from pytest_verdict.report.manifest import Part

MOST_LISTED: Final = 20


@dataclass(slots=True)
class Tally:
    """The results of all records; numbers of records in ``listed`` start at 1."""

    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    listed: list[tuple[int, Replayed]] = field(default_factory=list)
    differences: int = 0
    findings: list[Finding] = field(default_factory=list)

    def append(self, other: Tally) -> None:
        """Add the results of the records that follow."""
        listed = ((self.records + number, answer) for number, answer in other.listed)
        self.listed += islice(listed, MOST_LISTED - len(self.listed))
        self.statuses += other.statuses
        self.reasons += other.reasons
        self.differences += other.differences
        self.findings += other.findings

    @property
    def records(self) -> int:
        return self.statuses.total()

    @property
    def exit_code(self) -> int:
        if self.differences or self.findings:
            return 1
        verified = self.statuses["identical"] + self.statuses["version_changed"]
        return 0 if verified and not self.statuses["unreadable"] else 2


def replay_file(file: RecordsFile, jobs: int = 1) -> Tally:
    """Replay all records, and check the folder of a report against them."""
    from pytest_verdict.report.checks import FolderCheck, IdCheck, check_manifest, find_unlisted_files

    tally = Tally()
    check: FolderCheck | IdCheck = IdCheck()
    inline_ids = frozenset[str]()
    if file.folder is not None:
        check = FolderCheck(file.folder)
        inline_ids = check.inline()
    manifest = file.manifest()
    pieces: Iterable[Any] = file.pieces()
    replay_piece: Callable[[Any], _Piece] = partial(_replay_piece, inline_ids=inline_ids)
    if manifest is not None:
        # Each process reads its parts itself.
        replay_piece = partial(_replay_part, path=file.path, inline_ids=inline_ids)
        pieces = manifest.parts
    # The number of bytes in parts is unknown.
    unit, label = ("B", "records") if file.size else (" records", "")
    with progress(file.size, unit, counted=label) as show:
        for piece in in_order(replay_piece, pieces, jobs):
            tally.append(piece.tally)
            show(file.done if file.size else tally.records, tally.records)
            check.add(piece.summaries, piece.leaves, piece.inline)
    if manifest is not None and not tally.findings:
        tally.findings += check_manifest(file.path, manifest)
    if manifest is not None and file.folder is not None:
        tally.findings += find_unlisted_files(file.folder, manifest)
    tally.findings += check.findings()
    return tally


class _Piece(NamedTuple):
    """The results of consecutive lines, and what the check of a folder needs of their records."""

    tally: Tally
    summaries: list[RecordSummary | None]
    leaves: list[bytes]
    inline: list[dict[str, Any]]

    def append(self, other: _Piece) -> None:
        """Add the results of the lines that follow."""
        self.tally.append(other.tally)
        self.summaries.extend(other.summaries)
        self.leaves.extend(other.leaves)
        self.inline.extend(other.inline)


def _replay_part(part: Part, path: Path, inline_ids: frozenset[str]) -> _Piece:
    from pytest_verdict.report.checks import Finding, check_part
    from pytest_verdict.report.compression import reporting_damage
    from pytest_verdict.report.manifest import MISSING, find_problem, open_part

    whole = _Piece(Tally(), [], [], [])
    problem = find_problem(path, part)
    if problem:
        whole.tally.findings.append(Finding(part.file, "file", problem))
    if problem == MISSING:
        return whole
    try:
        with reporting_damage("it cannot be read"), open_part(path, part) as file:
            while lines := file.readlines(PIECE):
                whole.append(_replay_piece(lines, inline_ids))
    except RecordError as error:
        whole.tally.findings.append(Finding(part.file, "file", str(error)))
    if not problem:
        whole.tally.findings += check_part(part, whole.summaries, whole.leaves)
    return whole


# The answers of a piece are many, and none of them refers to itself.
@pause_garbage_collection()
def _replay_piece(lines: list[bytes], inline_ids: frozenset[str]) -> _Piece:
    from pytest_verdict.core.replay import replay

    answers = list(replay(lines))
    tally = Tally(Counter(answer.status for answer in answers))
    for number, answer in enumerate(answers, 1):
        if answer.status == "unverifiable":
            tally.reasons[answer.reason] += 1
        elif len(tally.listed) < MOST_LISTED and (answer.is_difference or answer.status == "unreadable"):
            tally.listed.append((number, answer))
        tally.differences += answer.is_difference
    pairs = zip(lines, answers, strict=True)
    inline = [parse_record(line) for line, answer in pairs if answer.id in inline_ids and answer.summary]
    return _Piece(tally, [answer.summary for answer in answers], leaves_of(lines), inline)


def format_tally(tally: Tally) -> Iterator[str]:
    for number, answer in tally.listed:
        if answer.status == "unreadable":
            yield f"line {number}: unreadable, {answer.reason}"
            continue
        members = ", ".join(answer.differing)
        reason = f" ({answer.reason})" if answer.reason else ""
        yield f"{answer.id} {answer.test} {answer.operator}: {answer.status.replace('_', ' ')} in {members}{reason}"
    unlisted = tally.differences + tally.statuses["unreadable"] - len(tally.listed)
    if unlisted:
        yield f"... and {unlisted} more"
    yield from map(str, tally.findings[:MOST_LISTED])
    if len(tally.findings) > MOST_LISTED:
        yield f"... and {len(tally.findings) - MOST_LISTED} more findings in the folder"
    for reason, number in sorted(tally.reasons.items()):
        yield f"unverifiable, {reason}: {number}"
    counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in sorted(tally.statuses.items()))
    yield f"{format_count(tally.records, 'record')}: {counts or 'none'}"
