"""Selection of calls: an empty selection and an unknown tool are refused."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.trajectories import Event
from refusals import refused

OPERATORS = [
    "trajectory_any_order",
    "trajectory_exact",
    "trajectory_f1",
    "trajectory_forbidden",
    "trajectory_in_order",
    "trajectory_only_from",
    "trajectory_precision",
    "trajectory_recall",
    "trajectory_similarity",
    "trajectory_steps",
]
CALLS = ["search", "buy"]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("tools", [["serach"], ["search", "serach"]], ids=["alone", "second"])
def test_unknown_tool_is_an_error(operator, tools):
    found = refused(operator, CALLS, CALLS, "unknown_tool", only_tools=tools)
    assert found.outcome.error.startswith("only_tools has 'serach', which no side calls")
    assert "Did you mean 'search'?" in found.outcome.error


@pytest.mark.parametrize("operator", OPERATORS)
def test_except_tools_accepts_a_tool_that_is_not_called(operator):
    with_others = compare(operator, CALLS, CALLS, except_tools=["think"])
    assert with_others.verdict == compare(operator, CALLS, CALLS).verdict
    refused(operator, CALLS, [*CALLS, "think"], "near_name", except_tools=["thnik"])


def test_limits_count_as_names_of_tools():
    for operator, expected in [("trajectory_max_calls", {"search": 1}), ("trajectory_single_tool_use", "buy")]:
        assert compare(operator, expected, CALLS, only_tools=CALLS).passed
        refused(operator, expected, CALLS, "unknown_tool", only_tools=["serach"])
        refused(operator, expected, CALLS, "near_name", except_tools=["serach"])
    assert compare("trajectory_max_calls", {"pay": 0}, CALLS, only_tools=["pay", "buy"]).passed
    refused("trajectory_max_calls", {"pay": 0}, CALLS, "empty_selection", only_tools=["pay"])


@pytest.mark.parametrize(
    "settings",
    [{"aliases": {"purchase": "pay"}}, {"args": {"pay": "ignore"}}, {"defaults": {"pay": {"id": 7}}}],
    ids=["aliases", "args", "defaults"],
)
def test_tool_in_another_setting_is_known(settings):
    assert compare("trajectory_any_order", CALLS, CALLS, only_tools=["search", "pay"], **settings).passed


@pytest.mark.parametrize("operator", OPERATORS)
def test_emptied_expected_side_is_an_error(operator):
    refused(operator, ["buy"], CALLS, "empty_selection", only_tools=["search"])
    refused(operator, ["buy"], ["buy"], "empty_selection", except_tools=["buy"])


def test_emptied_observed_side_is_an_error_if_it_would_pass():
    refused("trajectory_only_from", ["search"], ["buy"], "empty_selection", only_tools=["search"])
    refused("trajectory_forbidden", ["search"], ["buy"], "empty_selection", only_tools=["search"])
    refused("trajectory_any_order", [], ["buy"], "empty_selection", extras="forbid", except_tools=["buy"])
    refused("trajectory_forbidden", ["buy"], [Event("buy", agent="a")], "empty_selection", agents=["b"])
    # The agent did not call the tool that is expected.
    assert compare("trajectory_any_order", ["search"], ["buy"], only_tools=["search"]).verdict == "fail"


def test_tools_setting_allows_tools_that_are_not_called():
    tools = ["search", "buy", "pay"]
    assert compare("trajectory_exact", ["search"], ["search"], only_tools=["buy", "pay"], tools=tools).passed
    assert compare("trajectory_exact", ["search"], ["search"], except_tools=["pay"], tools=tools).passed
    assert not compare("trajectory_exact", ["search"], ["pay"], only_tools=["buy", "pay"], tools=tools).passed
    with pytest.raises(SettingsError, match="Did you mean 'search'"):
        compare("trajectory_exact", CALLS, CALLS, only_tools=["serach"], tools=tools)


@pytest.mark.parametrize("turns", ["all", "mean", "flatten"])
def test_selected_tool_may_be_absent_from_a_turn(turns):
    both = [["search"], ["buy"]]
    assert compare("trajectory_exact", both, both, turns=turns, only_tools=["buy"]).passed
    refused("trajectory_exact", both, both, "unknown_tool", turns=turns, only_tools=["by"])
    refused("trajectory_exact", both, both, "empty_selection", turns=turns, except_tools=["buy", "search"])


def test_steps_are_selected_for_all_turns_together():
    both = [["search"], ["buy"]]
    assert compare("trajectory_steps", both, both, turns="all", only_tools=["buy"]).passed
    refused("trajectory_steps", both, both, "unknown_tool", turns="all", only_tools=["by"])


def test_failed_skip_ignores_missing_arguments_but_not_malformed_ones():
    failed = Event("search", args_note="args_not_recorded", error="no network")
    assert compare("trajectory_exact", ["buy"], [failed, "buy"], failed="skip").passed
    malformed = Event("search", args_note="args_malformed", error="no JSON", args_text="{")
    assert not compare("trajectory_exact", ["buy"], [malformed, "buy"], failed="skip").passed


def test_unusable_expected_side_is_an_error():
    refused("trajectory_max_calls", {"a": -1}, ["a"], "not_a_limit")
    refused("trajectory_single_tool_use", 3, ["a"], "not_a_tool_name")
    refused("trajectory_steps", [{"optional": True}], ["a"], "trajectory_unreadable")
    refused("trajectory_steps", [["a"]], [["a"]], "trajectory_unreadable", turns="flatten")
    refused("trajectory_exact", 3, [["a"]], "trajectory_unreadable", turns="all")
    refused("trajectory_exact", ["a"], 3, "trajectory_unreadable", verdict="fail")


@pytest.mark.parametrize(
    ("expected", "observed"), [(["a", "a", "b"], ["a", "b", "b"]), (["a", "b", "b"], ["a", "a", "b"])]
)
def test_any_order_counts_the_calls_of_each_tool(expected, observed):
    for extras in ("allow", "forbid"):
        result = compare("trajectory_any_order", expected, observed, extras=extras)
        assert (result.verdict, result.score) == ("fail", 0.0)
    assert compare("trajectory_any_order", ["a", "b"], ["b", "a", "a"]).passed
    assert not compare("trajectory_any_order", ["a", "b"], ["b", "a", "a"], extras="forbid").passed
    assert not compare("trajectory_any_order", ["a", "a", "b"], ["b", "a"]).passed
