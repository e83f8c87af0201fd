"""The leak scan: find and redact text that shows which system made an output."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from pytest_verdict.blind.candidates import Candidate, CandidateFile
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import ConfigurationError, LeakError

REDACTED: Final = "[redacted]"
_MINIMUM_LENGTH: Final = 3
_SEPARATORS: Final = "-_ \t\r\n."
_SEPARATOR_RUN: Final = re.compile(f"[{re.escape(_SEPARATORS)}]+")
# Common names of candidates and folders; they identify no system and often occur in an output.
_COMMON_NAMES_TEXT: Final = """
after answer app base baseline before build candidate data dist docs draft file files final first home input left main new old
out output outputs project report result results right root run runs second src temp test tests tmp user users var work workspace
"""
_COMMON_NAMES: Final = frozenset(_COMMON_NAMES_TEXT.split())


class Token(StrictModel, extra="ignore"):
    """A text that identifies a candidate."""

    text: str
    whole_word: bool


@dataclass(frozen=True, slots=True)
class Leak:
    where: str
    token: str
    count: int


class _FoldedText(NamedTuple):
    text: str
    origins: list[int]


def _fold(text: str) -> _FoldedText:
    """Return a text in lower case, with separators as single spaces, and the original position of each character."""
    parts: list[str] = []
    origins: list[int] = []
    for position, character in enumerate(text):
        part = character.lower()
        category = ""
        if not character.isascii():
            part = unicodedata.normalize("NFKD", character).casefold()
            category = unicodedata.category(character)
        if category == "Cf":
            # A reader does not see zero-width characters inside a name.
            continue
        if part in _SEPARATORS or category in {"Zs", "Pc", "Pd"}:
            part = " "
            if parts[-1:] == [" "]:
                continue
        parts.append(part)
        origins += [position] * len(part)
    return _FoldedText("".join(parts), origins)


def _compile_token(token: Token) -> re.Pattern[str] | None:
    name = _fold(token.text).text.strip()
    if len(name) < _MINIMUM_LENGTH:
        return None
    # GPT4 is another spelling of gpt-4.
    pattern = re.escape(name).replace(r"\ ", " ?")
    if token.whole_word:
        pattern = rf"(?<![^\W_]){pattern}(?![^\W_])"
    return re.compile(pattern)


def find_tokens(text: str, tokens: Iterable[Token]) -> dict[str, int]:
    """Count the tokens in a text; tokens that do not occur are left out."""
    # Most text is ASCII, which folds faster without origins.
    folded = _SEPARATOR_RUN.sub(" ", text.lower()) if text.isascii() else _fold(text).text
    counts: dict[str, int] = {}
    for token in tokens:
        pattern = _compile_token(token)
        if pattern is None:
            continue
        count = len(pattern.findall(folded))
        if count:
            counts[token.text] = count
    return counts


def find_leaks(where: str, text: str, tokens: Iterable[Token]) -> list[Leak]:
    return [Leak(where, token, number) for token, number in find_tokens(text, tokens).items()]


def redact_tokens(text: str, tokens: Iterable[Token]) -> str:
    patterns = [pattern for pattern in map(_compile_token, tokens) if pattern is not None]
    folded = _fold(text)
    spans = sorted(
        (folded.origins[match.start()], folded.origins[match.end() - 1] + 1)
        for pattern in patterns
        for match in pattern.finditer(folded.text)
    )
    parts: list[str] = []
    position = 0
    for start, end in spans:
        if start >= position:
            parts += [text[position:start], REDACTED]
        position = max(position, end)
    return "".join([*parts, text[position:]])


def collect_tokens(
    names: Sequence[str], identity: Mapping[str, Sequence[str]] | Sequence[str], candidates: Sequence[Candidate]
) -> tuple[Token, ...]:
    """Return the tokens of two candidates: the declared identity texts, their names, and parts of their paths."""
    declared: list[Any] = []
    for texts in identity.values() if isinstance(identity, Mapping) else [identity]:
        declared += texts if isinstance(texts, list | tuple | AbstractSet) else [texts]
    for text in declared:
        if not isinstance(text, str) or len(_fold(text).text.strip()) < _MINIMUM_LENGTH:
            raise ConfigurationError(f"identity lists texts of at least {_MINIMUM_LENGTH} characters, got {text!r}")

    tokens = [Token(text=text, whole_word=False) for text in declared]
    for name in (*names, *_list_path_names(candidates)):
        is_common = name.casefold() in _COMMON_NAMES or name.isdecimal()
        if not is_common:
            tokens.append(Token(text=name, whole_word=True))

    # A declared text takes precedence over a name with the same text.
    by_text = {token.text: token for token in reversed(tokens) if len(token.text) >= _MINIMUM_LENGTH}
    # The tokens are part of the digest that draws the assignment, so sort them.
    return tuple(by_text[text] for text in sorted(by_text))


def _list_path_names(candidates: Sequence[Candidate]) -> list[str]:
    paths = [candidate.source.absolute() for candidate in candidates if candidate.source is not None]
    if len(paths) == 2:
        first, second = ({*path.parts[1:], path.stem} for path in paths)
        # Names that both paths share identify neither.
        return sorted(first ^ second)
    return sorted({name for path in paths for name in (path.stem, path.parent.name)})


def get_searchable_text(file: CandidateFile) -> str:
    text = file.text or ""
    if file.reading.is_plain:
        return text
    # Documents and pictures hold names of programs as plain bytes, sometimes with a zero byte after each character.
    return text + "\n" + file.content.replace(b"\0", b"").decode("ascii", "replace")


def redact_candidate(candidate: Candidate, tokens: Sequence[Token]) -> Candidate:
    files = []
    for file in candidate.files:
        content = file.content
        if file.reading.is_plain:
            content = redact_tokens(file.text or "", tokens).encode()
        elif find_tokens(get_searchable_text(file), tokens):
            raise LeakError(
                f"{visible(file.path)} is no plain text, so the name of a candidate in it cannot be redacted; remove the name"
                " or leave the file out with exclude="
            )
        files.append(CandidateFile(redact_tokens(file.path, tokens), content))

    files.sort(key=lambda file: file.path)
    if len({file.path for file in files}) < len(files):
        raise LeakError("two files have the same name after the names of candidates are redacted; rename one of them")
    return replace(candidate, files=tuple(files))
