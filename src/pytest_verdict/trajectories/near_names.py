"""Names that are almost the same: a setting that names a tool, an argument or an agent in another spelling has no effect."""

import functools
import re
import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

_SEPARATED: Final = re.compile(r"[\W_]+")
_CAMEL_CASE: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
# The digits, and the letters of Cyrillic and Greek, that look like others.
_LOOK_ALIKES: Final = str.maketrans("01аеорсухіѕјкмтвнԁοανικρτυχ", "olaeopcyxisjkmtbhdoavikptux")  # noqa: RUF001
# Signs between a server, module or namespace and the name of its tool.
_QUALIFIER: Final = re.compile(r"__|[^\w\s-]")
# Last words that say which version or kind of a thing it is; a number is one only behind a long name.
_LAST_WORD: Final = re.compile(
    r"([\W_](v\d[\d.]*|tool|function|func|fn|async|sync|preview|beta)|[:@](latest|\d[\d.]*)|_\d{6,}|(?<=\w{6})(?<!\d)_?\d+)\Z",
    re.IGNORECASE,
)
_WILDCARD: Final = re.compile(r"[*?|^$]")
_SHORTEST_WITH_TYPO: Final = 4
_SHORTEST_WITH_OTHER_LETTER: Final = 6


class _Spellings(NamedTuple):
    words: list[str]
    own: frozenset[str]
    """The name with and without its server or module."""
    other: frozenset[str]
    """What it may be called without a server, a version, or first words that leave at least two."""


def find_near_name(names: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first of some names that is near another one, and that one."""
    choices = sorted(others)
    for name in sorted(names):
        for other in choices:
            if _is_pattern_of(name, other) or is_near_name(name, other):
                return name, other
    return None


def is_near_name(name: str, other: str) -> bool:
    """Return whether two names differ only by case, separators, look-alikes, words around them, or one letter."""
    spellings = _list_spellings(name)
    others = _list_spellings(other)
    if spellings.own & (others.own | others.other) or spellings.other & others.own:
        return True
    # Two numbers are two things.
    if re.findall(r"\d", name) != re.findall(r"\d", other):
        return False
    joined = "".join(spellings.words)
    other_joined = "".join(others.words)
    if min(len(joined), len(other_joined)) < _SHORTEST_WITH_TYPO or OSA.distance(joined, other_joined) != 1:
        return False
    if len(joined) != len(other_joined) or sorted(joined) == sorted(other_joined):
        return True

    # Another letter makes a short word another one, as get and set.
    pairs = zip(spellings.words, others.words, strict=False)
    word, other_word = next(pair for pair in pairs if pair[0] != pair[1])
    return len(word) == len(other_word) >= _SHORTEST_WITH_OTHER_LETTER and word[0] == other_word[0]


def _is_pattern_of(name: str, other: str) -> bool:
    """Return whether a name with wildcards matches another one; names are compared as they are, so its author erred."""
    choices = name.strip("^$").replace(".*", "*").split("|")
    return _WILDCARD.search(name) is not None and any(fnmatchcase(other, choice) for choice in choices)


@functools.lru_cache(maxsize=4096)
def _list_spellings(name: str) -> _Spellings:
    words = _split_words(name)
    own = {"".join(words), "".join(_split_words(_strip_qualifier(name)))}
    variants = [words[::-1]] if len(words) == 2 else []
    if words[:1] == ["mcp"]:
        variants.append(words[2:])
    short = _CAMEL_CASE.sub("_", name)
    for _ in range(3):
        short = _LAST_WORD.sub("", short)
        variants += [_split_words(short), _split_words(_strip_qualifier(short))]
    # One word may be a tool of its own: search is not web_search.
    variants += [own[at:] for own in tuple(variants) or [words] for at in range(1, len(own) - 1)]
    return _Spellings(words, frozenset(own), frozenset("".join(variant) for variant in variants if variant))


def _split_words(name: str) -> list[str]:
    text = unicodedata.normalize("NFKD", _CAMEL_CASE.sub("_", name)).casefold().translate(_LOOK_ALIKES)
    return [word for word in _SEPARATED.split("".join(filter(str.isprintable, text))) if word] or [name]


def _strip_qualifier(name: str) -> str:
    *_, last = [part for part in _QUALIFIER.split(name) if not part.isdecimal()] or [name]
    return last or name
