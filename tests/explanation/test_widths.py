"""At any width the reason comes first, and values are cut last."""

from __future__ import annotations

import pytest

from pytest_verdict import Operator, Outcome, compare, explain
from pytest_verdict.budget import Budget
from pytest_verdict.explanation.lines import Part, count_columns, format_plain, wrap

WIDTHS = (52, 72, 112)
TEXT = "The quick brown fox jumps over the lazy dog and runs away from the wolf in the forest"
NAME = "a long name of a comparison that somebody has written"
WIDE = "東京は日本の首都であり世界最大の都市圏の一つである" * 2
# The first line has these texts, in this order, at every width.
FIRST_LINES = {
    "a date": (("date_match", "2024-03-05", "2024-05-03"), {}, ("59 days apart", "'2024-03-05'", "'2024-05-03'")),
    "a date with a name": (
        ("date_match", "2024-03-05", "2024-05-03"),
        {"name": NAME},
        (NAME, "59 days apart", "'2024-03-05'", "'2024-05-03'"),
    ),
    "a number": (("numeric_tolerance", 37.0, 40), {"tolerance": 0.5, "mode": "absolute"}, ("off by 3", "37.0", "40")),
    "a path": (
        ("json_canonical", {"order": {"date": "2024-03-05", "n": 1}}, {"order": {"date": "2024-03-06", "n": 2}}),
        {},
        ("$.order.date", "'2024-03-05' -> '2024-03-06'", "1 more difference"),
    ),
    "members": (
        ("set_containment", [*"abcdefghij"], [*"klmnopqrst"]),
        {},
        ("missing 'a', 'b'", "more; unexpected 'k', 'l'", "more"),
    ),
    "one long member": (("contains_all", [TEXT], "x"), {}, ("missing 'Th", "got 'x'")),
    "a missing word": (("contains_all", ["Paris", "Rome"], TEXT), {}, ("missing 'Paris', 'Rome'", "got 'Th")),
    "a long operator": (("trajectory_single_tool_use", "search", [{"name": "delete", "arguments": {}}]), {}, ("'search'",)),
    "a short text": (("exact", "Paris, France", "Rome, Italy"), {}, ("'Paris, France'", "'Rome, Italy'")),
    "colours": (("exact", "\x1b[31mred", "\x1b[32mred"), {}, (r"'\x1b[31mred'", r"'\x1b[32mred'")),
    "emoji": (("exact", "👩‍👧 ok", "👩‍👦 ok"), {}, ("👩", "got '👩")),
    "an error": (("one_of", "Paris", "Paris"), {}, ("error: expected must be a list",)),
}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("case", FIRST_LINES)
def test_first_line_has_the_reason(case, width):
    arguments, settings, texts = FIRST_LINES[case]
    first = next(explain(compare(*arguments, **settings), Budget(width=width)))
    position = 0
    for text in texts:
        assert text in first[position:], first
        position = first.index(text, position)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("expected", "observed"), [(TEXT, TEXT.replace("fox", "cat")), (WIDE, WIDE[1:]), ("é" * 200, "e")]
)
def test_lines_of_values_fit(expected, observed, width):
    lines = [*explain(compare("exact", expected, observed), Budget(width=width))]
    assert all(count_columns(line) <= width for line in lines[1:]), lines


def test_marks_are_below_wide_characters():
    lines = [*explain(compare("exact", "日本 Paris x" * 4, "日本 Rome. x" * 4))]
    value, marks = lines[1:3]
    assert count_columns(value[: value.index("Paris")]) == marks.index("^")


@pytest.mark.parametrize("room", [4, 5, 11])
def test_wide_text_is_wrapped_by_columns(room):
    lines = [format_plain(line) for line in wrap([Part(WIDE + " and more " + WIDE)], room)]
    assert all(count_columns(line) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == (WIDE + "andmore" + WIDE)


def test_error_of_several_lines_is_shown_as_lines():
    class Broken(Operator):
        name = "broken"

        def evaluate(self, expected, observed):
            raise ValueError("first\n  second\nthird")

    lines = [*explain(compare(Broken(), 1, 2))]
    assert lines[:3] == ["broken: error: ValueError: first", "    second", "  third"]
    assert "\\n" not in "".join(lines)


def test_value_with_line_ends_stays_on_its_line():
    class Same(Operator):
        name = "same"

        def evaluate(self, expected, observed):
            return Outcome(0.0)

    assert r"'a\nb'" in next(explain(compare(Same(), "a\nb", "c")))
