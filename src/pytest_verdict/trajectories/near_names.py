"""Names that are almost the same: a setting that names a tool, an argument or an agent in another spelling has no effect."""

import re
import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from rapidfuzz.distance import OSA

_SEPARATED: Final = re.compile(r"[\W_]+")
_CAMEL_CASE: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_DIGIT: Final = re.compile(r"\d")
# The digits, and the letters of Cyrillic and Greek, that look like others.
_LOOK_ALIKES: Final = str.maketrans("01аеорсухіѕјкмтвнԁοανικρτυχ", "olaeopcyxisjkmtbhdoavikptux")  # noqa: RUF001
# Signs between a server, module or namespace and the name of its tool.
_QUALIFIER: Final = re.compile(r"__|[^\w\s-]")
_WILDCARD: Final = re.compile(r"[*?|^$]")
# A date, or a number behind a longer name, is a version; two numbers are two things.
_VERSION: Final = re.compile(
    r"[\W_]v\d[\d.]*\Z|[:@](latest|\d[\d.]*)\Z|_\d{6,}\Z|(?<=\w{6})(?<!\d)_?\d+\Z", re.IGNORECASE
)
# First and last words that say how a tool is called, and not what it does.
_CALL_BEFORE: Final = frozenset(
    {"tool", "tools", "function", "func", "fn", "call", "do", "exec", "execute", "invoke", "perform", "run", "use"}
)
_KINDS: Final = frozenset({"tool", "function", "func", "fn"})
_CALL_AFTER: Final = _KINDS | {"async", "sync", "preview", "beta"}
# First words with which a name is another one; any other first word may be the name of a server.
_MODIFIERS: Final = frozenset(
    {"add", "all", "async", "batch", "bulk", "cancel", "child", "close", "create", "delete", "dry", "end", "fetch"}
    | {"find", "first", "force", "from", "get", "has", "is", "last", "list", "max", "min", "multi", "new"}
    | {"next", "no", "old", "open", "parent", "previous", "read", "remove", "reset", "run", "safe", "search", "send"}
    | {"set", "soft", "start", "stop", "sync", "to", "total", "try", "undo", "update", "write"}
)
_SHORTEST_WITH_TYPO: Final = 4
_SHORTEST_WITH_OTHER_LETTER: Final = 6
_LONGEST_WITH_TYPO: Final = 100


def find_near_name(names: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first of some names that is near another one, and that one."""
    index: dict[str, list[str]] = {}
    for other in sorted(others):
        for key in _list_keys(other):
            index.setdefault(key, []).append(other)
    for name in sorted(names):
        candidates = dict.fromkeys(other for key in _list_keys(name) for other in index.get(key, ()))
        if _WILDCARD.search(name):
            candidates.update(dict.fromkeys(sorted(others)))
        for other in candidates:
            if _is_pattern_of(name, other) or is_near_name(name, other):
                return name, other
    return None


def is_near_name(name: str, other: str) -> bool:
    """Return whether two names differ only by case, separators, look-alikes, a prefix, or one letter."""
    spellings, variants = _list_spellings(name)
    other_spellings, other_variants = _list_spellings(other)
    if spellings & other_spellings or spellings & other_variants or variants & other_spellings:
        return True
    # Two numbers are two things.
    if _DIGIT.findall(name) != _DIGIT.findall(other):
        return False
    joined = _join_words(name)
    other_joined = _join_words(other)
    if min(len(joined), len(other_joined)) < _SHORTEST_WITH_TYPO:
        return False
    if OSA.distance(joined, other_joined, score_cutoff=1) != 1:
        return False
    if len(joined) != len(other_joined) or sorted(joined) == sorted(other_joined):
        return True

    # Another letter makes a short word another one, as get and set.
    words = _split_words(name)
    other_words = _split_words(other)
    if len(words) != len(other_words):
        return False
    word, other_word = next(pair for pair in zip(words, other_words, strict=True) if pair[0] != pair[1])
    return len(word) == len(other_word) >= _SHORTEST_WITH_OTHER_LETTER and word[0] == other_word[0]


def _is_pattern_of(name: str, other: str) -> bool:
    """Return whether a name with wildcards matches another one; names are compared as they are, so its author erred."""
    choices = name.strip("^$").replace(".*", "*").split("|")
    return _WILDCARD.search(name) is not None and any(fnmatchcase(other, choice) for choice in choices)


def _list_keys(name: str) -> set[str]:
    """Return keys for a name; two near names share one, so that names need not be compared in pairs."""
    joined = _join_words(name)
    keys = set[str]().union(*_list_spellings(name))
    if len(joined) <= _LONGEST_WITH_TYPO:
        keys.update(joined[:at] + joined[at + 1 :] for at in range(len(joined)))
    return keys


def _split_words(name: str) -> list[str]:
    text = unicodedata.normalize("NFKD", _CAMEL_CASE.sub("_", name)).casefold().translate(_LOOK_ALIKES)
    return [word for word in _SEPARATED.split("".join(filter(str.isprintable, text))) if word]


def _join_words(name: str) -> str:
    return "".join(_split_words(name)) or name


def _list_spellings(name: str) -> tuple[set[str], set[str]]:
    """Return the spellings of a name with and without its server or module, and what it may be called without a prefix."""
    words = _split_words(name)
    variants = []
    if words[:1] == ["mcp"]:
        variants.append(words[2:])
    if len(words) > 2 and words[0] not in _MODIFIERS:
        # One word may be a tool of its own: search is not web_search.
        variants.append(words[1:])
    if len(words) == 2:
        variants.append(words[::-1])
    unversioned = _VERSION.sub("", _CAMEL_CASE.sub("_", name))
    for source in (unversioned, _strip_qualifier(unversioned)):
        words = _split_words(source)
        # Of two words both matter: phone is not phone_call.
        if len(words) > 2 and words[0] in _CALL_BEFORE:
            words = words[1:]
        if words[-1:] and words[-1] in (_KINDS if len(words) == 2 else _CALL_AFTER):
            words = words[:-1]
        variants.append(words)
    spellings = {_join_words(name), _join_words(_strip_qualifier(name))}
    return spellings, {"".join(variant) for variant in variants if variant}


def _strip_qualifier(name: str) -> str:
    *_, last = [part for part in _QUALIFIER.split(name) if not part.isdecimal()] or [name]
    return last or name
