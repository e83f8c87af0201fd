"""pytest-verdict: named comparison operators, and a record of every verdict that can be replayed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_verdict.comparator import Comparator
    from pytest_verdict.comparison import Expectation, assert_matches, compare, expect
    from pytest_verdict.errors import (
        ConfigurationError,
        MismatchError,
        MissingExtraError,
        RecordError,
        SettingsError,
        ThresholdError,
        UnknownOperatorError,
        VerdictError,
    )
    from pytest_verdict.explanation import explain
    from pytest_verdict.laws import check_operator_laws
    from pytest_verdict.normalizers import SynonymMap
    from pytest_verdict.operators.aggregate import AllOf, AnyOf, AtLeastN, Weighted
    from pytest_verdict.operators.base import Operator
    from pytest_verdict.operators.category import BooleanMatch, LiteralMatch, OneOf
    from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
    from pytest_verdict.operators.json_distance import JsonDistance
    from pytest_verdict.operators.json_equality import JsonCanonical, JsonSubset
    from pytest_verdict.operators.json_schema import JsonSchema
    from pytest_verdict.operators.number import (
        Delta,
        NumericExact,
        NumericMaximum,
        NumericMinimum,
        NumericRange,
        NumericTolerance,
    )
    from pytest_verdict.operators.pattern import RegexMatch
    from pytest_verdict.operators.registry import OperatorRegistry
    from pytest_verdict.operators.semantic import SemanticMatch
    from pytest_verdict.operators.sequence import OrderedMatch, SetContainment
    from pytest_verdict.operators.similarity import TextSimilarity
    from pytest_verdict.operators.text import ContainsAll, ContainsAny, ExactMatch
    from pytest_verdict.operators.trace import TraceContains, TraceLength, TraceRegex
    from pytest_verdict.outcome import Outcome
    from pytest_verdict.result import ComparisonResult
    from pytest_verdict.surroundings import Budget
    from pytest_verdict.trajectories.event import Event
    from pytest_verdict.trajectories.limits import (
        TrajectoryForbidden,
        TrajectoryMaxCalls,
        TrajectoryOnlyFrom,
        TrajectorySingleToolUse,
    )
    from pytest_verdict.trajectories.order import TrajectoryAnyOrder, TrajectoryExact, TrajectoryInOrder
    from pytest_verdict.trajectories.overlap import TrajectoryF1, TrajectoryPrecision, TrajectoryRecall
    from pytest_verdict.trajectories.readers import read_trajectory
    from pytest_verdict.trajectories.similarity import TrajectorySimilarity
    from pytest_verdict.trajectories.steps import TrajectorySteps

# Where each public name lives; read on first use, so that loading the plugin imports nothing of this.
_HOMES = {
    "AllOf": "operators.aggregate",
    "AnyOf": "operators.aggregate",
    "AtLeastN": "operators.aggregate",
    "BooleanMatch": "operators.category",
    "Budget": "surroundings",
    "Comparator": "comparator",
    "ComparisonResult": "result",
    "ConfigurationError": "errors",
    "ContainsAll": "operators.text",
    "ContainsAny": "operators.text",
    "DateMatch": "operators.date",
    "DateRange": "operators.date",
    "DateTolerance": "operators.date",
    "Delta": "operators.number",
    "Event": "trajectories.event",
    "ExactMatch": "operators.text",
    "Expectation": "comparison",
    "JsonCanonical": "operators.json_equality",
    "JsonDistance": "operators.json_distance",
    "JsonSchema": "operators.json_schema",
    "JsonSubset": "operators.json_equality",
    "LiteralMatch": "operators.category",
    "MismatchError": "errors",
    "MissingExtraError": "errors",
    "NumericExact": "operators.number",
    "NumericMaximum": "operators.number",
    "NumericMinimum": "operators.number",
    "NumericRange": "operators.number",
    "NumericTolerance": "operators.number",
    "OneOf": "operators.category",
    "Operator": "operators.base",
    "OperatorRegistry": "operators.registry",
    "OrderedMatch": "operators.sequence",
    "Outcome": "outcome",
    "RecordError": "errors",
    "RegexMatch": "operators.pattern",
    "SemanticMatch": "operators.semantic",
    "SetContainment": "operators.sequence",
    "SettingsError": "errors",
    "SynonymMap": "normalizers",
    "TextSimilarity": "operators.similarity",
    "ThresholdError": "errors",
    "TraceContains": "operators.trace",
    "TraceLength": "operators.trace",
    "TraceRegex": "operators.trace",
    "TrajectoryAnyOrder": "trajectories.order",
    "TrajectoryExact": "trajectories.order",
    "TrajectoryF1": "trajectories.overlap",
    "TrajectoryForbidden": "trajectories.limits",
    "TrajectoryInOrder": "trajectories.order",
    "TrajectoryMaxCalls": "trajectories.limits",
    "TrajectoryOnlyFrom": "trajectories.limits",
    "TrajectoryPrecision": "trajectories.overlap",
    "TrajectoryRecall": "trajectories.overlap",
    "TrajectorySimilarity": "trajectories.similarity",
    "TrajectorySingleToolUse": "trajectories.limits",
    "TrajectorySteps": "trajectories.steps",
    "UnknownOperatorError": "errors",
    "VerdictError": "errors",
    "Weighted": "operators.aggregate",
    "assert_matches": "comparison",
    "check_operator_laws": "laws",
    "compare": "comparison",
    "expect": "comparison",
    "explain": "explanation",
    "read_trajectory": "trajectories.readers",
}

__all__ = [
    "AllOf",
    "AnyOf",
    "AtLeastN",
    "BooleanMatch",
    "Budget",
    "Comparator",
    "ComparisonResult",
    "ConfigurationError",
    "ContainsAll",
    "ContainsAny",
    "DateMatch",
    "DateRange",
    "DateTolerance",
    "Delta",
    "Event",
    "ExactMatch",
    "Expectation",
    "JsonCanonical",
    "JsonDistance",
    "JsonSchema",
    "JsonSubset",
    "LiteralMatch",
    "MismatchError",
    "MissingExtraError",
    "NumericExact",
    "NumericMaximum",
    "NumericMinimum",
    "NumericRange",
    "NumericTolerance",
    "OneOf",
    "Operator",
    "OperatorRegistry",
    "OrderedMatch",
    "Outcome",
    "RecordError",
    "RegexMatch",
    "SemanticMatch",
    "SetContainment",
    "SettingsError",
    "SynonymMap",
    "TextSimilarity",
    "ThresholdError",
    "TraceContains",
    "TraceLength",
    "TraceRegex",
    "TrajectoryAnyOrder",
    "TrajectoryExact",
    "TrajectoryF1",
    "TrajectoryForbidden",
    "TrajectoryInOrder",
    "TrajectoryMaxCalls",
    "TrajectoryOnlyFrom",
    "TrajectoryPrecision",
    "TrajectoryRecall",
    "TrajectorySimilarity",
    "TrajectorySingleToolUse",
    "TrajectorySteps",
    "UnknownOperatorError",
    "VerdictError",
    "Weighted",
    "assert_matches",
    "check_operator_laws",
    "compare",
    "expect",
    "explain",
    "read_trajectory",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
