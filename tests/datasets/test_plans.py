"""The pieces of a plan have the rows of the whole data set, with the same numbers."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pytest_verdict.datasets.rows import read_named_rows
from pytest_verdict.datasets.units import plan_pieces, read_piece
from pytest_verdict.errors import ConfigurationError

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b" \n", b""])
JSON_LINES = st.sampled_from(
    [b'{"a":1}', b'{"a":"\xc3\xa9 \xe2\x80\xa8 x"}', b"", b"  ", b"{", b"\xff", b'"a\\nb"', b"\xef\xbb\xbf", b"[1,2]"]
)
CSV_LINES = st.sampled_from(
    [b"1,2", b"a,\xc3\xa9", b"", b" ", b"1", b"\xff,2", b'"1,2', b'"a",b', b"\xef\xbb\xbf", b"\0,1"]
)


def documents(lines, header=b""):
    pieces = st.lists(st.tuples(lines, ENDS), max_size=12)
    return st.tuples(st.sampled_from([b"", b"\xef\xbb\xbf"]), pieces).map(
        lambda found: found[0] + header + b"".join(line + end for line, end in found[1])
    )


def rows_of(source):
    try:
        rows = [(place.rpartition(":")[2], repr(value), error) for place, _, value, error in read_named_rows(source)]
    except ConfigurationError as error:
        return str(error)
    return rows


def planned(path: Path, most: int):
    """Read the pieces of a plan one after another, and look at their numbers on the way."""
    rows, before = [], 0
    try:
        pieces = plan_pieces(path, most)
    except ConfigurationError as error:
        # The rows of a whole file are counted.
        return str(error)
    for piece in pieces:
        found = rows_of(read_piece(piece))
        if isinstance(found, str):
            return found
        assert (piece.before, piece.rows) == (before, len(found))
        before += len(found)
        rows += found
    return rows


@pytest.mark.ci
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(content=documents(JSON_LINES), most=st.integers(1, 5))
def test_pieces_of_json_lines_are_the_whole(tmp_path, content, most):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    assert planned(path, most) == rows_of(path)
    assert {piece.sha256 for piece in plan_pieces(path, most)} == {hashlib.sha256(content).hexdigest()}


@pytest.mark.ci
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(content=documents(CSV_LINES, b"a,b\n"), most=st.integers(1, 5), suffix=st.sampled_from(["csv", "tsv"]))
def test_pieces_of_csv_are_the_whole(tmp_path, content, most, suffix):
    path = tmp_path / f"rows.{suffix}"
    path.write_bytes(content)
    assert planned(path, most) == rows_of(path)


def test_csv_with_quotes_is_one_piece(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b'a,b\n1,2\n"3\n4",5\n')
    assert [piece.stop for piece in plan_pieces(path, 1)] == [0]
    path.write_bytes(b"a,b\n1,2\n3,5\n")
    assert [(piece.start, piece.stop, piece.line) for piece in plan_pieces(path, 1)] == [(4, 8, 2), (8, 12, 3)]


@pytest.mark.parametrize("most", [1, 3, 4, 100])
@pytest.mark.parametrize("kind", ["parquet", "file", "stream"])
def test_pieces_of_arrow_are_the_whole(tmp_path, kind, most):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table, sink = pyarrow.table({"a": [*range(10)], "b": [*"abcdefghij"]}), io.BytesIO()
    if kind == "parquet":
        parquet.write_table(table, sink, row_group_size=2)
    else:
        maker = pyarrow.ipc.new_file if kind == "file" else pyarrow.ipc.new_stream
        with maker(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    path = tmp_path / ("rows.parquet" if kind == "parquet" else "rows.arrow")
    path.write_bytes(sink.getvalue())
    assert planned(path, most) == rows_of(path)
    expected = {1: 5, 3: 5, 4: 3, 100: 1}[most]
    assert len(plan_pieces(path, most)) == expected


@pytest.mark.parametrize("name", ["rows.json", "rows.yaml", "rows.jsonl.gz"])
def test_other_formats_are_one_piece(tmp_path, name):
    import gzip

    path = tmp_path / name
    path.write_bytes(gzip.compress(b'{"a":1}\n{"a":2}\n') if name.endswith("gz") else b'[{"a": 1}, {"a": 2}]')
    assert len(plan_pieces(path, 1)) == 1
    assert planned(path, 1) == rows_of(path)


@pytest.mark.parametrize(("name", "error"), [("rows.txt", ConfigurationError), ("rows.jsonl", FileNotFoundError)])
def test_an_unknown_format_is_refused_before_planning(tmp_path, name, error):
    with pytest.raises(error):
        plan_pieces(tmp_path / name, 1)
