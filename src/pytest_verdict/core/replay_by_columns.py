"""Many records derived again at once: their sides are read as columns, sorted by the operator, written again and compared.

What is read from a line does no harm, because a line is answered here only when the same bytes come out.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from typing import Any, Final

import pyarrow
from pyarrow import compute, json

from pytest_verdict.core.families import FAMILIES, load, load_brought
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import BEGINNING, parse_record
from pytest_verdict.core.replay import Replayed, derived, installed_for, replay_line
from pytest_verdict.core.values.encoding import decode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets.columns.arrow import (
    TYPES,
    Array,
    build_text_column as column_of,
    null_unless as taken,
    scalar as literal,
)
from pytest_verdict.datasets.columns.column_lines import (
    Template,
    build_template as template_of,
    positions_by_group as positions_of,
)
from pytest_verdict.datasets.columns.table import Path, has_column_function

# Of fewer records one after the other is faster.
_FEWEST: Final = 64
# Of longer lines, in bytes, the sources may not have the whole document.
_LONGEST: Final = 1 << 16
# Of so many at most it is looked for records in one piece.
_MOST_OPERATORS: Final = 8
_EXPECTED: Final = b',"expected":'
_TEXT_OBSERVED: Final = b',"observed":"'
_NUMBERS: Final = ("attempt", "ordinal", "line")
_AROUND: Final = {**dict.fromkeys(("id", "name", "test", "path"), str), **dict.fromkeys(_NUMBERS, int)}
_ID: Final = "^[0-9a-f]{12}-[0-9]{1,20}-[0-9]{1,20}$"


def replayed_by_columns(lines: Sequence[bytes]) -> list[Replayed | None]:
    """Give what came of the records that come out the same; nothing is said of the others."""
    found: list[Replayed | None] = [None] * len(lines)
    rest: Sequence[int] = range(len(lines))
    content = b"".join(lines)
    for _ in range(_MOST_OPERATORS):
        if len(rest) < _FEWEST:
            break
        marks = _marks(lines[rest[0]])
        # Most files have records of one operator. Then all lines have as many marks, which is seen sooner than in each.
        is_one = len(rest) == len(lines) and not any(content.count(mark) % len(lines) for mark in marks)
        numbers = rest if is_one else [number for number in rest if all(mark in lines[number] for mark in marks)]
        rest = sorted({*rest}.difference(numbers)) if len(numbers) < len(rest) else ()
        chosen = lines if is_one else [lines[number] for number in numbers]
        # Whatever a record breaks, who reads it with care says so.
        with suppress(Exception):
            for rows, answers in _of_operator(chosen, content if is_one else b"".join(chosen)):
                for row, answer in zip(rows, answers, strict=True):
                    found[numbers[row]] = answer
    return found


def _marks(line: bytes) -> tuple[bytes, bytes]:
    """Give what records of one operator have whose sides are texts, or anything else; in evidence the quotes are escaped."""
    start, end = line.find(b',"operator":'), line.find(_EXPECTED) + len(_EXPECTED)
    expected = line[start : end + (line[end : end + 1] == b'"')]
    return expected, _TEXT_OBSERVED if _TEXT_OBSERVED in line else _TEXT_OBSERVED[:-1]


def _of_operator(lines: Sequence[bytes], content: bytes) -> Iterator[tuple[list[int], Iterator[Replayed]]]:
    record = parse_record(lines[0])
    operator, _ = installed_for(record)
    is_taken = has_column_function(operator) and operator.compares_recorded_form
    if not is_taken or len(lines) < _FEWEST or max(map(len, lines)) > _LONGEST:
        return
    columns = _columns(content, _types(operator, record, parse_record(lines[-1])))
    there = column_of(map(len, lines), content)
    if len(columns["id"]) != len(there):
        return
    function = load_brought("column_functions", operator.name)
    found = function and function(_sorter(operator, record), columns.get("expected"), columns["observed"])
    if found is None:
        return
    parts: dict[Path, Array] = {(name,): column for name, column in columns.items()}
    parts |= {("sources", *path): columns[side] for side, path in _paths(record).items()}
    parts |= found.parts
    for where in positions_of(taken(found.groups, _are_places(columns))):
        if len(where) >= _FEWEST:
            rows = _identical(operator, record, lines, there, parts, where)
            ids = columns["id"].take(rows).to_pylist()
            tests = columns["test"].take(rows).to_pylist() if "test" in columns else repeat(record["test"])
            told = zip(ids, repeat("identical"), repeat(""), tests, repeat(operator.recorded_name()), repeat(()))
            yield rows.to_pylist(), map(Replayed._make, told)


def _types(operator: Operator, first: Mapping[str, Any], last: Mapping[str, Any]) -> dict[str, Any]:
    """Name what is read: both sides, and what is not the same in the first and the last record."""
    place = {name: kind for name, kind in _AROUND.items() if first.get(name) != last.get(name)}
    is_column = operator.given_instead is ABSENT and type(first["expected"]) in TYPES
    sides = {side: type(first[side]) for side in ("expected", "observed")[not is_column :]}
    return {name: TYPES[kind] for name, kind in (place | sides).items()}


def _sorter(operator: Operator, record: Mapping[str, Any]) -> Operator:
    """Give an operator that knows what is expected, where that is no column."""
    if operator.given_instead is not ABSENT or type(record["expected"]) in TYPES:
        return operator
    (setting,) = operator.instead_of_expected
    return operator.model_copy(update={setting: decode(record["expected"])})


def _columns(content: bytes, types: Mapping[str, Any]) -> dict[str, Array]:
    table = json.read_json(
        pyarrow.BufferReader(content),
        json.ReadOptions(use_threads=False, block_size=len(content) + 1),
        json.ParseOptions(explicit_schema=pyarrow.schema(types), unexpected_field_behavior="ignore"),
    )
    return {name: table.column(name).combine_chunks() for name in types}


def _paths(record: Mapping[str, Any]) -> Mapping[str, Path]:
    """Say where in the sources the inputs stand, if anything was extracted."""
    if "sources" not in record:
        return {}
    sources = record["sources"]
    found: Mapping[str, Path] = load(str(FAMILIES.find("derived_columns", sources["kind"])))(sources)
    return found


def _are_places(columns: Mapping[str, Array]) -> Array:
    checks = [compute.match_substring_regex(columns["id"], _ID)]
    checks += [compute.greater_equal(columns[name], literal(0)) for name in _NUMBERS if name in columns]
    return functools.reduce(compute.and_, checks)


def _identical(
    operator: Operator,
    around: Mapping[str, Any],
    lines: Sequence[bytes],
    there: Array,
    parts: Mapping[Path, Array],
    where: Array,
) -> Array:
    """Write records of one kind as the first of them, which the kernel has to confirm like the last."""
    first, last = lines[where[0].as_py()], lines[where[-1].as_py()]
    template = template_of(operator, derived(first, parse_record(first), operator), [*parts])
    rows = None if len(where) == len(there) else where
    written = template.fill(_line(template, around), parts, rows)
    same = compute.equal(written, there if rows is None else there.take(rows))
    confirmed = [replay_line(line).status == "identical" for line in (first, last)]
    if confirmed != [True, same[-1].as_py()]:
        return where[:0]
    return where.filter(same)


def _line(template: Template, around: Mapping[str, Any]) -> str:
    def part(name: str) -> str:
        return template.placeholder((name,)) if (name,) in template.paths else encode_text(around[name])

    place = ",".join(f'"{name}":{part(name)}' for name in ("test", "attempt", "ordinal", "path", "line"))
    return f"{BEGINNING[:-1]}{part('id')},{template.members},{place}}}\n"
