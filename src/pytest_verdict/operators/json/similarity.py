"""The operator on how similar two JSON documents are on average."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import step
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.numbers import is_number
from pytest_verdict.operators.json.document import JsonOperator, are_equal, difference_encoding, read_both
from pytest_verdict.operators.number import similarity_of_numbers
from pytest_verdict.operators.similarity import measure_of


class JsonSimilarity(JsonOperator):
    """The parts of two JSON documents are similar on average.

    The score of two objects is the mean over all their keys, where a key that is missing is null; that of two lists is
    the sum over their positions, divided by the longer length. Texts score as by `TextSimilarity` with Levenshtein,
    numbers as by `NumericSimilarity`, null 1.0 with null and 0.0 with anything else; values of other types are compared
    as JSON texts. This is ``JSONDiff`` of autoevals, except that a bool is no number and texts inside are not parsed.
    The default threshold is 0.8.

    Args:
        normalize: Normalizers for evidence that is text, as for `JsonCanonical` (default: none).
        parse: Whether text is parsed, as for `JsonCanonical`.

    Example:
        >>> result = compare("json_similarity", {"name": "Ann", "age": 60}, {"name": "Ann", "age": 100})
        >>> result.score, result.details
        (0.875, {'parts': [['$.age', 0.75]]})
    """

    name: ClassVar[str] = "json_similarity"

    def default_threshold(self) -> float:
        return 0.8

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        documents = read_both(expected, observed, self.normalize, (self.parse, self.parse))
        if isinstance(documents, Outcome):
            return documents
        parts: list[list[Any]] = []
        score = _compare(documents.expected, documents.observed, "$", parts)
        return documents.sides.outcome(score, details={"parts": parts[:100]})


def _compare(expected: Any, observed: Any, path: str, parts: list[list[Any]]) -> float:
    """Return the score of a part, and list the scalars and other parts inside that are not equal."""
    if are_equal(expected, observed):
        return 1.0
    if isinstance(expected, dict) and isinstance(observed, dict):
        keys = sorted({*expected, *observed})
        scores = [_compare(expected.get(key), observed.get(key), step(path, key), parts) for key in keys]
        return _mean(scores, len(keys))
    if isinstance(expected, list) and isinstance(observed, list):
        pairs = zip(expected, observed, strict=False)
        scores = [_compare(*pair, step(path, index), parts) for index, pair in enumerate(pairs)]
        return _mean(scores, max(len(expected), len(observed)))

    if expected is None or observed is None:
        score = 0.0
    elif is_number(expected) and is_number(observed):
        score = similarity_of_numbers(expected, observed)
    else:
        texts = expected, observed
        if not (isinstance(expected, str) and isinstance(observed, str)):
            texts = encode_text(difference_encoding(expected)), encode_text(difference_encoding(observed))
        score = measure_of("levenshtein").normalized_similarity(*texts)
    parts.append([path, score])
    return score


def _mean(scores: Sequence[float], count: int) -> float:
    # The builtin sum has other last digits in other versions of Python.
    return round(math.fsum(scores) / count, 12)
