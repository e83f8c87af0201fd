"""The short way to JSON text gives the same bytes as the long one."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.values.encoding import encode, small_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
    max_leaves=40,
)


@given(VALUES)
def test_the_same_bytes_or_none(value):
    text = small_json(value)
    assert text in {None, json.dumps(encode(value), separators=(",", ":"))}


@pytest.mark.parametrize(
    "value", [{"$type": "repr"}, {1: 2}, math.nan, math.inf, 10**18, "é", (1,), [0] * 33, [[[[[]]]]]], ids=repr
)
def test_other_values_use_the_general_encoder(value):
    assert small_json(value) is None


def test_a_list_that_contains_itself_takes_the_long_way():
    value: list = []
    value.append(value)
    assert small_json(value) is None
