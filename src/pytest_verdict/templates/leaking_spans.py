"""Parts of a text that pass the operator of a field, however they are written."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from pytest_verdict.templates.field import Verification, texts_in

_OPERATORS: Final = {
    "exact",
    "normalized_exact",
    "literal",
    "one_of",
    "contains_any",
    "contains_all",
    "set_containment",
    "ordered_match",
    "text_similarity",
    "numeric_exact",
    "numeric_tolerance",
    "date_match",
    "date_tolerance",
}
"""Operators that a text passes because it is the answer; half of all numbers pass a minimum, and every word some patterns."""

_COMMON_WORDS: Final = (
    "a all an and any are as at be been both but by can did do does each every for from had has have he her his how i if in"
    " into is it its may more most no none nor not of off on one or other our out own she so some such than that the their"
    " them then there these they this those to up was we were what when where which who why will with yes you your"
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_WORD: Final = re.compile(r"\S+")
_AROUND: Final = "'\"`\u2018\u2019\u201c\u201d()[]{}<>.,;:!?"
_MOST_WORDS: Final = 8
_LONGEST: Final = 5_000


def is_common(answer: str) -> bool:
    """Say whether an answer is one letter or a word that stands in descriptions anyhow."""
    return answer.casefold() in _COMMON or (len(answer) == 1 and answer.isalpha())


def spans_that_pass(verification: Verification, text: str) -> Iterator[str]:
    """Find the parts of a text, of one word or several, that the operator accepts for the ground truth; shortest first."""
    operator, truth = verification.operator, verification.ground_truth
    if operator.name not in _OPERATORS or isinstance(truth, bool) or truth is None:
        return
    is_list = operator.kind == "list"
    wholes = [[text] for text in texts_in(truth)] if is_list else [truth]
    wanted = texts_in(operator.effective_expected(truth))
    longest = max((len(text.split()) for text in wanted), default=1)
    # A word that merely contains one letter of the answer tells nothing.
    most_characters = max(map(len, wanted), default=0) + 2 if operator.name.startswith("contains_") else _LONGEST
    most = _MOST_WORDS if operator.kind == "date" else min(longest + 2, _MOST_WORDS)
    for span in _spans(text[:_LONGEST], most):
        if len(span) > most_characters or is_common(span):
            continue
        if any(_passes(verification, whole, [span] if is_list else span) for whole in wholes):
            yield span


def _passes(verification: Verification, truth: object, observed: object) -> bool:
    return verification.compare("", truth, observed, None).has_passed()


def _spans(text: str, most: int) -> Iterator[str]:
    words = [(word.start(), word.end()) for word in _WORD.finditer(text)]
    for count, start in itertools.product(range(1, most + 1), range(len(words))):
        if start + count <= len(words):
            whole = text[words[start][0] : words[start + count - 1][1]]
            yield from dict.fromkeys(span for span in (whole.strip(_AROUND), whole) if span)
