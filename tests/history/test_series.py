"""Series: where they are cut, what is flaky, which runs belong together, and which rates they have."""

from __future__ import annotations

import pytest

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.history.series import build_groups, build_views, check_keys, default_keys
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_runs import write_run


@pytest.fixture
def view_of(tmp_path):
    """Write runs of the test t, each an outcome with its checks or a mapping of arguments, and build their view."""

    def build(*runs, keys=("test",)):
        for number, run in enumerate(runs):
            run = run if isinstance(run, dict) else {"letter": run[0], "checks": list(run[1:])}
            letter, checks = run.pop("letter"), run.pop("checks", ["check"])
            answer = {"t": run.pop("answer", number)}
            tests = {"t": letter} if letter != " " else {"other": "p"}
            write_run(tmp_path, tests, number=number, checks={"t": checks}, answers=answer, **run)
        return build_views(Store(StoreFiles(str(tmp_path))).runs(), list(keys))

    return build


def series_of(views):
    return next(one for one in views[0].series if one.test == "t")


# The runs as outcome and checks, and the positions of the cuts.
CUTS = {
    "same check": (["pA", "pA", "fA", "pA"], []),
    "another check": (["pA", "pB", "pB"], [1]),
    "another check while it fails": (["fA", "fB"], [1]),
    "there and back": (["pA", "pB", "pA"], [1, 2]),
    "a failure hides the last check": (["pAB", "fA", "pAB"], []),
    "two failures at two places": (["pABC", "fA", "fAB", "pABC"], []),
    "failures before the first pass": (["fA", "fAB", "fA", "pABC"], []),
    "a pass with fewer checks": (["pAB", "pA"], [1]),
    "a pass with more checks": (["pA", "pAB"], [1]),
    "a failure with another check": (["pAB", "fC"], [1]),
    "a failure with one more check": (["pA", "fAB"], [1]),
    "a pass without what failed": (["fAB", "pA"], [1]),
    "a failure of few checks, then a pass of few": (["pAB", "fA", "pA"], [2]),
    "another order": (["pAB", "pBA"], []),
    "skipped with no check": (["pA", "s", "pA"], []),
    "absent": (["pA", " ", "pA"], []),
    "absent, then another check": (["pA", " ", "pB"], [2]),
    "expected to fail": (["pA", "xB", "pA"], []),
    "error before the first comparison": (["pA", "e", "pA"], []),
    "no comparisons at all": (["p", "f", "p"], []),
    "comparisons were added": (["p", "pA"], [1]),
    "comparisons were removed": (["pA", "p"], [1]),
    "changed twice in a row": (["pA", "pB", "pC"], [1, 2]),
    "changed after a failure": (["pA", "fA", "fB", "pB"], [2]),
}


@pytest.mark.parametrize("name", CUTS)
def test_series_is_cut_where_the_check_changed(view_of, name):
    runs, cuts = CUTS[name]
    one = series_of(view_of(*runs))
    assert one.cuts == cuts
    assert one.letters == "".join(run[0] for run in runs)


# The checks of the tests in two runs each before and after, and the names that the tests had before.
RENAMED = {
    "one test": ({"old": "A"}, {"new": "A"}, {"new": "old"}),
    "two tests": (
        {"old[1]": "A", "old[2]": "B"},
        {"new[1]": "A", "new[2]": "B"},
        {"new[1]": "old[1]", "new[2]": "old[2]"},
    ),
    "one of two": ({"a": "A", "b": "B"}, {"a": "A", "c": "B"}, {"a": "", "c": "b"}),
    "another check": ({"old": "A"}, {"new": "B"}, {"old": "", "new": ""}),
    "no comparisons": ({"old": ""}, {"new": ""}, {"old": "", "new": ""}),
    "two with one check": ({"a": "A", "b": "A"}, {"c": "A", "d": "A"}, dict.fromkeys("abcd", "")),
    "removed": ({"a": "A", "b": "B"}, {"a": "A"}, {"a": "", "b": ""}),
    "added": ({"a": "A"}, {"a": "A", "b": "A"}, {"a": "", "b": ""}),
}


@pytest.mark.parametrize("case", RENAMED)
def test_renamed_test_keeps_its_history(tmp_path, case):
    before, after, names = RENAMED[case]
    for number in range(4):
        tests = before if number < 2 else after
        checks = {test: list(check) for test, check in tests.items()}
        write_run(tmp_path, dict.fromkeys(tests, "fppp"[number]), number=number, checks=checks)
    (view,) = build_views(Store(StoreFiles(str(tmp_path))).runs(), ["test"])
    assert {one.test: one.renamed for one in view.series} == names
    for one in view.series:
        if one.renamed:
            assert one.letters == "fppp"
            assert one.cuts == []


def test_test_that_paused_is_not_renamed(tmp_path):
    for number, test in enumerate(["old", "", "new"]):
        write_run(tmp_path, {test or "other": "p"}, number=number, checks={test or "other": [test and "A"]})
    (view,) = build_views(Store(StoreFiles(str(tmp_path))).runs(), ["test"])
    assert [one.renamed for one in view.series] == ["", "", ""]


def test_test_renamed_twice_is_one_series(tmp_path):
    for number, test in enumerate(["c", "b", "a"]):
        write_run(tmp_path, {test: "pfp"[number]}, number=number, checks={test: ["A"]})
    (view,) = build_views(Store(StoreFiles(str(tmp_path))).runs(), ["test"])
    assert [(one.test, one.letters, one.renamed) for one in view.series] == [("a", "pfp", "b")]


def runs_of(letters, **members):
    return [{"letter": letter, **members} for letter in letters]


FLAKY = {
    "always passes": ("pppp", {}, ""),
    "always fails": ("ffff", {}, ""),
    "a bug that was fixed": ("ffpp", {}, ""),
    "a bug that is new": ("pppf", {}, ""),
    "there and back": ("ppfp", {}, "its answers differ"),
    "two flips": ("fpf", {}, "its answers differ"),
    "same answers": ("ppfp", {"answer": "Paris"}, "same answers, another verdict: the check is not deterministic"),
    "no comparisons": ("ppfp", {"checks": [], "answer": ""}, "its answers differ"),
    "attempts differ": ("pppp", {"attempts": {"t": [3, 2]}}, "its attempts differ"),
    "all attempts pass": ("pppp", {"attempts": {"t": [3, 3]}}, ""),
    "all attempts fail": ("ffff", {"attempts": {"t": [3, 0]}}, ""),
    "skips between": ("psps", {}, ""),
    "error and pass": ("pepep", {}, "its answers differ"),
}


@pytest.mark.parametrize("name", FLAKY)
def test_flaky_test_is_named_with_its_reason(view_of, name):
    letters, members, reason = FLAKY[name]
    assert series_of(view_of(*runs_of(letters, **members))).flaky == reason


def test_flakiness_before_the_last_change_is_over(view_of):
    assert series_of(view_of("pA", "fA", "pA", "fA", "pB", "pB")).flaky == ""
    # The rate changed for good.


def test_rate_is_since_the_last_change(view_of):
    views = view_of("fA", "fA", "pB", "pB", "fB", "sB")
    (group,) = build_groups(views, ["test"])
    assert (group.rate.passed, group.rate.total) == (2, 3)
    assert group.rate.interval == exact_interval(2, 3)
    assert series_of(views).start == 2
    assert [tuple(count) for count in group.counts] == [(0, 1), (0, 1), (1, 1), (1, 1), (0, 1), (0, 0)]


def test_step_is_a_change(view_of):
    one = series_of(view_of(*runs_of("p" * 20 + "f" * 20)))
    assert [step.position for step in one.steps] == [20]
    assert one.start == 20
    assert (one.rate(one.start).passed, one.rate(one.start).total) == (0, 20)


def test_steps_are_not_found_across_a_cut(view_of):
    one = series_of(view_of(*["pA"] * 20, *["fB"] * 20))
    assert one.cuts == [20]
    assert one.steps == []


def test_runs_with_different_tags_are_different_series(view_of):
    runs = [
        {"letter": letter, "tags": {"model": model}} for letter, model in zip("pfpfpf", ["a", "b"] * 3, strict=True)
    ]
    views = view_of(*runs, keys=["test", "tag:model"])
    assert [(view.label, view.series[0].letters) for view in views] == [
        ({"tag:model": "a"}, "ppp"),
        ({"tag:model": "b"}, "fff"),
    ]
    assert [view.series[0].flaky for view in views] == ["", ""]
    assert [group.key for group in build_groups(views, ["test", "tag:model"])] == [("t", "a"), ("t", "b")]


def test_default_keys_are_the_tags_with_few_values(view_of, tmp_path):
    for number in range(21):
        write_run(tmp_path, {"t": "p"}, number=number, tags={"model": "ab"[number % 2], "build": str(number)})
    runs = Store(StoreFiles(str(tmp_path))).runs()
    assert default_keys(runs) == ["test", "tag:model"]
    # Two models that ran once each are not one series.
    for count in (1, 2, 3, 20):
        assert default_keys(runs[:count]) == ["test", "tag:build", "tag:model"]
    assert default_keys([]) == ["test"]


def test_groups_of_tests(tmp_path):
    parameters = {
        f"test_a[{model}-{number}]": {"model": model, "number": number} for model in "xy" for number in (1, 2)
    }
    for number in range(3):
        tests = {test: "p" if values["model"] == "x" else "f" for test, values in parameters.items()}
        write_run(tmp_path, {**tests, "test_b": "p"}, number=number, parameters=parameters)
    runs = Store(StoreFiles(str(tmp_path))).runs()
    views = build_views(runs, ["test"])

    def rates(*keys):
        return {group.key: tuple(group.rate) for group in build_groups(views, keys)}

    assert rates("param:model") == {("x",): (6, 6), ("y",): (0, 6), ("",): (3, 3)}
    assert rates("function") == {("test_a",): (6, 12), ("test_b",): (3, 3)}
    assert rates("function", "param:number") == {
        ("test_a", "1"): (3, 6),
        ("test_a", "2"): (3, 6),
        ("test_b", ""): (3, 3),
    }
    for key in ("param:modl", "tag:model", "tests", ""):
        with pytest.raises(ConfigurationError, match="--by: unknown name"):
            check_keys([key], runs)
    with pytest.raises(ConfigurationError, match="a name occurs twice"):
        check_keys(["test", "test"], runs)


def test_rate_of_a_group_counts_no_test_before_its_check_changed(tmp_path):
    for number in range(4):
        checks = {"a": ["old" if number < 2 else "new"], "b": ["b"]}
        write_run(tmp_path, {"a": "p" if number < 2 else "f", "b": "p"}, number=number, checks=checks)
    views = build_views(Store(StoreFiles(str(tmp_path))).runs(), ["branch"])
    (group,) = build_groups(views, ["branch"])
    assert group.key == ("main",)
    assert tuple(group.rate) == (4, 6)
    assert [tuple(count) for count in group.counts] == [(1, 1), (1, 1), (1, 2), (1, 2)]


# The tests of the two earlier and the two later runs with their checks, what was renamed, and the series at the end.
CONFIGURED = {
    "another check": ({"old": "A"}, {"new": "B"}, {"old": "new"}, {"new": ("fppp", [2], "old")}),
    "same check": ({"old": "A"}, {"new": "A"}, {"old": "new"}, {"new": ("fppp", [], "old")}),
    "module": (
        {"a.py::x[1]": "A", "a.py::y": "B"},
        {"b.py::x[1]": "C", "b.py::y": "B"},
        {"a.py": "b.py"},
        {"b.py::x[1]": ("fppp", [2], "a.py::x[1]"), "b.py::y": ("fppp", [], "a.py::y")},
    ),
    "still a test": (
        {"old": "A"}, {"old": "A", "new": "A"}, {"old": "new"}, {"old": ("fppp", [], ""), "new": ("  pp", [], "")},
    ),
    "both before": (
        {"old": "A", "new": "B"}, {"new": "B"}, {"old": "new"}, {"old": ("fp  ", [], ""), "new": ("fppp", [], "")},
    ),
    "no such test": ({"a": "A"}, {"a": "A"}, {"x": "y"}, {"a": ("fppp", [], "")}),
}  # fmt: skip


@pytest.mark.parametrize("case", CONFIGURED)
def test_configured_new_name_joins_the_history(tmp_path, case):
    before, after, renamed, expected = CONFIGURED[case]
    for number in range(4):
        tests = before if number < 2 else after
        checks = {test: list(check) for test, check in tests.items()}
        members = {"renamed": renamed} if number == 3 else {}
        write_run(tmp_path, dict.fromkeys(tests, "fppp"[number]), number=number, checks=checks, **members)
    (view,) = build_views(Store(StoreFiles(str(tmp_path))).runs(), ["test"])
    assert {one.test: (one.letters, one.cuts, one.renamed) for one in view.series} == expected
