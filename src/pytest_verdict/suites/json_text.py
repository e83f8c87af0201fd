"""JSON as programs, services and data sets write it: read strictly, with numbers as Python's json reads them."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn


def read_json(text: str) -> Any:
    """Read a document; what is refused is a ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse)
