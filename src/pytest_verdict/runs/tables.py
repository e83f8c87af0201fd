"""`read_records`, records as flat rows; and ``pytest-verdict table``, which counts these rows by group.

By field, the table counts the parts of answer templates, criteria and aggregates; otherwise it counts the comparisons that
tests made, but not the decisions over rows and repeats (`pass_rate`, `row_count`). The rate has an exact 95 % interval,
and an error counts as not passed. Without --by, the output file contains the records.

exit codes:
  0  the table was written
  2  there is nothing to count, or a file cannot be read or written
"""

import argparse
import csv
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.console import complain, say
from pytest_verdict.core.new_files import writing_output
from pytest_verdict.core.record import check_record, parse_record
from pytest_verdict.core.record_members import MEMBER, PLACE
from pytest_verdict.core.values.display import visible
from pytest_verdict.core.values.encoding import TYPE_KEY
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.summary import VERDICTS, is_answer

PARAMETER: Final = "param:"
"""The prefix of a column that holds a parameter of tests."""
KEYS: Final = ("test", "function", "name", "field", "group", "operator", "note", "marker", "tag")
"""The names that comparisons can be grouped by, besides parameters of tests; the tags of scenarios are markers."""

_RECORD_COLUMNS: Final = ("id", *(member.name for member in PLACE))
_COMPARISON_COLUMNS: Final = ("operator", "operator_version", "verdict", "error")

# The columns that are lists, by the name to group by.
_LISTS: Final = {"note": "notes", "marker": "markers", "tag": "markers"}

# A spreadsheet evaluates a cell that begins with one of these as a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA: Final = tuple("=+-@\t\r")
_SUFFIXES: Final = (".csv", ".jsonl")

Rows = Iterable[Mapping[str, Any]]


class Traits(NamedTuple):
    """What a report knows of a test besides its comparisons."""

    markers: Sequence[str] = ()
    parameters: Mapping[str, Any] = {}


class Part(NamedTuple):
    """A comparison, or a part of one, as a row and as its record."""

    row: dict[str, Any]
    record: Mapping[str, Any]


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Read records as flat rows, for a data frame or any other table.

    Each comparison is a row. Each part of a comparison, such as a field of an answer template or a criterion, is a row of
    its own after it, with the name of the part in ``field``. All rows have the same columns. If the path is the folder of a
    report, ``markers`` has those of the test, and its parameters are columns too, such as ``param:model``.

    Args:
        path: A report's folder, or a ``records.jsonl``, also compressed.

    Returns:
        An iterator of rows. ``expected`` and ``observed`` are texts: a text is unchanged, any other value is the JSON of
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
    report = read_report(file.folder) if file.folder and (file.folder / REPORT).is_file() else None
    tests = report.tests if report else ()
    traits = {test.test: Traits(test.markers, test.parameters) for test in tests}
    names = parameter_names(traits)
    for number, line in enumerate(file.lines(), 1):
        try:
            record = parse_record(line)
            check_record(record)
            rows = [part.row for part in parts_of_record(record, traits, names)]
        except (RecursionError, RecordError) as error:
            raise RecordError(f"{path}: line {number} is no whole record: {error}") from None
        yield from rows


def parameter_names(traits: Mapping[str, Traits]) -> list[str]:
    return sorted({name for one in traits.values() for name in one.parameters})


def parts_of_record(record: Mapping[str, Any], traits: Mapping[str, Traits], names: Iterable[str]) -> Iterator[Part]:
    """Yield a comparison, and then each of its parts."""
    group = (record.get("sources") or {}).get("group")
    of_test = traits.get(record.get("test", ""), Traits())
    columns = {f"{PARAMETER}{name}": of_test.parameters.get(name) for name in names}
    for field, part in _parts(record, ""):
        row = {
            **{name: record.get(name) for name in _RECORD_COLUMNS},
            "name": MEMBER["name"].read(record),
            "group": None if group is None else _as_text(group),
            "field": field,
            **{name: part.get(name) for name in _COMPARISON_COLUMNS},
            "notes": part["notes"],
            "expected": _as_text(part["expected"]),
            "observed": _as_text(part["observed"]),
            "score": MEMBER["score"].read(part),
            "threshold": MEMBER["threshold"].read(part),
            "markers": list(of_test.markers),
            **columns,
        }
        yield Part(row, part)


def _parts(record: Mapping[str, Any], field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield field, record
    for part in record.get("children", ()):
        yield from _parts(part, join_fields(field, part))


def join_fields(field: str, part: Mapping[str, Any]) -> str:
    """Return the field of a part of the part that has a field."""
    return ".".join(filter(None, [field, MEMBER["name"].read(part)]))


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


def count_groups(rows: Rows, by: Sequence[str]) -> list[dict[str, Any]]:
    """Count the comparisons of each group; one with several notes or markers belongs to several groups by these."""
    verdicts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    scores: dict[tuple[str, ...], float] = defaultdict(float)
    counts_parts = "field" in by
    parameters: set[str] = set()
    for row in rows:
        # All rows have the same columns.
        parameters = parameters or {name for name in row if name.startswith(PARAMETER)}
        # By field, the parts count; otherwise the comparisons that tests made.
        if bool(row["field"]) is not counts_parts or not is_answer(row["operator"]):
            continue
        for key in keys_of(row, by):
            verdicts[key][row["verdict"]] += 1
            scores[key] += row["score"]
    for name in by:
        if name.startswith(PARAMETER) and name not in parameters:
            raise ConfigurationError(
                f"--by {name}: no test has this parameter.{allowed('parameter', name, parameters)}"
            )

    groups: list[dict[str, Any]] = []
    for key in sorted(verdicts):
        counts = verdicts[key]
        total = counts.total()
        low, high = exact_interval(counts["pass"], total)
        group: dict[str, Any] = dict(zip(by, key, strict=True))
        group |= {"comparisons": total, **{verdict: counts[verdict] for verdict in VERDICTS}}
        group |= {"rate": round(counts["pass"] / total, 6), "low": low, "high": high}
        group["score"] = round(scores[key] / total, 6)
        groups.append(group)
    return groups


def keys_of(row: Mapping[str, Any], by: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the groups of a row."""
    return itertools.product(*(_group_names(row, name) for name in by))


def _group_names(row: Mapping[str, Any], name: str) -> Sequence[str]:
    if name in _LISTS:
        return row[_LISTS[name]] or [""]
    if name == "function":
        return [str(row["test"] or "").partition("[")[0]]
    value = row.get(name)
    return ["" if value is None else str(value)]


def write_rows(rows: Rows, path: Path) -> None:
    """Write rows in the format of the suffix."""
    if path.suffix not in _SUFFIXES:
        raise ConfigurationError(f"{path}: the suffix names no format.{allowed('suffix', path.suffix, _SUFFIXES)}")
    with writing_output(path) as new, new.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(f"{json.dumps(row)}\n" for row in rows)
            return
        writer = csv.writer(file)
        for number, row in enumerate(rows):
            if number == 0:
                writer.writerow(row)
            writer.writerow([_csv_cell(cell) for cell in row.values()])


def format_markdown(rows: Rows) -> str:
    lines: list[list[str]] = []
    for row in rows:
        if not lines:
            lines = [[_markdown_cell(name) for name in row], ["---"] * len(row)]
        lines.append([_markdown_cell(cell) for cell in row.values()])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cell(cell: Any) -> str:
    text = visible(_plain(cell)).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "|`*_[]~#" else letter for letter in text)


def _plain(cell: Any) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else json.dumps(cell)


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, int | float) or cell is None:
        return cell
    text = _plain(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text


def add_file_argument(parser: argparse.ArgumentParser) -> None:
    about = "a report's folder, or a records.jsonl (default: verify-report)"
    parser.add_argument("file", metavar="DIR", nargs="?", default="verify-report", help=about)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file_argument(parser)
    names = f"names joined by commas: {', '.join(KEYS)}, {PARAMETER}NAME; for example, field,{PARAMETER}model"
    parser.add_argument("--by", metavar="NAMES", help=names)
    parser.add_argument("-o", "--output", metavar="FILE", help="a .csv or .jsonl file to write")


def run(arguments: argparse.Namespace) -> int:
    if arguments.by is None and arguments.output is None:
        complain("give --by NAMES to count comparisons, or -o FILE to write the records; for example, --by operator")
        return 2
    rows = read_records(arguments.file)
    if arguments.by is not None:
        rows = iter(count_groups(rows, parse_keys(arguments.by)))
    first = next(rows, None)
    if first is None:
        complain(f"{arguments.file}: there is no such comparison")
        return 2
    rows = itertools.chain([first], rows)
    if arguments.output is None:
        say(*format_markdown(rows).splitlines())
        return 0
    write_rows(rows, Path(arguments.output))
    say(f"written: {arguments.output}")
    return 0
