"""Rows that are compared together have the records of single comparisons, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pytest_verdict.core.normalizers import NORMALIZERS, SynonymMap
from pytest_verdict.core.record import AttemptRecords, count, sum_counts
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.row_check import RowCheck, compare_rows
from pytest_verdict.datasets.rows import RowNames, number_rows
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.evaluator import Evaluator

pyarrow = pytest.importorskip("pyarrow")

BOTH = {"expected": "$.want", "observed": "$.got"}
ALONE = {"observed": "$.got"}
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
    attempt, lines = AttemptRecords(check.test, 1), []
    for number, row in enumerate(rows, 1):
        result = check.evaluator.judge(row, name=names.find(row) or names.place(number))
        count(counts, result.operator, result.verdict)
        samples += [] if result.passed else [result]
        lines.append(attempt.line(result.to_members(), number, check.end))
    return "".join(lines).encode("ascii"), counts, samples[:5]


def row_check(operator, mapping=BOTH, **more):
    return RowCheck(
        evaluator=Evaluator(operator, mapping),
        label='a "b".jsonl',
        test="test_a.py::test",
        **more,
    )


def assert_same(check, rows, given=None):
    batches = [*compare_rows(check, given or number_rows(rows))]
    attempt = AttemptRecords(check.test, 1)
    written = b"".join(compared.write(attempt, check.end) for compared in batches)
    lines, counts, samples = of_kernel(check, rows)
    assert written.decode().splitlines() == lines.decode().splitlines()
    assert written == lines
    assert sum_counts(counts) == tuple(map(sum, zip(*(sum_counts(one.counts) for one in batches), strict=True)))
    assert [sample for one in batches for sample in one.samples][:5] == samples


def as_rows(pairs, ids):
    return [{"want": want, "got": got, "id": name} for (want, got), name in zip(pairs, ids, strict=True)]


many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.every(5)
@pytest.mark.parametrize("name", sorted(OPERATORS))
@many
@given(data=st.data())
def test_rows_and_kernel_write_the_same(name, data):
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
    check = row_check(REGISTRY.build(name, {}), ids="$.id")
    assert_same(check, batch.to_pylist(), formats.rows_of_batches([batch]))


@pytest.mark.parametrize("length", [10_000, 11_000, 70_000])
def test_a_long_document_is_replaced_by_its_digest(length):
    rows = [{"want": "x" * length, "got": "\x01" * 3 + str(number)} for number in range(5)]
    assert_same(row_check(REGISTRY.build("exact", {})), rows)


def test_many_texts_and_steps_write_the_same():
    texts = [f"text {number}" for number in range(70)]
    rows = [{"got": f" TEXT {number} "} for number in range(9)]
    assert_same(row_check(REGISTRY.build("contains_any", {"substrings": texts, "case_sensitive": False}), ALONE), rows)
    steps = {"normalize": ["strip", "lowercase"] * 40}
    assert_same(row_check(REGISTRY.build("exact", steps)), [{"want": "text 1", **row} for row in rows])
