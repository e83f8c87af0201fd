"""Untrusted values, written for a person in a terminal."""

from __future__ import annotations

from typing import Any

from pytest_verdict.values.encoding import safe_repr


def shown(value: Any, limit: int = 500) -> str:
    """Write a value on one line, in which nothing can move the cursor or change a colour.

    Args:
        value: Any value.
        limit: About the longest text to return, in characters; 0 for no limit. The middle is left out, and said to be.

    Returns:
        Its repr, which escapes control characters, lone surrogates and invisible formatting.

    Example:
        >>> shown("red \\x1b[31m")
        "'red \\\\x1b[31m'"
        >>> shown("a" * 100, limit=40)
        "'aaaaaaa' … 86 characters … 'aaaaaaa'"
    """
    if type(value) is str and 0 < limit < len(value):
        # The repr of a text of megabytes is megabytes; what is shown of it is its two ends.
        kept = max((limit - 26) // 2, 2)
        head, tail = visible(repr(value[:kept])), visible(repr(value[-kept:]))
        return f"{head} … {len(value) - 2 * kept} characters … {tail}"
    return shortened(visible(safe_repr(value)), limit)


def visible(text: str) -> str:
    """Escape what a terminal would not print.

    Args:
        text: Any text, as a class may return it from its ``__repr__``.

    Returns:
        The same text with every unprintable character as a Python escape, on one line.

    Example:
        >>> visible("a\\nb\\x07")
        'a\\\\nb\\\\x07'
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def shortened(text: str, limit: int) -> str:
    """Leave out the middle of a long text, and say how much.

    Args:
        text: Any text.
        limit: The longest text to return, in characters; 0 for no limit.

    Returns:
        The text, or its head and tail around the number of characters left out.
    """
    if limit <= 0 or len(text) <= limit:
        return text
    note = "… {} characters …"
    kept = max(limit - len(note) - len(str(len(text))) + 2, 2)
    head, tail = (kept + 1) // 2, kept // 2
    return text[:head] + note.format(len(text) - head - tail) + text[-tail:]
