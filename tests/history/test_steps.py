"""Fisher's exact test, and the steps that it finds: the planted ones and no other."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.history.series import TestSeries, add_steps
from pytest_verdict.runs.significance import fisher


def find_steps(results):
    series = {key: TestSeries(str(key), {}, "".join("fp"[one] for one in own)) for key, own in results.items()}
    add_steps(series.values())
    return {key: one.steps for key, one in series.items() if one.steps}


TABLES = [
    (0, 1, 0, 1),
    (1, 1, 0, 1),
    (3, 3, 0, 3),
    (8, 10, 2, 10),
    (60, 60, 16, 40),
    (5, 9, 5, 9),
    (1, 50, 9, 10),
    (499, 500, 480, 500),
]


@pytest.mark.parametrize("table", TABLES)
def test_fisher_is_that_of_scipy(table):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    passed, total, later_passed, later_total = table
    expected = stats.fisher_exact([[passed, total - passed], [later_passed, later_total - later_passed]]).pvalue
    assert fisher(*table) == pytest.approx(expected, rel=1e-6)


counts = st.integers(1, 40).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@given(counts, counts)
def test_fisher_is_a_p_value_of_both_sides(one, other):
    value = fisher(*one, *other)
    assert 0 < value <= 1
    assert value == fisher(*other, *one)
    assert value == fisher(one[1] - one[0], one[1], other[1] - other[0], other[1])


def noise(source, rates):
    return [int(source.random() < rate) for rate in rates]


def test_planted_steps_are_found_and_no_other():
    source = random.Random(7)
    series = {number: noise(source, [source.choice([1.0, 1.0, 0.97, 0.9, 0.6])] * 100) for number in range(490)}
    planted = {}
    for number in range(10):
        at = source.randrange(25, 75)
        before, after = source.choice([(1.0, 0.3), (0.2, 1.0), (0.95, 0.2)])
        series[f"planted {number}"] = noise(source, [before] * at + [after] * (100 - at))
        planted[f"planted {number}"] = at
    steps = find_steps(series)
    assert steps.keys() == planted.keys()
    for name, (step, *others) in steps.items():
        assert others == []
        assert abs(step.position - planted[name]) <= 4
        assert step.before[1] == step.position
        assert step.before[1] + step.after[1] == 100


def test_noise_has_no_steps():
    wrong = 0
    for seed in range(20):
        source = random.Random(seed)
        wrong += len(find_steps({number: noise(source, [0.8] * 50) for number in range(100)}))
    # The share of families with a false step is bounded by 5 %.
    assert wrong <= 2


def test_several_steps_of_one_series():
    steps = find_steps({"a": [1] * 30 + [0] * 30 + [1] * 30})["a"]
    assert [step.position for step in steps] == [30, 60]
    assert steps[1].before == (0, 30)
    assert steps[1].after == (30, 30)


NO_STEPS = {
    "none": [], "one": [1], "two": [1, 0], "all passed": [1] * 500, "all failed": [0] * 500,
    "last three failed": [1] * 20 + [0] * 2, "alternating": [1, 0] * 100,
}  # fmt: skip


@pytest.mark.parametrize("name", NO_STEPS)
def test_too_little_data_is_no_step(name):
    assert find_steps({name: NO_STEPS[name]}) == {}


def test_series_without_a_failure_do_not_weaken_the_others():
    result = [1] * 12 + [0] * 12
    alone = find_steps({"a": result})["a"]
    assert find_steps({"a": result, **dict.fromkeys(range(1000), [1] * 24)})["a"] == alone


@given(st.lists(st.integers(0, 1), max_size=60))
def test_steps_cut_a_series_into_its_parts(results):
    steps = find_steps({"a": results}).get("a", [])
    assert all(results[step.position - 1] != results[step.position] for step in steps)
    assert all(0 <= step.p < 0.05 for step in steps)
    flipped = find_steps({"a": [1 - result for result in results]}).get("a", [])
    assert [step.position for step in flipped] == [step.position for step in steps]
