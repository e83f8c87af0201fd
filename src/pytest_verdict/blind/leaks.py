"""The leak scan: find and redact text that shows which system made an output."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from pytest_verdict.blind.candidates import Candidate, CandidateFile
from pytest_verdict.blind.record import Leak, Token
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import ConfigurationError, LeakError

REDACTED: Final = "[redacted]"
_MINIMUM_LENGTH: Final = 3
_SEPARATORS: Final = re.compile(r"[-_\s.]+")
# Common names of candidates and folders; they identify no system and often occur in an output.
_COMMON_NAMES_TEXT: Final = """
after answer app base baseline before build candidate data dist docs draft file files final first home input left main new old
out output outputs project report result results right root run runs second src temp test tests tmp user users var work workspace
"""
_COMMON_NAMES: Final = frozenset(_COMMON_NAMES_TEXT.split())


def _fold(text: str) -> str:
    """Return a text in lower case, with one space for each run of separators and without invisible characters."""
    if not text.isascii():
        text = "".join(map(_fold_character, text))
    return _SEPARATORS.sub(" ", text.lower())


def _fold_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    if category in {"Zs", "Pc", "Pd"}:
        return " "
    return unicodedata.normalize("NFKD", character).casefold()


def _compile_token(token: Token) -> re.Pattern[str]:
    # GPT4 is another spelling of gpt-4.
    pattern = re.escape(_fold(token.text).strip()).replace(r"\ ", " ?")
    if token.whole_word:
        pattern = rf"(?<![^\W_]){pattern}(?![^\W_])"
    return re.compile(pattern)


def _is_too_short(text: str) -> bool:
    return len(_fold(text).strip()) < _MINIMUM_LENGTH


def find_tokens(text: str, tokens: Iterable[Token]) -> dict[str, int]:
    """Count the tokens in a text; tokens that do not occur are left out."""
    folded = _fold(text)
    counts = {
        token.text: len(_compile_token(token).findall(folded)) for token in tokens if not _is_too_short(token.text)
    }
    return {token: count for token, count in counts.items() if count}


def redact_tokens(text: str, tokens: Iterable[Token]) -> str:
    """Replace what `find_tokens` finds."""
    folded: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text):
        for part in _fold(character):
            if part != " " or folded[-1:] != [" "]:
                folded.append(part)
                positions.append(position)
    characters: list[str | None] = list(text)
    for token in tokens:
        if not _is_too_short(token.text):
            for match in _compile_token(token).finditer("".join(folded)):
                for position in range(positions[match.start()], positions[match.end() - 1] + 1):
                    characters[position] = None
    groups = groupby(characters, key=lambda character: character is None)
    return "".join(REDACTED if is_token else "".join(map(str, group)) for is_token, group in groups)


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
    return replace(candidate, files=tuple(files), source_digest=candidate.digest)


def find_leaks(where: str, text: str, tokens: Iterable[Token]) -> list[Leak]:
    return [Leak(where=where, token=token, count=count) for token, count in find_tokens(text, tokens).items()]


def collect_tokens(names: Sequence[str], identity: Sequence[str], candidates: Sequence[Candidate]) -> tuple[Token, ...]:
    """Return the tokens of two candidates: the declared identity texts, their names, and parts of their paths."""
    for text in identity:
        if _is_too_short(text):
            raise ConfigurationError(f"identity lists texts of at least {_MINIMUM_LENGTH} characters, got {text!r}")

    by_text = {}
    for name in (*names, *_list_path_names(candidates)):
        is_common = name.casefold() in _COMMON_NAMES or name.isdecimal()
        if not is_common and len(name) >= _MINIMUM_LENGTH:
            by_text[name] = Token(text=name, whole_word=True)
    # A declared text takes precedence over a name with the same text.
    by_text |= {text: Token(text=text, whole_word=False) for text in identity}
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
    # Other files hold names of programs as plain bytes, sometimes with a zero byte after each character.
    return text + "\n" + file.content.replace(b"\0", b"").decode("ascii", "replace")
