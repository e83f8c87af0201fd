"""Build a report from a journal: ``records.jsonl``, ``report.json``, ``junit.xml``, and files of other packages."""

from __future__ import annotations

import hashlib
import heapq
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from pytest_verdict.core.record import summed, verdict_in
from pytest_verdict.report.contents import Contents
from pytest_verdict.report.journal import RECORDS, Journal, TestEntry, are_contiguous, lines_of
from pytest_verdict.report.junit import Profile
from pytest_verdict.report.summary import PASSED, Summary, summarize
from pytest_verdict.report.writers import NewFiles, write_others, write_own

REPORT: Final = "report.json"
JUNIT: Final = "junit.xml"

DEFAULT_INLINE_LIMIT: Final = 1_000
INLINE_LINE_LIMIT: Final = 65_536
_BLOCK: Final = 1 << 20
# The worst are chosen among at most so many of those that did not pass.
_MOST_CANDIDATES: Final = 1_000
_MOST_CANDIDATE_BYTES: Final = 1 << 25


@dataclass(frozen=True, slots=True)
class Built:
    """A report that was written."""

    folder: Path
    summary: Summary
    worst: list[WorstRecord]
    problems: list[str]


def build(
    journal: Journal,
    folder: Path,
    *,
    run: Mapping[str, Any],
    profile: Profile,
    inline_limit: int = DEFAULT_INLINE_LIMIT,
    consume: bool = False,
) -> Built:
    """Write the files of a report; with ``consume`` the records may be moved out of the journal."""
    summary = summarize(journal)
    folder.mkdir(parents=True, exist_ok=True)
    in_order = are_contiguous(summary.attempts(), journal.records.stat().st_size)
    new = NewFiles(folder)
    try:
        sorted_records, digest = _sorted_records(journal, summary, new, copy=not (in_order and consume))
        count = sum(summary.comparisons) + sum(summary.superseded)
        with journal.records.open("rb") as records:
            inline = list(_inline(records, summary, inline_limit))
            worst = _worst(records, summary)
        described = {"path": RECORDS, "count": count, "sha256": digest}
        contents = Contents(summary, run, described, inline, count - len(inline), profile)
        new.put_in_place(write_own(contents, new))
        # The records last: they may come out of the journal, which until then is enough for another report.
        os.replace(sorted_records, folder / RECORDS)  # noqa: PTH105 - replace is the word for an atomic move
        return Built(folder, summary, worst, write_others(contents, new))
    finally:
        new.remove()


def _sorted_records(journal: Journal, summary: Summary, new: NewFiles, *, copy: bool) -> tuple[Path, str]:
    known = (journal.footer or {}).get("records_sha256")
    if not copy and isinstance(known, str):
        return journal.records, known
    target = new.path(RECORDS)
    digest = hashlib.sha256()
    with journal.records.open("rb") as source, target.open("xb") as file:
        for block in _sorted_blocks(source, summary.attempts()):
            digest.update(block)
            file.write(block)
    return target, digest.hexdigest()


def _sorted_blocks(source: IO[bytes], entries: Iterable[TestEntry]) -> Iterator[bytes]:
    for entry in entries:
        for offset, length in entry.pieces():
            source.seek(offset)
            remaining = length
            while remaining:
                block = source.read(min(remaining, _BLOCK))
                if not block:
                    return
                remaining -= len(block)
                yield block


def _inline(records: IO[bytes], summary: Summary, limit: int) -> Iterator[bytes]:
    unsuccessful = sum(summary.comparisons[1:]) + sum(summary.superseded[1:])
    remaining = {"pass": max(limit - unsuccessful, 0), "other": min(unsuccessful, limit)}
    for entry in summary.attempts():
        if not any(remaining.values()):
            return
        passed, failed, broken = summed(entry.comparisons)
        if not (passed and remaining["pass"]) and not (failed + broken and remaining["other"]):
            continue
        for _, line in lines_of(records, entry.pieces()):
            kind = "pass" if verdict_in(line) == "pass" else "other"
            if remaining[kind] and len(line) <= INLINE_LINE_LIMIT:
                remaining[kind] -= 1
                yield line


class WorstRecord(NamedTuple):
    """The record of a comparison that did not pass; what failed a test comes before what a test expected."""

    is_expected: bool
    verdict_rank: int
    score: float
    ordinal: int
    record: dict[str, Any]


def _worst(records: IO[bytes], summary: Summary, most: int = 5) -> list[WorstRecord]:
    return heapq.nsmallest(most, _unsuccessful(records, summary))


def _unsuccessful(records: IO[bytes], summary: Summary) -> Iterator[WorstRecord]:
    number = size = 0
    for test in summary.tests:
        if not any(test.comparisons[1:]):
            continue
        for _, line in lines_of(records, test.final.pieces()):
            if verdict_in(line) == "pass":
                continue
            record = json.loads(line)
            yield WorstRecord(
                test.decisive.outcome == PASSED, record["verdict"] != "error", record["score"], number, record
            )
            number, size = number + 1, size + len(line)
            if number >= _MOST_CANDIDATES or size > _MOST_CANDIDATE_BYTES:
                return
