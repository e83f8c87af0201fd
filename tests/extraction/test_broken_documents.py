"""A preset finds whole documents and texts: nothing inside of a broken document, and no empty text."""

import json

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.extraction.steps import PRESETS, find_parts

BROKEN = [
    '{"a": {"b": 1}, "c":',
    '{"a": {"b": 1}, "c": [1, 2}',
    'Here: {"a": {"b": 1}, "c"',
    '{"a": {"b": 1}, "a": 2}',
    '{"a": {"b": 1}, "c": NaN}',
    '{"a": {"b": 1},}',
    "{'a': {\"b\": 1}}",
    '{a: {"b": 1}}',
    '{"a": {"b": 1}, "c": undefined}',
    '{{"b": 1}, {"b": 1}',
    '[{"b": 1}, {"b":',
    '[[{"b": 1}], [{"b"',
    '["a", {"b": 1}, ...]',
    '[1, {"b": 1}, ...]',
    '```json\n{"a": {"b": 1}, "c": \n```',
    '{"a": "unclosed, {\\"b\\": 1}',
]


@pytest.mark.parametrize("text", BROKEN)
def test_first_json_takes_no_part_of_a_broken_document(text):
    assert not [part.value for part in find_parts("first_json", text) if "b" in str(part.value)]
    assert not compare("json_canonical", {"b": 1}, text, extract={"extract": "first_json", "on_missing": "fail"}).passed


@pytest.mark.parametrize(
    "text", ['{"a": 1, {"b": 2}} then {"c": 3}', 'As in [1], {not this} but {"c": 3}', '[see] {"c": 3}']
)
def test_first_json_takes_a_whole_document_after_other_brackets(text):
    assert [part.value for part in find_parts("first_json", text)] == [{"c": 3}]


documents = st.recursive(
    st.integers() | st.text(max_size=5) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
).filter(lambda value: isinstance(value, dict) and value)


@given(documents, st.data())
def test_a_document_that_was_cut_off_has_no_parts(document, draw):
    text = json.dumps(document)
    cut = draw.draw(st.integers(2, len(text) - 1))
    parts = find_parts("first_json", text[:cut])
    assert not parts or parts[0].value == json.loads(text[:cut])


@pytest.mark.parametrize(
    ("preset", "text"),
    [
        ("answer_tag", "<answer>5</answer> <answer></answer>"),
        ("answer_tag", "<answer> \n </answer>"),
        ("fenced_block", "```\n\n```"),
        ("fenced_block", "```\n   \n```\n```\nx\n```"),
        ("after_thinking", "<think>5</think>"),
        ("after_thinking", "<think>5</think> \n"),
        ("after_thinking", ""),
    ],
)
def test_no_preset_finds_an_empty_text(preset, text):
    assert find_parts(preset, text) == []


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"after_thinking"}))
@pytest.mark.parametrize("text", ["", " ", "\n\n", "<think></think>", "**", "``"])
def test_nothing_is_no_answer(preset, text):
    assert not [part for part in find_parts(preset, text) if not str(part.value).strip("*` ")]
