"""``pytest-verdict merge``: merge the shards of a session.

A shard is a session that ran one part of the tests. The part is set by --verify-shard, by the options of pytest-split or
pytest-shard, or by the variables of GitLab or CircleCI. The merged report is the one that a single session would have
written: the same records.jsonl, the same report.json except for its section `run`, the same junit.xml except for times. A
missing or repeated shard is an error, and so is a shard of another commit or of another collection of tests.

exit codes:
  0  the report was written, whatever the outcomes of the tests
  1  the report was written, and a gate of the shards is not met
  2  the report was not written
"""

import argparse
import heapq
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import RecordError
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, Built, build
from pytest_verdict.report.compression import reporting_damage, stored_digest
from pytest_verdict.report.folder import ReportFolder
from pytest_verdict.report.journal import OUTPUTS, RECORDS, SHARD, ByteRange, Journal, TestEntry, read_journal
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import PROFILES, check_profile
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.summary import MET, counts_with_rate, summarize, verdict_line
from pytest_verdict.report.verification import format_tally, replay_file

# Members of `run` that describe the files of one shard.
_FILE_MEMBERS: Final = ("seconds", "files", "sha256")
# Members of `run` that are listed for each shard, even for a single shard.
_SHARD_MEMBERS: Final = ("shard", "started", "finished", "exit_status", "collected")
_NOTHING_COLLECTED: Final = 5


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a session; ``files`` and ``places`` are empty if it was killed."""

    folder: Path
    index: int
    of: int
    run: dict[str, Any]
    journal: Journal
    files: dict[str, tuple[int, str]]
    """The number and the digest of the tests that it collected in each file."""
    places: list[int]
    """The positions, among these tests, of those that it ran."""

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
    with reporting_damage(f"{folder}: this is no shard of pytest-verdict"):
        journal = read_journal(folder, SHARD)
        whole = (journal.footer or {}).get("whole") or {"files": {}, "places": []}
        places = [int(place) for place in whole["places"]]
        attempts = {test.final.test: [entry.outcome for entry in test.attempts] for test in summarize(journal).tests}
        is_one_session = (
            not journal.damaged
            and (journal.footer is None) is not (report.run.finished is not None)
            and attempts == {test["test"]: test["attempts"] for test in report.document["tests"]}
            and report.records.sha256 == stored_digest(folder / RECORDS)
            and len(places) in {0, len(journal.order)}
        )
        files = {str(path): (int(number), str(digest)) for path, (number, digest) in whole["files"].items()}
    if not is_one_session:
        raise RecordError(f"{folder}: {REPORT}, {RECORDS} and {SHARD} are not of the same session")
    return Shard(
        folder=folder,
        index=report.run.shard.index,
        of=report.run.shard.of,
        run={name: value for name, value in report.document["run"].items() if name not in _FILE_MEMBERS},
        journal=journal,
        files=files,
        places=places,
    )


def merge(shards: Sequence[Shard], target: Path, *, allow_missing: bool) -> Built:
    shards = sorted(shards, key=attrgetter("index"))
    missing = _check_shards(shards, target, allow_missing=allow_missing)
    for shard in shards:
        # Checked as the command replay does, because the merged report would hide what was altered.
        tally = replay_file(RecordsFile(str(shard.folder), may_be_changed=True))
        if tally.differences or tally.findings or tally.statuses["unreadable"]:
            listing = f"`pytest-verdict replay {shard.folder}` lists everything"
            raise RecordError(f"{shard.folder}: {next(format_tally(tally))}; {listing}")
    order = _merge_order(shards)
    run = _merge_run(shards, missing)
    folder = ReportFolder(target)
    try:
        folder.refuse_foreign_files()
        folder.set_aside_earlier()
        with tempfile.TemporaryDirectory(dir=target) as name:
            header = shards[0].journal.header
            journal = Journal(
                folder=Path(name),
                header={**header, "run": run},
                footer={} if "finished" in run else None,
                order=order,
                entries=_merge_files(shards, Path(name)),
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


def _check_shards(shards: Sequence[Shard], target: Path, *, allow_missing: bool) -> list[int]:
    """Check that the shards are of one session, and return the numbers of the missing ones."""
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

    for index, same in groupby(shards, attrgetter("index")):
        folders = [str(shard.folder) for shard in same]
        if len(folders) > 1:
            raise RecordError(f"shard {index} is there more than once: {', '.join(folders)}")
    missing = sorted(set(range(1, first.of + 1)) - {shard.index for shard in shards})
    if missing and not allow_missing:
        numbers = ", ".join(map(str, missing))
        raise RecordError(
            f"of {first.of} shards these are missing: {numbers}; --allow-missing writes an incomplete report"
        )
    return missing


def _merge_order(shards: Sequence[Shard]) -> list[str]:
    """Return all tests in the order of one session."""
    for first, second in combinations(shards, 2):
        if not (first.has_deselected or second.has_deselected):
            continue
        # If shards selected from different tests of a file, some tests may have run nowhere.
        for path, collected in first.files.items():
            if second.files.get(path, collected) != collected:
                numbers = f"{collected[0]} and {second.files[path][0]} tests, not all of them the same"
                raise RecordError(f"{first.folder} and {second.folder} did not collect the same in {path}: {numbers}")

    folders: dict[str, Path] = {}
    for shard in shards:
        for test in shard.journal.order:
            if folders.setdefault(test, shard.folder) is not shard.folder:
                raise RecordError(f"{folders[test]} and {shard.folder} both ran {test}")

    if any(shard.files != shards[0].files or len(shard.places) < len(shard.journal.order) for shard in shards):
        # Each shard collected files of its own, or was killed.
        return [test for shard in shards for test in shard.journal.order]
    numbered = (zip(shard.places, shard.journal.order, strict=True) for shard in shards)
    return [test for _, test in heapq.merge(*numbered, key=itemgetter(0))]


def _merge_files(shards: Sequence[Shard], folder: Path) -> list[TestEntry]:
    """Write the records of all shards to one file, and their outputs of adapters; return the attempts of all tests."""
    merged: list[TestEntry] = []
    tests: set[str] = set()
    with (folder / RECORDS).open("xb") as target:
        for shard in shards:
            start = target.tell()
            with shard.journal.records.open("rb") as source:
                shutil.copyfileobj(source, target)
            # Every shard reports a module that could not be collected or was skipped as a whole.
            entries = [entry for entry in shard.journal.entries if entry.test not in tests]
            for entry in entries:
                entry.records = tuple(ByteRange(start + place.offset, place.length) for place in entry.records)
            merged += entries
            tests.update(entry.test for entry in entries)

    # Building the report sorts the outputs.
    for path in filter(Path.is_file, (shard.folder / OUTPUTS for shard in shards)):
        with path.open("rb") as source, (folder / OUTPUTS).open("ab") as target:
            shutil.copyfileobj(source, target)
    return merged


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", metavar="DIR", nargs="+", help="the folders of the shards' reports")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder to write the merged report to")
    parser.add_argument("--allow-missing", action="store_true", help="write an incomplete report if shards are missing")


def run(arguments: argparse.Namespace) -> int:
    with pause_garbage_collection():
        shards = [read_shard(Path(folder)) for folder in arguments.folders]
        built = merge(shards, Path(arguments.output), allow_missing=arguments.allow_missing)
    summary = built.summary
    tests = f"{format_count(len(shards), 'shard')}, {format_count(len(summary.tests), 'test')}"
    say(f"{tests}, comparisons: {counts_with_rate(summary.comparisons)}")
    collected = {path: number for shard in shards for path, (number, _) in shard.files.items()}
    number = sum(collected.values()) - sum(len(shard.places) for shard in shards)
    # -k leaves out tests, and so does a split by different durations.
    if number > 0:
        say(f"collected, but run by no shard: {format_count(number, 'test')}")
    if not summary.complete:
        say("the report is not complete: a shard is missing, or a test did not end")
    gates = built.sections.get("gates", ())
    for gate in gates:
        say(verdict_line(gate))
    for problem in built.problems:
        complain(problem)
    say(f"written: {arguments.output}")
    return 2 if built.problems else int(any(gate["verdict"] != MET for gate in gates))
