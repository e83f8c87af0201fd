"""What is observed of an answer: the extracted values by field, and what else its verdict depends on.

The names of the rest start with an underscore, which no pydantic field can.
"""

from __future__ import annotations

from typing import Final

TRACE: Final = "_trace"
"""The raw text of the response."""

PROBLEMS: Final = "_problems"
"""Why fields could not be read, by field; the empty name is for the reply as a whole."""

NOTES: Final = "_notes"
"""Codes that say how the reply was read."""

UNKNOWN: Final = "_unknown"
"""What the reply holds besides the fields."""

REPLY: Final = "_reply"
"""The reply itself, when it is no answer at all."""

HAND_WRITTEN: Final = "_verify"
"""What the template's own ``verify()`` returned, or ``{"error": ...}`` when it raised."""

HAND_WEIGHED: Final = "_verify_granular"
"""What the template's own ``verify_granular()`` returned."""

NULL_OBSERVED: Final = "null_observed"
MISSING_TRACE: Final = "missing_trace"
EMBEDDING_OVERRIDE: Final = "embedding_override"
