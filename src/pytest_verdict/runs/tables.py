"""Records as flat rows, and tables that count these rows by group."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.record import parse_record
from pytest_verdict.core.record_members import MEMBER, PLACE
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.summary import VERDICTS

PARAMETER: Final = "param:"
"""The prefix of a column that holds a parameter of tests."""
KEYS: Final = ("test", "function", "name", "field", "group", "operator", "note")
"""The names that comparisons can be grouped by, besides parameters of tests."""

_RECORD_COLUMNS: Final = ("id", *(member.name for member in PLACE))
_COMPARISON_COLUMNS: Final = ("operator", "operator_version", "verdict", "error")

_Cell = str | int | float | None


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Read records as flat rows, for a data frame or any other table.

    Each comparison is a row. Each part of a comparison, such as a field of an answer template or a criterion, is a row of
    its own after it, with the name of the part in ``field``. All rows have the same columns. If the path is the folder of a
    report, parameters of tests are columns too, such as ``param:model``.

    Args:
        path: A report's folder, or a ``records.jsonl``, also compressed.

    Returns:
        The rows, one at a time. ``expected`` and ``observed`` are texts: a text is unchanged, any other value is the JSON of
        the record. ``notes`` is a list of texts.

    Raises:
        RecordError: There is no such file, or a line is not a record.

    Example:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> record = {"record": 1, **compare("exact", "Paris", "paris", name="capital").to_record()}
        >>> file = Path(tempfile.mkdtemp(), "records.jsonl")
        >>> _ = file.write_text(json.dumps(record))
        >>> [(row["name"], row["verdict"], row["observed"]) for row in read_records(file)]
        [('capital', 'fail', 'paris')]
    """
    file = RecordsFile(str(path))
    parameters = _read_parameters(file.folder) if file.folder else {}
    names = sorted({name for values in parameters.values() for name in values})
    for number, line in enumerate(file.lines(), 1):
        try:
            record = parse_record(line)
            rows = list(_rows_of_record(record))
            values = parameters.get(record.get("test", ""), {})
        except (AttributeError, TypeError, RecursionError, RecordError) as error:
            raise RecordError(f"{path}: line {number} is no whole record: {error}") from None
        columns = {f"{PARAMETER}{name}": values.get(name) for name in names}
        for row in rows:
            yield {**row, **columns}


def _read_parameters(folder: Path) -> dict[str, Mapping[str, Any]]:
    if not (folder / REPORT).is_file():
        return {}
    return {test.test: test.parameters for test in read_report(folder).tests if test.parameters}


def _rows_of_record(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    group = record.get("sources", {}).get("group")
    for field, part in _parts(record, ""):
        if part.get("verdict") not in VERDICTS:
            raise RecordError(f"its verdict is {shown(part.get('verdict'), 80)}")
        yield {
            **{name: record.get(name) for name in _RECORD_COLUMNS},
            "name": record.get("name"),
            "group": None if group is None else _as_text(group),
            "field": field,
            **{name: part.get(name) for name in _COMPARISON_COLUMNS},
            "notes": part.get("notes", []),
            "expected": _as_text(part.get("expected")),
            "observed": _as_text(part.get("observed")),
            "score": MEMBER["score"].read(part),
            "threshold": MEMBER["threshold"].read(part),
        }


def _parts(record: Mapping[str, Any], field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield field, record
    for part in record.get("children", ()):
        name = part.get("name", "")
        yield from _parts(part, f"{field}.{name}" if field else name)


def _as_text(encoded: Any) -> str:
    if isinstance(encoded, Mapping) and encoded.get(TYPE_KEY) == "redacted":
        return str(encoded.get("value"))
    return encoded if isinstance(encoded, str) else json.dumps(encoded)


def parse_keys(text: str) -> list[str]:
    """Parse the argument of ``--by``: names joined by commas."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in KEYS and not (name.startswith(PARAMETER) and name != PARAMETER):
            choices = [*KEYS, f"{PARAMETER}NAME"]
            raise ConfigurationError(f"--by: unknown name {name!r}.{allowed('name', name, choices)}")
    if len(set(names)) < len(names):
        raise ConfigurationError(f"--by {text}: a name occurs twice")
    return names


def count_groups(rows: Iterable[Mapping[str, Any]], by: Sequence[str]) -> list[dict[str, _Cell]]:
    """Count the comparisons of each group; a comparison with several notes belongs to several groups by note."""
    verdicts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    scores: dict[tuple[str, ...], float] = defaultdict(float)
    counts_parts = "field" in by
    parameters: set[str] | None = None
    for row in rows:
        if parameters is None:
            # All rows have the same columns.
            parameters = {name for name in row if name.startswith(PARAMETER)}
        # By field, the parts count; otherwise the comparisons that tests made.
        if bool(row["field"]) is not counts_parts:
            continue
        for key in _group_keys(row, by):
            verdicts[key][row["verdict"]] += 1
            scores[key] += row["score"]
    for name in by:
        if name.startswith(PARAMETER) and name not in (parameters or ()):
            hint = allowed("parameter", name, parameters or ())
            raise ConfigurationError(f"--by {name}: no test has this parameter.{hint}")
    return [{**dict(zip(by, key, strict=True)), **_group_cells(verdicts[key], scores[key])} for key in sorted(verdicts)]


def _group_keys(row: Mapping[str, Any], by: Sequence[str]) -> Iterator[tuple[str, ...]]:
    notes = row["notes"] if "note" in by else []
    for note in notes or [""]:
        yield tuple(note if name == "note" else _group_name(row, name) for name in by)


def _group_name(row: Mapping[str, Any], name: str) -> str:
    if name == "function":
        return str(row["test"] or "").partition("[")[0]
    value = row.get(name)
    return "" if value is None else str(value)


def _group_cells(verdicts: Counter[str], scores: float) -> dict[str, _Cell]:
    total = verdicts.total()
    low, high = exact_interval(verdicts["pass"], total)
    return {
        "comparisons": total,
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "rate": round(verdicts["pass"] / total, 6),
        "low": low,
        "high": high,
        "score": round(scores / total, 6),
    }
