"""The reader of ``report.json``."""

import datetime
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.errors import RecordError, SettingsError
from pytest_verdict.report.compression import MALFORMED, find_stored
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.summary import MET, NOT_GREEN, OUTCOMES, VERDICTS, verdict_line


def _check_time(text: str) -> str:
    datetime.datetime.fromisoformat(text)
    return text


Count = Annotated[int, Field(ge=0)]
_Time = Annotated[str, AfterValidator(_check_time)]


class _Part(BaseModel):
    """A part of the report; members that a later version adds are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, value: Any) -> Any:
        # A session leaves out what it does not know.
        if isinstance(value, dict) and any(member is None for member in value.values()):
            raise ValueError("null is no value of a member")
        return value


class Test(_Part):
    __test__ = False

    test: str
    path: str
    line: int
    outcome: Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished"]
    attempts: list[str]
    message: str = ""
    worker: str = ""
    parameters: Mapping[str, str | int | float | bool] = {}
    markers: list[str] = Field(default_factory=list)
    repeats: Mapping[str, Any] = {}

    @property
    def last_attempt(self) -> int:
        """The number of the attempt whose comparisons count."""
        number: int = self.repeats.get("attempt", len(self.attempts))
        return number

    @property
    def name(self) -> str:
        """The name in the run section, which no other test has."""
        return f"{self.test} ({self.worker})" if self.worker else self.test

    @property
    def reason(self) -> str:
        return self.message or f"the test did not pass ({self.outcome})"

    @property
    def is_green(self) -> bool:
        return self.outcome not in NOT_GREEN


class _Verdicts(_Part):
    passed: Count = Field(alias="pass")
    fail: Count
    error: Count


class OperatorCounts(_Verdicts):
    operator: str


class FieldCounts(_Verdicts):
    field: str
    name: str = ""
    parameters: Mapping[str, str | int | float | bool] = {}


class Gate(_Verdicts):
    gate: str
    unit: str
    verdict: Literal["met", "missed", "error"]
    notes: list[str]
    rate: float | None = None
    interval: list[float] | None = Field(default=None, min_length=2, max_length=2)
    reason: str = ""
    tests: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_rate(self) -> "Gate":
        if (self.passed or self.fail or self.error) and (self.rate is None or self.interval is None):
            raise ValueError(f"the gate {self.gate!r} needs its rate and its interval")
        return self


def _has_all(*names: str) -> AfterValidator:
    def check(counts: dict[str, int]) -> dict[str, int]:
        if missing := [name for name in names if name not in counts]:
            raise ValueError(f"{missing[0]} is missing")
        return counts

    return AfterValidator(check)


class _Totals(_Part):
    tests: Annotated[dict[str, Count], _has_all("total", *OUTCOMES)]
    comparisons: Annotated[dict[str, Count], _has_all("total", *VERDICTS)]
    comparisons_of_earlier_attempts: Count = 0


class _Records(_Part):
    count: Count
    sha256: str
    root: str = ""


class _Git(_Part):
    commit: str
    clean: bool = False


class _Shard(_Part):
    index: int = Field(ge=1)
    of: int = Field(ge=1, le=100_000)


class _Run(_Part):
    pytest_verdict: str = ""
    pytest: str = ""
    python: str = ""
    platform: str = ""
    arguments: list[str] | None = None
    started: _Time | None = None
    finished: _Time | None = None
    exit_status: int | None = None
    seconds: Mapping[str, float] = {}
    git: _Git | None = None
    shard: _Shard | None = None
    tags: Mapping[str, str] = {}
    renamed: Mapping[str, str] = {}


class Report(StrictModel):
    model_config = ConfigDict(extra="ignore")

    subject = "the report"

    folder: Path
    root: str
    """The root directory of the tests inside the repository."""
    document: dict[str, Any]
    """The JSON document, for a command that passes members on unchanged."""
    schema_version: str = Field(pattern=r"^1\.[0-9]+$", description="a version 1 of the format, such as 1.1")
    complete: bool
    totals: _Totals
    operators: list[OperatorCounts]
    records: _Records
    tests: list[Test]
    run: _Run
    fields: list[FieldCounts] = Field(default_factory=list)
    gates: list[Gate] = Field(default_factory=list)
    numbers: dict[str, list[dict[str, Any]]] = Field(default_factory=dict)

    def place(self, path: str) -> str:
        """Return the place of a path of the report inside the repository."""
        return str(PurePosixPath(self.root.replace("\\", "/")) / path) if path else ""

    @property
    def not_green(self) -> int:
        return sum(not test.is_green for test in self.tests)

    @property
    def are_gates_met(self) -> bool:
        return all(gate.verdict == MET for gate in self.gates)

    def gate_lines(self) -> Iterator[tuple[str, bool]]:
        """Yield the line of each gate, and whether it is met."""
        for gate in self.gates:
            yield verdict_line(gate.model_dump(by_alias=True, exclude_unset=True)), gate.verdict == MET

    def milliseconds(self) -> tuple[int, int]:
        """Return start and end in milliseconds since 1970; 0 if they are unknown."""
        times = (self.run.started, self.run.finished or self.run.started)
        start, end = (int(datetime.datetime.fromisoformat(time).timestamp() * 1000) if time else 0 for time in times)
        return start, end


def read_report(folder: Path, root: str = "") -> Report:
    """Read the report of a folder; ``root`` is the root directory of the tests inside the repository."""
    for name in (REPORT, RECORDS):
        if not find_stored(folder / name).is_file():
            raise RecordError(f"{folder}: there is no {name} in this folder; name the folder of a report")
    path = folder / REPORT
    document = read_document(path)
    try:
        return Report.read({**document, "folder": folder, "root": root, "document": document})
    except SettingsError as error:
        # One problem is enough: a file of another program may have thousands.
        raise RecordError(f"{_refusal(path)}: {str(error).partition('; ')[0]}") from None


def read_document(path: Path, content: bytes | None = None) -> dict[str, Any]:
    """Read a ``report.json``, or its content, as JSON, without looking at its members."""
    try:
        document = json.loads(path.read_bytes() if content is None else content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise RecordError(_refusal(path))
    return document


def find_document(place: Path) -> dict[str, Any]:
    """Read the ``report.json`` of a folder or a ZIP file; return an empty document if it has none."""
    try:
        if place.is_dir():
            return read_document(place / REPORT)
        with zipfile.ZipFile(place) as file:
            return read_document(place, file.read(REPORT))
    except (OSError, RecordError, zipfile.BadZipFile, *MALFORMED):
        return {}


def _refusal(path: Path) -> str:
    return f"{path}: this is not the report of pytest-verdict"
