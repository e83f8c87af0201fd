"""Lines that are broken to a width: nothing of a reason is lost, whatever the room."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.explanation.lines import Part, format_plain, wrap

PARTS = st.lists(st.builds(Part, st.text("ab '…\u6771", max_size=20), st.sampled_from(["", "expected", "observed"])))


@given(PARTS, st.integers(0, 15))
def test_only_blanks_at_breaks_are_lost(parts, room):
    lines = wrap(parts, room)
    assert "".join(map(format_plain, lines)).replace(" ", "") == format_plain(parts).replace(" ", "")
    assert all(len(format_plain(line)) <= room for line in lines) or not room
    colours = [(letter, part.role) for part in parts for letter in part.text if letter != " "]
    assert [(letter, part.role) for line in lines for part in line for letter in part.text if letter != " "] == colours


@pytest.mark.parametrize(
    ("text", "room", "lines"),
    [
        ("off by 1: expected 2, got 3", 12, ["off by 1:", "expected 2,", "got 3"]),
        ("off by 1", 8, ["off by 1"]),
        ("off by 1", 0, ["off by 1"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("", 3, [""]),
        ("a" * 7, 7, ["a" * 7]),
        ("a b", 1, ["a", "b"]),
    ],
)
def test_lines_break_at_blanks(text, room, lines):
    assert [format_plain(line) for line in wrap([Part(text)], room)] == lines
