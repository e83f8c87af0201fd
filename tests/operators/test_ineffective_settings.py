"""A setting or argument that could change no verdict is refused; every setting of every operator is in the table."""

from __future__ import annotations

import datetime

import pytest

from pytest_verdict import Comparator, assert_matches, compare, expect
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.json.rules import JsonRule
from pytest_verdict.suites import check_dataset

inf = float("inf")
MAPPING = {"expected": "$.want", "observed": "$.got"}

# The settings with a condition, by operator. All others always have an effect: on a verdict, a score or the record.
CONDITIONAL = {
    "date_match": {"day_first"},
    "date_tolerance": {"tolerance"},
    "delta": {"mode"},
    "json_distance": {"mode"},
    "numeric_maximum": {"zero_at", "mode", "decay"},
    "numeric_minimum": {"zero_at", "mode", "decay"},
    "numeric_range": {"exclusive_min", "exclusive_max", "zero_at", "decay"},
    "numeric_tolerance": {"decay"},
    "pass_rate": {"against", "confident"},
    "semantic": {"model"},
    "set_containment": {"min_overlap"},
    "text_similarity": {"words", "stop_words"},
}
ALWAYS = {
    "all_of": "conditions",
    "any_of": "conditions",
    "at_least_n": "conditions n",
    "best_of": "inner references",
    "by_field": "rules rest normalize",
    "contains_all": "substrings normalize case_sensitive",
    "contains_any": "substrings normalize case_sensitive",
    "criteria": "id revision criteria fail_on",
    "date_match": "format",
    "date_range": "min max day_first",
    "date_tolerance": "unit day_first",
    "delta": "tolerance normalize",
    "derived": "inner source extraction",
    "ends_with": "substrings normalize case_sensitive",
    "exact": "normalize case_sensitive nan_equal",
    "json_canonical": "normalize parse ignore case_sensitive",
    "json_distance": "normalize parse list_order tolerance string_similarity ignore rules",
    "json_schema": "normalize parse schema_document schemas format",
    "json_subset": "normalize parse ignore case_sensitive list_mode",
    "json_similarity": "normalize parse",
    "list_similarity": "inner extras",
    "mapping_match": "mode key_order none_is_absent",
    "none_of": "conditions",
    "numeric_similarity": "normalize",
    "normalized_exact": "normalize case_sensitive nan_equal",
    "not_compared": "instead_of",
    "not_contains": "substrings normalize case_sensitive",
    "nothing_found": "instead_of",
    "numeric_exact": "normalize",
    "numeric_maximum": "normalize exclusive",
    "numeric_minimum": "normalize exclusive",
    "numeric_range": "min max normalize",
    "numeric_tolerance": "normalize tolerance mode zero_at",
    "one_of": "values normalize case_sensitive",
    "ordered_match": "normalize",
    "pass_rate": "errors confidence attempts selected planned",
    "regex": "pattern mode flags normalize",
    "row_count": "at_least",
    "scorer_verdict": "scorer",
    "semantic": "threshold embedder normalize keep_vectors",
    "set_containment": "mode normalize",
    "set_similarity": "metric normalize",
    "starts_with": "substrings normalize case_sensitive",
    "text_similarity": "metric normalize",
    "trace_contains": "substring",
    "trace_length": "min max unit",
    "trace_regex": "pattern count_min flags",
    "weighted": "conditions weights",
}


def test_table_has_every_setting_of_every_operator():
    for name in REGISTRY.names():
        cls = REGISTRY.find(name)
        if ".operators." not in cls.__module__ or not cls.__module__.startswith("pytest_verdict.operators"):
            continue
        conditional = CONDITIONAL.get(name, set())
        assert set(cls.needs) == conditional, name
        assert {*ALWAYS.get(name, "").split()} | conditional == set(cls.model_fields), name
        assert conditional.isdisjoint(ALWAYS.get(name, "").split()), name


REFUSED_SETTINGS = [
    ("date_match", {"day_first": True, "format": "%d/%m/%Y"}, "the format has the order"),
    ("date_tolerance", {"tolerance": 3_652_058}, "every date is within it"),
    ("date_tolerance", {"tolerance": 10**12, "unit": "minutes"}, "every date is within it"),
    ("delta", {"mode": "relative"}, "set a tolerance as well"),
    ("json_distance", {"mode": "relative"}, "set a tolerance as well"),
    ("json_distance", {"mode": "relative", "rules": {"$.a": {"list_order": "unordered"}}}, "set a tolerance as well"),
    ("json_distance", {"rules": {"$.a": {}}}, "at least one of"),
    ("json_distance", {"rules": {"$.a": {"ignore": True, "tolerance": 1}}}, "tolerance has no effect"),
    ("numeric_minimum", {"mode": "relative"}, "only with zero_at"),
    ("numeric_maximum", {"decay": "quadratic"}, "only with zero_at"),
    ("numeric_maximum", {"zero_at": 0}, "above 0"),
    ("numeric_range", {"zero_at": 0}, "above 0"),
    ("numeric_range", {"decay": "quadratic"}, "only with zero_at"),
    ("numeric_range", {"min": 1, "exclusive_max": True}, "set max as well"),
    ("numeric_range", {"max": 1, "exclusive_min": True}, "set min as well"),
    ("numeric_tolerance", {"tolerance": 1, "decay": "quadratic"}, "only with zero_at"),
    ("numeric_tolerance", {"tolerance": inf}, "finite"),
    *(("pass_rate", {"against": 0.8, "confidence": c}, "sequential test decides before") for c in (0.5, 0.4, 0.01)),
    ("pass_rate", {"against": 0.8, "confident": True}, "the sequential test decides, not an interval"),
    *(("pass_rate", {"against": share}, "against") for share in (0.0, 1.0, -0.1, 1.5, float("nan"), inf, True)),
    *(("pass_rate", {"confidence": share}, "confidence") for share in (0.0, 1.0, -1, float("nan"), inf, "95%", None)),
    *(("pass_rate", {"attempts": [k]}, "attempts") for k in (0, -1, 1.5)),
    ("semantic", {"model": "other", "embedder": "embedders:count"}, "the embedder takes its place"),
    ("set_containment", {"min_overlap": 2}, "mode='overlap'"),
    ("set_containment", {"min_overlap": 2, "mode": "subset"}, "mode='overlap'"),
    ("text_similarity", {"words": "cjk"}, "words count only"),
    ("text_similarity", {"stop_words": ["the"]}, "words count only"),
    ("text_similarity", {"stop_words": ["New York"], "metric": "token_f1"}, "one word"),
    ("text_similarity", {"stop_words": [""], "metric": "rouge_l"}, "one word"),
    ("weighted", {"conditions": [{"operator": "text_similarity", "threshold": 0.9}], "weights": [1]}, "counts its score"),
    ("all_of", {"conditions": [{"operator": "exact", "threshold": 0.9}]}, "threshold=0.9 has no effect"),
    ("all_of", {"conditions": []}, "at least one"),
    ("best_of", {"inner": "exact", "references": []}, "at least one"),
    ("one_of", {"values": []}, "at least one"),
    ("contains_any", {"substrings": []}, "at least one"),
    ("not_contains", {"substrings": [""]}, "none of them empty"),
    ("trace_length", {"min": 0}, "true of every trace"),
    ("trace_length", {}, "needs min, max"),
    ("trace_contains", {"substring": ""}, "empty"),
    ("regex", {"pattern": "(?s).*"}, "matches every text"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "reason"), REFUSED_SETTINGS)
def test_setting_without_effect_is_refused(name, settings, reason):
    with pytest.raises(SettingsError, match=reason) as refusal:
        REGISTRY.build(name, settings)
    assert str(refusal.value).startswith(f"{name}: ")


def test_criteria_with_no_severity_that_counts_are_refused():
    criterion = {"id": "a", "version": 1, "severity": "minor", "operator": "exact"}
    with pytest.raises(SettingsError, match="fail_on"):
        REGISTRY.build("criteria", {"id": "a", "revision": 1, "criteria": [criterion], "fail_on": ()})
    # A policy for many files may name severities that one of them lacks.
    REGISTRY.build("criteria", {"id": "a", "revision": 1, "criteria": [criterion], "fail_on": ("blocker",)})


ACCEPTED_SETTINGS = [
    ("date_match", {"day_first": True}),
    ("date_match", {"day_first": False, "format": "%d/%m/%Y"}),
    ("date_range", {"min": "2024-01-01", "day_first": True}),
    ("date_tolerance", {"tolerance": 36_500}),
    ("date_tolerance", {"tolerance": 0}),
    ("delta", {"mode": "relative", "tolerance": 0.1}),
    ("delta", {"mode": "relative", "tolerance": 0}),
    ("delta", {"mode": "absolute"}),
    ("json_distance", {"mode": "relative", "tolerance": 0.1}),
    ("json_distance", {"mode": "relative", "rules": {"$.a": {"tolerance": 0.1}}}),
    ("json_distance", {"rules": {"$.a": {"ignore": True}}}),
    ("json_distance", {"rules": {"$.a": JsonRule(ignore=False)}}),
    ("numeric_minimum", {"mode": "absolute"}),
    ("numeric_minimum", {"mode": "relative", "zero_at": 0.1, "decay": "quadratic"}),
    ("numeric_range", {"exclusive_min": True}),
    ("numeric_range", {"exclusive_min": True, "exclusive_max": True}),
    ("numeric_range", {"min": 1, "exclusive_min": True}),
    ("numeric_tolerance", {"tolerance": 0, "mode": "absolute"}),
    ("numeric_tolerance", {"tolerance": 1000}),
    *(("pass_rate", {"against": share, "confidence": 0.51}) for share in (0.001, 0.5, 0.999)),
    *(("pass_rate", {"confident": True, "confidence": share}) for share in (0.01, 0.5, 0.999)),
    ("semantic", {"model": "all-MiniLM-L6-v2", "embedder": "embedders:count"}),
    ("semantic", {"model": "other"}),
    ("set_containment", {"mode": "overlap"}),
    ("text_similarity", {"metric": "token_f1", "words": "cjk", "stop_words": ["的", "the"]}),
    ("weighted", {"conditions": ["exact"], "weights": [1]}),
    ("all_of", {"conditions": [{"operator": "exact", "threshold": 1.0}]}),
    ("all_of", {"conditions": [{"operator": "text_similarity", "threshold": 0.3}]}),
    ("trace_length", {"min": 0, "max": 5}),
    ("exact", {"normalize": ["lowercase", "casefold"], "case_sensitive": False}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings"), ACCEPTED_SETTINGS)
def test_neighbour_is_accepted_and_so_is_its_record(name, settings):
    operator = REGISTRY.build(name, settings)
    assert type(operator)(**operator.settings()) == operator


# Regular expressions that some text does not match, though they look wide, and those that all match.
NARROW = [
    ("fullmatch", ".+"),
    ("fullmatch", ".*"),
    ("fullmatch", "(?:.*)?"),
    ("search", "^.*$"),
    ("fullmatch", ".{0,100}"),
    ("fullmatch", r"[^\n]*"),
    ("fullmatch", r"\w*"),
    ("fullmatch", r"[^<>]*"),
    ("fullmatch", r"(?!.*sorry).*"),
    ("fullmatch", "(a|b)*"),
    ("fullmatch", ".*x"),
    ("fullmatch", "a*|b+"),
    ("search", "^$"),
    ("search", r"^\s*$"),
    ("search", r"\A\Z"),
    ("search", "a+"),
    ("search", r"\b"),
    ("search", "(?=a)"),
    ("search", "^[a-z]*$"),
    ("match", "[a-z]*$"),
    ("match", "a"),
]
WIDE = [
    ("fullmatch", r"(?s).*"),
    ("fullmatch", r"[\s\S]*"),
    ("search", "a*"),
    ("search", "(?:yes)?"),
    ("search", "yes|"),
    ("search", "^"),
    ("search", "$"),
    ("search", r"\Z"),
    ("search", ".{0,3}"),
    ("search", "(|a)"),
    ("match", "a?"),
    ("match", "^x*"),
]


@pytest.mark.parametrize(("mode", "pattern"), WIDE)
def test_pattern_of_every_text_is_refused(mode, pattern):
    with pytest.raises(SettingsError, match="matches every text"):
        REGISTRY.build("regex", {"pattern": pattern, "mode": mode})
    result = compare("regex", pattern, "anything", mode=mode)
    assert (result.verdict, result.notes) == ("error", ["empty_expected"])
    if mode == "search":
        assert compare("trace_regex", pattern, "anything").verdict == "error"


@pytest.mark.parametrize(("mode", "pattern"), NARROW)
def test_wide_pattern_is_accepted(mode, pattern):
    REGISTRY.build("regex", {"pattern": pattern, "mode": mode})
    assert compare("regex", pattern, "x" * 101 + "\n<", mode=mode).error is None


# Expected values that every observed value meets, with the note; and neighbours that decide.
DECIDES_NOTHING = [
    ("numeric_minimum", -inf, 1, {}, "not_a_number"),
    ("numeric_minimum", "-inf", 1, {}, "not_a_number"),
    ("numeric_maximum", inf, 1, {"exclusive": True}, "not_a_number"),
    ("numeric_range", [-inf, inf], 1, {}, "not_a_range"),
    ("numeric_range", {"min": -inf}, 1, {}, "not_a_range"),
    ("numeric_range", [None, inf], 1, {}, "not_a_range"),
    ("numeric_range", [None, None], 1, {}, "not_a_range"),
    ("date_range", ["0001-01-01", "9999-12-31"], "2024-01-01", {}, "not_a_range"),
    ("date_range", {"min": datetime.date.min}, "2024-01-01", {}, "not_a_range"),
    ("date_range", [None, datetime.date.max], "2024-01-01", {}, "not_a_range"),
    ("date_range", None, "2024-01-01", {"min": "0001-01-01"}, "not_a_range"),
    ("set_containment", [], ["a"], {"mode": "superset"}, "empty_expected"),
    ("set_containment", set(), [], {"mode": "superset"}, "empty_expected"),
    ("set_containment", [], ["a"], {"mode": "overlap"}, "empty_expected"),
    ("set_containment", ["a", "b"], ["a", "b"], {"mode": "overlap", "min_overlap": 3}, "empty_expected"),
    ("set_containment", ["a", "a", "b"], ["a", "b"], {"mode": "overlap", "min_overlap": 3}, "empty_expected"),
    ("json_subset", {}, {"a": 1}, {}, "empty_expected"),
    ("json_subset", "[]", [1], {}, "empty_expected"),
    ("json_subset", {"id": 1}, {"a": 1}, {"ignore": ["$.id"]}, "empty_expected"),
    ("contains_any", [], "a", {}, "empty_expected"),
    ("contains_all", "", "a", {}, "empty_expected"),
    ("one_of", [], "a", {}, "empty_expected"),
    ("best_of", [], "a", {"inner": "exact"}, "empty_expected"),
    ("is_type", ["null", "boolean", "string", "number", "array", "object"], 1, {}, "not_a_type"),
    ("json_canonical", {"a": "X "}, {"a": "x"}, {"normalize": ["lowercase", "casefold"]}, "normalize_unused"),
    ("json_subset", {"a": "X"}, {"a": "x"}, {"normalize": ["casefold"]}, "normalize_unused"),
    ("json_distance", ["X"], ["x"], {"normalize": ["lowercase"]}, "normalize_unused"),
    ("json_schema", {"type": "object"}, {"a": " "}, {"normalize": ["lowercase"]}, "normalize_unused"),
    ("by_field", {"a": "X"}, {"a": "x"}, {"rules": {"$.a": "exact"}, "normalize": ["lowercase"]}, "normalize_unused"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expected", "observed", "settings", "note"), DECIDES_NOTHING)
def test_expected_value_that_everything_meets_is_an_error(name, expected, observed, settings, note):
    result = compare(name, expected, observed, **settings)
    assert (result.verdict, result.notes) == ("error", [note])


DECIDES = [
    ("numeric_minimum", inf, inf, {}, "pass"),
    ("numeric_maximum", -inf, 5, {}, "fail"),
    ("numeric_range", [-inf, 5], 1, {}, "pass"),
    ("numeric_range", {"max": 5}, 7, {}, "fail"),
    ("date_range", ["0001-01-01", "2024-01-01"], "2024-01-01", {}, "pass"),
    ("date_range", {"min": "2024-01-01", "max": datetime.date.max}, "2023-01-01", {}, "fail"),
    ("set_containment", [], [], {}, "pass"),
    ("set_containment", [], ["a"], {}, "fail"),
    ("set_containment", [], [], {"mode": "subset"}, "pass"),
    ("set_containment", ["a"], [], {"mode": "superset"}, "fail"),
    ("set_containment", ["a", "b", "c"], ["a", "b"], {"mode": "overlap", "min_overlap": 3}, "fail"),
    ("json_subset", {"a": {}}, {"a": {"b": 1}}, {}, "pass"),
    ("json_subset", 0, 0, {}, "pass"),
    ("json_canonical", {}, {}, {}, "pass"),
    ("is_type", ["null", "string", "number", "array", "object"], True, {}, "fail"),
    ("json_canonical", {"a": "X"}, '{"a": "x"}', {"normalize": ["lowercase"]}, "fail"),
    ("json_canonical", '{"a": 1}', {"a": 1}, {"normalize": ["strip"]}, "pass"),
    ("json_canonical", {"a": 1}, {"a": 1}, {"normalize": ["strip_markdown_fence"]}, "pass"),
    ("json_canonical", {"a": 1}, {"a": 1}, {"normalize": ["strip", "strip_markdown_fence"]}, "pass"),
    ("json_schema", True, "[1]", {}, "pass"),
    ("exact", 1, 1, {"normalize": ["lowercase"]}, "pass"),
    ("numeric_exact", 1, 1, {"normalize": ["strip_unit"]}, "pass"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expected", "observed", "settings", "verdict"), DECIDES)
def test_expected_value_that_decides_is_used(name, expected, observed, settings, verdict):
    assert compare(name, expected, observed, **settings).verdict == verdict


CONDITIONS = ["exact", "literal", "text_similarity"]
PASS_OR_FAIL = [
    ("exact", 1, 0.5, {}),
    ("normalized_exact", "a", 0.999, {}),
    ("numeric_tolerance", 1, 0.9, {"tolerance": 0.1}),
    ("numeric_range", [1, 2], 0.9, {}),
    ("delta", 1, 0.9, {}),
    ("json_canonical", 1, 0.9, {}),
    ("json_subset", 1, 0.9, {}),
    ("json_schema", True, 0.9, {}),
    ("date_match", "2024-01-01", 0.1, {}),
    ("trace_length", True, 0.1, {"max": 3}),
    ("best_of", ["a"], 0.9, {"inner": "exact"}),
    ("derived", "a", 0.9, {"inner": "exact", "source": "spec"}),
]


@pytest.mark.parametrize(("name", "expected", "threshold", "settings"), PASS_OR_FAIL)
def test_threshold_between_the_scores_is_refused_in_a_configuration(name, expected, threshold, settings):
    assert compare(name, expected, "1", threshold, **settings).threshold == threshold
    operator = REGISTRY.build(name, settings)
    for refuse in (
        lambda: operator.check_configured_threshold(threshold),
        lambda: check_dataset([{"want": expected, "got": 1}], operator, MAPPING, threshold=threshold),
        lambda: compare(
            "all_of", expected, 1, conditions=[{"operator": name, "settings": settings, "threshold": threshold}]
        ),
    ):
        with pytest.raises(SettingsError, match=r"score is 0\.0 or 1\.0"):
            refuse()


REFUSED_CALLS = [
    ("any_of", 1, 1.0, {"conditions": CONDITIONS}, "1 of 3"),
    ("at_least_n", 1, 0.2, {"conditions": CONDITIONS, "n": 3}, "3 of 3"),
    ("at_least_n", 1, 0.9, {"conditions": CONDITIONS, "n": 2}, "2 of 3"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expected", "threshold", "settings", "reason"), REFUSED_CALLS)
def test_argument_without_effect_is_refused(name, expected, threshold, settings, reason):
    for call in (compare, assert_matches, Comparator(), Comparator().assert_matches):
        with pytest.raises(SettingsError, match=reason):
            call(name, expected, 1, threshold, **settings)
    with pytest.raises(SettingsError, match=reason):
        expect(name, expected, threshold, **settings)


ACCEPTED_CALLS = [
    ("exact", 1, 1.0, {}),
    ("text_similarity", "a", 0.1, {}),
    ("set_similarity", [1], 0.1, {}),
    ("json_distance", 1, 0.5, {}),
    ("numeric_tolerance", 1, 0.9, {"tolerance": 0.1, "zero_at": 1}),
    ("numeric_range", [1, 2], 0.9, {"zero_at": 1}),
    ("numeric_minimum", 1, 0.9, {"zero_at": 1}),
    ("best_of", ["a"], 0.9, {"inner": "text_similarity"}),
    ("all_of", 1, 0.5, {"conditions": CONDITIONS}),
    ("none_of", 1, 0.5, {"conditions": CONDITIONS}),
    ("any_of", 1, 1 / 3, {"conditions": CONDITIONS}),
    ("any_of", 1, 0.1, {"conditions": CONDITIONS}),
    ("at_least_n", 1, 2 / 3, {"conditions": CONDITIONS, "n": 2}),
    ("at_least_n", 1, 0.5, {"conditions": CONDITIONS, "n": 2}),
    ("by_field", {"a": 1, "b": 2}, 0.5, {"rules": {"$.a": "exact"}}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expected", "threshold", "settings"), ACCEPTED_CALLS)
def test_argument_with_an_effect_is_used(name, expected, threshold, settings):
    result = compare(name, expected, {"a": 1} if name == "by_field" else "1", threshold, **settings)
    assert result.threshold == threshold
    expect(name, expected, threshold, **settings)


def test_default_threshold_is_for_the_operators_that_have_grades():
    comparator = Comparator().with_defaults(threshold=0.5)
    assert comparator("exact", 1, 1).passed
    assert comparator("text_similarity", "abcd", "abce").threshold == 0.5
    with pytest.raises(SettingsError, match="no effect"):
        Comparator().with_defaults("exact", threshold=0.5)
