"""From the record of a comparison to why it did not pass."""

import contextlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.dates import read_date
from pytest_verdict.core.values.differences import Difference, differences
from pytest_verdict.core.values.display import counted, shortened, shown, visible
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.explanation.lines import Line, Part
from pytest_verdict.explanation.model import Explanation
from pytest_verdict.explanation.notes import is_refusal, sentence
from pytest_verdict.explanation.text import line_changes, text_difference, unified
from pytest_verdict.explanation.values import both_sides, difference_lines, one_line

# What a side says first when it is text, for operators whose expected side is no value to equal.
_EXPECTED: Final = {
    "contains_all": "expected all of ",
    "contains_any": "expected any of ",
    "ends_with": "expected at the end ",
    "json_schema": "expected by the schema ",
    "json_subset": "expected at least ",
    "one_of": "expected one of ",
    "regex": "expected a match of ",
    "starts_with": "expected at the start ",
    "trace_contains": "expected in the trace ",
    "trace_regex": "expected a match of ",
}

# What stands before the summary in the first line, usually.
_HEAD: Final = 16
# Beyond this number it does not matter how many there are.
_MOST_COUNTED: Final = 10_000


def explanation_of(result: ComparisonResult, budget: Budget) -> Explanation:
    """Say why a comparison came out as it did, in the way of its family if that has one."""
    if result.outcome.negated:
        return _of_negation(result, budget)
    # For how ours are explained nobody looks at other packages.
    brought = FAMILIES.own if result.operator in FAMILIES.own("operators") else FAMILIES.all
    own = brought("explanations").get(result.operator)
    if own is not None:
        # A record of elsewhere may hold anything.
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            found: Explanation = load(own)(result, budget)
            return found
    return usual_explanation(result, budget)


def _of_negation(result: ComparisonResult, budget: Budget) -> Explanation:
    expected, observed = (shown(side, budget.room(40) // 2) for side in (result.expected, result.observed))
    sides = Part("expected no match with "), Part(expected, "expected"), Part(", got "), Part(observed, "observed")
    return Explanation(summary=(*([Part("pass: ")] if result.passed else []), *sides))


def usual_explanation(result: ComparisonResult, budget: Budget) -> Explanation:
    """Say why a comparison came out as it did, whatever its operator."""
    if result.error is not None:
        return Explanation(summary=(Part(f"error: {visible(shortened(result.error, budget.characters))}"),))
    if result.passed:
        return Explanation(summary=(Part("pass"),))
    found = (explain(result, budget) for explain in _WAYS)
    return next(filter(None, found), None) or Explanation(summary=_sides(result, budget, 0))


def _of_children(result: ComparisonResult, budget: Budget) -> Explanation | None:
    if not result.children:
        return None
    verdicts = [child.verdict for child in result.children]
    needed = result.settings.get("n")
    of = f"{verdicts.count('pass')} of {counted(len(verdicts), 'part')} passed"
    return Explanation(summary=(Part(of + (f", {needed} needed" if isinstance(needed, int) else "")),), sides=False)


def _of_refusals(result: ComparisonResult, budget: Budget) -> Explanation | None:
    code = next(filter(is_refusal, result.notes), None)
    return None if code is None else Explanation(summary=sentence(code, result, budget))


def _of_listed_differences(result: ComparisonResult, budget: Budget) -> Explanation | None:
    listed = result.details.get("differences")
    if not isinstance(listed, list) or not listed:
        return None
    omitted = result.details.get("differences_omitted")
    return of_differences([_read(one) for one in listed], omitted if type(omitted) is int else 0, budget)


def _read(written: Any) -> Difference:
    if not isinstance(written, Mapping):
        return Difference("$", ABSENT, written)
    expected, observed = (decode(written[side]) if side in written else ABSENT for side in ("expected", "observed"))
    reason, place = written.get("reason"), written.get("observed_path")
    kind = written.get("kind")
    return Difference(
        str(written.get("path", "$")),
        ABSENT if kind == "unexpected" else expected,
        ABSENT if kind == "missing" else observed,
        place if isinstance(place, str) else None,
        reason if isinstance(reason, str) else None,
    )


def of_differences(found: list[Difference], omitted: int, budget: Budget) -> Explanation:
    """Explain a comparison by the places in which the sides differ."""
    total = len(found) + omitted
    at_least = "at least " if total >= _MOST_COUNTED else ""
    more = f", and {at_least}{counted(total - 1, 'more difference')}" if total > 1 else ""
    lines = list(difference_lines(found, omitted, budget))
    summary = one_line(found[0], budget.narrower(len(more) + _HEAD))
    # One short difference is on the first line already.
    return Explanation(summary=(*summary, Part(more)), lines=lines if len(lines) > 1 else [])


def _of_members(result: ComparisonResult, budget: Budget) -> Explanation | None:
    details = result.details
    sides = [(kind, details.get(kind)) for kind in ("missing", "unexpected")]
    named = [(kind, items) for kind, items in sides if isinstance(items, list) and items]
    if not named or result.operator == "contains_any":
        return None
    parts: list[Part] = []
    for kind, items in named:
        omitted = details.get(f"{kind}_omitted", 0)
        room = budget.room(30) // len(named)
        written = shown([decode(item) for item in items], room)[1:-1] if room == 0 or room > 10 else "…"
        more = f" and {omitted} more" if omitted else ""
        role: Any = "expected" if kind == "missing" else "observed"
        parts += [Part("; " if parts else ""), Part(f"{kind} "), Part(written + more, role)]
    if isinstance(result.observed, str):
        parts += [Part(", got "), Part(shown(result.observed, budget.room(40)), "observed")]
    return Explanation(summary=tuple(parts))


def _of_distance(result: ComparisonResult, budget: Budget) -> Explanation | None:
    distance, margin = (_number(result.details.get(name)) for name in ("distance", "margin"))
    measure = result.details.get("measured_in")
    unit = f" {visible(measure)}" if isinstance(measure, str) else ""
    if margin is None and not (distance is not None and result.operator == "numeric_exact"):
        return None
    tail = f": missed by {-(margin or 0):f}{unit}" if distance is None else f": off by {distance:f}{unit}"
    if distance is not None and margin is not None and distance + margin > 0:
        tail += f", allowed {distance + margin:f}{unit}"
    tail += f", score {result.score:.6g}, {result.threshold:.6g} needed" if result.score else ""
    return Explanation(summary=(*_sides(result, budget, len(tail)), Part(tail)))


def _number(value: Any) -> Decimal | None:
    try:
        found = Decimal(value) if isinstance(value, str) and len(value) < 100 else None
    except ArithmeticError:
        return None
    return found if found is not None and found.is_finite() else None


def _of_days(result: ComparisonResult, budget: Budget) -> Explanation | None:
    days = [read_date(result.details.get(side)) for side in ("expected_date", "observed_date")]
    if any(isinstance(day, str) for day in days):
        return None
    apart = abs((days[1].day - days[0].day).days)  # type: ignore[union-attr]
    tail = f": {counted(apart, 'day')} apart"
    return Explanation(summary=(*_sides(result, budget, len(tail)), Part(tail)))


def _of_values(result: ComparisonResult, budget: Budget) -> Explanation | None:
    expected, observed = result.expected_surface, result.observed_surface
    if isinstance(expected, str) and isinstance(observed, str):
        return _of_text(result, expected, observed, budget)
    if result.operator in _EXPECTED or type(expected) is not type(observed):
        return None
    found = list(islice(differences(expected, observed), _MOST_COUNTED))
    if [one.path for one in found] in ([], ["$"]):
        return None
    return of_differences(found, 0, budget)


def _of_text(result: ComparisonResult, expected: str, observed: str, budget: Budget) -> Explanation | None:
    if result.operator not in _COMPARES_TEXT:
        return None
    if "\n" in expected + observed:
        return _of_lines(expected, observed, budget)
    changed = any(result.changed_sides)
    labels = ("expected surface", "observed surface") if changed else ("expected", "observed")
    lines = list(text_difference(expected, observed, budget, labels))
    return Explanation(summary=_sides(result, budget, 0), lines=lines, sides=changed)


def _of_lines(expected: str, observed: str, budget: Budget) -> Explanation:
    changed = line_changes(expected, observed)
    number, left, right, more = changed.first()
    tail = f", and {counted(more, 'more line')}" if more else ""
    difference = Difference(f"line {number}", ABSENT if left is None else left, ABSENT if right is None else right)
    first = one_line(difference, budget.narrower(len(tail) + _HEAD))
    return Explanation(summary=(*first, Part(tail)), lines=list(unified(changed, budget)))


_COMPARES_TEXT: Final = frozenset({"exact", "normalized_exact", "text_similarity", "literal", "semantic"})


def _sides(result: ComparisonResult, budget: Budget, taken: int) -> Line:
    """Write both sides for the first line."""
    head = _EXPECTED.get(result.operator, "expected ")
    room = budget.room(len(head) + taken + len(result.operator) + 8) // 2
    left, right = both_sides(result.expected, result.observed, room and max(room, 12))
    return Part(head), *left, Part(", got "), *right


_WAYS: Final[tuple[Callable[[ComparisonResult, Budget], Explanation | None], ...]] = (
    _of_refusals,
    _of_children,
    _of_listed_differences,
    _of_members,
    _of_distance,
    _of_days,
    _of_values,
)
