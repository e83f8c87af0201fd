"""``verdict_renamed``: which lines are read, and which tests of an earlier run have which name now."""

from __future__ import annotations

import pytest

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.renaming import parse_renames, present_name, present_names

GOOD = {
    "none": ([], {}),
    "blank lines": (["", "  ", "a -> b"], {"a": "b"}),
    "spaces": (["  a.py::x   ->  b.py::y  "], {"a.py::x": "b.py::y"}),
    "parameters": (["a.py::x[1 - 2] -> a.py::x[one]"], {"a.py::x[1 - 2]": "a.py::x[one]"}),
    "chain": (["a -> b", "b -> c"], {"a": "b", "b": "c"}),
    "arrow in a parameter": (["a.py::x[1->2] -> a.py::x[12]"], {"a.py::x[1->2]": "a.py::x[12]"}),
}
BAD = {
    "no arrow": (["a.py::x"], "a line is OLD -> NEW, such as"),
    "other arrow": (["a => b"], "a line is OLD -> NEW"),
    "no blanks": (["a->b"], "a line is OLD -> NEW"),
    "no new name": (["a -> "], "a line is OLD -> NEW"),
    "no old name": ([" -> b"], "a line is OLD -> NEW"),
    "three names": (["a -> b -> c"], "a line is OLD -> NEW"),
    "one old name twice": (["a -> b", "a -> c"], "'a' occurs twice"),
    "one new name twice": (["a -> c", "b -> c"], "'c' occurs twice"),
    "the same line twice": (["a -> b", "a -> b"], "'a' occurs twice"),
    "to itself": (["a -> a"], "'a' has no new name, because the lines lead back"),
    "swapped": (["a -> b", "b -> a"], "has no new name"),
    "circle": (["a -> b", "b -> c", "c -> a"], "has no new name"),
    "into a circle": (["z -> a", "a -> b", "b -> a2", "a2 -> a"], "'a' occurs twice"),
}


@pytest.mark.parametrize("case", GOOD)
def test_good_lines(case):
    lines, renames = GOOD[case]
    assert parse_renames(lines) == renames


@pytest.mark.parametrize("case", BAD)
def test_bad_lines(case):
    lines, words = BAD[case]
    with pytest.raises(ConfigurationError) as error:
        parse_renames(lines)
    assert words in str(error.value)


NAMES = {
    "function": ({"a.py::x": "a.py::y"}, "a.py::x", "a.py::y"),
    "its parameters": ({"a.py::x": "a.py::y"}, "a.py::x[1-é]", "a.py::y[1-é]"),
    "one parameter": ({"a.py::x[1]": "a.py::x[one]"}, "a.py::x[1]", "a.py::x[one]"),
    "another parameter": ({"a.py::x[1]": "a.py::x[one]"}, "a.py::x[12]", "a.py::x[12]"),
    "longer name": ({"a.py::x": "a.py::y"}, "a.py::xx", "a.py::xx"),
    "end of a name": ({"a.py::x": "a.py::y"}, "b/a.py::x", "b/a.py::x"),
    "module": ({"a.py": "b.py"}, "a.py::T::x[1]", "b.py::T::x[1]"),
    "module that did not load": ({"a.py": "b.py"}, "a.py", "b.py"),
    "like a module": ({"a.py": "b.py"}, "a.pyx::x", "a.pyx::x"),
    "folder": ({"old": "new/inner"}, "old/a.py::x", "new/inner/a.py::x"),
    "like a folder": ({"old": "new"}, "older/a.py::x", "older/a.py::x"),
    "class": ({"a.py::A": "a.py::B"}, "a.py::A::x", "a.py::B::x"),
    "function, then its old module": ({"a.py::x": "c.py::z", "a.py": "b.py"}, "a.py::x[1]", "c.py::z[1]"),
    "module, then its old function": ({"a.py": "b.py", "a.py::x": "c.py::z"}, "a.py::x[1]", "b.py::x[1]"),
    "to a name that was free": ({"a.py::b": "a.py::c", "a.py::a": "a.py::b"}, "a.py::a", "a.py::b"),
    "from a name that is taken again": ({"a.py::b": "a.py::c", "a.py::a": "a.py::b"}, "a.py::b", "a.py::c"),
    "twice": ({"a.py::x": "a.py::y", "a.py::y": "a.py::z"}, "a.py::x", "a.py::z"),
    "function, then module": ({"a.py::x": "a.py::y", "a.py": "b.py"}, "a.py::x[1]", "b.py::y[1]"),
    "into its own folder": ({"tests": "tests/unit"}, "tests/a.py::x", "tests/unit/a.py::x"),
    "into its own folder, with others": ({"tests": "tests/unit", "b": "c"}, "tests/a.py::x", "tests/unit/a.py::x"),
    "worker": ({"a.py::x": "a.py::y"}, "a.py::x (gw0)", "a.py::x (gw0)"),
}


@pytest.mark.parametrize("case", NAMES)
def test_present_name(case):
    renames, test, name = NAMES[case]
    assert present_name(test, renames) == name


RUNS = {
    "renamed": (["x"], {"x": "y"}, ["y"], {"x": "y"}),
    "still there": (["x"], {"x": "y"}, ["x", "y"], {}),
    "to a name that was free": (["x"], {"y": "z", "x": "y"}, ["y"], {"x": "y"}),
    "both before": (["x", "y"], {"x": "y"}, ["y"], {}),
    "absent now": (["x"], {"x": "y"}, [], {"x": "y"}),
    "two to one": (["a::x", "b::x"], {"a": "c", "b::x": "c::x"}, ["c::x"], {"a::x": "c::x"}),
    "others": (["x", "z"], {"x": "y"}, ["y", "z"], {"x": "y"}),
    "nothing renamed": (["x"], {}, ["x"], {}),
}


@pytest.mark.parametrize("case", RUNS)
def test_no_test_takes_the_name_of_another(case):
    tests, renames, present, names = RUNS[case]
    assert present_names(tests, renames, present) == names
