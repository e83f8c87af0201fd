"""Which way the rows of a data set take: by columns, once for equal rows, or one by one; and what the plan says of it."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from decimal import Decimal

import pytest

from pytest_verdict.datasets.row_check import RowCheck, explain_plan, judge_rows, score_rows
from pytest_verdict.datasets.rows import RowNames
from pytest_verdict.datasets.score import score_dataset
from pytest_verdict.datasets.slices import ColumnSlice, RowSlice, slice_batches
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
BY_COLUMNS = {"text", "large text", "text view", "dictionary", "int8", "int32", "uint32", "float32", "boolean"}
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
    return score_rows(check, rows, 1)[1]


def one_by_one(check, rows):
    """Return the records of a slice whose rows are scored in slices of one row."""
    positions = range(len(rows.numbers))
    return b"".join(score_rows(check, rows.at([position]), position + 1)[1] for position in positions)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_every_type_has_the_records_of_single_rows(operator, kind):
    column = COLUMNS[kind]
    (rows,) = slice_batches(
        [pyarrow.record_batch({"want": column, "got": pyarrow.array(column.to_pylist()[::-1], column.type)})]
    )
    check = check_of(operator, **OPERATORS[operator])
    assert lines_of(check, rows) == one_by_one(check, rows)


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_plan_of_exact_names_the_column_that_has_another_type(kind):
    table = pyarrow.table({"want": COLUMNS[kind], "got": COLUMNS[kind]})
    first = explain_plan(check_of("exact"), table)[0]
    if kind in BY_COLUMNS:
        assert first == "plan: exact compares by columns"
    else:
        assert first == "plan: exact compares row by row: 'want' has no text, numbers or booleans, or not in each row"


ROWS = [{"id": f"q{number}", "want": "a", "got": "b", "deep": {"want": "a"}} for number in range(9)]
NESTED = {"expected": "$.deep.want", "observed": "$.got"}
PLANS = [
    ("exact", None, {}, ROWS, "exact compares by columns"),
    ("exact", NESTED, {}, ROWS, "row by row: the mapping has an input that is not the whole value of a column"),
    ("text_similarity", None, {}, ROWS, "row by row: text_similarity has no column function"),
    ("one_of", {"observed": "$.got", "values": "$.id"}, {}, ROWS, "or one of its settings, comes from the row"),
    (
        "numeric_tolerance",
        None,
        {"tolerance": 1, "zero_at": 2},
        ROWS,
        "numeric_tolerance takes no columns of the types",
    ),
    ("exact", None, {}, ROWS[:1], "there is one row"),
    ("exact", None, {}, [], "rows has no rows"),
]


@pytest.mark.parametrize(("operator", "mapping", "settings", "rows", "sentence"), PLANS)
def test_the_plan_says_why(operator, mapping, settings, rows, sentence):
    check = check_of(operator, mapping, **settings)
    assert sentence in explain_plan(check, rows)[0]


def test_the_plan_counts_rows_that_the_kernel_compares():
    rows = [*ROWS, {"want": None, "got": "b"}]
    assert explain_plan(check_of("exact"), rows)[1].startswith("plan: 1 of the first 10 rows are compared one by one")


def test_the_command_explains_and_scores(tmp_path, capsys):
    from pytest_verdict.cli import main

    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    options = ["--operator", "regex", "--settings", '{"pattern": "b"}', "--observed", "got", "-j", "1"]
    assert main(["score", str(path), *options, "--explain-plan", "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("plan: regex compares row by row: regex has no column function\n9 of 9 rows passed")


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
    rows = RowSlice(range(1, len(documents) + 1), documents)
    for operator in ("json_canonical", "is_type", "exact", "set_containment", "text_similarity", "mapping_match"):
        check = check_of(operator)
        assert lines_of(check, rows) == one_by_one(check, rows), operator


def test_equal_rows_are_compared_once():
    rows = RowSlice(range(1, 101), [{"want": "a", "got": f"b{number % 4}", "id": number} for number in range(100)])
    judged = judge_rows(check_of("text_similarity").evaluator, rows, RowNames("rows"))
    assert len({id(single.result) for single in judged.singles.values()}) == 4
    assert [single.name for single in judged.singles.values()] == [f"rows:{number}" for number in range(1, 101)]
    assert [sample.name for sample in judged.samples] == [f"rows:{number}" for number in range(1, 6)]


def test_a_missing_value_shows_the_row_that_lacks_it():
    documents = [{"want": {"a": 1}, "got": {}, "other": number} for number in range(20)]
    rows = RowSlice(range(1, 21), documents)
    check = check_of("exact", {"expected": "$.want.a", "observed": "$.got.a"})
    lines = lines_of(check, rows)
    assert lines == one_by_one(check, rows)
    assert [json.loads(line)["sources"]["document"]["other"] for line in lines.splitlines()] == [*range(20)]


def test_string_views_are_read_from_a_file(tmp_path):
    table = pyarrow.table({"want": COLUMNS["text view"], "got": COLUMNS["text view"]})
    with pyarrow.OSFile(str(tmp_path / "rows.arrow"), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    check = score_dataset(
        tmp_path / "rows.arrow", "exact", {"expected": "$.want", "observed": "$.got"}, tmp_path / "out"
    )
    assert check.passed == COUNT
    assert isinstance(next(slice_batches(table.to_batches())), ColumnSlice)


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
