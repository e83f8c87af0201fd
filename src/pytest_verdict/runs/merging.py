"""Shards put together: the report that one session of all their tests would have written."""

import heapq
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
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
from pytest_verdict.report.junit import PROFILES, checked_profile
from pytest_verdict.report.records_file import MALFORMED
from pytest_verdict.report.statements import file_digest

_OF_ONE_FILE: Final = ("seconds", "files", "sha256")
# Told of each shard, even if there is but one.
_OF_ONE_SHARD: Final = ("shard", "started", "finished", "exit_status", "collected")
_NOTHING_COLLECTED: Final = 5


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a session.

    ``files`` has the number and the digest of all tests that it collected in each file, and ``places`` where those stand
    among them that it ran; both are empty where the session was killed.
    """

    folder: Path
    index: int
    of: int
    run: dict[str, Any]
    journal: Journal
    files: dict[str, tuple[int, str]]
    places: list[int]

    @property
    def chose(self) -> bool:
        """Whether tests were left out after they had been collected."""
        return sum(number for number, _ in self.files.values()) > len(self.places)


def read_shard(folder: Path) -> Shard:
    """Read the folder of a shard, and refuse one whose files do not belong together."""
    if not (folder / REPORT).is_file():
        raise RecordError(f"{folder}: there is no {REPORT}; after a kill, run `pytest-verdict report` first")
    if not (folder / SHARD).is_file():
        raise RecordError(
            f"{folder}: this session does not say which part it ran; run it with --verify-shard, as in 2/5"
        )
    try:
        report, journal = json.loads((folder / REPORT).read_bytes()), read_journal(folder, SHARD)
        whole = (journal.footer or {}).get("whole") or {"files": {}, "places": []}
        places, tests = [int(place) for place in whole["places"]], {entry.test for entry in journal.entries}
        belong = (
            not journal.damaged
            and (journal.footer is None) is not ("finished" in report["run"])
            and tests == {test["test"] for test in report["tests"]}
            and report["records"]["sha256"] == file_digest(folder / RECORDS)
            and len(places) in {0, len(journal.order)}
        )
        run = {name: value for name, value in report["run"].items() if name not in _OF_ONE_FILE}
        files = {str(path): (int(number), str(digest)) for path, (number, digest) in whole["files"].items()}
        shard = Shard(folder, int(run["shard"]["index"]), int(run["shard"]["of"]), run, journal, files, places)
    except MALFORMED as error:
        raise RecordError(f"{folder}: this is no shard of pytest-verdict: {error}") from None
    if not belong:
        raise RecordError(f"{folder}: {REPORT}, {RECORDS} and {SHARD} are not of the same session")
    if any(entry.worker for entry in journal.entries):
        raise RecordError(f"{folder}: with --dist=each every worker runs every test, so there are no shards to merge")
    return shard


def left_out(shards: Sequence[Shard]) -> int:
    """Count the tests that were collected and that no shard ran; -k does that, and so does splitting by unequal durations."""
    collected = {path: number for shard in shards for path, (number, _) in shard.files.items()}
    return max(sum(collected.values()) - sum(len(shard.places) for shard in shards), 0)


def merge(shards: Sequence[Shard], target: Path, *, allow_missing: bool) -> Built:
    """Write the report of all shards together."""
    shards = sorted(shards, key=attrgetter("index"))
    missing = _checked(shards, target, allow_missing=allow_missing)
    order = list(_order(shards))
    _refuse_doubled(shards)
    run = _run(shards, missing)
    held = ReportFolder(target)
    try:
        held.refuse_foreign_files()
        held.set_aside_earlier()
        with tempfile.TemporaryDirectory(dir=target) as name:
            header = shards[0].journal.header
            entries = list(_entries(shards, Path(name)))
            _join_outputs(shards, Path(name))
            journal = Journal(Path(name), {**header, "run": run}, {} if "finished" in run else None, order, entries)
            profile, limit = header.get("profile", PROFILES[0]), header.get("limit", DEFAULT_INLINE_LIMIT)
            built = build(journal, target, run=run, profile=checked_profile(profile), inline_limit=limit)
        held.remove_earlier()
        return built
    finally:
        held.release()


def _checked(shards: Sequence[Shard], target: Path, *, allow_missing: bool) -> list[int]:
    for shard in shards:
        if shard.folder.resolve() == target.resolve():
            raise RecordError(f"{target}: the report would overwrite one of its shards; name another folder with -o")
    for what, told in (
        ("of how many parts they are", lambda shard: shard.of),
        ("of which commit they are", lambda shard: shard.run.get("git", {}).get("commit")),
        ("about verdict_junit_profile", lambda shard: shard.journal.header.get("profile")),
        ("about verdict_report_limit", lambda shard: shard.journal.header.get("limit")),
        ("about the gates", lambda shard: shard.journal.header.get("asked", {})),
    ):
        _agree(shards, what, told)
    for index, same in groupby(shards, attrgetter("index")):
        if len(folders := [str(shard.folder) for shard in same]) > 1:
            raise RecordError(f"shard {index} is there more than once: {', '.join(folders)}")
    of = shards[0].of
    missing = sorted({*range(1, of + 1)} - {shard.index for shard in shards})
    if missing and not allow_missing:
        numbers = ", ".join(map(str, missing))
        raise RecordError(f"of {of} shards these are missing: {numbers}; --allow-missing writes an incomplete report")
    return missing


def _agree(shards: Sequence[Shard], what: str, told: Any) -> None:
    first = shards[0]
    for shard in shards[1:]:
        if told(shard) != told(first):
            raise RecordError(
                f"{first.folder} and {shard.folder} do not agree {what}: {told(first)} and {told(shard)};"
                " shards of one session are needed"
            )


def _order(shards: Sequence[Shard]) -> Iterator[str]:
    for one, other in combinations(shards, 2):
        _refuse_other_tests(one, other)
    if any(shard.files != shards[0].files or len(shard.places) < len(shard.journal.order) for shard in shards):
        # Each was given files of its own, or was killed.
        return chain.from_iterable(shard.journal.order for shard in shards)
    placed = (zip(shard.places, shard.journal.order, strict=True) for shard in shards)
    return map(itemgetter(1), heapq.merge(*placed, key=itemgetter(0)))


def _refuse_other_tests(one: Shard, other: Shard) -> None:
    """Refuse shards that chose among other tests of a file, because then some may have run nowhere."""
    for path, found in one.files.items():
        if (one.chose or other.chose) and other.files.get(path, found) != found:
            numbers = f"{found[0]} and {other.files[path][0]} tests, not all of them the same"
            raise RecordError(f"{one.folder} and {other.folder} did not collect the same in {path}: {numbers}")


def _refuse_doubled(shards: Sequence[Shard]) -> None:
    found: dict[str, Path] = {}
    for shard in shards:
        for test in shard.journal.order:
            if found.setdefault(test, shard.folder) is not shard.folder:
                raise RecordError(f"{found[test]} and {shard.folder} both ran {test}")


def _entries(shards: Sequence[Shard], folder: Path) -> Iterator[TestEntry]:
    """Give the attempts of all tests, and put the records in one file."""
    known: set[str] = set()
    with (folder / RECORDS).open("xb") as target:
        for shard in shards:
            before = target.tell()
            with open_records(shard.journal.records) as source:
                shutil.copyfileobj(source, target)
            # What could not be collected, or was skipped as a whole, is told by every shard.
            entries = [entry for entry in shard.journal.entries if entry.test not in known]
            for entry in entries:
                entry.records = tuple(ByteRange(before + place.offset, place.length) for place in entry.records)
            yield from entries
            known |= {entry.test for entry in entries}


def _join_outputs(shards: Sequence[Shard], folder: Path) -> None:
    """Put what adapters returned in one file, which is sorted when the report is built."""
    for path in filter(Path.is_file, (shard.folder / OUTPUTS for shard in shards)):
        with path.open("rb") as source, (folder / OUTPUTS).open("ab") as target:
            shutil.copyfileobj(source, target)


def _run(shards: Sequence[Shard], missing: list[int]) -> dict[str, Any]:
    """Say of all what is the same, and of each what is not."""
    runs = [shard.run for shard in shards]
    first = [item for item in runs[0].items() if item[0] not in _OF_ONE_SHARD]
    common = {name: value for name, value in first if all(run.get(name) == value for run in runs)}
    statuses = {run["exit_status"] for run in runs if "exit_status" in run} - {_NOTHING_COLLECTED}
    told: dict[str, Any] = {**common, "started": min(str(run.get("started")) for run in runs)}
    if not missing and all("finished" in run for run in runs):
        told["finished"] = max(run["finished"] for run in runs)
    told["exit_status"] = max(statuses, default=_NOTHING_COLLECTED)
    told["shards"] = [{name: value for name, value in run.items() if name not in common} for run in runs]
    return {**told, **({"missing_shards": missing} if missing else {})}
