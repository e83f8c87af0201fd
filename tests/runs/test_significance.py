"""``pytest-verdict diff --statistics``: held against scipy and statsmodels where they are installed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.runs.significance import benjamini_hochberg, mcnemar, pairs_needed
from written_records import lines_of

SCIPY = "scipy is not installed"
COUNTS = st.integers(0, 400)


@pytest.mark.ci
@given(COUNTS, COUNTS)
def test_mcnemar_is_that_of_scipy_and_statsmodels(worse, better):
    stats = pytest.importorskip("scipy.stats", reason=SCIPY)
    p = mcnemar(worse, better)
    if worse + better:
        assert p == pytest.approx(stats.binomtest(worse, worse + better).pvalue, rel=1e-9)
    tables = pytest.importorskip("statsmodels.stats.contingency_tables", reason="statsmodels is not installed")
    if worse + better:
        assert p == pytest.approx(tables.mcnemar([[7, worse], [better, 9]], exact=True).pvalue, rel=1e-9, abs=1e-12)


@pytest.mark.ci
def test_mcnemar_of_very_many_changes_is_exact():
    assert mcnemar(50_000, 50_000) == 1.0
    assert 0 < mcnemar(50_400, 49_600) < 0.05


def test_below_six_changes_nothing_is_significant():
    assert [number for number in range(1, 10) if mcnemar(number, 0) < 0.05] == [6, 7, 8, 9]


@given(st.integers(0, 60), st.integers(0, 60))
def test_pairs_that_are_needed_are_significant(worse, better):
    needed = pairs_needed(worse, better, 100)
    if needed is not None:
        assert worse != better
        assert mcnemar(worse * needed // 100, better * needed // 100) < 0.05


@pytest.mark.ci
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_values_are_those_of_statsmodels(values):
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is not installed")
    assert benjamini_hochberg(values) == pytest.approx(multitest.multipletests(values, method="fdr_bh")[1].tolist())


def statistics(command, tmp_path, verdicts, *words):
    """Compare two runs in which the given pairs of values were observed, where 1 is expected."""
    for side, name in enumerate(("old", "new")):
        lines = [
            lines_of([compare("exact", 1, values[side], name="x")], test=f"t.py::test[{number}]")
            for number, values in enumerate(verdicts)
        ]
        (tmp_path / name).write_bytes(b"".join(lines))
    paths = tmp_path / "old", tmp_path / "new"
    terminal = command("diff", *paths, *words)[1]
    return json.loads(command("diff", *paths, "--format", "json", *words)[1])["statistics"], terminal


def test_few_changes_are_inconclusive(command, tmp_path):
    found, terminal = statistics(command, tmp_path, [(1, 2)] * 5 + [(1, 1)] * 95, "--statistics")
    assert found["verdicts"]["conclusion"] == "inconclusive"
    assert (
        "verdicts: 5 worse, 0 better of 100 pairs, p = 0.0625: inconclusive; in this proportion, about 200 pairs are"
        in terminal
    )
    assert found["verdicts"]["pairs_needed"] == 200


@pytest.mark.parametrize(("values", "word"), [((1, 2), "worse"), ((2, 1), "better")])
def test_enough_changes_are_significant(command, tmp_path, values, word):
    found, terminal = statistics(command, tmp_path, [values] * 6 + [(1, 1)] * 94, "--statistics")
    assert found["verdicts"]["conclusion"] == word
    assert f"p = 0.03125: {word}" in terminal


def test_no_change_is_inconclusive(command, tmp_path):
    found, _ = statistics(command, tmp_path, [(1, 1)] * 10, "--statistics")
    assert found["verdicts"]["conclusion"] == "inconclusive"
    assert found["verdicts"]["pairs_needed"] is None


def test_errors_count_as_not_passed_and_are_listed(command, tmp_path):
    (tmp_path / "old").write_bytes(lines_of([compare("regex", "a", "a", name="x")]))
    (tmp_path / "new").write_bytes(lines_of([compare("regex", "(", "a", name="x")]))
    _, out, _ = command("diff", tmp_path / "old", tmp_path / "new", "--statistics")
    assert "verdicts: 1 worse, 0 better of 1 pair" in out
    assert "errors, counted as not passed: 0 before, 1 now" in out


def test_a_low_score_is_good_where_the_test_meant_that_values_differ(command, tmp_path):
    for name, observed in (("old", "Paris"), ("new", "Rome")):
        result = run(REGISTRY.build("text_similarity"), "Paris", observed, negated=True)
        (tmp_path / name).write_bytes(lines_of([result]))
    _, out, _ = command("diff", tmp_path / "old", tmp_path / "new", "--statistics")
    assert "fixed: 1" in out
    assert "scores: mean difference +1.0000" in out
