"""Data sets: one test for all rows, and one test for each row."""

import csv
import gzip
import io
import json
import sys
from itertools import count

import pytest

from pytest_verdict import Comparator, MismatchError, MissingExtraError, UndecidedError
from pytest_verdict.core.replay import replay
from pytest_verdict.datasets.rows import Row, read_named_rows
from pytest_verdict.errors import ConfigurationError, MappingError
from pytest_verdict.operators import Exact
from pytest_verdict.suites import DatasetWarning, check_dataset
from session_fixtures import observe_rows

MAPPING = {"expected": "$.want", "observed": "$.got"}
ROWS = [
    {"id": "a", "want": "x", "got": "x"},
    {"id": "b", "want": "y", "got": "z"},
    {"id": "c", "want": "ß\n", "got": "ß\n"},
]


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def read_rows(source):
    """Give the rows with their numbers; of a row without one its place says the position."""
    return [Row(int(place.rpartition(":")[2]), value, error) for place, _, value, error in read_named_rows(source)]


def csv_text(rows):
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def arrow_bytes(kind, rows):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    sink = io.BytesIO()
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, sink)
        return sink.getvalue()
    maker = pyarrow.ipc.new_file if kind == "file" else pyarrow.ipc.new_stream
    with maker(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


CONTENTS = {
    "rows.jsonl": lambda: jsonl(ROWS),
    "rows.csv": lambda: csv_text(ROWS),
    "rows.tsv": lambda: 'id\twant\tgot\na\tx\tx\nb\ty\tz\nc\t"ß\n"\t"ß\n"\n',
    "rows.yaml": lambda: json.dumps(ROWS, indent=1, ensure_ascii=False),
    "rows.json": lambda: json.dumps(ROWS, indent=1),
    "rows.parquet": lambda: arrow_bytes("parquet", ROWS),
    "rows.arrow": lambda: arrow_bytes("file", ROWS),
    "stream.arrow": lambda: arrow_bytes("stream", ROWS),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_every_format_gives_the_same_rows(write, name):
    path = write(name, CONTENTS[name]())
    assert [row.value for row in read_rows(path)] == ROWS
    check = check_dataset(path, "exact", MAPPING, pass_rate=0.5)
    assert (check.passed, check.failed, check.errors, check.total) == (2, 1, 0, 3)


def test_values_keep_the_type_that_the_format_gives_them(write):
    rows = [{"want": 1, "got": 1.0}, {"want": None, "got": None}, {"want": [1, {"a": True}], "got": [1, {"a": True}]}]
    assert [row.value for row in read_rows(write("rows.jsonl", jsonl(rows)))] == rows
    assert [row.value["want"] for row in read_rows(write("rows.csv", "want\n1\n"))] == ["1"]
    path = write("rows.parquet", arrow_bytes("parquet", [{"n": 1, "x": [1.5, None], "s": {"a": "b"}}]))
    assert [row.value for row in read_rows(path)] == [{"n": 1, "x": [1.5, None], "s": {"a": "b"}}]


BAD_JSONL = b'\xef\xbb\xbf{"want": 1, "got": 1}\n\n{"want": 1,\n{"want": 1, "want": 2}\n{"want": NaN}\n"\xff"\n{"want": 1}\n[]\n'
BAD_CSV = b'want,got\nx,x\nx\n\nx,y,z\n"a\nb","a\nb"\n\xff,x\nx,x\n'


@pytest.mark.parametrize(
    ("name", "content", "verdicts", "unreadable"),
    [
        (
            "rows.jsonl",
            BAD_JSONL,
            {
                1: None,
                3: "it is not JSON",
                4: "the key 'want' occurs twice",
                5: "NaN is not JSON",
                6: "it is not UTF-8",
                7: "the path $.got matches nothing",
                8: "the path $.want matches nothing; $ is a list of 0",
            },
            4,
        ),
        (
            "rows.csv",
            BAD_CSV,
            {
                2: None,
                3: "it has 1 fields, and there are 2 columns",
                5: "it has 3 fields",
                6: None,
                9: "not UTF-8",
                10: None,
            },
            3,
        ),
    ],
)
def test_a_wrong_row_is_named_and_the_rest_goes_on(write, name, content, verdicts, unreadable, results):
    with pytest.raises(MismatchError) as error:
        check_dataset(write(name, content), "exact", MAPPING)
    assert {int(result.name.rpartition(":")[2]): result.error for result in results[:-1]}.keys() == verdicts.keys()
    for result, (number, reason) in zip(results, verdicts.items(), strict=False):
        assert result.name == f"{name}:{number}"
        assert (result.error is None) == (reason is None)
        assert reason is None or reason in result.error
    assert f"{unreadable} of these could not be read" in str(error.value)


@pytest.fixture
def results(monkeypatch):
    """The results that a session would record."""
    from pytest_verdict.session import SESSION

    found = []
    monkeypatch.setattr(SESSION, "observer", lambda result: found.append(result) or result)
    monkeypatch.setattr(SESSION, "rows_observer", observe_rows(found))
    return found


@pytest.mark.parametrize(
    ("passed", "total", "rate", "gate"),
    [(19, 20, 0.95, True), (18, 20, 0.95, False), (20, 20, 1.0, True), (1, 3, 1 / 3, True)],
)
def test_the_gate_counts_exactly(passed, total, rate, gate):
    rows = [{"want": 1, "got": int(number < passed)} for number in range(total)]
    comparator = Comparator()
    with comparator.collect() if gate else pytest.raises(MismatchError, match=f"{passed} of {total} rows passed"):
        check = check_dataset(rows, "exact", MAPPING, pass_rate=rate, comparator=comparator)
        assert check.gate.passed
        assert check.interval[0] <= check.rate <= check.interval[1]


def test_a_dataset_without_rows_does_not_pass():
    with pytest.raises(UndecidedError, match="nothing was compared"):
        check_dataset([], "exact", MAPPING)


def test_the_failure_shows_the_gate_and_the_first_rows():
    rows = [{"id": f"row {number}", "want": "a", "got": "a" if number % 2 else "b"} for number in range(100)]
    with pytest.raises(MismatchError) as error:
        check_dataset(rows, "exact", MAPPING, pass_rate=0.95, ids="$.id")
    lines = str(error.value).splitlines()
    assert lines[:3] == [
        "50 of 100 rows passed, 50 failed, 0 could not be compared; first exact 'row 0': expected 'a', got 'b'",
        "pass rate 0.5, at least 0.95 is asked for; the true rate is from 0.398321 to 0.601679 (confidence 0.95)",
        "the first 5 of 50 that did not pass:",
    ]
    assert lines[3] == "exact 'row 0': expected 'a', got 'b'"
    assert len(error.value.results) == 6


def test_defaults_and_soft_checks_of_the_comparator_hold():
    comparator = Comparator().with_defaults("text_similarity", threshold=0.5)
    rows = [{"want": "kitten", "got": "sitten"}]
    assert check_dataset(rows, "text_similarity", MAPPING, comparator=comparator).passed == 1
    with (
        pytest.raises(MismatchError, match=r"^1 failed, 2 compared; first 0 of 1 row passed"),
        comparator.collect(),
    ):
        check_dataset(rows, "text_similarity", MAPPING, threshold=0.9, comparator=comparator)


def test_comparator_defaults_apply_to_rows():
    rows = [{"want": "kitten", "got": "Sitten"}]
    comparator = Comparator().with_defaults(threshold=0.5)
    assert check_dataset(rows, "text_similarity", MAPPING, comparator=comparator).passed == 1
    folded = comparator.with_defaults("exact", case_sensitive=False)
    same = [{"want": "a", "got": "A"}]
    assert check_dataset(same, "exact", MAPPING, comparator=folded).gate.passed
    # What the call gives comes before the defaults, and an operator that is given as one has none.
    for operator, settings in (("exact", {"case_sensitive": True}), (Exact(), {})):
        with pytest.raises(MismatchError):
            check_dataset(same, operator, MAPPING, comparator=folded, **settings)
    with pytest.raises(MismatchError):
        check_dataset(rows, "text_similarity", MAPPING, threshold=0.9, comparator=comparator)


def test_a_soft_check_of_rows_fails_at_the_end(results):
    comparator, found = Comparator(), []

    def checks():
        with comparator.collect():
            rows = [{"want": 1, "got": 2}, {"want": 1}]
            found.append(check_dataset(rows, "exact", MAPPING, comparator=comparator))
            comparator.assert_matches("exact", 1, 3)

    with pytest.raises(MismatchError, match="2 failed, ") as error:
        checks()
    (check,) = found
    assert (check.failed, check.errors, check.gate.verdict) == (1, 1, "fail")
    assert "0 of 2 rows passed, 1 failed, 1 could not be compared" in str(error.value)
    assert list(error.value.results) == [check.gate, *check.first, results[-1]]


def test_check_dataset_streams_rows():
    numbers = count()
    rows = ({"want": "x" * 1000, "got": next(numbers)} for _ in range(3000))
    check = check_dataset(rows, "exact", {**MAPPING, "expected": {"literal": 0}}, pass_rate=0.0001)
    assert (check.passed, check.failed) == (1, 2999)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pass_rate": 0}, "pass_rate must be in"),
        ({"pass_rate": True}, "pass_rate must be in"),
        ({"confidence": 1}, "confidence"),
        ({"threshold": 2}, "threshold must be in"),
        ({"operator": "exct"}, "Did you mean 'exact'"),
        ({"mapping": {"expected": "$.a"}}, "a mapping names the inputs"),
        ({"source": "rows.txt"}, "the suffix of a dataset names its format"),
        ({"source": 5}, "a path, a table or an iterable of rows, got 5"),
        ({"source": {"a": 1}}, "a path, a table or an iterable of rows, got {'a': 1}"),
        ({"normalise": []}, "Did you mean 'normalize'"),
    ],
    ids=str,
)
def test_invalid_argument_is_refused(arguments, words):
    given = {"source": [], "operator": "exact", "mapping": MAPPING, **arguments}
    with pytest.raises(ConfigurationError, match=words):
        check_dataset(**given)


def test_without_pyarrow_the_extra_is_named(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pytest-verdict\[arrow\]"):
        check_dataset(write("rows.parquet", b""), "exact", MAPPING)


def test_an_absent_file_and_a_wrong_one_are_named(write):
    with pytest.raises(FileNotFoundError, match="there is no such dataset"):
        check_dataset("absent.jsonl", "exact", MAPPING)
    pytest.importorskip("pyarrow")
    with pytest.raises(ConfigurationError, match=r"rows\.parquet: it cannot be read"):
        check_dataset(write("rows.parquet", b"not parquet"), "exact", MAPPING)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1e999", "1E998"),
        ("-1e+0400", "-1e401"),
        ("9" * 310, "1e999"),
        ("1" * 310 + ".5", "2e310"),
        ("1e-400", "1e-401"),
    ],
)
@pytest.mark.parametrize("rows_before", [0, 3])
def test_numbers_beyond_a_float_are_not_all_the_same_infinity(write, left, right, rows_before):
    text = '{"want": 1e2, "got": 100.0}\n' * rows_before + f'{{"want": [{left}], "got": [{right}]}}\n'
    with pytest.raises(MismatchError, match=r"beyond what a float holds"):
        check_dataset(write("rows.jsonl", text.encode()), "exact", MAPPING)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b,a\n1,2,3\n", "names the columns, each once, and 'a' is there again"),
        (b"", "names the columns"),
        (b'want,"got\n1,2\n', "it is not CSV"),
        (b"want,got,\xe9\n1,2,3\n", "it is not UTF-8"),
        ("want,got\n1,1\n".encode("utf-16"), "it is not UTF-8"),
    ],
    ids=["twice", "empty", "quote", "latin-1", "utf-16"],
)
def test_a_first_row_that_cannot_be_used_is_named(write, content, message):
    with pytest.raises(ConfigurationError, match=rf"rows\.csv:1: .*{message}"):
        check_dataset(write("rows.csv", content), "exact", MAPPING)


CHECK = f"""
from pytest_verdict.suites import check_dataset

def test_rows(comparator):
    check_dataset("rows.jsonl", "exact", {MAPPING!r}, pass_rate=0.5, ids="$.id", comparator=comparator)
"""


def test_each_row_is_a_record_that_replays(harness):
    rows = [*ROWS, {"id": "d"}]
    run = harness.run({"rows.jsonl": jsonl(rows) + "half a r", "test_it.py": CHECK}, "--verify-report")
    assert run.outcomes == {"failed": 1}
    assert [record["verdict"] for record in run.records] == ["pass", "fail", "pass", "error", "error", "fail"]
    assert [record["name"] for record in run.records[:2]] == ["a", "b"]
    assert run.records[4]["name"] == "rows.jsonl:5"
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"identical"}
    run.check_agreement()


CASES = f"""
import pytest

@pytest.mark.verdict_cases("rows.jsonl", mapping={MAPPING!r}, ids="$.id")
def test_row(comparator, expected, observed):
    comparator.assert_matches("exact", expected, observed)

@pytest.mark.verdict_cases("rows.jsonl")
def test_whole(case):
    assert set(case) == {{"id", "want", "got"}}
"""


@pytest.mark.ci
def test_one_item_per_row(harness):
    harness.write({"sub/rows.jsonl": jsonl(ROWS), "sub/test_it.py": CASES})
    run = harness.run((), "--verify-report", "--strict-markers")
    assert run.outcomes == {"passed": 5, "failed": 1}
    assert run.tests()["test_row[b]"] == "failed"
    assert set(run.tests()) == {f"test_row[{name}]" for name in "abc"} | {
        f"test_whole[rows.jsonl:{n}]" for n in (1, 2, 3)
    }
    assert harness.run((), "-k", "test_row and a", "-n2").outcomes["passed"] >= 1


def test_a_row_without_a_name_is_named_by_its_place(harness, write):
    names = [{"id": "a"}, {"id": None}, {}, {"id": 5}, {"id": ""}, {"id": "z" * 100_000}]
    rows = [{"want": 1, "got": 2, **name} for name in names]
    expected = ["a", "rows.jsonl:2", "rows.jsonl:3", "5", "rows.jsonl:5"]
    with pytest.raises(AssertionError) as error:
        check_dataset(write("rows.jsonl", jsonl(rows)), "exact", MAPPING, pass_rate=0.5, ids="$.id")
    assert [line.split("'")[1] for line in str(error.value).splitlines() if line.startswith("exact")] == expected
    lines = harness.run({"test_cases.py": CASES, "rows.jsonl": jsonl(rows)}, "--collect-only", "-q").stdout
    assert all(f"test_row[{name}]" in lines for name in expected)
    assert len(lines) < 3_000


def test_an_invalid_json_line_is_reported_with_one_line_number(write):
    [_, row] = read_rows(write("rows.jsonl", '{"a": 1}\n{"a":\n'))
    assert row == (2, None, "it is not JSON: Expecting value at character 6")


def test_a_wrong_row_is_an_item_that_is_an_error(harness):
    content = jsonl(ROWS[:1]) + "half\n" + jsonl([{"id": "c", "want": 1}])
    run = harness.run(
        {"rows.jsonl": content, "test_it.py": CASES.partition('@pytest.mark.verdict_cases("rows.jsonl")')[0]},
        "--verify-report",
    )
    assert run.outcomes == {"passed": 1, "errors": 2}
    assert "rows.jsonl:2: it is not JSON" in run.stdout
    assert "rows.jsonl:3: observed: the path $.got matches nothing" in run.stdout
    run.check_agreement()


@pytest.mark.parametrize(
    ("marker", "words"),
    [
        ('"absent.jsonl"', "there is no such dataset"),
        ('[{"a": 1}], mapping={"expected": "$.a"}', "a mapping names the inputs"),
        ("", "verdict_cases: missing 1 required positional argument"),
        ("[1], map={}", "verdict_cases: there is no argument 'map'. Did you mean 'mapping'? Allowed: expect_rows"),
    ],
)
def test_a_wrong_marker_is_named(harness, marker, words):
    run = harness.run(f"import pytest\n\n@pytest.mark.verdict_cases({marker})\ndef test_it(case):\n    pass\n")
    assert words in run.output
    assert "test_it" in run.output
    # No frames of pytest and of this library.
    assert "cases.py" not in run.output


def test_a_test_that_takes_no_row_is_named(harness):
    run = harness.run("import pytest\n\n@pytest.mark.verdict_cases([1])\ndef test_it():\n    pass\n")
    assert "the test takes none of the arguments case" in run.output


def test_unmapped_rows_raise_in_an_input_mapping():
    from pytest_verdict.extraction.input_mapping import InputMapping

    with pytest.raises(MappingError, match="an empty object"):
        InputMapping.read(MAPPING).resolve({})


def swallowed(first, rest):
    """1,000 rows as CSV, of which one opens a quote; the rest follows."""
    return "want,got\n" + "a,a\n" * first + rest


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (swallowed(500, 'a,"a\n' + "a,b\n" * 499), 502),
        (swallowed(3, 'a,"a'), 5),
        (swallowed(3, 'a,"a\n'), 5),
        (swallowed(500, 'a,"a\n' + "a,b\n" * 400 + '"a",a\n' + "a,a\n" * 98), 502),
    ],
    ids=["half of it", "last", "last line", "closed by a later quote"],
)
def test_an_unclosed_quote_fails_the_data_set_at_any_rate(harness, write, content, line):
    path = write("rows.csv", content)
    with pytest.raises(ConfigurationError, match=rf"rows\.csv:{line}: a quote that opens here is not closed rightly"):
        check_dataset(path, "exact", MAPPING, pass_rate=0.001)
    run = harness.run({"rows.csv": content, "test_it.py": CASES.replace("jsonl", "csv").replace(', ids="$.id"', "")})
    assert run.outcomes == {"errors": 1}
    assert f"rows.csv:{line}: a quote that opens here" in run.stdout


def test_a_wrong_quote_on_one_line_is_an_unreadable_row(write):
    rows = list(read_rows(write("rows.csv", 'want,got\n"a"b,a\na,"a\n1"\n"a"b,a\n')))
    assert [(row.number, row.error is None) for row in rows] == [(2, False), (3, True), (5, False)]


@pytest.mark.parametrize(
    ("sizes", "passes", "words"),
    [
        ({"expect_rows": 3}, True, ""),
        ({"min_rows": 3}, True, ""),
        ({"min_rows": 1}, True, ""),
        ({"expect_rows": 4}, False, "there are 3 rows, and 4 are expected"),
        ({"expect_rows": 2}, False, "there are 3 rows, and 2 are expected"),
        ({"min_rows": 4}, False, "there are 3 rows, and at least 4 are expected"),
    ],
    ids=str,
)
def test_the_number_of_rows_may_be_expected(sizes, passes, words, results):
    rows = [{"want": 1, "got": 1}, {"want": 1, "got": 1}, {"want": 1}]
    if passes:
        check = check_dataset(rows, "exact", MAPPING, pass_rate=0.5, **sizes)
        assert (check.size.passed, check.compared, check.total) == (True, 2, 3)
    else:
        with pytest.raises(MismatchError, match=words) as error:
            check_dataset(rows, "exact", MAPPING, pass_rate=0.5, **sizes)
        assert error.value.results[0].verdict == "fail"
    assert [result.name for result in results[-2:]] == ["pass rate of row", "rows of row"]


@pytest.mark.parametrize(
    "sizes", [{"expect_rows": 0}, {"min_rows": True}, {"min_rows": 1.0}, {"expect_rows": 1, "min_rows": 1}], ids=str
)
def test_a_wrong_number_of_rows_is_refused(sizes):
    with pytest.raises(ConfigurationError, match="_rows"):
        check_dataset(ROWS, "exact", MAPPING, **sizes)


@pytest.mark.parametrize(
    ("marker", "words"),
    [
        ("[]", "the dataset has 0 rows, and at least 1 are expected"),
        ("[1, 2], expect_rows=3", "the dataset has 2 rows, and 3 are expected"),
        ("[1, 2], min_rows=3", "the dataset has 2 rows, and at least 3 are expected"),
        ("[1, 2], min_rows=0", "min_rows is a whole number from 1, got 0"),
    ],
)
def test_too_few_cases_are_an_error(harness, marker, words):
    run = harness.run(f"import pytest\n\n@pytest.mark.verdict_cases({marker})\ndef test_it(case):\n    pass\n")
    assert run.outcomes == {"errors": 1}
    assert words in run.output


def test_number_of_cases_must_match(harness):
    head = "import pytest\n\n@pytest.mark.verdict_cases([1, 2], "
    for sizes in ("expect_rows=2", "min_rows=2", "min_rows=1"):
        run = harness.run(f"{head}{sizes})\ndef test_it(case):\n    pass\n")
        assert run.outcomes == {"passed": 2}


def test_two_rows_with_one_id_are_warned_of(write):
    names = ["a", "b", "a", "b", 1, None, None, ""]
    path = write("rows.jsonl", jsonl([{"id": name, "want": 1, "got": 1} for name in names]))
    with pytest.warns(
        DatasetWarning, match=r"rows\.jsonl: 2 rows have the id of an earlier one, first 'a' in rows"
    ) as found:
        check_dataset(path, "exact", MAPPING, ids="$.id")
    assert [warning.filename for warning in found] == [__file__]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl.gz", '{"want": 1, "got": 1}\n{"want": 1, "got": 2}\n'),
        ("rows.csv.gz", "want,got\n1,1\n1,2\n"),
        ("rows.TSV.GZ", "want\tgot\n1\t1\n1\t2\n"),
        ("rows.json.gz", '[{"want": 1, "got": 1}, {"want": 1, "got": 2}]'),
    ],
)
def test_a_file_compressed_by_gzip_is_read(write, name, content):
    path = write(name, gzip.compress(content.encode()))
    check = check_dataset(path, "exact", MAPPING, pass_rate=0.5)
    assert (check.passed, check.failed, check.errors) == (1, 1, 0)
    assert check.gate.name == f"pass rate of {name}"


@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-9], lambda packed: packed[:20] + b"x" + packed[21:], lambda _: b"no"]
)
def test_a_damaged_compressed_file_fails_before_a_row_is_compared(write, damage):
    packed = gzip.compress(jsonl([{"want": 1, "got": 1, "note": str(number)} for number in range(500)]).encode())
    with pytest.raises(ConfigurationError, match=r"rows\.jsonl\.gz: the compressed file is damaged"):
        check_dataset(write("rows.jsonl.gz", damage(packed)), "exact", MAPPING, pass_rate=0.1)


@pytest.mark.parametrize("suffix", ["zip", "bz2", "xz", "zst"])
def test_a_compressed_file_is_refused_by_name(write, suffix):
    with pytest.raises(
        ConfigurationError, match=rf"rows\.jsonl\.{suffix}: a compressed dataset is not read; unpack it"
    ):
        check_dataset(write(f"rows.jsonl.{suffix}", b""), "exact", MAPPING)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"a": 1}', "a dataset in JSON is a list of rows; one row on each line is .jsonl"),
        ('{"a": 1}\n{"a": 1}\n', "it is not JSON: Extra data"),
        ('[{"a": 1}', "it is not JSON"),
        ('[{"a": 1, "a": 2}]', "the key 'a' occurs twice"),
        (b'["\xff"]', "it is not JSON: 'utf-8' codec"),
    ],
    ids=str,
)
def test_json_file_must_be_a_list(write, content, words):
    with pytest.raises(ConfigurationError, match=r"rows\.json: ") as error:
        check_dataset(write("rows.json", content), "exact", MAPPING)
    assert words in str(error.value)


MANY = [{"id": f"q{number}", "want": f"v{number}", "got": f"v{number}" if number % 3 else "w"} for number in range(40)]
SELECTIONS = [{"limit": 7}, {"sample": 6, "seed": 3}, {"sample": 6, "limit": 9}, {"sample": 99}, {"limit": 99}]
TAKEN = """
import pytest
from pytest_verdict.suites import check_dataset

SELECTION = {selection}
MAPPING = {{"expected": "$.want", "observed": "$.got"}}

@pytest.mark.verdict_cases("rows.jsonl", ids="$.id", **SELECTION)
def test_row(case):
    pass

@pytest.mark.parametrize("given", ["file", "many files", "iterator"])
def test_rows(given):
    jobs = 2 if given == "many files" else None
    source = map(dict, {rows}) if given == "iterator" else "rows.jsonl"
    check = check_dataset(source, "exact", MAPPING, ids="$.id", pass_rate=0.1, expect_rows=40, jobs=jobs, **SELECTION)
    assert check.total == {total}
"""


@pytest.mark.ci
@pytest.mark.parametrize("selection", SELECTIONS[1:3], ids=str)
def test_check_dataset_and_verdict_cases_select_the_same_rows(harness, selection, monkeypatch):
    monkeypatch.setattr("pytest_verdict.datasets.units.ROWS", 9)
    total = min(selection.get("limit", 99), selection["sample"])
    test = TAKEN.format(selection=selection, rows=MANY, total=total)
    run = harness.run({"rows.jsonl": jsonl(MANY), "test_it.py": test}, "--verify-report")
    taken = {name.partition("[")[2] for name in run.tests() if "test_row[" in name}
    assert len(taken) == total
    records = [record for record in run.records if "test_rows" in record["test"]]
    of_tests = {record["test"]: [] for record in records}
    for record in records:
        if record["operator"] == "exact":
            of_tests[record["test"]].append([record["name"], record["ordinal"], record["verdict"], record["observed"]])
    first, *others = of_tests.values()
    assert {name for name, *_ in first} == {name[:-1] for name in taken}
    assert others == [first, first]
    assert [record["observed"] for record in records if record["operator"] == "row_count"] == [40] * 3


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_the_selected_rows_do_not_depend_on_the_format(write, name, selection):
    content = {"rows.jsonl": jsonl, "rows.csv": csv_text, "rows.parquet": lambda rows: arrow_bytes("parquet", rows)}
    path = write(name, content[name](MANY))
    one, other = (
        check_dataset(source, "exact", MAPPING, ids="$.id", pass_rate=0.01, **selection) for source in (path, MANY)
    )
    assert (one.passed, one.failed, one.total) == (other.passed, other.failed, other.total)
    assert [result.name for result in one.first] == [result.name for result in other.first]
    assert one.total == min(selection.get("limit", 40), selection.get("sample", 40), 40)


def test_a_limit_reads_no_row_behind_it():
    def rows():
        yield from MANY[:3]
        raise AssertionError

    assert check_dataset(rows(), "exact", MAPPING, pass_rate=0.1, limit=3).total == 3


def test_a_sample_stays_when_rows_are_added():
    names = [{result.name for result in failed_of(rows)} for rows in (MANY[:20], MANY)]
    assert len(names[0] & names[1]) >= 1
    assert [result.name for result in failed_of(MANY)] == [result.name for result in failed_of(MANY)]


def failed_of(rows):
    rows = [{**row, "got": "other"} for row in rows]
    with pytest.raises(MismatchError) as caught:
        check_dataset(rows, "exact", MAPPING, ids="$.id", sample=5)
    return caught.value.results[1:]


@pytest.mark.parametrize(
    ("rows", "verdict"), [(MANY[1:3] * 40, "pass"), (MANY[1:3], "error"), (MANY[:1] * 40, "fail")], ids=len
)
def test_a_gate_on_the_bound_of_the_interval(comparator, rows, verdict):
    gate = {"pass_rate": 0.9, "confident": True}
    if verdict == "pass":
        assert check_dataset(rows, "exact", MAPPING, **gate).gate.verdict == "pass"
        return
    with pytest.raises(UndecidedError if verdict == "error" else MismatchError) as caught:
        check_dataset(rows, "exact", MAPPING, **gate)
    assert caught.value.results[0].verdict == verdict
    assert ("that does not tell whether it reaches 0.9" in str(caught.value)) == (verdict == "error")
    assert caught.value.results[0].settings["confident"]


def test_rows_of_which_none_is_taken_are_an_error():
    with pytest.raises(UndecidedError, match="nothing was compared"):
        check_dataset([], "exact", MAPPING, sample=3)


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"sample": 1.5}, {"seed": "x"}, {"seed": True}, {"confident": 1}], ids=str
)
def test_a_wrong_selection_is_refused(wrong):
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        check_dataset(MANY, "exact", MAPPING, **wrong)
