"""What an operator sees of evidence: the value that reading the record gives back."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.encoding import decode, encode, encode_text, is_replayable
from pytest_verdict.core.values.placeholders import EncodedObject, Unreplayable, class_name
from pytest_verdict.core.values.snapshot import snapshot

_LEAVES: Final = frozenset(
    {str, int, float, bool, type(None), bytes, bytearray, complex, Decimal, Fraction, uuid.UUID}
    | {datetime.date, datetime.timedelta, EncodedObject, Unreplayable}
)


def recorded_form(value: Any) -> tuple[Any, Any]:
    """Give the copy of a value that is recorded, and what an operator sees of it.

    An object of a class has more than a record keeps of it: methods, properties, its repr. Were it compared as it is, a replay
    could come to another result. So it is compared as it is read back. What cannot be read back is recorded as its repr.
    """
    copy = snapshot(value)
    try:
        encoded = None if _is_plain(value) else encode(copy)
        if encoded is None or not is_replayable(encoded):
            return copy, value
        seen = decode(encoded)
        is_same = encode_text(seen) == encode_text(copy)
    except RecursionError:
        return copy, value
    except Exception:  # noqa: BLE001 - the class under test decides what it raises
        is_same = False
    return (copy, seen) if is_same else (Unreplayable(class_name(type(value)), safe_repr(value)), value)


def _is_plain(value: Any) -> bool:
    """Say whether a value has no class but those that are read back as themselves."""
    kind = type(value)
    if kind is dict:
        return _are_plain(value) and _are_plain(value.values())
    return kind in _LEAVES or (kind in {list, tuple, set, frozenset} and _are_plain(value))


def _are_plain(values: Any) -> bool:
    return _LEAVES.issuperset(map(type, values)) or all(map(_is_plain, values))
