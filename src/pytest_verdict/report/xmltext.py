"""Text for XML 1.0, which cannot hold every character."""

from __future__ import annotations

import re
from typing import Final

# Sequences that steer a terminal: kept out, because a CI page shows them as noise.
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_IN_TEXT: Final = re.compile(r'[&<>"]')
_IN_ATTRIBUTE: Final = re.compile(r'[&<>"\t\n\r]')


def element_text(text: str, limit: int) -> str:
    """Write text for the inside of an element.

    Args:
        text: Any text.
        limit: The longest text to keep, in characters before escaping; the rest is left out, and said to be.

    Returns:
        Text that every XML parser reads back as it is, except that a character which XML forbids stands as a Python
        escape and terminal colours are left out.

    Example:
        >>> element_text("a < b \\x00 \\x1b[31mred\\x1b[0m ]]>", 100)
        'a &lt; b \\\\x00 red ]]&gt;'
    """
    return _IN_TEXT.sub(lambda match: _MARKUP[match.group()], _allowed(_limited(text, limit)).replace("\r", "\\r"))


def attribute(text: str, limit: int) -> str:
    """Write text for an attribute.

    Args:
        text: Any text.
        limit: The longest text to keep, in characters before escaping.

    Returns:
        The text without its quotes; line ends and tabs come back as they were.

    Example:
        >>> attribute('two\\nlines & "quotes"', 100)
        'two&#10;lines &amp; &quot;quotes&quot;'
    """
    return _IN_ATTRIBUTE.sub(_reference, _allowed(_limited(text, limit)))


def _allowed(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _FORBIDDEN.sub(_escaped, _ANSI.sub("", text))


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode("ascii")


def _reference(match: re.Match[str]) -> str:
    character = match.group()
    return _MARKUP.get(character) or f"&#{ord(character)};"


def _limited(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… {len(text) - limit} more characters, see records.jsonl"
