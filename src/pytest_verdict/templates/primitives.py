"""The primitives of answer templates whose defaults differ from their operators; all others are the operator classes."""
# ruff: noqa: PLC0414 - "name as name" marks a re-export

import contextlib
import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Literal, Never, get_args

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Operator
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.category import BooleanMatch as BooleanMatch, LiteralMatch as LiteralMatch
from pytest_verdict.operators.date import DateMatch as DateMatch, DateRange as DateRange, DateTolerance as DateTolerance
from pytest_verdict.operators.exact_number import as_exact, as_setting
from pytest_verdict.operators.lists import OrderedMatch as OrderedMatch, SetContainment as SetContainment
from pytest_verdict.operators.number import (
    NumericExact as NumericExact,
    NumericMaximum as NumericMaximum,
    NumericMinimum as NumericMinimum,
    NumericRange as NumericRange,
    NumericTolerance as NumericTolerance,
    ToleranceMode,
)
from pytest_verdict.operators.regex import Regex
from pytest_verdict.operators.semantic import SemanticMatch as SemanticMatch
from pytest_verdict.operators.text import ContainsAll as ContainsAll, ContainsAny as ContainsAny, NormalizedExact
from pytest_verdict.operators.trace import (
    TraceContains as TraceContains,
    TraceLength as TraceLength,
    TraceRegex as TraceRegex,
)
from pytest_verdict.templates.field import TemplateWarning


class ExactMatch(NormalizedExact):
    """The operator ``normalized_exact`` with other steps: texts are equal after lowercase and strip.

    Args:
        normalize: Normalizers in order of application; an empty list gives the operator ``exact`` (default:
            ``["lowercase", "strip"]``).
        case_sensitive: False folds the case of text, recorded as the last step ``casefold`` (default: True).
        nan_equal: Whether NaN equals NaN (default: False).

    Example:
        >>> ExactMatch().check(" Paris", "paris")
        True
    """

    normalize: Normalization = ("lowercase", "strip")


class RegexMatch(Regex):
    """The operator ``regex``, which finds the pattern anywhere in observed.

    Args:
        pattern: The regular expression, not empty, in place of expected (default: None).
        mode: ``search``, ``match`` at the start of the text, or ``fullmatch`` of the whole text (default: ``search``).
        flags: Names of flags, as for `Regex`.
        normalize: Normalizers for observed, in order of application (default: none).

    Example:
        >>> RegexMatch(pattern="[0-9]{4}").check("in 1928")
        True
    """

    mode: Literal["search", "fullmatch", "match"] = "search"


class NumericGraded(NumericTolerance):
    """The operator ``numeric_tolerance`` with a score that falls gradually outside; the granular score counts it.

    Args:
        cutoff: The distance at which the score reaches 0, above ``full_credit``.
        full_credit: The distance up to which the field passes with the score 1 (default: 0, with a `TemplateWarning`, because
            karenina passes up to the cutoff then).
        mode: Whether distances are ``relative`` to the ground truth or ``absolute`` (default: ``relative``).
        decay: How the score falls: ``linear``, or ``quadratic``, which is slower at first (default: ``linear``).
        normalize: Normalizers for evidence that is text (default: none).

    Example:
        >>> from pytest_verdict.templates import NumericGraded
        >>> NumericGraded(cutoff=0.2, full_credit=0).score(110, 100)
        0.5
    """

    def __init__(self, /, *values: Never, cutoff: Any = None, full_credit: Any = None, **settings: Any) -> None:
        # A copy has the settings of the operator.
        if not values and (cutoff is not None or full_credit is not None or settings.get("zero_at") is None):
            _refuse_beside("NumericGraded", settings, {"tolerance": "full_credit", "zero_at": "cutoff"})
            _read_positive("cutoff", cutoff)
            if full_credit is None:
                message = (
                    f"NumericGraded(cutoff={cutoff}) passes only at distance 0 and scores what is nearer than the cutoff;"
                    " karenina passes up to the cutoff. Write full_credit=0 if that is meant, or the distance up to which"
                    " it passes"
                )
                warnings.warn(message, TemplateWarning, stacklevel=2)
            settings |= {"tolerance": 0 if full_credit is None else full_credit, "zero_at": cutoff}
        super().__init__(*values, **settings)


class NumericRangeGraded(NumericRange):
    """The operator ``numeric_range`` with a score that falls gradually outside; the granular score counts it.

    Args:
        min: The lower bound, below ``max``.
        max: The upper bound.
        margin: The distance from the range at which the score reaches 0, above 0.
        mode: Whether the margin is ``absolute`` or ``relative`` to the width of the range (default: ``absolute``).
        decay: As for `NumericGraded`.
        exclusive_min: Whether the lower bound itself fails (default: False).
        exclusive_max: Whether the upper bound itself fails (default: False).

    Example:
        >>> from pytest_verdict.templates import NumericRangeGraded
        >>> NumericRangeGraded(min=10, max=20, margin=4).score(21)
        0.75
    """

    def __init__(self, /, *values: Never, margin: Any = None, **settings: Any) -> None:
        # A copy has the settings of the operator.
        if not values and (margin is not None or settings.get("zero_at") is None):
            _refuse_beside("NumericRangeGraded", settings, {"zero_at": "margin"})
            distance = _read_positive("margin", margin)
            mode = settings.pop("mode", "absolute")
            _refuse_unknown("mode", mode, get_args(ToleranceMode))
            bounds = NumericRange(min=settings.get("min"), max=settings.get("max"))
            if bounds.min is None or bounds.max is None or as_exact(bounds.min) >= as_exact(bounds.max):
                raise SettingsError(f"NumericRangeGraded: min={bounds.min!r} must be below max={bounds.max!r}")
            if mode == "relative":
                distance *= as_exact(bounds.max) - as_exact(bounds.min)
            settings["zero_at"] = distance
        super().__init__(*values, **settings)


def NumericThresholdGraded(  # noqa: N802 - a function that is written like a class, as VerifiedField is
    direction: Literal["min", "max"], margin: float | str, mode: ToleranceMode = "relative", **settings: Any
) -> NumericMinimum | NumericMaximum:
    """Build a `NumericMinimum` or `NumericMaximum` whose score falls gradually outside; the granular score counts it.

    Args:
        direction: ``min`` if the ground truth is the lowest number that passes, ``max`` if it is the highest.
        margin: The distance at which the score reaches 0, above 0.
        mode: Whether the margin is ``relative`` to the ground truth or ``absolute`` (default: ``relative``).
        **settings: ``decay``, and ``exclusive`` if the limit itself fails, of the operator.

    Returns:
        The operator.

    Example:
        >>> from pytest_verdict.templates import NumericThresholdGraded
        >>> NumericThresholdGraded(direction="min", margin=0.1).score(95, 100)
        0.5
    """
    _refuse_unknown("direction", direction, ("min", "max"))
    _read_positive("margin", margin)
    operator = NumericMinimum if direction == "min" else NumericMaximum
    return operator(zero_at=margin, mode=mode, **settings)


def _refuse_beside(label: str, settings: Mapping[str, Any], names: Mapping[str, str]) -> None:
    for name, own in names.items():
        if name in settings:
            raise SettingsError(f"{label}: write {own}= in place of {name}={settings[name]!r}")


def _refuse_unknown(setting: str, value: str, values: Sequence[str]) -> None:
    if value not in values:
        raise SettingsError(f"{setting}={value!r} is unknown.{allowed(setting, value, values)}")


def _read_positive(setting: str, value: Any) -> Decimal:
    with contextlib.suppress(ValueError):
        number = as_exact(as_setting(value))
        if number > 0:
            return number
    raise SettingsError(f"{setting} must be a number above 0, got {value!r}")


_OPERATORS: Final = {name: cls for name, cls in vars().items() if isinstance(cls, type) and issubclass(cls, Operator)}
PRIMITIVES: Final[Mapping[str, Any]] = {
    "NumericThresholdGraded": NumericThresholdGraded,
    **{name: cls for name, cls in _OPERATORS.items() if cls is not Operator},
}
"""The primitives by the names that a spec may use."""
