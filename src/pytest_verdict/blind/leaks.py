"""The leak scan: whatever in a candidate or a task names the system that made it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_verdict.blind.candidates import Candidate, CandidateFile
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import ConfigurationError, LeakError

REDACTED: Final = "[redacted]"
_SHORTEST: Final = 3
_SEPARATORS: Final = "-_ \t\r\n."
_SEPARATED: Final = re.compile(f"[{re.escape(_SEPARATORS)}]+")
# Words that say nothing of a system, whether a candidate or a folder is called so; a text may well have them.
_WORDS: Final = """
after answer app base baseline before build candidate data dist docs draft file files final first home input left main new old
out output outputs project report result results right root run runs second src temp test tests tmp user users var work workspace
"""
_ORDINARY: Final = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class Token:
    """A text that gives away a candidate."""

    text: str
    whole_word: bool = False


@dataclass(frozen=True, slots=True)
class Leak:
    """Where a token was found."""

    where: str
    token: str
    count: int


def _folded(text: str) -> tuple[str, list[int]]:
    """Give a text as it is searched, and where each of its characters came from."""
    parts: list[str] = []
    origins: list[int] = []
    for position, character in enumerate(text):
        part = _folded_character(character)
        if part and not (part == " " and parts[-1:] == [" "]):
            parts.append(part)
            origins += [position] * len(part)
    return "".join(parts), origins


def _folded_character(character: str) -> str:
    if character.isascii():
        return " " if character in _SEPARATORS else character.lower()
    category = unicodedata.category(character)
    if category == "Cf":
        # Zero-width characters split a name for a program, but not for a reader.
        return ""
    folded = unicodedata.normalize("NFKD", character).casefold()
    return " " if category in {"Zs", "Pc", "Pd"} or folded in _SEPARATORS else folded


def _pattern(token: Token) -> re.Pattern[str] | None:
    wanted = _folded(token.text)[0].strip()
    if len(wanted) < _SHORTEST:
        return None
    # GPT4 is a name of gpt-4 too.
    escaped = re.escape(wanted).replace(r"\ ", " ?")
    return re.compile(rf"(?<![^\W_]){escaped}(?![^\W_])" if token.whole_word else escaped)


def find_tokens(text: str, tokens: Iterable[Token]) -> dict[str, int]:
    """Count tokens in a text."""
    # Most text is ASCII, and where each character came from is not asked.
    folded = _SEPARATED.sub(" ", text.lower()) if text.isascii() else _folded(text)[0]
    patterns = ((token.text, _pattern(token)) for token in tokens)
    counts = {wanted: len(pattern.findall(folded)) for wanted, pattern in patterns if pattern is not None}
    return {wanted: count for wanted, count in counts.items() if count}


def redact_tokens(text: str, tokens: Iterable[Token]) -> str:
    """Replace every token in a text."""
    patterns = [pattern for token in tokens if (pattern := _pattern(token)) is not None]
    folded, origins = _folded(text) if patterns else ("", [])
    matches = (match for pattern in patterns for match in pattern.finditer(folded))
    spans = sorted((origins[match.start()], origins[match.end() - 1] + 1) for match in matches)
    kept: list[str] = []
    position = 0
    for start, end in spans:
        if start >= position:
            kept += [text[position:start], REDACTED]
        position = max(position, end)
    return "".join([*kept, text[position:]])


def identity_tokens(
    names: Sequence[str], identity: Mapping[str, Sequence[str]] | Sequence[str], candidates: Sequence[Candidate]
) -> tuple[Token, ...]:
    """Collect what would give the candidates away."""
    lists = list(identity.values()) if isinstance(identity, Mapping) else [identity]
    declared: list[Any] = [
        text for items in lists for text in (items if isinstance(items, list | tuple | AbstractSet) else [items])
    ]
    for text in declared:
        if not isinstance(text, str) or len(_folded(text)[0].strip()) < _SHORTEST:
            raise ConfigurationError(f"identity lists texts of at least {_SHORTEST} characters, got {text!r}")
    named = (*names, *_parts(candidates))
    telling = (name for name in named if name.casefold() not in _ORDINARY and not name.isdecimal())
    found = [Token(text) for text in declared]
    found += [Token(name, whole_word=True) for name in telling]
    # What was declared counts before a name of the same text.
    by_text = {token.text: token for token in reversed(found) if len(token.text) >= _SHORTEST}
    # In one order, whatever order they were given in: what is settled decides the draw.
    return tuple(by_text[text] for text in sorted(by_text))


def _parts(candidates: Sequence[Candidate]) -> list[str]:
    paths = [candidate.source.absolute() for candidate in candidates if candidate.source is not None]
    parts = [{*path.parts[1:], path.stem} for path in paths]
    # What both paths share tells nothing; of a path alone, only its own name and its folder's do.
    own = parts[0] ^ parts[1] if len(parts) == 2 else {name for path in paths for name in (path.stem, path.parent.name)}
    return sorted(own)


def texts_of(candidate: Candidate, label: str) -> Iterator[tuple[str, str]]:
    """Give the names and contents of a candidate's files, each with where it stands."""
    for file in candidate.files:
        yield f"name in {label}: {file.path}", file.path
        yield f"content of {label}: {file.path}", _searchable(file)


def _searchable(file: CandidateFile) -> str:
    text = file.text or ""
    if file.reading.is_plain:
        return text
    # Documents and pictures carry names of programs in plain bytes, some with a zero byte behind each character.
    return text + "\n" + file.content.replace(b"\0", b"").decode("ascii", "replace")


def redact_candidate(candidate: Candidate, tokens: Sequence[Token]) -> Candidate:
    """Replace every token in the names and contents of a candidate's files."""
    files = []
    for file in candidate.files:
        is_plain = file.reading.is_plain
        if not is_plain and find_tokens(_searchable(file), tokens):
            raise LeakError(
                f"{visible(file.path)} is no plain text, so what names a candidate in it cannot be redacted"
            )
        content = redact_tokens(file.text or "", tokens).encode() if is_plain else file.content
        files.append(CandidateFile(redact_tokens(file.path, tokens), content))
    if len({file.path for file in files}) < len(files):
        raise LeakError("two files would have the same name once what names a candidate is redacted; rename one")
    return replace(candidate, files=tuple(sorted(files, key=lambda file: file.path)))
