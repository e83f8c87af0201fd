"""Untrusted values as text for a terminal."""

import re
from itertools import islice
from typing import Any, Final

from pytest_verdict.core.values.placeholders import PLAIN, class_name

CUT_MARK: Final = re.compile(r" ?… [0-9]+ (?:characters|items in all) … ?")
"""The mark in a text from which a part was cut."""

# Of Azure Pipelines, TeamCity, and GitHub.
_COMMAND_ANYWHERE: Final = re.compile(r"##(?=\w*\[)")
_COMMAND_AT_START: Final = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]+")


def shown(value: Any, limit: int = 500) -> str:
    """Write a value on one line, in which nothing can move the cursor or change a colour."""
    if type(value) is str and 0 < limit < len(value):
        # Only the two ends, because the repr of a text of megabytes has megabytes.
        size = max((limit - 26) // 2, 2)
        head = visible(repr(value[:size]))
        tail = visible(repr(value[-size:]))
        cut = f"{head} … {len(value) - 2 * size} characters … {tail}"
        if len(value) <= len(cut):
            return min(visible(safe_repr(value)), cut, key=len)
        return cut
    if type(value) in {list, tuple, dict} and 0 < limit < len(value):
        return _show_ends(value, limit)
    return visible(shorten(_repr_in_order(value), limit))


def _show_ends(value: Any, limit: int) -> str:
    """Write the first and last items of a long container, and the number of items."""
    size = max((limit - 30) // 2, 2)
    if type(value) is dict:
        first = dict(islice(value.items(), size))
        last = dict([*islice(reversed(value.items()), size)][::-1])
    else:
        first = value[:size]
        last = value[-size:]
    head = visible(_repr_in_order(first)[: size - 1])
    tail = visible(_repr_in_order(last)[1 - size :])
    return f"{head} … {len(value)} items in all … {tail}"


def _repr_in_order(value: Any) -> str:
    try:
        return _in_order(value)
    except RecursionError:
        return safe_repr(value)


def _in_order(value: Any) -> str:
    # The repr of a set depends on the hash seed, and a failure must look the same in every run.
    kind = type(value)
    if kind is set or kind is frozenset:
        items = f"{{{', '.join(sorted(map(_in_order, value)))}}}" if value else ""
        if items and kind is set:
            return items
        return f"{kind.__name__}({items})"
    if kind is dict and not PLAIN.issuperset(map(type, value.values())):
        return f"{{{', '.join(f'{_in_order(key)}: {_in_order(item)}' for key, item in value.items())}}}"
    if (kind is list or kind is tuple) and not PLAIN.issuperset(map(type, value)):
        items = ", ".join(map(_in_order, value))
        if kind is list:
            return f"[{items}]"
        return f"({items}{',' if len(value) == 1 else ''})"
    return safe_repr(value)


def visible(text: str) -> str:
    """Escape what a terminal would not print, and the commands that a runner of a CI looks for anywhere in its log."""
    if "##" in text:
        text = _COMMAND_ANYWHERE.sub(r"#\\x23", text)
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def no_command(text: str) -> str:
    """Break the commands of the GitHub runner: two colons at the start of a line."""
    return _COMMAND_AT_START.sub(r"\1\\x3a", text) if "::" in text else text


def shorten(text: str, limit: int) -> str:
    """Cut the middle out of a long text, and insert the number of characters that were cut."""
    if limit <= 0 or len(text) <= limit:
        return text
    note = "… {} characters …"
    size = max(limit - len(note) - len(str(len(text))) + 2, 2)
    head = (size + 1) // 2
    tail = size // 2
    return min(text, text[:head] + note.format(len(text) - head - tail) + text[-tail:], key=len)


def format_count(number: int, noun: str) -> str:
    """Write a number and its noun, in the plural unless it is one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def safe_repr(value: object) -> str:
    """Return the repr of a value without memory addresses, even if its class raises."""
    if type(value) is str:
        return repr(value)
    try:
        return without_addresses(repr(value))
    except Exception as error:  # noqa: BLE001 - a class under test can raise anything
        return f"<unprintable {class_name(type(value))}: {type(error).__name__}>"


def without_addresses(text: str) -> str:
    """Replace memory addresses, which differ between processes."""
    return _ADDRESS.sub("at 0x...", text)
