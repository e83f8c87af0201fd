"""Loading what a suite names: what families bring, objects of the user by their dotted path, and JSON; JSON as text."""

import importlib
import json
from typing import Any, Final, NoReturn

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import shortened
from pytest_verdict.core.values.numbers import is_beyond_float
from pytest_verdict.errors import AdapterError, ConfigurationError


def load_brought(hook: str, name: str) -> Any | None:
    """Load what a family brings by a name; None when none does."""
    place = FAMILIES.find(hook, name)
    if place is None:
        return None
    try:
        return load(place)
    except Exception as error:
        raise ConfigurationError(f"{name!r} of {hook}, {place}, cannot be loaded: {error}") from error


def import_object(path: str, kind: str, hint: str = "") -> Any:
    """Import what a dotted path names; the hint ends the message when there is no such module."""
    module_name, _, name = path.rpartition(":" if ":" in path else ".")
    if not module_name or not name:
        raise AdapterError(f"the {kind} {path!r} is no dotted path such as my_project.adapters.Sentiment")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if not f"{module_name}.".startswith(f"{error.name}."):
            raise
        reason = f"the {kind} {path!r} cannot be imported: there is no module {error.name!r}"
        ways = "with pytest, set pythonpath = . in the ini file or put a conftest.py beside the module"
        raise AdapterError(f"{reason}; {ways}{hint}") from None
    for part in name.split("."):
        if not hasattr(found, part):
            raise AdapterError(f"the {kind} {path!r} cannot be imported: {module_name} has no {part!r}")
        found = getattr(found, part)
    return found


def read_json(text: str, *, checks_keys_itself: bool = False) -> Any:
    """Read a document strictly, with numbers as Python's json reads them; what is refused is a ValueError.

    Whoever sees to it that no key occurs twice spares the call for each object.
    """
    digits = text.encode("utf-8", "replace").translate(_DIGITS_ALIKE, _SIGNS)
    decoder = _QUICK_DECODER if checks_keys_itself else _DECODER
    if _LARGE_EXPONENT in digits or _MANY_DIGITS in digits:
        decoder = _CAREFUL_DECODER
    try:
        return decoder.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def as_text(value: Any) -> str:
    """Write a value where text is needed: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(_with_text_keys(value), sort_keys=True, ensure_ascii=False, default=str)


def _with_text_keys(value: Any) -> Any:
    """Make keys of YAML text, as JSON has them: numbers and texts cannot be sorted together."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else as_text(key).strip('"'): _with_text_keys(inner)
            for key, inner in value.items()
        }
    return [*map(_with_text_keys, value)] if isinstance(value, list | tuple) else value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _held(written: str) -> float:
    number = float(written)
    if is_beyond_float(written, number):
        raise ValueError(f"{shortened(written, 40)} is beyond what a float holds")
    return number


# Digits alike and no signs: two searches at the speed of memory find every number that may be beyond a float.
_DIGITS_ALIKE: Final = bytes.maketrans(b"E123456789", b"e000000000")
_SIGNS: Final = b"+-"
_LARGE_EXPONENT: Final = b"0e000"
_MANY_DIGITS: Final = b"0" * 309
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse)
_QUICK_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_CAREFUL_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse, parse_float=_held)
