"""The comparisons of a run that did not pass, and whether and where their observed values can be accepted."""

from __future__ import annotations

import datetime
import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_verdict.accepting.editing import DELIMITERS, MALFORMED, AcceptedFile, LiteralFile, Place, RowFile, YamlFile
from pytest_verdict.accepting.file import SUFFIX, file_of, naming_file, read_accepted
from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.replay import Unverifiable, find_operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import decode, dump_json, encode_text, is_replayable
from pytest_verdict.core.values.redaction import REDACTED, REDACTED_VALUE
from pytest_verdict.core.values.yaml import decode_text
from pytest_verdict.datasets.rows import read_named_rows
from pytest_verdict.errors import MappingError, RecordError, SettingsError
from pytest_verdict.extraction.input_mapping import mapping_of, read_input, write_source
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

_YAML: Final = (".yaml", ".yml")


@dataclass(frozen=True)
class Candidate:
    """A comparison that did not pass, and the file and the place of its expected value, or why these are not known."""

    record: Mapping[str, Any]
    place: Place
    file: AcceptedFile | LiteralFile | None
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


class Rows:
    """The rows of a data set by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.by_line = {int(row.place.rpartition(":")[2]): row.value for row in read_named_rows(path)}
        self._lines: dict[Any, dict[str, list[int]]] = {}

    def find_line(self, record: Mapping[str, Any]) -> int | None:
        """Return the line of the row that was compared, by its values; None if the record has none."""
        sources = record.get("sources") or {}
        if "expected" not in sources.get("mapping", {}):
            return None
        keys, document = _read_document(sources)
        if keys not in self._lines:
            lines = self._lines[keys] = {}
            for line, value in self.by_line.items():
                lines.setdefault(_write_document(value, keys), []).append(line)
        alike = self._lines[keys].get(document, [])
        if not alike:
            raise RecordError("the row in the file is not the one of the record: it has changed since")
        named = [line for line in alike if record.get("name") == f"{self.path.name}:{line}"] or alike
        if len(named) > 1:
            raise RecordError(f"{self.path.name} has {len(named)} rows with the values of the record")
        return named[0]


class Candidates:
    """Finds candidates below a root directory, and the files that they change."""

    def __init__(self, root: Path, rows: Rows | None = None) -> None:
        self.root = root
        self._rows = rows
        self._datasets: dict[Path, Rows] = {}
        self.files: dict[Path, AcceptedFile | LiteralFile] = {}
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
            suffix = path.suffix.lower()
            content = path.read_bytes() if path.exists() else None
            with naming_file(str(path)):
                text = decode_text(content or b"")
                if path.name.endswith(SUFFIX):
                    self.files[path] = AcceptedFile(text)
                elif suffix in _YAML:
                    self.files[path] = YamlFile(text)
                elif suffix in DELIMITERS:
                    self.files[path] = RowFile(text, DELIMITERS[suffix])
                else:
                    raise RecordError(f"{path.name}: only JSONL, CSV and YAML files are changed")
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
                hint = "run the command in the root directory of the tests"
                raise RecordError(f"there is no test module {module!r:.200} below {self.root}; {hint}")
            position = accepted.get("entry")
            keys = (str(accepted.get("test")), str(record.get("name")), None if position is None else int(position) - 1)
            return Place(path, keys)
        if self._rows is not None:
            mapping = (record.get("sources") or {}).get("mapping", {})
            column = _column_of(mapping.get("expected"))
            line = None if column is None else self._rows.find_line(record)
            return None if line is None or column is None else self._place_of_row(self._rows.path, line, column)
        if module.endswith(_YAML):
            return self._place_in_suite(path_below(self.root, module), inner, record)
        return None

    def _place_in_suite(self, path: Path, scenario: str, record: Mapping[str, Any]) -> Place | None:
        """Return the place of the expected output of a scenario, in the suite or in its data set."""
        if not path.is_file():
            raise RecordError(f"there is no suite {path.name!r:.200} below {self.root}")
        content = self.open(path).document.value
        suite = content.get("suite") or {}
        for keys, parent in (((), content), (("suite",), suite)):
            for position, entry in enumerate(parent.get("scenarios") or ()):
                if entry.get("name") == scenario and "expected_output" in entry:
                    _check_question(record, entry.get("input"))
                    return Place(path, (*keys, "scenarios", position, "expected_output"))
        dataset = suite.get("dataset") or {}
        rows = path_below(self.root, str(record["path"]))
        mapping = dataset.get("mapping") or {key: f"$.{key}" for key in ("input", "expected_output")}
        column = _column_of(mapping.get("expected_output"))
        if column is None or "file" not in dataset or rows != (path.parent / dataset["file"]).resolve():
            return None
        if rows not in self._datasets:
            self._datasets[rows] = Rows(rows)
        line = int(record["line"])
        try:
            question = read_input("input", mapping["input"])(self._datasets[rows].by_line[line])
        except MappingError:
            question = None
        _check_question(record, question)
        return self._place_of_row(rows, line, column)

    def _place_of_row(self, path: Path, line: int, column: str) -> Place:
        if path.suffix.lower() in _YAML:
            return Place(path, (self.open(path).document.lines_of_items(()).index(line), column))
        return Place(path, (line, column))


def _check_question(record: Mapping[str, Any], question: Any) -> None:
    """Raise RecordError if a record answers another question, as far as it has one."""
    sources = record.get("sources") or {}
    if sources.get("kind") == "scenario":
        keys, document = _read_document(sources)
        if _write_document({"input": question}, keys) != document:
            raise RecordError("the question in the file is not the one of the record: it has changed since")


def _read_document(sources: Mapping[str, Any]) -> tuple[tuple[Any, ...] | None, str]:
    """Return the keys that the sources of a record have of its document, None for all, and the document or its digest."""
    document = {name: value for name, value in sources.items() if name.startswith("document")}
    text = dump_json(document)
    if REDACTED_VALUE in text:
        raise RecordError("a part of its row or question is redacted in the report")
    if "document" in sources:
        value = decode(sources["document"])
        return tuple(value) if isinstance(value, dict) else None, text
    keys = mapping_of(encode_text(decode(sources["mapping"]))).keys if "mapping" in sources else None
    return None if keys is None else tuple(keys), text


def _write_document(document: Any, keys: tuple[Any, ...] | None) -> str:
    """Write a document as sources have it."""
    if isinstance(document, dict) and keys is not None:
        document = {key: document[key] for key in keys if key in document}
    return dump_json(json.loads("{" + write_source("document", document) + "}"))


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


def is_changed_since(session: Mapping[str, Any], path: Path) -> bool:
    """Return whether a file of accepted values or its module is not the one of a session; ``session`` is its ``run``."""
    files = [path, path.with_name(f"{path.name.removesuffix(SUFFIX)}.py")]
    try:
        started = datetime.datetime.fromisoformat(str(session.get("started"))).timestamp()
    except ValueError:
        return True
    # The time of the session has no fractions of a second.
    return any(int(file.stat().st_mtime) > started for file in files if file.exists())


def _column_of(source: Any) -> str | None:
    """Return the column of an input of a mapping: a path of one key without steps."""
    if isinstance(source, Mapping) and not source.keys() - {"path"}:
        source = source["path"]
    try:
        return only_key(source) if isinstance(source, str) else None
    except SettingsError:
        return None
