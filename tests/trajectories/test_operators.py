"""Verdicts, notes and details of each operator."""

import json
import pickle
import re

import pytest

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import ConfigurationError, SettingsError
from pytest_verdict.operators.number import NumericRange, NumericTolerance
from pytest_verdict.templates import ExactMatch
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import read_turns
from refusals import refused

EXACT, IN_ORDER, ANY_ORDER = "trajectory_exact", "trajectory_in_order", "trajectory_any_order"
A1, A2 = ("a", {"x": 1}), ("a", {"x": 2})


@pytest.mark.parametrize(
    ("expected", "observed", "exact", "in_order", "any_order"),
    [
        ("ab", "ab", True, True, True),
        ("ab", "ba", False, False, True),
        ("a", "ab", False, True, True),
        ("ab", "acb", False, True, True),
        ("ab", "a", False, False, False),
        ("a", "aa", False, True, True),
        ("aa", "a", False, False, False),
        ("a", "", False, False, False),
    ],
)
def test_orders_agree_with_adk_and_vertex(expected, observed, exact, in_order, any_order):
    verdicts = [compare(operator, list(expected), list(observed)).passed for operator in (EXACT, IN_ORDER, ANY_ORDER)]
    assert verdicts == [exact, in_order, any_order]


@pytest.mark.parametrize("operator", [IN_ORDER, ANY_ORDER, "trajectory_steps"])
def test_extras_forbid_rejects_further_calls(operator):
    assert compare(operator, ["a"], ["a", "b"]).passed
    result = compare(operator, ["a"], ["a", "b"], extras="forbid")
    assert not result.passed
    assert result.details["differences"] == [{"path": "$[1]", "kind": "unexpected", "observed": {"name": "b"}}]


RULES = {
    "search": {"query": "normalized_exact", "limit": NumericTolerance(tolerance=1, mode="absolute"), "page": "ignore"},
    "log": "ignore",
}


@pytest.mark.parametrize(
    ("observed", "passes"),
    [
        ({"query": " TEA ", "limit": 5}, True),
        ({"query": "tea", "limit": 6, "page": 3}, True),
        ({"query": "tea", "limit": 7}, False),
        ({"query": "coffee", "limit": 5}, False),
        ({"query": "tea"}, False),
        ({"query": "tea", "limit": 5, "other": 1}, False),
    ],
)
def test_rules_by_tool_and_argument_decide(observed, passes):
    for operator in (EXACT, IN_ORDER, ANY_ORDER):
        result = compare(operator, [("search", {"query": "tea", "limit": 5})], [("search", observed)], args=RULES)
        assert result.passed == passes
    assert compare(EXACT, [("log", {"x": 1})], [("log", {"y": 2})], args=RULES).passed
    assert not compare(EXACT, [("buy", {"x": 1})], [("buy", {"x": 2})], args=RULES).passed


def test_operator_with_its_own_expectation_checks_absent_arguments():
    rules = {"search": {"limit": NumericRange(min=1, max=10)}}
    assert compare(EXACT, [("search", {"q": "x"})], [("search", {"q": "x", "limit": 10})], args=rules).passed
    assert not compare(EXACT, [("search", {"q": "x"})], [("search", {"q": "x", "limit": 11})], args=rules).passed


def test_rule_for_all_others_applies():
    rules = {"*": {"q": ExactMatch(), "*": "contains"}}
    assert compare(
        EXACT, [("a", {"q": "x", "o": {"k": 1}})], [("a", {"q": "X", "o": {"k": 1, "l": 2}, "z": 0})], args=rules
    ).passed
    assert not compare(EXACT, [("a", {"q": "x"})], [("a", {})], args=rules).passed


def test_ignored_arguments_and_defaults_are_normalization_steps():
    settings = {"ignored_args": ["trace"], "defaults": {"a": {"limit": 10}}}
    result = compare(EXACT, [("a", {"limit": 10})], [("a", {"trace": "123"})], **settings)
    assert result.passed
    assert result.normalization == ["fill_default_args", "leave_out_args"]
    assert result.observed_surface == [{"name": "a", "args": {"limit": 10}}]
    assert not compare(EXACT, [("a", {"limit": 9})], [("a", {})], **settings).passed


@pytest.mark.parametrize(
    ("observed", "settings", "steps"),
    [
        ("mcp__shop__buy", {"mcp_servers": "any"}, ["strip_mcp_prefix"]),
        ("shop_buy", {"mcp_servers": ["shop"]}, ["strip_mcp_prefix"]),
        ("shop/buy", {"mcp_servers": ["shop"]}, ["strip_mcp_prefix"]),
        ("purchase", {"aliases": {"purchase": "buy"}}, ["alias_tools"]),
        (
            "mcp__shop__purchase",
            {"aliases": {"purchase": "buy"}, "mcp_servers": "any"},
            ["strip_mcp_prefix", "alias_tools"],
        ),
    ],
)
def test_prefixes_and_aliases_are_removed_from_names(observed, settings, steps):
    result = compare(EXACT, ["buy"], [observed], **settings)
    assert result.passed
    assert result.normalization == steps
    assert not compare(EXACT, ["buy"], [observed]).passed


def test_selection_by_tool_and_failure():
    observed = [Event("look", agent="helper"), Event("buy", error="broken"), Event("buy")]
    assert compare(EXACT, ["buy"], observed, only_tools=["buy"], failed="skip").passed
    assert compare(EXACT, ["buy", "buy"], observed, except_tools=["look"]).passed
    assert not compare(EXACT, ["buy"], observed).passed


def test_failed_skip_counts_calls_with_malformed_arguments():
    observed = [Event("buy", error="bad arguments", args_note="args_malformed")]
    assert not compare(ANY_ORDER, [], observed, extras="forbid", failed="skip").passed


def test_expected_names_accept_any_arguments_with_a_note():
    result = compare(EXACT, ["a"], [A1])
    assert (result.verdict, result.notes) == ("pass", ["args_not_compared"])
    assert compare(EXACT, ["a"], [A1], args="ignore").notes == []


def test_names_and_calls_mixed_use_a_matching():
    assert compare(ANY_ORDER, ["a", A1], [A1, A2], extras="forbid").passed
    assert compare(ANY_ORDER, [A1, "a"], [A1, A2], extras="forbid").passed


def test_right_calls_in_wrong_order_have_a_note():
    result = compare(EXACT, ["a", "b"], ["b", "a"])
    assert result.notes == ["right_calls_wrong_order"]
    assert result.details["first_divergence"] == 0
    assert compare(IN_ORDER, ["a", "b"], ["b", "x", "a"]).notes == ["right_calls_wrong_order"]
    assert compare(EXACT, ["a", "b"], ["a", "c"]).notes == []


def test_alignment_pairs_the_nearest_calls():
    expected = ["login", ("search", {"q": "tea", "limit": 5}), "buy"]
    observed = ["login", "look", ("search", {"q": "tee", "limit": 5})]
    details = compare(EXACT, expected, observed).details
    assert [(row["kind"], row["name"]) for row in details["alignment"]] == [
        ("equal", "login"),
        ("unexpected", "look"),
        ("different_arguments", "search"),
        ("missing", "buy"),
    ]
    assert details["first_divergence"] == 1
    assert details["differences"] == [
        {"path": "$[1]", "kind": "unexpected", "observed": {"name": "look"}},
        {
            "path": "$[1].args.q",
            "kind": "changed",
            "expected": "tea",
            "observed": "tee",
            "observed_path": "$[2].args.q",
        },
        {"path": "$[2]", "kind": "missing", "expected": {"name": "buy"}},
    ]


def test_competing_calls_are_in_the_details():
    expected = [("a", {"x": 9}), A1, ("b", {}), ("a", {"x": 0})]
    rules = {"a": {"x": NumericTolerance(tolerance=1, mode="absolute")}}
    details = compare(ANY_ORDER, expected, [("a", {"x": 0}), ("b", {}), ("a", {"x": 5})], args=rules).details
    assert details["competing"] == {"expected": [1, 3], "observed": [0]}


def test_details_are_json_for_any_arguments():
    observed = '[{"name": "a", "args": {"x": 1.50, "y": [{"z": 1e400}]}}]'
    for operator in [EXACT, ANY_ORDER, "trajectory_f1", "trajectory_similarity", "trajectory_forbidden"]:
        details = compare(operator, [("a", {"x": {1, 2}, "y": b"z"})], observed).details
        assert json.loads(json.dumps(details, allow_nan=False)) == details


def test_omitted_differences_are_counted():
    details = compare(EXACT, [], [("a", {"x": at}) for at in range(250)]).details
    assert len(details["differences"]) == 100
    assert details["differences_omitted"] == 150
    assert len(details["alignment"]) + details["alignment_omitted"] == 250


@pytest.mark.parametrize(("turns", "score"), [("all", 0.0), ("mean", 0.5), ("flatten", 1.0)])
def test_turns_are_scored_together(turns, score):
    result = compare(ANY_ORDER, [["a"], ["b"]], [["a", "b"], []], turns=turns)
    assert result.score == score
    assert [child.passed for child in result.children] == ([] if turns == "flatten" else [True, False])


@pytest.mark.parametrize("turns", ["all", "mean"])
def test_different_number_of_turns_fails(turns):
    result = compare(ANY_ORDER, [["a"], ["b"]], [["a"]], turns=turns)
    assert (result.verdict, result.notes) == ("fail", ["different_number_of_turns"])
    assert result.details == {"expected_turns": 2, "observed_turns": 1}


def test_messages_are_split_before_each_message_of_the_user():
    def calling(name):
        return {"role": "assistant", "tool_calls": [{"id": name, "function": {"name": name, "arguments": "{}"}}]}

    user = {"role": "user", "content": "next"}
    messages = [{"role": "system", "content": "x"}, user, calling("a"), user, calling("b"), calling("c")]
    result = compare(EXACT, [[], ["a"], ["b", "c"]], messages, turns="all")
    assert result.passed, result.details
    assert compare(EXACT, [["a"], ["b", "c"]], messages[1:], turns="all").passed
    assert not compare(EXACT, [["a", "b"], ["c"]], messages[1:], turns="all").passed


def test_adk_invocations_are_turns():
    turn = {"user_content": {"parts": []}, "intermediate_data": {"tool_uses": [{"name": "a"}]}}
    assert compare(EXACT, [["a"], ["a"]], {"conversation": [turn, turn]}, turns="all").passed
    assert compare(EXACT, ["a", "a"], {"conversation": [turn, turn]}).passed


STEPS = ["login", ["search", "weather"], {"name": "retry", "repeat": {"max": 2}}, "book"]


@pytest.mark.parametrize(
    ("observed", "passes"),
    [
        ("login search weather book", True),
        ("login weather search retry retry book", True),
        ("login weather search retry retry retry book", False),
        ("login weather book search", False),
        ("weather login search book", False),
    ],
)
def test_steps_without_extras(observed, passes):
    assert compare("trajectory_steps", STEPS, observed.split(), extras="forbid").passed == passes


def test_steps_report_the_first_missing_step():
    result = compare("trajectory_steps", STEPS, ["login", "search", "book"])
    assert result.details["first_divergence"] == 1
    assert result.details["differences"] == [{"path": "$[1]", "kind": "missing", "expected": {"name": "weather"}}]
    assert compare("trajectory_steps", [{"name": "a", "optional": True}], ["b"]).notes == ["empty_expected"]


def test_calls_of_one_message_are_a_step():
    both = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in "ab"]
    expected = [{"role": "assistant", "tool_calls": both}, {"role": "assistant", "tool_calls": both[:1]}]
    assert compare("trajectory_steps", expected, ["b", "a", "a"], extras="forbid", args="ignore").passed
    assert not compare("trajectory_steps", expected, ["a", "a", "b"], extras="forbid", args="ignore").passed


@pytest.mark.parametrize(
    ("limits", "passes"),
    [(3, True), (2, False), ({"a": 2}, True), ({"a": 1}, False), ({"*": 3, "c": 0}, True), ({"b": 0}, False)],
)
def test_max_calls_by_tool_and_in_all(limits, passes):
    assert compare("trajectory_max_calls", limits, ["a", "b", "a"]).passed == passes
    assert compare("trajectory_max_calls", None, ["a", "b", "a"], limits=limits).passed == passes


@pytest.mark.parametrize("limits", [None, -1, True, "2", 1.5, {"a": "1"}, {}])
def test_max_calls_refuses_invalid_limits(limits):
    refused("trajectory_max_calls", limits, ["a"], "not_a_limit")
    if limits is not None:
        message = re.escape(f"takes a whole number from 0, or such numbers by tool, got {limits!r}")
        with pytest.raises(SettingsError, match=message):
            compare("trajectory_max_calls", None, ["a"], limits=limits)


def test_single_tool_use_counts_calls():
    assert compare("trajectory_single_tool_use", "b", ["a", "b", "b"]).details == {"calls": 2}
    assert not compare("trajectory_single_tool_use", "c", ["a", "b"]).passed
    assert compare("trajectory_single_tool_use", 3, ["a"]).notes == ["not_a_tool_name"]


def test_forbidden_rejects_calls_and_unknown_arguments():
    assert not compare("trajectory_forbidden", ["delete"], ["search", ("delete", {"id": 1})]).passed
    assert compare("trajectory_forbidden", [("delete", {"id": 2})], [("delete", {"id": 1})]).passed
    # Whether it is the forbidden call cannot be known.
    more = [("delete", {"id": 1, "force": True})]
    assert not compare("trajectory_forbidden", [("delete", {"id": 1})], more).passed
    assert compare("trajectory_forbidden", [("delete", {"id": 1})], more, args="equal").passed

    result = compare("trajectory_forbidden", [("delete", {"id": 2})], ["delete"])
    assert (result.verdict, result.notes) == ("fail", ["args_not_recorded"])


@pytest.mark.parametrize(
    ("operator", "settings"),
    [
        (ANY_ORDER, {"args": RULES, "extras": "forbid", "only_tools": ["a"], "turns": "mean", "aliases": {"b": "a"}}),
        (EXACT, {"args": "contains", "mcp_servers": ["x"], "defaults": {"a": {"l": 1}}, "observed_format": "otel"}),
        ("trajectory_forbidden", {"forbidden": ["a", ("b", {"x": 1}), Event("c", {})]}),
        ("trajectory_max_calls", {"limits": {"a": 1}}),
        ("trajectory_steps", {"args": {"*": {"q": ExactMatch(normalize=["nfc"])}}}),
    ],
)
def test_settings_survive_json_and_pickle(operator, settings):
    built = REGISTRY.build(operator, settings)
    again = type(built)(**json.loads(json.dumps(built.settings())))
    assert again == built
    assert again.settings() == built.settings()
    assert pickle.loads(pickle.dumps(built)) == built


def test_record_is_derived_again():
    first = compare(
        ANY_ORDER, [("search", {"query": "tea", "limit": 5})], [("search", {"query": "TEA", "limit": 4})], args=RULES
    )
    again = ComparisonResult.from_record(json.loads(first.to_text()))
    second = compare(REGISTRY.build(again.operator, again.settings), again.expected, again.observed)
    assert second.to_text() == first.to_text()
    assert first.passed


@pytest.mark.parametrize(
    "settings",
    [
        {"only_tools": []},
        {"only_tools": "a"},
        {"agents": []},
        {"extras": "maybe"},
        {"turns": "some"},
        {"expected_format": "openai"},
        {"args": {"a": {"x": "nomalized_exact"}}},
        {"args": {"a": {"x": {"operator": "exact", "settings": {"typo": 1}}}}},
        {"failed": "ignore"},
    ],
    ids=repr,
)
def test_wrong_settings_raise(settings):
    with pytest.raises(SettingsError):
        compare(ANY_ORDER, ["a"], ["a"], **settings)


GITHUB = {"mcp_servers": ["github"], "aliases": {"purchase": "buy"}}


@pytest.mark.parametrize(
    ("operator", "expected", "settings"),
    [
        ("trajectory_max_calls", None, {"limits": {"mcp__github__purchase": 1}}),
        ("trajectory_max_calls", {"purchase": 1}, {}),
        ("trajectory_max_calls", {"buy": 1}, {}),
        ("trajectory_exact", [], {"only_tools": ["purchase"]}),
        (
            "trajectory_in_order",
            [("buy", {"id": 3})],
            {"args": {"purchase": "equal", "*": "ignore"}},
        ),
    ],
    ids=["limits", "limits expected", "limits alias", "only", "args"],
)
def test_settings_accept_the_names_of_the_source(operator, expected, settings):
    observed = [("mcp__github__purchase", {"id": 1}), ("buy", {"id": 2}), "github.search"]
    assert not compare(operator, expected, observed, **GITHUB, **settings).passed


def test_except_tools_and_defaults_accept_the_names_of_the_source():
    observed = [("mcp__github__purchase", {"id": 1}), ("github.search", {})]
    assert compare("trajectory_exact", [("search", {})], observed, **GITHUB, except_tools=["github.purchase"]).passed
    defaults = {"purchase": {"id": 1}}
    assert compare("trajectory_exact", [("buy", {}), ("search", {})], observed, **GITHUB, defaults=defaults).passed


def test_canonical_names_are_not_aliased_again():
    swapped = {"aliases": {"a": "b", "b": "a"}, "only_tools": ["a"]}
    assert compare("trajectory_exact", ["b"], ["a", "b"], **swapped).passed
    assert compare("trajectory_single_tool_use", "buy", ["purchase"], **GITHUB).passed
    assert compare("trajectory_single_tool_use", "purchase", ["buy"], **GITHUB).passed


def test_malformed_forbidden_call_forbids_its_tool():
    broken = [{"name": "delete", "args": '{"id": '}]
    assert not compare("trajectory_forbidden", broken, [("delete", {"id": 1})]).passed
    assert compare("trajectory_forbidden", broken, [("search", {"id": 1})]).passed
    with pytest.raises(SettingsError, match="the arguments of 'delete' are no object"):
        compare("trajectory_forbidden", None, ["search"], forbidden=broken)


NOT_WHOLE = "repeat is an object of min and max, whole numbers with 0 <= min <= max and 1 <= max <= 10000, got"
NOT_A_CHOICE = "one_of is a list of at least two calls, got"


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"any_order": "a"}], "any_order is a list of calls, got 'a'"),
        ([{"any_order": ["a"], "typo": 1}], "a step has any_order, optional and repeat, not 'typo'"),
        ([{"name": "a", "optional": "yes"}], "optional is true or false, got 'yes'"),
        ([{"name": "a", "repeat": 3}], f"{NOT_WHOLE} 3"),
        ([{"name": "a", "repeat": {"minimum": 1}}], f"{NOT_WHOLE} {{'minimum': 1}}"),
        ([{"name": "a", "repeat": {"min": 2, "max": 1}}], NOT_WHOLE),
        ([{"name": "a", "repeat": {"min": 10_001}}], NOT_WHOLE),
        ([{"name": "a", "repeat": {"max": 10_001}}], NOT_WHOLE),
        ([{"name": "a", "repeat": {"max": 0}}], NOT_WHOLE),
        ([{"one_of": ["a"]}], f"{NOT_A_CHOICE} ['a']"),
        ([{"one_of": "ab"}], f"{NOT_A_CHOICE} 'ab'"),
        ([{"one_of": ["a", "b"], "name": "c"}], "a step has one_of, optional and repeat, not 'name'"),
        ([{"name": "a", "repeats": {"min": 2}}], "a call has no key 'repeats'"),
        ([{"name": "a", "Optional": True}, "b"], "a call has no key 'Optional'"),
        ([{"any-order": ["a", "b"]}], "cannot be read as plain"),
        ([{"one_off": ["a", "b"]}], "cannot be read as plain"),
        ([{"any_order": ["b", {"name": "a", "option": True}]}], "a call has no key 'option'"),
        ([["b", "c", {"name": "a", "repeated": {"min": 2}}]], "a call has no key 'repeated'"),
    ],
    ids=repr,
)
def test_malformed_step_is_an_error(steps, message):
    result = compare("trajectory_steps", steps, ["a", "b"])
    assert (result.verdict, result.notes) == ("error", ["trajectory_unreadable"])
    assert message in result.error


def test_unknown_step_key_is_refused():
    steps = [{"name": "a", "result": 5, "type": "tool", "reasoning": "x"}, {"name": "b", "optional": True}]
    assert compare("trajectory_steps", steps, ["a", "b"]).passed
    result = compare("trajectory_steps", [{"name": "a", "arg": {"x": 1}}], ["a"])
    assert not result.passed
    assert "a call has no key 'arg'" in result.details["reason"]


@pytest.mark.parametrize("turns", ["all", "mean", "flatten"])
def test_forbidden_setting_applies_to_each_turn(turns):
    settings = {"forbidden": ["delete"], "turns": turns}
    assert compare("trajectory_forbidden", None, [["search"], ["buy"], []], **settings).passed
    for calls in ([["search"], ["delete"]], [["delete"]], [["delete"], ["delete"], ["search"]]):
        assert compare("trajectory_forbidden", None, calls, **settings).verdict == "fail"


@pytest.mark.parametrize("turns", ["all", "mean"])
def test_unreadable_expected_turn_is_an_error(turns):
    for expected in ([[5], ["a"]], [["a"], [5]], [["b"], [5]]):
        refused("trajectory_exact", expected, [["a"], ["a"]], "trajectory_unreadable", turns=turns)


def test_step_list_accepts_optional_calls():
    expected = [["b", "c", {"name": "a", "optional": True}]]
    assert compare("trajectory_steps", expected, ["c", "b"]).passed
    assert compare("trajectory_steps", expected, ["c", "a", "b"]).passed
    assert not compare("trajectory_steps", expected, ["a", "b"]).passed


def test_items_without_role_are_turns():
    items = [{"type": "function_call", "name": name, "arguments": "{}", "call_id": name} for name in ("search", "buy")]
    assert compare("trajectory_exact", [["search"], ["buy"]], [[item] for item in items], turns="all").passed
    assert len(read_turns(items)) == 2


def test_rule_for_a_part_reports_the_path_of_the_part():
    rules = {"book": {"time.start": "date_match", "seats.0.row": "ignore"}}
    expected = [("book", {"time": {"start": "2024-05-01", "zone": "UTC"}, "seats": [{"row": 1, "place": "A"}]})]
    observed = [("book", {"time": {"start": "1 May 2024", "zone": "CET"}, "seats": [{"row": 9, "place": "A"}]})]
    found = compare("trajectory_exact", expected, observed, args=rules)
    assert found.details["differences"] == [
        {"path": "$[0].args.time.zone", "kind": "changed", "expected": "UTC", "observed": "CET"}
    ]
    assert compare("trajectory_exact", expected, expected, args=rules).passed


def test_argument_name_with_a_dot_is_one_argument():
    rules = {"a": {"x.y": "ignore"}}
    assert compare("trajectory_exact", [("a", {"x.y": 1, "z": 1})], [("a", {"x.y": 2, "z": 1})], args=rules).passed


def test_tool_rule_accepts_an_operator():
    rules = {"search": NumericTolerance(tolerance=1)}
    with pytest.raises(ConfigurationError, match=r"the rule of search is a mode or an operator: .*'contain'"):
        compare("trajectory_exact", [], [], args={"search": "contain"})
    found = compare("trajectory_exact", [("search", {"x": 1})], [("search", {"x": 1})], args=rules)
    # The operator cannot read an object; that is a mistake of whoever wrote the rule, and no pass.
    assert found.verdict == "error"


def test_missing_choice_lists_all_its_calls():
    found = compare("trajectory_steps", ["a", {"one_of": ["b", "c"]}], ["a"])
    assert found.details["expected_calls"] == 2
    # So many that no alignment is drawn.
    found = compare("trajectory_steps", [{"one_of": ["b", "c"]}] * 400, ["a"] * 400)
    assert found.details["differences"][0]["expected"] == [{"one_of": [{"name": "b"}, {"name": "c"}]}]


@pytest.mark.parametrize(
    ("expected", "settings"),
    [
        ({"pay": 0}, {"except_tools": ["pay"]}),
        ({"pay": 0}, {"only_tools": ["search"]}),
        ({"pay": 0, "*": 9}, {"only_tools": ["search"], "tools": ["pay", "search"]}),
        ({"buy": 0}, {"aliases": {"pay": "buy"}, "except_tools": ["pay"]}),
    ],
)
def test_limit_of_a_tool_that_is_not_selected_is_an_error(expected, settings):
    result = compare("trajectory_max_calls", expected, ["pay", "search"], **settings)
    assert (result.verdict, result.notes) == ("error", ["empty_selection"])


@pytest.mark.parametrize("aliases", [{"purchase": "buy", "buy": "pay"}, {"pay": ""}], ids=str)
def test_alias_of_an_alias_is_refused(aliases):
    with pytest.raises(SettingsError, match="stands for"):
        compare("trajectory_forbidden", ["pay"], ["pay"], aliases=aliases)
