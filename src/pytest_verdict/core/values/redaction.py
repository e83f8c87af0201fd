"""Redaction: secrets are replaced before a value is written."""

import base64
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Self

from pytest_verdict.core.values.display import CUT_MARK
from pytest_verdict.core.values.encoding import TYPE_KEY, encode
from pytest_verdict.core.values.placeholders import PLAIN, has_fields, hidden_fields, named_fields

Redaction = Callable[[str], str]

REDACTED: Final = "[redacted]"
REDACTED_VALUE: Final = f'"{TYPE_KEY}":"redacted"'

# The repr of a text inside JSON inside another text is escaped three times.
_MOST_ESCAPES: Final = 3
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U000[0-9a-fA-F]{5}|U0010[0-9a-fA-F]{4}|[\\'\"abfnrtv])"
)
_CONTAINERS: Final = frozenset({"dict", "tuple", "set", "frozenset", "enum", "dataclass", "model"})
_ENCODED_TWICE: Final = frozenset({"bytes", "bytearray", "text", "int", "timedelta"})
_SHORTEST: Final = 4
_CREDENTIALS: Final = re.compile(r"(?<=://)[^\s/?#'\"<>]*@")
_QUERY: Final = re.compile(r"(://[^\s?#'\"<>]*)[?#][^\s'\"<>]*")


class RedactableText(str):  # noqa: SLOT000 - it keeps a function
    """A text with a shortened value; redaction must come before the cut, because half of a secret matches no pattern."""

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
    """Return the redacted text."""
    if redaction is None:
        return text
    if isinstance(text, RedactableText):
        return text.redacted(redaction)
    return redaction(text)


def redaction_of(patterns: Iterable[re.Pattern[str]]) -> Redaction:
    """Return the function that replaces the matches of patterns, also if they are escaped as in a repr or in JSON."""
    # A partial of a module function, because other processes get it by pickle.
    return functools.partial(_replace_matches, tuple(patterns))


def _replace_matches(patterns: tuple[re.Pattern[str], ...], text: str) -> str:
    parts = []
    end = 0
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
        text, places = _unescape(text, places)


def _halves(text: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[tuple[int, int]]:
    """Yield the places of halves of literal secrets on both sides of a cut."""
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
    """Return the only text that a pattern matches, or an empty text if it matches several."""
    text = re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
    return text if re.escape(text) == pattern else ""


def _unescape(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """Undo one level of escapes; return the text and the original place of each character."""
    parts = []
    origins = []
    end = 0
    for match in _ESCAPE.finditer(text):
        character = match.group().encode("ascii").decode("unicode_escape")
        # Two escapes may be the halves of one character.
        joined = character.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        parts += [text[end : match.start()], joined]
        origins += [*places[end : match.start()], places[match.start()]]
        end = match.end()
    return "".join([*parts, text[end:]]), [*origins, *places[end:]]


def literals(texts: Iterable[str]) -> list[re.Pattern[str]]:
    """Return patterns for texts; a short text is redacted only if it is the whole value."""
    longest_first = sorted({text for text in texts if text}, key=lambda text: (-len(text), text))
    escaped = [(text, re.escape(text)) for text in longest_first]
    return [re.compile(pattern if len(text) >= _SHORTEST else rf"\A{pattern}\Z") for text, pattern in escaped]


def without_url_secrets(text: str) -> str:
    """Remove the credentials and queries of all URLs in a text."""
    return _QUERY.sub(rf"\1?{REDACTED}", _CREDENTIALS.sub(f"{REDACTED}@", text))


def hiding(redaction: Redaction | None, *sides: Any) -> Redaction | None:
    """Add to a redaction the values of fields and secrets that pydantic models hide."""
    pending = [(side, False) for side in sides]
    hidden: set[str] = set()
    visited = set()
    while pending:
        value, is_hidden = pending.pop()
        parts = None
        if type(value) not in PLAIN and (id(value), is_hidden) not in visited:
            visited.add((id(value), is_hidden))
            parts = _parts_of(value)
        if parts is not None:
            pending += [(item, is_hidden or hides) for item, hides in parts]
        elif is_hidden:
            hidden.update(_texts(encode(value)))
    if not hidden:
        return redaction
    redact_hidden = redaction_of(literals(hidden))
    if redaction is None:
        return redact_hidden
    return lambda text: redact_hidden(redaction(text))


def _parts_of(value: Any) -> list[tuple[Any, bool]] | None:
    """Return the parts of a value, each with whether it is hidden; None for a value without parts."""
    cls = type(value)
    try:
        # Not isinstance, which calls the value's own __class__.
        if issubclass(cls, dict | list | tuple | set | frozenset | Mapping):
            return [(item, False) for item in (value.values() if issubclass(cls, Mapping) else value)]
        if has_fields(value):
            names = hidden_fields(cls)
            return [(item, name in names) for name, item in named_fields(value)[2].items()]
        return [(value.get_secret_value(), True)] if hasattr(cls, "get_secret_value") else None
    except Exception:  # noqa: BLE001 - a value that cannot be read is not written either
        return None


def redact(encoded: Any, redaction: Redaction) -> Any:
    """Redact an encoded value."""
    if isinstance(encoded, list):
        return [redact(item, redaction) for item in encoded]
    kind = None
    if isinstance(encoded, dict):
        if TYPE_KEY not in encoded:
            entries = [[redact(key, redaction), redact(item, redaction)] for key, item in encoded.items()]
            if all(isinstance(key, str) for key, _ in entries):
                return dict(entries)
            return {TYPE_KEY: "dict", "value": entries}
        kind = encoded[TYPE_KEY]
    if kind in _CONTAINERS:
        names = [str(encoded[name]) for name in ("class", "member") if name in encoded]
        if any(redaction(name) != name for name in names):
            return {TYPE_KEY: "redacted", "value": REDACTED}
        inner = redact(encoded["value"], redaction)
        if kind in {"dataclass", "model"} and TYPE_KEY in inner:
            # The names of fields were redacted, so they are entries of a dict.
            return inner
        return {**encoded, "value": inner}
    for text in _texts(encoded):
        redacted = redaction(text)
        if redacted != text:
            # The whole value, because a date without some digits is no date. The other texts of a value that is encoded
            # twice may have more secrets.
            return {TYPE_KEY: "redacted", "value": REDACTED if kind in _ENCODED_TWICE else redacted}
    return encoded


def redact_json(value: Any, redaction: Redaction) -> Any:
    """Redact plain JSON; the result is plain JSON."""
    if isinstance(value, dict):
        return {name: redact_json(item, redaction) for name, item in redact_names(value, redaction).items()}
    if isinstance(value, list):
        return [redact_json(item, redaction) for item in value]
    replaced = redact(value, redaction)
    return replaced if replaced is value else replaced["value"]


def redact_names(named: Mapping[str, Any], redaction: Redaction) -> dict[str, Any]:
    """Redact keys; redacted keys are text, and remain distinct."""
    redacted: dict[str, Any] = {}
    for name, value in named.items():
        label = redaction(name)
        while label in redacted:
            label += "#"
        redacted[label] = value
    return redacted


def _texts(encoded: Any) -> Iterator[str]:
    """Yield the texts that an encoded scalar may contain."""
    if not isinstance(encoded, dict):
        if encoded is not None and not isinstance(encoded, bool):
            yield str(encoded)
        return
    kind = encoded[TYPE_KEY]
    value = encoded["value"]
    yield str(value)
    if kind in {"bytes", "bytearray"}:
        content = base64.b64decode(value)
        # UTF-16 without its zeros is often the text.
        yield from (part.decode("utf-8", "backslashreplace") for part in (content, content.replace(b"\0", b"")))
        yield content.decode("utf-16-le", "replace")
    elif kind == "text":
        yield "".join(map(chr, value))
    elif kind == "int":
        yield f"{Decimal(int(value, 16)):f}"
