"""What each operator decides and says."""

import json
import pickle

import pytest

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import ConfigurationError, SettingsError
from pytest_verdict.operators.number import NumericRange, NumericTolerance
from pytest_verdict.templates import ExactMatch
from pytest_verdict.trajectories import assert_trajectory
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.turns import read_turns
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
        ("", "", True, True, True),
        ("", "a", False, True, True),
        ("a", "", False, False, False),
    ],
)
def test_the_three_orders_mean_what_they_mean_in_adk_and_vertex(expected, observed, exact, in_order, any_order):
    verdicts = [compare(operator, list(expected), list(observed)).passed for operator in (EXACT, IN_ORDER, ANY_ORDER)]
    assert verdicts == [exact, in_order, any_order]


@pytest.mark.parametrize("operator", [IN_ORDER, ANY_ORDER, "trajectory_steps"])
def test_extras(operator):
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
def test_rules_by_tool_and_argument(observed, passes):
    for operator in (EXACT, IN_ORDER, ANY_ORDER):
        result = compare(operator, [("search", {"query": "tea", "limit": 5})], [("search", observed)], args=RULES)
        assert result.passed == passes
    assert compare(EXACT, [("log", {"x": 1})], [("log", {"y": 2})], args=RULES).passed
    assert not compare(EXACT, [("buy", {"x": 1})], [("buy", {"x": 2})], args=RULES).passed


def test_an_operator_may_carry_its_expectation_itself():
    rules = {"search": {"limit": NumericRange(min=1, max=10)}}
    assert compare(EXACT, [("search", {"q": "x"})], [("search", {"q": "x", "limit": 10})], args=rules).passed
    assert not compare(EXACT, [("search", {"q": "x"})], [("search", {"q": "x", "limit": 11})], args=rules).passed


def test_the_rule_for_all_others():
    rules = {"*": {"q": ExactMatch(), "*": "contains"}}
    assert compare(
        EXACT, [("a", {"q": "x", "o": {"k": 1}})], [("a", {"q": "X", "o": {"k": 1, "l": 2}, "z": 0})], args=rules
    ).passed
    assert not compare(EXACT, [("a", {"q": "x"})], [("a", {})], args=rules).passed


def test_ignored_arguments_and_defaults():
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
def test_names_of_tools(observed, settings, steps):
    result = compare(EXACT, ["buy"], [observed], **settings)
    assert result.passed
    assert result.normalization == steps
    assert not compare(EXACT, ["buy"], [observed]).passed


def test_which_events_count():
    observed = [Event("look", agent="helper"), Event("buy", error="broken"), Event("buy")]
    assert compare(EXACT, ["buy"], observed, only_tools=["buy"], failed="skip").passed
    assert compare(EXACT, ["buy", "buy"], observed, except_tools=["look"]).passed
    assert not compare(EXACT, ["buy"], observed).passed


def test_a_call_with_malformed_arguments_is_never_skipped():
    observed = [Event("buy", error="bad arguments", args_note="args_malformed")]
    assert not compare(ANY_ORDER, [], observed, extras="forbid", failed="skip").passed


def test_expected_names_accept_any_arguments_and_say_so():
    result = compare(EXACT, ["a"], [A1])
    assert (result.verdict, result.notes) == ("pass", ["args_not_compared"])
    assert compare(EXACT, ["a"], [A1], args="ignore").notes == []


def test_names_and_calls_mixed_need_a_matching():
    assert compare(ANY_ORDER, ["a", A1], [A1, A2], extras="forbid").passed
    assert compare(ANY_ORDER, [A1, "a"], [A1, A2], extras="forbid").passed


def test_right_calls_in_the_wrong_order():
    result = compare(EXACT, ["a", "b"], ["b", "a"])
    assert result.notes == ["right_calls_wrong_order"]
    assert result.details["first_divergence"] == 0
    assert compare(IN_ORDER, ["a", "b"], ["b", "x", "a"]).notes == ["right_calls_wrong_order"]
    assert compare(EXACT, ["a", "b"], ["a", "c"]).notes == []


def test_the_alignment_shows_what_belongs_together():
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


def test_what_competes_for_too_few_calls():
    expected = [("a", {"x": 9}), A1, ("b", {}), ("a", {"x": 0})]
    rules = {"a": {"x": NumericTolerance(tolerance=1, mode="absolute")}}
    details = compare(ANY_ORDER, expected, [("a", {"x": 0}), ("b", {}), ("a", {"x": 5})], args=rules).details
    assert details["competing"] == {"expected": [1, 3], "observed": [0]}


def test_details_are_json_whatever_the_arguments():
    observed = '[{"name": "a", "args": {"x": 1.50, "y": [{"z": 1e400}]}}]'
    for operator in [EXACT, ANY_ORDER, "trajectory_f1", "trajectory_similarity", "trajectory_forbidden"]:
        details = compare(operator, [("a", {"x": {1, 2}, "y": b"z"})], observed).details
        assert json.loads(json.dumps(details, allow_nan=False)) == details


def test_long_differences_are_counted():
    details = compare(EXACT, [], [("a", {"x": at}) for at in range(250)]).details
    assert len(details["differences"]) == 100
    assert details["differences_omitted"] == 150
    assert len(details["alignment"]) + details["alignment_omitted"] == 250


@pytest.mark.parametrize(("turns", "score"), [("all", 0.0), ("mean", 0.5), ("flatten", 1.0)])
def test_turns(turns, score):
    result = compare(ANY_ORDER, [["a"], ["b"]], [["a", "b"], []], turns=turns)
    assert result.score == score
    assert [child.passed for child in result.children] == ([] if turns == "flatten" else [True, False])


@pytest.mark.parametrize("turns", ["all", "mean"])
def test_another_number_of_turns_is_a_fail(turns):
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


def test_turns_of_adk():
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
def test_steps(observed, passes):
    assert compare("trajectory_steps", STEPS, observed.split(), extras="forbid").passed == passes


def test_steps_say_where_they_stop():
    result = compare("trajectory_steps", STEPS, ["login", "search", "book"])
    assert result.details["first_divergence"] == 1
    assert result.details["differences"] == [{"path": "$[1]", "kind": "missing", "expected": {"name": "weather"}}]
    assert compare("trajectory_steps", [{"name": "a", "optional": True}], ["b"]).notes == ["empty_expected"]


def test_calls_made_together_are_a_step():
    both = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in "ab"]
    expected = [{"role": "assistant", "tool_calls": both}, {"role": "assistant", "tool_calls": both[:1]}]
    assert compare("trajectory_steps", expected, ["b", "a", "a"], extras="forbid", args="ignore").passed
    assert not compare("trajectory_steps", expected, ["a", "a", "b"], extras="forbid", args="ignore").passed


@pytest.mark.parametrize(
    "step",
    [
        {"any_order": "a"},
        {"any_order": ["a"], "typo": 1},
        {"name": "a", "optional": "yes"},
        {"name": "a", "repeat": 3},
        {"name": "a", "repeat": {"min": 2, "max": 1}},
        {"name": "a", "repeat": {"min": 10_001}},
        {"name": "a", "repeat": {"max": 10_001}},
        {"name": "a", "repeat": {"minimum": 1}},
        {"name": "a", "repeat": {"max": 0}},
    ],
    ids=repr,
)
def test_a_step_that_cannot_be_read_is_a_fail_with_a_note(step):
    assert compare("trajectory_steps", [step], ["a"]).notes == ["trajectory_unreadable"]


@pytest.mark.parametrize(
    ("limits", "passes"),
    [(3, True), (2, False), ({"a": 2}, True), ({"a": 1}, False), ({"*": 3, "c": 0}, True), ({"b": 0}, False)],
)
def test_max_calls(limits, passes):
    assert compare("trajectory_max_calls", limits, ["a", "b", "a"]).passed == passes
    assert compare("trajectory_max_calls", None, ["a", "b", "a"], limits=limits).passed == passes


@pytest.mark.parametrize("limits", [None, -1, True, "2", 1.5, {"a": "1"}])
def test_what_is_no_limit(limits):
    assert compare("trajectory_max_calls", limits, ["a"]).notes == ["not_a_limit"]
    if limits is not None:
        with pytest.raises(SettingsError, match="whole number"):
            compare("trajectory_max_calls", None, ["a"], limits=limits)


def test_single_tool_use():
    assert compare("trajectory_single_tool_use", "b", ["a", "b", "b"]).details == {"calls": 2}
    assert not compare("trajectory_single_tool_use", "c", ["a", "b"]).passed
    assert compare("trajectory_single_tool_use", 3, ["a"]).notes == ["not_a_tool_name"]


def test_forbidden():
    assert not compare("trajectory_forbidden", ["delete"], ["search", ("delete", {"id": 1})]).passed
    assert compare("trajectory_forbidden", [("delete", {"id": 2})], [("delete", {"id": 1})]).passed
    # Whether it is the forbidden call cannot be known.
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
def test_settings_come_back_from_json(operator, settings):
    built = REGISTRY.build(operator, settings)
    again = type(built)(**json.loads(json.dumps(built.settings())))
    assert again == built
    assert again.settings() == built.settings()
    assert pickle.loads(pickle.dumps(built)) == built


def test_a_record_can_be_derived_again():
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
def test_wrong_settings_are_errors(settings):
    with pytest.raises(SettingsError):
        compare(ANY_ORDER, ["a"], ["a"], **settings)


@pytest.mark.parametrize(
    ("order", "operator"),
    [("any", ANY_ORDER), ("in_order", IN_ORDER), ("exact", EXACT), ("steps", "trajectory_steps")],
)
def test_the_comparator_takes_the_order_as_an_argument(order, operator):
    result = assert_trajectory(["a"], ["a"], order=order, args="ignore", name="first")
    assert (result.operator, result.name, result.settings["args"], result.passed) == (operator, "first", "ignore", True)


def test_an_order_that_does_not_exist_is_an_error():
    with pytest.raises(SettingsError, match="in_order"):
        assert_trajectory(["a"], ["a"], order="inorder")


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
def test_a_setting_may_name_a_tool_as_the_source_does(operator, expected, settings):
    observed = [("mcp__github__purchase", {"id": 1}), ("buy", {"id": 2}), "github.search"]
    assert not compare(operator, expected, observed, **GITHUB, **settings).passed


def test_what_is_left_out_and_filled_in_may_be_named_so_too():
    observed = [("mcp__github__purchase", {"id": 1}), ("github.search", {})]
    assert compare("trajectory_exact", [("search", {})], observed, **GITHUB, except_tools=["github.purchase"]).passed
    defaults = {"purchase": {"id": 1}}
    assert compare("trajectory_exact", [("buy", {}), ("search", {})], observed, **GITHUB, defaults=defaults).passed


def test_names_that_aliases_give_are_taken_as_they_are():
    swapped = {"aliases": {"a": "b", "b": "a"}, "only_tools": ["a"]}
    assert compare("trajectory_exact", ["b"], ["a", "b"], **swapped).passed
    assert compare("trajectory_single_tool_use", "buy", ["purchase"], **GITHUB).passed
    assert compare("trajectory_single_tool_use", "purchase", ["buy"], **GITHUB).passed


def test_a_forbidden_call_that_is_malformed_forbids_its_tool():
    broken = [{"name": "delete", "args": '{"id": '}]
    assert not compare("trajectory_forbidden", broken, [("delete", {"id": 1})]).passed
    assert compare("trajectory_forbidden", broken, [("search", {"id": 1})]).passed
    with pytest.raises(SettingsError, match="the arguments of 'delete' are no object"):
        compare("trajectory_forbidden", None, ["search"], forbidden=broken)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"name": "a", "repeats": {"min": 2}}], "'repeats'. Did you mean 'repeat'"),
        ([{"name": "a", "Optional": True}, "b"], "'Optional'. Did you mean 'optional'"),
        ([{"any-order": ["a", "b"]}], "'any-order'. Did you mean 'any_order'"),
        ([{"any_order": ["b", {"name": "a", "option": True}]}], "'option'. Did you mean 'optional'"),
        ([["b", {"name": "a", "repeated": {"min": 2}}]], "'repeated'. Did you mean 'repeat'"),
    ],
    ids=["repeat", "optional", "any_order", "inside", "list"],
)
def test_a_misspelt_word_of_a_step_is_not_passed_over(steps, message):
    result = compare("trajectory_steps", steps, ["a", "b"])
    assert (result.passed, result.notes) == (False, ["trajectory_unreadable"])
    assert message in result.details["reason"]


def test_a_step_has_only_known_keys():
    steps = [{"name": "a", "result": 5, "type": "tool", "reasoning": "x"}, {"name": "b", "optional": True}]
    assert compare("trajectory_steps", steps, ["a", "b"]).passed
    result = compare("trajectory_steps", [{"name": "a", "arg": {"x": 1}}], ["a"])
    assert not result.passed
    assert "a call has no key 'arg'" in result.details["reason"]


def test_no_limit_at_all_is_no_limit():
    refused("trajectory_max_calls", {}, ["a"], "not_a_limit")
    with pytest.raises(SettingsError, match=r"takes a whole number from 0, or such numbers by tool, got \{\}"):
        compare("trajectory_max_calls", None, ["a"], limits={})


@pytest.mark.parametrize("turns", ["all", "mean", "flatten"])
def test_what_is_forbidden_by_a_setting_is_forbidden_in_each_turn(turns):
    settings = {"forbidden": ["delete"], "turns": turns}
    assert compare("trajectory_forbidden", None, [["search"], ["buy"], []], **settings).passed
    for calls in ([["search"], ["delete"]], [["delete"]], [["delete"], ["delete"], ["search"]]):
        assert compare("trajectory_forbidden", None, calls, **settings).verdict == "fail"


@pytest.mark.parametrize("turns", ["all", "mean"])
def test_a_turn_that_cannot_be_compared_is_an_error_of_the_whole_wherever_it_is(turns):
    for expected in ([[5], ["a"]], [["a"], [5]], [["b"], [5]]):
        refused("trajectory_exact", expected, [["a"], ["a"]], "trajectory_unreadable", turns=turns)


def test_a_list_of_a_step_may_hold_optional_calls():
    expected = [["b", "c", {"name": "a", "optional": True}]]
    assert compare("trajectory_steps", expected, ["c", "b"]).passed
    assert compare("trajectory_steps", expected, ["c", "a", "b"]).passed
    assert not compare("trajectory_steps", expected, ["a", "b"]).passed


def test_items_whose_type_is_no_role_are_turns_of_their_own():
    items = [{"type": "function_call", "name": name, "arguments": "{}", "call_id": name} for name in ("search", "buy")]
    assert compare("trajectory_exact", [["search"], ["buy"]], [[item] for item in items], turns="all").passed
    assert len(read_turns(items)) == 2


def test_a_rule_for_a_part_names_the_part_that_differs():
    rules = {"book": {"time.start": "date_match", "seats.0.row": "ignore"}}
    expected = [("book", {"time": {"start": "2024-05-01", "zone": "UTC"}, "seats": [{"row": 1, "place": "A"}]})]
    observed = [("book", {"time": {"start": "1 May 2024", "zone": "CET"}, "seats": [{"row": 9, "place": "A"}]})]
    found = compare("trajectory_exact", expected, observed, args=rules)
    assert found.details["differences"] == [
        {"path": "$[0].args.time.zone", "kind": "changed", "expected": "UTC", "observed": "CET"}
    ]
    assert compare("trajectory_exact", expected, expected, args=rules).passed


def test_an_argument_with_a_point_in_its_name_is_one_argument():
    rules = {"a": {"x.y": "ignore"}}
    assert compare("trajectory_exact", [("a", {"x.y": 1, "z": 1})], [("a", {"x.y": 2, "z": 1})], args=rules).passed


def test_the_rule_of_a_tool_may_be_an_operator():
    rules = {"search": NumericTolerance(tolerance=1)}
    with pytest.raises(ConfigurationError, match=r"the rule of search is a mode or an operator: .*'contain'"):
        compare("trajectory_exact", [], [], args={"search": "contain"})
    found = compare("trajectory_exact", [("search", {"x": 1})], [("search", {"x": 1})], args=rules)
    # The operator cannot read an object; that is a mistake of whoever wrote the rule, and no pass.
    assert found.verdict == "error"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"one_of": ["a"]}, "one_of is a list of at least two calls, got"),
        ({"one_of": "ab"}, "one_of is a list of at least two calls, got 'ab'"),
        ({"one_of": ["a", "b"], "name": "c"}, "a step has one_of, optional and repeat, not 'name'"),
        ({"one_off": ["a", "b"]}, "Did you mean 'one_of'"),
    ],
)
def test_a_choice_that_is_none_is_an_error(step, message):
    found = compare("trajectory_steps", [step], ["a"])
    assert found.verdict == "error"
    assert message in found.error


def test_a_missing_choice_is_written_with_all_its_calls():
    found = compare("trajectory_steps", ["a", {"one_of": ["b", "c"]}], ["a"])
    assert found.details["expected_calls"] == 2
    # So many that no alignment is drawn.
    found = compare("trajectory_steps", [{"one_of": ["b", "c"]}] * 400, ["a"] * 400)
    assert found.details["differences"][0]["expected"] == [{"one_of": [{"name": "b"}, {"name": "c"}]}]
