"""Untrusted values, written for a person in a terminal."""

import re
from itertools import islice
from typing import Any, Final

from pytest_verdict.core.values.placeholders import class_name

CUT_MARK: Final = re.compile(r" ?… [0-9]+ (?:characters|items in all) … ?")
"""Stands in a text in place of the part that was cut out."""

_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]+")
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


def shown(value: Any, limit: int = 500) -> str:
    """Write a value on one line, in which nothing can move the cursor or change a colour."""
    if type(value) is str and 0 < limit < len(value):
        # The repr of a text of megabytes is megabytes; what is shown of it is its two ends.
        kept = max((limit - 26) // 2, 2)
        head, tail = visible(repr(value[:kept])), visible(repr(value[-kept:]))
        return _shorter(value, f"{head} … {len(value) - 2 * kept} characters … {tail}")
    if type(value) in {list, tuple, dict} and 0 < limit < len(value):
        return _two_ends(value, limit)
    return visible(shortened(_written(value), limit))


def _shorter(value: Any, cut: str) -> str:
    # What says how much is left out may take more room than what it leaves out.
    return min(visible(safe_repr(value)), cut, key=len) if len(value) <= len(cut) else cut


def _two_ends(value: Any, limit: int) -> str:
    """Write the first and last items of what has more items than fit, and say how many there are."""
    kept = max((limit - 30) // 2, 2)
    items = list(islice(value.items(), kept)) if type(value) is dict else value[:kept]
    last = list(islice(reversed(value.items()), kept))[::-1] if type(value) is dict else value[-kept:]
    head, tail = (_written(dict(part) if type(value) is dict else part) for part in (items, last))
    return f"{visible(head[: kept - 1])} … {len(value)} items in all … {visible(tail[1 - kept :])}"


def _written(value: Any) -> str:
    try:
        return _in_order(value)
    except RecursionError:
        return safe_repr(value)


def _in_order(value: Any) -> str:
    # The repr of a set depends on the hash seed; the same failure must read the same in every run.
    kind = type(value)
    if kind is set or kind is frozenset:
        items = f"{{{', '.join(sorted(map(_in_order, value)))}}}" if value else ""
        return items if items and kind is set else f"{kind.__name__}({items})"
    if kind is dict and not _PLAIN.issuperset(map(type, value.values())):
        return f"{{{', '.join(f'{_in_order(key)}: {_in_order(item)}' for key, item in value.items())}}}"
    if (kind is list or kind is tuple) and not _PLAIN.issuperset(map(type, value)):
        items = ", ".join(map(_in_order, value))
        return f"[{items}]" if kind is list else f"({items}{',' if len(value) == 1 else ''})"
    return safe_repr(value)


def visible(text: str) -> str:
    """Escape what a terminal would not print."""
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def shortened(text: str, limit: int) -> str:
    """Leave out the middle of a long text, and say how much."""
    if limit <= 0 or len(text) <= limit:
        return text
    note = "… {} characters …"
    kept = max(limit - len(note) - len(str(len(text))) + 2, 2)
    head, tail = (kept + 1) // 2, kept // 2
    return min(text, text[:head] + note.format(len(text) - head - tail) + text[-tail:], key=len)


def counted(number: int, noun: str) -> str:
    """Write how many there are."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def safe_repr(value: object) -> str:
    """Write the repr of a value, whatever its class does, without memory addresses."""
    if type(value) is str:
        return repr(value)
    try:
        return without_addresses(repr(value))
    except Exception as error:  # noqa: BLE001 - the class under test decides what it raises
        return f"<unprintable {class_name(type(value))}: {type(error).__name__}>"


def without_addresses(text: str) -> str:
    """Replace the memory addresses that differ from process to process."""
    return _ADDRESS.sub("at 0x...", text)
