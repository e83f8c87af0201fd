"""Pairing two groups, against trying every pairing."""

import itertools
import random

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.matching import maximum_matching, optimal_assignment

graphs = st.integers(0, 5).flatmap(
    lambda size: st.tuples(
        st.lists(st.lists(st.integers(0, size - 1), unique=True) if size else st.just([]), max_size=5), st.just(size)
    )
)
rectangles = st.tuples(st.integers(0, 5), st.integers(0, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-20, 20), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def most_pairs(candidates, taken=frozenset()):
    if not candidates:
        return 0
    skip = most_pairs(candidates[1:], taken)
    return max([skip, *(1 + most_pairs(candidates[1:], taken | {right}) for right in set(candidates[0]) - taken)])


def lowest_cost(cost):
    if not cost or not cost[0]:
        return 0
    if len(cost) > len(cost[0]):
        return lowest_cost(list(zip(*cost)))
    return min(
        sum(row[column] for row, column in zip(cost, columns))
        for columns in itertools.permutations(range(len(cost[0])), len(cost))
    )


@given(graphs)
def test_matching_is_valid_and_maximum(graph):
    candidates, size = graph
    partners = maximum_matching(candidates, size)
    paired = [right for right in partners if right is not None]
    assert len(partners) == len(candidates)
    assert len(set(paired)) == len(paired) == most_pairs(candidates)
    assert all(right is None or right in candidates[left] for left, right in enumerate(partners))


@given(rectangles)
def test_assignment_is_valid_and_cheapest(cost):
    columns = optimal_assignment(cost)
    pairs = [(row, column) for row, column in enumerate(columns) if column is not None]
    assert len(columns) == len(cost)
    assert len({column for _, column in pairs}) == len(pairs) == min(len(cost), len(cost[0]) if cost else 0)
    assert sum(cost[row][column] for row, column in pairs) == lowest_cost(cost)


@pytest.mark.ci
def test_long_augmenting_path_does_not_recurse():
    size = 20_000
    candidates = [[left, left + 1] for left in range(size - 1)] + [[0]]
    assert maximum_matching(candidates, size) == [*range(1, size), 0]


@pytest.mark.parametrize("seed", range(3))
def test_assignment_is_symmetric(seed):
    chance = random.Random(seed)
    cost = [[chance.randrange(1000) for _ in range(40)] for _ in range(25)]
    across = sum(cost[row][column] for row, column in enumerate(optimal_assignment(cost)))
    turned = optimal_assignment(list(zip(*cost)))
    assert across == sum(cost[row][column] for column, row in enumerate(turned) if row is not None)


def test_equal_rows_keep_their_order():
    # With every tie broken for the first column, each row would look at all columns once for every row before it.
    class Counted(list):
        looks = 0

        def __getitem__(self, index):
            Counted.looks += 1
            return super().__getitem__(index)

    size = 60
    assert optimal_assignment([Counted([0] * size) for _ in range(size)]) == list(range(size))
    assert Counted.looks <= 2 * size * size
