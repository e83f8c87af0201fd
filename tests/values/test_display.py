"""Untrusted values in a terminal."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.values.display import shorten, shown, visible


class Coloured:
    def __repr__(self):
        return "\x1b[31mred\x1b[0m\r\n\u202eevil"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("\x1b[31m", r"'\x1b[31m'"),
        ("a\nb\rc\td\0", r"'a\nb\rc\td\x00'"),
        ("\u202eevil\u2066", r"'\u202eevil\u2066'"),
        ("\ud800", r"'\ud800'"),
        ("a\u200bb\u2028c", r"'a\u200bb\u2028c'"),
        ("café 日本", "'café 日本'"),
        ("read at 0x7fff12", "'read at 0x7fff12'"),
        (Coloured(), r"\x1b[31mred\x1b[0m\r\n\u202eevil"),
        ([Coloured()], r"[\x1b[31mred\x1b[0m\r\n\u202eevil]"),
        # A constant set from bytecode may have another order than the same set just compiled, and so another id.
        (set("bac"), "{'a', 'b', 'c'}"),
        (frozenset({2, 1}), "frozenset({1, 2})"),
        (set(), "set()"),
        (({"b", "a"},), "({'a', 'b'},)"),
        ({"k": [{"b", "a"}]}, "{'k': [{'a', 'b'}]}"),
    ],
    ids=ascii,
)
def test_control_characters_are_escaped(value, text):
    assert shown(value) == text


@given(st.text(st.characters(exclude_categories=[])) | st.lists(st.text()), st.integers(40, 200))
def test_value_is_one_bounded_line(value, limit):
    found = shown(value, limit)
    assert found.isprintable()
    assert len(found) <= 10 * limit


@given(st.text(st.characters(exclude_categories=[])), st.integers(1, 200))
def test_shortening_never_lengthens(value, limit):
    whole = visible(repr(value))
    assert len(shown(value, limit)) <= len(whole)
    assert len(shorten(whole, limit)) <= len(whole)


@pytest.mark.parametrize(
    "value",
    ["x" * 5_000_000, "\x1b" * 5_000_000, "é" * 5_000_000, ["x" * 5_000_000], {"k": ["y" * 5_000_000]}],
    ids=["ascii", "escapes", "not ascii", "in a list", "in a dict"],
)
def test_megabytes_are_shown_quickly(value):
    start = time.process_time()
    assert len(shown(value)) < 6_000
    assert time.process_time() - start < 1.0


def test_recursive_value_is_shown():
    looping: list = [{"a"}]
    looping.append(looping)
    assert shown(looping)


def test_omitted_middle_is_counted():
    assert shorten("a" * 100, 40) == "aaaaaaaaaaa… 78 characters …aaaaaaaaaaa"
    assert shorten("abc", 0) == "abc"
    assert visible("plain") == "plain"
