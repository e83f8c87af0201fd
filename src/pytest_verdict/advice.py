"""Advice on failure: under which operator, normalizer or tolerance a failed comparison would have passed.

Advice is tried before it is given, on the values that failed. It is never more than that: whether a looser comparison is the
right one is for a person to say, so the tightest one comes first, and one that anything would pass is not given.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.core.values.placeholders import ABSENT

_MOST_SENTENCES: Final = 3
_MOST_COMPARISONS: Final = 30
_LONGEST_TEXT: Final = 20_000
_MOST_ITEMS: Final = 500
_LOWEST_SCORE: Final = 0.8
_MOST_DAYS: Final = 31

_SINGLE_STEPS: Final = (
    "strip", "collapse_whitespace", "nfc", "lowercase", "casefold", "nfkc",
    "strip_thousands_separators", "strip_markdown_fence", "remove_articles", "remove_punctuation",
)  # fmt: skip
# Each holds the one before it.
_COMBINATIONS: Final = (
    ("strip", "lowercase"),
    ("lowercase", "strip", "collapse_whitespace"),
    ("nfkc", "lowercase", "remove_punctuation", "strip", "collapse_whitespace"),
    ("strip_markdown_fence", "nfkc", "lowercase", "remove_punctuation", "remove_articles", "strip", "collapse_whitespace"),
)  # fmt: skip

# Operators whose two sides are of one kind, so that another of them may be what was meant; the tightest first.
_STRICTNESS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("numeric_exact", {}),
    ("boolean", {}),
    ("json_canonical", {}),
    ("date_match", {}),
    ("ordered_match", {}),
    ("set_containment", {}),
    ("contains_all", {}),
    ("json_subset", {}),
    ("set_containment", {"mode": "superset"}),
)
_GRADED: Final = ("json_distance", "text_similarity")
_EXCHANGEABLE: Final = frozenset({
    "exact", "normalized_exact", "literal", "date_tolerance", "numeric_tolerance", *_GRADED,
    *(name for name, _ in _STRICTNESS),
})  # fmt: skip
_NUMERIC: Final = frozenset({"exact", "normalized_exact", "numeric_exact", "numeric_tolerance"})
# These would need a model, a child process, or tell nothing about the parts.
_LEFT_ALONE: Final = frozenset({"regex", "trace_regex", "semantic", "all_of", "any_of", "at_least_n", "weighted"})


@dataclass(frozen=True, slots=True)
class Advice:
    """A comparison that passes where another one failed."""

    operator: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    @property
    def sentence(self) -> str:
        """The advice for a person, such as ``would pass under contains_all``."""
        named = dict(self.settings) if self.threshold is None else {**self.settings, "threshold": self.threshold}
        settings = ", ".join(f"{name}={value!r}" for name, value in named.items())
        return f"would pass under {self.operator}" + (f" with {settings}" if settings else "")


def advise(result: ComparisonResult) -> list[str]:
    """Say under which other comparisons the values of a failed one would have passed."""
    return [advice.sentence for advice in advices(result)]


def advices(result: ComparisonResult) -> list[Advice]:
    """Find the comparisons of which `advise` speaks."""
    if result.verdict != "fail" or result.children or result.operator in _LEFT_ALONE:
        return []
    if not _small(result.expected) or not _small(result.observed):
        return []
    trial = _Trial(result.expected, result.observed)
    # Another operator is a larger step than another setting, and a graded one the largest.
    for stages in ((_normalizers, _tolerances, _lower_threshold), (_other_operators,), (_days,), (_graded,)):
        found = [advice for stage in stages for advice in _tried(stage, result, trial)]
        if found:
            return found[:_MOST_SENTENCES]
    return []


def _tried(stage: _Stage, result: ComparisonResult, trial: _Trial) -> list[Advice]:
    try:
        return stage(result, trial)
    except Exception:  # noqa: BLE001 - advice must never replace the failure that it is about
        return []


def _small(value: Any) -> bool:
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


class _Trial:
    """Tries comparisons on one pair of values, a bounded number of times, without recording them."""

    def __init__(self, expected: Any, observed: Any) -> None:
        self.expected = expected
        self.observed = observed
        self._left = _MOST_COMPARISONS

    def outcome(self, advice: Advice) -> Outcome | None:
        """Compare as advised; None where that says nothing: an exception, a note, or nothing left to compare."""
        self._left -= 1
        if self._left < 0:
            return None
        try:
            outcome = run(REGISTRY.build(advice.operator, advice.settings), self.expected, self.observed).outcome
        except Exception:  # noqa: BLE001 - a candidate that cannot be tried is no advice
            return None
        empty = any(_empty(surface) for surface in (outcome.expected_surface, outcome.observed_surface))
        return None if outcome.error is not None or outcome.notes or empty else outcome

    def passes(self, advice: Advice) -> bool:
        """Say whether the comparison passes as advised."""
        outcome = self.outcome(advice)
        limit = advice.threshold or REGISTRY.build(advice.operator, advice.settings).default_threshold()
        return outcome is not None and outcome.score >= limit

    def first(self, candidates: Iterator[Advice]) -> list[Advice]:
        """Give the first that passes, if any."""
        return list(itertools.islice(filter(self.passes, candidates), 1))


_Stage = Callable[[ComparisonResult, _Trial], list[Advice]]


def _empty(surface: Any) -> bool:
    # Two sides of which nothing is left are equal, which says nothing.
    if surface is ABSENT:
        return False
    return surface == "" or (isinstance(surface, list | tuple) and not all(item != "" for item in surface))


def _own(result: ComparisonResult, **changes: Any) -> Advice:
    """Advise the same operator with other settings, naming those that are not implied by its name."""
    name = "normalized_exact" if result.operator == "exact" else result.operator
    settings = {**result.settings, **changes}
    usual = {key: field.get_default() for key, field in REGISTRY.find(name).model_fields.items()}
    implied = {key: _plain(value) for key, value in usual.items()}
    return Advice(name, {key: value for key, value in settings.items() if key not in implied or value != implied[key]})


def _plain(value: Any) -> Any:
    return encode(list(value) if isinstance(value, tuple) else value)


def _normalizers(result: ComparisonResult, trial: _Trial) -> list[Advice]:
    if result.operator == "literal":
        return trial.first(Advice("normalized_exact", {"normalize": [step]}) for step in _SINGLE_STEPS)
    present = result.settings.get("normalize")
    if not isinstance(present, list):
        return []
    steps = [[*present, step] for step in _SINGLE_STEPS if step not in present]
    if result.operator in {"exact", "normalized_exact"}:
        steps += [list(steps) for steps in _COMBINATIONS if set(steps) > {str(step) for step in present}]
    return trial.first(_own(result, normalize=tried) for tried in steps)


def _tolerances(result: ComparisonResult, trial: _Trial) -> list[Advice]:
    if result.operator == "delta":
        distance = as_decimal(result.details.get("distance"))
        return (
            [] if distance is None else trial.first(iter([_own(result, tolerance=_written(distance), mode="absolute")]))
        )
    expected, observed = as_decimal(result.expected), as_decimal(result.observed)
    if result.operator not in _NUMERIC or expected is None or observed is None or expected == observed:
        return []
    distance = EXACT.subtract(expected, observed).copy_abs()
    # A tolerance as large as the number itself would accept anything, zero included.
    if expected and distance >= expected.copy_abs():
        return []
    tolerances = {"absolute": distance} | ({"relative": _share(distance, expected.copy_abs())} if expected else {})
    modes = sorted(tolerances, reverse=result.settings.get("mode") == "relative")
    candidates = [
        Advice("numeric_tolerance", {"tolerance": _written(tolerances[mode]), "mode": mode}) for mode in modes
    ]
    return [candidate for candidate in candidates if trial.passes(candidate)]


def _share(distance: Decimal, whole: Decimal) -> Decimal:
    # One third has no end in decimals; the next larger one of six digits still lets the distance pass.
    short = decimal.Context(prec=6, rounding=decimal.ROUND_CEILING, Emax=EXACT.Emax, Emin=EXACT.Emin)
    return short.divide(distance, whole)


def _written(number: Decimal) -> int | float | str:
    plain = (
        int(number) if number == number.to_integral_value(context=EXACT) and number.adjusted() <= 15 else float(number)
    )
    return plain if Decimal(repr(plain)) == number else str(number)


def _days(result: ComparisonResult, trial: _Trial) -> list[Advice]:
    if result.operator not in {"date_match", "date_tolerance", "exact", "normalized_exact"}:
        return []
    outcome = trial.outcome(Advice("date_match"))
    if outcome is None or not outcome.details:
        return []
    expected, observed = (
        datetime.date.fromisoformat(outcome.details[f"{side}_date"]) for side in ("expected", "observed")
    )
    days = abs((expected - observed).days)
    return trial.first(
        Advice("date_tolerance", {"tolerance": limit}) for limit in (days, days + 1) if limit <= _MOST_DAYS
    )


def _lower_threshold(result: ComparisonResult, trial: _Trial) -> list[Advice]:
    if result.operator not in _GRADED or result.score < _LOWEST_SCORE:
        return []
    own = _own(result)
    return trial.first(iter([Advice(own.operator, own.settings, result.score)]))


def _other_operators(result: ComparisonResult, trial: _Trial) -> list[Advice]:
    if result.operator not in _EXCHANGEABLE:
        return []
    asks: dict[str, Callable[[Any, Any], bool]] = {"contains_all": _as_whole_words, "json_subset": _holds_something}
    candidates = (
        Advice(name, settings)
        for name, settings in _STRICTNESS
        if name not in asks or asks[name](result.expected, result.observed)
    )
    return trial.first(candidates)


def _graded(result: ComparisonResult, trial: _Trial) -> list[Advice]:
    if result.operator not in _EXCHANGEABLE:
        return []
    for name in _GRADED:
        outcome = trial.outcome(Advice(name))
        if outcome is not None and outcome.score >= _LOWEST_SCORE:
            return [Advice(name, threshold=outcome.score)]
    return []


def _as_whole_words(expected: Any, observed: Any) -> bool:
    # "4" is contained in "2024" and would be accepted there.
    if not isinstance(expected, str) or not isinstance(observed, str) or not expected.strip():
        return False
    before, found, after = observed.partition(expected)
    return bool(found) and not before[-1:].isalnum() and not after[:1].isalnum()


def _holds_something(expected: Any, _observed: Any) -> bool:
    from pytest_verdict.core.values.jsontext import parse_json

    document = parse_json(expected) if isinstance(expected, str) else expected
    left = [document]
    while left:
        item = left.pop()
        if not isinstance(item, Mapping | list | tuple):
            return True
        left.extend(item.values() if isinstance(item, Mapping) else item)
    return False
