"""The primitives of answer templates that have other defaults than the operator they are.

All others are the operator classes themselves.
"""
# ruff: noqa: PLC0414 - "name as name" is how a module hands a name on

from __future__ import annotations

from typing import Literal

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.operators.category import BooleanMatch as BooleanMatch, LiteralMatch as LiteralMatch
from pytest_verdict.operators.date import DateMatch as DateMatch, DateRange as DateRange, DateTolerance as DateTolerance
from pytest_verdict.operators.lists import OrderedMatch as OrderedMatch, SetContainment as SetContainment
from pytest_verdict.operators.number import (
    NumericExact as NumericExact,
    NumericRange as NumericRange,
    NumericTolerance as NumericTolerance,
)
from pytest_verdict.operators.regex import Regex
from pytest_verdict.operators.semantic import SemanticMatch as SemanticMatch
from pytest_verdict.operators.text import ContainsAll as ContainsAll, ContainsAny as ContainsAny, NormalizedExact
from pytest_verdict.operators.trace import (
    TraceContains as TraceContains,
    TraceLength as TraceLength,
    TraceRegex as TraceRegex,
)


class ExactMatch(NormalizedExact):
    """The operator ``normalized_exact`` with other steps: text is equal once it is lowercased and stripped.

    Args:
        normalize: Normalizers in order of application; ``["lowercase", "strip"]`` unless given. With an empty list it is the
            operator ``exact``.
        case_sensitive: False folds the case of text, which is recorded as the last step ``casefold``.
        nan_equal: Whether NaN equals NaN.

    Example:
        >>> ExactMatch().check(" Paris", "paris")
        True
    """

    normalize: Normalization = ("lowercase", "strip")


class RegexMatch(Regex):
    """The operator ``regex``, which here finds the pattern anywhere in observed.

    Args:
        pattern: The regular expression, not empty. Given as a setting it takes the place of expected.
        mode: ``search`` unless given; ``match`` finds the pattern at the start, ``fullmatch`` only as the whole text.
        flags: Names of flags, as for `Regex`.
        normalize: Normalizers for observed, in order of application; none unless given.

    Example:
        >>> RegexMatch(pattern="[0-9]{4}").check("in 1928")
        True
    """

    mode: Literal["search", "fullmatch", "match"] = "search"
