import time

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.similarity import TextSimilarity

METRICS = ["levenshtein", "damerau_levenshtein", "indel", "jaro", "jaro_winkler", "token_f1", "rouge_l"]


@pytest.mark.parametrize("metric", METRICS)
@given(left=st.text(max_size=12), right=st.text(max_size=12))
def test_metrics_are_symmetric_reflexive_and_bounded(metric, left, right):
    operator = TextSimilarity(metric=metric)
    score = operator.evaluate(left, right).score
    assert score == operator.evaluate(right, left).score
    assert 0.0 <= score <= 1.0
    assert operator.evaluate(left, left).score == 1.0
    assert operator.evaluate("", "").score == 1.0


def test_details_have_distance_and_counts():
    assert compare("text_similarity", "ab", "abc").threshold == 0.8
    assert compare("text_similarity", "ab", "abc").details == {
        "metric": "levenshtein",
        "distance": 1,
        "lengths": [2, 3],
    }
    result = compare("text_similarity", "the cat sat", "The cat", metric="rouge_l")
    assert result.details == {
        "metric": "rouge_l",
        "common_words": 2,
        "expected_words": 3,
        "observed_words": 2,
        "precision": 1.0,
        "recall": 2 / 3,
    }
    assert result.normalization == ["casefold"]


def test_unknown_metric_is_rejected():
    with pytest.raises(SettingsError, match="metric"):
        TextSimilarity(metric="cosine")


@pytest.mark.ci
@pytest.mark.parametrize("metric", METRICS)
def test_megabytes_take_bounded_time(metric):
    words = [str(number) for number in range(300_000)]
    long, reversed_words = " ".join(words), " ".join(reversed(words))
    started = time.monotonic()
    result = compare("text_similarity", long, reversed_words, metric=metric)
    assert time.monotonic() - started < 20
    if result.verdict == "error":
        assert f"too long for {metric}; compare by" in result.error
    else:
        assert (metric, result.score) == ("token_f1", 1.0)


@pytest.mark.ci
@pytest.mark.parametrize("metric", ["levenshtein", "rouge_l"])
def test_similar_megabytes_are_compared(metric):
    text = "word " * 300_000
    assert 0.99 < compare("text_similarity", text + "x" + text, text + "yy" + text, metric=metric).score < 1.0


@pytest.mark.parametrize("metric", ["token_f1", "rouge_l"])
def test_cjk_words_and_stop_words(metric):
    sides = "\u6771\u4eac\u306fTokyo city", "\u6771\u4eac Tokyo"
    assert compare("text_similarity", *sides, metric=metric).details["common_words"] == 0
    assert compare("text_similarity", *sides, metric=metric, words="cjk").details["common_words"] == 3
    found = compare(
        "text_similarity", "The city of Paris", "A city, Paris", metric=metric, stop_words=["THE", "a", "of"]
    )
    assert (found.score, found.details["expected_words"]) == (1.0, 2)
    assert compare("text_similarity", "the", "of", metric=metric, stop_words=["the", "of"]).score == 0.0


def test_word_settings_are_recorded_and_need_a_word_metric():
    assert compare("text_similarity", "a", "a", metric="token_f1", words="unicode").settings == {
        "metric": "token_f1",
        "normalize": [],
    }
    assert compare("text_similarity", "a", "a", metric="token_f1", stop_words=["x"]).settings["stop_words"] == ["x"]
    for settings in ({"words": "cjk"}, {"stop_words": ["x"], "metric": "jaro"}):
        with pytest.raises(SettingsError, match="words count only with metric='token_f1' or 'rouge_l'"):
            TextSimilarity(**settings)
