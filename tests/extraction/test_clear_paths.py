"""A JSONPath without a dialect has one meaning in jsonpath-ng and RFC 9535, or it is refused with its reading."""

from __future__ import annotations

import contextlib

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.extraction.paths import NothingFoundError, read_path

DOCUMENT = {
    "a": {"b c": 1, "it's": 2, "x\\y": 3, "d": [10, 20, 30, 40], "": 4},
    "rows": [{"id": 1, "n": 5, "ok": True}, {"id": "2", "n": 7}, {"n": None}],
    "my-key": 6,
    "*": 7,
}

# Paths that both read alike, with the values that they match; a first key needs no $.
CLEAR = [
    ("$.a.d", [[10, 20, 30, 40]]),
    ("a.d[0]", [10]),
    ("rows[0].id", [1]),
    ("$['my-key']", [6]),
    ("$.my-key", [6]),
    ('$["a"]["b c"]', [1]),
    ("$.a['b c']", [1]),
    (r"$.a['it\'s']", [2]),
    ('$.a["it\'s"]', [2]),
    (r"$.a['x\\y']", [3]),
    ("$.a['']", [4]),
    ("$['*']", [7]),
    ("$.a.d[-1]", [40]),
    ("$.a.d[1:3]", [20, 30]),
    ("$.a.d[::2]", [10, 30]),
    ("$.a.d[-2:]", [30, 40]),
    ("$.a.d[*]", [10, 20, 30, 40]),
    ("$.a.d[0,2]", [10, 30]),
    ("$.rows[*].n", [5, 7, None]),
    ("$..id", [1, "2"]),
    ("$..['id']", [1, "2"]),
    ("$.rows[?(@.n > 5)].id", ["2"]),
    ("$.rows[?@.n > 5].id", ["2"]),
    ("$.rows[?(@.id == '2')].n", [7]),
    ("$.rows[?(@.ok)].n", [5]),
    ("$.rows[?(!@.id)].n", [None]),
    ("$.rows[?@.n == null].n", [None]),
    ("$.rows[?(@.n > 1 && @.ok == true)].n", [5]),
    ("$.rows[?(@.n > 6 || @.id == 1)].n", [5, 7]),
    ("$.a.d[?@ > 15]", [20, 30, 40]),
    ("$.a.d[?@ >= $.a.d[2]]", [30, 40]),
    ("$.rows.`len`", [3]),
]


@pytest.mark.parametrize(("path", "values"), CLEAR)
def test_a_clear_path_is_followed(path, values):
    assert read_path(path, "list")(DOCUMENT) == values


# Paths that the two read differently, or that only jsonpath-ng accepts.
UNCLEAR = [
    r"$['\n']", r'$["\t"]', r"$['\u0041']", r"$['\x41']", r"$['\/']", r"$['\"']", r'$["\'"]', "$['a\nb']", "$['\x00']",
    "$.1", "$.rows.0", "$[01]", "$[-0]", "$[00]", "$[1:02]", "$[::-0]", "$[9007199254740992]", "$. a",
    "$.. a", "$ .a", " $", "$ ", "$.a ", "$.a - $.b", "$.a | $.b", "$[?true]", "$[?'abc']", "$[?2]", "$[?null]",
    "$[?@ == True]", "$[?@.a == 01]", "$[?@..a == 1]", "$[?@.* == 1]", "$[?@[0:1] == 1]", "$[?(@[0, 1] == 1)]", "$.rows[1 :2]",
]  # fmt: skip


@pytest.mark.parametrize("path", UNCLEAR)
def test_an_unclear_path_is_refused_unless_the_dialect_is_named(path):
    with pytest.raises(SettingsError, match=r"is not a clear JSONPath: jsonpath-ng reads it as|is not a JSONPath"):
        read_path(path, "list")
    for operator, settings in (
        ("json_canonical", {"ignore": [path]}),
        ("json_distance", {"rules": {path: {"tolerance": 1}}}),
        ("by_field", {"rules": {path: "exact"}}),
    ):
        with pytest.raises(
            SettingsError, match=r"is not a clear JSONPath|is not a JSONPath|matches the whole document"
        ):
            compare(operator, {"a": 1}, {"a": 1}, **settings)


@pytest.mark.parametrize("path", ["$.a - $.b", "$.1", r"$['\n']"])
def test_the_dialect_of_the_library_reads_everything_that_it_reads(path):
    follow = read_path(path, "list", "jsonpath_ng")
    with contextlib.suppress(NothingFoundError):
        follow(DOCUMENT)


@pytest.mark.parametrize("path", ["$.a[", "$[?(@.a", "$['a", "$.☺", "$[a]", "$.", "$[?@.a=='b'"])
def test_what_no_dialect_reads_is_refused(path):
    with pytest.raises(SettingsError, match="JSONPath"):
        read_path(path)


@pytest.mark.parametrize("dialect", ["jsonpath_ng", "rfc9535", None])
@pytest.mark.parametrize("path", ["$" + "..a" * 6, "$" + "..*" * 7, "$" + "..[0]" * 40])
def test_path_that_multiplies_its_matches_is_refused(path, dialect):
    with pytest.raises(SettingsError, match="at most 5 are allowed"):
        read_path(path, "list", dialect)


@pytest.mark.parametrize("path", ["$.a" + " | $" * 6, "$.a" + " | $.a" * 24, "$" + ".a | $" * 30])
def test_path_with_many_unions_is_refused(path):
    with pytest.raises(SettingsError, match="at most 5 are allowed"):
        read_path(path, "list", "jsonpath_ng")


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$..a..d", [[10, 20, 30, 40]]),
        ("$['..a..b..c..d..e..f']", []),
        ("$['|||||||']", []),
        ("$.rows[?(@.n > 6 || @.id == 1 || @.n == 5 || @.n == 6 || @.n == 7 || @.n == 8 || @.n == 9)].n", [5, 7]),
    ],
)
def test_signs_in_keys_and_filters_do_not_multiply(path, values):
    with contextlib.suppress(NothingFoundError):
        assert read_path(path, "list")(DOCUMENT) == values
