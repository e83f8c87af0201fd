"""Redaction: what must not be written down is replaced before it reaches a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_verdict.core.values.encoding import TYPE_KEY

Redaction = Callable[[str], str]

# These name classes and types; they are not evidence, and reading a record needs them.
_FIXED: Final = frozenset({TYPE_KEY, "class", "member"})


def redact(encoded: Any, redaction: Redaction) -> Any:
    """Replace the text in an encoded value that must not be written down."""
    if isinstance(encoded, str):
        replaced = redaction(encoded)
        return encoded if replaced == encoded else {TYPE_KEY: "redacted", "value": replaced}
    if isinstance(encoded, list):
        return [redact(item, redaction) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    return _redact_typed(encoded, redaction) if TYPE_KEY in encoded else _redact_keys(encoded, redaction)


def _redact_keys(encoded: dict[str, Any], redaction: Redaction) -> dict[str, Any]:
    return {redaction(key): redact(item, redaction) for key, item in encoded.items()}


def _redact_typed(encoded: dict[str, Any], redaction: Redaction) -> Any:
    value = encoded.get("value")
    if isinstance(value, str) and encoded[TYPE_KEY] != "enum":
        # A date without some of its digits is no date any more: the whole value is replaced.
        replaced = redact(value, redaction)
        return encoded if replaced is value else replaced
    return {key: item if key in _FIXED else redact(item, redaction) for key, item in encoded.items()}
