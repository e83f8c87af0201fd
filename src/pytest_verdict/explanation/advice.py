"""Advice on failure: which comparison would have passed that loses nothing of the values.

Case, blanks, Unicode form and the notation of a number, a date or a JSON document are matters of form. Words, signs, distances
and an order are not: no tolerance, threshold or looser operator is ever fitted to the values that failed. Each advice is
tried on them before it is given, and whether the form may differ is for a person to say.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.explanation.drawing import default_settings

_MOST_SENTENCES: Final = 3
_MOST_COMPARISONS: Final = 30
_LONGEST_TEXT: Final = 20_000
_MOST_ITEMS: Final = 500

# The tightest first; a combination holds what it is made of.
_STEPS: Final = (
    ("strip",), ("collapse_whitespace",), ("nfc",), ("lowercase",), ("casefold",),
    ("strip_thousands_separators",), ("strip_markdown_fence",), ("ascii_punctuation",),
    ("strip", "lowercase"), ("lowercase", "strip", "collapse_whitespace"),
    ("nfc", "casefold", "strip", "collapse_whitespace"),
)  # fmt: skip
_PUNCTUATION: Final = ("casefold", "remove_punctuation", "strip", "collapse_whitespace")
# Marks that end or enclose words. Between letters or beside a figure they are part of what is said.
_MARKS: Final = re.compile(r"(?<!\w)[.,;:!?'\"()]+(?!\w)|(?<=[^\W\d])[.,;:!?\"')]+(?!\w)|(?<!\w)[\"'(]+(?=[^\W\d])")
_OF_EQUALITY: Final = frozenset({"exact", "normalized_exact", "literal"})
# Of a meaning nothing can be said without a model, and no step shall hide what must not be there.
_LEFT_ALONE: Final = frozenset({"semantic", "not_contains"})


@dataclass(frozen=True, slots=True)
class Advice:
    """A comparison that passes where another one failed."""

    operator: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    @property
    def sentence(self) -> str:
        """The advice for a person, such as ``would pass under numeric_exact``."""
        named = dict(self.settings) if self.threshold is None else {**self.settings, "threshold": self.threshold}
        settings = ", ".join(f"{name}={value!r}" for name, value in named.items())
        return f"would pass under {self.operator}" + (f" with {settings}" if settings else "")


def advise(result: ComparisonResult) -> list[str]:
    """Say which other comparisons of the same values would have passed."""
    return [advice.sentence for advice in advices(result)]


def advices(result: ComparisonResult) -> list[Advice]:
    """Find the comparisons of which `advise` speaks."""
    if result.verdict != "fail" or result.children or result.operator in _LEFT_ALONE:
        return []
    try:
        if not _is_small(result.expected) or not _is_small(result.observed):
            return []
        candidates = itertools.chain(_with_other_settings(result), _written_otherwise(result))
        tried = itertools.islice(candidates, _MOST_COMPARISONS)
        found = (advice for advice in tried if _passes(advice, result))
        return list(itertools.islice(_one_of_each(found), _MOST_SENTENCES))
    except Exception:  # noqa: BLE001 - advice must never replace the failure that it is about
        return []


def _one_of_each(found: Iterator[Advice]) -> Iterator[Advice]:
    # After one set of steps has passed, larger ones say nothing new.
    operators: set[str] = set()
    for advice in found:
        if advice.operator not in operators:
            operators.add(advice.operator)
            yield advice


def _passes(advice: Advice, result: ComparisonResult) -> bool:
    try:
        operator = REGISTRY.build(advice.operator, advice.settings)
        tried = run(operator, result.expected, result.observed, threshold=advice.threshold)
    except Exception:  # noqa: BLE001 - a candidate that cannot be tried is no advice
        return False
    surfaces = (tried.outcome.expected_surface, tried.outcome.observed_surface)
    return tried.passed and set(tried.notes) <= set(result.notes) and not any(map(_is_nothing, surfaces))


def _is_nothing(surface: Any) -> bool:
    # Two sides of which nothing is left are equal, which says nothing.
    if surface is ABSENT:
        return False
    return surface == "" or (isinstance(surface, list | tuple) and not all(item != "" for item in surface))


def _is_small(value: Any) -> bool:
    left, items = [value], 0
    while left and items <= _MOST_ITEMS:
        item = left.pop()
        items += 1
        if isinstance(item, str) and len(item) > _LONGEST_TEXT:
            return False
        if isinstance(item, Mapping):
            left.extend(itertools.islice(itertools.chain.from_iterable(item.items()), _MOST_ITEMS))
        elif isinstance(item, list | tuple | set | frozenset):
            left.extend(itertools.islice(item, _MOST_ITEMS))
    return items <= _MOST_ITEMS


def _with_other_settings(result: ComparisonResult) -> Iterator[Advice]:
    settings = result.settings
    if result.operator == "regex":
        if settings["mode"] != "search":
            yield _own(result, mode="search")
        return
    if isinstance(settings.get("day_first"), bool):
        yield _own(result, day_first=not settings["day_first"])
    present = settings.get("normalize")
    if result.operator == "literal":
        present = []
    if isinstance(present, list):
        for steps in _steps_for(result):
            missing = [step for step in steps if step not in present]
            if missing:
                yield _own(result, normalize=[*present, *missing])


def _steps_for(result: ComparisonResult) -> Iterator[tuple[str, ...]]:
    for steps in _STEPS:
        # Without its separators "1,5" is 15, so the two must be the same number for the rule to be the right one.
        if "strip_thousands_separators" not in steps or result.operator not in _OF_EQUALITY:
            yield steps
    if result.operator in _OF_EQUALITY and all(map(_has_only_marks, (result.expected, result.observed))):
        yield _PUNCTUATION


def _has_only_marks(value: Any) -> bool:
    """Say whether all that `remove_punctuation` takes from a text ends or encloses a word."""
    return isinstance(value, str) and re.fullmatch(r"[\w\s]*", _MARKS.sub("", value)) is not None


def _written_otherwise(result: ComparisonResult) -> Iterator[Advice]:
    if result.operator not in _OF_EQUALITY or not _are_of_one_kind(result.expected, result.observed):
        return
    sides = (result.expected, result.observed)
    yield from map(Advice, ("numeric_exact", "date_match"))
    if any(isinstance(side, Mapping | list) or str(side).lstrip()[:1] in {"{", "["} for side in sides):
        yield Advice("json_canonical")


def _are_of_one_kind(expected: Any, observed: Any) -> bool:
    if isinstance(expected, str) and isinstance(observed, str):
        # "05" and "5" may be codes; who means numbers says so by the operator.
        codes = (re.match(r"\s*[+-]?0[0-9]", text) for text in (expected, observed))
        return as_decimal(expected) is None or not any(codes)
    return isinstance(expected, str) or isinstance(observed, str) or type(expected) is type(observed)


def _own(result: ComparisonResult, **changes: Any) -> Advice:
    """Advise the same operator with other settings, naming those that are not its defaults."""
    name = "normalized_exact" if result.operator in _OF_EQUALITY else result.operator
    defaults = default_settings(name)
    settings = {key: value for key, value in result.settings.items() if key in defaults} | changes
    default = REGISTRY.build(name, settings).default_threshold()
    unusual = {key: value for key, value in settings.items() if value != defaults[key]}
    return Advice(name, unusual, None if result.threshold == default else result.threshold)
