"""Two paths that are one value wherever both are there are refused as expected and observed, whatever their words."""

import pytest

from pytest_verdict.errors import SettingsError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.paths import are_same_place


def source(path, **settings):
    return {"path": path, **settings}


STANDARD = {"dialect": "rfc9535"}
FIRST = {"many": "first"}
LAST = {"many": "last"}
LIST = {"many": "list"}

# Each row: paths of one value.
SAME = [
    ["$.output", "output", "$['output']", '$["output"]', "$..output", "$.*", "$[*]", source("$.output", **FIRST)],
    [source("$.output"), source("$.output", **STANDARD), source("$['output']", **STANDARD), source("$..output", **STANDARD)],
    ["$.output", source("$..output", **FIRST)],
    ["$.output", source("$.output", **LIST), source("$.output", **LAST)],
    ["$.a.b", "a.b", "$['a']['b']", "$.a['b']", "$..b", "$.a.*", "$.*.b", "$.a..b"],
    ["$.a.b", source("$.a.b", **FIRST), source("$.a..b", **FIRST)],
    ["$.a[0]", "a[0]", "$['a'][0]", "$.a[0:1]", "$.a[:1]", "$.a[*]", "$.a[0:5]", "$..a[0]"],
    ["$.a[0]", source("$.a[*]", **FIRST), source("$.a[:]", **FIRST), source("$.a[0:5]", **FIRST), source("$.a[::2]", **FIRST)],
    ["$.a[-1]", "$.a[-1:]", source("$.a[*]", **LAST), source("$.a[-3:]", **LAST), source("$.a[1:]", **LAST)],
    ["$.a[2]", "$.a[2:3]", source("$.a[2:9]", **FIRST), source("$.a[2:]", **FIRST), source("$.a[1:3]", **LAST)],
    ["$.a[0].b", "$.a[0:1].b", "$.a[0]['b']", "$.a[*].b", source("$.a[*].b", **FIRST)],
    ["$.a[0].b[1]", "$.a[:1].b[1:2]"],
    ["$[0]", "$[0:1]", source("$[*]", **FIRST)],
    ["$", source("$", **LIST)],
    ["$['a b']", '$["a b"]', source("$['a b']", **STANDARD)],
    ["$['é']", '$["é"]'],
    [r"$['it\'s']", '$["it\'s"]'],
    ["$['a.b']", '$["a.b"]'],
    ["$['*']", '$["*"]'],
    ["$.a[*].b", "$['a'][*]['b']", "a[*].b"],
    [source("$..b", **LIST), source("$..['b']", **LIST)],
    ["$.a[5000]", "$['a'][5000]"],
    ["$.a[?(@.b == 1)].c", "$['a'][?(@.b == 1)].c"],
    ["$.a.`len`", "$['a'].`len`"],
]  # fmt: skip
DIFFERENT = [
    ("$.output", "$.expected"),
    ("$.output", "$.output.text"),
    ("$.output.text", "$.text"),
    ("$.output", "$"),
    ("$.output", source("$.*", **FIRST)),
    ("$.output", source("$.*", **LAST)),
    ("$.output", source("$.*", **LIST)),
    ("$.output", source("$..output", **LAST)),
    ("$.output", source("$..output", **LIST)),
    ("$.a.b", source("$..b", **FIRST)),
    ("$.a.b", "$.b.a"),
    ("$.a.b", "$['a.b']"),
    ("$.a.*", "$.b.*"),
    ("$.*", "$['*'].a"),
    ("$.a[0]", "$.a[1]"),
    ("$.a[0]", "$.a[-1]"),
    ("$.a[0]", "$.a"),
    ("$.a[0]", "$.a['0']"),
    ("$.a[0]", "$.b[0]"),
    ("$.a[0]", "$.a[1:2]"),
    ("$.a[0]", "$.a[1:]"),
    ("$.a[0]", source("$.a[*]", **LAST)),
    ("$.a[0]", source("$.a[*]", **LIST)),
    ("$.a[0]", source("$.a[0:2]", **LIST)),
    ("$.a[0]", source("$.a[0,2]", **LIST)),
    ("$.a[0]", source("$.a[0:2]", **LAST)),
    ("$.a[-1]", source("$.a[*]", **FIRST)),
    ("$.a[-1]", source("$.a[::2]", **LAST)),
    ("$.a[9]", "$.a[-10]"),
    ("$.a[0]", "$.a[-11]"),
    ("$.a[0].b", "$.a[1].b"),
    ("$.a[0].b", "$.a[0].c"),
    ("$.a[0].b", source("$.a[*].b", **LAST)),
    ("$.a[*].b", "$.a[*].c"),
    (source("$.a[*].b", **FIRST), source("$.a[*].b", **LAST)),
    ("$.a[5000]", "$.a[5001]"),
    ("$.a.`len`", "$.a"),
    ("$.a[?(@.b == 1)].c", "$.a[?(@.b == 2)].c"),
    ("$.a[?(@.b == 1)].c", "$.a[0].c"),
    (source("$.a", **STANDARD), source("$.b", **STANDARD)),
    (source("$.a", **STANDARD), "$.b"),
    (source("$.a[0]", **STANDARD), "$.a[-1]"),
]


def as_dict(side):
    return side if isinstance(side, dict) else source(side)


PAIRS = [(first, other) for first, *others in SAME for other in [first, *others]]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_paths_of_one_value_are_the_same_place(one, other):
    for first, second in ((one, other), (other, one)):
        assert are_same_place(as_dict(first), as_dict(second))
        with pytest.raises(SettingsError, match="expected and observed are the same value"):
            Evaluator("exact", {"expected": first, "observed": second})


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_paths_of_different_values_are_different_places(one, other):
    for first, second in ((one, other), (other, one)):
        assert not are_same_place(as_dict(first), as_dict(second))
        Evaluator("exact", {"expected": first, "observed": second})
