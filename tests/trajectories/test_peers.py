"""Cases that other tools decide wrongly; each test names the tool and its verdict."""

import random

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.templates import RegexMatch
from pytest_verdict.trajectories.readers import read_trajectory

X, X5 = ("s", {"q": "x"}), ("s", {"q": "x", "limit": 5})
PATTERNS = {"s": {"q": RegexMatch(mode="fullmatch")}}
WITHIN_ONE = {"s": {"n": NumericTolerance(tolerance=1, mode="absolute")}}


def passes(operator, expected, observed, **settings):
    result = compare(operator, expected, observed, **settings)
    assert result.verdict != "error", result.error
    return result.passed


@pytest.mark.parametrize("extras", ["allow", "forbid"])
@pytest.mark.parametrize(
    ("args", "expected", "observed"),
    [
        pytest.param("contains", [X, X5], [X5, X], id="contains"),
        pytest.param("contains", [X5, X], [X5, X], id="contains, expected reversed"),
        pytest.param(
            PATTERNS, [("s", {"q": ".*"}), ("s", {"q": "foo"})], [("s", {"q": "foo"}), ("s", {"q": "bar"})], id="regex"
        ),
        pytest.param(
            WITHIN_ONE, [("s", {"n": 10}), ("s", {"n": 12})], [("s", {"n": 11}), ("s", {"n": 10})], id="tolerance"
        ),
    ],
)
def test_agentevals_and_openevals_miss_the_pairing(args, expected, observed, extras):
    """agentevals 0.0.9 and openevals 0.2.2 pair greedily, and fail these in one order of expected."""
    assert passes("trajectory_any_order", expected, observed, args=args, extras=extras)


@pytest.mark.ci
def test_agentevals_fails_a_quarter_of_feasible_trajectories():
    """4,000 instances that have a pairing by construction; agentevals fails 23 % of them, openevals 24 %."""
    dice = random.Random(7)
    for _ in range(4_000):
        expected = [("s", dict.fromkeys(dice.sample("abcd", dice.randint(0, 3)), 1)) for _ in range(dice.randint(2, 4))]
        observed = [
            ("s", {**args, **dict.fromkeys(dice.sample("abcd", dice.randint(0, 2)), 1)}) for _, args in expected
        ]
        dice.shuffle(observed)
        assert passes("trajectory_any_order", expected, observed, args="contains", extras="forbid")


@pytest.mark.parametrize(
    ("args", "expected", "observed", "verdict"),
    [
        pytest.param("contains", {"x": 1, "y": 2}, {"x": 1}, False, id="observed lacks an argument"),
        pytest.param("contains", {"x": 1}, {"x": 1, "y": 2}, True, id="observed has one more"),
        pytest.param("within", {"x": 1, "y": 2}, {"x": 1}, True, id="within: observed lacks an argument"),
        pytest.param("within", {"x": 1}, {"x": 1, "y": 2}, False, id="within: observed has one more"),
        pytest.param("contains", {"o": {"k": 1}}, {"o": {"k": 1, "z": 2}}, True, id="nested, any depth"),
    ],
)
@pytest.mark.parametrize(
    "operator", ["trajectory_exact", "trajectory_in_order", "trajectory_any_order", "trajectory_only_from"]
)
def test_agentevals_swaps_the_sides(operator, args, expected, observed, verdict):
    """agentevals 0.0.9 gives the rule its arguments the wrong way round in `subset` and half of `unordered`."""
    assert passes(operator, [("a", expected)], [("a", observed)], args=args) == verdict


@pytest.mark.parametrize("operator", ["trajectory_exact", "trajectory_any_order", "trajectory_only_from"])
def test_regex_rule_has_one_direction(operator):
    """agentevals 0.0.9 never passes a regex in `unordered` and `subset`."""
    assert passes(operator, [("s", {"q": "f.*"})], [("s", {"q": "foo"})], args=PATTERNS)


def test_a_misspelt_argument_in_a_rule_is_no_pass():
    """agentevals 0.0.9 passes any arguments when a key in its overrides is misspelt."""
    assert not passes("trajectory_any_order", [("a", {"x": 1})], [("a", {"x": 2})], args={"a": {"typo": "ignore"}})


@pytest.mark.parametrize("args", ["exat", {"a": "exat"}, {"a": {"x": "exat"}}, {"a": {}}, {}, {"a": []}, 3])
def test_a_misspelt_mode_is_an_error(args):
    """agentevals and openevals take a misspelt mode for `ignore`; an empty override falls back silently."""
    with pytest.raises(SettingsError):
        compare("trajectory_any_order", [("a", {"x": 1})], [("a", {"x": 2})], args=args)


def test_a_missing_argument_is_not_none():
    """agentevals 0.0.9 takes {x: None} and {} for equal in overrides."""
    assert not passes("trajectory_exact", [("a", {"x": None})], [("a", {})])


@pytest.mark.parametrize("arguments", ["{bad", "", "[1]", "3"])
def test_malformed_arguments_are_a_fail_with_a_note(arguments):
    """agentevals crashes with a JSONDecodeError."""
    message = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "a", "arguments": arguments}}]}
    for operator in ["trajectory_exact", "trajectory_any_order"]:
        result = compare(operator, [("a", {})], [message])
        assert (result.verdict, result.notes) == ("fail", ["args_malformed"])
    assert compare("trajectory_exact", [("a", {})], [message], args="ignore").notes == ["args_malformed"]


def test_invalid_calls_of_langchain_are_seen():
    """agentevals takes a run that made only invalid calls for one that made none."""
    observed = [{"type": "ai", "tool_calls": [], "invalid_tool_calls": [{"name": "a", "args": "{bad", "id": "1"}]}]
    assert not passes("trajectory_any_order", [], observed, extras="forbid")


def test_readers_leave_their_input_alone():
    """agentevals adds ids and contents to the caller's messages."""
    message = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "a", "arguments": "{}"}}]}
    before = repr(message)
    read_trajectory([message])
    assert repr(message) == before


def test_a_failure_says_why():
    """agentevals returns no comment on any failure."""
    result = compare("trajectory_exact", [("a", {"x": 1})], [("a", {"x": 2})])
    assert result.details["differences"] == [{"path": "$[0].args.x", "kind": "changed", "expected": 1, "observed": 2}]


@pytest.mark.parametrize("calls", [["A", "A"], ["A", "A", "B"], ["WS", "TQ", "WS"]])
@pytest.mark.parametrize("operator", ["trajectory_recall", "trajectory_f1", "trajectory_any_order", "trajectory_exact"])
def test_a_trajectory_equals_itself(operator, calls):
    """deepeval 4.3.1 scores [A, A] against itself 0.5, [A, A, B] 0.667; strands [A, A] 0.5."""
    assert compare(operator, calls, calls).score == 1.0


def test_deepeval_documented_example_scores_the_same():
    """deepeval's documentation takes [WS, WS, TQ] for correct in order; its code says 0.667, which is the common part."""
    assert compare("trajectory_recall", ["WS", "TQ", "WS"], ["WS", "WS", "TQ"], matching="in_order").score == 2 / 3


@pytest.mark.parametrize("turned", [False, True], ids=["as written", "reversed"])
def test_partial_credit_does_not_depend_on_the_order(turned):
    """deepeval 4.3.1 scores 0.5 or 0.667, depending on how expected is written."""
    expected = [("book", {"a": 1, "b": 1, "c": 1}), ("book", {"a": 1, "b": 1, "c": 2})]
    observed = [("book", {"a": 1, "b": 1, "c": 2}), ("book", {"a": 1, "b": 5, "c": 5})]
    result = compare("trajectory_recall", expected[::-1] if turned else expected, observed, credit="partial")
    assert result.score == pytest.approx(2 / 3)


@pytest.mark.parametrize("other", [{"name": "a"}, {"name": "a", "args": None}], ids=["not stated", "None"])
def test_no_arguments_are_no_crash(other):
    """deepeval raises an AttributeError, ADK finds None and {} different."""
    assert passes("trajectory_exact", [other], [("a", {})])


def test_repeated_calls_count():
    """ragas 0.4.3 counts sets: F1 of [A, A, A] and [A] is 1.0."""
    assert compare("trajectory_f1", ["A", "A", "A"], ["A"]).score == 0.5


@pytest.mark.parametrize(
    "operator",
    [
        "trajectory_exact",
        "trajectory_f1",
        "trajectory_precision",
        "trajectory_recall",
        "trajectory_similarity",
    ],
)
def test_two_empty_trajectories_are_equal(operator):
    """ragas scores F1 of two empty lists 0.0, Azure raises, strands divides by zero."""
    assert compare(operator, [], []).score == 1.0


def test_one_extra_call_is_not_everything_wrong():
    """ragas 0.4.3 scores an accuracy of 0.0 for a perfect run with one extra call."""
    assert compare("trajectory_recall", ["A", "B", "C"], ["A", "B", "C", "D"]).score == 1.0
    assert compare("trajectory_precision", ["A", "B", "C"], ["A", "B", "C", "D"]).score == 0.75


@pytest.mark.parametrize(
    ("matching", "observed", "score"),
    [
        ("same_order", [("A", {"x": 1}), ("B", {"y": 0})], 0.5),
        ("same_order", [("B", {"y": 2}), ("A", {"x": 1})], 0.0),
        ("same_order", [("A", {"x": 1}), ("B", {"y": 2}), ("C", {})], 0.0),
        ("same_tools", [("B", {"y": 2}), ("A", {"x": 0})], 0.5),
        ("same_tools", [("A", {"x": 1}), ("A", {"x": 1})], 0.0),
        ("same_tools", [], 0.0),
    ],
)
def test_ragas_tool_call_accuracy_is_available(matching, observed, score):
    expected = [("A", {"x": 1}), ("B", {"y": 2})]
    assert compare("trajectory_recall", expected, observed, matching=matching, credit="partial").score == score


def test_crossing_pair_is_found():
    """ragas 0.4.3 sorts and zips, and finds nothing in common."""
    result = compare("trajectory_recall", [("A", {"id": 2}), ("A", {"id": 3})], [("A", {"id": 1}), ("A", {"id": 2})])
    assert result.score == 0.5


@pytest.mark.parametrize(("expected", "observed"), [(1, "1"), (None, "None"), (1, True), (True, "True"), (0, False)])
def test_values_have_types(expected, observed):
    """ragas and Azure compare texts, all others let True equal 1."""
    assert not passes("trajectory_exact", [("a", {"x": expected})], [("a", {"x": observed})])


def test_numbers_are_equal_by_value_and_objects_whatever_the_order_of_keys():
    """ragas 0.4.3 finds 1 and 1.0 different, and dicts with another order of keys."""
    assert passes(
        "trajectory_exact", [("a", {"x": 1, "o": {"p": 1, "q": 2}})], [("a", {"o": {"q": 2, "p": 1}, "x": 1.0})]
    )


def test_an_extra_call_at_the_end_is_not_exact():
    """strands 1.7.0 ignores the tail."""
    assert not passes("trajectory_exact", ["A"], ["A", "B"])
    assert not passes("trajectory_exact", [], ["A"])


def test_common_part_is_not_only_the_prefix():
    """strands 1.7.0 scores 0.0 when the first expected call is missing."""
    assert compare("trajectory_recall", ["A", "B", "C"], ["B", "C"], matching="in_order").score == 2 / 3


def test_arguments_need_not_be_hashable():
    """strands 1.7.0 raises a TypeError for dicts."""
    assert passes(
        "trajectory_any_order",
        [{"name": "a", "args": {"x": [1, {"y": 2}]}}],
        [{"name": "a", "args": {"x": [1, {"y": 2}]}}],
    )


def test_two_calls_of_one_tool_with_different_arguments():
    """Azure's ground truth holds one set of parameters per tool, so this can never match there."""
    calls = [("A", {"x": "1"}), ("A", {"x": "2"})]
    assert passes("trajectory_any_order", calls, calls[::-1], extras="forbid")


def test_empty_expected_list_is_an_error():
    """ADK, Vertex and agentevals pass anything then, without a word."""
    result = compare("trajectory_any_order", [], ["a"])
    assert (result.verdict, result.notes) == ("error", ["empty_expected"])
    assert not passes("trajectory_any_order", [], ["a"], extras="forbid")


@pytest.mark.parametrize("misspelt", [{"matchtype": "x"}, {"extra": "allow"}, {"order": "any"}])
def test_a_misspelt_setting_is_an_error(misspelt):
    """ADK accepts a misspelt criterion and uses EXACT."""
    with pytest.raises(SettingsError, match="there is no setting"):
        compare("trajectory_any_order", ["a"], ["a"], **misspelt)


def test_optional_steps_need_more_than_a_greedy_search():
    """A greedy reader of [A?, A] takes the only A for the optional one."""
    steps = [{"name": "A", "optional": True}, "A"]
    assert passes("trajectory_steps", steps, ["A"], extras="forbid")
    assert passes("trajectory_steps", steps, ["A", "A"], extras="forbid")
    assert not passes("trajectory_steps", steps, ["A", "A", "A"], extras="forbid")
