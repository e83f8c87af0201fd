"""The operator on how similar two texts are."""

import functools
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import model_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import OmitWhenDefault, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.opcodes import common_ends
from pytest_verdict.operators.normalized_sides import normalize_sides, not_text

Metric = Literal["levenshtein", "damerau_levenshtein", "indel", "jaro", "jaro_winkler", "token_f1", "rouge_l"]

_CJK: Final = "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS: Final = {"unicode": re.compile(r"\w+"), "cjk": re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")}
_WORD_METRICS: Final = frozenset({"token_f1", "rouge_l"})

# The time of these metrics grows with the product of both lengths; measured, each of these products takes some seconds.
_LARGEST_PRODUCT: Final = {
    "levenshtein": 10**11,
    "damerau_levenshtein": 10**9,
    "indel": 10**11,
    "jaro": 10**12,
    "jaro_winkler": 10**12,
    "rouge_l": 2 * 10**10,
}

_Similarity = tuple[float, dict[str, Any]]


class TextSimilarity(Operator):
    """Observed is similar enough to expected; the score is 1.0 for equal texts and 0.0 for texts with nothing in common.

    Every metric is symmetric. Two empty texts have the score 1.0.

    - ``levenshtein``: 1 - distance / longer length; insertions, deletions, replacements (Levenshtein 1966).
    - ``damerau_levenshtein``: the same, with swaps of neighbours (Damerau 1964), of any substring (Lowrance, Wagner 1975).
    - ``indel``: 1 - distance / sum of lengths; insertions and deletions only.
    - ``jaro`` and ``jaro_winkler``: Jaro 1989; Winkler 1990, a common prefix of up to four characters counting 0.1 each
      where Jaro is above 0.7.
    - ``token_f1``: harmonic mean of precision and recall of words, each word as often as it occurs (SQuAD, Rajpurkar 2016).
    - ``rouge_l``: the same for the longest common subsequence of words (Lin 2004).

    A word is a run of Unicode letters, digits and underscores; for the last two metrics case is folded, which is recorded as
    the step ``casefold``, and with ``words="cjk"`` each character of Chinese and Japanese is a word of its own. Texts
    without words have the score 1.0 when they are equal, otherwise 0.0.

    The distances come from rapidfuzz. A pair whose lengths multiply to more than these take seconds for, such as two
    different texts of 500,000 characters by ``levenshtein``, is an ``error`` that names a faster metric.

    Unless the caller names a threshold it is 0.8, because 1.0 would be equality.

    Args:
        metric: How similarity is measured.
        normalize: Normalizers for both sides, in order of application; none unless given.
        words: What a word is, ``unicode`` unless given, or ``cjk``; for metrics of words.
        stop_words: Words that do not count; for metrics of words.

    Example:
        >>> compare("text_similarity", "kitten", "sitting").details
        {'metric': 'levenshtein', 'distance': 3, 'lengths': [6, 7]}
    """

    name: ClassVar[str] = "text_similarity"
    kind: ClassVar[str] = "text"

    metric: Metric = "levenshtein"
    normalize: Normalization = ()
    words: OmitWhenDefault[Literal["unicode", "cjk"]] = "unicode"
    stop_words: OmitWhenDefault[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _only_for_words(self) -> Self:
        if (self.words != "unicode" or self.stop_words) and self.metric not in _WORD_METRICS:
            raise ValueError(f"words and stop_words need metric='token_f1' or 'rouge_l', got metric={self.metric!r}")
        return self

    def default_threshold(self) -> float:
        """Give 0.8."""
        return 0.8

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if refusal := not_text(expected, observed):
            return refusal
        found = normalize_sides(expected, observed, self.normalize)
        if refusal := found.refuse_empty_expected(expected):
            return refusal
        folding: tuple[str, ...] = ()
        if self.metric in _WORD_METRICS:
            folding = ("casefold",)
        try:
            score, details = self._similarity(found.expected, found.observed)
        except _TooLongError as error:
            return found.outcome(0.0, normalization=folding, error=str(error))
        return found.outcome(score, details=lambda: {"metric": self.metric, **details}, normalization=folding)

    def _similarity(self, expected: str, observed: str) -> _Similarity:
        if self.metric in _WORD_METRICS:
            left = self._words(expected)
            right = self._words(observed)
            if not left or not right:
                return _similarity_of_words(1.0 if expected == observed else 0.0, 0, left, right)
            by_count = self.metric == "token_f1"
            if by_count:
                common = (Counter(left) & Counter(right)).total()
            else:
                common = _longest_common(left, right)
            return _similarity_of_words(2.0 * common / (len(left) + len(right)), common, left, right)
        # In one fixed order, so that the metric is symmetric to the last bit.
        lengths = [len(expected), len(observed)]
        in_order = (lengths[0], expected) <= (lengths[1], observed)
        first, second = (expected, observed) if in_order else (observed, expected)
        _refuse_too_long(self.metric, first, second)
        return _of_characters(self.metric, first, second, lengths)

    def _words(self, text: str) -> list[str]:
        stop_words = {word.casefold() for word in self.stop_words}
        return [word for word in _WORDS[self.words].findall(text.casefold()) if word not in stop_words]


@functools.cache
def measure_of(metric: str) -> Any:
    """Give what rapidfuzz has for a metric of characters; its names are ours in another spelling."""
    from rapidfuzz import distance

    return getattr(distance, metric.title().replace("_", ""))


def _of_characters(metric: str, first: str, second: str, lengths: list[int]) -> _Similarity:
    measure = measure_of(metric)
    if metric in {"jaro", "jaro_winkler"}:
        if first == second:
            score = 1.0
        else:
            score = min(1.0, max(0.0, measure.similarity(first, second)))
        return score, {"lengths": lengths}
    steps: int = measure.distance(first, second)
    if metric == "indel":
        largest = len(first) + len(second)
    else:
        largest = len(second)
    return (largest - steps) / largest if largest else 1.0, {"distance": steps, "lengths": lengths}


def _longest_common(left: Sequence[str], right: Sequence[str]) -> int:
    from rapidfuzz.distance import LCSseq

    numbers: dict[str, int] = {}
    first, second = ([numbers.setdefault(word, len(numbers)) for word in words] for words in (left, right))
    _refuse_too_long("rouge_l", first, second)
    return int(LCSseq.similarity(first, second))


def _similarity_of_words(score: float, common: int, expected: Sequence[str], observed: Sequence[str]) -> _Similarity:
    details = {
        "common_words": common,
        "expected_words": len(expected),
        "observed_words": len(observed),
        "precision": common / len(observed) if observed else score,
        "recall": common / len(expected) if expected else score,
    }
    return score, details


class _TooLongError(Exception):
    pass


def _refuse_too_long(metric: str, first: Sequence[Any], second: Sequence[Any]) -> None:
    largest = _LARGEST_PRODUCT[metric]
    if len(first) * len(second) <= largest or _rest(first, second) <= largest:
        return
    faster = "token_f1"
    if metric != "rouge_l":
        faster = "rouge_l or token_f1"
    unit = "words" if metric == "rouge_l" else "characters"
    raise _TooLongError(f"{len(first)} and {len(second)} {unit} are too long for {metric}; compare by {faster}")


def _rest(first: Sequence[Any], second: Sequence[Any]) -> int:
    # What both texts start and end with costs nothing.
    ends = sum(common_ends(first, second, range(len(first)), range(len(second))))
    return (len(first) - ends) * (len(second) - ends)
