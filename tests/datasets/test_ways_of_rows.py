"""Rows of every type, equal rows, and rows that are too long."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from decimal import Decimal

import pytest

from pytest_verdict.core.kernel import run
from pytest_verdict.core.record import AttemptRecords
from pytest_verdict.datasets.row_check import RowCheck, compare_rows
from pytest_verdict.datasets.rows import number_rows, read_rows
from pytest_verdict.datasets.score import score_dataset
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.evaluator import Evaluator

pyarrow = pytest.importorskip("pyarrow")

COUNT = 24
DAY = datetime.date(2024, 5, 1)
COLUMNS = {
    "text": pyarrow.array([f"a{number % 3}" for number in range(COUNT)]),
    "large text": pyarrow.array([f"a{number % 3}" for number in range(COUNT)], pyarrow.large_string()),
    "text view": pyarrow.array([f"a{number % 3}" for number in range(COUNT)], pyarrow.string_view()),
    "dictionary": pyarrow.array([f"a{number % 3}" for number in range(COUNT)]).dictionary_encode(),
    "int8": pyarrow.array([number % 3 for number in range(COUNT)], pyarrow.int8()),
    "int32": pyarrow.array([number % 3 for number in range(COUNT)], pyarrow.int32()),
    "uint32": pyarrow.array([number % 3 for number in range(COUNT)], pyarrow.uint32()),
    "uint64": pyarrow.array([2**64 - 1 - number % 3 for number in range(COUNT)], pyarrow.uint64()),
    "float32": pyarrow.array([number % 3 / 4 for number in range(COUNT)], pyarrow.float32()),
    "decimal": pyarrow.array([Decimal(number % 3) / 4 for number in range(COUNT)], pyarrow.decimal128(9, 2)),
    "date": pyarrow.array([DAY + datetime.timedelta(number % 3) for number in range(COUNT)]),
    "time": pyarrow.array([datetime.datetime(2024, 5, 1, number % 3) for number in range(COUNT)]),
    "boolean": pyarrow.array([number % 2 == 0 for number in range(COUNT)]),
    "list": pyarrow.array([["a", str(number % 3)] for number in range(COUNT)]),
    "struct": pyarrow.array([{"a": number % 3} for number in range(COUNT)]),
}
OPERATORS = {
    "exact": {},
    "not_blank": {},
    "is_type": {},
    "text_similarity": {},
    "date_match": {},
    "numeric_tolerance": {"tolerance": 0.1},
    "set_containment": {},
    "regex": {"pattern": "a[0-9]", "mode": "search"},
}


def check_of(operator, mapping=None, **settings):
    evaluator = Evaluator(operator, mapping or {"expected": "$.want", "observed": "$.got"}, **settings)
    return RowCheck(evaluator=evaluator, label="rows", test="t")


def lines_of(check, rows):
    attempt = AttemptRecords("t", 1)
    return b"".join(compared.write(attempt, check.end) for compared in compare_rows(check, number_rows(rows)))


def one_by_one(check, rows):
    """Return the records of rows that are compared as single documents."""
    attempt = AttemptRecords("t", 1)
    results = [check.evaluator.judge(row, name=f"rows:{number}") for number, row in enumerate(rows, 1)]
    lines = [attempt.line(result.to_members(), number, check.end) for number, result in enumerate(results, 1)]
    return "".join(lines).encode("ascii")


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_every_type_has_the_records_of_single_rows(operator, kind):
    column = COLUMNS[kind]
    batch = pyarrow.record_batch({"want": column, "got": pyarrow.array(column.to_pylist()[::-1], column.type)})
    check = check_of(operator, **OPERATORS[operator])
    assert lines_of(check, read_rows(pyarrow.Table.from_batches([batch]))) == one_by_one(check, batch.to_pylist())


ALIKE = [
    1,
    1.0,
    True,
    "1",
    [1],
    [1.0],
    (1,),
    {"a": 1},
    {"a": True},
    -0.0,
    0.0,
    0,
    None,
    "",
    [],
    {},
    "é",
    "\ud800",
    b"1",
    bytearray(b"1"),
]


@pytest.mark.ci
def test_rows_that_only_look_alike_are_compared_each():
    values = [value for value in ALIKE for _ in range(2)]
    documents = [
        {"want": value, "got": other, "more": [number]} for number, value in enumerate(values) for other in ALIKE
    ]
    for operator in ("json_canonical", "is_type", "exact", "set_containment", "text_similarity", "mapping_match"):
        check = check_of(operator)
        assert lines_of(check, documents) == one_by_one(check, documents), operator


def test_equal_rows_are_compared_once(monkeypatch):
    calls = []
    monkeypatch.setattr("pytest_verdict.datasets.row_check.run", lambda *given: calls.append(given) or run(*given))
    rows = [{"want": "a", "got": f"b{number % 4}", "id": number} for number in range(100)]
    (compared,) = compare_rows(check_of("text_similarity"), number_rows(rows))
    assert len(calls) == 4
    assert [place for _, place in compared.names] == [f"rows:{number}" for number in range(1, 101)]
    assert [sample.name for sample in compared.samples] == [f"rows:{number}" for number in range(1, 6)]


@pytest.mark.parametrize("observed", ["$.got.a", {"path": "$.got.a", "on_missing": "fail"}], ids=str)
def test_a_missing_value_shows_the_row_that_lacks_it(observed):
    documents = [{"want": {"a": 1}, "got": {}, "other": number} for number in range(20)]
    check = check_of("exact", {"expected": "$.want.a", "observed": observed})
    lines = lines_of(check, documents)
    assert lines == one_by_one(check, documents)
    assert [json.loads(line)["sources"]["document"]["other"] for line in lines.splitlines()] == [*range(20)]


def test_string_views_are_read_from_a_file(tmp_path):
    table = pyarrow.table({"want": COLUMNS["text view"], "got": COLUMNS["text view"]})
    with pyarrow.OSFile(str(tmp_path / "rows.arrow"), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    check = score_dataset(
        tmp_path / "rows.arrow", "exact", {"expected": "$.want", "observed": "$.got"}, tmp_path / "out"
    )
    assert check.passed == COUNT


def write_rows(path, values):
    """Write rows with the observed values as a file of the format that the suffix names."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"want": "x", "got": value}) + "\n" for value in values))
    elif path.suffix == ".csv":
        path.write_text("want,got\n" + "".join(f"x,{value}\n" for value in values))
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({"want": ["x"] * len(values), "got": values}), path)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("operator", ["exact", "text_similarity"])
def test_a_row_that_is_too_long_is_an_error_and_the_others_are_compared(tmp_path, monkeypatch, suffix, operator):
    pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("pytest_verdict.datasets.formats.LONGEST_ROW", 10_000)
    path = tmp_path / f"rows.{suffix}"
    write_rows(path, ["x", "y", "a" * 20_000, "x", "b" * 5_000])
    mapping = {"expected": "$.want", "observed": "$.got"}
    check = score_dataset(path, operator, mapping, tmp_path / "out", pass_rate=0.1)
    assert (check.passed, check.failed, check.errors, check.unreadable) == (2, 2, 1, 1)
    error = next(result for result in check.first if result.error)
    assert f"it has more than {2**25:,} bytes; compare a part of its values, or a digest" in error.error
    assert len((tmp_path / "out" / "records.jsonl").read_bytes()) < 40_000


@pytest.mark.parametrize(
    ("row", "total"),
    [
        ('x,"{}\nx,x\nx,x\n"\n', None),
        ('x,"{}""\nx,x\n"\n', None),
        ('x,"{}"\n', 3),
        ('x,"{}"",x"\n', 3),
    ],
    ids=str,
)
def test_the_rest_of_a_quoted_text_that_is_too_long_is_no_row(tmp_path, monkeypatch, row, total):
    monkeypatch.setattr("pytest_verdict.datasets.formats.LONGEST_ROW", 10_000)
    path = tmp_path / "rows.csv"
    path.write_text("want,got\nx,x\n" + row.format("a" * 20_000) + "x,x\n")
    given = path, "exact", {"expected": "$.want", "observed": "$.got"}, tmp_path / "out"
    if total is not None:
        assert score_dataset(*given).total == total
        return
    with pytest.raises(ConfigurationError, match=r"rows\.csv:3: a quote that opens here is not closed rightly"):
        score_dataset(*given)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_dictionary_of_many_texts_makes_no_row_too_long(tmp_path, monkeypatch, suffix):
    pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("pytest_verdict.datasets.formats.LONGEST_ROW", 10_000)
    monkeypatch.setattr("pytest_verdict.datasets.formats.BATCH_BYTES", 5_000)
    texts = pyarrow.array([*(f"{n}" * 500 for n in range(100)), "a" * 20_000, None]).dictionary_encode()
    table = pyarrow.table({"want": texts, "got": texts})
    path = tmp_path / f"rows.{suffix}"
    if suffix == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pyarrow.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    check = score_dataset(path, "exact", {"expected": "$.want", "observed": "$.got"}, tmp_path / "out", pass_rate=0.1)
    assert (check.passed, check.errors, check.unreadable) == (101, 1, 1)


@pytest.mark.ci
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the peak memory of a process in a file")
@pytest.mark.parametrize(("suffix", "most"), [("jsonl", 10), ("csv", 10), ("parquet", 10)])
def test_memory_of_a_cell_of_many_megabytes_is_bounded(tmp_path, suffix, most):
    """pyarrow reads a column of Parquet whole, several times over."""
    size = 60 << 20
    path = tmp_path / f"rows.{suffix}"
    write_rows(path, ["x", "a" * size, "y"])
    script = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from pytest_verdict.datasets.score import score_dataset\n"
        "check = score_dataset(sys.argv[1], 'exact', {'expected': '$.want', 'observed': '$.got'}, sys.argv[2])\n"
        # The figure of getrusage includes that of the process that started this one.
        "peak = re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]\n"
        "print(check.errors, int(peak) * 1024)\n"
    )
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "out")]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    errors, memory = map(int, finished.stdout.split())
    assert errors == 1
    assert memory < 200_000_000 + most * size
