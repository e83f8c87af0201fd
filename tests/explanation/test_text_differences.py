"""Two texts side by side."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import Budget, compare, explain
from pytest_verdict.explanation.differences import find_changes
from pytest_verdict.explanation.lines import Block, Part, block, format_coloured, format_plain, line, lines_of, table

TEXTS = st.text("ab é\u0301\n'\"", max_size=20)
EVERYTHING = Budget(characters=0, lines=0, differences=0, width=0)


def explained(expected, observed, budget=None, operator="exact"):
    return list(explain(compare(operator, expected, observed), budget))


@given(TEXTS, TEXTS)
def test_texts_are_equal_outside_of_their_changes(expected, observed):
    changes = find_changes(expected, observed)
    remainders = []
    for text, side in ((expected, 0), (observed, 1)):
        offset = 0
        remainder = ""
        for change in changes:
            assert change[side].start >= offset
            remainder += text[offset : change[side].start] + "\0"
            offset = change[side].stop
        remainders.append(remainder + text[offset:])
    assert remainders[0] == remainders[1]
    assert bool(changes) == (expected != observed)


@given(TEXTS, TEXTS)
def test_different_texts_are_never_printed_alike(expected, observed):
    if expected == observed:
        return
    first = explained(expected, observed)[0]
    if "\n" not in expected + observed:
        left, right = first.removeprefix("exact: expected ").split(", got ", 1)
        assert left != right


@pytest.mark.parametrize(
    ("expected", "observed", "first"),
    [
        ("caf\u00e9", "cafe\u0301", r"exact: expected 'caf\xe9', got 'cafe\u0301'"),
        ("a b", "a\u00a0b", r"exact: expected 'a b', got 'a\xa0b'"),
        ("paypal", "p\u0430ypal", r"exact: expected 'paypal', got 'p\u0430ypal'"),
        ("ab", "a\u200bb", r"exact: expected 'ab', got 'a\u200bb'"),
        ("yes", "yes ", "exact: expected 'yes', got 'yes '"),
        (1, True, "exact: expected 1, got True"),
    ],
    ids=ascii,
)
def test_lookalikes_are_escaped(expected, observed, first):
    assert explained(expected, observed)[0] == first


def test_invisible_changes_show_their_code_points():
    lines = explained("caf\u00e9", "cafe\u0301")
    index = lines.index("  characters: U+00E9 LATIN SMALL LETTER E WITH ACUTE")
    assert lines[index + 1] == "           -> U+0065 LATIN SMALL LETTER E, U+0301 COMBINING ACUTE ACCENT"
    lines = explained("yes", "yes ")
    assert lines[lines.index("  characters: nothing") + 1] == "           -> U+0020 SPACE"


def test_changed_lines_have_two_lines_of_context():
    before = [f"line {number}" for number in range(1, 40)]
    after = [*before[:19], "line twenty", *before[20:], "the end"]
    assert explained("\n".join(before), "\n".join(after))[:13] == [
        "exact: line 20: 'line 20' -> 'line twenty', and 1 more line",
        "  line 18:",
        "    line 18",
        "    line 19",
        "  - line 20",
        "         ^^",
        "  + line twenty",
        "         ^^^^^^",
        "    line 21",
        "    line 22",
        "  line 38:",
        "    line 38",
        "    line 39",
    ]


def test_long_text_is_cut_to_a_window_around_each_change():
    words = [f"word{number}" for number in range(2_000)]
    other = [*words]
    other[1_000] = "WORD"
    other[1_900] = "gone"
    lines = explained(" ".join(words), " ".join(other))
    assert "word1000" in lines[0]
    assert "WORD" in lines[0]
    assert len(lines[0]) <= 100
    assert [line[:12] for line in lines[1:9]] == ["  expected: ", " " * 12, "  observed: ", " " * 12] * 2
    assert "gone" in lines[7]
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_fit_the_width_of_the_budget(width):
    pairs = [
        ("the quick brown fox " * 30, "the quick brown dog " * 30),
        ({"flights": [{"id": number, "to": "Paris" * 20} for number in range(40)]}, {"flights": [{"id": 1}]}),
        (list(range(500)), list(range(1, 501))),
        ("x" * 5_000, "y" * 5_000),
        ({"a" * 200: 1}, {"a" * 200: 2}),
    ]
    for expected, observed in pairs:
        lines = explained(expected, observed, Budget(width=width))
        assert max(map(len, lines)) <= width, lines
    full = explained(pairs[0][0], pairs[0][1], EVERYTHING)
    assert pairs[0][0] in "\n".join(full)


def test_marks_count_wide_characters_as_two_columns():
    lines = explained("\u6771\u4eac tower" + " " * 40, "\u6771\u4eac towel" + " " * 40)
    assert lines[2] == " " * (len("  expected: '") + 4 + 5) + "^"


def test_coloured_line_has_the_text_of_the_plain_line():
    parts = line("plain ", Part("expected", "expected"), Part("changed", "observed_changed"))
    assert format_coloured(parts) == "plain \x1b[32mexpected\x1b[0m\x1b[1;31mchanged\x1b[0m"
    assert format_plain(parts) == "plain expectedchanged"
    assert format_plain(line("\x1b[31m")) == r"\x1b[31m"


def test_block_equals_its_text_and_keeps_its_lines():
    text = block([line("one"), line("two")])
    assert text == "one\ntwo"
    assert isinstance(text, Block)
    assert lines_of(text) == text.lines
    assert [format_plain(one) for one in lines_of("a\nb")] == ["a", "b"]


def test_table_pads_columns_but_not_the_end_of_a_row():
    rows = [[Part("a"), Part("long"), Part("")], [Part("longer"), Part(""), Part("c")]]
    assert [format_plain(one) for one in table(rows)] == ["a       long", "longer        c"]
