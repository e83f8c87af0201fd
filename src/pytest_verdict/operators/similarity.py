"""The operator on how similar two texts are."""

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Needs, OmitWhenDefault, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.opcodes import common_ends
from pytest_verdict.operators.normalized_sides import NormalizedSides, normalize_sides, not_text

Metric = Literal["levenshtein", "damerau_levenshtein", "indel", "jaro", "jaro_winkler", "token_f1", "rouge_l"]

_CJK: Final = "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS: Final = {"unicode": re.compile(r"\w+"), "cjk": re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")}
_WORD_METRICS: Final = frozenset({"token_f1", "rouge_l"})
_SIMILARITIES: Final = frozenset({"jaro", "jaro_winkler"})
_WORDS_COUNT: Final = Needs(
    lambda operator: operator.metric in _WORD_METRICS, "words count only with metric='token_f1' or 'rouge_l'"
)

# The time of these metrics grows with the product of both lengths; each of these products takes a few seconds.
_LARGEST_PRODUCT: Final = {
    "levenshtein": 10**11,
    "damerau_levenshtein": 10**9,
    "indel": 10**11,
    "jaro": 10**12,
    "jaro_winkler": 10**12,
    "rouge_l": 2 * 10**10,
}


class TextSimilarity(Operator):
    """Observed is similar enough to expected: equal texts score 1.0, texts with nothing in common 0.0.

    Every metric is symmetric. Two empty texts score 1.0.

    - ``levenshtein``: 1 - distance / longer length; insertions, deletions, replacements (Levenshtein 1966).
    - ``damerau_levenshtein``: the same, with swaps of neighbours (Damerau 1964), of any substring (Lowrance, Wagner 1975).
    - ``indel``: 1 - distance / sum of lengths; insertions and deletions only.
    - ``jaro`` and ``jaro_winkler``: Jaro 1989; Winkler 1990, where each of the first four common characters adds 0.1 if
      Jaro is above 0.7.
    - ``token_f1``: harmonic mean of precision and recall of words, each word as often as it occurs (SQuAD, Rajpurkar 2016).
    - ``rouge_l``: the same for the longest common subsequence of words (Lin 2004).

    A word is a run of Unicode letters, digits and underscores. The metrics of words fold case, recorded as the step
    ``casefold``; with ``words="cjk"`` each Chinese or Japanese character is a word. Texts without words score 1.0 when
    they are equal, otherwise 0.0.

    The distances come from rapidfuzz. Texts that would take more than a few seconds, such as two different texts of
    500,000 characters by ``levenshtein``, are an ``error`` that names a faster metric.

    The default threshold is 0.8.

    Args:
        metric: The measure of similarity (default: ``levenshtein``).
        normalize: Normalizers for both sides, in order of application (default: none).
        words: What a word is, ``unicode`` or ``cjk``; for metrics of words (default: ``unicode``).
        stop_words: Words that do not count; for metrics of words (default: none).

    Example:
        >>> compare("text_similarity", "kitten", "sitting").details
        {'metric': 'levenshtein', 'distance': 3, 'lengths': [6, 7]}
    """

    name: ClassVar[str] = "text_similarity"
    kind: ClassVar[str] = "text"
    needs: ClassVar[Mapping[str, Needs]] = {
        "words": _WORDS_COUNT,
        "stop_words": Needs(
            lambda operator: (
                _WORDS_COUNT.is_met(operator) and not any(len(word.split()) != 1 for word in operator.stop_words)
            ),
            f"{_WORDS_COUNT.remedy}, and each stop word is one word",
        ),
    }

    metric: Metric = "levenshtein"
    normalize: Normalization = ()
    words: OmitWhenDefault[Literal["unicode", "cjk"]] = "unicode"
    stop_words: OmitWhenDefault[tuple[str, ...]] = ()

    def default_threshold(self) -> float:
        return 0.8

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if refusal := not_text(expected, observed):
            return refusal
        sides = normalize_sides(expected, observed, self.normalize)
        if refusal := sides.refuse_empty_expected(expected):
            return refusal
        metric = self.metric
        if metric in _WORD_METRICS:
            return self._compare_words(sides)
        first = sides.expected
        second = sides.observed
        lengths = [len(first), len(second)]
        shorter, longer = lengths
        # A fixed order makes every metric symmetric to the last bit.
        if shorter > longer or (shorter == longer and first > second):
            first, second = second, first
            shorter, longer = longer, shorter
        if shorter * longer > _LARGEST_PRODUCT[metric] and (error := _length_error(metric, first, second)):
            return sides.outcome(0.0, error=error)

        measure = measure_of(metric)
        if metric in _SIMILARITIES:
            score = 1.0 if first == second else min(1.0, max(0.0, measure.similarity(first, second)))
            return sides.outcome(score, details={"metric": metric, "lengths": lengths})
        distance: int = measure.distance(first, second)
        largest = shorter + longer if metric == "indel" else longer
        score = (largest - distance) / largest if largest else 1.0
        return sides.outcome(score, (), lambda: {"metric": metric, "distance": distance, "lengths": lengths})

    def _compare_words(self, sides: NormalizedSides) -> Outcome:
        expected = self._words(sides.expected)
        observed = self._words(sides.observed)
        folding = ("casefold",)
        if self.metric == "token_f1":
            common = (Counter(expected) & Counter(observed)).total()
        else:
            from rapidfuzz.distance import LCSseq

            if error := _length_error(self.metric, expected, observed):
                return sides.outcome(0.0, normalization=folding, error=error)
            # Numbers, because rapidfuzz compares words by their hash.
            numbers = {word: number for number, word in enumerate({*expected, *observed})}
            common = LCSseq.similarity([numbers[word] for word in expected], [numbers[word] for word in observed])

        if expected and observed:
            score = 2.0 * common / (len(expected) + len(observed))
        else:
            score = float(sides.expected == sides.observed)
        details = {
            "metric": self.metric,
            "common_words": common,
            "expected_words": len(expected),
            "observed_words": len(observed),
            "precision": common / len(observed) if observed else score,
            "recall": common / len(expected) if expected else score,
        }
        return sides.outcome(score, details=details, normalization=folding)

    def _words(self, text: str) -> list[str]:
        stop_words = {word.casefold() for word in self.stop_words}
        return [word for word in _WORDS[self.words].findall(text.casefold()) if word not in stop_words]


@functools.cache
def measure_of(metric: str) -> Any:
    """Return the module of rapidfuzz for a metric of characters; its names are ours in another spelling."""
    from rapidfuzz import distance

    return getattr(distance, metric.title().replace("_", ""))


def _length_error(metric: str, first: Sequence[Any], second: Sequence[Any]) -> str | None:
    largest = _LARGEST_PRODUCT[metric]
    if len(first) * len(second) <= largest:
        return None
    # The common start and end cost nothing.
    ends = sum(common_ends(first, second))
    if (len(first) - ends) * (len(second) - ends) <= largest:
        return None
    if metric == "rouge_l":
        return f"{len(first)} and {len(second)} words are too long for {metric}; compare by token_f1"
    return f"{len(first)} and {len(second)} characters are too long for {metric}; compare by rouge_l or token_f1"
