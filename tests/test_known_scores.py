"""What is seen at a glance is what the kernel finds: the same verdict, score, notes, details and record, byte for byte."""

from __future__ import annotations

import copy
import datetime
import itertools
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import KnownScore
from pytest_verdict.operators import NumericExact, NumericMaximum, NumericMinimum, NumericTolerance, TextSimilarity
from pytest_verdict.session import SESSION

TOLERANCES = [0, 0.1, 0.5, 1, 3, 1e-9, 1e-120, 5e-324, 1e22, "1e400", "1e-400", "0.1000000000000000055", "0.3333"]
TOLERANT = [NumericTolerance(tolerance=limit, mode=mode) for limit in TOLERANCES for mode in ("relative", "absolute")]
NUMERIC = [
    *TOLERANT[2:6],
    NumericTolerance(tolerance=0.1, normalize=["strip"]),
    NumericExact(),
    *(kind(exclusive=exclusive) for kind in (NumericMinimum, NumericMaximum) for exclusive in (False, True)),
]
TEXTUAL = [
    *map(REGISTRY.build, ("contains_any", "contains_all", "not_contains", "starts_with", "ends_with", "one_of")),
    *(REGISTRY.build("set_containment", {"mode": mode}) for mode in ("exact", "subset", "superset", "overlap")),
    *map(REGISTRY.build, ("set_similarity", "ordered_match", "exact", "json_subset", "json_canonical")),
    *(TextSimilarity(metric=metric) for metric in ("levenshtein", "damerau_levenshtein", "indel", "jaro", "token_f1")),
]
SPECIAL = [
    0.0,
    -0.0,
    1,
    1.0,
    5e-324,
    2.2e-308,
    1e-200,
    1e16,
    1e23,
    10**23,
    1.7e308,
    -1.7e308,
    math.nan,
    math.inf,
    -math.inf,
]
SPECIAL += [
    10**100,
    10**308,
    10**400,
    10**5_001,
    2**53 + 1,
    True,
    None,
    "1.5",
    "nan",
    Decimal("1.1"),
    Fraction(1, 3),
    1j,
]
TEXT = st.one_of(st.text("ab\ud800é ", max_size=4), st.sampled_from(["", "ab", "ba", "abab"]))
ITEMS = st.one_of(
    TEXT, st.integers(0, 2), st.booleans(), st.none(), st.sampled_from([1.0, math.nan, Decimal(1), ("a",)])
)
VALUES = st.one_of(
    TEXT,
    st.lists(TEXT, max_size=4),
    st.lists(ITEMS, max_size=4),
    st.sets(TEXT, max_size=3),
    st.dictionaries(TEXT, ITEMS, max_size=3),
    st.sampled_from([None, 1, True, datetime.date(2024, 5, 1), object, [object()], [["a"], "a"]]),
)


@pytest.fixture(autouse=True)
def _no_report(monkeypatch):
    """These tests themselves may run with a report."""
    monkeypatch.setattr(SESSION, "journal", None)


def assert_seen_as_found(operator, expected, observed):
    found = run(operator, expected, observed)
    for look in ("passed", "verdict", "score", "error", "notes", "details", "outcome", "children", "changed_sides"):
        assert getattr(compare(operator, expected, observed), look) == getattr(found, look), look
    seen = compare(operator, expected, observed, name="a name")
    assert seen.has_passed() == found.passed
    assert seen.to_text() == run(operator, expected, observed, name="a name").to_text()
    assert compare(operator, expected, observed).envelope().tail == found.envelope().tail
    again = copy.copy(compare(operator, expected, observed))
    assert (again.normalization, repr(again.expected_surface)) == (found.normalization, repr(found.expected_surface))


@st.composite
def near_the_limit(draw):
    """Give a number, an operator, and a number whose distance is the tolerance or nearly so."""
    operator = draw(st.sampled_from(TOLERANT))
    expected = draw(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**20), 10**20))
    unit = abs(expected) if operator.mode == "relative" else 1
    try:
        observed = float(expected + draw(st.sampled_from([-1, 1])) * float(operator.tolerance) * unit)
    except OverflowError:
        observed = 0.0
    for _ in range(draw(st.integers(0, 8))):
        observed = math.nextafter(observed, draw(st.sampled_from([math.inf, -math.inf])))
    return operator, expected, observed


@settings(max_examples=300)
@given(near_the_limit())
@example((TOLERANT[2], 1.0, 1.1))
@example((TOLERANT[3], 0.3, 0.1 + 0.1))
def test_numbers_at_their_limit(case):
    assert_seen_as_found(*case)


@pytest.mark.parametrize("operator", NUMERIC, ids=lambda operator: f"{operator.name}{operator.settings()}")
def test_special_numbers(operator):
    for expected, observed in itertools.product(SPECIAL, SPECIAL):
        seen, found = compare(operator, expected, observed), run(operator, expected, observed)
        assert (seen.verdict, seen.score, seen.to_text()) == (found.verdict, found.score, found.to_text())


@settings(max_examples=60)
@given(VALUES, VALUES)
def test_texts_and_lists(expected, observed):
    for operator in TEXTUAL:
        assert_seen_as_found(operator, expected, observed)


@pytest.mark.parametrize(
    ("name", "expected", "observed", "chosen"),
    [
        ("numeric_tolerance", 37.0, 36.8, {"tolerance": 0.5, "mode": "absolute"}),
        ("numeric_exact", 5, 7, {}),
        ("contains_any", "a", "banana", {}),
        ("one_of", ["a", "b"], "b", {}),
        ("text_similarity", "kitten", "sitting", {}),
        ("set_containment", ["a", "b"], ["b", "a"], {}),
    ],
)
def test_the_usual_case_is_seen_at_a_glance(name, expected, observed, chosen):
    result = compare(name, expected, observed, **chosen)
    assert isinstance(result._outcome, KnownScore)
    assert (
        result.details
        == pickle.loads(pickle.dumps(result)).details
        == run(REGISTRY.build(name, chosen), expected, observed).details
    )


def test_what_changes_later_is_no_part_of_the_result():
    expected, observed = ["a", "b"], ["b", "a"]
    result = compare("set_containment", expected, observed)
    expected.append("c")
    observed.clear()
    assert (result.passed, result.expected, result.observed) == (True, ["a", "b"], ["b", "a"])
    assert result.details == {"missing": [], "unexpected": [], "common": ["a", "b"]}


def test_an_operator_that_has_compared_can_still_be_sent():
    operator = NumericTolerance(tolerance=0.1)
    assert compare(operator, 1, 1).passed
    assert compare(pickle.loads(pickle.dumps(operator)), 1, 1) == compare(copy.deepcopy(operator), 1, 1)


def test_where_a_report_is_written_everything_is_found_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(SESSION, "journal", tmp_path)
    result = compare("contains_any", "a", "banana")
    assert not isinstance(result._outcome, KnownScore)
    assert result.details == {"found": ["a"], "missing": []}
