"""Whether the files in the folder of a report say the same: everything that can be derived from the records is derived again."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.merkle import MerkleTree, leaves_of
from pytest_verdict.core.record import Counts, RecordSummary, count, digest_of_test
from pytest_verdict.core.replay import Replayed
from pytest_verdict.core.values.display import shown
from pytest_verdict.report import json_report, junit
from pytest_verdict.report.journal import RECORDS, TRAITS, TestEntry
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import JUNIT, Profile, junit_digests
from pytest_verdict.report.reading import read_document
from pytest_verdict.report.records_file import MALFORMED
from pytest_verdict.report.summary import Contents, Summary, TestSummary, derive_sections, fold, has_ended

_FOREIGN: Final = "report.json was made of other records: the SHA-256 in it is not that of this file"
_OF_DECISIVE: Final = {"message", "crashed", "teardown_error"}
# The digest of report.json in its quotes, and what follows it.
_ENDING: Final = 64 + len('""}\n}\n')
# What pytest showed of a failure is in no other file; `run.files` has its digest.
_FAILURE_TEXT: Final = re.compile(r"(<(?:failure|error) [^>]*>)[^<]*")
_EARLIER: Final = re.compile(r'(<(?:flaky|rerun)Failure) message="[^"]*"([^>]*><stackTrace>)[^<]*')
_CUT: Final = re.compile(r'message="[^"]*… of [0-9]+ characters, see records.jsonl"')
_FILE: Final = re.compile(r'<testcase [^>]* file="')
_HEADER: Final = r"-{33} Captured (?:Log|Out|Err) -{33}\n"
_CAPTURED: Final = re.compile(
    rf"(<system-out>[^<]*?)\n?{_HEADER}[^<]*(?=</system-out>)|<system-err>{_HEADER}[^<]*</system-err>\n"
)
_NAMED: Final = re.compile(r'<(testcase|testsuite) .*?\bname="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between a file of the report and the records."""

    file: str
    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.what}"


@dataclass(slots=True)
class _Block:
    """The records of one test, which follow one another."""

    line: int
    tree: MerkleTree = field(default_factory=MerkleTree)
    attempts: dict[int, Counts] = field(default_factory=dict)
    attempt: int = 0
    ordinal: int = 0


class ConsecutiveRecords:
    """Records of one attempt whose ordinals follow one another; a line that is no whole record is alone."""

    def __init__(self, first: RecordSummary | None) -> None:
        self.first = first
        self.leaves: list[bytes] = []
        # By operator and verdict.
        self.counts = Counter[tuple[str, str]]()

    def continues_with(self, summary: RecordSummary | None) -> bool:
        """Return whether a record is the next one of the attempt."""
        if self.first is None or summary is None or summary.test != self.first.test:
            return False
        digest, number = self.first.id.partition("-")[0], self.first.ordinal + len(self.leaves)
        identifier = f"{digest}-{self.first.attempt}-{number}"
        return (summary.id, summary.attempt, summary.ordinal) == (identifier, self.first.attempt, number)

    def add(self, summary: RecordSummary | None, leaf: bytes) -> None:
        """Add a record and its leaf of the Merkle tree."""
        self.leaves.append(leaf)
        if summary is not None:
            self.counts[summary.operator, summary.verdict] += 1


def group_consecutive(lines: Iterable[bytes], answers: Iterable[Replayed]) -> list[ConsecutiveRecords]:
    """Group the records that follow one another."""
    groups: list[ConsecutiveRecords] = []
    for answer, leaf in zip(answers, leaves_of(lines), strict=True):
        if not groups or not groups[-1].continues_with(answer.summary):
            groups.append(ConsecutiveRecords(answer.summary))
        groups[-1].add(answer.summary, leaf)
    return groups


class FolderCheck:
    """The report in a folder, and what is learned from its records while they are read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._report = read_document(folder / REPORT) if (folder / REPORT).is_file() else None
        self._digest, self._tree, self._number = sha256(), MerkleTree(), 0
        self._blocks: dict[tuple[str, str], _Block] = {}
        self._running: tuple[str, str] | None = None
        self._found: list[Finding] = []
        inline = self._report.get("comparisons") if self._report else []
        self._inline = list(enumerate(inline if isinstance(inline, list) else []))[::-1]

    def inline(self) -> frozenset[str]:
        """Return the ids of the records that report.json has too."""
        return frozenset(str(one.get("id")) for _, one in self._inline if isinstance(one, dict))

    def watch(self, pieces: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
        """Digest all lines, and pass them on."""
        for lines in pieces:
            self._digest.update(b"".join(lines))
            yield lines

    def add(self, groups: Iterable[ConsecutiveRecords], inline: Iterable[dict[str, Any]]) -> None:
        """Check the next records, and those among them that report.json has too."""
        for group in groups:
            if group.first is None:
                self._say(RECORDS, f"line {self._number + 1}", "is not a whole record")
            else:
                self._add_group(group, group.first)
            self._number += len(group.leaves)
            self._tree.add(group.leaves)
        for record in inline:
            self._add_inline(record)

    def findings(self) -> Iterator[Finding]:
        """Yield the differences, after all records were read."""
        yield from self._found
        if self._report is None:
            yield Finding(REPORT, "file", "is missing, so nothing says which records there were")
            return
        try:
            yield from self._compare(self._report)
        except MALFORMED as error:
            yield Finding(REPORT, "form", f"is not the report of pytest-verdict: {error!r}")

    def _say(self, file: str, place: str, what: str) -> None:
        self._found.append(Finding(file, place, what))

    def _add_group(self, group: ConsecutiveRecords, first: RecordSummary) -> None:
        place, attempt, ordinal = f"line {self._number + 1}", first.attempt, first.ordinal
        key = first.test, first.id.partition("-")[0]
        if key != self._running and key in self._blocks:
            self._say(RECORDS, place, "stands apart from the other records of its test")
        self._running = key
        block = self._blocks.get(key) or self._blocks.setdefault(key, _Block(self._number + 1))
        before = block.ordinal if attempt == block.attempt else 0
        if first.id != f"{key[1]}-{attempt}-{ordinal}":
            self._say(RECORDS, place, f"its id is not that of attempt {attempt}, ordinal {ordinal}")
        if attempt < block.attempt or ordinal != before + 1:
            self._say(RECORDS, place, f"ordinal {ordinal} of attempt {attempt} follows {before} of {block.attempt}")
        block.attempt, block.ordinal = attempt, ordinal + len(group.leaves) - 1
        block.tree.add(group.leaves)
        for (operator, verdict), number in group.counts.items():
            count(block.attempts.setdefault(attempt, {}), operator, verdict, number)

    def _add_inline(self, record: dict[str, Any]) -> None:
        index, inline = self._inline[-1] if self._inline else (0, None)
        if isinstance(inline, dict) and inline.get("id") == record["id"]:
            self._inline.pop()
            for place, what in differences(record, inline, f"comparisons[{index}]"):
                self._say(REPORT, place, what)

    def _compare(self, report: dict[str, Any]) -> Iterator[Finding]:
        for index, inline in self._inline[-1:]:
            what = f"{shown(inline.get('id'), 40)} is not in {RECORDS}, or not in this order"
            yield Finding(REPORT, f"comparisons[{index}]", what)
        tests, run = report["tests"], report["run"]
        keys = [(test["test"], digest_of_test(test["test"], test.get("worker", ""))) for test in tests]
        yield from self._order({key: index for index, key in enumerate(keys)})
        summary = fold(
            [_summary_of(test, self._blocks.get(key), run) for test, key in zip(tests, keys, strict=True)],
            report["totals"]["tests_without_result"],
            finished="finished" in run and has_ended(run),
        )
        contents = self._contents(report, summary, keys)
        derived = json.loads("".join(json_report.write(contents)))
        yield from _of_report(report, derived, self._folder / REPORT)
        yield from _of_junit(contents, self._folder / JUNIT)

    def _order(self, places: dict[tuple[str, str], int]) -> Iterator[Finding]:
        last = -1
        for key, block in self._blocks.items():
            place = places.get(key)
            if place is None:
                what = f"{REPORT} has no such test, or its id is that of another test"
                yield Finding(RECORDS, f"line {block.line}", what)
            elif place < last:
                what = f"{key[0]} stands behind a test that {REPORT} has after it"
                yield Finding(RECORDS, f"line {block.line}", what)
            last = last if place is None else max(place, last)

    def _contents(self, report: dict[str, Any], summary: Summary, keys: list[tuple[str, str]]) -> Contents:
        run = {
            name: value for name, value in report["run"].items() if name not in {"seconds", "test_properties", "sha256"}
        }
        inline = [json.dumps(one, separators=(",", ":")).encode() for one in report["comparisons"]]
        digests = {"sha256": self._digest.hexdigest(), "root": self._tree.root()}
        records = {"path": RECORDS, "count": self._number, **digests}
        roots = [self._blocks.get(key, _Block(0)).tree.root() for key in keys]
        sections = derive_sections(report, summary, self._folder / RECORDS)
        return Contents(summary, run, records, inline, self._number - len(inline), "ci", roots, sections)


def _summary_of(test: dict[str, Any], block: _Block | None, run: dict[str, Any]) -> TestSummary:
    shared = {"path": test["path"], "line": test["line"], "worker": test.get("worker", "")}
    entries = [TestEntry(test["test"], number, outcome, **shared) for number, outcome in enumerate(test["attempts"], 1)]
    for entry in entries:
        entry.comparisons = block.attempts.get(entry.attempt, {}) if block else {}
    final, decisive = entries[-1], TestSummary(entries).decisive
    for name in _OF_DECISIVE.intersection(test):
        setattr(decisive, name, test[name])
    final.subtests, final.traits = test.get("subtests"), {name: test[name] for name in TRAITS if name in test}
    final.properties = run.get("test_properties", {}).get(json_report.unique_name(final), ())
    final.microseconds = round(run["seconds"][json_report.unique_name(final)] * 1_000_000)
    return TestSummary(entries)


def differences(derived: Any, found: Any, place: str) -> Iterator[tuple[str, str]]:
    """Compare two JSON values; the places are those of the leaves."""
    if isinstance(derived, dict) and isinstance(found, dict):
        for key in [*derived, *(key for key in found if key not in derived)]:
            yield from differences(derived.get(key, ...), found.get(key, ...), f"{place}.{key}" if place else key)
    elif isinstance(derived, list) and isinstance(found, list):
        for index, (left, right) in enumerate(zip_longest(derived, found, fillvalue=...)):
            yield from differences(left, right, f"{place}[{index}]")
    elif type(derived) is not type(found) or derived != found:
        says, follows = ("nothing" if value is ... else shown(value, 80) for value in (found, derived))
        yield place, f"says {says}, and {follows} follows from the records"


def _of_report(report: dict[str, Any], derived: dict[str, Any], path: Path) -> Iterator[Finding]:
    derived["run"].pop("sha256")
    said, is_first = report["run"].pop("sha256", None), report["schema_version"] == "1.0"
    if is_first:
        # It had no roots, and no digest of itself.
        derived["schema_version"] = "1.0"
        for part in (derived["records"], *derived["tests"]):
            part.pop("root", None)
    places = list(differences(derived, report, ""))
    for place, what in places:
        yield Finding(REPORT, place, _FOREIGN if place == "records.sha256" else what)
    content = path.read_bytes()
    if not is_first and not places and said != sha256(content[:-_ENDING]).hexdigest():
        yield Finding(REPORT, "run", "what it holds, or the form of the file, was changed: its SHA-256 is another one")


def _of_junit(contents: Contents, path: Path) -> Iterator[Finding]:
    if not path.is_file():
        yield Finding(JUNIT, "file", "is missing")
        return
    content = path.read_bytes()
    text = content.decode("utf-8", "backslashreplace")
    # In the profile ci every testcase has a file.
    profile: Profile = "ci" if "<testcase " not in text or _FILE.search(text) else "strict"
    places = list(_other_lines("".join(junit.write(replace(contents, profile=profile))), text))
    for place in places:
        yield Finding(JUNIT, place, f"does not follow from {REPORT}")
    said, digests = contents.run.get("files", {}).get(JUNIT), junit_digests(BytesIO(content))
    if said == digests or said is None:
        return
    changed = [case for case, digest in digests["cases"].items() if digest != said["cases"].get(case)]
    for case in changed:
        yield Finding(JUNIT, f"testcase {case}", f"is not the one whose digest {REPORT} has")
    if not places and not changed:
        yield Finding(JUNIT, "file", f"its SHA-256 is not the one in {REPORT}")


def _other_lines(derived: str, found: str) -> Iterator[str]:
    """Give the place of the first line that differs, apart from what pytest showed of failures."""
    place = "testsuites"
    lines = (_without_texts(text).split("\n") for text in (derived, found))
    for left, right in zip_longest(*lines, fillvalue=""):
        named = _NAMED.match(left)
        place = f"{named.group(1)} {html.unescape(named.group(2))}" if named else place
        if left != right:
            yield place
            return


def _without_texts(text: str) -> str:
    known = _CAPTURED.sub(lambda found: found.group(1) or "", text).replace("<system-out></system-out>\n", "")
    return _CUT.sub("", _EARLIER.sub(r"\1\2", _FAILURE_TEXT.sub(r"\1", known)))
