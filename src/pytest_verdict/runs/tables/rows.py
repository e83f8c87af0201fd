"""Records as flat rows: one for each comparison and one for each of its parts."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.record import parse_record
from pytest_verdict.core.record_members import MEMBER, PLACE
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY
from pytest_verdict.errors import RecordError
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.records_file import RecordsFile, damage_told
from pytest_verdict.report.summary import VERDICTS

PARAMETER: Final = "param:"
"""What a column of a test's parameter begins with."""

_PLACE: Final = [MEMBER[name] for name in ("id", *(member.name for member in PLACE))]
_COMPARISON: Final = [MEMBER[name] for name in ("operator", "operator_version", "verdict", "error", "notes")]
_SIDES: Final = [MEMBER[name] for name in ("expected", "observed")]
_NUMBERS: Final = [MEMBER[name] for name in ("score", "threshold")]


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Read records as flat rows, for a data frame or any other table.

    A comparison is a row, and each part of it, such as a field of an answer template or a criterion, is a row of its own
    behind it, with the name of the part in ``field``. All rows have the same columns. Parameters of tests are columns as
    well, such as ``param:model``, where the path is the folder of a report.

    Args:
        path: A report's folder, or a ``records.jsonl``, also compressed.

    Returns:
        The rows, one at a time. ``expected`` and ``observed`` are texts: a text as it is, any other value as the JSON of the
        record. ``notes`` is a list of texts.

    Raises:
        RecordError: There is no such file, or a line is no record.

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
    parameters = _parameters(file.folder) if file.folder else {}
    names = sorted({name for found in parameters.values() for name in found})
    for number, line in enumerate(file.lines(), 1):
        try:
            record = parse_record(line)
            rows = [*_rows(record)]
        except (AttributeError, TypeError, RecursionError, RecordError) as error:
            raise RecordError(f"{path}: line {number} is no whole record: {error}") from None
        found = parameters.get(record.get("test", ""), {})
        columns = {f"{PARAMETER}{name}": found.get(name) for name in names}
        yield from ({**row, **columns} for row in rows)


def _rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    place = {member.name: record.get(member.name) for member in _PLACE}
    group = record.get("sources", {}).get("group")
    group = None if group is None else _as_text(group)
    for field, part in _parts(record, ""):
        if part.get("verdict") not in VERDICTS:
            raise RecordError(f"its verdict is {shown(part.get('verdict'), 80)}")
        row = {**place, "name": record.get("name"), "group": group, "field": field}
        row |= {member.name: part.get(member.name) for member in _COMPARISON}
        row |= {member.name: _as_text(part.get(member.name)) for member in _SIDES}
        row |= {member.name: member.read(part) for member in _NUMBERS}
        yield row


def _parameters(folder: Path) -> dict[str, dict[str, Any]]:
    report = folder / REPORT
    with damage_told(f"{report} is not the report of pytest-verdict"):
        tests = json.loads(report.read_bytes())["tests"] if report.is_file() else []
        return {test["test"]: test["parameters"] for test in tests if "parameters" in test}


def _parts(record: Mapping[str, Any], field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield field, record
    for part in record.get("children", ()):
        name = part.get("name", "")
        yield from _parts(part, f"{field}.{name}" if field else name)


def _as_text(encoded: Any) -> str:
    """Return a text unchanged, and any other value as JSON."""
    if isinstance(encoded, Mapping) and encoded.get(TYPE_KEY) == "redacted":
        return str(encoded.get("value"))
    return encoded if isinstance(encoded, str) else json.dumps(encoded)
