"""A tool, agent or argument with almost the name of one that occurs is an error: it would match nothing and pass."""

import pytest

from pytest_verdict import compare
from pytest_verdict.trajectories import Event
from pytest_verdict.trajectories.trajectory_operator import is_near_name

NEAR = [
    *[("delete", "Delete"), ("delete", "DELETE"), ("delete_file", "deleteFile"), ("delete_file", "DeleteFile")],
    *[
        ("delete_file", "delete-file"),
        ("delete_file", "delete.file"),
        ("deletefile", "delete_file"),
        ("delete", "delete "),
    ],
    *[("delete", "mcp__fs__delete"), ("delete", "fs.delete"), ("delete", "fs/delete"), ("delete", "fs:delete")],
    *[
        ("delete", "functions.delete"),
        ("delete", "a.b.c.delete"),
        ("fs__delete", "db__delete"),
        ("delete_file", "fs.deleteFile"),
    ],
    *[
        ("serach", "search"),
        ("seach", "search"),
        ("searchh", "search"),
        ("delete_flie", "delete_file"),
        ("sarch", "search"),
    ],
    *[("\u0434\u0430\u0442\u0430", "\u0414\u0430\u0442\u0430"), ("stra\u00dfe", "STRASSE")],
]
DISTINCT = [
    *[("delete", "search"), ("get_user", "set_user"), ("read", "write"), ("create_order", "update_order"), ("a", "b")],
    *[
        ("delete", "undelete"),
        ("search", "research"),
        ("pay", "play"),
        ("list", "last"),
        ("tool_1", "tool_2"),
        ("add", "and"),
    ],
]


def calls(*names):
    return [(name, {"x": 1}) for name in names]


@pytest.mark.parametrize(("name", "called"), NEAR)
def test_near_name_is_an_error(name, called):
    for operator, expected in (("trajectory_forbidden", [name]), ("trajectory_max_calls", {name: 0})):
        result = compare(operator, expected, calls("other", called))
        assert (result.verdict, result.notes) == ("error", ["near_name"])
        assert repr(called) in result.error
        assert compare(operator, expected, calls("other", called), exact_names=True).passed


@pytest.mark.parametrize(("name", "called"), DISTINCT)
def test_another_tool_is_no_near_name(name, called):
    assert not is_near_name(name, called)
    assert compare("trajectory_forbidden", [name], calls(called)).passed
    assert compare("trajectory_max_calls", {name: 0}, calls(called)).passed


@pytest.mark.parametrize(("name", "called"), NEAR)
def test_rules_for_near_names_are_an_error(name, called):
    expected = calls(called)
    for settings in ({"args": {name: "ignore"}}, {"defaults": {name: {"y": 1}}}):
        assert compare("trajectory_exact", expected, expected, **settings).notes == ["near_name"]
    assert compare("trajectory_exact", expected, expected, args={name: "ignore"}, exact_names=True).passed


def test_name_that_is_called_may_be_near_another():
    assert compare("trajectory_forbidden", ["delete"], calls("delete", "Delete")).verdict == "fail"
    assert compare("trajectory_max_calls", {"delete": 1}, calls("delete", "Delete")).passed


def test_declared_tools_are_known():
    assert compare("trajectory_forbidden", ["get_orders"], calls("get_order"), tools=["get_order", "get_orders"]).passed
    assert compare("trajectory_forbidden", ["get_orders"], calls("get_order")).verdict == "error"


def test_prefixes_and_aliases_are_resolved_first():
    assert compare("trajectory_forbidden", ["delete"], calls("mcp__fs__delete"), mcp_servers="any").verdict == "fail"
    assert compare("trajectory_forbidden", ["delete"], calls("rm"), aliases={"rm": "delete"}).verdict == "fail"


@pytest.mark.parametrize("argument", ["serch", "Query", "quer", "qurey"])
def test_rule_for_a_near_argument_is_an_error(argument):
    expected = [("search", {"query": "tea", "search": 1})]
    args = {"search": {argument: "ignore"}}
    assert compare("trajectory_exact", expected, expected, args=args).notes == ["near_name"]
    assert compare("trajectory_exact", expected, expected, args=args, exact_names=True).passed


def test_rule_for_an_absent_argument_is_no_error():
    expected = [("search", {"query": "tea"})]
    assert compare("trajectory_exact", expected, expected, args={"search": {"limit": "ignore"}}).passed
    assert compare("trajectory_exact", expected, expected, args={"search": {"query.text": "ignore"}}).verdict != "error"


def test_near_agent_is_an_error():
    events = [Event("search", {"q": 1}, agent="researcher"), Event("pay", {}, agent="buyer")]
    result = compare("trajectory_any_order", ["search"], events, agents=["reseacher", "buyer"], args="ignore")
    assert result.notes == ["near_name"]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("trajectory_any_order", []),
        ("trajectory_in_order", []),
        ("trajectory_only_from", []),
        ("trajectory_forbidden", []),
        ("trajectory_steps", [{"name": "a", "optional": True}]),
    ],
)
@pytest.mark.parametrize("observed", [[], ["a"], ["a", "b"]])
def test_expected_side_that_asserts_nothing_is_an_error(operator, expected, observed):
    result = compare(operator, expected, observed)
    assert (result.verdict, result.notes) == ("error", ["empty_expected"])


@pytest.mark.parametrize("operator", ["trajectory_any_order", "trajectory_in_order", "trajectory_steps"])
@pytest.mark.parametrize("turns", ["all", "mean"])
def test_one_turn_may_have_no_calls(operator, turns):
    assert compare(operator, [["a"], []], [["a"], ["b"]], turns=turns).passed
    assert compare(operator, [[], []], [["a"], ["b"]], turns=turns).notes == ["empty_expected"]


def test_no_calls_at_all_can_be_expected():
    assert compare("trajectory_exact", [], []).passed
    assert compare("trajectory_exact", [], ["a"]).verdict == "fail"
    assert compare("trajectory_any_order", [], [], extras="forbid").passed
    assert compare("trajectory_in_order", [], ["a"], extras="forbid").verdict == "fail"


def test_many_names_are_compared_quickly():
    names = [f"tool_{number:05d}_{number % 7}" for number in range(1_000)]
    assert compare("trajectory_forbidden", [f"other_{number}" for number in range(1_000)], calls(*names)).passed
