"""The primitives of answer templates whose defaults differ from their operators; all others are the operator classes."""
# ruff: noqa: PLC0414 - "name as name" marks a re-export

import contextlib
import warnings
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal, get_args

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.category import BooleanMatch as BooleanMatch, LiteralMatch as LiteralMatch
from pytest_verdict.operators.date import DateMatch as DateMatch, DateRange as DateRange, DateTolerance as DateTolerance
from pytest_verdict.operators.exact_number import as_exact, as_setting
from pytest_verdict.operators.lists import OrderedMatch as OrderedMatch, SetContainment as SetContainment
from pytest_verdict.operators.number import (
    Decay,
    NumericExact as NumericExact,
    NumericMaximum,
    NumericMinimum,
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


def NumericGraded(  # noqa: N802 - a function that is written like a class, as VerifiedField is
    cutoff: Any,
    full_credit: Any = None,
    mode: ToleranceMode = "relative",
    decay: Decay = "linear",
) -> NumericTolerance:
    """Build a `NumericTolerance` whose score falls gradually outside; the granular score counts it.

    Args:
        cutoff: The distance at which the score reaches 0, above ``full_credit``.
        full_credit: The distance up to which the field passes with the score 1 (default: 0, with a `TemplateWarning`, because
            karenina passes up to the cutoff then).
        mode: Whether distances are ``relative`` to the ground truth or ``absolute`` (default: ``relative``).
        decay: How the score falls: ``linear``, or ``quadratic``, which is slower at first (default: ``linear``).

    Returns:
        The operator.

    Example:
        >>> from pytest_verdict.templates import NumericGraded
        >>> compare(NumericGraded(cutoff=0.2, full_credit=0), 100, 110).score
        0.5
    """
    if full_credit is None:
        full_credit = 0
        message = (
            f"NumericGraded(cutoff={cutoff}) passes only at distance 0 and scores what is nearer than the cutoff; karenina passes"
            f" up to the cutoff. Write full_credit=0 if that is meant, or the distance up to which it passes"
        )
        warnings.warn(message, TemplateWarning, stacklevel=2)
    return NumericTolerance(tolerance=full_credit, zero_at=cutoff, mode=mode, decay=decay)


def NumericRangeGraded(  # noqa: N802 - likewise
    min: Any,  # noqa: A002 - the name of the setting
    max: Any,  # noqa: A002 - likewise
    margin: Any,
    mode: ToleranceMode = "absolute",
    decay: Decay = "linear",
    exclusive_min: bool = False,  # noqa: FBT001, FBT002 - a setting
    exclusive_max: bool = False,  # noqa: FBT001, FBT002 - likewise
) -> NumericRange:
    """Build a `NumericRange` whose score falls gradually outside; the granular score counts it.

    Args:
        min: The lower bound, below ``max``.
        max: The upper bound.
        margin: The distance from the range at which the score reaches 0, above 0.
        mode: Whether the margin is ``absolute`` or ``relative`` to the width of the range (default: ``absolute``).
        decay: As for `NumericGraded`.
        exclusive_min: Whether the lower bound itself fails (default: False).
        exclusive_max: Whether the upper bound itself fails (default: False).

    Returns:
        The operator.

    Example:
        >>> from pytest_verdict.templates import NumericRangeGraded
        >>> compare(NumericRangeGraded(min=10, max=20, margin=4), None, 21).score
        0.75
    """
    _refuse_unknown("mode", mode, get_args(ToleranceMode))
    plain = NumericRange(min=min, max=max, exclusive_min=exclusive_min, exclusive_max=exclusive_max)
    if plain.min is None or plain.max is None or as_exact(plain.min) >= as_exact(plain.max):
        raise SettingsError(f"NumericRangeGraded: min={min!r} must be below max={max!r}")
    zero_at = _read_margin(margin)
    if mode == "relative":
        zero_at *= as_exact(plain.max) - as_exact(plain.min)
    return plain.model_copy(update={"zero_at": zero_at, "decay": decay})


def NumericThresholdGraded(  # noqa: N802 - likewise
    direction: Literal["min", "max"],
    margin: Any,
    mode: ToleranceMode = "relative",
    decay: Decay = "linear",
    exclusive: bool = False,  # noqa: FBT001, FBT002 - a setting
) -> NumericMinimum | NumericMaximum:
    """Build a `NumericMinimum` or `NumericMaximum` whose score falls gradually outside; the granular score counts it.

    Args:
        direction: ``min`` if the ground truth is the lowest number that passes, ``max`` if it is the highest.
        margin: The distance at which the score reaches 0, above 0.
        mode: Whether the margin is ``relative`` to the ground truth or ``absolute`` (default: ``relative``).
        decay: As for `NumericGraded`.
        exclusive: Whether the limit itself fails (default: False).

    Returns:
        The operator.

    Example:
        >>> from pytest_verdict.templates import NumericThresholdGraded
        >>> compare(NumericThresholdGraded(direction="min", margin=0.1), 100, 95).score
        0.5
    """
    _refuse_unknown("direction", direction, ("min", "max"))
    _read_margin(margin)
    operator = NumericMinimum if direction == "min" else NumericMaximum
    return operator(zero_at=margin, mode=mode, decay=decay, exclusive=exclusive)


def _refuse_unknown(setting: str, value: str, values: Sequence[str]) -> None:
    if value not in values:
        raise SettingsError(f"{setting}={value!r} is unknown.{allowed(setting, value, values)}")


def _read_margin(value: Any) -> Decimal:
    with contextlib.suppress(ValueError):
        margin = as_exact(as_setting(value))
        if margin > 0:
            return margin
    raise SettingsError(f"margin must be a number above 0, got {value!r}")
