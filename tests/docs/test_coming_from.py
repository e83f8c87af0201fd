"""Each row of the tables in docs/how-to/coming-from.md, run with the other tool and with this library."""

import re
from pathlib import Path

import pytest

from pytest_verdict import compare

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "coming-from.md"
SECTION = re.compile(r"^### (?P<tool>.+)\n(?P<text>(?:(?!^##).*\n)+)", re.MULTILINE)
IMPORTS = re.compile(r"^```text\n((?:from .+\n)+)```", re.MULTILINE)
ROW = re.compile(r"^\| `(?P<there>.+?)` \| `(?P<here>.+?)` \| (?P<difference>.*?) ?\|$", re.MULTILINE)

# By tool and row: pairs of expected and observed on which both sides agree, and pairs on which they differ.
VALUES = {
    "DeepDiff": [
        ([({"a": [1]}, {"a": [1]}), ("a", "b"), (None, None), ([1, 2], [2, 1]), (1, "1")], [(1, 1.0)]),
        ([([1, 2, 2], [2, 1, 2]), ([1, 2], [2, 3]), ([{"a": 1}, 2], [2, {"a": 1}]), ([1], [1, 1])], [([1], [1.0])]),
        ([([1.0], [1.05]), ([1.0], [1.5]), ({"a": 2.0}, {"a": 2.0})], [([1.0], [1.1])]),
        ([({"id": 1, "a": 2}, {"id": 3, "a": 2}), ({"id": 1, "a": 2}, {"id": 1, "a": 3})], [({"a": 1}, {"a": 1.0})]),
    ],
    "openevals": [
        ([("a", "a"), ("a", "A"), ({"a": 1}, {"a": 1}), ([1, 2], [2, 1])], [(1, 1.0)]),
        ([("kitten", "sitting"), ("a", "a"), ("abc", "xyz")], [(12, 13)]),
    ],
    "Braintrust (autoevals)": [
        ([("a", "a"), ("a", "b"), (1, 1), (1, 2)], [("None", None), ("1", 1)]),
        ([("kitten", "sitting"), ("", ""), ("", "a"), ("abc", "axc")], [(12, 13)]),
        ([(100, 95), (0, 0), (0, 1), (-1, 2), (1.0, 2.0)], [(1, True)]),
        ([(["a"], ["a", "b"]), ([], []), (["ab", "c"], ["c", "ax"]), ([], ["a"])], []),
        ([({"a": 1}, {"a": 2}), ([], {}), ({"a": "ab"}, {"a": "ac"}), ([1, 2], [2, 1])], [({"a": 1}, {"a": True})]),
        ([(None, "[1]"), (None, "1"), (None, "{"), (None, {"a": 1}), (None, 100)], [(None, '{"a": 1, "a": 2}')]),
    ],
    "LangChain": [
        ([("a", "a"), ("a", "A"), ("", "")], []),
        ([("a.", "abc"), ("b", "abc"), ("^a$", "a")], [("", "a")]),
        (
            [("[1, 2]", "[2, 1]"), ('{"a": 1}', '{"a": 1.0}'), ("[1]", "[1, 1]"), ("[]", "{}")],
            [('{"a": [1, 2]}', '{"a": [2, 1]}')],
        ),
        ([("kitten", "sitting"), ("a", "a"), ("abc", "xyz")], []),
    ],
    "dirty-equals": [
        (
            [({1: 2}, {1: 2, 3: 4}), ({"a": 1}, {"a": 2}), ({"a": 1}, {})],
            [({"a": 1}, {"a": True}), ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}})],
        ),
        ([({"a": 1}, {"a": 1, "b": None}), ({"a": 1}, {"a": 1, "b": 2}), ({}, {})], [({"a": 1}, {"a": True})]),
        ([([1, 2, 2], [2, 1, 2]), ([1, 2], [1, 1]), ([{1: 2}], [{1: 2}])], [([1], [True])]),
        ([([1], [1, 2]), ([3], [1, 2]), (["a"], ("a",))], [([1], [True])]),
        ([([1, 2], 2), ([1, 2], 3), (["a"], "a"), ([[]], [])], [([1], True)]),
        ([(1, 1.5), (1, 1.6), (-1, -1.25)], [(1, "1")]),
        ([("fo+", "foo"), ("fo", "foo"), ("a", 1)], []),
        ([(None, 1), (None, 1.0), (None, True), (None, "1")], []),
        ([([1, 2], "[1, 2]"), ({"a": 1}, '{"a": 2}'), ([1], "[1")], [([1], "[true]")]),
    ],
}


def sections():
    text = PAGE.read_text(encoding="utf-8")
    return {match["tool"]: match["text"] for match in SECTION.finditer(text) if IMPORTS.search(match["text"])}


def rows(tool):
    return [*ROW.finditer(sections()[tool])]


def namespace(tool):
    names = {"compare": compare}
    for line in IMPORTS.search(sections()[tool])[1].splitlines():
        try:
            exec(line, names)
        except ImportError as error:
            pytest.skip(f"{tool} is not installed ({error}); the dependency group oracles has the tools that CI runs")
    return names


def test_each_table_of_the_page_has_values_for_each_of_its_rows():
    assert {tool: len(rows(tool)) for tool in sections()} == {tool: len(values) for tool, values in VALUES.items()}


CASES = [(tool, index) for tool, values in VALUES.items() for index in range(len(values))]


def outcome(source, names, expected, observed):
    try:
        value = eval(source, {**names, "expected": expected, "observed": observed})
    except Exception:
        return "refused"
    if isinstance(value, bool | int | float):
        return round(float(value), 6)
    return value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("tool", "index"), CASES)
def test_a_row_agrees_and_differs_as_it_says(tool, index):
    row = rows(tool)[index]
    agree, differ = VALUES[tool][index]
    names = namespace(tool)

    for expected, observed in agree:
        there = outcome(row["there"], names, expected, observed)
        assert there == outcome(row["here"], names, expected, observed), (expected, observed)
    for expected, observed in differ:
        there = outcome(row["there"], names, expected, observed)
        assert there != outcome(row["here"], names, expected, observed), (expected, observed)
    assert bool(row["difference"]) == bool(differ)
