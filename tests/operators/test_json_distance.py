"""json_distance: the definition against trying everything, its laws, its settings and its bounds."""

import itertools
import pickle
import random
import string
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.json.distance import JsonDistance

scalars = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "ab", "ba"])
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner), max_leaves=10
).map(lambda document: [document])
variants = st.fixed_dictionaries(
    {},
    optional={
        "list_order": st.sampled_from(["ordered", "unordered"]),
        "tolerance": st.sampled_from([0, 1, 0.5]),
        "mode": st.sampled_from(["absolute", "relative"]),
        "string_similarity": st.sampled_from([None, "levenshtein", "indel", "jaro_winkler"]),
        "ignore": st.sampled_from([[], ["$..a"], ["$[0][0]", "$..b"]]),
        "rules": st.sampled_from(
            [{}, {"$..a": {"tolerance": 1}}, {"$[0]": {"list_order": "unordered"}, "$..c": {"ignore": True}}]
        ),
    },
).filter(lambda settings: settings.get("mode") != "relative" or settings.get("tolerance"))


def size(tree):
    inside = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return 1 + sum(map(size, inside))


def cost(left, right, unordered, tolerance):
    """The definition of the docs page, word for word, by trying every pairing."""
    if isinstance(left, dict) and isinstance(right, dict):
        shared = left.keys() & right.keys()
        alone = [*(left[key] for key in left.keys() - shared), *(right[key] for key in right.keys() - shared)]
        return sum(map(size, alone)) + sum(cost(left[key], right[key], unordered, tolerance) for key in shared)
    if isinstance(left, list) and isinstance(right, list):
        return min(
            sum(cost(left[i], right[j], unordered, tolerance) for i, j in pairs)
            + sum(size(item) for i, item in enumerate(left) if i not in dict(pairs))
            + sum(size(item) for j, item in enumerate(right) if j not in {j for _, j in pairs})
            for pairs in pairings(len(left), len(right), unordered)
        )
    numbers = all(type(value) is int for value in (left, right))
    if numbers and abs(left - right) <= tolerance:
        return 0
    same = left == right and type(left) is type(right)
    return 0 if same else size(left) + size(right)


def pairings(rows, columns, unordered):
    for count in range(min(rows, columns) + 1):
        choose = itertools.permutations if unordered else itertools.combinations
        for chosen in itertools.combinations(range(rows), count):
            for partners in choose(range(columns), count):
                yield list(zip(chosen, partners))


small = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner), max_leaves=7
).map(lambda document: [document])


@pytest.mark.ci
@settings(max_examples=150, deadline=None)
@given(small, small, st.booleans(), st.sampled_from([0, 1]))
def test_cost_is_the_lowest_of_all_pairings(left, right, unordered, tolerance):
    order = "unordered" if unordered else "ordered"
    result = compare("json_distance", left, right, list_order=order, tolerance=tolerance)
    lowest = cost(left, right, unordered, tolerance)
    # The two lists at the root do not count.
    total = size(left) + size(right) - 2
    assert (result.details["cost"], result.score) == (str(lowest), float(Fraction(total - lowest, total)))


@settings(deadline=None)
@given(documents, documents, variants)
def test_laws(left, right, variant):
    operator = JsonDistance(**variant)
    result, swapped = compare(operator, left, right), compare(operator, right, left)
    assert 0.0 <= result.score <= 1.0
    assert result.score == swapped.score
    assert result.notes == swapped.notes
    assert compare(operator, left, left).score == 1.0
    assert JsonDistance(**operator.settings()) == operator
    assert pickle.loads(pickle.dumps(operator)).evaluate(left, right) == operator.evaluate(left, right)


@settings(deadline=None)
@given(documents, documents, st.randoms(use_true_random=False))
def test_order_of_keys_is_irrelevant(left, right, chance):
    def shuffled(tree):
        if isinstance(tree, dict):
            return {key: shuffled(tree[key]) for key in chance.sample(list(tree), len(tree))}
        return [shuffled(item) for item in tree] if isinstance(tree, list) else tree

    found, other = compare("json_distance", left, right), compare("json_distance", shuffled(left), shuffled(right))
    assert found.score == other.score
    assert found.details == other.details


@settings(deadline=None)
@given(documents, documents, st.randoms(use_true_random=False))
def test_order_of_unordered_lists_is_irrelevant(left, right, chance):
    items = chance.sample(left[0], len(left[0])) if isinstance(left[0], list) else left[0]
    scores = {compare("json_distance", [tree], right, list_order="unordered").score for tree in (left[0], items)}
    assert len(scores) == 1


@settings(deadline=None)
@given(documents, documents)
def test_strict_score_is_one_only_for_equal_documents(left, right):
    assert (compare("json_distance", left, right).score == 1.0) is compare("json_canonical", left, right).passed


@settings(deadline=None)
@given(documents, documents, documents)
def test_ignored_parts_do_not_count(document, first, second):
    left, right = {"kept": document, "noise": [first]}, {"kept": document, "noise": [second, 1]}
    for given_settings in ({"ignore": ["$.noise"]}, {"rules": {"$.noise": {"ignore": True}}}):
        result = compare("json_distance", left, right, **given_settings)
        assert (result.score, result.details["expected_size"]) == (1.0, size(document))


@pytest.mark.parametrize(
    ("expected", "observed", "given_settings", "wanted"),
    [
        pytest.param([1, 2, 3], [1, 3], {}, "1", id="an item left out"),
        pytest.param([1, 2], [2, 1], {}, "2", id="two items exchanged"),
        pytest.param([1, 2], [2, 1], {"list_order": "unordered"}, "0", id="exchanged, unordered"),
        pytest.param({"a": {"b": [1]}}, {}, {}, "3", id="a subtree missing"),
        pytest.param([True], [1], {}, "2", id="bool and number"),
        pytest.param([{"a": 1}], [[1]], {}, "4", id="object and list"),
        pytest.param([10], [11], {"tolerance": 1}, "0", id="within"),
        pytest.param([1], [1.1], {"tolerance": 0.1}, "0", id="exactly at the tolerance, in decimals"),
        pytest.param([10], [9], {"tolerance": 0.1, "mode": "relative"}, "0", id="relative to the larger"),
        pytest.param([10], [8.9], {"tolerance": 0.1, "mode": "relative"}, "2", id="not within"),
        pytest.param(["abcd"], ["abcx"], {"string_similarity": "levenshtein"}, "0.5", id="similar text"),
        pytest.param(["abcd"], ["wxyz"], {"string_similarity": "levenshtein"}, "2", id="unlike text"),
        pytest.param(["a"], [1], {"string_similarity": "levenshtein"}, "2", id="text and number"),
        pytest.param('{"a": 1e9999999}', '{"a": 2e9999999}', {"tolerance": 1}, "2", id="beyond arithmetic"),
        pytest.param([1.0, 1.5], [2.0, 1.5], {"tolerance": 0.5, "list_order": "unordered"}, "0", id="not greedy"),
    ],
)
def test_costs(expected, observed, given_settings, wanted):
    assert compare("json_distance", expected, observed, **given_settings).details["cost"] == wanted


@pytest.mark.parametrize(
    ("expected", "observed", "score"),
    [
        ({"a": 1}, {"b": 2}, 0.0),
        ({"a": 1}, {"a": 2}, 0.0),
        ([], [0], 0.0),
        ([1, 2], [1, 3], 0.5),
        ({"x": {"a": 1}}, {"x": {"b": 2}}, 0.5),
        ({}, {}, 1.0),
        ([], [], 1.0),
        ({}, [], 0.0),
        ({"a": 1}, [1], 0.0),
        (1, {"a": 1}, 0.0),
        (1, 2, 0.0),
        ("null", "null", 1.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("order", ["ordered", "unordered"])
def test_small_unlike_documents_score_zero(expected, observed, score, order):
    result = compare("json_distance", expected, observed, list_order=order)
    assert result.score == score == compare("json_distance", observed, expected, list_order=order).score
    assert float(result.details["distance"]) == pytest.approx(1 - score)


@pytest.mark.parametrize("order", ["ordered", "unordered"])
def test_long_lists_pair_their_equal_head(order):
    head = [{"id": index, "n": [index]} for index in range(400)]
    result = compare("json_distance", [*head, "x"], [*head, "y", "z"], list_order=order)
    assert (result.details["cost"], result.notes) == ("3", [])
    assert [(found["path"], found["kind"]) for found in result.details["differences"]] == [
        ("$[400]", "changed"),
        ("$[401]", "unexpected"),
    ]
    assert result.score == (2 * 400 * 4 + 3 - 3) / (2 * 400 * 4 + 3)


def test_differences_follow_alignment():
    expected = {"items": [{"id": 1}, {"id": 2}, {"id": 3, "n": "x"}], "gone": None}
    observed = {"items": [{"id": 2}, {"id": 3, "n": "y"}, 4]}
    assert compare("json_distance", expected, observed).details == {
        "cost": "6",
        "expected_size": 9,
        "observed_size": 7,
        "distance": "0.375",
        "differences": [
            {"path": "$.gone", "kind": "missing", "expected": None},
            {"path": "$.items[0]", "kind": "missing", "expected": {"id": 1}},
            {
                "path": "$.items[2].n",
                "kind": "changed",
                "expected": "x",
                "observed": "y",
                "observed_path": "$.items[1].n",
            },
            {"path": "$.items[2]", "kind": "unexpected", "observed": 4},
        ],
    }


RULES = {
    "$.a": {"tolerance": 1},
    "$.a.exact": {"tolerance": 0},
    "$..name": {"string_similarity": "levenshtein"},
    "$.a.name": {"string_similarity": None},
    "$.tags": {"list_order": "unordered"},
    "$.twice": {"tolerance": 0},
    "$['twice']": {"tolerance": 5},
}


@pytest.mark.parametrize(
    ("expected", "observed", "wanted"),
    [
        pytest.param({"a": {"n": [1]}}, {"a": {"n": [2]}}, "0", id="a rule holds below what it matches"),
        pytest.param({"b": 1}, {"b": 2}, "2", id="and nowhere else"),
        pytest.param({"a": {"exact": 1}}, {"a": {"exact": 2}}, "2", id="the nearer rule wins"),
        pytest.param({"name": "ab"}, {"name": "ax"}, "1", id="anywhere"),
        pytest.param({"a": {"name": "ab"}}, {"a": {"name": "ax"}}, "2", id="the longer path wins"),
        pytest.param({"tags": [1, 2]}, {"tags": [2, 1]}, "0", id="list order"),
        pytest.param({"twice": 1}, {"twice": 5}, "0", id="the later of two rules wins"),
    ],
)
def test_rules(expected, observed, wanted):
    assert compare("json_distance", expected, observed, rules=RULES).details["cost"] == wanted


def test_jsonpath_filter_compares_fractions():
    ignored = compare("json_distance", '[{"n": 1.5}, {"n": 0.5}]', '[{"n": 0.5}]', ignore=["$[?(@.n > 1.0)]"])
    assert ignored.score == 1.0


def test_paths_count_ignored_items():
    details = compare("json_distance", [0, 1, 2], [0, 1, 3], ignore=["$[0]"]).details
    assert [found["path"] for found in details["differences"]] == ["$[2]"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ignore": ["$.a["]}, "not a JSONPath"),
        ({"ignore": ["$"]}, "whole document"),
        ({"rules": {"$": {"ignore": True}}}, "whole document"),
        ({"rules": {"$.a[": {}}}, "not a JSONPath"),
        ({"rules": {"$.a": {"tolerence": 1}}}, "tolerence"),
        ({"tolerance": -1}, "at least 0"),
        ({"tolerance": True}, "finite number"),
        ({"mode": "relativ"}, "mode"),
        ({"string_similarity": "hamming"}, "string_similarity"),
        ({"list_order": "sorted"}, "list_order"),
        ({"rules": {"$.a": {"tolerence": 1}}}, "Did you mean 'tolerance'"),
        ({"ignore": ["`this`"]}, "matches the whole document"),
        ({"rules": {"$.a": {"ignore": "yes"}}}, "ignore"),
        ({"rules": {"$.a": {"ignore": 1}}}, "ignore"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_invalid_settings_are_rejected(wrong, message):
    with pytest.raises(SettingsError, match=message):
        JsonDistance(**wrong)


def test_set_of_ignored_paths_is_recorded_sorted():
    paths = [f"$.{letter}" for letter in string.ascii_lowercase]
    assert JsonDistance(ignore=set(paths)).settings()["ignore"] == paths


def record(chance, number):
    return {
        "id": number,
        "name": "".join(chance.choices(string.ascii_lowercase, k=8)),
        "price": chance.randrange(10_000) / 100,
        "tags": chance.choices("abcdef", k=3),
    }


def binary(levels, value):
    return [binary(levels - 1, 2 * value), binary(levels - 1, 2 * value + 1)] if levels else value


def unlike(kind, order):
    chance = random.Random(7)
    if kind == "records":
        return [[record(chance, number) for number in range(side, side + 700)] for side in (0, 10_000)]
    if kind == "numbers":
        return [[chance.randrange(10) for _ in range(12_000)] for _ in "ab"]
    if kind == "texts":
        return [[str(chance.randrange(10**6)) for _ in range(1_500)] for _ in "ab"]
    return [binary(10, 1), binary(10, 5)]


@pytest.mark.parametrize("order", ["ordered", "unordered"])
@pytest.mark.parametrize("kind", ["records", "numbers", "texts", pytest.param("binary", marks=pytest.mark.ci)])
def test_long_unlike_lists_take_bounded_time(kind, order):
    left, right = unlike(kind, order)
    similarity = "levenshtein" if kind == "texts" else None
    operator = JsonDistance(list_order=order, string_similarity=similarity)
    start = time.process_time()
    first = operator.evaluate(left, right)
    assert time.process_time() - start < 20  # far above what it takes, far below what the whole matrix would
    second = operator.evaluate(right, left)
    assert (first.score, first.error) == (second.score, second.error)
    if (kind, order) == ("numbers", "unordered"):
        assert first.error is None
    else:
        assert "too many places" in first.error


@pytest.mark.every(4)
@pytest.mark.parametrize("most", [0, 3, 12, 60])
@pytest.mark.parametrize("order", ["ordered", "unordered"])
def test_comparison_is_exact_or_refused(most, order, monkeypatch):
    monkeypatch.setattr("pytest_verdict.operators.json.alignment.MOST_PAIRS", most)
    monkeypatch.setattr("pytest_verdict.operators.json.alignment._MOST_CELLS", 4)

    @settings(deadline=None)
    @given(small, small, st.sampled_from([0, 1]))
    def check(left, right, tolerance):
        operator = JsonDistance(list_order=order, tolerance=tolerance)
        found, swapped = operator.evaluate(left, right), operator.evaluate(right, left)
        assert operator.evaluate(left, left).score == 1.0
        if found.error is None:
            assert swapped.error or swapped.score == found.score
            assert int(found.details["cost"]) == cost(left, right, order == "unordered", tolerance)
            assert int(found.details["cost"]) == spent(found.details.get("differences", []))

    check()


def spent(differences):
    return sum(size(found[side]) for found in differences for side in ("expected", "observed") if side in found)


@pytest.mark.parametrize("order", ["ordered", "unordered"])
def test_differences_add_up_to_cost(order):
    left, right = unlike("records", order)
    details = compare("json_distance", left[:40], [*left[5:20], *right[:10], *left[20:40]], list_order=order).details
    assert "differences_omitted" not in details
    assert details["cost"] == str(spent(details["differences"]))


def test_small_edit_in_long_list_is_exact():
    chance = random.Random(3)
    left = [record(chance, number) for number in range(300)]
    right = [*left[:50], {**left[50], "price": 0}, *left[51:200], *left[201:280], record(chance, 999), *left[280:]]
    result = compare("json_distance", left, right)
    assert result.notes == []
    assert [(found["path"], found["kind"]) for found in result.details["differences"]] == [
        ("$[50].price", "changed"),
        ("$[200]", "missing"),
        ("$[279]", "unexpected"),
    ]


def nested(levels, value, kind):
    tree = value
    for _ in range(levels):
        tree = {"in": tree, "value": value} if kind == "objects" else [value, tree, -value]
    return tree


@pytest.mark.parametrize("order", ["ordered", "unordered"])
@pytest.mark.parametrize("kind", ["objects", "lists"])
def test_deepest_documents_that_differ_at_every_level_fail(kind, order):
    # With a tolerance, so that no short cut for strict documents applies.
    result = compare("json_distance", nested(200, 3, kind), nested(200, 7, kind), list_order=order, tolerance=1)
    assert (result.verdict, result.error) == ("fail", None)
    assert result.details["differences_omitted"] > 0


@pytest.mark.parametrize(("path", "verdict"), [("$..value", "pass"), ("$..*", "error")])
def test_ignored_paths_reach_the_deepest_level(path, verdict):
    result = compare("json_distance", nested(200, 3, "objects"), nested(200, 3, "objects"), ignore=[path])
    # Where everything is ignored, nothing is compared.
    assert (result.verdict, result.notes) == (verdict, ["empty_expected"] if verdict == "error" else [])
