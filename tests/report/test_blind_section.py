"""What the closing section says of blind comparisons counts what the rest of the report counts."""

from __future__ import annotations

import pytest

FLAKY = """
from pytest_verdict.blind.api import assert_preferred

RUBRIC = {"id": "essay", "version": 1, "content": ["argument"], "structure": ["clarity"]}
RUNS = []

def judge(request):
    def side(label):
        value = 5 if "because" in request.outputs[label].text else 2
        return {"content": {"argument": value}, "structure": {"clarity": 3}}
    return {"rubric": {label: side(label) for label in "AB"}, "winner": None}

def test_passes_at_last():
    RUNS.append(1)
    mine = "It rains because." if len(RUNS) == 3 else "It rains."
    other = "It snows." if len(RUNS) == 3 else "It snows because."
    assert_preferred(mine, other, "Say why.", judge, rubric=RUBRIC, key="k", name="n" * 5_000)
"""


@pytest.mark.ci
def test_attempts_before_the_last_do_not_count_and_a_long_name_hides_nothing(pytester, few_plugins):
    pytester.makepyfile(FLAKY)
    session = pytester.runpytest_subprocess("--verify-report", "-p", "rerunfailures", "--reruns=2")
    session.assert_outcomes(passed=1)
    session.stdout.fnmatch_lines(
        ["1 comparison: 1 pass (100 %), 0 fail, 0 error", "1 blind comparison: 1 judged; 1 informal"]
    )
