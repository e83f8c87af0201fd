"""Redaction: what must not be written down is replaced before it reaches a file."""

import base64
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Self

from pytest_verdict.core.values.display import CUT_MARK
from pytest_verdict.core.values.encoding import TYPE_KEY, encode
from pytest_verdict.core.values.placeholders import has_fields, hidden_fields, named_fields

Redaction = Callable[[str], str]

REDACTED: Final = "[redacted]"
REDACTED_VALUE: Final = f'"{TYPE_KEY}":"redacted"'

# The repr of a text in JSON in another text is escaped three times.
_MOST_ESCAPES: Final = 3
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U000[0-9a-fA-F]{5}|U0010[0-9a-fA-F]{4}|[\\'\"abfnrtv])"
)
_CONTAINERS: Final = frozenset({"dict", "tuple", "set", "frozenset", "enum", "dataclass", "model"})
_ENCODED_TWICE: Final = frozenset({"bytes", "bytearray", "text", "int", "timedelta"})
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_SHORTEST: Final = 4
_CREDENTIALS: Final = re.compile(r"(?<=://)[^\s/?#'\"<>]*@")
_QUERY: Final = re.compile(r"(://[^\s?#'\"<>]*)[?#][^\s'\"<>]*")


class RedactableText(str):  # noqa: SLOT000 - it keeps a function
    """A text that shows the beginning and end of a long value, and can be formatted again from the redacted value.

    Redaction has to come before the cut, because half of a secret matches no pattern.

    Args:
        format_text: From a redaction, or None, to the text.
    """

    _format_text: Callable[[Redaction | None], str]

    def __new__(cls, format_text: Callable[[Redaction | None], str]) -> Self:
        """Format the text without redaction."""
        text = super().__new__(cls, format_text(None))
        text._format_text = format_text
        return text

    def redacted(self, redaction: Redaction) -> str:
        """Return the text of the redacted value."""
        return redaction(self._format_text(redaction))

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


def redact_text(text: str, redaction: Redaction | None) -> str:
    """Return a text as it may be written down."""
    if redaction is None:
        return text
    if isinstance(text, RedactableText):
        return text.redacted(redaction)
    return redaction(text)


def redaction_of(patterns: Iterable[re.Pattern[str]]) -> Redaction:
    """Return the function that replaces what the patterns match, also where it is escaped as in a repr or in JSON."""
    # No function inside, so that other processes can have it.
    return functools.partial(_without_matches, tuple(patterns))


def _without_matches(patterns: tuple[re.Pattern[str], ...], text: str) -> str:
    parts, end = [], 0
    for start, stop in sorted([*_matches(text, patterns), *_halves(text, patterns)]):
        if start >= end:
            parts += [text[end:start], REDACTED]
        end = max(end, stop)
    return "".join([*parts, text[end:]]) if parts else text


def _matches(text: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[tuple[int, int]]:
    places: Sequence[int] = range(len(text) + 1)
    for _ in range(_MOST_ESCAPES + 1):
        for pattern in patterns:
            for match in pattern.finditer(text):
                if match.end() > match.start():
                    yield places[match.start()], places[match.end()]
        if "\\" not in text:
            return
        text, places = _unescaped(text, places)


def _halves(text: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[tuple[int, int]]:
    """Find the halves of literal secrets on both sides of a cut."""
    if "…" not in text:
        return
    secrets = [secret for pattern in patterns if (secret := _literal(pattern.pattern))]
    for cut in CUT_MARK.finditer(text):
        head = text[: cut.start()].rstrip("'\"")
        tail_start = len(text) - len(text[cut.end() :].lstrip("'\""))
        for secret in secrets:
            for size in range(len(secret) - 1, _SHORTEST - 1, -1):
                if head.endswith(secret[:size]):
                    yield len(head) - size, len(head)
                if text.startswith(secret[-size:], tail_start):
                    yield tail_start, tail_start + size


def _literal(pattern: str) -> str:
    """Return the text that a pattern stands for; an empty one when the pattern matches other texts too."""
    text = re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
    return text if re.escape(text) == pattern else ""


def _unescaped(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """Undo one level of escapes, and say of each character where it began."""
    parts, kept, end = [], [], 0
    for match in _ESCAPE.finditer(text):
        character = match.group().encode("ascii").decode("unicode_escape")
        # Two escapes may be the halves of one character.
        joined = character.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        parts += [text[end : match.start()], joined]
        kept += [*places[end : match.start()], places[match.start()]]
        end = match.end()
    return "".join([*parts, text[end:]]), [*kept, *places[end:]]


def literals(texts: Iterable[str]) -> list[re.Pattern[str]]:
    """Make patterns of texts; one of a few characters matches only as a whole."""
    found = sorted({text for text in texts if text}, key=lambda text: (-len(text), text))
    return [re.compile(re.escape(text) if len(text) >= _SHORTEST else rf"\A{re.escape(text)}\Z") for text in found]


def without_url_secrets(text: str) -> str:
    """Cut the credentials and the queries of all URLs in a text."""
    return _QUERY.sub(rf"\1?{REDACTED}", _CREDENTIALS.sub(f"{REDACTED}@", text))


def hiding(redaction: Redaction | None, *sides: Any) -> Redaction | None:
    """Add to a redaction what pydantic's models hide in values, and what its secrets hold."""
    pending = [(side, False) for side in sides if type(side) not in _PLAIN]
    found: set[str] = set()
    seen = set()
    while pending:
        value, is_hidden = pending.pop()
        if (id(value), is_hidden) in seen or type(value) in _PLAIN:
            found.update(_texts(value) if is_hidden else ())
            continue
        seen.add((id(value), is_hidden))
        inside = _inside(value)
        pending += [
            (item, is_hidden or hides) for item, hides in inside or () if is_hidden or hides or type(item) not in _PLAIN
        ]
        if inside is None and is_hidden:
            found.update(_texts(encode(value)))
    if not found:
        return redaction
    hidden = redaction_of(literals(found))
    return hidden if redaction is None else lambda text: hidden(redaction(text))


def _inside(value: Any) -> list[tuple[Any, bool]] | None:
    """Give what a value holds and whether it hides it, and nothing for a value without parts."""
    cls = type(value)
    try:
        # Not isinstance, which asks the value itself.
        if issubclass(cls, dict | list | tuple | set | frozenset | Mapping):
            return [(item, False) for item in (value.values() if issubclass(cls, Mapping) else value)]
        if has_fields(value):
            names = hidden_fields(cls)
            return [(item, name in names) for name, item in named_fields(value)[2].items()]
        return [(value.get_secret_value(), True)] if hasattr(cls, "get_secret_value") else None
    except Exception:  # noqa: BLE001 - what cannot be read is not written either
        return None


def redact(encoded: Any, redaction: Redaction) -> Any:
    """Replace what must not be written down in an encoded value."""
    if isinstance(encoded, list):
        return [redact(item, redaction) for item in encoded]
    if isinstance(encoded, dict) and TYPE_KEY not in encoded:
        return _redact_keys(encoded, redaction)
    if isinstance(encoded, dict) and encoded[TYPE_KEY] in _CONTAINERS:
        return _redact_container(encoded, redaction)
    # A date without some of its digits is no date any more: the whole value is replaced.
    found = ((text, redaction(text)) for text in _texts(encoded))
    replaced = next((new for text, new in found if new != text), None)
    if replaced is None:
        return encoded
    # Other forms of what is encoded twice may hold another secret.
    return _redacted(REDACTED if isinstance(encoded, dict) and encoded[TYPE_KEY] in _ENCODED_TWICE else replaced)


def redact_json(value: Any, redaction: Redaction) -> Any:
    """Replace what must not be written down in plain JSON, which stays plain JSON."""
    if isinstance(value, dict):
        return {name: redact_json(item, redaction) for name, item in redact_names(value, redaction).items()}
    if isinstance(value, list):
        return [redact_json(item, redaction) for item in value]
    replaced = redact(value, redaction)
    return replaced if replaced is value else replaced["value"]


def redact_names(named: Mapping[str, Any], redaction: Redaction) -> dict[str, Any]:
    """Replace what must not be written down in keys that stay text; two keys stay two."""
    found: dict[str, Any] = {}
    for name, value in named.items():
        label = redaction(name)
        while label in found:
            label += "#"
        found[label] = value
    return found


def _redacted(text: str) -> dict[str, Any]:
    return {TYPE_KEY: "redacted", "value": text}


def _redact_keys(encoded: dict[str, Any], redaction: Redaction) -> dict[str, Any]:
    entries = [[redact(key, redaction), redact(item, redaction)] for key, item in encoded.items()]
    is_plain = all(isinstance(key, str) for key, _ in entries)
    return dict(entries) if is_plain else {TYPE_KEY: "dict", "value": entries}


def _redact_container(encoded: dict[str, Any], redaction: Redaction) -> Any:
    names = [str(encoded[name]) for name in ("class", "member") if name in encoded]
    if any(redaction(name) != name for name in names):
        return _redacted(REDACTED)
    inner = redact(encoded["value"], redaction)
    if encoded[TYPE_KEY] in {"dataclass", "model"} and TYPE_KEY in inner:
        # An object whose fields cannot be named has entries.
        return inner
    return {**encoded, "value": inner}


def _texts(encoded: Any) -> Iterator[str]:
    """Give the forms in which an encoded scalar may hold what must not be written."""
    if not isinstance(encoded, dict):
        if encoded is not None and not isinstance(encoded, bool):
            yield str(encoded)
        return
    kind, value = encoded[TYPE_KEY], encoded["value"]
    yield str(value)
    if kind in {"bytes", "bytearray"}:
        content = base64.b64decode(value)
        # Without zeros, what was encoded in UTF-16 may read as the text.
        yield from (part.decode("utf-8", "backslashreplace") for part in (content, content.replace(b"\0", b"")))
        yield content.decode("utf-16-le", "replace")
    elif kind == "text":
        yield "".join(map(chr, value))
    elif kind == "int":
        yield f"{Decimal(int(value, 16)):f}"
