"""Building: a journal turned into ``records.jsonl``, ``report.json`` and ``junit.xml``, put in place all at once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from pytest_verdict.report.journal import RECORDS, Journal, TestEntry
from pytest_verdict.report.json_report import report_lines
from pytest_verdict.report.junit import Profile, junit_lines
from pytest_verdict.report.record import verdict_of
from pytest_verdict.report.summary import Summary, added, summarize

REPORT: Final = "report.json"
JUNIT: Final = "junit.xml"

DEFAULT_INLINE_LIMIT: Final = 1_000
INLINE_LINE_LIMIT: Final = 65_536
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Built:
    """The files that were written.

    Args:
        folder: Where they lie.
        summary: The session they tell of.
        worst: The records of the comparisons that came out worst, parsed.
    """

    folder: Path
    summary: Summary
    worst: list[dict[str, Any]]


def build(
    journal: Journal,
    folder: Path,
    *,
    run: Mapping[str, Any],
    profile: Profile,
    inline_limit: int = DEFAULT_INLINE_LIMIT,
    consume: bool = False,
) -> Built:
    """Write the three files of a report.

    Args:
        journal: A journal that was read back.
        folder: Where to put the files; older ones are replaced when the new ones are whole.
        run: Times and environment.
        profile: The JUnit profile.
        inline_limit: How many comparisons ``report.json`` holds at most; those that did not pass come first.
        consume: Whether the records may be moved out of the journal, which saves a copy when they arrived in order.

    Returns:
        What was written.

    Raises:
        OSError: A file cannot be written; the older files are then still in place.
    """
    summary = summarize(journal)
    folder.mkdir(parents=True, exist_ok=True)
    in_order = _is_in_order(journal, summary)
    sorted_records, digest = _sorted_records(journal, summary, folder, copy=not (in_order and consume))
    count = sum(sum(added(entry.comparisons)) for entry in summary.attempts())
    with journal.open_records() as records:
        inline = list(_inline(records, summary, inline_limit))
    described = {"path": RECORDS, "count": count, "sha256": digest}
    report = report_lines(summary, run=run, records=described, inline=inline, omitted=count - len(inline))
    _write(folder / f"{REPORT}.new", report)
    started = str(run.get("started", ""))[:19]
    _write(folder / f"{JUNIT}.new", junit_lines(summary, profile=profile, records_digest=digest, started=started))
    os.replace(sorted_records, folder / RECORDS)  # noqa: PTH105 - replace is the word for an atomic move
    for name in (REPORT, JUNIT):
        os.replace(folder / f"{name}.new", folder / name)  # noqa: PTH105 - likewise
    return Built(folder, summary, _worst(inline))


def _is_in_order(journal: Journal, summary: Summary) -> bool:
    end = 0
    for entry in summary.attempts():
        for offset, length in entry.chunks:
            if offset != end:
                return False
            end += length
    return end == journal.records.stat().st_size


def _sorted_records(journal: Journal, summary: Summary, folder: Path, *, copy: bool) -> tuple[Path, str]:
    known = (journal.footer or {}).get("records_sha256")
    if not copy and isinstance(known, str):
        return journal.records, known
    target = folder / f"{RECORDS}.new"
    digest = hashlib.sha256()
    with journal.open_records() as source, target.open("wb") as file:
        for block in _sorted_blocks(source, summary.attempts()):
            digest.update(block)
            file.write(block)
    return target, digest.hexdigest()


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n", buffering=_BLOCK) as file:
        file.writelines(pieces)


def _sorted_blocks(source: IO[bytes], entries: Iterable[TestEntry]) -> Iterator[bytes]:
    for entry in entries:
        for offset, length in entry.chunks:
            source.seek(offset)
            remaining = length
            while remaining:
                block = source.read(min(remaining, _BLOCK))
                if not block:
                    return
                remaining -= len(block)
                yield block


def _inline(records: IO[bytes], summary: Summary, limit: int) -> Iterator[bytes]:
    unsuccessful = sum(sum(added(entry.comparisons)[1:]) for entry in summary.attempts())
    remaining = {"pass": max(limit - unsuccessful, 0), "other": min(unsuccessful, limit)}
    for entry in summary.attempts():
        passed, failed, broken = added(entry.comparisons)
        if not (passed and remaining["pass"]) and not (failed + broken and remaining["other"]):
            continue
        for line in _lines(records, entry):
            kind = "pass" if verdict_of(line) == "pass" else "other"
            if remaining[kind] and len(line) <= INLINE_LINE_LIMIT:
                remaining[kind] -= 1
                yield line


def _lines(records: IO[bytes], entry: TestEntry) -> Iterator[bytes]:
    for offset, length in entry.chunks:
        records.seek(offset)
        remaining = length
        while remaining > 0:
            line = records.readline()
            if not line:
                return
            remaining -= len(line)
            yield line


def _worst(inline: list[bytes], most: int = 5) -> list[dict[str, Any]]:
    failed = [json.loads(line) for line in inline if verdict_of(line) != "pass"]
    return sorted(failed, key=lambda record: (record["verdict"] != "error", record["score"]))[:most]
