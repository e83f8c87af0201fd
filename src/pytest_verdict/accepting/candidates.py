"""The comparisons of a run that did not pass, and whether and where their observed values can be accepted."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.accepting.file import SUFFIX, file_of, naming_file, read_accepted
from pytest_verdict.accepting.places import (
    FORMS,
    MALFORMED,
    AcceptedFile,
    EditedFile,
    LiteralFile,
    Place,
)
from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.replay import Unverifiable, find_operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text, is_replayable
from pytest_verdict.core.values.redaction import REDACTED, REDACTED_VALUE
from pytest_verdict.core.values.yaml import decode_text
from pytest_verdict.errors import RecordError, SettingsError
from pytest_verdict.extraction.paths import only_key
from pytest_verdict.report.summary import PASSED

# Operators whose expected value is one that the observed value may be. With others it is a pattern, a schema, a part, a limit
# or a list of choices, which no answer replaces.
_VALUE_OPERATORS: Final = frozenset(
    {
        *("exact", "normalized_exact", "text_similarity", "semantic", "boolean", "literal"),
        *("numeric_exact", "numeric_tolerance", "date_match", "date_tolerance"),
        *("set_containment", "set_similarity", "ordered_match"),
        *("json_canonical", "json_subset", "json_distance", "by_field"),
        *("trajectory_exact", "trajectory_in_order", "trajectory_any_order", "trajectory_similarity"),
        *("trajectory_precision", "trajectory_recall", "trajectory_f1"),
    }
)


@dataclass(frozen=True)
class Candidate:
    """A comparison that did not pass, and the file and the place of its expected value, or why these are not known."""

    record: Mapping[str, Any]
    place: Place
    file: EditedFile | None
    problem: str = ""

    @property
    def test(self) -> str:
        return str(self.record["test"])

    @property
    def label(self) -> str:
        return f"{self.test} {self.result.name or self.result.operator}"

    @functools.cached_property
    def result(self) -> ComparisonResult:
        return ComparisonResult.from_record(self.record)

    def refusal(self) -> str:
        """Return why the observed value cannot be accepted; empty if it can."""
        if self.file is None:
            return self.problem
        if REDACTED_VALUE in json.dumps(self.record["observed"], separators=(",", ":")) or REDACTED in str(self.place):
            return "a part of it is redacted"
        if not is_replayable(self.record["observed"]):
            return "the report has only its repr"
        try:
            if self.result.negated:
                return "the test expects that it does not match"
            operator = self._operator
            if operator is not None and operator.evaluate_is_pure and operator.name not in _VALUE_OPERATORS:
                name = operator.recorded_name()
                return f"{name} expects no value such as the observed one; change the test or its file"
            changed = self._compare(self.result.observed)
            if changed is not None and changed.verdict != "pass":
                return f"the comparison would not pass with it: {changed.error or ', '.join(changed.notes)}"
            return self.file.refusal(self.place.keys, self.result.expected, self.result.observed)
        except MALFORMED as error:
            return _describe_error(error)

    def matches(self, expected: Any) -> bool:
        """Return whether the comparison would pass with another expected value."""
        changed = self._compare(expected)
        if changed is None:
            return encode_text(expected) == encode_text(self.result.observed)
        return changed.verdict == "pass"

    def _compare(self, expected: Any) -> ComparisonResult | None:
        """Compare with another expected value; return None if that needs a model or a session."""
        operator = self._operator
        if operator is None or operator.asks_model:
            return None
        return run(operator, expected, self.result.observed, self.result.threshold)

    @functools.cached_property
    def _operator(self) -> Operator | None:
        """The installed operator; None for one of a conftest.py, which only the session knows."""
        try:
            return find_operator(dict(self.record)).operator
        except Unverifiable:
            return None


class Rows(NamedTuple):
    """A data set: its file, the line of each row by its name, and the key of the expected value."""

    path: Path
    lines: Mapping[str, int]
    column: str | None


class Candidates:
    """Finds candidates below a root directory, and the files that they change."""

    def __init__(self, root: Path, rows: Rows | None = None) -> None:
        self.root = root
        self._rows = rows
        self.files: dict[Path, EditedFile] = {}
        self.originals: dict[Path, bytes | None] = {}

    def find(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Candidate]:
        """Yield a candidate for each record that has its expected value in a file."""
        for record in records:
            try:
                place = self._place_of(record)
                if place is not None:
                    yield Candidate(record, place, self.open(place.path))
            except MALFORMED as error:
                yield Candidate(record, Place(self.root, ()), None, _describe_error(error))

    def open(self, path: Path) -> Any:
        """Return the file at a path, with the changes so far."""
        if path not in self.files:
            if path.suffix.lower() not in FORMS:
                raise RecordError(f"{path.name}: values of this kind of file are not changed; JSONL, CSV and YAML are")
            content = path.read_bytes() if path.exists() else None
            with naming_file(str(path)):
                text = decode_text(content or b"")
                if path.name.endswith(SUFFIX):
                    self.files[path] = AcceptedFile(text)
                else:
                    self.files[path] = LiteralFile(text, path.suffix.lower())
            self.originals[path] = content
        return self.files[path]

    def _place_of(self, record: Mapping[str, Any]) -> Place | None:
        accepted = record.get("accepted")
        test = str(record.get("test"))
        module, _, inner = test.partition("::")
        if isinstance(accepted, Mapping):
            path = path_below(self.root, str(accepted.get("file")))
            module_path = path_below(self.root, module)
            if file_of(module_path) != path or not module_path.is_file():
                hint = "run the command in the root directory of the tests, or name it with --root"
                raise RecordError(f"there is no test module {module!r:.200} below {self.root}; {hint}")
            position = accepted.get("entry")
            keys = (str(accepted.get("test")), str(record.get("name")), None if position is None else int(position) - 1)
            return Place(path, keys)
        if self._rows is not None:
            return self._place_in_rows(self._rows, record)
        if module.endswith((".yaml", ".yml")):
            return self._place_in_suite(path_below(self.root, module), inner, record)
        return None

    def _place_in_rows(self, rows: Rows, record: Mapping[str, Any]) -> Place | None:
        # A test by the marker verdict_cases has the name of its row in brackets.
        names = (str(record.get("name")), str(record["test"]).rpartition("[")[2].removesuffix("]"))
        line = next((rows.lines[name] for name in names if name in rows.lines), None)
        mapping = (record.get("sources") or {}).get("mapping", {})
        column = rows.column or _column_of(mapping.get("expected"))
        if line is None or column is None:
            return None
        return self._place_of_row(rows.path, line, column)

    def _place_in_suite(self, path: Path, scenario: str, record: Mapping[str, Any]) -> Place | None:
        """Return the place of the expected output of a scenario, in the suite or in its data set."""
        if not path.is_file():
            raise RecordError(f"there is no suite {path.name!r:.200} below {self.root}")
        content = self.open(path).form.document.value
        suite = content.get("suite") or {}
        for keys, parent in (((), content), (("suite",), suite)):
            for position, entry in enumerate(parent.get("scenarios") or ()):
                if entry.get("name") == scenario and "expected_output" in entry:
                    return Place(path, (*keys, "scenarios", position, "expected_output"))
        dataset = suite.get("dataset") or {}
        rows = path_below(self.root, str(record["path"]))
        if "file" in dataset and rows == (path.parent / dataset["file"]).resolve():
            column = _column_of(dataset.get("mapping", {}).get("expected_output", "$.expected_output"))
            if column is not None:
                return self._place_of_row(rows, int(record["line"]), column)
        return None

    def _place_of_row(self, path: Path, line: int, column: str) -> Place:
        if path.suffix.lower() in {".yaml", ".yml"}:
            return Place(path, (self.open(path).form.document.lines_of_items(()).index(line), column))
        return Place(path, (line, column))


def _describe_error(error: Exception) -> str:
    if isinstance(error, RecordError):
        return str(error)
    return "its place is no longer in the file: it has changed since"


def path_below(root: Path, name: str) -> Path:
    """Return the path of a file that a report names; refuse one outside of the root directory, also behind a link."""
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise RecordError(f"{name!r:.200} is outside of the root directory {root}")
    return path


def find_unused(
    root: Path, tests: Mapping[str, str], records: Iterable[Mapping[str, Any]]
) -> list[tuple[Path, str, str]]:
    """Return the accepted values that no record of a session used: file, test and name; ``tests`` has outcomes by test."""
    used = set()
    for record in records:
        accepted = record.get("accepted")
        if isinstance(accepted, Mapping):
            used.add((str(accepted.get("file")), str(accepted.get("test")), str(record.get("name"))))
    unused = []
    modules = dict.fromkeys(test.partition("::")[0] for test in tests)
    # A module that could not be collected or was skipped is a test without a name.
    for module in modules.keys() - tests.keys():
        path = file_of(path_below(root, module))
        file = path.relative_to(root).as_posix()
        for test, entries in read_accepted(path, file).items():
            # A test that did not pass may not have come to all of its comparisons.
            if tests.get(f"{module}::{test}", PASSED) == PASSED:
                unused += [(path, test, name) for name in entries if (file, test, name) not in used]
    return unused


def _column_of(source: Any) -> str | None:
    """Return the column of an input of a mapping: a path of one key without steps."""
    if isinstance(source, Mapping) and not source.keys() - {"path"}:
        source = source["path"]
    try:
        return only_key(source) if isinstance(source, str) else None
    except SettingsError:
        return None
