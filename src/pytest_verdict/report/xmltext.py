"""Text for XML 1.0, which cannot hold every character."""

from __future__ import annotations

import functools
import hashlib
import re
from typing import Final

# Escape sequences of terminals, which a CI page shows as noise.
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_MARKUP: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_IN_TEXT: Final = re.compile(r'[&<>"]')
_IN_ATTRIBUTE: Final = re.compile(r'[&<>"\t\n\r]')


def element_text(text: str, limit: int) -> str:
    """Write text for the inside of an element."""
    return _IN_TEXT.sub(lambda match: _MARKUP[match.group()], _limited(text.replace("\r", "\\r"), limit))


def attribute(text: str, limit: int) -> str:
    """Write text for an attribute."""
    return _IN_ATTRIBUTE.sub(_reference, _limited(text, limit))


def limited_name(text: str, limit: int, *, always: str = "") -> str:
    """Write a name for an attribute; a long one ends with a digest, so that it differs from others."""
    written = _allowed(text[: limit + 1])
    if always or len(text) > limit or len(written) > limit:
        digest = hashlib.sha256((always or text).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        written = f"{written[: limit - 9]}-{digest}"
    return _IN_ATTRIBUTE.sub(_reference, written)


def _allowed(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _forbidden().sub(_escaped, _ANSI.sub("", text))


@functools.cache
def _forbidden() -> re.Pattern[str]:
    # Compiled when it is needed, because a set of so many characters takes milliseconds.
    return re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode("ascii")


def _reference(match: re.Match[str]) -> str:
    character = match.group()
    return _MARKUP.get(character) or f"&#{ord(character)};"


def _limited(text: str, limit: int) -> str:
    # Cut before escaping, to save time on megabytes, and after it, because escapes are longer.
    written = _allowed(text[: limit + 1])
    if len(text) <= limit and len(written) <= limit:
        return written
    ending = f"\n… of {len(text)} characters, see records.jsonl"
    return written[: limit - len(ending)] + ending
