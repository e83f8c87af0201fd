"""Explanations: the block that a failed comparison prints."""

from __future__ import annotations

import textwrap

import pytest

from pytest_verdict import Budget, ComparisonResult, MismatchError, Operator, Outcome, assert_matches, compare, explain
from pytest_verdict.explanation import failure_block


class Tree(Operator):
    """Returns fixed differences."""

    name = "tree_of_the_test"
    count: int = 3
    ignored: tuple[str, ...] = ()

    def evaluate(self, expected, observed):
        kinds = ["changed", "missing", "unexpected"]
        differences = [
            {"path": f"$.items[{at}]", "kind": kinds[at % 3], "expected": at, "observed": "\x1b[31m"}
            for at in range(self.count)
        ]
        return Outcome(0.25, details={"differences": differences, "differences_omitted": 7})


class Both(Operator):
    """Has two parts."""

    name = "both_of_the_test"

    def evaluate(self, expected, observed):
        return Outcome(
            0.5,
            notes=("half",),
            children=(compare("exact", "a", "a", name="first"), compare("exact", "a", "b", name="second")),
        )


class Broken(Operator):
    """Raises."""

    name = "broken_of_the_test"

    def evaluate(self, expected, observed):
        raise ValueError("bad\x1b[0m\nnews")


def block(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


BLOCKS = {
    "exact": (
        lambda: compare("exact", "Paris", "Pari"),
        """
        exact: expected 'Paris', got 'Pari'
          normalization: none
        """,
    ),
    "normalized": (
        lambda: compare("normalized_exact", "Paris", "LONDON ", name="city"),
        """
        normalized_exact 'city': expected 'Paris', got 'LONDON '
          expected surface: 'paris'
          observed surface: 'london'
          normalization: lowercase, strip, collapse_whitespace
        """,
    ),
    "settings": (
        lambda: compare("contains_all", None, "a", substrings=["a", "b"], case_sensitive=False),
        """
        contains_all: missing 'b', got 'a'
          expected: ['a', 'b']
          observed: 'a'
          normalization: casefold
          settings: substrings=['a', 'b'], case_sensitive=False
        """,
    ),
    "differences": (
        lambda: compare(Tree(), {}, {}, 0.5),
        r"""
        tree_of_the_test: $.items[0]: 0 -> '\x1b[31m', and 9 more differences
          $.items[0]: 0 -> '\x1b[31m'
          $.items[1]: missing 1
          $.items[2]: unexpected '\x1b[31m'
          … 7 more differences
          expected: {}
          observed: {}
          normalization: none
          settings: count=3, ignored=[]
          score 0.25 < threshold 0.5
        """,
    ),
    "children": (
        lambda: compare(Both(), "x", "y"),
        """
        both_of_the_test: 1 of 2 parts passed
          FAIL  exact 'second': expected 'a', got 'b'
                normalization: none
          ok    exact 'first': got 'a'
          score 0.5 < threshold 1
          note: half
        """,
    ),
    "error": (
        lambda: compare(Broken(), "x", "y"),
        r"""
        broken_of_the_test: error: ValueError: bad\x1b[0m
          news
          expected: 'x'
          observed: 'y'
          normalization: none
        """,
    ),
    "notes": (
        lambda: compare("contains_any", "a", 5),
        """
        contains_any: observed is not a text: 5
          expected: 'a'
          observed: 5
          normalization: none
          note: not_text
        """,
    ),
    "control characters": (
        lambda: compare("exact", "\x1b[31m", "a\nb\u202e", name="\x07"),
        r"""
        exact '\x07': line 1: '\x1b[31m' -> 'a', and 1 more line
          line 1:
          - \x1b[31m
          + a
          + b\u202e
          expected: '\x1b[31m'
          observed: 'a\nb\u202e'
          normalization: none
        """,
    ),
    "pass": (
        lambda: compare("exact", 1, 1.0),
        """
        exact: pass
          expected: 1
          observed: 1.0
          normalization: none
        """,
    ),
}


@pytest.mark.parametrize(("make", "text"), BLOCKS.values(), ids=BLOCKS)
def test_explain_prints_the_exact_block(make, text):
    assert "\n".join(explain(make())) == block(text)


@pytest.mark.parametrize("make", [make for make, _ in BLOCKS.values()], ids=list(BLOCKS))
def test_explain_of_a_record_equals_explain_of_the_result(make):
    result = make()
    assert list(explain(ComparisonResult.from_record(result.to_record()))) == list(explain(result))


def test_block_hides_default_settings():
    assert not [line for line in explain(compare("contains_any", "a", "b")) if "settings" in line]


def test_budget_limits_lines_but_not_advice():
    text = failure_block(compare(Tree(count=50), 1, 2), Budget(lines=4), ["try json_subset\x1b"])
    lines = text.splitlines()
    assert len(lines) == 6
    assert lines[4] == "  … 13 more lines; -vv shows all"
    assert lines[5] == "  advice: try json_subset\\x1b"


def test_budget_limits_differences_and_characters():
    lines = list(explain(compare(Tree(count=50), "x" * 1_000, 2), Budget(differences=2, characters=60)))
    assert sum(line.startswith("  $.items") for line in lines) == 2
    assert "  … 55 more differences" in lines
    assert max(map(len, lines)) <= 100


def test_budget_of_zeros_shows_everything():
    unlimited = Budget(characters=0, lines=0, differences=0, width=0)
    text = failure_block(compare(Tree(count=90), "x" * 10_000, 2), unlimited)
    assert "x" * 10_000 in text
    assert text.count("\n  $.items") == 90


@pytest.mark.parametrize(
    "change",
    [
        {"operator": "\x1b[31m"},
        {"normalization": ["\x1b[31m"]},
        {"notes": ["\x1b[31m\n"]},
        {"settings": {"\x1b[31m": 1}},
        {"details": {"\x1b[31m": "\x1b[31m"}},
        {"details": {"differences": ["\x1b[31m", {"path": "\x1b[31m" * 10_000, "kind": ["x"]}, None]}},
        {"details": {"differences": "\x1b[31m", "differences_omitted": "many"}},
        {"details": {"differences": [{}], "differences_omitted": "many"}},
        {"error": "\x1b[31m" * 100_000, "score": 0.0},
    ],
    ids=ascii,
)
def test_hostile_record_gives_printable_bounded_lines(change):
    record = compare("exact", [1], 2).to_record()
    record.update(change)
    for line in explain(ComparisonResult.from_record(record)):
        assert line.isprintable()
        assert len(line) < 6_000


def test_block_shows_competing_calls():
    result = compare("trajectory_any_order", ["search", "search"], ["search", "pay"])
    assert "  competing: {'expected': [0, 1], 'observed': [0]}" in list(explain(result))


@pytest.mark.parametrize("operator", ["json_canonical", "json_subset", "json_distance"])
@pytest.mark.parametrize("item", [{"$type": "Invoice", "id": 1}, {"$type": 1}, {"$type": "set"}], ids=str)
def test_json_with_a_key_named_type_is_explained(operator, item):
    with pytest.raises(MismatchError) as caught:
        assert_matches(operator, [item], [])
    assert f"missing {item!r}" in str(caught.value)
