"""Advice on failure: another comparison of the same values that would pass, and that loses none of their meaning.

Case, blanks, Unicode form and the notation of a number, a date or a JSON document are matters of form. Words, signs, distances
and order are not: no tolerance, threshold or looser operator is ever fitted to the values that failed. Each advice is tried on
the values first, and a person decides whether the form may differ.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.numbers import as_decimal

_MOST_SENTENCES: Final = 3
# As typed JSON; each of up to 15 candidates is compared.
_LONGEST: Final = 40_000

# From the tightest to the loosest; combinations follow the steps that they consist of.
_STEPS: Final = (
    ("strip",), ("collapse_whitespace",), ("nfc",), ("lowercase",), ("casefold",),
    ("strip_markdown_fence",), ("ascii_punctuation",),
    ("strip", "lowercase"), ("lowercase", "strip", "collapse_whitespace"),
    ("nfc", "casefold", "strip", "collapse_whitespace"),
)  # fmt: skip
_LEADING_ZERO: Final = re.compile(r"\s*[+-]?0[0-9]")
_EQUALITY_OPERATORS: Final = frozenset({"exact", "normalized_exact", "literal"})

_SWAPPED: Final = "expected and observed seem to be swapped; expected comes first"
_TYPE_NAMES: Final = frozenset({"null", "boolean", "string", "integer", "number", "array", "object"})
_NEEDS_LIST: Final = frozenset({"not_a_list", "trajectory_unreadable"})
_LONGEST_NAME: Final = 80
_PATTERN_OPERATORS: Final = frozenset({"regex", "trace_regex"})
# Signs that only a pattern has: classes, groups, anchors, and repeats of these.
_SYNTAX: Final = re.compile(r"\\[dDwWsSbB]|\[[^\]]+\][*+?{]|\(\?|\)[*+?{]|\.[*+]|^\^|\$$")


class Advice(NamedTuple):
    """A comparison that passes where another one failed."""

    operator: str
    settings: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        """The advice for a person, such as ``would pass under numeric_exact``."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"would pass under {self.operator}{' with ' if settings else ''}{settings}"


_SEARCH: Final = Advice("regex", {"mode": "search"})


def advise(result: ComparisonResult) -> list[str]:
    """Return sentences about a mistake in the call, or about other comparisons of the same values that would have passed."""
    hint = _find_mistake(result)
    if hint:
        return [hint]
    return [advice.sentence for advice in find_advice(result)]


def _find_mistake(result: ComparisonResult) -> str | None:
    """Return what is wrong with a call whose sides are surely not meant as they are."""
    expected = result.expected
    observed = result.observed
    if any(_is_swapped(note, expected, observed) for note in result.notes):
        return _SWAPPED
    if not isinstance(expected, str):
        return None
    if result.error is not None and _NEEDS_LIST.intersection(result.notes) and len(expected) <= _LONGEST_NAME:
        return f"a list is needed, also for one name: {[expected]!r}"
    if result.operator not in _PATTERN_OPERATORS or not isinstance(observed, str) or result.verdict != "fail":
        return None
    if _SYNTAX.search(observed) and not _SYNTAX.search(expected) and _passes(_SEARCH, observed, expected):
        return f"{_SWAPPED}: observed is a pattern that matches expected"
    return None


def _is_swapped(note: str, expected: Any, observed: Any) -> bool:
    """Return whether observed has the form that a note misses, and expected has not."""
    is_list = isinstance(observed, list | tuple) and len(observed) > 0
    if note == "not_a_type":
        return isinstance(observed, str) and observed in _TYPE_NAMES
    if note == "not_a_range" and isinstance(observed, Mapping):
        return as_decimal(expected) is not None and 0 < len(observed) == len({"min", "max"}.intersection(observed))
    if note == "not_a_range":
        return is_list and as_decimal(expected) is not None and all(as_decimal(item) is not None for item in observed)
    if note == "not_a_list":
        return is_list and isinstance(expected, str)
    # A sentence, and the words to look for in it.
    is_sentence = note == "not_text" and isinstance(expected, str) and " " in expected.strip()
    return is_sentence and is_list and all(isinstance(one, str) and len(one) < len(expected) for one in observed)


def find_advice(result: ComparisonResult) -> list[Advice]:
    """Find other comparisons of the same values that would have passed."""
    if result.verdict != "fail" or result.operator not in _EQUALITY_OPERATORS:
        return []
    advices: dict[str, Advice] = {}
    try:
        if len(encode_text(result.recorded_expected)) + len(encode_text(result.recorded_observed)) > _LONGEST:
            return []
        for advice in _find_candidates(result):
            # After one set of steps has passed, larger ones add nothing.
            if advice.operator not in advices and _passes(advice, result.expected, result.observed, result.notes):
                advices[advice.operator] = advice
    except Exception:  # noqa: BLE001 - advice must never replace the failure that it is about
        return []
    return list(advices.values())[:_MOST_SENTENCES]


def _passes(advice: Advice, expected: Any, observed: Any, notes: Collection[str] = ()) -> bool:
    try:
        trial = run(REGISTRY.build(advice.operator, advice.settings), expected, observed)
    except Exception:  # noqa: BLE001 - a candidate that cannot be tried is no advice
        return False
    # Steps that leave nothing of a value or of one of its items make all values alike.
    surfaces = (trial.outcome.expected_surface, trial.outcome.observed_surface)
    is_empty = any(surface == "" or (isinstance(surface, list | tuple) and "" in surface) for surface in surfaces)
    return trial.passed and set(trial.notes) <= set(notes) and not is_empty


def _find_candidates(result: ComparisonResult) -> Iterator[Advice]:
    """Yield comparisons with more normalization, and those of operators for one value in another notation."""
    present = [] if result.operator == "literal" else result.settings["normalize"]
    for steps in _STEPS:
        missing = [step for step in steps if step not in present]
        if missing:
            yield Advice("normalized_exact", {"normalize": [*present, *missing]})

    sides = (result.expected, result.observed)
    texts = [side for side in sides if isinstance(side, str)]
    # "05" and "5" may be codes; an operator for numbers must be chosen by a person.
    has_codes = len(texts) == 2 and as_decimal(texts[0]) is not None and any(map(_LEADING_ZERO.match, texts))
    if has_codes or (not texts and type(sides[0]) is not type(sides[1])):
        return
    yield Advice("numeric_exact", {})
    yield Advice("date_match", {})
    if any(isinstance(side, Mapping | list) or str(side).lstrip()[:1] in {"{", "["} for side in sides):
        yield Advice("json_canonical", {})
