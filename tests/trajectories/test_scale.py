"""Long trajectories: the number of comparisons, which is counted instead of timed."""

import random
import tracemalloc

import pytest

from pytest_verdict import compare
from pytest_verdict.operators import NumericTolerance
from pytest_verdict.trajectories.call_matcher import CallMatcher


@pytest.fixture
def comparisons(monkeypatch):
    counted = []
    plain = CallMatcher.accepts
    monkeypatch.setattr(CallMatcher, "accepts", lambda *given: counted.append(1) or plain(*given))
    return counted


def shuffled(calls):
    return random.Random(1).sample(calls, len(calls))


def calls(count):
    return [("tool", {"query": f"Query {at}", "limit": at}) for at in range(count)]


TOLERANCE = NumericTolerance(tolerance=1, mode="absolute")


@pytest.mark.parametrize(
    ("args", "observed"),
    [
        ("contains", {"trace": "x"}),
        ({"tool": {"limit": TOLERANCE}}, {}),
        ({"tool": {"limit": TOLERANCE, "*": "ignore"}}, {"trace": "x"}),
        ({"tool": {"query": "normalized_exact"}}, {}),
    ],
    ids=["contains", "tolerance", "tolerance, others ignored", "normalized text"],
)
def test_tolerant_rules_do_not_compare_every_pair(comparisons, args, observed):
    expected = calls(500)
    made = shuffled([(name, {**own, "query": own["query"], **observed}) for name, own in expected])
    assert compare("trajectory_any_order", expected, made, args=args, extras="forbid").passed
    assert len(comparisons) <= 4 * len(expected)


@pytest.mark.ci
def test_equality_uses_linear_memory():
    def peak(count):
        expected = calls(count)
        made = shuffled(expected)
        tracemalloc.start()
        assert compare("trajectory_any_order", expected, made, extras="forbid").passed
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)
    assert peak(2_000) < 5 * peak(500)
