"""The fixture ``comparator`` and the marker ``verdict``."""

from __future__ import annotations

import pytest

from pytest_verdict.comparator import Comparator


def test_comparator_is_callable_and_collects(harness):
    run = harness.run(
        """
        import pytest

        def test_callable(comparator):
            assert not comparator("exact", 1, 2).passed

        def test_defaults(comparator):
            near = comparator.with_defaults("numeric_tolerance", tolerance=0.5, mode="absolute")
            assert near("numeric_tolerance", 37.0, 36.8)
            assert not near("numeric_tolerance", 37.0, 36.8, tolerance=0.1)
            assert near.with_defaults(threshold=0.5)("exact", 1, 1).threshold == 0.5

        def test_collect(comparator):
            with pytest.raises(AssertionError, match="2 failed, "):
                with comparator.collect() as same:
                    assert same is comparator
                    same.assert_matches("exact", 1, 2)
                    same.assert_matches("exact", 1, 1)
                    same.assert_matches("exact", 1, 3)
        """.replace("\n        ", "\n"),
        "--verify-report",
    )
    assert run.outcomes == {"passed": 3}
    run.check_agreement()
    assert [record["verdict"] for record in run.records] == ["fail", "pass", "fail", "pass", "fail", "pass", "fail"]


def test_nearest_marker_wins(harness):
    run = harness.run(
        """
import pytest

pytestmark = [pytest.mark.verdict(threshold=0.25), pytest.mark.verdict("numeric_tolerance", tolerance=9, mode="absolute")]

@pytest.mark.verdict(threshold=0.5)
class TestIt:
    def test_class(self, comparator):
        assert comparator("exact", 1, 1).threshold == 0.5

    @pytest.mark.verdict(threshold=0.75)
    def test_function(self, comparator):
        assert comparator("exact", 1, 1).threshold == 0.75
        assert comparator("exact", 1, 1, threshold=1).threshold == 1.0

@pytest.mark.verdict("numeric_tolerance", tolerance=1)
def test_settings_of_both(comparator):
    result = comparator("numeric_tolerance", 5, 7)
    assert not result
    assert result.settings["mode"] == "absolute"
    assert result.threshold == 0.25
""",
        "--strict-markers",
    )
    assert run.outcomes == {"passed": 3}


def test_invalid_marker_setting_is_an_error(harness):
    run = harness.run(
        """
import pytest

@pytest.mark.verdict("numeric_tolerance", tolerence=1)
def test_it(comparator):
    pass
"""
    )
    assert run.outcomes == {"errors": 1}
    assert "Did you mean 'tolerance'?" in run.stdout


def test_marker_is_documented(harness):
    assert (
        "@pytest.mark.verdict(operator=None, /, *, threshold=None, **settings)" in harness.run("", "--markers").stdout
    )


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        (
            "'numeric_tolerance', tolerence=1",
            "numeric_tolerance: there is no setting 'tolerence'. Did you mean 'tolerance'?",
        ),
        ("'exct'", "Did you mean 'exact'?"),
        ("tolerance=1", "settings tolerance need the operator they are for as first argument"),
        ("threshold=2", "threshold must be in (0, 1], got 2"),
        ("'exact', 0.5", "positional arguments"),
    ],
    ids=["unknown setting", "unknown operator", "no operator", "wrong threshold", "threshold by position"],
)
def test_invalid_marker_is_an_error_of_one_line(harness, marker, message):
    run = harness.run(
        f"import pytest\n@pytest.mark.verdict({marker})\ndef test_it(comparator): pass\n", "--verify-report"
    )
    assert run.outcomes == {"errors": 1}
    shown = run.stdout.split("ERROR at setup of test_it")[1].split("= verification")[0].strip("_=\n ").splitlines()
    assert len(shown) == 1
    assert shown[0].startswith("the marker verdict of this test: ")
    assert message in shown[0]


@pytest.mark.ci
def test_skip_does_not_hide_soft_failure(harness):
    run = harness.run(
        """
import unittest
import pytest

LEAVES = [lambda: pytest.skip("no"), lambda: pytest.xfail("no"), lambda: unittest.TestCase().skipTest("no")]

@pytest.mark.parametrize("leave", LEAVES)
def test_leaves(comparator, leave):
    with comparator.collect():
        comparator.assert_matches("exact", 1, 2)
        leave()

def test_skips(comparator):
    with comparator.collect():
        comparator.assert_matches("exact", 1, 1)
        pytest.skip("nothing failed")
""",
        "--verify-report",
    )
    assert run.outcomes == {"failed": 3, "skipped": 1}
    run.check_agreement()
    assert run.stdout.count("exact: expected 1, got 2\n") >= 3


def test_many_soft_failures_show_the_first(harness):
    run = harness.run(
        """
def test_many(comparator):
    with comparator.collect():
        for number in range(100):
            comparator.assert_matches("exact", -1, number, name=f"n{number}")
""",
        "--verify-report",
    )
    assert run.outcomes == {"failed": 1}
    assert "100 failed, 100 compared" in run.stdout
    assert "exact 'n19': expected -1, got 19" in run.stdout
    assert "exact 'n20': " not in run.stdout
    assert "80 more are in the report; -vv shows them here" in run.stdout
    assert len(run.records) == 100


def test_comparator_repr_is_stable():
    assert repr(Comparator()) == "Comparator()"
    assert repr(Comparator().with_defaults(threshold=0.5).with_defaults("regex", threshold=1.0)) == (
        "Comparator() with defaults for all operators, regex"
    )
