"""json_canonical and json_subset: what is read, what is equal, what is contained, and what a failure shows."""

import itertools
import math
from decimal import Decimal
from enum import Enum

import pytest
from hypothesis import assume, given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values.differences import step
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.json.document import read_document
from pytest_verdict.operators.json.rules import compile_path

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, 2.5, "", "a", "b.c", "it's"])
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner), max_leaves=12
).filter(lambda document: not isinstance(document, str))  # text stands for a document yet to be read


class Color(Enum):
    RED = "red"


def nested(levels):
    return "[" * levels + "]" * levels


LOOP: list = []
LOOP.append(LOOP)


@pytest.mark.parametrize("operator", ["json_canonical", "json_subset", "json_distance", "json_schema"])
@pytest.mark.parametrize(
    ("observed", "note"),
    [
        pytest.param('{"answer":', "json_parse_failed", id="cut off"),
        pytest.param(b"\xff", "json_parse_failed", id="not UTF-8"),
        pytest.param("", "json_parse_failed", id="empty"),
        pytest.param('{"a": 1, "a": 1}', "json_duplicate_key", id="duplicate key"),
        pytest.param("[NaN]", "json_not_finite", id="NaN"),
        pytest.param([math.inf], "json_not_finite", id="infinity in a value"),
        pytest.param([Decimal("sNaN")], "json_not_finite", id="signalling NaN in a value"),
        pytest.param(nested(201), "json_too_deep", id="too deep"),
        pytest.param(LOOP, "json_too_deep", id="contains itself"),
        pytest.param({1, 2}, "not_json", id="set"),
        pytest.param({"a": object()}, "not_json", id="object"),
        pytest.param({1: 2}, "not_json", id="key that is no text"),
        pytest.param(Color.RED, "not_json", id="member of an Enum"),
        pytest.param([b"a"], "not_json", id="bytes inside"),
    ],
)
def test_unreadable_observed_fails_with_note(operator, observed, note):
    result = compare(operator, "true", observed)
    assert (result.verdict, result.score, result.notes, result.normalization) == ("fail", 0.0, [note], [])
    assert list(result.details["unreadable"]) == ["observed"]


def test_normalization_steps_are_recorded():
    assert compare("json_canonical", '{"b": 1, "a": 2}', '{"a": 2, "b": 1}').normalization == ["json_sort_keys"]
    folded = compare("json_subset", {"a": ["STRASSE"]}, '{"a": ["Stra\u00dfe"]}', case_sensitive=False)
    assert "casefold" in folded.normalization


def test_unreadable_sides_share_one_note():
    result = compare("json_canonical", "{", "[")
    assert result.notes == ["json_parse_failed"]
    assert list(result.details["unreadable"]) == ["expected", "observed"]


def test_example_of_comparator_pattern():
    result = compare("json_canonical", '{"answer": 42}', '{"answer":')
    assert not result.passed
    assert result.notes == ["json_parse_failed"]


def test_normalizers_run_before_parsing():
    fenced = '```json\n{"a": 1}\n```'
    assert compare("json_canonical", {"a": 1}, fenced).notes == ["json_parse_failed"]
    result = compare("json_canonical", {"a": 1}, fenced, normalize=["strip_markdown_fence"])
    assert (result.passed, result.normalization) == (True, ["strip_markdown_fence", "json_sort_keys"])
    assert result.observed_surface == '{"a": 1}'


def test_differences_have_paths():
    expected = {"a": [1, 2, 3], "b.c": 1, "d": {"it's": None}, "e": 1.5, "f": Decimal("1e400")}
    observed = {"a": [1, 5], "b.c": "1", "d": {"it's": False}, "g": [], "f": 0}
    assert compare("json_canonical", expected, observed).details["differences"] == [
        {"path": "$.a[1]", "kind": "changed", "expected": 2, "observed": 5},
        {"path": "$.a[2]", "kind": "missing", "expected": 3},
        {"path": "$['b.c']", "kind": "changed", "expected": 1, "observed": "1"},
        {"path": "$.d['it\\'s']", "kind": "changed", "expected": None, "observed": False},
        {"path": "$.e", "kind": "missing", "expected": 1.5},
        {"path": "$.f", "kind": "changed", "expected": "1E+400", "observed": 0},
        {"path": "$.g", "kind": "unexpected", "observed": []},
    ]


@pytest.mark.parametrize("operator", ["json_canonical", "json_distance"])
def test_differences_are_limited_to_100(operator):
    details = compare(operator, {}, {f"k{index}": index for index in range(130)}).details
    assert (len(details["differences"]), details["differences_omitted"]) == (100, 30)


@pytest.mark.parametrize("key", ["plain", "b.c", "with space", "ünïcode", ""])
def test_path_finds_its_part(key):
    [match] = compile_path(step("$", key)).find({key: 7, "other": 8})
    assert match.value == 7


@given(documents, documents)
def test_json_canonical_agrees_with_parsed_documents(left, right):
    same = compare("json_canonical", left, right).passed
    assert same == (read_document(left) == read_document(right) and repr_kinds(left) == repr_kinds(right))
    assert compare("json_canonical", left, left).passed
    assert compare("json_canonical", right, left).passed is same


def repr_kinds(value):
    # Python takes True for 1; this tells them apart.
    if isinstance(value, dict):
        return {key: repr_kinds(item) for key, item in value.items()}
    return [repr_kinds(item) for item in value] if isinstance(value, list) else isinstance(value, bool)


@pytest.mark.parametrize("operator", ["json_canonical", "json_subset", "json_distance"])
def test_deepest_documents_are_compared(operator):
    deepest, other = nested(200), "[" * 199 + "1" + "]" * 199
    assert compare(operator, deepest, deepest).passed
    result = compare(operator, other, deepest)
    assert (result.verdict, result.notes) == ("fail", [])


def test_json_subset_lists_missing_parts():
    expected = {"id": 7, "tags": [{"a": 1}, "x"], "pair": [1, 2]}
    observed = {"tags": [{"a": 2}, "x"], "pair": [1], "more": 0}
    assert compare("json_subset", expected, observed).details["differences"] == [
        {"path": "$.id", "kind": "missing", "expected": 7},
        {"path": "$.pair[1]", "kind": "missing", "expected": 2},
        {"path": "$.tags[0]", "kind": "missing", "expected": {"a": 1}},
    ]
    details = compare("json_subset", [1, 2], [1, 3, 4], list_mode="exact").details
    assert [(found["path"], found["kind"]) for found in details["differences"]] == [
        ("$[1]", "changed"),
        ("$[2]", "unexpected"),
    ]


@given(documents, documents)
def test_json_subset_holds_for_parts(whole, other):
    assume(whole not in ({}, []))
    assert compare("json_subset", whole, whole).passed
    if isinstance(whole, dict) and isinstance(other, dict):
        assert compare("json_subset", whole, {**other, **whole}).passed
    if isinstance(whole, list) and isinstance(other, list):
        assert compare("json_subset", whole, [*reversed(whole), *other]).passed


def test_json_subset_rejects_unknown_list_mode():
    with pytest.raises(SettingsError, match="list_mode"):
        compare("json_subset", [], [], list_mode="prefix")


def test_json_subset_of_long_lists_is_not_quadratic(monkeypatch):
    from pytest_verdict.operators.json import equality

    counted = []
    plain = equality._is_contained
    monkeypatch.setattr(equality, "_is_contained", lambda *given: counted.append(1) or plain(*given))
    expected = [{"id": at, "kind": "order"} for at in range(300)]
    observed = [{**item, "more": 1} for item in reversed(expected)]
    assert compare("json_subset", expected, observed).passed
    assert not compare("json_subset", [*expected, {"id": -1}], observed).passed
    assert len(counted) < 6_000


def is_contained(expected, observed):
    """The definition of the docstring, by trying every assignment."""
    if isinstance(expected, dict) and isinstance(observed, dict):
        return all(key in observed and is_contained(item, observed[key]) for key, item in expected.items())
    if isinstance(expected, list) and isinstance(observed, list):
        return any(
            all(map(is_contained, expected, chosen)) for chosen in itertools.permutations(observed, len(expected))
        )
    return expected == observed and isinstance(expected, bool) is isinstance(observed, bool)


@given(st.lists(documents, max_size=3), st.lists(documents, max_size=4))
def test_json_subset_finds_a_partner_for_every_item(expected, observed):
    assume(expected)
    assert compare("json_subset", expected, observed).passed is is_contained(expected, observed)


BOTH = pytest.mark.parametrize("operator", ["json_canonical", "json_subset"])


@BOTH
def test_fully_ignored_document_is_an_error(operator):
    found = compare(operator, {"id": 1}, {"id": 2, "b": 1}, ignore=["$.id"])
    assert (found.verdict, found.notes) == ("error", ["empty_expected"])
    assert compare(operator, {"a": {}}, {"a": {}}, ignore=["$.id"]).passed


@BOTH
def test_later_settings_are_recorded_only_if_not_default(operator):
    assert not {"ignore", "case_sensitive"} & compare(operator, 1, 1).settings.keys()
    assert compare(operator, {"a": 1}, {"a": 1}, ignore=["$.b"]).settings["ignore"] == ["$.b"]
    with pytest.raises(SettingsError, match="matches the whole document"):
        compare(operator, 1, 1, ignore=["$"])


@given(documents, documents)
def test_ignoring_absent_path_changes_nothing(expected, observed):
    for operator in ("json_canonical", "json_subset"):
        plain, other = (
            compare(operator, expected, observed),
            compare(operator, expected, observed, ignore=["$['not there']"]),
        )
        assert (plain.verdict, plain.details) == (other.verdict, other.details)
