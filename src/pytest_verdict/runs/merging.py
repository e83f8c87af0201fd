"""Merge shards into the report that a single session of all their tests would have written."""

import heapq
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.errors import RecordError
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, Built, build
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.folder import ReportFolder
from pytest_verdict.report.journal import OUTPUTS, RECORDS, SHARD, ByteRange, Journal, TestEntry, read_journal
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import PROFILES, check_profile
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import MALFORMED
from pytest_verdict.report.statements import file_digest

# Members of `run` that describe the files of one shard.
_FILE_MEMBERS: Final = ("seconds", "files", "sha256")
# Members of `run` that are listed for each shard, even for a single shard.
_SHARD_MEMBERS: Final = ("shard", "started", "finished", "exit_status", "collected")
_NOTHING_COLLECTED: Final = 5


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a session.

    ``files`` has the number and the digest of the tests that it collected in each file. ``places`` has the positions, among
    these, of the tests that it ran. Both are empty if the session was killed.
    """

    folder: Path
    index: int
    of: int
    run: dict[str, Any]
    journal: Journal
    files: dict[str, tuple[int, str]]
    places: list[int]

    @property
    def has_deselected(self) -> bool:
        """Whether it did not run all tests that it collected."""
        return sum(number for number, _ in self.files.values()) > len(self.places)


def read_shard(folder: Path) -> Shard:
    """Read the folder of a shard; files that do not belong together are refused."""
    if not (folder / REPORT).is_file():
        raise RecordError(
            f"{folder}: there is no {REPORT}; if the session was killed, run `pytest-verdict report` first"
        )
    if not (folder / SHARD).is_file():
        raise RecordError(
            f"{folder}: this session did not record which part it ran; run it with --verify-shard, such as 2/5"
        )
    report = read_report(folder)
    if report.run.shard is None:
        raise RecordError(f"{folder}: {REPORT} does not record which shard this is")
    try:
        journal = read_journal(folder, SHARD)
        whole = (journal.footer or {}).get("whole") or {"files": {}, "places": []}
        places = [int(place) for place in whole["places"]]
        tests = {entry.test for entry in journal.entries}
        is_one_session = (
            not journal.damaged
            and (journal.footer is None) is not (report.run.finished is not None)
            and tests == {test.test for test in report.tests}
            and report.records.sha256 == file_digest(folder / RECORDS)
            and len(places) in {0, len(journal.order)}
        )
        files = {str(path): (int(number), str(digest)) for path, (number, digest) in whole["files"].items()}
    except MALFORMED as error:
        raise RecordError(f"{folder}: this is no shard of pytest-verdict: {error}") from None
    if not is_one_session:
        raise RecordError(f"{folder}: {REPORT}, {RECORDS} and {SHARD} are not of the same session")
    if any(entry.worker for entry in journal.entries):
        raise RecordError(f"{folder}: with --dist=each every worker runs every test, so there are no shards to merge")
    return Shard(
        folder=folder,
        index=report.run.shard.index,
        of=report.run.shard.of,
        run={name: value for name, value in report.document["run"].items() if name not in _FILE_MEMBERS},
        journal=journal,
        files=files,
        places=places,
    )


def count_unselected(shards: Sequence[Shard]) -> int:
    """Count the collected tests that no shard ran; -k causes this, and so does a split by different durations."""
    collected = {path: number for shard in shards for path, (number, _) in shard.files.items()}
    return max(sum(collected.values()) - sum(len(shard.places) for shard in shards), 0)


def merge(shards: Sequence[Shard], target: Path, *, allow_missing: bool) -> Built:
    """Write the merged report of all shards."""
    shards = sorted(shards, key=attrgetter("index"))
    _check_agreement(shards, target)
    missing = _find_missing(shards, allow_missing=allow_missing)
    order = list(_merge_order(shards))
    _refuse_repeated_tests(shards)
    run = _merge_run(shards, missing)
    folder = ReportFolder(target)
    try:
        folder.refuse_foreign_files()
        folder.set_aside_earlier()
        with tempfile.TemporaryDirectory(dir=target) as name:
            header = shards[0].journal.header
            entries = list(_merge_entries(shards, Path(name)))
            _merge_outputs(shards, Path(name))
            journal = Journal(
                folder=Path(name),
                header={**header, "run": run},
                footer={} if "finished" in run else None,
                order=order,
                entries=entries,
            )
            built = build(
                journal,
                target,
                run=run,
                profile=check_profile(header.get("profile", PROFILES[0])),
                inline_limit=header.get("limit", DEFAULT_INLINE_LIMIT),
            )
        folder.remove_earlier()
        return built
    finally:
        folder.release()


def _check_agreement(shards: Sequence[Shard], target: Path) -> None:
    for shard in shards:
        if shard.folder.resolve() == target.resolve():
            raise RecordError(f"{target}: the report would overwrite one of its shards; name another folder with -o")
    properties: tuple[tuple[str, Callable[[Shard], object]], ...] = (
        ("of how many parts they are", lambda shard: shard.of),
        ("of which commit they are", lambda shard: shard.run.get("git", {}).get("commit")),
        ("about verdict_junit_profile", lambda shard: shard.journal.header.get("profile")),
        ("about verdict_report_limit", lambda shard: shard.journal.header.get("limit")),
        ("about the gates", lambda shard: shard.journal.header.get("asked", {})),
    )
    first = shards[0]
    for what, value_of in properties:
        for shard in shards[1:]:
            if value_of(shard) != value_of(first):
                raise RecordError(
                    f"{first.folder} and {shard.folder} do not agree {what}: {value_of(first)} and {value_of(shard)};"
                    " shards of one session are needed"
                )


def _find_missing(shards: Sequence[Shard], *, allow_missing: bool) -> list[int]:
    for index, same in groupby(shards, attrgetter("index")):
        folders = [str(shard.folder) for shard in same]
        if len(folders) > 1:
            raise RecordError(f"shard {index} is there more than once: {', '.join(folders)}")
    of = shards[0].of
    missing = sorted(set(range(1, of + 1)) - {shard.index for shard in shards})
    if missing and not allow_missing:
        numbers = ", ".join(map(str, missing))
        raise RecordError(f"of {of} shards these are missing: {numbers}; --allow-missing writes an incomplete report")
    return missing


def _merge_order(shards: Sequence[Shard]) -> Iterator[str]:
    for one, other in combinations(shards, 2):
        _refuse_other_tests(one, other)
    if any(shard.files != shards[0].files or len(shard.places) < len(shard.journal.order) for shard in shards):
        # Each shard collected files of its own, or was killed.
        return chain.from_iterable(shard.journal.order for shard in shards)
    numbered = (zip(shard.places, shard.journal.order, strict=True) for shard in shards)
    return map(itemgetter(1), heapq.merge(*numbered, key=itemgetter(0)))


def _refuse_other_tests(one: Shard, other: Shard) -> None:
    """Refuse shards that selected from different tests of a file, because then some tests may have run nowhere."""
    if not (one.has_deselected or other.has_deselected):
        return
    for path, collected in one.files.items():
        if other.files.get(path, collected) != collected:
            numbers = f"{collected[0]} and {other.files[path][0]} tests, not all of them the same"
            raise RecordError(f"{one.folder} and {other.folder} did not collect the same in {path}: {numbers}")


def _refuse_repeated_tests(shards: Sequence[Shard]) -> None:
    folders: dict[str, Path] = {}
    for shard in shards:
        for test in shard.journal.order:
            if folders.setdefault(test, shard.folder) is not shard.folder:
                raise RecordError(f"{folders[test]} and {shard.folder} both ran {test}")


def _merge_entries(shards: Sequence[Shard], folder: Path) -> Iterator[TestEntry]:
    """Yield the attempts of all tests, and write the records to one file."""
    tests: set[str] = set()
    with (folder / RECORDS).open("xb") as target:
        for shard in shards:
            start = target.tell()
            with open_records(shard.journal.records) as source:
                shutil.copyfileobj(source, target)
            # Every shard reports a module that could not be collected or was skipped as a whole.
            entries = [entry for entry in shard.journal.entries if entry.test not in tests]
            for entry in entries:
                entry.records = tuple(ByteRange(start + place.offset, place.length) for place in entry.records)
            yield from entries
            tests.update(entry.test for entry in entries)


def _merge_outputs(shards: Sequence[Shard], folder: Path) -> None:
    """Append the outputs of adapters to one file; building the report sorts them."""
    for path in filter(Path.is_file, (shard.folder / OUTPUTS for shard in shards)):
        with path.open("rb") as source, (folder / OUTPUTS).open("ab") as target:
            shutil.copyfileobj(source, target)


def _merge_run(shards: Sequence[Shard], missing: list[int]) -> dict[str, Any]:
    """Build the section `run`: the members that all shards share, and the others for each shard."""
    runs = [shard.run for shard in shards]
    common = {
        name: value
        for name, value in runs[0].items()
        if name not in _SHARD_MEMBERS and all(run.get(name) == value for run in runs)
    }
    merged: dict[str, Any] = {**common, "started": min(str(run.get("started")) for run in runs)}
    if not missing and all("finished" in run for run in runs):
        merged["finished"] = max(run["finished"] for run in runs)
    statuses = {run["exit_status"] for run in runs if "exit_status" in run} - {_NOTHING_COLLECTED}
    merged["exit_status"] = max(statuses, default=_NOTHING_COLLECTED)
    merged["shards"] = [{name: value for name, value in run.items() if name not in common} for run in runs]
    if missing:
        merged["missing_shards"] = missing
    return merged
