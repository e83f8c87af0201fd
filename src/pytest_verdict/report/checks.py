"""The check of a report's folder: derive again what the records determine, and compare it with the files."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.merkle import MerkleTree, build_subtrees
from pytest_verdict.core.record import Counts, RecordSummary, count, digest_of_test
from pytest_verdict.core.values.display import shown
from pytest_verdict.report import json_report, junit
from pytest_verdict.report.compression import MALFORMED, MANIFEST, find_stored, stored_digest
from pytest_verdict.report.folder import PARTS
from pytest_verdict.report.journal import OUTPUTS, RECORDS, SHARD, TRAITS, TestEntry
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import JUNIT, Profile
from pytest_verdict.report.manifest import Manifest, Part, derive_manifest
from pytest_verdict.report.reading import read_document
from pytest_verdict.report.summary import Contents, TestSummary, derive_sections, fold, has_ended

_FOREIGN: Final = "report.json was made of other records: the SHA-256 in it is not that of this file"
# The members of a test in report.json that belong to its decisive attempt.
_DECISIVE_MEMBERS: Final = {"message", "crashed", "teardown_error"}
# No other file has the texts that pytest showed; `run.files` has their digests.
_SHOWN_BY_PYTEST: Final = re.compile(
    r"<(?P<tag>system-out|system-err)>[^<]*</(?P=tag)>\n|(?<=>)[^<]+(?=</(?:failure|error|stackTrace)>)"
    r'|(?<=Failure) message="[^"]*"|message="[^"]*… of [0-9]+ characters, see records.jsonl"'
)
_FILE: Final = re.compile(r'<testcase [^>]* file="')
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
    """The records of one test."""

    tree: MerkleTree = field(default_factory=MerkleTree)
    attempts: dict[int, Counts] = field(default_factory=dict)


class IdCheck:
    """The ids of records without a report, which has each of them once."""

    def __init__(self) -> None:
        # The test and attempt, the first ordinal, the number of records that follow one another, and the line of the first.
        self._runs: list[tuple[str, int, int, int]] = [("", 0, 0, 0)]
        self._number = 0

    def add(self, summaries: Iterable[RecordSummary | None], _leaves: object, _inline: object) -> None:
        for summary in summaries:
            self._number += 1
            attempt, _, ordinal = ("", "", "0") if summary is None else summary.id.rpartition("-")
            last, first, length, line = self._runs[-1]
            if (attempt, int(ordinal), self._number) == (last, first + length, line + length):
                self._runs[-1] = (last, first, length + 1, line)
            elif attempt:
                self._runs.append((attempt, int(ordinal), 1, self._number))

    def findings(self) -> Iterator[Finding]:
        """Yield the first of the lines that have the ids of other lines."""
        last = ("", 0, 0, 0)
        for run in sorted(self._runs):
            attempt, ordinal, length, line = run
            distance = ordinal - last[1]
            if attempt == last[0] and distance < last[2]:
                first, second = sorted((line, last[3] + distance))
                yield Finding(RECORDS, f"line {second}", f"its id {attempt}-{ordinal} is that of line {first}")
            if attempt != last[0] or distance + length > last[2]:
                last = run


class FolderCheck:
    """The report in a folder, compared with its records while they are read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._report = read_document(folder / REPORT) if (folder / REPORT).is_file() else {}
        self._tree = MerkleTree()
        self._number = 0
        self._places = _places_of_tests(self._report)
        self._blocks: dict[tuple[str, str], _Block] = {}
        # The place of a test, its attempt, and the ordinal of the last record.
        self._last = (-1, 0, 0)
        self._findings: list[Finding] = []
        inline = self._report.get("comparisons")
        # The next one is the last.
        self._inline = list(enumerate(inline if isinstance(inline, list) else []))[::-1]

    def inline(self) -> frozenset[str]:
        """Return the ids of the records that report.json has too."""
        return frozenset(str(one.get("id")) for _, one in self._inline if isinstance(one, dict))

    def add(
        self, summaries: Sequence[RecordSummary | None], leaves: list[bytes], inline: Iterable[dict[str, Any]]
    ) -> None:
        """Check the next records, and those among them that report.json has too."""
        self._tree.add(leaves)
        start = self._number
        for key, group in groupby(summaries, _key_of):
            of_test = list(group)
            if key is not None and self._report:
                block = self._blocks.setdefault(key, _Block())
                block.tree.add(leaves[self._number - start :][: len(of_test)])
            for summary in of_test:
                self._number += 1
                problem = self._find_problem(key, summary)
                if problem:
                    self._findings.append(Finding(RECORDS, f"line {self._number}", problem))
        for record in inline:
            index, copy = self._inline[-1] if self._inline else (0, None)
            if isinstance(copy, dict) and copy.get("id") == record["id"]:
                self._inline.pop()
                pairs = differences(record, copy, f"comparisons[{index}]")
                self._findings += [Finding(REPORT, place, what) for place, what in pairs]

    def findings(self) -> Iterator[Finding]:
        """Yield the differences, after all records were read."""
        yield from self._findings
        if not self._report:
            yield Finding(REPORT, "file", "is missing, so nothing says which records there were")
            return
        try:
            yield from self._compare(self._report)
        except MALFORMED as error:
            yield Finding(REPORT, "form", f"is not the report of pytest-verdict: {error!r}")

    def _find_problem(self, key: tuple[str, str] | None, summary: RecordSummary | None) -> str:
        """Count a record, and return what is wrong with its id or its place."""
        if summary is None or key is None:
            return "is not a whole record"
        if not self._report:
            return ""
        attempt = summary.attempt
        ordinal = summary.ordinal
        count(self._blocks[key].attempts.setdefault(attempt, {}), summary.operator, summary.verdict)
        before = self._last
        self._last = (self._places.get(key, before[0]), attempt, ordinal)
        if key not in self._places:
            return f"{REPORT} has no such test, or its id is that of another test"
        if summary.id != f"{key[1]}-{attempt}-{ordinal}":
            return f"its id is not that of attempt {attempt}, ordinal {ordinal}"
        is_next = self._last[:2] == before[:2] and ordinal == before[2] + 1
        if not is_next and not (self._last[:2] > before[:2] and ordinal == 1):
            return f"ordinal {ordinal} of attempt {attempt} of {shown(summary.test, 80)} is not at its place"
        return ""

    def _compare(self, report: dict[str, Any]) -> Iterator[Finding]:
        for index, inline in self._inline[-1:]:
            what = f"{shown(inline.get('id'), 40)} is not in {RECORDS}, or not in this order"
            yield Finding(REPORT, f"comparisons[{index}]", what)
        run = report["run"]
        blocks = [self._blocks.get(key, _Block()) for key in self._places]
        summary = fold(
            [_summary_of(test, block, run) for test, block in zip(report["tests"], blocks, strict=True)],
            report["totals"]["tests_without_result"],
            finished="finished" in run and has_ended(run),
        )
        stored = find_stored(self._folder / RECORDS)
        digests = {
            "path": stored.name,
            "count": self._number,
            "sha256": stored_digest(stored),
            "root": self._tree.root(),
        }
        inline_lines = [json.dumps(one, separators=(",", ":")).encode() for one in report["comparisons"]]
        contents = Contents(
            summary=summary,
            run={name: value for name, value in run.items() if name not in {"seconds", "test_properties", "sha256"}},
            records=digests,
            inline=inline_lines,
            omitted=self._number - len(inline_lines),
            profile="ci",
            roots=[block.tree.root() for block in blocks],
            sections=derive_sections(report, summary, self._folder / RECORDS),
        )
        derived = json.loads("".join(json_report.write(contents)))
        yield from _compare_report(report, derived, self._folder / REPORT)
        yield from _compare_junit(contents, self._folder / JUNIT)
        for name in (SHARD, OUTPUTS):
            yield from _compare_digest(contents.run, self._folder / name)


def _key_of(summary: RecordSummary | None) -> tuple[str, str] | None:
    """Return the name of a test with the digest in the ids of its records."""
    return None if summary is None else (summary.test, summary.id.partition("-")[0])


def _places_of_tests(report: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """Return the place of each test, by its name and the digest in the ids of its records."""
    try:
        keys = [(test["test"], digest_of_test(test["test"], test.get("worker", ""))) for test in report["tests"]]
        return {key: place for place, key in enumerate(keys)}
    except MALFORMED:
        return {}


def check_manifest(path: Path, manifest: Manifest) -> Iterator[Finding]:
    """Yield what a manifest says that does not follow from its parts, which are those that it lists."""
    yield from _compare_listed(derive_manifest(path, manifest), manifest, "")


def find_unlisted_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Yield the files in the folder of the parts that the manifest does not list."""
    listed = {part.file for part in manifest.parts}
    for path in sorted((folder / PARTS).glob("*")):
        if f"{PARTS}/{path.name}" not in listed:
            yield Finding(f"{PARTS}/{path.name}", "file", f"is not listed in {MANIFEST}")


def check_part(part: Part, summaries: Iterable[RecordSummary | None], leaves: list[bytes]) -> Iterator[Finding]:
    """Yield the differences between the entry of a part in the manifest and its records."""
    counts: Counts = {}
    for summary in filter(None, summaries):
        count(counts, summary.operator, summary.verdict)
    subtrees = tuple(root.hex() for root in build_subtrees(part.before, leaves))
    derived = replace(part, records=len(leaves), counts=counts, subtrees=subtrees)
    yield from _compare_listed(derived, part, f"{part.file}, ")


def _compare_listed(derived: Manifest | Part, listed: Manifest | Part, before: str) -> Iterator[Finding]:
    # A round trip, because JSON has lists for tuples.
    documents = [json.loads(json.dumps(asdict(one))) for one in (derived, listed)]
    for place, what in differences(documents[0], documents[1], ""):
        yield Finding(MANIFEST, f"{before}{place}", what)


def _summary_of(test: dict[str, Any], block: _Block, run: dict[str, Any]) -> TestSummary:
    worker = test.get("worker", "")
    entries = []
    for number, outcome in enumerate(test["attempts"], 1):
        entry = TestEntry(test["test"], number, outcome, path=test["path"], line=test["line"], worker=worker)
        entry.comparisons = block.attempts.get(number, {})
        entries.append(entry)
    repeats = test.get("repeats")
    if repeats is not None:
        for entry in entries:
            # A process that died decides, whatever the attempts after it came to.
            entry.repeats = None if test.get("crashed") else {}
        entries[repeats["attempt"] - 1].repeats = repeats
    decisive = TestSummary(entries).decisive
    for name in _DECISIVE_MEMBERS.intersection(test):
        setattr(decisive, name, test[name])
    final = TestSummary(entries).final
    final.subtests = test.get("subtests")
    final.traits = {name: test[name] for name in TRAITS if name in test}
    unique_name = json_report.unique_name(final)
    final.properties = run.get("test_properties", {}).get(unique_name, ())
    final.microseconds = round(run["seconds"][unique_name] * 1_000_000)
    return TestSummary(entries)


def differences(expected: Any, observed: Any, place: str) -> Iterator[tuple[str, str]]:
    """Compare two JSON values; the places are those of the leaves."""
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key in [*expected, *(key for key in observed if key not in expected)]:
            inner = f"{place}.{key}" if place else key
            yield from differences(expected.get(key, ...), observed.get(key, ...), inner)
    elif isinstance(expected, list) and isinstance(observed, list):
        for index, (first, second) in enumerate(zip_longest(expected, observed, fillvalue=...)):
            yield from differences(first, second, f"{place}[{index}]")
    elif type(expected) is not type(observed) or expected != observed:
        says, follows = ("nothing" if value is ... else shown(value, 80) for value in (observed, expected))
        yield place, f"says {says}, and {follows} follows from the records"


def _compare_report(report: dict[str, Any], derived: dict[str, Any], path: Path) -> Iterator[Finding]:
    derived["run"].pop("sha256")
    report["run"].pop("sha256", None)
    # The numbers come last: one altered record changes many of them.
    pairs = sorted(differences(derived, report, ""), key=lambda pair: pair[0].startswith("numbers."))
    for place, what in pairs:
        yield Finding(REPORT, place, _FOREIGN if place == "records.sha256" else what)
    if not pairs and not json_report.has_own_digest(path.read_bytes()):
        yield Finding(REPORT, "run", "what it holds, or the form of the file, was changed: its SHA-256 is another one")


def _compare_digest(run: Mapping[str, Any], path: Path) -> Iterator[Finding]:
    """Compare a file that cannot be derived with its digest in the report."""
    recorded = run.get("files", {}).get(path.name, {}).get("sha256")
    if not path.is_file():
        if recorded is not None:
            yield Finding(path.name, "file", "is missing")
    elif recorded is None:
        yield Finding(path.name, "file", f"{REPORT} does not have its SHA-256, so it belongs to another session")
    elif recorded != stored_digest(path):
        yield Finding(path.name, "file", f"was changed: its SHA-256 is not the one in {REPORT}")


def _compare_junit(contents: Contents, path: Path) -> Iterator[Finding]:
    if path.is_file():
        text = path.read_bytes().decode("utf-8", "backslashreplace")
        # Every testcase of the profile ci has a file.
        profile: Profile = "ci" if "<testcase " not in text or _FILE.search(text) else "strict"
        place = _first_difference("".join(junit.write(replace(contents, profile=profile))), text)
        if place is not None:
            yield Finding(JUNIT, place, f"does not follow from {REPORT}")
            return
    yield from _compare_digest(contents.run, path)


def _first_difference(expected: str, observed: str) -> str | None:
    """Return the place of the first line that differs, apart from the texts that pytest showed of failures."""
    place = "testsuites"
    lines = (_SHOWN_BY_PYTEST.sub("", text).split("\n") for text in (expected, observed))
    for first, second in zip_longest(*lines, fillvalue=""):
        element = _NAMED.match(first)
        if element:
            place = f"{element.group(1)} {html.unescape(element.group(2))}"
        if first != second:
            return place
    return None
