"""Notes of a result as sentences."""

from typing import Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shorten, shown, visible
from pytest_verdict.explanation.lines import Line, Part, Role

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
