"""Normalizers: each one, their order, and what the record says of them."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import example, given, strategies as st

from pytest_verdict import SynonymMap, compare
from pytest_verdict.core.normalizers import NORMALIZERS, NormalizerName, normalize, normalize_all
from pytest_verdict.errors import SettingsError
from pytest_verdict.templates import ExactMatch

FENCED = "```json\n{}\n```"

STEPS = [
    ("lowercase", "ÄB", "äb"),
    ("lowercase", "Straße", "straße"),
    ("casefold", "Straße", "strasse"),
    ("strip", "\u00a0 a b \n", "a b"),
    ("collapse_whitespace", " a \t\n b ", "a b"),
    ("nfc", "e\u0301", "\u00e9"),
    ("nfkc", "\ufb01 \u2460", "fi 1"),
    ("remove_punctuation", "a.b, (c)!", "ab c"),
    ("remove_punctuation", "¿qué?", "¿qué"),
    ("remove_articles", "The cat, an owl and theory", "cat, owl and theory"),
    ("strip_markdown_fence", FENCED, "{}"),
    ("strip_markdown_fence", "\n```\na\n\nb\n  ```  \n", "a\n\nb"),
    ("strip_markdown_fence", "```\n{}```", "{}"),
    ("strip_markdown_fence", "```\n```", ""),
    ("strip_markdown_fence", "see ```json\n{}\n```", "see ```json\n{}\n```"),
    ("strip_markdown_fence", f"{FENCED}\nand\n{FENCED}", f"{FENCED}\nand\n{FENCED}"),
    ("strip_markdown_fence", "``` `a`\nb\n```", "``` `a`\nb\n```"),
    ("strip_markdown_fence", "```", "```"),
    ("strip_markdown_fence", "{}\n```", "{}\n```"),
    ("strip_markdown_fence", "the answer\n{}```", "the answer\n{}```"),
    ("strip_thousands_separators", "1,234,567.50 or -1,000", "1234567.50 or -1000"),
    ("strip_thousands_separators", "costs 1,234, and 5,678.", "costs 1234, and 5678."),
    ("strip_thousands_separators", "1,23 12,34,567 0.1,234", "1,23 12,34,567 0.1,234"),
    ("strip_thousands_separators", "1234,567 a1,234 1,2345", "1234,567 a1,234 1,2345"),
]


@pytest.mark.parametrize(("step", "text", "normalized"), STEPS, ids=ascii)
def test_each(step, text, normalized):
    assert normalize(text, [step]) == normalized


def test_type_checkers_know_every_normalizer():
    assert sorted(get_args(NormalizerName)) == sorted(NORMALIZERS)


def test_every_normalizer_is_tested():
    assert {step for step, _, _ in STEPS} == set(NORMALIZERS)


@pytest.mark.parametrize("step", NORMALIZERS)
@pytest.mark.parametrize("text", ["```\n" + " " * 200_000, "1,111" * 40_000, "```\n" + "`" * 200_000, " the" * 50_000])
def test_a_hostile_text_takes_no_time(step, text):
    start = time.process_time()
    normalize(text, [step])
    assert time.process_time() - start < 1.0


@given(st.text(), st.lists(st.sampled_from(sorted(NORMALIZERS)), max_size=4))
@example(":", ["remove_punctuation"])
@example("", ["remove_punctuation"])
def test_any_text_through_any_steps_matches_itself(text, steps):
    result = compare("exact", text, text, normalize=steps)
    surface = normalize(text, steps)
    # Nothing is left to compare of a text that the steps empty, such as ":" without punctuation.
    assert result.verdict == ("pass" if surface or not text else "error")
    assert result.normalization == steps
    assert result.expected_surface == surface


def test_steps_are_recorded_in_the_order_of_application():
    result = compare(
        "normalized_exact", "A  b", "a b", normalize=["collapse_whitespace", "lowercase"], case_sensitive=False
    )
    assert result.normalization == ["collapse_whitespace", "lowercase", "casefold"]
    assert result.details == {"effective_normalization": ["collapse_whitespace", "lowercase"]}
    assert (result.expected, result.expected_surface, result.observed_surface) == ("A  b", "a b", "a b")


def test_the_order_decides():
    assert normalize("t.he end", ["remove_punctuation", "remove_articles"]) == "end"
    assert normalize("t.he end", ["remove_articles", "remove_punctuation"]) == "the end"


def test_only_the_steps_that_changed_something_are_effective():
    assert normalize_all(["Paris ", "paris"], ["lowercase", "nfc", "strip"])[1] == ("lowercase", "strip")
    assert compare("normalized_exact", "a", "a").details == {}


def test_a_synonym_map_looks_up_once():
    synonyms = SynonymMap(mapping={"nyc": "new york", "new york": "elsewhere"})
    result = compare("exact", "new york city", "NYC", normalize=["lowercase", synonyms])
    assert result.observed_surface == "new york"
    assert result.normalization == ["lowercase", "synonym_map"]


def test_a_synonym_map_is_in_the_settings_and_comes_back():
    operator = ExactMatch(normalize=["strip", SynonymMap(mapping={"nyc": "new york"})])
    again = ExactMatch(**operator.settings())
    assert again == operator
    assert hash(again) == hash(operator)
    assert operator.settings()["normalize"] == ["strip", {"mapping": {"nyc": "new york"}}]


@pytest.mark.parametrize(
    ("normalize_setting", "said"),
    [
        (["lowercas"], "Unknown normalizer: 'lowercas'. Did you mean 'lowercase'"),
        ("strip", "takes a list of steps, such as ['strip']"),
        ({"strip", "lowercase"}, "their order matters"),
        ([3], "got 3"),
        (None, "got None"),
    ],
    ids=repr,
)
def test_a_wrong_step_is_refused(normalize_setting, said):
    with pytest.raises(SettingsError) as caught:
        ExactMatch(normalize=normalize_setting)
    assert said in str(caught.value)


def test_what_is_not_text_is_left_alone():
    assert compare("normalized_exact", 1, 1.0).passed
    assert not compare("normalized_exact", None, "none").passed
    result = compare("normalized_exact", float("nan"), 1)
    assert result.changed_sides == (False, False)
