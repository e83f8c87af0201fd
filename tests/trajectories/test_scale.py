"""Long trajectories: the number of comparisons, which is counted instead of timed."""

import random
import tracemalloc

import pytest

from pytest_verdict import compare
from pytest_verdict.trajectories.call_matcher import CallMatcher


def shuffled(calls):
    return random.Random(1).sample(calls, len(calls))


def calls(count):
    return [("tool", {"query": f"Query {at}", "limit": at}) for at in range(count)]


@pytest.mark.parametrize(
    "made", [calls(500), [("tool", {"limit": 1})] * 500, ["tool"] * 500], ids=["all", "one", "bare"]
)
def test_equality_does_not_compare_every_pair(monkeypatch, made):
    counted = []
    plain = CallMatcher.accepts
    monkeypatch.setattr(CallMatcher, "accepts", lambda *given: counted.append(1) or plain(*given))
    assert compare("trajectory_any_order", made, shuffled(made), extras="forbid").passed
    assert len(counted) <= len(made)


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
