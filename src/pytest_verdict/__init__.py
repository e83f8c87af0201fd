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
    from pytest_verdict.normalizers import SynonymMap
    from pytest_verdict.operators.base import Operator
    from pytest_verdict.operators.registry import OperatorRegistry
    from pytest_verdict.operators.text import ContainsAll, ContainsAny, ExactMatch
    from pytest_verdict.outcome import Outcome
    from pytest_verdict.result import ComparisonResult
    from pytest_verdict.surroundings import Budget

# Where each public name lives; read on first use, so that loading the plugin imports nothing of this.
_HOMES = {
    "Budget": "surroundings",
    "Comparator": "comparator",
    "ComparisonResult": "result",
    "ConfigurationError": "errors",
    "ContainsAll": "operators.text",
    "ContainsAny": "operators.text",
    "ExactMatch": "operators.text",
    "Expectation": "comparison",
    "MismatchError": "errors",
    "MissingExtraError": "errors",
    "Operator": "operators.base",
    "OperatorRegistry": "operators.registry",
    "Outcome": "outcome",
    "RecordError": "errors",
    "SettingsError": "errors",
    "SynonymMap": "normalizers",
    "ThresholdError": "errors",
    "UnknownOperatorError": "errors",
    "VerdictError": "errors",
    "assert_matches": "comparison",
    "compare": "comparison",
    "expect": "comparison",
    "explain": "explanation",
}

__all__ = [
    "Budget",
    "Comparator",
    "ComparisonResult",
    "ConfigurationError",
    "ContainsAll",
    "ContainsAny",
    "ExactMatch",
    "Expectation",
    "MismatchError",
    "MissingExtraError",
    "Operator",
    "OperatorRegistry",
    "Outcome",
    "RecordError",
    "SettingsError",
    "SynonymMap",
    "ThresholdError",
    "UnknownOperatorError",
    "VerdictError",
    "assert_matches",
    "compare",
    "expect",
    "explain",
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
