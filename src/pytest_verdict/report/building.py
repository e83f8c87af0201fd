"""Build a report from a journal: ``records.jsonl``, ``report.json``, ``junit.xml``, and files of other packages."""

import hashlib
import heapq
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from pytest_verdict.core.merkle import MerkleTree, leaves_of
from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.core.record import summed, verdict_in
from pytest_verdict.report.compression import put_records
from pytest_verdict.report.journal import (
    OUTPUTS,
    RECORDS,
    ROOT,
    SHARD,
    TESTS,
    Journal,
    are_contiguous,
    blocks_of,
)
from pytest_verdict.report.junit import Profile
from pytest_verdict.report.summary import PASSED, Contents, Summary, derived_sections, summarize
from pytest_verdict.report.writers import PAGE, write_others, write_own

DEFAULT_INLINE_LIMIT: Final = 1_000
INLINE_LINE_LIMIT: Final = 65_536
_BLOCK: Final = 1 << 20
_BUFFER: Final = 1 << 16
_MOST_WORST: Final = 5
# So much of a line tells whose output it is.
_HEAD: Final = 1_000
# The worst are chosen among at most so many of those that did not pass.
_MOST_CANDIDATES: Final = 1_000
_MOST_CANDIDATE_BYTES: Final = 1 << 25


class WorstRecord(NamedTuple):
    """The record of a comparison that did not pass; what failed a test comes before what a test expected."""

    is_expected: bool
    is_no_error: bool
    score: float
    ordinal: int
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Built:
    """A report that was written."""

    folder: Path
    summary: Summary
    worst: list[WorstRecord]
    problems: list[str]
    sections: Mapping[str, Any]


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
    collected = hashlib.sha256("\n".join(journal.order).encode("utf-8", "surrogatepass")).hexdigest()
    run = {**run, "collected": {"tests": len(journal.order), "sha256": collected}}
    new = NewFiles(folder)
    try:
        sorted_records, digests, roots = _sorted_records(journal, summary, new, copy=not (in_order and consume))
        count = sum(summary.comparisons) + sum(summary.superseded)
        with journal.records.open("rb") as records:
            inline = list(_inline(records, summary, inline_limit))
            worst = heapq.nsmallest(_MOST_WORST, _unsuccessful(records, summary))
        described = {"path": RECORDS, "count": count, **digests}
        sections = derived_sections(journal.header.get("asked", {}), summary, sorted_records)
        contents = Contents(summary, run, described, inline, count - len(inline), profile, roots, sections)
        own = write_own(contents, new)
        if "shard" in run:
            own.append(SHARD)
            shutil.copyfile(journal.folder / TESTS, new.path(SHARD))
        if (journal.folder / OUTPUTS).is_file():
            own.append(OUTPUTS)
            new.write(OUTPUTS, _sorted_outputs(journal.folder / OUTPUTS))
        new.put_in_place(own)
        # A page of other records.
        (folder / PAGE).unlink(missing_ok=True)
        # The records last: they may come out of the journal, which until then is enough for another report.
        put_records(sorted_records, folder / RECORDS, new, compress=journal.header.get("records") == "gz")
        return Built(folder, summary, worst, write_others(contents, new), sections)
    finally:
        new.remove()


def _sorted_records(
    journal: Journal, summary: Summary, new: NewFiles, *, copy: bool
) -> tuple[Path, dict[str, str], list[str]]:
    """Write the records in the order of the tests; give the file, its digests, and the root of each test."""
    known, root = (journal.footer or {}).get("records_sha256"), (journal.footer or {}).get(ROOT)
    is_known = not copy and isinstance(known, str)
    if is_known and root and len(summary.tests) == 1:
        return journal.records, {"sha256": str(known), "root": root}, [root]
    target = journal.records if is_known else new.path(RECORDS)
    digest, whole = hashlib.sha256(), MerkleTree()
    file_of_copy = nullcontext() if is_known else target.open("xb", _BLOCK)
    # No larger, because the records of several workers are not read in their order.
    with journal.records.open("rb", _BUFFER) as source, file_of_copy as file:
        roots = []
        for test in summary.tests:
            of_test = MerkleTree()
            for lines in blocks_of(source, chain.from_iterable(entry.pieces() for entry in test.attempts)):
                leaves = leaves_of(lines)
                whole.add(leaves, of_test.add(leaves))
                if file is not None:
                    block = b"".join(lines)
                    digest.update(block)
                    file.write(block)
            roots.append(of_test.root())
    return target, {"sha256": str(known) if is_known else digest.hexdigest(), "root": whole.root()}, roots


def _sorted_outputs(path: Path) -> Iterator[str]:
    """Give the lines by how they begin, those that begin alike as they arrived; one that was not finished is left out."""
    with path.open("rb") as file:
        ends = list(accumulate(map(len, file)))
        file.seek(0)
        heads = [line[:_HEAD] for line in file if line.endswith(b"\n")]
        for _, start in sorted(zip(heads, [0, *ends], strict=False)):
            file.seek(start)
            yield file.readline().decode()


def _inline(records: IO[bytes], summary: Summary, limit: int) -> Iterator[bytes]:
    unsuccessful = sum(summary.comparisons[1:]) + sum(summary.superseded[1:])
    remaining = {"pass": max(limit - unsuccessful, 0), "other": min(unsuccessful, limit)}
    for entry in summary.attempts():
        if not any(remaining.values()):
            return
        passed, failed, broken = summed(entry.comparisons)
        if not (passed and remaining["pass"]) and not (failed + broken and remaining["other"]):
            continue
        for line in chain.from_iterable(blocks_of(records, entry.pieces())):
            if not any(remaining.values()):
                return
            kind = "pass" if verdict_in(line) == "pass" else "other"
            if remaining[kind] and len(line) <= INLINE_LINE_LIMIT:
                remaining[kind] -= 1
                yield line


def _unsuccessful(records: IO[bytes], summary: Summary) -> Iterator[WorstRecord]:
    number = size = 0
    for test in summary.tests:
        if not any(test.comparisons[1:]):
            continue
        for line in chain.from_iterable(blocks_of(records, test.final.pieces())):
            if verdict_in(line) == "pass":
                continue
            record = json.loads(line)
            yield WorstRecord(
                test.decisive.outcome == PASSED, record["verdict"] != "error", record["score"], number, record
            )
            number, size = number + 1, size + len(line)
            if number >= _MOST_CANDIDATES or size > _MOST_CANDIDATE_BYTES:
                return
