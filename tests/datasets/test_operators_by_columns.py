"""Comparisons by columns and by the kernel write the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pytest_verdict import Operator, Outcome
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.normalizers import NORMALIZERS, SynonymMap
from pytest_verdict.core.record import AttemptRecords, count, record_end
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.columns.table import TABLE, GroupedRows
from pytest_verdict.datasets.row_check import RowCheck, judge_rows, score_rows
from pytest_verdict.datasets.rows import RowNames
from pytest_verdict.datasets.slices import ColumnSlice, RowSlice, read_slices
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.operators import Exact

pyarrow = pytest.importorskip("pyarrow")
groups = pytest.importorskip("pytest_verdict.datasets.columns.groups")

BOTH = {"expected": "$.want", "observed": "$.got"}
ALONE = {"observed": "$.got"}
PLACE = ("tests/test_a.py", 7)
STEPS = [*NORMALIZERS, SynonymMap(mapping={"the": "a", "é": "e", "five": "5"})]
HOSTILE = [
    *(
        "",
        " ",
        "\t",
        "İ",
        "ΣΑΣ",
        "ς",
        "ß",
        "\x00",
        "\x1c",
        "\x7f",
        "\x85",
        "\u2028",
        "\ud800",
        "🎉",
        '"',
        "\\",
        '\\"',
        "a\nb",
        "é",
        "ﬁ",
    ),
    *(
        "A  the\x1fan THE",
        "the",
        "an a",
        "```\nx\n```",
        "```py\nx```",
        "x" * 300,
        "New York",
        "new  york ",
        "\0000\000",
    ),
    *(
        "+5",
        "-0",
        "007",
        "1e3",
        "1E-2",
        "1e400",
        ".5",
        "5.",
        "+.5",
        "1_0",
        "１",
        "0x1",
        "inf",
        "nan",
        "NaN",
        "-",
        ".",
        "1 2",
    ),
    *(
        "1,234",
        "1,23",
        "-1,234.50",
        "1,234,567",
        "12,345,678.9",
        "1,2345",
        "a1,234",
        "$1,234",
        " 12 ",
        "\x1c12",
        "12\n",
    ),
    *(
        "123456789012",
        "1234567890123",
        "999999999999.999999",
        "0.1234567",
        "0.000001",
        "12345678901234567890",
        "3.10",
        "3.1",
    ),
    *("0e99999", "1e-7", "true", "null"),
]
TEXTS = st.sampled_from(HOSTILE) | st.text(max_size=8) | st.text(st.sampled_from("aA bt,.h1e-+ \t0"), max_size=8)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-1500, 1500)
EDGES = [
    0.0,
    -0.0,
    1e-4,
    9.999999e-5,
    1e-5,
    5e-324,
    1e15,
    999999999999999.9,
    1e16,
    1e22,
    1e300,
    0.1 + 0.2,
    1.0,
    1234567.0,
]
FLOATS = (
    st.floats()
    | st.floats(-2000, 2000)
    | st.integers(-(10**9), 10**9).map(lambda n: n / 1000)
    | st.sampled_from([*EDGES, *(-edge for edge in EDGES), float("inf"), float("nan")])
)
PLAIN = st.none() | TEXTS | NUMBERS | FLOATS | st.booleans()
DECIMAL_TEXTS = st.decimals(-2000, 2000, places=2).map(str) | st.sampled_from(HOSTILE)
NORMALIZE = st.lists(st.sampled_from(STEPS), max_size=4)
SOME_TEXTS = st.lists(TEXTS.filter(bool), min_size=1, max_size=4)

SETTINGS = {
    "exact": st.fixed_dictionaries({}, optional={"normalize": NORMALIZE, "case_sensitive": st.booleans()}),
    "normalized_exact": st.fixed_dictionaries({}, optional={"normalize": NORMALIZE, "case_sensitive": st.booleans()}),
    "literal": st.just({}),
    "boolean": st.just({}),
    "one_of": st.fixed_dictionaries(
        {"values": SOME_TEXTS | st.lists(PLAIN, min_size=1, max_size=3)}, optional={"normalize": NORMALIZE}
    ),
    "contains_any": st.fixed_dictionaries(
        {}, optional={"substrings": SOME_TEXTS, "normalize": NORMALIZE, "case_sensitive": st.booleans()}
    ),
    "numeric_exact": st.fixed_dictionaries({}, optional={"normalize": NORMALIZE}),
    "numeric_tolerance": st.fixed_dictionaries(
        {"tolerance": st.sampled_from([0, 1, 0.05, "0.1234567", "1e-9", 2.5, 10**7, "1e20"])},
        optional={"mode": st.sampled_from(["relative", "absolute"]), "normalize": NORMALIZE},
    ),
    "numeric_range": st.fixed_dictionaries(
        {"min": st.none() | st.sampled_from([-5, 0, 1.5, "0.1234567", -(10**14)])},
        optional={
            "max": st.none() | st.sampled_from([6, 7.25, 10**13, "9e30"]),
            "exclusive_min": st.booleans(),
            "exclusive_max": st.booleans(),
            "normalize": NORMALIZE,
        },
    ),
    "numeric_minimum": st.fixed_dictionaries({}, optional={"exclusive": st.booleans(), "normalize": NORMALIZE}),
}
SETTINGS["not_blank"] = st.just({})
for name in ("contains_all", "starts_with", "ends_with"):
    SETTINGS[name] = SETTINGS["contains_any"]
SETTINGS["numeric_maximum"] = SETTINGS["numeric_minimum"]


def built(name, chosen):
    try:
        return REGISTRY.build(name, chosen)
    except ConfigurationError:
        return None


OPERATORS = {name: chosen.map(lambda given, name=name: built(name, given)) for name, chosen in SETTINGS.items()}


def of_kernel(check, rows):
    """What the kernel writes of each row, one by one."""
    names, counts, samples = RowNames(check.label, check.ids), {}, []
    attempt, lines = AttemptRecords(check.test, check.attempt), []
    for number, row in enumerate(rows, 1):
        result = check.evaluator.judge(row, name=names.name(number, row))
        count(counts, result.operator, result.verdict)
        samples += [] if result.passed else [result]
        lines.append(attempt.line(result.to_members(), number, check.end))
    return "".join(lines).encode("ascii"), counts, samples[:5]


def row_check(operator, mapping=BOTH, **more):
    return RowCheck(
        evaluator=Evaluator(operator, mapping),
        label='a "b".jsonl',
        test="test_a.py::test",
        end=record_end(*PLACE),
        **more,
    )


def assert_same(check, rows, given=None):
    judged, written = score_rows(check, given or RowSlice(range(1, len(rows) + 1), rows), 1)
    lines, counts, samples = of_kernel(check, rows)
    assert written.decode().splitlines() == lines.decode().splitlines()
    assert (written, judged.counts, [*judged.samples]) == (lines, counts, samples)


def as_rows(pairs, ids):
    return [{"want": want, "got": got, "id": name} for (want, got), name in zip(pairs, ids, strict=True)]


@pytest.fixture(autouse=True)
def kinds_of_one_row(monkeypatch):
    """Few rows are enough, so that hypothesis finds small examples."""
    monkeypatch.setattr(groups, "_FEWEST", 1)


many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.every(5)
@pytest.mark.parametrize("name", sorted(OPERATORS))
@many
@given(data=st.data())
def test_columns_and_kernel_write_the_same(name, data):
    operator = data.draw(OPERATORS[name].filter(bool))
    side = data.draw(st.sampled_from([TEXTS, TEXTS, DECIMAL_TEXTS, NUMBERS, FLOATS, FLOATS, st.booleans(), PLAIN]))
    other = data.draw(st.sampled_from([side, side, PLAIN]))
    pairs = data.draw(
        st.lists(st.tuples(side, other) | side.map(lambda value: (value, value)), min_size=1, max_size=12)
    )
    ids = data.draw(st.lists(PLAIN, min_size=len(pairs), max_size=len(pairs)))
    mapping = BOTH if operator.needs_expected() or data.draw(st.booleans()) else ALONE
    assert_same(row_check(operator, mapping, ids=data.draw(st.sampled_from([None, "$.id"]))), as_rows(pairs, ids))


@many
@given(
    st.lists(
        st.tuples(*[st.none() | DECIMAL_TEXTS.filter(lambda text: text != "\ud800")] * 3), min_size=2, max_size=20
    ),
    st.sampled_from(["exact", "normalized_exact", "contains_any", "numeric_exact"]),
    st.sampled_from(["string", "large_string", "dictionary"]),
)
def test_columns_of_any_arrow_type_write_the_same(rows, name, kind):
    schema = pyarrow.schema([(key, pyarrow.string()) for key in ("want", "got", "id")])
    table = pyarrow.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
    of_column = pyarrow.large_string() if kind == "large_string" else pyarrow.string()
    columns = [
        column.combine_chunks().dictionary_encode() if kind == "dictionary" else column.combine_chunks().cast(of_column)
        for column in table.columns
    ]
    batch = pyarrow.record_batch(columns, schema.names).slice(1)
    given = ColumnSlice(range(1, len(batch) + 1), batch)
    assert_same(row_check(REGISTRY.build(name, {}), ids="$.id"), batch.to_pylist(), given)


@pytest.mark.parametrize(
    ("name", "chosen", "values", "one_by_one"),
    [
        ("exact", {}, ["a", "é", "\x00", None, 1], 2),
        ("normalized_exact", {}, [" a", "B", "é", "İ"], 0),
        ("normalized_exact", {"normalize": ["remove_punctuation"]}, ["-", "a-", "a"], 1),
        ("numeric_exact", {}, ["1", "1.50", "+2", "1e3", "x", "0.1234567", "1234567890123"], 4),
        ("numeric_exact", {"normalize": ["strip_thousands_separators"]}, ["1,234.5", "12", "1,23", "a1,234"], 2),
        ("numeric_maximum", {}, [1, 2, 10**12], 1),
        ("boolean", {}, [True, False, None], 1),
        ("literal", {}, [[1.5], [2.5]], 2),
        ("exact", {}, [0.0, 1.5, 1.0, 1e-4, 9e9, -0.0, 1e-5, 1e10, float("nan"), None, 1], 6),
        ("numeric_tolerance", {"tolerance": 1}, [0.25, -3.0, 0.1234567, 1e10, 7], 3),
    ],
)
def test_these_rows_are_compared_one_by_one(name, chosen, values, one_by_one):
    rows = [{"want": value, "got": value} for value in values]
    assert count_singles(REGISTRY.build(name, chosen), rows) == one_by_one


class SameLength(Operator):
    name = "same_length"
    wrong: str = ""

    def evaluate(self, expected, observed):
        return Outcome(float(len(expected) == len(observed)), details={"length": len(observed)})


def group_by_length(operator, expected, observed):
    from pyarrow import compute

    length = compute.utf8_length(observed)
    is_same = compute.equal(compute.utf8_length(expected), length).cast("int8")
    return GroupedRows(
        compute.multiply(is_same, 0) if operator.wrong == "groups" else is_same,
        {} if operator.wrong == "parts" else {("details", "length"): length},
    )


LENGTHS = [{"want": "ab", "got": "xy"}, {"want": "é", "got": "x"}, {"want": "abc", "got": "x"}]


@pytest.fixture
def same_length(monkeypatch):
    """The operator and its column function, as another package brings them."""
    monkeypatch.setitem(REGISTRY._classes, "same_length", SameLength)
    monkeypatch.setitem(FAMILIES.own("column_functions"), "same_length", f"{__name__}:group_by_length")


def count_singles(operator, rows):
    numbers = range(1, len(rows) + 1)
    return len(judge_rows(Evaluator(operator, BOTH), RowSlice(numbers, rows), RowNames("rows")).singles)


@pytest.mark.usefixtures("same_length")
def test_an_operator_of_another_package_may_compare_columns():
    assert count_singles(SameLength(), LENGTHS) == 0
    assert_same(row_check(SameLength()), LENGTHS)


@pytest.mark.usefixtures("same_length")
@pytest.mark.parametrize("wrong", ["groups", "parts"])
def test_columns_that_disagree_with_the_kernel_are_refused(wrong):
    message = r"same_length: the column function and evaluate\(\) disagree on <same_length"
    with pytest.raises(ConfigurationError, match=message):
        assert_same(row_check(SameLength(wrong=wrong)), LENGTHS)


@pytest.mark.usefixtures("same_length")
@pytest.mark.parametrize("base", [Exact, SameLength])
def test_a_subclass_is_not_compared_by_the_columns_of_its_base(base):
    class Never(base):
        def evaluate(self, expected, observed):
            return Outcome(0.0)

    rows = [{"want": "a", "got": "a"}] * 5
    assert count_singles(Never(), rows) == len(rows)
    assert_same(row_check(Never()), rows)


def test_the_documentation_has_the_table_of_operators():
    lines = [f"| `{name}` | {entry.row_by_row} |" for name, entry in TABLE.items()]
    page = Path(__file__).parents[2] / "docs/how-to/datasets.md"
    assert "\n".join(lines) in page.read_text("utf-8")


@pytest.mark.parametrize("length", [10_000, 11_000, 70_000])
def test_a_long_document_is_replaced_by_its_digest(length):
    rows = [{"want": "x" * length, "got": "\x01" * 3 + str(number)} for number in range(5)]
    assert_same(row_check(REGISTRY.build("exact", {})), rows)


def test_too_many_texts_or_steps_are_compared_row_by_row():
    texts = [f"text {number}" for number in range(70)]
    rows = [{"got": f" TEXT {number} "} for number in range(9)]
    assert_same(row_check(REGISTRY.build("contains_any", {"substrings": texts, "case_sensitive": False}), ALONE), rows)
    steps = {"normalize": ["strip", "lowercase"] * 40}
    assert_same(row_check(REGISTRY.build("exact", steps)), [{"want": "text 1", **row} for row in rows])


def test_without_pyarrow_nothing_changes_but_the_speed(monkeypatch):
    monkeypatch.setitem(sys.modules, groups.__name__, None)
    rows = [{"want": text, "got": text.lower(), "id": text} for text in HOSTILE]
    check = row_check(REGISTRY.build("normalized_exact", {}), ids="$.id")
    assert_same(check, rows)
    judged = judge_rows(check.evaluator, RowSlice(range(1, len(rows) + 1), rows), RowNames("rows"))
    assert len(judged.singles) == len(rows)


BLOCKS = [
    *(
        '{"a":1}\n{"a":2}',
        '{"a":1}\n{"a":2}\n',
        '{"a":1}\n\n{"a":2}\n',
        '{"a":1}\r\n{"a":2}\r\n',
        "\ufeff" + '{"a":1}\n',
    ),
    *(
        '{"a":1,"a":2}\n',
        '{"a":1,"a" :2}\n',
        '{"a":{"b":1,"b":2}}\n',
        '{"a":[{"b":1,"b":2}]}\n',
        '{"a":"\\":","a":2}\n',
    ),
    *(
        '{"a\\\\":1,"a\\\\":2}\n',
        '{"a":"{[","b":"x\\":"}\n',
        '{"a":{"b":[{"c":1}]},"d":[]}\n',
        '{"a":"b : c","e":"x\\" : y"}\n',
    ),
    *(
        '{"a":1} {"a":2}\n',
        '{"a":1},{"a":2}\n',
        '{"a":1},{"a":2}\n{"b":\n1}\n',
        '{"a":[\n{"b":1}\n,{}]}\n',
        '[{"a":1}]\n',
        "{}\n{}\n",
    ),
    *(
        '{"a":NaN}\n',
        '{"a":1e400}\n{"a":1.0}\n',
        '{"a":-0}\n',
        '{"a":"\\ud800"}\n',
        '{"a":1' + "0" * 30 + "}\n",
        '{"a":"\x01"}\n',
    ),
    *(
        '{"a":1',
        '{"a":01}\n',
        '{"a":tru}\n',
        "\n",
        "",
        '{"a":1}\t\n{"a":2}\n',
        '\t{"a":1}\n',
        '{"a":"é"}\n{"a":"\u2028"}\n',
    ),
]


@many
@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=3).map("".join) | st.text('{}[]":,\\ a1\n', max_size=30))
def test_lines_read_together_are_the_lines_read_alone(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    path.write_text(text, "utf-8", newline="")
    expected = [(row.number, row.value, row.error) for row in formats.read_jsonl(path)]
    found = [
        (number, value, part.errors.get(position))
        for part in read_slices(path, lambda _: None)
        for position, (number, value) in enumerate(zip(part.numbers, part.values, strict=True))
    ]
    assert repr(found) == repr(expected)
