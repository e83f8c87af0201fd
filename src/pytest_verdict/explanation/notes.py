"""Notes as sentences: what each code says about the evidence at hand."""

from typing import Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shortened, shown, visible
from pytest_verdict.explanation.lines import Line, Part, Role

# What a side is that has the note.
_OF_A_SIDE: Final = {
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
_SENTENCES: Final = {
    "child_error": "a part could not be compared",
    "empty_expected": "nothing was expected",
    "empty_observed": "nothing was observed",
    "inconclusive": "too little was compared to decide",
    "markdown_fence_removed": "a fence around the text was left out",
    "timezone_mismatch": "only one side has a time zone",
}


def is_refusal(code: str) -> bool:
    """Say whether a note is about a side that could not be used."""
    return code in _OF_A_SIDE


def note_line(code: str, budget: Budget) -> Line:
    """Write a note: the code that reports have, and what it says, unless the first line says so."""
    sentence = _SENTENCES.get(code)
    words = visible(shortened(code, budget.characters))
    return (Part(f"note: {words}" if sentence is None else f"note: {sentence} ({words})"),)


def sentence(code: str, result: ComparisonResult, budget: Budget) -> Line:
    """Say of the first side that could not be used what it is."""
    reasons = result.details.get("unreadable", {})
    sides = result.details.get(code) or list(reasons)
    side = sides[0] if sides and isinstance(sides, list) else "observed"
    role: Role = "expected" if side == "expected" else "observed"
    value = result.expected if role == "expected" else result.observed
    reason = reasons.get(side) if isinstance(reasons, dict) else None
    tail = f" ({visible(shortened(str(reason), 200))})" if reason else ""
    return Part(f"{role} {_OF_A_SIDE[code]}: "), Part(shown(value, budget.room(40)), role), Part(tail)
