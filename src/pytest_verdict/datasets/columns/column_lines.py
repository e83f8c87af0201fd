"""The lines of many records: what those of one kind share is written once, and joined to what they do not."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Path
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import encode_comparison
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets.columns.arrow import FLOAT, TEXT, Array, column, literal

_SURFACES: Final = ("expected_surface", "observed_surface")
_PLAIN: Final = bytes(code for code in range(0x20, 0x7F) if code not in b'"\\')
_UNUSUAL: Final = r"[^ !#-\[\]-~]"


def _as_json(found: Array) -> Array:
    """Write text, without its quotes, numbers or booleans as JSON; only texts that need escapes are written one by one."""
    if found.type == FLOAT:
        text = found.cast(TEXT)
        point = compute.if_else(compute.match_substring(text, "."), literal(""), literal(".0"))
        return compute.binary_join_element_wise(text, point, literal(""))
    if found.type != TEXT:
        return found.cast(TEXT)
    if bytes_of(found).translate(None, _PLAIN):
        rows = compute.match_substring_regex(found, _UNUSUAL)
        escaped = [encode_text(text)[1:-1] for text in found.filter(rows).to_pylist()]
        found = compute.replace_with_mask(found, rows, column(escaped, TEXT))
    return found


def bytes_of(column: Array) -> bytes:
    """Give all texts of a column, one behind the other."""
    _, offsets, content = column.buffers()
    if content is None:
        return b""
    ends = memoryview(offsets).cast("i")
    start, end = ends[column.offset], ends[column.offset + len(column)]
    found: bytes = content.slice(start, end - start).to_pybytes()
    return found


def positions_of(kinds: Array) -> Iterator[Array]:
    """Give the positions of the rows of each kind."""
    for kind in compute.unique(kinds.drop_null()):
        yield compute.indices_nonzero(compute.equal(kinds, kind))


def numbers_from(first: int, count: int) -> Array:
    """Count on from a number."""
    return compute.add(compute.cumulative_sum(pyarrow.repeat(literal(1), count)), literal(first - 1))


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

        before, *rest = line.split(f'"{self.mark}')
        pieces: list[Any] = []
        for part in rest:
            number, _, after = part.partition('"')
            found = columns[int(number)]
            # Quotes belong to the pieces in between, which all rows share.
            quote = '"' if found.type == TEXT else ""
            pieces += literal(before + quote), text(found)
            before = quote + after
        return compute.binary_join_element_wise(*pieces, literal(before), literal(""))


def template_of(operator: Operator, result: ComparisonResult, paths: Sequence[Path]) -> Template:
    """Return the record of a row as a template for records that differ from it only at the paths."""
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
    content = result.content()._replace(
        identity=operator.identity,
        expected=record.pop("expected"),
        observed=record.pop("observed"),
        name=record.pop("name"),
        outcome=outcome.replace(**record),
    )
    return encode_comparison(content).members


def _put(value: Any, path: Path, mark: str) -> Any:
    """Replace the value at a path by a mark; a value without the path does not change."""
    if not path:
        return value if value is ABSENT else mark
    first, rest = path[0], path[1:]
    if isinstance(value, Mapping) and first in value:
        return {**value, first: _put(value[first], rest, mark)}
    if isinstance(value, list) and isinstance(first, int) and first < len(value):
        return [*value[:first], _put(value[first], rest, mark), *value[first + 1 :]]
    return value
