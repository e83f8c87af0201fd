"""Each operator agrees with its brute-force definition on small random trajectories."""

from fractions import Fraction

import brute_force
import pytest
from hypothesis import assume, given, settings, strategies as st

from pytest_verdict import compare
from pytest_verdict.operators.number import NumericRange, NumericTolerance
from pytest_verdict.operators.text import NormalizedExact
from pytest_verdict.trajectories.call_matcher import CallMatcher
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.pairing import SCALE, edit_distance

# Calls of two tools with one number; a tolerance of one makes the relation neither transitive nor a partition.
CALLS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 4)), max_size=4)
# With extras, an empty expected side is an error.
EXPECTED = CALLS.filter(bool)
SETTINGS = {"args": {"*": {"x": NumericTolerance(tolerance=1, mode="absolute")}}}


def accepts(expected, observed):
    return expected[0] == observed[0] and abs(expected[1] - observed[1]) <= 1


def score(expected, observed):
    return 1.0 if accepts(expected, observed) else 0.0


def equal_score(expected, observed):
    return 0.0 if expected[0] != observed[0] else sum(map(int.__eq__, expected[1], observed[1])) / 2


def written(calls):
    return [(name, {"x": number}) for name, number in calls]


def judged(operator, expected, observed, **more):
    result = compare(operator, written(expected), written(observed), **{**SETTINGS, **more})
    assert result.verdict != "error", result.error
    return result


@pytest.mark.ci
@given(CALLS, CALLS)
def test_exact_agrees_with_brute_force(expected, observed):
    wanted = len(expected) == len(observed) and all(map(accepts, expected, observed))
    assert judged("trajectory_exact", expected, observed).passed == wanted


@pytest.mark.ci
@given(EXPECTED, CALLS, st.sampled_from(["allow", "forbid"]))
def test_in_order_agrees_with_brute_force(expected, observed, extras):
    wanted = brute_force.in_order(expected, observed, accepts)
    wanted = wanted and (extras == "allow" or len(expected) == len(observed))
    assert judged("trajectory_in_order", expected, observed, extras=extras).passed == wanted


@pytest.mark.ci
@given(EXPECTED, CALLS, st.sampled_from(["allow", "forbid"]))
def test_any_order_agrees_with_brute_force(expected, observed, extras):
    wanted = brute_force.best(expected, observed, score, ordered=False) == len(expected)
    wanted = wanted and (extras == "allow" or len(expected) == len(observed))
    assert judged("trajectory_any_order", expected, observed, extras=extras).passed == wanted


@given(EXPECTED, CALLS, st.sampled_from(["forbid", "allow"]))
def test_only_from_agrees_with_brute_force(expected, observed, repeats):
    if repeats == "forbid":
        wanted = brute_force.best(expected, observed, score, ordered=False) == len(observed)
    else:
        wanted = all(any(accepts(call, made) for call in expected) for made in observed)
    assert judged("trajectory_only_from", expected, observed, repeats=repeats).passed == wanted


@given(EXPECTED, CALLS)
def test_forbidden_agrees_with_brute_force(expected, observed):
    wanted = not any(accepts(call, made) for call in expected for made in observed)
    assert judged("trajectory_forbidden", expected, observed).passed == wanted


@pytest.mark.ci
@given(CALLS, CALLS, st.sampled_from(["any_order", "in_order"]))
def test_precision_recall_and_f1_agree_with_brute_force(expected, observed, matching):
    matched = brute_force.best(expected, observed, score, ordered=matching == "in_order")
    both_empty = not expected and not observed
    wanted = {
        "trajectory_precision": matched / len(observed) if observed else float(both_empty),
        "trajectory_recall": matched / len(expected) if expected else float(both_empty),
        "trajectory_f1": 2 * matched / (len(expected) + len(observed)) if expected or observed else 1.0,
    }
    for operator, value in wanted.items():
        assert judged(operator, expected, observed, matching=matching).score == pytest.approx(value), operator


PAIRS = st.lists(st.tuples(st.sampled_from("ab"), st.tuples(st.integers(0, 2), st.integers(0, 2))), max_size=4)


def written_pairs(calls):
    return [(name, {"x": one, "y": other}) for name, (one, other) in calls]


@given(PAIRS, PAIRS, st.sampled_from(["any_order", "in_order"]))
def test_partial_credit_uses_the_best_pairing(expected, observed, matching):
    best = brute_force.best(expected, observed, equal_score, ordered=matching == "in_order")
    result = compare(
        "trajectory_recall", written_pairs(expected), written_pairs(observed), matching=matching, credit="partial"
    )
    empty = 0.0 if observed else 1.0
    assert result.score == pytest.approx(
        best / len(expected) if expected and observed else (0.0 if expected else empty)
    )


VALUES = st.sampled_from([0, 1, 1.0, 2, True, "1", " a", "A", "", None, float("nan"), [1], [1.0], {"a": 1}])
ARGUMENTS = st.lists(st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3), max_size=4)


TOLERANT = NumericTolerance(tolerance=1, mode="absolute")
RULES = st.sampled_from(["equal", "contains", "within", "ignore", TOLERANT, NormalizedExact(), NumericRange(min=1)])
TOOL_RULES = st.one_of(
    st.sampled_from(["equal", "contains", "within"]), st.dictionaries(st.sampled_from("xyz*"), RULES, min_size=1)
)


@pytest.mark.ci
@given(PAIRS, PAIRS)
def test_similarity_agrees_with_brute_force(expected, observed):
    longer = max(len(expected), len(observed))
    wanted = 1 - brute_force.edit_cost(expected, observed, equal_score) / longer if longer else 1.0
    found = compare("trajectory_similarity", written_pairs(expected), written_pairs(observed)).score
    assert found == pytest.approx(wanted, abs=1e-6)


TIMES = st.sampled_from([(1, 1), (0, 1), (0, 2), (1, 2), (2, 2)])
ITEMS = st.lists(st.tuples(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), TIMES), min_size=1, max_size=2)
STEPS = st.lists(st.tuples(ITEMS, TIMES), max_size=3)


def written_steps(steps):
    return [
        {
            "any_order": [
                {"name": name, "args": {"x": number}, "repeat": {"min": least, "max": most}}
                for (name, number), (least, most) in items
            ],
            "repeat": {"min": times[0], "max": times[1]},
        }
        for items, times in steps
    ]


@pytest.mark.ci
@settings(max_examples=150)
@given(
    STEPS,
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), max_size=4),
    st.sampled_from(["allow", "forbid"]),
)
def test_steps_agree_with_brute_force(steps, observed, extras):
    tuples = [([(call, *times) for call, times in items], *times) for items, times in steps]
    wanted = brute_force.steps_match(tuples, observed, accepts, extras)
    result = compare("trajectory_steps", written_steps(steps), written(observed), extras=extras, **SETTINGS)
    assume(result.notes != ["empty_expected"])
    assert result.passed == wanted, result.details


CHOICES = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=2, max_size=3).map(tuple)
STEPS_OF_CHOICES = st.lists(st.tuples(st.lists(st.tuples(CHOICES, TIMES), min_size=1, max_size=2), TIMES), max_size=3)


@pytest.mark.ci
@settings(max_examples=150)
@given(
    STEPS_OF_CHOICES,
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), max_size=4),
    st.sampled_from(["allow", "forbid"]),
)
def test_steps_with_choices_agree_with_brute_force(steps, observed, extras):
    tuples = [([(choices, *times) for choices, times in items], *times) for items, times in steps]

    def accepts_one(choices, made):
        return any(accepts(call, made) for call in choices)

    wanted = brute_force.steps_match(tuples, observed, accepts_one, extras)
    choice = [
        {
            "any_order": [
                {"one_of": [{"name": name, "args": {"x": number}} for name, number in choices], "repeat": repeat}
                for choices, (least, most) in items
                for repeat in [{"min": least, "max": most}]
            ],
            "repeat": {"min": times[0], "max": times[1]},
        }
        for items, times in steps
    ]
    result = compare("trajectory_steps", choice, written(observed), extras=extras, **SETTINGS)
    assume(result.notes != ["empty_expected"])
    assert result.passed == wanted, result.details


@pytest.mark.ci
@given(EXPECTED, CALLS, st.randoms(use_true_random=False))
def test_any_order_ignores_the_order_of_expected(expected, observed, random):
    shuffled = expected[:]
    random.shuffle(shuffled)
    for operator, more in [
        ("trajectory_any_order", {}),
        ("trajectory_any_order", {"extras": "forbid"}),
        ("trajectory_only_from", {}),
        ("trajectory_f1", {}),
        ("trajectory_f1", {"credit": "partial"}),
    ]:
        before, after = judged(operator, expected, observed, **more), judged(operator, shuffled, observed, **more)
        assert before.score == after.score


@given(EXPECTED, CALLS)
def test_competing_calls_outnumber_their_observed_calls(expected, observed):
    found = judged("trajectory_any_order", expected, observed).details.get("competing")
    if found is None:
        return
    accepted = {j for i in found["expected"] for j in range(len(observed)) if accepts(expected[i], observed[j])}
    assert sorted(accepted) == found["observed"]
    assert len(found["expected"]) > len(accepted) > 0


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a", "A", 1.0, 0.0]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pq"), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS = st.lists(st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3), max_size=4)


@pytest.mark.ci
@settings(max_examples=200)
@given(ARGUMENTS, ARGUMENTS, st.sampled_from(["equal", "contains", "within", "text", "number"]))
def test_indexed_matches_equal_the_matches_of_single_pairs(expected, observed, rule):
    """The candidates that are found by value are those that are found by comparing each with each."""
    from pytest_verdict.core.values.numbers import as_decimal
    from pytest_verdict.templates import ExactMatch
    from pytest_verdict.trajectories.event import Event
    from pytest_verdict.trajectories.pairing import find_accepted_calls

    rules = {
        "text": {"t": {"x": ExactMatch()}},
        "number": {"t": {"x": NumericTolerance(tolerance=1, mode="absolute"), "*": "ignore"}},
    }.get(rule, rule)
    matcher = CallMatcher(rules)
    if rule == "number":
        # An expected value that is no number makes the comparison an error, not a verdict.
        expected = [{**args, "x": 1} if as_decimal(args.get("x", 1)) is None else args for args in expected]
    left = [matcher.prepare(Event("t", args), "t") for args in expected]
    right = [matcher.prepare(Event("t", args), "t") for args in observed]
    wanted = [[at for at, made in enumerate(right) if matcher.accepts(call, made)] for call in left]
    assert find_accepted_calls(left, right, matcher) == wanted


@pytest.mark.ci
@given(st.lists(st.sets(st.integers(0, 5)).map(sorted), max_size=5))
def test_longest_common_subsequence_agrees_with_brute_force(accepted):
    from pytest_verdict.trajectories.pairing import longest_common_subsequence

    partners = longest_common_subsequence(accepted, 6)
    pairs = [(left, right) for left, right in enumerate(partners) if right is not None]
    assert all(right in accepted[left] for left, right in pairs)
    assert [right for _, right in pairs] == sorted({right for _, right in pairs})
    best = brute_force.best(range(len(accepted)), range(6), lambda i, j: float(j in accepted[i]), ordered=True)
    assert len(pairs) == best


@pytest.mark.parametrize(("moved", "cost"), [(10, 20), (18, 36), (19, 38)])
def test_edit_distance_finds_alignments_far_from_the_diagonal(moved, cost):
    # By brute force it would take ages.
    expected = list(range(40))
    observed = [*range(100, 100 + moved), *expected[: 40 - moved]]
    matcher = CallMatcher("equal")
    sides = [[matcher.prepare(Event(f"t{number}"), f"t{number}") for number in side] for side in (expected, observed)]
    found, pairs = edit_distance(*sides, matcher)
    assert found == cost * SCALE
    assert pairs == [*range(moved, 40), *[None] * moved]


THREE = st.tuples(*[st.dictionaries(st.sampled_from("xyz"), st.sampled_from([0, 1, True, "0", None, [1]]))] * 3)


@given(THREE)
def test_share_of_different_arguments_is_a_metric(arguments):
    """Equal calls can therefore be paired first, however many there are."""
    matcher = CallMatcher("equal")
    one, two, three = (matcher.prepare(Event("t", args), "t") for args in arguments)
    differ = lambda left, right: 1 - Fraction(matcher.score(left, right)).limit_denominator(10)  # noqa: E731
    assert differ(one, three) <= differ(one, two) + differ(two, three)
    assert (differ(one, two) == 0) == matcher.accepts(one, two)
    assert differ(one, two) == differ(two, one)


@pytest.mark.parametrize(
    ("operator", "settings"),
    [
        ("trajectory_f1", {"credit": "partial"}),
        ("trajectory_recall", {"credit": "partial", "matching": "in_order"}),
        ("trajectory_similarity", {}),
        ("trajectory_f1", {"credit": "partial", "args": "contains"}),
    ],
)
def test_too_many_pairs_are_an_error_that_says_what_to_do(operator, settings):
    made = [("t", {"x": at}) for at in range(1_001)]
    result = compare(operator, made, [("t", {"x": -at}) for at in range(1, 1_002)], **settings)
    assert result.verdict == "error"
    assert "pairs of calls are too many to score" in result.error
    assert "credit='whole'" in result.error
    assert compare("trajectory_f1", made, made, credit="whole").passed


NESTED = st.lists(
    st.dictionaries(st.sampled_from("xy"), st.dictionaries(st.sampled_from("pq"), st.integers(0, 3)), max_size=2),
    max_size=3,
)
EVERY_OPERATOR = ["trajectory_exact", "trajectory_any_order", "trajectory_f1", "trajectory_similarity"]


@pytest.mark.ci
@given(NESTED, NESTED, st.sampled_from(EVERY_OPERATOR))
def test_rule_for_a_part_equals_a_rule_for_a_flat_argument(expected, observed, operator):
    def flat(args):
        inside = {f"{name}.{key}": value for name, own in args.items() for key, value in own.items()}
        return {**inside, **{name: {} for name, own in args.items() if not own}}

    tolerance = NumericTolerance(tolerance=1, mode="absolute")
    paths = {"t": {"x.p": tolerance, "y.q": tolerance, "x.q": "equal", "y.p": "equal"}}
    nested = compare(operator, [("t", args) for args in expected], [("t", args) for args in observed], args=paths)
    apart = compare(
        operator, [("t", flat(args)) for args in expected], [("t", flat(args)) for args in observed], args=paths
    )
    assert (nested.verdict, nested.score) == (apart.verdict, apart.score)


@pytest.mark.ci
@given(NESTED, NESTED)
def test_operator_for_all_arguments_decides_on_the_call(expected, observed):
    result = compare(
        "trajectory_exact",
        [("t", args) for args in expected],
        [("t", args) for args in observed],
        args={"t": "json_subset"},
    )
    each = [compare("json_subset", left, right).passed for left, right in zip(expected, observed, strict=False)]
    assert result.passed == (len(expected) == len(observed) and all(each))
