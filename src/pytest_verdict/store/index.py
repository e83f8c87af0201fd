"""The index of a run: what became of each test, in 1 to 2 kB for 500 tests, and the table of tests that it refers to.

Names, parameters and checks of tests rarely change, so many runs share one table, which is named by its digest. The name of
a run ends with the digest of its index. So a file that was altered or cut short is recognised, and pushing a run again
changes nothing.
"""

import base64
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter

from pytest_verdict.core.record import digest_of_test, parse_record, read_id
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.display import format_count, shorten
from pytest_verdict.core.values.encoding import is_replayable
from pytest_verdict.errors import ConfigurationError, RecordError, SettingsError
from pytest_verdict.report.json_report import REPORT, has_own_digest
from pytest_verdict.report.reading import Count, Report, read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.summary import is_answer, list_omissions
from pytest_verdict.runs.run import CHECK_MEMBERS, expectation_of

OUTCOME_LETTERS: Final = {
    "passed": "p",
    "failed": "f",
    "error": "e",
    "unfinished": "u",
    "skipped": "s",
    "xfailed": "x",
    "xpassed": "y",
}
DECIDED: Final = "pfe"
"""The letters that count in a rate. A skip, and a failure that a test expects, say nothing about the answers."""
_NOT_COUNTED: Final = {"skipped", "xfailed", "xpassed"}
# Three bytes, which are four letters in base64.
_DIGEST: Final = 3
_LETTERS: Final = 4
# Instead of the digest of an answer that was redacted or recorded only as its repr: two of them may be equal or not.
_UNREADABLE: Final = "----"
_MOST_CHECKS: Final = 20
# Of a digest, in the names of runs and of tables.
_NAME_LETTERS: Final = 8
_TABLE_LETTERS: Final = 16
# The index of a million tests has some ten megabytes.
_LONGEST: Final = 1 << 28

OneLetterEach = Annotated[str, Field(pattern=f"^[{''.join(OUTCOME_LETTERS.values())}]*$")]


class RunIndex(StrictModel):
    """The index of a run as it is stored; members that a later version adds are ignored."""

    model_config = ConfigDict(extra="ignore")

    subject = "the index"

    index: Literal[1]
    started: str
    commit: str = ""
    clean: bool = False
    branch: str = ""
    tags: Mapping[str, str] = {}
    renamed: Mapping[str, str] = {}
    partial: list[str] = Field(default_factory=list)
    """Why the run says nothing about all tests; such a run counts in no rate."""
    failed: list[str] = Field(default_factory=list)
    gates: list[list[str]] = Field(default_factory=list)
    bundle: bool = True
    tests: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    outcomes: OneLetterEach
    attempts: Mapping[str, Annotated[list[Count], Field(min_length=2, max_length=2)]] = {}
    """Attempts and passes of the tests, by position, that did not run exactly once."""
    answers: str
    """A digest of what each test observed, in all its attempts."""
    report: str = ""
    """The digest of the report, so equal sessions that began in the same second are different runs."""


@dataclass(frozen=True)
class TestTable:
    """The tests of runs: names, parameters, and the digests of their checks."""

    __test__ = False

    tests: Sequence[str]
    parameters: Sequence[Mapping[str, Any]]
    checks: Sequence[str]

    @cached_property
    def positions(self) -> Mapping[str, int]:
        return {test: position for position, test in enumerate(self.tests)}


_TABLE: Final = TypeAdapter(TestTable)


@dataclass(frozen=True)
class StoredRun:
    name: str
    index: RunIndex
    table: TestTable

    @property
    def summary(self) -> str:
        counts = {word: self.index.outcomes.count(letter) for word, letter in OUTCOME_LETTERS.items()}
        return ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "no tests"

    def attempts(self, test: str) -> Sequence[int]:
        """Return the numbers of attempts and of passes of a test."""
        return self.index.attempts.get(str(self.table.positions.get(test)), (1, 1))

    def answer(self, test: str) -> str:
        """Return the digest of what a test observed; empty if it compared nothing, or not all of it can be read."""
        position = self.table.positions.get(test)
        if position is None or not self.table.checks[position]:
            return ""
        answer = self.index.answers[position * _LETTERS : (position + 1) * _LETTERS]
        return "" if answer == _UNREADABLE else answer


@dataclass(slots=True)
class _TestDigests:
    checks: list[str] = field(default_factory=list)
    answers: Any = field(default_factory=hashlib.sha256)
    is_readable: bool = True


class BuiltIndex(NamedTuple):
    name: str
    report: str
    content: bytes
    table_name: str
    table: bytes


def build_index(folder: Path, tags: Mapping[str, str], *, has_bundle: bool = True) -> BuiltIndex:
    """Build the index of a report, which may get more tags, and its table of tests."""
    report = read_report(folder)
    for name, value in tags.items():
        if report.run.tags.get(name, value) != value:
            reason = f"has the tag {name}={report.run.tags[name]}, and a tag of a run has one value, got {name}={value}"
            raise ConfigurationError(f"{folder} {reason}")
    digests = _digest_records(folder, report)
    attempts: dict[str, list[int]] = {}
    for position, entry in enumerate(report.tests):
        counted = [outcome for outcome in entry.attempts if outcome not in _NOT_COUNTED]
        if len(entry.attempts) > 1:
            attempts[str(position)] = [len(counted), counted.count("passed")]
    pairs = zip(report.tests, digests.values(), strict=True)
    table = _encode(
        {
            "tests": [test.name for test in report.tests],
            "parameters": [test.parameters for test in report.tests],
            "checks": ["".join(_fold_checks(one.checks, is_passed=test.outcome == "passed")) for test, one in pairs],
        }
    )
    table_name = hashlib.sha256(table).hexdigest()[:_TABLE_LETTERS]
    git = report.document["run"].get("git", {})
    digest = report.document["run"].get("sha256", "")
    partial = list_omissions(report.document, is_complete=report.complete, within_files=False)
    if not any(test.outcome not in _NOT_COUNTED for test in report.tests):
        partial.append("no test ran")
    index = _encode(
        {
            "index": 1,
            "started": report.run.started or "",
            "commit": git.get("commit", ""),
            "clean": git.get("clean", False),
            "branch": git.get("branch", ""),
            "tags": {**report.run.tags, **tags},
            "renamed": report.run.renamed,
            "partial": partial,
            "failed": list(_failure_reasons(report)),
            "gates": [[gate.gate, gate.verdict] for gate in report.gates],
            "bundle": has_bundle,
            "tests": table_name,
            "outcomes": "".join(OUTCOME_LETTERS[test.outcome] for test in report.tests),
            "attempts": attempts,
            "answers": "".join(
                _text(test.answers.digest()) if test.is_readable else _UNREADABLE for test in digests.values()
            ),
            "report": digest,
        }
    )
    time = re.sub(r"[-:]", "", report.run.started or "0001-01-01T00:00:00")[:15]
    name = f"{time}-{hashlib.sha256(index).hexdigest()[:_NAME_LETTERS]}"
    return BuiltIndex(name, digest, _compress(index), table_name, _compress(table))


def _digest_records(folder: Path, report: Report) -> dict[str, _TestDigests]:
    """Return the digests of each test; refuse a report that was changed after the session."""
    digests = {digest_of_test(test.test, test.worker): _TestDigests() for test in report.tests}
    for line in RecordsFile(str(folder)).lines():
        record = parse_record(line)
        test = digests.get(read_id(line).split("-")[0])
        if test is None:
            raise RecordError(f"{folder}: a record belongs to no test of the report")
        test.checks.append(_digest([*(record.get(name) for name in CHECK_MEMBERS), expectation_of(record)]))
        if is_answer(record["operator"]):
            test.answers.update(_encode(record.get("observed")))
            test.is_readable = test.is_readable and is_replayable(record.get("observed"))

    if not has_own_digest((folder / REPORT).read_bytes()):
        raise RecordError(
            f"{folder}: its files were changed after the session; `pytest-verdict replay {folder}` lists what differs"
        )
    return digests


def read_index(name: str, content: bytes) -> RunIndex:
    """Read an index; raise a `RecordError` if it is torn, altered or of another program."""
    index: RunIndex = _read(RunIndex.read, content, name)
    if len(index.answers) != _LETTERS * len(index.outcomes):
        raise RecordError("it has not one answer for each test")
    if any(passed > total for total, passed in index.attempts.values()):
        raise RecordError("a test passed more often than it ran")
    return index


def read_table(name: str, content: bytes) -> TestTable:
    """Read a table of tests."""
    table: TestTable = _read(_TABLE.validate_python, content, name)
    if not len(table.tests) == len(table.parameters) == len(table.checks):
        raise RecordError("it has not one line for each test")
    return table


def _read(validate: Callable[[Any], Any], content: bytes, name: str) -> Any:
    """Read a file whose name ends with the first letters of its digest."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as file:
            text = file.read(_LONGEST)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"it is damaged: {error}") from None
    if len(text) == _LONGEST:
        raise RecordError(f"it unpacks to more than {_LONGEST:,} bytes")
    ending = name.rpartition("-")[2]
    if len(ending) < _NAME_LETTERS or not hashlib.sha256(text).hexdigest().startswith(ending):
        raise RecordError("its content does not belong to its name")
    try:
        return validate(json.loads(text))
    except (SettingsError, ValueError, RecursionError) as error:
        raise RecordError(shorten(str(error), 200)) from None


def split_digests(checks: str) -> list[str]:
    return [checks[start : start + _LETTERS] for start in range(0, len(checks), _LETTERS)]


def _fold_checks(digests: list[str], *, is_passed: bool) -> Iterator[str]:
    """Yield the digests of a test's checks; a test that failed may lack the last ones, so only a pass has the rest."""
    # Each attempt makes the same checks.
    checks = list(dict.fromkeys(digests))
    yield from checks[:_MOST_CHECKS]
    if is_passed and len(checks) > _MOST_CHECKS:
        yield _digest(checks[_MOST_CHECKS:])


def _failure_reasons(report: Report) -> Iterator[str]:
    if report.not_green:
        yield f"{format_count(report.not_green, 'test')} did not pass"
    for gate in report.gates:
        if gate.verdict != "met":
            yield f"gate {gate.gate}: {gate.verdict}"
    if report.run.exit_status not in {0, None} and not report.not_green:
        yield f"the session exited with {report.run.exit_status}"


def _encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _digest(value: Any) -> str:
    return _text(hashlib.sha256(_encode(value)).digest())


def _text(digest: bytes) -> str:
    return base64.b64encode(digest[:_DIGEST]).decode("ascii")


def _compress(text: bytes) -> bytes:
    return gzip.compress(text, mtime=0)
