"""The lines of many records: what those of one kind share is written once, and joined to what they do not."""

import hashlib
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Path
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.writing import members_of

Array = Any

_SURFACES: Final = ("expected_surface", "observed_surface")
_PLAIN: Final = bytes(code for code in range(0x20, 0x7F) if code not in b'"\\')
_UNUSUAL: Final = r"[^ !#-\[\]-~]"


def _as_json(column: Array) -> Array:
    """Write text, without its quotes, numbers or booleans as JSON; only texts that need escapes are written one by one."""
    if column.type == pyarrow.float64():
        text = column.cast(pyarrow.string())
        point = compute.if_else(compute.match_substring(text, "."), "", ".0")
        return compute.binary_join_element_wise(text, point, "")
    if column.type != pyarrow.string():
        return column.cast(pyarrow.string())
    if bytes_of(column).translate(None, _PLAIN):
        rows = compute.match_substring_regex(column, _UNUSUAL)
        escaped = [encode_text(text)[1:-1] for text in column.filter(rows).to_pylist()]
        column = compute.replace_with_mask(column, rows, pyarrow.array(escaped, pyarrow.string()))
    return column


def plain_floats(column: Array) -> Array:
    """Leave only the floats that Arrow writes with the digits of Python, and without an exponent."""
    size = compute.abs(column)
    is_zero = compute.and_(compute.equal(size, 0.0), compute.greater(compute.divide(1.0, column), 0.0))
    is_usual = compute.and_(compute.greater_equal(size, 1e-4), compute.less(size, 1e10))
    return compute.if_else(compute.or_(is_zero, is_usual), column, pyarrow.scalar(None, pyarrow.float64()))


def bytes_of(column: Array) -> bytes:
    """Give all texts of a column, one behind the other."""
    _, offsets, content = column.buffers()
    if content is None:
        return b""
    ends = memoryview(offsets).cast("i")
    start, end = ends[column.offset], ends[column.offset + len(column)]
    found: bytes = content.slice(start, end - start).to_pybytes()
    return found


def column_of(texts: Sequence[bytes], joined: bytes) -> Array:
    """Make a column of texts in ASCII that are joined already."""
    ends = array("i", accumulate(map(len, texts), initial=0))
    return pyarrow.StringArray.from_buffers(len(texts), pyarrow.py_buffer(ends), pyarrow.py_buffer(joined))


def positions_of(kinds: Array) -> Iterator[Array]:
    """Give the positions of the rows of each kind."""
    for kind in compute.unique(kinds.drop_null()):
        yield compute.indices_nonzero(compute.equal(kinds, kind))


def numbers_from(first: int, count: int) -> Array:
    """Count on from a number."""
    return compute.add(compute.cumulative_sum(pyarrow.repeat(pyarrow.scalar(1, pyarrow.int64()), count)), first - 1)


@dataclass(frozen=True, slots=True)
class Template:
    """A record that has marks where those of other rows have something else."""

    members: str
    mark: str
    paths: Sequence[Path]

    def mark_of(self, path: Path) -> str:
        """Give the mark of a path."""
        return f'"{self.mark}{self.paths.index(path)}"'

    def lines(self, line: str, parts: Mapping[Path, Array], rows: Array | None) -> Array:
        """Write a line that has the marks for some rows, or for all."""
        columns = [parts[path] for path in self.paths]
        texts: dict[int, Array] = {}

        def text(column: Array) -> Array:
            if id(column) not in texts:
                texts[id(column)] = _as_json(column if rows is None else column.take(rows))
            return texts[id(column)]

        def between_quotes(mark: re.Match[str]) -> str:
            quote = '"' if columns[int(mark[1])].type == pyarrow.string() else ""
            return f"{quote}{self.mark}{mark[1]}/{quote}"

        # Quotes belong to the pieces in between, which all rows share.
        line = re.sub(f'"{self.mark}([0-9]+)"', between_quotes, line)
        pieces = enumerate(re.split(f"{self.mark}([0-9]+)/", line))
        found = [text(columns[int(piece)]) if place % 2 else piece for place, piece in pieces if piece]
        return compute.binary_join_element_wise(*found, "")


def template_of(operator: Operator, result: ComparisonResult, paths: Sequence[Path]) -> Template:
    """Take the record of a row as a template for those that differ in nothing but what stands at the paths."""
    # No text holds its own digest.
    mark = hashlib.sha256(result.to_members().encode("ascii")).hexdigest()
    return Template(_members(operator, result, paths, mark), mark, paths)


def _members(operator: Operator, result: ComparisonResult, paths: Sequence[Path], mark: str) -> str:
    outcome = result.outcome
    names = (*_SURFACES, "details", *(["sources"] if outcome.sources else []))
    record: dict[str, Any] = {name: getattr(outcome, name) for name in names}
    record |= {"name": result.name, "expected": result.expected, "observed": result.observed}
    for number, path in enumerate(paths):
        record = _put(record, path, f"{mark}{number}")
    sides = record.pop("expected"), record.pop("observed")
    name = record.pop("name")
    return members_of(operator.identity, replace(outcome, **record), result.threshold, name, sides, None)


def _put(value: Any, path: Path, mark: str) -> Any:
    """Put a mark where a value stands; where there is none, nothing changes."""
    if not path:
        return value if value is ABSENT else mark
    first, rest = path[0], path[1:]
    if isinstance(value, Mapping) and first in value:
        return {**value, first: _put(value[first], rest, mark)}
    if isinstance(value, list) and isinstance(first, int) and first < len(value):
        return [*value[:first], _put(value[first], rest, mark), *value[first + 1 :]]
    return value
