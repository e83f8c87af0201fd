"""The lines of many records from columns: what a group of records shares is written once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow
from pyarrow import compute

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import encode_comparison
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets.columns.arrow import FLOAT, TEXT, Array, build_column, scalar
from pytest_verdict.datasets.columns.table import Path

_SURFACES: Final = ("expected_surface", "observed_surface")
_PLAIN: Final = bytes(code for code in range(0x20, 0x7F) if code not in b'"\\')
_NOT_PLAIN: Final = r"[^ !#-\[\]-~]"


@dataclass(frozen=True, slots=True)
class Template:
    """A record with placeholders where the other records of its group have other values."""

    members: str
    mark: str
    paths: Sequence[Path]

    def placeholder(self, path: Path) -> str:
        """Return the placeholder of a path."""
        return f'"{self.mark}{self.paths.index(path)}"'

    def fill(self, line: str, parts: Mapping[Path, Array], positions: Array | None) -> Array:
        """Write a line with placeholders for the rows at some positions, or for all rows."""
        columns = [parts[path] for path in self.paths]
        json_of: dict[int, Array] = {}

        def as_json(column: Array) -> Array:
            if id(column) not in json_of:
                json_of[id(column)] = _to_json(column if positions is None else column.take(positions))
            return json_of[id(column)]

        before, *rest = line.split(f'"{self.mark}')
        pieces: list[Any] = []
        for part in rest:
            number, _, after = part.partition('"')
            values = as_json(columns[int(number)])
            # Quotes belong to the pieces in between, which all rows share.
            quote = '"' if columns[int(number)].type == TEXT else ""
            pieces += scalar(before + quote), values
            before = quote + after
        return compute.binary_join_element_wise(*pieces, scalar(before), scalar(""))


def build_template(operator: Operator, result: ComparisonResult, paths: Sequence[Path]) -> Template:
    """Build the template of a group from the record of one row and the paths at which its records differ."""
    # No text contains its own digest.
    mark = hashlib.sha256(result.to_members().encode("ascii")).hexdigest()

    outcome = result.outcome
    record: dict[str, Any] = {name: getattr(outcome, name) for name in (*_SURFACES, "details")}
    content = result.content()
    record |= {name: getattr(content, name) for name in ("name", "expected", "observed", "sources")}
    for number, path in enumerate(paths):
        record = _replace_at(record, path, f"{mark}{number}")

    content = content._replace(
        identity=operator.identity,
        expected=record.pop("expected"),
        observed=record.pop("observed"),
        name=record.pop("name"),
        sources=record.pop("sources"),
        outcome=outcome.replace(**record),
    )
    return Template(encode_comparison(content).members, mark, paths)


def _replace_at(value: Any, path: Path, placeholder: str) -> Any:
    """Return a copy with a placeholder at a path, or the same value if it has no such path."""
    if not path:
        return value if value is ABSENT else placeholder
    first, rest = path[0], path[1:]
    if isinstance(value, Mapping) and first in value:
        return {**value, first: _replace_at(value[first], rest, placeholder)}
    if isinstance(value, list) and isinstance(first, int) and first < len(value):
        return [*value[:first], _replace_at(value[first], rest, placeholder), *value[first + 1 :]]
    return value


def _to_json(column: Array) -> Array:
    """Write texts, without their quotes, numbers or booleans as JSON."""
    if column.type == FLOAT:
        text = column.cast(TEXT)
        point = compute.if_else(compute.match_substring(text, "."), scalar(""), scalar(".0"))
        return compute.binary_join_element_wise(text, point, scalar(""))
    if column.type != TEXT:
        return column.cast(TEXT)
    if not join_texts(column).translate(None, _PLAIN):
        return column

    needs_escapes = compute.match_substring_regex(column, _NOT_PLAIN)
    escaped = [encode_text(text)[1:-1] for text in column.filter(needs_escapes).to_pylist()]
    return compute.replace_with_mask(column, needs_escapes, build_column(escaped, TEXT))


def join_texts(column: Array) -> bytes:
    """Join all texts of a column."""
    _, offsets, content = column.buffers()
    if content is None:
        return b""
    ends = memoryview(offsets).cast("i")
    start = ends[column.offset]
    end = ends[column.offset + len(column)]
    joined: bytes = content.slice(start, end - start).to_pybytes()
    return joined


def positions_by_group(groups: Array) -> Iterator[Array]:
    """Yield the positions of the rows of each group."""
    for group in compute.unique(groups.drop_null()):
        yield compute.indices_nonzero(compute.equal(groups, group))


def build_range(first: int, count: int) -> Array:
    """Build a column of consecutive integers."""
    ones = pyarrow.repeat(scalar(1), count)
    return compute.add(compute.cumulative_sum(ones), scalar(first - 1))
