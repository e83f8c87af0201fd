"""Calls by occurrence: the first, the last or the n-th call of a tool is the one that is compared."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError

OBSERVED = [("search", {"q": 1}), ("pay", {"sum": 5}), ("search", {"q": 2}), ("search", {"q": 3}), ("pay", {"sum": 6})]
SEARCHES = ["trajectory_any_order", "trajectory_in_order", "trajectory_steps", "trajectory_recall"]


@pytest.mark.parametrize(
    ("occurrences", "query"),
    [("first", 1), ("last", 3), (1, 1), (2, 2), ({"search": 3}, 3), ({"*": "last"}, 3)],
    ids=str,
)
@pytest.mark.parametrize("operator", SEARCHES)
def test_chosen_call_is_compared(operator, occurrences, query):
    for q in (1, 2, 3):
        result = compare(operator, [("search", {"q": q})], OBSERVED, occurrences=occurrences)
        assert result.verdict == ("pass" if q == query else "fail")
        assert result.normalization == ["choose_occurrences"]


@pytest.mark.parametrize(
    ("occurrences", "observed"),
    [
        ("first", [("search", {"q": 1}), ("pay", {"sum": 5})]),
        ("last", [("search", {"q": 3}), ("pay", {"sum": 6})]),
        (2, [("search", {"q": 2}), ("pay", {"sum": 6})]),
        ({"search": "last"}, [("pay", {"sum": 5}), ("search", {"q": 3}), ("pay", {"sum": 6})]),
        ({"pay": 2}, [("search", {"q": 1}), ("search", {"q": 2}), ("search", {"q": 3}), ("pay", {"sum": 6})]),
        ({"*": "first", "search": "last"}, [("pay", {"sum": 5}), ("search", {"q": 3})]),
        ({"book": "last"}, OBSERVED),
    ],
    ids=str,
)
def test_calls_of_other_tools_and_their_order_stay(occurrences, observed):
    assert compare("trajectory_exact", observed, OBSERVED, occurrences=occurrences).passed
    if observed != OBSERVED:
        assert not compare("trajectory_exact", OBSERVED, OBSERVED, occurrences=occurrences).passed


@pytest.mark.parametrize("occurrences", [4, {"search": 4}, {"pay": 3}, {"book": 1}, {"*": 3}], ids=str)
@pytest.mark.parametrize("operator", ["trajectory_any_order", "trajectory_forbidden", "trajectory_only_from"])
def test_call_that_was_not_made_fails(operator, occurrences):
    result = compare(operator, ["delete", "search"], OBSERVED, occurrences=occurrences)
    assert (result.verdict, result.notes) == ("fail", ["no_such_call"])
    assert "is compared" in result.details["reason"]


@pytest.mark.parametrize(
    "occurrences",
    [0, -1, 1.0, True, None, "second", "", [1], {"search": 0}, {"search": "2"}, {"search": None}],
    ids=str,
)
def test_other_occurrences_are_refused(occurrences):
    with pytest.raises(SettingsError, match="takes first, last or a whole number from 1"):
        compare("trajectory_any_order", ["search"], OBSERVED, occurrences=occurrences)


def test_forbidden_calls_by_occurrence():
    assert compare("trajectory_forbidden", [("search", {"q": 1})], OBSERVED, occurrences={"search": "last"}).passed
    assert not compare("trajectory_forbidden", [("search", {"q": 3})], OBSERVED, occurrences={"search": "last"})


def test_near_name_is_an_error():
    result = compare("trajectory_any_order", ["pay"], OBSERVED, occurrences={"serch": "last"})
    assert (result.verdict, result.notes) == ("error", ["near_name"])
    assert compare("trajectory_any_order", ["pay"], OBSERVED, occurrences={"serch": "last"}, exact_names=True).passed


def test_other_selections_come_first():
    observed = [("mcp__a__find", {"q": 1}), ("log", {}), ("find", {"q": 2})]
    settings = {"mcp_servers": "any", "aliases": {"find": "search"}, "only_tools": ["search"]}
    for tool in ("search", "find"):
        result = compare("trajectory_exact", [("search", {"q": 2})], observed, occurrences={tool: "last"}, **settings)
        assert result.passed


def test_each_turn_has_its_own_occurrences():
    turns = [[("search", {"q": 1}), ("search", {"q": 2})], [("search", {"q": 3})]]
    expected = [[("search", {"q": 2})], [("search", {"q": 3})]]
    assert compare("trajectory_exact", expected, turns, turns="all", occurrences="last").passed
    assert compare("trajectory_exact", expected[1:], turns, turns="flatten", occurrences="last").passed


def test_empty_setting_is_left_out_of_the_record():
    assert "occurrences" not in compare("trajectory_exact", ["a"], ["a"], occurrences={}).settings
