"""From the record of a comparison to the explanation of why it did not pass."""

import contextlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.dates import read_date
from pytest_verdict.core.values.differences import Difference, differences
from pytest_verdict.core.values.display import format_count, shorten, shown, visible
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import RecordError
from pytest_verdict.explanation.differences import (
    compare_lines,
    draw_both_sides,
    draw_difference,
    draw_differences,
    draw_line_changes,
    draw_text_difference,
)
from pytest_verdict.explanation.lines import Explanation, Line, Part, Role, line

# Operators whose expected side is not a value that observed equals.
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
_COMPARES_TEXT: Final = frozenset({"exact", "normalized_exact", "text_similarity", "literal", "semantic"})

# Members of a collection that one side lacks, and the side that has them.
_MEMBERS: Final[dict[str, Role]] = {"missing": "expected", "unexpected": "observed"}

# Up to this length, a text that differs needs no marks below it.
_SHORT: Final = 40
# Longer values are shown below each other as well.
_LONGEST_PAIR: Final = 120
# Columns before the summary in a first line of usual length.
_HEAD: Final = 16
# Differences are counted up to this number.
_MOST_COUNTED: Final = 10_000

# Notes about a side that could not be used.
_REFUSALS: Final = {
    "blank": "is blank",
    "date_ambiguous": "can be read as two dates",
    "date_incomplete": "lacks a part of the date",
    "json_duplicate_key": "has a key twice in one object",
    "json_not_finite": "has a number that JSON does not have",
    "json_parse_failed": "is not JSON",
    "json_too_deep": "is nested too deeply",
    "not_a_boolean": "is neither true nor false",
    "not_a_change": "has no numbers before and after",
    "not_a_date": "is not a date",
    "not_a_list": "is not a list",
    "not_an_answer": "is not an answer",
    "not_a_mapping": "is not a mapping",
    "not_a_number": "is not a number",
    "not_a_range": "is not a pair of bounds",
    "not_a_type": "names no type",
    "not_counts": "does not count passes, fails and errors",
    "not_finite": "has an embedding that is not finite",
    "not_json": "is not a value of JSON",
    "not_text": "is not a text",
    "null_observed": "is null",
    "zero_vector": "has no direction in the model",
    "timezone_unknown": "has an unknown time zone",
}
# Notes about the comparison.
_SENTENCES: Final = {
    "child_error": "a part could not be compared",
    "empty_expected": "nothing was expected",
    "empty_observed": "nothing was observed",
    "filled_by_template": "code of the template filled a field that the reply has not; it counts as null",
    "inconclusive": "too little was compared to decide",
    "format_unchecked": "the schema has formats, which are checked only with format='assert'",
    "normalize_unused": "normalize has no effect on values that are no text",
    "markdown_fence_removed": "a fence around the text was left out",
    "timezone_mismatch": "only one side has a time zone",
}


def build_explanation(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain a comparison, by the function of its family if there is one."""
    if result.negated:
        room = budget.room(40) // 2
        expected = Part(shown(result.expected, room), "expected")
        observed = Part(shown(result.observed, room), "observed")
        verdict = "pass: " if result.passed else ""
        head = Part(f"{verdict}expected no match with ")
        return Explanation(summary=(head, expected, Part(", got "), observed))

    # Entry points of other packages are read only for operators that are not built in.
    explanations = FAMILIES.own("explanations")
    if result.operator not in FAMILIES.own("operators"):
        explanations = FAMILIES.all("explanations")
    name = explanations.get(result.operator)
    if name is not None:
        # The details of a record from elsewhere may have any form.
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            explanation: Explanation = load(name)(result, budget)
            return explanation
    return build_default_explanation(result, budget)


def build_default_explanation(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain a comparison by its notes, parts, details and values, whatever its operator."""
    if result.error is not None:
        first, *others = shorten(result.error, budget.characters).split("\n")
        return Explanation(summary=(Part(f"error: {visible(first)}"),), lines=list(map(line, others)))
    if result.passed:
        return Explanation(summary=(Part("pass"),))
    refusal = next(filter(is_refusal, result.notes), None)
    if refusal is not None:
        return Explanation(summary=draw_refusal(refusal, result, budget))
    if result.children:
        passed = sum(child.verdict == "pass" for child in result.children)
        summary = f"{passed} of {format_count(len(result.children), 'part')} passed"
        needed = result.settings.get("n")
        if isinstance(needed, int):
            summary += f", {needed} needed"
        return Explanation(summary=(Part(summary),), sides=False)

    # The order carries meaning only at its end: no operator records details of two of these kinds, and details say more than
    # the values.
    explanation = (
        _explain_listed_differences(result, budget)
        or _explain_members(result, budget)
        or _explain_distance(result, budget)
        or _explain_dates(result, budget)
        or _explain_values(result, budget)
    )
    return explanation or Explanation(summary=_draw_sides(result, budget))


def _explain_listed_differences(result: ComparisonResult, budget: Budget) -> Explanation | None:
    listed = result.details.get("differences")
    if not isinstance(listed, list) or not listed:
        return None
    omitted = result.details.get("differences_omitted")
    if type(omitted) is not int:
        omitted = 0
    places = list(map(_read_difference, listed))
    return _explain_differences(places, omitted, budget)


def _read_difference(item: Any) -> Difference:
    if not isinstance(item, Mapping):
        return Difference("$", ABSENT, item)
    kind = item.get("kind")
    sides = {
        side: _decode_detail(item[side])
        for side, absent in (("expected", "unexpected"), ("observed", "missing"))
        if side in item and kind != absent
    }
    texts = {name: item[name] for name in ("observed_path", "reason") if isinstance(item.get(name), str)}
    return Difference(str(item.get("path", "$")), **sides, **texts)


def _decode_detail(value: Any) -> Any:
    try:
        return decode(value)
    except RecordError:
        # The details of JSON operators are plain JSON, in which "$type" may be any key.
        return value


def _explain_differences(differences: Sequence[Difference], omitted: int, budget: Budget) -> Explanation:
    total = len(differences) + omitted
    more = ""
    if total > 1:
        more = f", and {format_count(total - 1, 'more difference')}"
        if total >= _MOST_COUNTED:
            more = f", and at least {format_count(total - 1, 'more difference')}"
    summary = draw_difference(differences[0], budget.narrower(len(more) + _HEAD))
    lines = list(draw_differences(differences, omitted, budget))
    if len(lines) == 1:
        # The first line shows a single short difference.
        lines = []
    return Explanation(summary=(*summary, Part(more)), lines=lines)


def _explain_members(result: ComparisonResult, budget: Budget) -> Explanation | None:
    if result.operator == "contains_any":
        return None
    members: dict[str, list[Any]] = {}
    for kind in _MEMBERS:
        items = result.details.get(kind)
        if isinstance(items, list) and items:
            members[kind] = items
    if not members:
        return None

    parts: list[Part] = []
    room = budget.room(30) // len(members)
    for kind, items in members.items():
        texts: list[str] = []
        for item in items:
            text = shown(_decode_detail(item), room)
            if room and texts and len(", ".join([*texts, text])) > room:
                break
            texts.append(text)
        omitted = result.details.get(f"{kind}_omitted", 0)
        others = len(items) - len(texts) + (omitted if type(omitted) is int else 0)
        ending = f" and {others} more" if others else ""
        parts += [Part("; " if parts else ""), Part(f"{kind} "), Part(", ".join(texts) + ending, _MEMBERS[kind])]
    if isinstance(result.observed, str):
        parts += [Part(", got "), Part(shown(result.observed, budget.room(40)), "observed")]
    return Explanation(summary=tuple(parts))


def _explain_distance(result: ComparisonResult, budget: Budget) -> Explanation | None:
    distance = _read_number(result.details.get("distance"))
    margin = _read_number(result.details.get("margin"))
    if distance is None and margin is None:
        return None
    if margin is None and result.operator != "numeric_exact":
        return None

    unit = ""
    measure = result.details.get("measured_in")
    if isinstance(measure, str):
        unit = f" {visible(measure)}"
    if distance is None:
        fact = f"missed by {-(margin or 0):f}{unit}"
    else:
        fact = f"off by {distance:f}{unit}"
        if margin is not None and distance + margin > 0:
            fact += f", allowed {distance + margin:f}{unit}"
    if result.score:
        fact += f", score {result.score:.6g}, {result.threshold:.6g} needed"
    return Explanation(summary=(Part(f"{fact}: "), *_draw_sides(result, budget, len(fact) + 2)))


def _read_number(value: Any) -> Decimal | None:
    return as_decimal(value) if isinstance(value, str) and len(value) < 100 else None


def _explain_dates(result: ComparisonResult, budget: Budget) -> Explanation | None:
    expected = read_date(result.details.get("expected_date"))
    observed = read_date(result.details.get("observed_date"))
    if isinstance(expected, str) or isinstance(observed, str):
        return None
    fact = f"{format_count(abs((observed.day - expected.day).days), 'day')} apart: "
    return Explanation(summary=(Part(fact), *_draw_sides(result, budget, len(fact))))


def _explain_values(result: ComparisonResult, budget: Budget) -> Explanation | None:
    expected = result.expected_surface
    observed = result.observed_surface
    if isinstance(expected, str) and isinstance(observed, str):
        return _explain_text(result, expected, observed, budget)
    if result.operator in _EXPECTED or type(expected) is not type(observed):
        return None
    places = list(islice(differences(expected, observed), _MOST_COUNTED))
    if not places or [place.path for place in places] == ["$"]:
        return None
    return _explain_differences(places, 0, budget)


def _explain_text(result: ComparisonResult, expected: str, observed: str, budget: Budget) -> Explanation | None:
    if result.operator not in _COMPARES_TEXT:
        return None
    if "\n" in expected or "\n" in observed:
        changes = compare_lines(expected, observed)
        tail = ""
        if changes.count() > 1:
            tail = f", and {format_count(changes.count() - 1, 'more line')}"
        summary = draw_difference(changes.first_difference(), budget.narrower(len(tail) + _HEAD))
        return Explanation(summary=(*summary, Part(tail)), lines=list(draw_line_changes(changes, budget)))

    labels = ("expected", "observed")
    is_changed = any(result.changed_sides)
    if is_changed:
        labels = ("expected surface", "observed surface")
    summary = _draw_sides(result, budget)
    # The first line shows where short texts differ.
    needs_marks = is_changed or max(len(expected), len(observed)) > _SHORT or not shows_sides(summary, result)
    lines = list(draw_text_difference(expected, observed, budget, labels, has_marks=needs_marks))
    return Explanation(summary=summary, lines=lines, sides=is_changed)


def shows_sides(summary: Line, result: ComparisonResult) -> bool:
    """Return whether a first line has all of expected and observed, and is short."""
    texts = {"expected": "", "observed": ""}
    for part in summary:
        side = part.role.removesuffix("_changed")
        if side in texts:
            texts[side] += part.text
    if len(texts["expected"]) + len(texts["observed"]) > _LONGEST_PAIR:
        return False
    return texts == {"expected": shown(result.expected, 0), "observed": shown(result.observed, 0)}


def _draw_sides(result: ComparisonResult, budget: Budget, used: int = 0) -> Line:
    """Draw both sides for the first line; ``used`` is the number of its other characters."""
    head = _EXPECTED.get(result.operator, "expected ")
    room = budget.room(len(head) + used + len(result.operator) + 8) // 2
    if room:
        room = max(room, 12)
    left, right = draw_both_sides(result.expected, result.observed, room)
    return Part(head), *left, Part(", got "), *right


def is_refusal(code: str) -> bool:
    """Return whether a note is about a side that could not be used."""
    return code in _REFUSALS


def draw_refusal(code: str, result: ComparisonResult, budget: Budget) -> Line:
    """Draw the first side that could not be used, and why."""
    reasons = result.details.get("unreadable", {})
    sides = result.details.get(code) or list(reasons)
    side = sides[0] if isinstance(sides, list) and sides else "observed"
    role: Role = "observed"
    value = result.observed
    if side == "expected":
        role = "expected"
        value = result.expected

    tail = ""
    if isinstance(reasons, dict) and reasons.get(side):
        tail = f" ({visible(shorten(str(reasons[side]), 200))})"
    return Part(f"{role} {_REFUSALS[code]}: "), Part(shown(value, budget.room(40)), role), Part(tail)


def draw_note(code: str, budget: Budget) -> Line:
    """Draw a note: its code as in the record, with a sentence where the first line does not have it."""
    words = visible(shorten(code, budget.characters))
    if code in _SENTENCES:
        return (Part(f"note: {_SENTENCES[code]} ({words})"),)
    return (Part(f"note: {words}"),)
