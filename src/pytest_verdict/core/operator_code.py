"""A digest of the code of an operator that does not come with this package, so that a changed body is seen."""

import hashlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

_OURS: Final = __name__.partition(".")[0]
_OF_OTHERS: Final = {_OURS, "pydantic", "builtins", "abc", "typing"}
_known: WeakKeyDictionary[type, str] = WeakKeyDictionary()


def is_ours(cls: type) -> bool:
    """Say whether a class comes with this package."""
    return cls.__module__.partition(".")[0] == _OURS


def code_of(cls: type) -> str:
    """Give the first 128 bits of the SHA-256 of the source of a class and its bases; empty for ours, and without a source."""
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = "" if is_ours(cls) else _digest(cls)
    return found


def code_of_function(function: Callable[..., Any]) -> str:
    """Give the same of the source of one function."""
    return _hashed(_source(function))


def _digest(cls: type) -> str:
    # Our base classes have a version of their own.
    sources = [_source(base) for base in cls.__mro__ if base.__module__.partition(".")[0] not in _OF_OTHERS]
    return _hashed("\0".join(sources) if all(sources) else "")


def _hashed(text: str) -> str:
    if text:
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return ""


def _source(code: Any) -> str:
    # A class that was made of a function has no source of its own.
    function = getattr(getattr(code, "__dict__", {}).get("evaluate"), "made_of", code)
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError, SyntaxError):
        return ""
