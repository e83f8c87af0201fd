"""Rows of several kinds: the operator depends on the row or on its group; columns by name."""

import contextlib
import json

import pytest
from noisy_replies import KINDS, TUNING, replies
from test_extraction import WITH_PRESETS, line_of, replay_line

from pytest_verdict import Comparator, MismatchError
from pytest_verdict.errors import ConfigurationError, SettingsError
from pytest_verdict.operators import Exact
from pytest_verdict.suites import Evaluator, InputMapping, check_dataset

MAPPING = {"expected": "$.want", "observed": "$.got"}
BY_KIND = {
    "number": {"operator": "numeric_tolerance", "settings": {"tolerance": 1, "mode": "absolute"}},
    "label": "normalized_exact",
    "text": {"operator": Exact(), "mapping": {"observed": {"path": "$.got", "extract": {"after": "A:"}}}},
}


def test_the_operator_of_a_row_is_that_of_its_group():
    evaluator = Evaluator(BY_KIND, {**MAPPING, "group": "$.kind"})
    rows = [
        {"kind": "number", "want": 5, "got": 5.5},
        {"kind": "label", "want": "Yes", "got": "yes "},
        {"kind": "text", "want": "x", "got": "A: x"},
    ]
    results = [evaluator.compare(row) for row in rows]
    assert [(result.operator, result.verdict) for result in results] == [
        ("numeric_tolerance", "pass"),
        ("normalized_exact", "pass"),
        ("exact", "pass"),
    ]
    assert [result.to_record()["sources"]["group"] for result in results] == ["number", "label", "text"]
    assert [replay_line(line_of(result)).status for result in results] == ["identical"] * 3


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        ("exakt", "Unknown comparator"),
        ({"operator": "exact", "sttings": {}}, "Did you mean 'settings'"),
        (3, "an operator is a name, or a dict with 'operator', got 3"),
        ({"operator": "exact", "settings": 5}, "settings and mapping of an operator are dicts"),
        ({"operator": "exact", "settings": {"threshold": 1}}, "is no setting of an operator"),
        ({"operator": "exact", "settings": {5: 1}}, "is no setting of an operator"),
        ({"operator": "exact", "mapping": {"observed": 5}}, "observed: an input is a path"),
    ],
    ids=str,
)
def test_invalid_operator_of_a_group_is_refused(operator, words):
    with pytest.raises(ConfigurationError) as error:
        Evaluator({"a": operator}, {**MAPPING, "group": "$.kind"})
    assert words in str(error.value)


def test_a_group_without_an_operator_is_an_error():
    result = Evaluator(BY_KIND, {**MAPPING, "group": "$.kind"}).compare({"kind": "numbr", "want": 1, "got": 1})
    assert result.verdict == "error"
    assert "group: 'numbr' has no operator. Did you mean 'number'" in result.error


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        ((BY_KIND, MAPPING), {}, "need a mapping with a path as 'group'"),
        (({}, {**MAPPING, "group": "$.kind"}), {}, "an operator for each"),
        ((BY_KIND, {**MAPPING, "group": "$.kind"}), {"tolerance": 1}, "tolerance: settings stand with each operator"),
        (({"a": "exakt"}, {**MAPPING, "group": "$.kind"}), {}, "Unknown comparator"),
        (({"a": 1}, {**MAPPING, "group": "$.kind"}), {}, "an operator is a name"),
        (("exact", MAPPING), {"expected": "want"}, "expected: it is a column and an input of the mapping"),
        (("exact",), {}, "a mapping names the inputs"),
        (("exact",), {"observed": "got"}, "expected: the mapping does not say"),
    ],
)
def test_invalid_argument_is_refused(arguments, settings, words):
    with pytest.raises(ConfigurationError) as error:
        Evaluator(*arguments, **settings)
    assert words in str(error.value)


@pytest.mark.parametrize("column", ["want", "a b", "where", "x.y", "it's", "*", "\u00e9", "$"])
def test_columns_are_named(tmp_path, column):
    (tmp_path / "rows.csv").write_text(f'"{column}",got\n5,It is 5.\n6,It is 7.\n', encoding="utf-8")
    check = check_dataset(tmp_path / "rows.csv", "contains_all", expected=column, observed="got", pass_rate=0.5)
    assert (check.passed, check.failed) == (1, 1)


def test_a_column_goes_with_the_rest_of_a_mapping():
    evaluator = Evaluator("exact", InputMapping(observed={"path": "$.b", "extract": "last_number"}), expected="a")
    assert evaluator.compare({"a": "5", "b": "it is 5"}).passed


def test_noisy_replies_of_all_kinds_are_one_data_set():
    kinds = {
        kind: {"operator": operator, "mapping": {"observed": way}} for kind, (operator, way) in WITH_PRESETS.items()
    }
    mapping = {"expected": "$.expected", "observed": "$.reply", "group": "$.kind"}
    rows = [row for row in replies(TUNING) if row["right"]]
    assert check_dataset(rows, kinds, mapping).passed == 60 * len(KINDS)


def test_the_threshold_of_a_comparator_holds_for_all_rows():
    rows = [{"k": "a", "want": "abc", "got": "abd"}]
    for threshold, passed in ((0.1, 1), (0.9, 0)):
        comparator = Comparator().with_defaults(threshold=threshold)
        with contextlib.suppress(MismatchError), comparator.collect():
            check = check_dataset(rows, {"a": "text_similarity"}, {**MAPPING, "group": "$.k"}, comparator=comparator)
        assert check.passed == passed


ROWS_BY_KIND = """
from pytest_verdict.suites import check_dataset

def test_rows():
    rows = [
        {"kind": "a", "want": "x", "got": "x"},
        {"kind": "a", "want": "x", "got": "y"},
        {"kind": "b", "want": 1, "got": "1"},
    ]
    mapping = {"expected": "$.want", "observed": "$.got", "group": "$.kind"}
    check_dataset(rows, {"a": "exact", "b": "numeric_exact"}, mapping, pass_rate=0.5)
"""


def test_a_report_is_counted_by_group(harness, capsys):
    from pytest_verdict.cli import main

    run = harness.run(ROWS_BY_KIND, "--verify-report")
    assert run.outcomes == {"passed": 1}
    assert [json.dumps(record.get("sources", {}).get("group")) for record in run.records] == [
        '"a"',
        '"a"',
        '"b"',
        "null",
    ]
    main(["replay", str(harness.path / "verify-report")])
    assert "4 identical" in capsys.readouterr().out
    assert main(["table", str(harness.path / "verify-report"), "--by", "group"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:22] for line in lines[2:]] == ["| a | 2 | 1 | 1 | 0 | ", "| b | 1 | 1 | 0 | 0 | "]


def test_settings_are_those_of_operators():
    with pytest.raises(SettingsError):
        Evaluator("exact", {**MAPPING, "grup": "$.kind"})
