"""Build a report from a journal: ``records.jsonl``, ``report.json``, ``junit.xml``, and files of other packages."""

import hashlib
import heapq
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final

from pytest_verdict.core.families import load
from pytest_verdict.core.merkle import MerkleTree, leaves_of
from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.core.record import Counts, read_verdict, sum_counts
from pytest_verdict.core.values.display import safe_repr, visible
from pytest_verdict.report.compression import stored_digest
from pytest_verdict.report.folder import PAGE, plugin_files
from pytest_verdict.report.journal import OUTPUTS, RECORDS, SHARD, TESTS, Journal, blocks_of
from pytest_verdict.report.junit import JUNIT, Profile
from pytest_verdict.report.plugin import report_writers
from pytest_verdict.report.summary import (
    MOST_NAMES,
    PASSED,
    Contents,
    Summary,
    derive_sections,
    failure_key,
    name_comparison,
    summarize,
)

DEFAULT_INLINE_LIMIT: Final = 1_000
_INLINE_LINE_LIMIT: Final = 65_536
_BLOCK: Final = 1 << 20
_BUFFER: Final = 1 << 16
_MOST_WORST: Final = 5
# The bytes of a line of outputs by which the lines are sorted.
_HEAD: Final = 1_000
# Limits for the failing records among which the worst are selected.
_MOST_CANDIDATES: Final = 1_000
_MOST_CANDIDATE_BYTES: Final = 1 << 25


@dataclass(slots=True)
class EqualFailures:
    """Comparisons that did not pass in the same way: the first of their records, the names of some, and their number."""

    is_expected: bool
    """Whether their tests passed."""
    record: dict[str, Any]
    names: list[str] = field(default_factory=list)
    count: int = 0

    def rank(self) -> tuple[bool, bool, float]:
        """Return the key by which those that failed a test come first, and among them errors and low scores."""
        return self.is_expected, self.record["verdict"] != "error", self.record["score"]


@dataclass(frozen=True, slots=True)
class Built:
    """The report that `build` wrote."""

    folder: Path
    summary: Summary
    worst: list[EqualFailures]
    problems: list[str]
    sections: Mapping[str, Any]


def build(
    journal: Journal,
    folder: Path,
    *,
    run: Mapping[str, Any],
    profile: Profile,
    inline_limit: int = DEFAULT_INLINE_LIMIT,
) -> Built:
    """Write the files of a report."""
    summary = summarize(journal)
    folder.mkdir(parents=True, exist_ok=True)
    run = {**run, "collected": describe_collected(journal.order)}
    new = NewFiles(folder)
    try:
        sorted_records = new.path(RECORDS)
        digests, roots = _sort_records(journal, summary, sorted_records)
        count = sum(summary.comparisons) + sum(summary.superseded)
        with journal.records.open("rb") as records:
            attempts = (
                (entry.comparisons, chain.from_iterable(blocks_of(records, entry.records)))
                for entry in summary.attempts()
            )
            inline = select_inline(attempts, sum(summary.comparisons[1:]) + sum(summary.superseded[1:]), inline_limit)
            worst = heapq.nsmallest(_MOST_WORST, _group_failures(records, summary), key=EqualFailures.rank)
        contents = Contents(
            summary=summary,
            run=run,
            records={"path": RECORDS, "count": count, **digests},
            inline=inline,
            omitted=count - len(inline),
            profile=profile,
            roots=roots,
            sections=derive_sections(journal.header.get("asked", {}), summary, sorted_records),
        )
        digests_of_files = {}
        if "shard" in run:
            path = shutil.copyfile(journal.folder / TESTS, new.path(SHARD))
            digests_of_files[SHARD] = {"sha256": stored_digest(path)}
        if (journal.folder / OUTPUTS).is_file():
            path = new.write(OUTPUTS, _sort_outputs(journal.folder / OUTPUTS))
            digests_of_files[OUTPUTS] = {"sha256": stored_digest(path)}

        problems = write_report(contents, folder, new, digests_of_files)
        return Built(folder=folder, summary=summary, worst=worst, problems=problems, sections=contents.sections)
    finally:
        new.remove()


def describe_collected(tests: Sequence[str]) -> dict[str, Any]:
    """Return the number of the collected tests and a digest of their names."""
    digest = hashlib.sha256("\n".join(tests).encode("utf-8", "surrogatepass")).hexdigest()
    return {"tests": len(tests), "sha256": digest}


def write_report(
    contents: Contents, folder: Path, new: NewFiles, digests: Mapping[str, Any] = MappingProxyType({})
) -> list[str]:
    """Write the files of a report and put them in place with the new ones; return the problems of files of plugins."""
    files: dict[str, Any] = {**digests}
    with_files = replace(contents, run={**contents.run, "files": files})
    for name, place in report_writers().items():
        path = new.write(name, load(place)(with_files))
        if name == JUNIT:
            files[name] = {"sha256": stored_digest(path)}
    # The records come last.
    new.put_in_place([*report_writers(), *digests, contents.records["path"]])
    # The earlier page shows other records.
    (folder / PAGE).unlink(missing_ok=True)

    plugin_writers, problems = plugin_files()
    for name, place in plugin_writers.items():
        try:
            new.write(name, load(place)(contents))
            new.put_in_place([name])
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a plugin may raise anything
            new.remove(name)
            problems.append(f"{name} was not written, because its writer {place} raised {visible(safe_repr(error))}")
    return problems


def _sort_records(journal: Journal, summary: Summary, target: Path) -> tuple[dict[str, str], list[str]]:
    """Write the records in the order of the tests; return the digests of the file, and the root of each test."""
    digest = hashlib.sha256()
    tree = MerkleTree()
    roots = []
    # A small buffer, because the records of several workers are not read in the order of the file.
    with journal.records.open("rb", _BUFFER) as source, target.open("xb", _BLOCK) as file:
        for test in summary.tests:
            test_tree = MerkleTree()
            for lines in blocks_of(source, chain.from_iterable(entry.records for entry in test.attempts)):
                leaves = leaves_of(lines)
                tree.add(leaves)
                test_tree.add(leaves)
                block = b"".join(lines)
                digest.update(block)
                file.write(block)
            roots.append(test_tree.root())
    return {"sha256": digest.hexdigest(), "root": tree.root()}, roots


def _sort_outputs(path: Path) -> Iterator[str]:
    """Yield the lines sorted by their beginning, equal ones in their order; an unfinished line is skipped."""
    with path.open("rb") as file:
        lines = [line for line in file if line.endswith(b"\n")]
    for line in sorted(lines, key=lambda line: line[:_HEAD]):
        yield line.decode()


def select_inline(attempts: Iterable[tuple[Counts, Iterable[bytes]]], unsuccessful: int, limit: int) -> list[bytes]:
    """Select records for report.json, first those that did not pass, from the counts and the records of attempts."""
    remaining = {"pass": max(limit - unsuccessful, 0), "other": min(unsuccessful, limit)}
    inline: list[bytes] = []
    for counts, lines in attempts:
        passed, failed, broken = sum_counts(counts)
        if not (passed and remaining["pass"]) and not (failed + broken and remaining["other"]):
            continue
        for line in lines:
            if not any(remaining.values()):
                return inline
            kind = "pass" if read_verdict(line) == "pass" else "other"
            if remaining[kind] and len(line) <= _INLINE_LINE_LIMIT:
                remaining[kind] -= 1
                inline.append(line)
    return inline


def _group_failures(records: IO[bytes], summary: Summary) -> Iterable[EqualFailures]:
    groups: dict[tuple[bool, str], EqualFailures] = {}
    size = 0
    number = 0
    for test in summary.tests:
        if not any(test.comparisons[1:]):
            continue
        is_expected = test.decisive.outcome == PASSED
        for line in chain.from_iterable(blocks_of(records, test.final.records)):
            if read_verdict(line) == "pass":
                continue
            record = json.loads(line)
            key = is_expected, failure_key(record)
            equal = groups.setdefault(key, EqualFailures(is_expected, record))
            equal.count += 1
            if equal.count <= MOST_NAMES:
                equal.names.append(name_comparison(record))
            number += 1
            size += len(line)
            if number >= _MOST_CANDIDATES or size > _MOST_CANDIDATE_BYTES:
                return groups.values()
    return groups.values()
