"""pytest-verdict: named comparison operators, and a record of every verdict that can be replayed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_verdict.blind.baseline import Baseline
    from pytest_verdict.blind.comparison_json import read_comparison
    from pytest_verdict.blind.criteria import read_criteria
    from pytest_verdict.blind.derivation import compare_derived
    from pytest_verdict.blind.face import assert_preferred, blind_compare
    from pytest_verdict.blind.human import HumanJudge
    from pytest_verdict.blind.models import ModelJudge
    from pytest_verdict.blind.outcome import BlindComparison
    from pytest_verdict.blind.protocol import BlindProtocol
    from pytest_verdict.blind.recording import RecordedJudge
    from pytest_verdict.blind.request import JudgeRequest
    from pytest_verdict.blind.rubric import Rubric, read_rubric
    from pytest_verdict.comparator import Comparator
    from pytest_verdict.comparison import Expectation, assert_matches, compare, expect
    from pytest_verdict.errors import (
        AdapterError,
        AwaitingJudgmentError,
        ConfigurationError,
        LeakError,
        MappingError,
        MismatchError,
        MissingExtraError,
        MissingRecordingError,
        ParseError,
        RecordError,
        SettingsError,
        SuiteError,
        TemplateError,
        ThresholdError,
        TrajectoryError,
        UnknownOperatorError,
        VerdictError,
    )
    from pytest_verdict.explanation import explain
    from pytest_verdict.judges.protocol import Judge
    from pytest_verdict.judges.pydantic_ai import PydanticAIJudge
    from pytest_verdict.judges.recording import RecordingJudge
    from pytest_verdict.laws import check_operator_laws
    from pytest_verdict.mapping.evaluator import Evaluation, Evaluator
    from pytest_verdict.mapping.input_mapping import InputMapping
    from pytest_verdict.normalizers import SynonymMap
    from pytest_verdict.operators.aggregate import AllOf, AnyOf, AtLeastN, Weighted
    from pytest_verdict.operators.base import Operator
    from pytest_verdict.operators.category import BooleanMatch, LiteralMatch, OneOf
    from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
    from pytest_verdict.operators.json_distance import JsonDistance
    from pytest_verdict.operators.json_equality import JsonCanonical, JsonSubset
    from pytest_verdict.operators.json_rules import JsonRule
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
    from pytest_verdict.suites.agent_result import AgentResult, ToolCall
    from pytest_verdict.suites.dataset_check import DatasetCheck
    from pytest_verdict.suites.user_scorer import register_scorer
    from pytest_verdict.surroundings import Budget
    from pytest_verdict.templates.answer import BaseAnswer
    from pytest_verdict.templates.audit import audit_template
    from pytest_verdict.templates.discovery import find_template
    from pytest_verdict.templates.field import TemplateWarning, VerifiedField
    from pytest_verdict.templates.field_check import FieldCheck
    from pytest_verdict.templates.judge_schema import judge_schema
    from pytest_verdict.templates.lint import lint_template
    from pytest_verdict.templates.parsing import ParsedAnswer, parse_reply
    from pytest_verdict.templates.result import TemplateResult
    from pytest_verdict.templates.template import AnswerTemplate
    from pytest_verdict.trajectories.event import Event
    from pytest_verdict.trajectories.limits import (
        TrajectoryForbidden,
        TrajectoryMaxCalls,
        TrajectoryOnlyFrom,
        TrajectorySingleToolUse,
    )
    from pytest_verdict.trajectories.order import TrajectoryAnyOrder, TrajectoryExact, TrajectoryInOrder
    from pytest_verdict.trajectories.overlap import TrajectoryF1, TrajectoryPrecision, TrajectoryRecall
    from pytest_verdict.trajectories.readers import read_trajectory, read_turns
    from pytest_verdict.trajectories.similarity import TrajectorySimilarity
    from pytest_verdict.trajectories.steps import TrajectorySteps

# Where each public name lives; read on first use, so that loading the plugin imports nothing of this.
_HOMES = {
    "AdapterError": "errors",
    "AgentResult": "suites.agent_result",
    "AllOf": "operators.aggregate",
    "AnswerTemplate": "templates.template",
    "AnyOf": "operators.aggregate",
    "AtLeastN": "operators.aggregate",
    "AwaitingJudgmentError": "errors",
    "BaseAnswer": "templates.answer",
    "Baseline": "blind.baseline",
    "BlindComparison": "blind.outcome",
    "BlindProtocol": "blind.protocol",
    "BooleanMatch": "operators.category",
    "Budget": "surroundings",
    "Comparator": "comparator",
    "ComparisonResult": "result",
    "ConfigurationError": "errors",
    "ContainsAll": "operators.text",
    "ContainsAny": "operators.text",
    "DatasetCheck": "suites.dataset_check",
    "DateMatch": "operators.date",
    "DateRange": "operators.date",
    "DateTolerance": "operators.date",
    "Delta": "operators.number",
    "Evaluation": "mapping.evaluator",
    "Evaluator": "mapping.evaluator",
    "Event": "trajectories.event",
    "ExactMatch": "operators.text",
    "Expectation": "comparison",
    "FieldCheck": "templates.field_check",
    "HumanJudge": "blind.human",
    "InputMapping": "mapping.input_mapping",
    "JsonCanonical": "operators.json_equality",
    "JsonDistance": "operators.json_distance",
    "JsonRule": "operators.json_rules",
    "JsonSchema": "operators.json_schema",
    "JsonSubset": "operators.json_equality",
    "Judge": "judges.protocol",
    "JudgeRequest": "blind.request",
    "LeakError": "errors",
    "LiteralMatch": "operators.category",
    "MappingError": "errors",
    "MismatchError": "errors",
    "MissingExtraError": "errors",
    "MissingRecordingError": "errors",
    "ModelJudge": "blind.models",
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
    "ParseError": "errors",
    "ParsedAnswer": "templates.parsing",
    "PydanticAIJudge": "judges.pydantic_ai",
    "RecordError": "errors",
    "RecordedJudge": "blind.recording",
    "RecordingJudge": "judges.recording",
    "RegexMatch": "operators.pattern",
    "Rubric": "blind.rubric",
    "SemanticMatch": "operators.semantic",
    "SetContainment": "operators.sequence",
    "SettingsError": "errors",
    "SuiteError": "errors",
    "SynonymMap": "normalizers",
    "TemplateError": "errors",
    "TemplateResult": "templates.result",
    "TemplateWarning": "templates.field",
    "TextSimilarity": "operators.similarity",
    "ThresholdError": "errors",
    "ToolCall": "suites.agent_result",
    "TraceContains": "operators.trace",
    "TraceLength": "operators.trace",
    "TraceRegex": "operators.trace",
    "TrajectoryAnyOrder": "trajectories.order",
    "TrajectoryError": "errors",
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
    "VerifiedField": "templates.field",
    "Weighted": "operators.aggregate",
    "assert_matches": "comparison",
    "assert_preferred": "blind.face",
    "audit_template": "templates.audit",
    "blind_compare": "blind.face",
    "check_operator_laws": "laws",
    "compare": "comparison",
    "compare_derived": "blind.derivation",
    "expect": "comparison",
    "explain": "explanation",
    "find_template": "templates.discovery",
    "judge_schema": "templates.judge_schema",
    "lint_template": "templates.lint",
    "parse_reply": "templates.parsing",
    "read_comparison": "blind.comparison_json",
    "read_criteria": "blind.criteria",
    "read_rubric": "blind.rubric",
    "read_trajectory": "trajectories.readers",
    "read_turns": "trajectories.readers",
    "register_scorer": "suites.user_scorer",
}

__all__ = [
    "AdapterError",
    "AgentResult",
    "AllOf",
    "AnswerTemplate",
    "AnyOf",
    "AtLeastN",
    "AwaitingJudgmentError",
    "BaseAnswer",
    "Baseline",
    "BlindComparison",
    "BlindProtocol",
    "BooleanMatch",
    "Budget",
    "Comparator",
    "ComparisonResult",
    "ConfigurationError",
    "ContainsAll",
    "ContainsAny",
    "DatasetCheck",
    "DateMatch",
    "DateRange",
    "DateTolerance",
    "Delta",
    "Evaluation",
    "Evaluator",
    "Event",
    "ExactMatch",
    "Expectation",
    "FieldCheck",
    "HumanJudge",
    "InputMapping",
    "JsonCanonical",
    "JsonDistance",
    "JsonRule",
    "JsonSchema",
    "JsonSubset",
    "Judge",
    "JudgeRequest",
    "LeakError",
    "LiteralMatch",
    "MappingError",
    "MismatchError",
    "MissingExtraError",
    "MissingRecordingError",
    "ModelJudge",
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
    "ParseError",
    "ParsedAnswer",
    "PydanticAIJudge",
    "RecordError",
    "RecordedJudge",
    "RecordingJudge",
    "RegexMatch",
    "Rubric",
    "SemanticMatch",
    "SetContainment",
    "SettingsError",
    "SuiteError",
    "SynonymMap",
    "TemplateError",
    "TemplateResult",
    "TemplateWarning",
    "TextSimilarity",
    "ThresholdError",
    "ToolCall",
    "TraceContains",
    "TraceLength",
    "TraceRegex",
    "TrajectoryAnyOrder",
    "TrajectoryError",
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
    "VerifiedField",
    "Weighted",
    "assert_matches",
    "assert_preferred",
    "audit_template",
    "blind_compare",
    "check_operator_laws",
    "compare",
    "compare_derived",
    "expect",
    "explain",
    "find_template",
    "judge_schema",
    "lint_template",
    "parse_reply",
    "read_comparison",
    "read_criteria",
    "read_rubric",
    "read_trajectory",
    "read_turns",
    "register_scorer",
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
