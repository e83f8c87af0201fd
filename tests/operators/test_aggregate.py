"""Verdicts made of other verdicts."""

import json

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import ConfigurationError, Operator, Outcome, UndecidedError, compare
from pytest_verdict.cli import main
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import SettingsError, ThresholdError
from pytest_verdict.operators.aggregate import AllOf, AnyOf, AtLeastN, BestOf, Weighted
from pytest_verdict.operators.category import OneOf
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.templates import ExactMatch


class Broken(Operator):
    name = "broken_for_aggregates"

    def evaluate(self, expected, observed):
        raise RuntimeError("broken")


class Half(Operator):
    name = "half_for_aggregates"

    def evaluate(self, expected, observed):
        return Outcome(0.5)


class Greedy(Operator):
    name = "greedy_for_aggregates"

    def evaluate(self, expected, observed):
        return Outcome(1.0 if observed.pop() == expected.pop() else 0.0)


def test_conditions_compare_whole_values():
    result = compare("all_of", "Paris", " paris ", conditions=["normalized_exact", "exact", ExactMatch()])
    assert (result.passed, result.score, result.threshold) == (False, 2 / 3, 1.0)
    assert [(child.name, child.operator, child.passed) for child in result.children] == [
        ("0", "normalized_exact", True),
        ("1", "exact", False),
        ("2", "normalized_exact", True),
    ]


def test_conditions_compare_keys_of_mappings():
    conditions = {"city": "normalized_exact", "population": NumericTolerance(tolerance=0.1)}
    expected, observed = {"city": "Paris", "population": 100}, {"city": "paris", "population": 111, "more": 1}
    result = compare("all_of", expected, observed, conditions=conditions)
    assert [(child.name, child.expected, child.passed) for child in result.children] == [
        ("city", "Paris", True),
        ("population", 100, False),
    ]
    assert compare("any_of", expected, observed, conditions=conditions).passed


@pytest.mark.parametrize(
    ("expected", "observed", "notes"),
    [
        pytest.param({"a": None}, {}, ["missing_observed"], id="observed"),
        pytest.param({}, {"a": None}, ["missing_expected"], id="expected"),
        pytest.param({}, {}, ["missing_expected", "missing_observed"], id="both"),
        pytest.param({"a": 1}, "text", ["missing_observed"], id="observed-is-no-mapping"),
        pytest.param(None, {"a": None}, ["missing_expected"], id="expected-is-no-mapping"),
    ],
)
def test_missing_key_fails(expected, observed, notes):
    result = compare("all_of", expected, observed, conditions={"a": "exact"})
    assert not result.passed
    assert result.children[0].notes == notes


def test_expected_in_settings_needs_no_expected_key():
    assert compare("all_of", None, {"a": 1}, conditions={"a": OneOf(values=[1, 2])}).passed


def test_condition_has_its_own_threshold():
    condition = {"operator": Half(), "threshold": 0.5}
    result = compare("all_of", 1, 1, conditions=[condition, Half()])
    assert [(child.threshold, child.passed) for child in result.children] == [(0.5, True), (1.0, False)]


def test_broken_condition_does_not_pass():
    result = compare("any_of", 1, 1, conditions=[Broken(), "exact"])
    assert result.passed
    assert result.notes == ["child_error"]
    assert result.children[0].verdict == "error"
    assert not compare("all_of", 1, 1, conditions=[Broken(), "exact"]).passed


@pytest.mark.parametrize(
    ("operator", "observed", "threshold", "verdict", "settings"),
    [
        ("all_of", 1, None, "error", {}),
        ("all_of", 2, None, "fail", {}),
        ("all_of", 1, 0.5, "pass", {}),
        ("all_of", 2, 0.5, "error", {}),
        ("any_of", 1, None, "pass", {}),
        ("any_of", 2, None, "error", {}),
        ("at_least_n", 1, None, "error", {"n": 2}),
        ("at_least_n", 2, None, "fail", {"n": 2}),
        ("weighted", 1, None, "error", {"weights": [1, 3]}),
        ("weighted", 1, 0.75, "pass", {"weights": [1, 3]}),
        ("weighted", 2, 0.75, "fail", {"weights": [1, 3]}),
        ("weighted", 2, 0.25, "error", {"weights": [1, 3]}),
    ],
)
def test_error_of_a_part_is_an_error_only_if_it_could_decide(operator, observed, threshold, verdict, settings):
    result = compare(operator, 1, observed, threshold, conditions=[Broken(), "exact"], **settings)
    assert (result.verdict, result.notes, len(result.children)) == (verdict, ["child_error"], 2)
    if verdict == "error":
        assert (result.score, result.error) == (0.0, result.children[0].error)
        with pytest.raises(UndecidedError):
            assert not result


def test_error_in_nested_aggregate_is_an_error():
    inner = AnyOf(conditions=[Broken(), "exact"])
    assert compare("all_of", 1, 2, conditions=[inner]).verdict == "error"
    assert compare("any_of", 1, 1, conditions=[inner]).verdict == "pass"


def test_condition_with_invalid_threshold_is_an_error():
    class Lax(Half):
        def default_threshold(self):
            return 5

    result = compare("any_of", 1, 1, conditions=[Lax(), "exact"])
    assert (result.verdict, "threshold must be in (0, 1], got 5" in result.error) == ("error", True)


def test_condition_that_changes_its_arguments_does_not_affect_the_next():
    result = compare("all_of", [1, 2], [1, 2], conditions=[Greedy(), Greedy(), "exact"])
    assert [(child.expected, child.observed, child.passed) for child in result.children] == [([1, 2], [1, 2], True)] * 3


@pytest.mark.parametrize("passing", range(4))
def test_threshold_is_the_score_of_the_required_parts(passing):
    conditions = [OneOf(values=[index < passing]) for index in range(3)]
    assert compare(AnyOf(conditions=conditions), None, True).passed is (passing >= 1)
    assert compare(AtLeastN(n=2, conditions=conditions), None, True).passed is (passing >= 2)
    assert compare(AllOf(conditions=conditions), None, True).passed is (passing >= 3)


@given(passes=st.lists(st.booleans(), min_size=1, max_size=60), share=st.floats(0, 1))
def test_verdict_follows_from_children(passes, share):
    conditions = [OneOf(values=[value]) for value in passes]
    n = max(1, round(share * len(passes)))
    for operator, needed in (
        (AnyOf(conditions=conditions), 1),
        (AllOf(conditions=conditions), len(passes)),
        (AtLeastN(n=n, conditions=conditions), n),
    ):
        result = compare(operator, None, True)
        assert sum(child.passed for child in result.children) == sum(passes)
        assert result.passed is (sum(passes) >= needed)


@given(parts=st.lists(st.tuples(st.booleans(), st.decimals("0.001", 1000)), min_size=1, max_size=30))
def test_weighted_score_is_exactly_zero_or_one_at_its_ends(parts):
    conditions = [OneOf(values=[passes]) for passes, _ in parts]
    weights = [weight for _, weight in parts]
    result = compare(Weighted(conditions=conditions, weights=weights), None, True)
    assert result.passed is all(passes for passes, _ in parts)
    assert (result.score == 0.0) is not any(passes for passes, _ in parts)


def test_weighted_score_is_the_weighted_mean():
    operator = Weighted(conditions={"a": "exact", "b": Half()}, weights={"b": 1, "a": "0.5"})
    assert compare(operator, {"a": 1, "b": 2}, {"a": 1, "b": 3}).score == 2 / 3


@pytest.mark.parametrize(
    "operator",
    [
        AllOf(
            conditions=[
                "exact",
                {"operator": "numeric_tolerance", "settings": {"tolerance": 0.1, "zero_at": 1}, "threshold": 0.5},
            ]
        ),
        AnyOf(conditions={"a": ExactMatch(normalize=["nfc"]), "b": AllOf(conditions=["regex"])}),
        AtLeastN(n=1, conditions=[OneOf(values=[(1, 2)])]),
        Weighted(conditions={"a": "exact"}, weights={"a": 0.1}),
    ],
    ids=str,
)
def test_settings_and_records_round_trip(operator):
    assert type(operator)(**json.loads(json.dumps(operator.settings()))) == operator
    result = compare(operator, {"a": "1", "b": "1"}, {"a": 1})
    assert ComparisonResult.from_record(json.loads(result.to_text())) == result


@pytest.mark.parametrize(
    ("cls", "settings", "message"),
    [
        (AllOf, {}, "required"),
        (AllOf, {"conditions": []}, "at least one condition"),
        (AllOf, {"conditions": "exact"}, "at least one condition"),
        (AllOf, {"conditions": ["exat"]}, "Did you mean 'exact'"),
        (AllOf, {"conditions": [5]}, "registered name"),
        (AllOf, {"conditions": [{"operator": "exact", "limit": 1}]}, "no key 'limit'"),
        (AllOf, {"conditions": [{"settings": {}}]}, "registered name"),
        (AllOf, {"conditions": ["numeric_tolerance"]}, "'tolerance' is required"),
        (AllOf, {"conditions": {1: "exact"}}, "are text"),
        (AtLeastN, {"conditions": ["exact"]}, "'n' is required"),
        (Weighted, {"conditions": ["exact", "literal"], "weights": {1, 2}}, "no order"),
        (AtLeastN, {"conditions": ["exact"], "n": 0}, "greater than or equal to 1"),
        (AtLeastN, {"conditions": ["exact"], "n": 2}, "can never pass"),
        (Weighted, {"conditions": ["exact"]}, "'weights' is required"),
        (Weighted, {"conditions": ["exact"], "weights": [1, 2]}, "one weight for each condition"),
        (Weighted, {"conditions": ["exact"], "weights": {"0": 1}}, "one weight for each condition"),
        (Weighted, {"conditions": {"a": "exact"}, "weights": {"b": 1}}, "one weight for each condition"),
        (Weighted, {"conditions": ["exact"], "weights": [0]}, "above 0"),
        (Weighted, {"conditions": ["exact"], "weights": [float("nan")]}, "finite number"),
    ],
)
def test_invalid_settings_are_rejected(cls, settings, message):
    with pytest.raises(SettingsError, match=message):
        cls(**settings)


@pytest.mark.parametrize("threshold", [0, 1.5, True, "1", float("nan")], ids=repr)
def test_condition_threshold_is_validated(threshold):
    with pytest.raises(ConfigurationError, match="threshold must be in"):
        AllOf(conditions=[{"operator": "exact", "threshold": threshold}])
    assert issubclass(ThresholdError, ConfigurationError)


@pytest.mark.parametrize("n", ["2", 2.0, True], ids=repr)
def test_at_least_n_rejects_n_that_is_not_an_integer(n):
    with pytest.raises(SettingsError, match="at_least_n: n"):
        compare("at_least_n", "a", "a", n=n, conditions=["exact", "exact"])


PARTS = st.lists(
    st.sampled_from(["exact", "normalized_exact", "numeric_exact", "contains_any"]), min_size=1, max_size=4
)


@given(PARTS, st.sampled_from(["a", "A", "1", "ab"]), st.sampled_from(["a", " a", "1.0", "ab"]))
def test_none_of_is_the_opposite_of_any_of(conditions, expected, observed):
    any_of, none_of = (compare(name, expected, observed, conditions=conditions) for name in ("any_of", "none_of"))
    if not any(child.notes for child in any_of.children):
        assert none_of.passed is not any_of.passed
        assert none_of.score == pytest.approx(1 - any_of.score)
    else:
        assert not none_of.passed


def test_none_of_does_not_pass_on_unreadable_values():
    verdicts = [
        compare("none_of", {"error": 1}, said, conditions=["json_subset"]).verdict for said in ("{", "{}", None)
    ]
    assert verdicts == ["fail", "pass", "pass"]
    found = compare("none_of", "a", None, conditions=["contains_any"])
    assert (found.verdict, found.children[0].notes) == ("fail", ["not_text"])
    broken = compare("none_of", 1, 1, conditions=[Broken(), "exact"])
    assert broken.verdict == "fail"
    assert compare("none_of", 1, 2, conditions=[Broken(), "exact"]).verdict == "error"


@given(st.lists(st.text("abc", max_size=4), min_size=1, max_size=4), st.text("abc", max_size=4))
def test_best_of_uses_and_names_the_best_reference(references, observed):
    found = compare("best_of", references, observed, inner="text_similarity")
    scores = [compare("text_similarity", reference, observed).score for reference in references]
    assert (found.score, found.threshold) == (max(scores), 0.8)
    assert found.details == {"best_index": scores.index(max(scores)), "best": references[scores.index(max(scores))]}
    assert [child.score for child in found.children] == scores
    assert compare("best_of", set(references), observed, inner="text_similarity").score == max(scores)


def test_best_of_unusable_reference_is_an_error_unless_another_matches():
    assert compare("best_of", [5, "a"], "a", inner="contains_any").passed
    assert compare("best_of", [5, "a"], "b", inner="contains_any").verdict == "error"
    assert compare("best_of", ["a", "b"], 5, inner="contains_any").verdict == "fail"


def test_best_of_rejects_inner_operator_without_expected():
    with pytest.raises(SettingsError, match="the settings of one_of are all it expects"):
        BestOf(inner=OneOf(values=["a"]))
    with pytest.raises(SettingsError, match="Unknown comparator"):
        BestOf(inner="fuzzy")


def test_best_of_takes_references_as_a_setting():
    found = compare("best_of", None, [1, 2], inner="exact", references=[(1, 2), [1, 2]])
    assert (found.expected, found.details["best_index"]) == ([(1, 2), [1, 2]], 1)
    assert BestOf(**found.settings) == BestOf(inner="exact", references=[(1, 2), [1, 2]])
    with pytest.raises(SettingsError, match="at least one accepted value"):
        BestOf(inner="exact", references=[])


def test_best_of_takes_lists_as_references():
    assert compare("best_of", [["a"], ["b", "c"]], ["c", "b"], inner="set_containment").details["best_index"] == 1


SUITE = """
suite: {name: cities, adapter: "agent:answer"}
scenarios:
  - name: reference
    input: Where is the Eiffel Tower?
    scorer: {operator: best_of, settings: {inner: normalized_exact, references: [Lutetia, Paris]}}
  - name: refusal
    input: Where?
    scorer:
      operator: none_of
      settings: {conditions: [{operator: contains_any, settings: {substrings: [sorry, cannot]}}]}
"""
ROWS = [{"truth": ["Lutetia", "Paris"], "said": " paris"}, {"truth": ["Rome"], "said": "Paris"}]


def test_best_of_and_none_of_replay_in_suites_and_data_sets(pytester):
    pytester.makepyfile(agent="def answer(question):\n    return 'PARIS'")
    (pytester.path / "cities.verdict.yaml").write_text(SUITE)
    mapping = {"expected": "$.truth", "observed": "$.said"}
    pytester.makepyfile(f"""
        from pytest_verdict.suites import check_dataset

        def test_rows():
            check_dataset({ROWS!r}, "best_of", {mapping!r}, pass_rate=0.5, inner="normalized_exact")
    """)
    pytester.syspathinsert()
    pytester.runpytest_inprocess("--verify-report").assert_outcomes(passed=3)
    records = [json.loads(line) for line in (pytester.path / "verify-report/records.jsonl").read_text().splitlines()]
    best = [record["details"]["best"] for record in records if record["operator"] == "best_of"]
    assert sorted(best) == ["Paris", "Paris", "Rome"]
    assert main(["replay", "--quiet", str(pytester.path / "verify-report")]) == 0
