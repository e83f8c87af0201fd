"""Keys under which the observed side of a template keeps what its verdict depends on besides the extracted values.

They start with an underscore, which no pydantic field can.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

TRACE: Final = "_trace"  # the raw text of the response
PROBLEMS: Final = "_problems"  # why fields could not be read, by field
WHOLE: Final = ""  # the name of no field, under which a problem of the reply as a whole is kept
NOTES: Final = "_notes"  # codes that say how the reply was read
UNKNOWN: Final = "_unknown"  # what the reply holds besides the fields
REPLY: Final = "_reply"  # the reply itself, when it is no answer at all
HAND_WRITTEN: Final = "_verify"  # what the template's own ``verify()`` returned, or ``{"error": ...}`` when it raised
HAND_WEIGHED: Final = "_verify_granular"  # what the template's own ``verify_granular()`` returned


def quote_of(field: str) -> str:
    """Give the name under which the judge copies the words that say what a field is."""
    return f"{field}_quote"


def is_abstention(observed: Mapping[str, Any], fields: Iterable[str]) -> bool:
    """Say whether fields were to be filled in, and every one of them is null."""
    asked = [observed[name] for name in fields if name in observed]
    return bool(asked) and all(value is None for value in asked)


def problems_in(observed: Mapping[str, Any]) -> dict[str, str]:
    """Give the problems that were observed."""
    found = observed.get(PROBLEMS)
    return {str(name): str(reason) for name, reason in found.items()} if found and isinstance(found, Mapping) else {}


def notes_in(observed: Mapping[str, Any]) -> list[str]:
    """Give the notes that were observed."""
    found = observed.get(NOTES)
    return [str(note) for note in found] if found and isinstance(found, list | tuple) else []


def named_problems(problems: Mapping[str, str]) -> str:
    """Write problems as one line."""
    return "; ".join(f"{name}: {reason}" if name else reason for name, reason in problems.items())
