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
    ("ascii_punctuation", "\u201cIt\u2019s\u201d \u2212 5\u202f000\u2026\u200b", '"It\'s" - 5 000...'),
    ("ascii_punctuation", "\xabd\u2014e\xbb \u201eso\u201c\xa0\u3000.", '"d-e" "so"  .'),
    ("decimal_comma", "1.234,56 or 3,5 or -0,5 or 1.234.567 or 12", "1234.56 or 3.5 or -0.5 or 1234567 or 12"),
    ("decimal_comma", "1,2,3 v1.2.3 1.23,4 a,b", "1,2,3 v1.2.3 1.23,4 a,b"),
    ("fraction_to_decimal", "1/2, 1 1/2, \xbd, 2\xbc, 3\u20444, 5/0", "0.5, 1.5, 0.5, 2.25, 0.75, 5/0"),
    ("fraction_to_decimal", "1/2/2024 a/2 1/2.5 1/x", "1/2/2024 a/2 1/2.5 1/x"),
    ("fraction_to_decimal", "-1 1/2 or -\xbe or 3-1/2", "-1.5 or -0.75 or 3-0.5"),
    ("fraction_to_decimal", "1/3", "0.333333333333333333333333333333"),
    ("percent_to_decimal", "45 %, 12.5% or 100%", "0.45, 0.125 or 1.00"),
    ("percent_to_decimal", "a5% 5 per cent %", "a5% 5 per cent %"),
    ("strip_final_punctuation", "Paris. \n", "Paris"),
    ("strip_final_punctuation", "\u6771\u4eac\u3002", "\u6771\u4eac"),
    ("strip_final_punctuation", "3.5.", "3.5"),
    ("strip_markdown_emphasis", "**Paris** is *the* `city` of __light__.", "Paris is the city of light."),
    ("strip_markdown_emphasis", "**Answer:** 2 * 3, snake_case, a*b", "Answer: 2 * 3, snake_case, a*b"),
    ("strip_thousands_blanks", "1 234 567 or 1'000, -1\u202f234,5", "1234567 or 1000, -1234,5"),
    ("strip_thousands_blanks", "12 34 1234 567 1 234'567 a1 234", "12 34 1234 567 1 234'567 a1 234"),
    ("strip_unit", "$1,234.50", "1,234.50"),
    ("strip_unit", "-\u20ac5", "-5"),
    ("strip_unit", " USD 12 ", "12"),
    ("strip_unit", "37.5 \xb0C", "37.5"),
    ("strip_unit", "100 km/h", "100"),
    ("strip_unit", "1 234 kg", "1 234"),
    ("strip_unit", "about 5 mg", "about 5 mg"),
    ("strip_unit", "1e5", "1e5"),
    ("strip_unit", "5 Million", "5 Million"),
    ("strip_unit", "$1.2M", "$1.2M"),
    ("strip_unit", "45 %", "45 %"),
    ("strip_unit", "2024-01-15", "2024-01-15"),
]


HOSTILE = [
    *("*" * 200_000 + "a", "* a" * 70_000, "a*" * 100_000, "1" * 200_000 + "a", "1 " * 100_000, "1 111 " * 40_000),
    *("1/" * 100_000, "1 1/2" * 40_000, "1.111" * 50_000, "1.5 %" * 50_000, "1" + " " * 200_000 + "%", "$ " * 100_000),
    *("1'111" * 40_000 + "a", "1,1" * 70_000, "5" + " k" * 100_000),
]


@pytest.mark.parametrize(("step", "text", "normalized"), STEPS, ids=ascii)
def test_normalizer(step, text, normalized):
    assert normalize(text, [step]) == normalized


def test_type_checkers_know_every_normalizer():
    assert sorted(get_args(NormalizerName)) == sorted(NORMALIZERS)


def test_every_normalizer_is_tested():
    assert {step for step, _, _ in STEPS} == set(NORMALIZERS)


@pytest.mark.parametrize("step", NORMALIZERS)
@pytest.mark.parametrize(
    "text", ["```\n" + " " * 200_000, "1,111" * 40_000, "```\n" + "`" * 200_000, " the" * 50_000, *HOSTILE]
)
def test_hostile_text_takes_little_time(step, text):
    start = time.process_time()
    normalize(text, [step])
    assert time.process_time() - start < 1.0


@given(st.text(), st.lists(st.sampled_from(sorted(NORMALIZERS)), max_size=4))
@example(":", ["remove_punctuation"])
@example("", ["remove_punctuation"])
def test_normalized_text_matches_itself(text, steps):
    result = compare("exact", text, text, normalize=steps)
    surface = normalize(text, steps)
    # Nothing is left to compare of a text that the steps empty, such as ":" without punctuation; blanks say nothing anyway.
    assert result.verdict == ("pass" if surface or not text.strip() else "error")
    assert result.normalization == steps
    assert result.expected_surface == surface


def test_steps_are_recorded_in_order():
    result = compare(
        "normalized_exact", "A  b", "a b", normalize=["collapse_whitespace", "lowercase"], case_sensitive=False
    )
    assert result.normalization == ["collapse_whitespace", "lowercase", "casefold"]
    assert result.details == {"effective_normalization": ["collapse_whitespace", "lowercase"]}
    assert (result.expected, result.expected_surface, result.observed_surface) == ("A  b", "a b", "a b")


def test_order_of_steps_matters():
    assert normalize("t.he end", ["remove_punctuation", "remove_articles"]) == "end"
    assert normalize("t.he end", ["remove_articles", "remove_punctuation"]) == "the end"


def test_effective_steps_changed_something():
    assert normalize_all(["Paris ", "paris"], ["lowercase", "nfc", "strip"])[1] == ("lowercase", "strip")
    assert compare("normalized_exact", "a", "a").details == {}


def test_synonym_map_looks_up_once():
    synonyms = SynonymMap(mapping={"nyc": "new york", "new york": "elsewhere"})
    result = compare("exact", "new york city", "NYC", normalize=["lowercase", synonyms])
    assert result.observed_surface == "new york"
    assert result.normalization == ["lowercase", "synonym_map"]


def test_synonym_map_round_trips():
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
def test_invalid_step_is_rejected(normalize_setting, said):
    with pytest.raises(SettingsError) as caught:
        ExactMatch(normalize=normalize_setting)
    assert said in str(caught.value)


def test_values_that_are_not_text_are_unchanged():
    assert compare("normalized_exact", 1, 1.0).passed
    assert not compare("normalized_exact", None, "none").passed
    result = compare("normalized_exact", float("nan"), 1)
    assert result.changed_sides == (False, False)


@pytest.mark.parametrize(
    ("expected", "said", "steps"),
    [
        (0.45, "45\u202f%", ["percent_to_decimal"]),
        (-3, "\u22123", ["ascii_punctuation"]),
        (1234.5, "1.234,50 \u20ac", ["strip_unit", "decimal_comma"]),
        (1234.5, "1\u202f234,5", ["strip_thousands_blanks", "decimal_comma"]),
        (1234.5, "**$1,234.50**", ["strip_markdown_emphasis", "strip_unit", "strip_thousands_separators"]),
        (1.5, "1\xbd cups", ["fraction_to_decimal", "strip_unit"]),
        (42, "42!", ["strip_final_punctuation"]),
    ],
)
def test_numbers_in_prose_are_normalized(expected, said, steps):
    assert not compare("numeric_exact", expected, said)
    assert compare("numeric_exact", expected, said, normalize=steps).normalization == steps


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([5], "a step is a name or a SynonymMap, got 5"),
        ([str.lower], "a step is a name or a SynonymMap, got <method 'lower'"),
        (str.lower, "takes a list of steps"),
        ([{"function": "os:system", "code": ""}], "normalize"),
    ],
)
def test_object_that_is_not_a_step_is_rejected(steps, message):
    with pytest.raises(SettingsError, match=message):
        compare("exact", "a", "a", normalize=steps)
