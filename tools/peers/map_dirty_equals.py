"""What docs/how-to/coming-from.md teaches for dirty-equals."""

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

import dirty_equals as dirty

from tools.peers.case import REFUSED, Absent, Every, Here, Opposite, Some

_CODE = "a class, a function or an attribute of a live object is no value that a record could hold"
_CLOCK = "a verdict must not depend on the clock"
_BYTES = "bytes are compared whole: they have no pattern and no length here"
_TEXT_IS_READ = "a text is read as a number or a date here"
_OBJECT = "an address or a UUID is its text here"
_BOTH = "two conditions, each with its own expected value, on one part of a document"
_ONE_NUMBER = "1 and 1.0 are one number here"
_NO_ORDER = "the fields of a dataclass have no order here"


def equal(call: Any, theirs: Any) -> Any:
    # pytest and functools compare types of values, which are no evidence.
    if not _is_dirty(call["other"]):
        yield (theirs if theirs is REFUSED else bool(theirs)), translate(call["self"], call["other"])


def unequal(call: Any, theirs: Any) -> Any:
    yield from equal(call, theirs if theirs is REFUSED else not theirs)


def translate(expected: Any, observed: Any) -> Any:
    """Return the comparison of an object of dirty-equals, or of a plain value, with observed."""
    if isinstance(expected, dirty._base.DirtyEqualsMeta):
        try:
            expected = expected()
        except TypeError:
            return Absent("a class that needs arguments has none")
    if isinstance(expected, dirty._base.DirtyOr):
        return Some([translate(part, observed) for part in expected.dirties])
    if isinstance(expected, dirty._base.DirtyAnd):
        return Every([translate(part, observed) for part in expected.dirties])
    if isinstance(expected, dirty._base.DirtyNot):
        return Opposite(translate(expected.subject, observed))
    for cls, function in _FUNCTIONS:
        if isinstance(expected, cls):
            return function(expected, observed)
    if isinstance(expected, dirty.DirtyEquals):
        return Absent(_CODE)
    return Here("exact", expected, observed)


def _is_dirty(value: Any) -> bool:
    return isinstance(value, (dirty.DirtyEquals, dirty._base.DirtyEqualsMeta))


def _has_dirty(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_dirty, value.values()))
    return any(map(_has_dirty, value)) if isinstance(value, list | tuple) else _is_dirty(value)


def _with_rules(expected: Any, observed: Any) -> Any:
    """Compare a document whose parts have conditions, each part by its own operator."""
    rules: dict[str, Any] = {}
    ignore: list[str] = []
    items = expected.items() if isinstance(expected, Mapping) else enumerate(expected)
    document = dict(expected) if isinstance(expected, Mapping) else list(expected)
    for key, value in items:
        path = f"$[{key}]" if isinstance(key, int) else f"$.{key}"
        if value is dirty.AnyThing or isinstance(value, dirty.AnyThing):
            ignore.append(path)
            document[key] = None
        elif _is_dirty(value):
            condition = translate(value, None)
            if isinstance(condition, Opposite) and isinstance(condition.part, Here):
                condition = condition.part
                rules[path] = {
                    "operator": "none_of",
                    "settings": {
                        "conditions": [{"operator": condition.operator, "settings": dict(condition.settings)}]
                    },
                }
            elif isinstance(condition, Here):
                rules[path] = {"operator": condition.operator, "settings": dict(condition.settings)}
            else:
                return condition if isinstance(condition, Absent) else Absent(_BOTH)
            document[key] = condition.expected
    if ignore:
        return Here("json_canonical", document, observed, {"ignore": ignore})
    return Here("by_field", document, observed, {"rules": rules})


def _mapping(expected: Any, observed: Any) -> Any:
    values = expected.expected_values
    if expected.ignore and expected.ignore != {None}:
        return Absent("only None counts as absent, not other values or a function")
    if _has_dirty(values):
        kept = {key: value for key, value in observed.items() if value is not None} if expected.ignore else observed
        if expected.partial or kept != observed:
            return Absent(_BOTH)
        return _with_rules(values, observed)
    settings = {
        "mode": "subset" if expected.partial else "exact",
        "key_order": bool(expected.strict),
        "none_is_absent": bool(expected.ignore),
    }
    return Here("mapping_match", values, observed, settings)


def _sequence(expected: Any, observed: Any) -> Any:
    length = expected.length
    if expected.positions is not None:
        if min(expected.positions) < 0:
            return Absent("a position from the end")
        schema = [{"const": expected.positions[i]} if i in expected.positions else True for i in range(99)]
        return Here("json_schema", {"type": "array", "prefixItems": schema}, observed, {"parse": False})
    items = [*expected.items]
    if not expected.check_order:
        if length is not None:
            return Every([Here("json_subset", items, observed), _length(length, observed)])
        if _has_dirty(items):
            return Absent("conditions on the items of a list in any order")
        return Here("list_similarity", items, observed, {"inner": "exact", "threshold": 1.0})
    if length is not None:
        if _has_dirty(items):
            return Absent(_BOTH)
        first: dict[str, Any] = {"type": "array"}
        if items:
            first["prefixItems"] = [{"const": item} for item in items]
        return Every([Here("json_schema", first, observed, {"parse": False}), _length(length, observed)])
    if _has_dirty(items):
        return _with_rules(items, observed)
    if isinstance(expected, dirty.IsTuple):
        return Here("exact", tuple(items), observed)
    if isinstance(expected, dirty.IsList):
        return Here("exact", items, observed)
    return Here("ordered_match", items, observed, {"normalize": []})


def _length(length: Any, observed: Any) -> Any:
    least, greatest = length if isinstance(length, tuple) else (length, length)
    schema: dict[str, Any] = {"type": ["string", "array", "object"]}
    for kind in ("Length", "Items", "Properties"):
        schema[f"min{kind}"] = least
        if isinstance(greatest, int):
            schema[f"max{kind}"] = greatest
    if isinstance(observed, bytes):
        return Absent(_BYTES)
    return Here("json_schema", schema, observed, {"parse": False})


def _has_len(expected: Any, observed: Any) -> Any:
    return _length(expected.length, observed)


def _contains(expected: Any, observed: Any) -> Any:
    values = [*expected.contained_values]
    if isinstance(observed, str):
        return Here("contains_all", values, observed)
    if isinstance(observed, Mapping):
        return Here("json_schema", {"required": values}, observed)
    return Here("set_containment", values, observed, {"mode": "superset"})


def _text(expected: Any, observed: Any) -> Any:
    if isinstance(expected, dirty.IsBytes) or (isinstance(observed, bytes) and not isinstance(expected, dirty.IsStr)):
        return Absent(_BYTES)
    parts = [Here("is_type", "string", observed)]
    if expected.regex is not None:
        pattern, flags = expected.regex, re.RegexFlag(expected.regex_flags)
        if isinstance(pattern, re.Pattern):
            flags |= re.RegexFlag(pattern.flags)
            pattern = pattern.pattern
        if isinstance(pattern, bytes):
            if isinstance(expected, dirty.IsStr):
                return Here("regex", pattern, observed, reason="a pattern of bytes is refused")
            pattern = pattern.decode()
        names = [flag.name for flag in flags if flag is not re.UNICODE]
        parts.append(Here("regex", pattern, observed, {"flags": names}))
    bounds = {"min": expected.min_length, "max": expected.max_length}
    if bounds != {"min": None, "max": None}:
        parts.append(Here("trace_length", True, observed, bounds))
    if expected.case:
        pattern = "[^A-Z]*" if expected.case == "lower" else "[^a-z]*"
        parts.append(Here("regex", pattern, observed))
    return parts[0] if len(parts) == 1 else Every(parts)


def _number(expected: Any, observed: Any) -> Any:
    reason = _TEXT_IS_READ if isinstance(observed, str) else None
    parts = []
    if expected.allowed_types is int:
        parts.append(Here("is_type", "integer", observed))
    elif expected.allowed_types is float:
        reason = _ONE_NUMBER if isinstance(observed, int) else reason
        parts.append(Here("is_type", "number", observed, reason=reason))
    if expected.exactly is not None:
        parts.append(Here("exact", expected.exactly, observed, reason=reason))
    elif expected.approx is not None:
        settings = {"tolerance": expected.delta, "mode": "absolute"}
        if expected.delta is None:
            settings = {"tolerance": 0.01}
            reason = reason or "one percent of expected here, of observed there"
        parts.append(Here("numeric_tolerance", expected.approx, observed, settings, reason=reason))
    bounds = (
        ("numeric_minimum", expected.gt, True),
        ("numeric_minimum", expected.ge, False),
        ("numeric_maximum", expected.lt, True),
        ("numeric_maximum", expected.le, False),
    )
    for operator, bound, exclusive in bounds:
        if bound is not None:
            parts.append(Here(operator, bound, observed, {"exclusive": exclusive}, reason=reason))
    if not parts:
        return Here("is_type", "number", observed)
    return parts[0] if len(parts) == 1 else Every(parts)


def _infinity(expected: Any, observed: Any) -> Any:
    infinity = float("inf")
    values = {"IsFloatInfPos": [infinity], "IsFloatInfNeg": [-infinity]}.get(
        type(expected).__name__, [infinity, -infinity]
    )
    return Here("one_of", values, observed)


def _nan(expected: Any, observed: Any) -> Any:
    return Here("exact", float("nan"), observed, {"nan_equal": True})


def _date(expected: Any, observed: Any) -> Any:
    if isinstance(expected, (dirty.IsNow, dirty.IsToday)):
        return Absent(_CLOCK)
    if getattr(expected, "unix_number", False):
        return Absent("a number is no date; the adapter converts it")
    reason = None
    if isinstance(observed, str) and not expected.iso_string and not expected.format_string:
        reason = _TEXT_IS_READ
    is_day = isinstance(expected, dirty.IsDate)
    if is_day and hasattr(observed, "hour"):
        reason = "a datetime has a date here"
    if expected.format_string:
        return Here("date_match", expected.approx, observed, {"format": expected.format_string}, reason=reason)
    if expected.approx is not None:
        if is_day:
            return Here("date_match", expected.approx, observed, reason=reason)
        if not getattr(expected, "enforce_tz", True) and expected.approx.tzinfo is None:
            reason = "a time with an offset is never compared with one without"
        elif getattr(observed, "tzinfo", None) is not None and expected.approx.tzinfo is not None:
            reason = "one instant in two time zones is one time here"
        seconds = 2 if expected.delta is None else int(expected.delta.total_seconds())
        return Here(
            "date_tolerance", expected.approx, observed, {"tolerance": seconds, "unit": "seconds"}, reason=reason
        )
    if expected.gt is not None or expected.lt is not None:
        reason = reason or "a range of dates includes its limits"
    low, high = expected.ge or expected.gt, expected.le or expected.lt
    return Here("date_range", None, observed, {"min": low, "max": high}, reason=reason)


def _one_of(expected: Any, observed: Any) -> Any:
    if _has_dirty(expected.expected_values):
        return Some([translate(value, observed) for value in expected.expected_values])
    return Here("one_of", [*expected.expected_values], observed)


def _json(expected: Any, observed: Any) -> Any:
    reason = None if isinstance(observed, str) else "a value that is no text is the document itself"
    if expected.expected_value is dirty._other.AnyJson:
        return Here("json_schema", True, observed, reason=reason)
    return Here("json_canonical", json.dumps(expected.expected_value), observed, reason=reason)


def _uuid(expected: Any, observed: Any) -> Any:
    version = expected.version or "[1-5]"
    pattern = f"[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{version}[0-9a-f]{{3}}-?[0-9a-f]{{4}}-?[0-9a-f]{{12}}"
    reason = None if isinstance(observed, str) else _OBJECT
    return Here("regex", pattern, observed, {"flags": ["IGNORECASE"]}, reason=reason)


def _hash(expected: Any, observed: Any) -> Any:
    length = {"md5": 32, "sha-1": 40, "sha-256": 64}[expected.hash_type]
    reason = None if isinstance(observed, str) else "bytes are no text"
    return Here("regex", f"[0-9a-f]{{{length}}}", observed, {"flags": ["IGNORECASE"]}, reason=reason)


def _ip(expected: Any, observed: Any) -> Any:
    if expected.netmask:
        return Absent("a network mask is computed, not compared")
    versions = [expected.version] if expected.version else [4, 6]
    schema = {"type": "string", "anyOf": [{"format": f"ipv{version}"} for version in versions]}
    reason = None if isinstance(observed, str) else _OBJECT
    return Here("json_schema", schema, observed, {"parse": False, "format": "assert"}, reason=reason)


def _url(expected: Any, observed: Any) -> Any:
    schema: dict[str, Any] = {"type": "string", "format": "uri"}
    scheme = (expected.attribute_checks or {}).get("scheme")
    if "postgres" in str(expected.type_adapter.core_schema):
        scheme = "postgres(ql)?"
    if scheme:
        schema["pattern"] = f"^{scheme}:"
    return Here("json_schema", schema, observed, {"parse": False, "format": "assert"})


def _dataclass(expected: Any, observed: Any) -> Any:
    values = expected._repr_kwargs
    if isinstance(observed, type):
        return Absent(_CODE)
    if not values:
        return Here("is_type", "object", observed)
    reason = _NO_ORDER if expected.strict else None
    if expected.partial:
        return Here("json_subset", values, observed, reason=reason)
    if _has_dirty(values):
        return _with_rules(values, observed)
    return Here("json_canonical", values, observed, reason=reason)


def _enum(expected: Any, observed: Any) -> Any:
    if getattr(expected, "_enum_cls", Enum) is Enum or isinstance(observed, type):
        return Absent(_CODE)
    members = [*expected._enum_cls]
    return Here("one_of", [*members, *(member.value for member in members)], observed)


def _false(expected: Any, observed: Any) -> Any:
    falsy = Here("one_of", [False, 0, None, "", [], (), {}, set()], observed)
    if getattr(expected, "allow_strings", False) and isinstance(observed, str) and observed:
        return Here("regex", r"false|[+-]?0+(\.0*)?", observed, {"flags": ["IGNORECASE"]})
    return falsy


def _true(expected: Any, observed: Any) -> Any:
    return Opposite(_false(expected, observed))


_FUNCTIONS = (
    (dirty.IsDict, _mapping),
    (dirty.IsListOrTuple, _sequence),
    (dirty.HasLen, _has_len),
    (dirty.Contains, _contains),
    (dirty.IsAnyStr, _text),
    (dirty.IsDatetime, _date),
    (dirty.IsDate, _date),
    (dirty.IsFloatNan, _nan),
    (dirty.IsFloatInf, _infinity),
    (dirty._numeric.IsNumeric, _number),
    (dirty.IsOneOf, _one_of),
    (dirty.IsJson, _json),
    (dirty.IsUUID, _uuid),
    (dirty.IsHash, _hash),
    (dirty.IsIP, _ip),
    (dirty.IsUrl, _url),
    (dirty.IsDataclass, _dataclass),
    (dirty.IsEnum, _enum),
    (dirty.IsFalseLike, _false),
    (dirty.IsTrueLike, _true),
)

WATCHED = {"dirty_equals:DirtyEquals.__eq__": equal, "dirty_equals:DirtyEquals.__ne__": unequal}
