"""Operators on categories: truth values, literals, types, and one of several accepted values."""

import functools
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, BeforeValidator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import FAIL, PASS, OmitWhenDefault, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.numbers import is_number, plain_scalar, truth_value
from pytest_verdict.core.values.placeholders import has_named_fields
from pytest_verdict.operators.lists import NOT_A_LIST, as_list
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NormalizedSides, normalize_sides, unusable

NOT_A_BOOLEAN: Final = "not_a_boolean"
NOT_A_TYPE: Final = "not_a_type"

_ACCEPTED: Final = "a list of at least one accepted value"


class BooleanMatch(PassFailOperator):
    """Both values are the same truth value.

    Only true and false are truth values; 1, ``"true"`` and ``"no"`` are not. None stands for a missing answer and matches
    only None.

    Example:
        >>> compare("boolean", True, True).score, compare("boolean", True, "true").notes
        (1.0, ['not_a_boolean'])
    """

    name: ClassVar[str] = "boolean"
    kind: ClassVar[str] = "boolean"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        first, second = [value is not None and truth_value(value) is None for value in (expected, observed)]
        if first or second:
            return NormalizedSides().unreadable(NOT_A_BOOLEAN, "true, false or null", expected, (first, second))
        if observed is None and expected is not None:
            return Outcome(0.0, notes=("null_observed",))
        return PASS if truth_value(expected) is truth_value(observed) else FAIL


class LiteralMatch(PassFailOperator):
    """Both values are equal, and so are their types; nothing is normalized.

    Example:
        >>> compare("literal", "mild", "mild").score, compare("literal", 1, True).score
        (1.0, 0.0)
    """

    name: ClassVar[str] = "literal"
    kind: ClassVar[str] = "category"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        return PASS if equal(expected, observed) else FAIL


# Details name the first type that matches, so "integer" comes before "number".
_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: truth_value(value) is not None,
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: (
        is_number(value) and isinstance(value if isinstance(value, int) else plain_scalar(value), int)
    ),
    "number": is_number,
    "array": lambda value: as_list(value) is not None,
    "object": lambda value: isinstance(value, Mapping) or has_named_fields(value),
}
_EVERY_TYPE: Final = frozenset(_TYPES) - {"integer"}
_TYPE_NAMES: Final = f"the name of a type or a list of names, out of {', '.join(_TYPES)}"


class IsType(PassFailOperator):
    """Observed is of a type, or of one of several.

    Expected is a name or a list of names, as in JSON Schema: ``null``, ``boolean``, ``string``, ``integer``, ``number``,
    ``array``, ``object``. Only the type counts: ``"7"`` is a string, 7.0 is not an integer, True is not a number, a tuple or
    set is an array, a dataclass or model is an object.

    Example:
        >>> compare("is_type", "integer", "7").details
        {'type': 'string'}
        >>> compare("is_type", ["integer", "null"], 7).score
        1.0
    """

    name: ClassVar[str] = "is_type"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "category"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        names = expected if isinstance(expected, list | tuple) else [expected]
        if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
            return unusable(NOT_A_TYPE, _TYPE_NAMES, expected)
        if _EVERY_TYPE.issubset(names):
            return unusable(NOT_A_TYPE, "some types, not all of them", expected)
        matches = [name for name, is_of_type in _TYPES.items() if is_of_type(observed)]
        details = {"type": matches[0]} if matches else None
        return Outcome(float(not set(matches).isdisjoint(names)), details=details)


class _Accepted(tuple[Any, ...]):  # noqa: SLOT001 - there are few
    def written(self) -> list[Any]:
        """Return the values as in a record, where a tuple among them remains a tuple."""
        return [encode(item) for item in self]


def _read_accepted(values: Any) -> Any:
    if values is None:
        return None
    items = as_list(values)
    if not items:
        raise ValueError(f"takes a list of at least one accepted value, got {values!r}")
    # The settings in a record are typed JSON.
    return tuple(decode(item) if isinstance(item, dict | list) else item for item in items)


AcceptedValues = Annotated[
    tuple[Any, ...] | None,
    BeforeValidator(_read_accepted),
    AfterValidator(lambda values: values and _Accepted(values)),
]
"""A setting that lists accepted values."""


class OneOf(PassFailOperator):
    """Observed equals one of several accepted values.

    Args:
        values: The accepted values, at least one; they replace expected. Without this setting expected is their list.
        normalize: Normalizers for text in accepted values and observed, at every depth (default: none).
        case_sensitive: False folds the case of text, recorded as the last step ``casefold``.

    Example:
        >>> compare("one_of", ["New York", "NYC"], "nyc", normalize=["lowercase"]).details
        {'matched_index': 1, 'matched': 'NYC', 'effective_normalization': ['lowercase']}
    """

    name: ClassVar[str] = "one_of"
    kind: ClassVar[str] = "category"
    expected_settings: ClassVar[tuple[str, ...]] = ("values",)

    values: AcceptedValues = None
    normalize: Normalization = ()
    case_sensitive: OmitWhenDefault[bool] = True

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        accepted = as_list(self.effective_expected(expected) if self.replaces_expected else expected)
        if accepted is None:
            return NormalizedSides().unreadable(NOT_A_LIST, _ACCEPTED, expected, (True, False))
        if not accepted:
            return unusable(EMPTY_EXPECTED, _ACCEPTED, expected)
        steps = self.normalize if self.case_sensitive else (*self.normalize, "casefold")
        sides = normalize_sides(accepted, [observed], steps)
        found = sides.observed[0]
        for place, value in enumerate(sides.expected):
            if equal(value, found):
                return sides.outcome(1.0, (), functools.partial(_describe_match, place, accepted[place]))
        return sides.outcome(0.0)


def _describe_match(index: int, value: Any) -> dict[str, Any]:
    return {"matched_index": index, "matched": encode(value)}
