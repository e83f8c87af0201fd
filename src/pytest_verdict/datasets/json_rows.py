"""JSON of rows and replies, read strictly."""

import json
from typing import Any, Final, NoReturn

from pytest_verdict.core.values.display import shortened
from pytest_verdict.core.values.numbers import is_beyond_float


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
