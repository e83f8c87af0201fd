# What type checkers and editors read of `compare` and the functions like it. Made from the operators by
# tests/typing/write_signatures.py; change that, or the operators, and run it.
# fmt: off
# ruff: noqa: UP013 - settings of no other are one expression, which is shorter than a class

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack, overload

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import Expectation
from pytest_verdict.core.normalizers import Normalizer
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.operators.json.rules import JsonRule

class OperatorName(str): ...

Normalizers: TypeAlias = Sequence[Normalizer]
Number: TypeAlias = int | float | str | Decimal
Texts: TypeAlias = list[str] | tuple[str, ...]
Threshold: TypeAlias = float | None
Name: TypeAlias = str | None
# Whose function it is: for a comparator, what is required may have come with its defaults.
_Owner = TypeVar("_Owner")

BestOfSettings = TypedDict("BestOfSettings", {"references": Sequence[Any] | None}, total=False)
ContainsSettings = TypedDict("ContainsSettings", {"substrings": Sequence[str] | None, "normalize": Normalizers,
    "case_sensitive": bool}, total=False)
DateMatchSettings = TypedDict("DateMatchSettings", {"format": str | None, "day_first": bool}, total=False)
DateRangeSettings = TypedDict("DateRangeSettings", {"min": date | str | None, "max": date | str | None, "day_first": bool},
    total=False)
DateToleranceSettings = TypedDict("DateToleranceSettings", {"unit": Literal["days", "hours", "minutes"], "day_first": bool},
    total=False)
DeltaSettings = TypedDict("DeltaSettings", {"tolerance": Number, "mode": Literal["relative", "absolute"],
    "normalize": Normalizers}, total=False)
DerivedMatchSettings = TypedDict("DerivedMatchSettings", {"extraction": Literal["programmatic", "model_mediated"]}, total=False)
ExactSettings = TypedDict("ExactSettings", {"normalize": Normalizers, "case_sensitive": bool, "nan_equal": bool}, total=False)
JsonOperatorSettings = TypedDict("JsonOperatorSettings", {"normalize": Normalizers, "parse": bool}, total=False)
class JsonPartsOperatorSettings(JsonOperatorSettings, total=False):
    ignore: Texts
    case_sensitive: bool
class JsonDistanceSettings(JsonOperatorSettings, total=False):
    list_order: Literal["ordered", "unordered"]
    tolerance: Number
    mode: Literal["absolute", "relative"]
    string_similarity: Literal["levenshtein", "indel", "jaro_winkler"] | None
    ignore: Texts
    rules: Mapping[str, JsonRule | Mapping[str, Any]]
class JsonSchemaSettings(JsonOperatorSettings, total=False):
    schema_document: Mapping[str, Any] | bool | None
    schemas: Mapping[str, Mapping[str, Any] | bool]
class JsonSubsetSettings(JsonPartsOperatorSettings, total=False):
    list_mode: Literal["contained", "exact"]
NumericSettings = TypedDict("NumericSettings", {"normalize": Normalizers}, total=False)
class LimitSettings(NumericSettings, total=False):
    exclusive: bool
    zero_at: Number | None
    mode: Literal["relative", "absolute"]
    decay: Literal["linear", "quadratic"]
NumericRangeSettings = TypedDict("NumericRangeSettings", {"min": Number | None, "max": Number | None, "exclusive_min": bool,
    "exclusive_max": bool, "normalize": Normalizers, "zero_at": Number | None, "decay": Literal["linear", "quadratic"]},
    total=False)
class NumericToleranceSettings(NumericSettings, total=False):
    mode: Literal["relative", "absolute"]
    zero_at: Number | None
    decay: Literal["linear", "quadratic"]
OneOfSettings = TypedDict("OneOfSettings", {"values": Sequence[Any] | None, "normalize": Normalizers, "case_sensitive": bool},
    total=False)
RegexSettings = TypedDict("RegexSettings", {"pattern": str | None, "mode": Literal["search", "fullmatch", "match"],
    "flags": Texts, "normalize": Normalizers}, total=False)
SemanticMatchSettings = TypedDict("SemanticMatchSettings", {"model": str, "embedder": Any, "normalize": Normalizers,
    "keep_vectors": bool}, total=False)
SetContainmentSettings = TypedDict("SetContainmentSettings", {"mode": Literal["exact", "subset", "superset", "overlap"],
    "min_overlap": int | None, "normalize": Normalizers}, total=False)
SetSimilaritySettings = TypedDict("SetSimilaritySettings", {"metric": Literal["f1", "precision", "recall", "jaccard"],
    "normalize": Normalizers}, total=False)
TextSimilaritySettings = TypedDict("TextSimilaritySettings", {"metric": Literal["levenshtein", "damerau_levenshtein", "indel",
    "jaro", "jaro_winkler", "token_f1", "rouge_l"], "normalize": Normalizers, "words": Literal["unicode", "cjk"],
    "stop_words": Texts}, total=False)
TraceContainsSettings = TypedDict("TraceContainsSettings", {"substring": str | None}, total=False)
TraceLengthSettings = TypedDict("TraceLengthSettings", {"min": int | None, "max": int | None, "unit": Literal["chars", "words",
    "lines"]}, total=False)
TraceRegexSettings = TypedDict("TraceRegexSettings", {"pattern": str | None, "count_min": int | None, "flags": Texts},
    total=False)
ObservedTrajectorySettings = TypedDict("ObservedTrajectorySettings", {"observed_format": str, "aliases": Mapping[str, str],
    "mcp_servers": Literal["any"] | Texts, "only_tools": Texts | None, "except_tools": Texts, "agents": Texts | None,
    "failed": Literal["count", "skip"], "tools": Texts}, total=False)
class TrajectoryOperatorSettings(ObservedTrajectorySettings, total=False):
    args: str | Mapping[str, Any]
    ignored_args: Texts
    defaults: Mapping[str, Mapping[str, Any]]
    turns: Literal["none", "all", "mean", "flatten"]
    expected_format: str
class TrajectoryAnyOrderSettings(TrajectoryOperatorSettings, total=False):
    extras: Literal["allow", "forbid"]
class PrecisionRecallSettings(TrajectoryOperatorSettings, total=False):
    matching: Literal["any_order", "in_order", "same_order", "same_tools"]
    credit: Literal["whole", "partial"]
class TrajectoryForbiddenSettings(TrajectoryOperatorSettings, total=False):
    forbidden: Sequence[Any] | None
class TrajectoryMaxCallsSettings(ObservedTrajectorySettings, total=False):
    limits: int | Mapping[str, int] | None
class TrajectoryOnlyFromSettings(TrajectoryOperatorSettings, total=False):
    repeats: Literal["forbid", "allow"]
class TrajectorySingleToolUseSettings(ObservedTrajectorySettings, total=False):
    tool: str | None
class Compare(Generic[_Owner]):
    @overload
    def __call__(self, operator: Literal["all_of", "any_of", "none_of"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, conditions: Any) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["at_least_n"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, conditions: Any, n: int) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["best_of"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, inner: Any, **settings: Unpack[BestOfSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["boolean", "is_type", "literal", "not_blank"] | Operator, expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["contains_all", "contains_any", "ends_with", "not_contains", "starts_with"],
        expected: Any, observed: Any, threshold: Threshold = None, *, name: Name = None, extract: Any = None,
        **settings: Unpack[ContainsSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["date_match"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[DateMatchSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["date_range"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[DateRangeSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["date_tolerance"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, tolerance: int,
        **settings: Unpack[DateToleranceSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["delta"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[DeltaSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["derived"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, inner: Any, source: Literal["spec", "reference", "blind_rederivation"],
        **settings: Unpack[DerivedMatchSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["exact", "normalized_exact"], expected: Any, observed: Any, threshold: Threshold = None,
        *, name: Name = None, extract: Any = None, **settings: Unpack[ExactSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["json_canonical"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[JsonPartsOperatorSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["json_distance"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[JsonDistanceSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["json_schema"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[JsonSchemaSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["json_subset"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[JsonSubsetSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["numeric_exact", "ordered_match"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None,
        **settings: Unpack[NumericSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["numeric_maximum", "numeric_minimum"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None,
        **settings: Unpack[LimitSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["numeric_range"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[NumericRangeSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["numeric_tolerance"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, tolerance: Number,
        **settings: Unpack[NumericToleranceSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["one_of"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[OneOfSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["regex"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[RegexSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["semantic"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[SemanticMatchSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["set_containment"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[SetContainmentSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["set_similarity"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[SetSimilaritySettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["text_similarity"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TextSimilaritySettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trace_contains"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TraceContainsSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trace_length"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TraceLengthSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trace_regex"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TraceRegexSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_any_order", "trajectory_in_order", "trajectory_steps"], expected: Any,
        observed: Any, threshold: Threshold = None, *, name: Name = None, extract: Any = None,
        **settings: Unpack[TrajectoryAnyOrderSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_exact", "trajectory_similarity"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None,
        **settings: Unpack[TrajectoryOperatorSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_f1", "trajectory_precision", "trajectory_recall"], expected: Any,
        observed: Any, threshold: Threshold = None, *, name: Name = None, extract: Any = None,
        **settings: Unpack[PrecisionRecallSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_forbidden"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TrajectoryForbiddenSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_max_calls"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TrajectoryMaxCallsSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_only_from"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, **settings: Unpack[TrajectoryOnlyFromSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["trajectory_single_tool_use"], expected: Any, observed: Any, threshold: Threshold = None,
        *, name: Name = None, extract: Any = None, **settings: Unpack[TrajectorySingleToolUseSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: Literal["weighted"], expected: Any, observed: Any, threshold: Threshold = None, *,
        name: Name = None, extract: Any = None, conditions: Any,
        weights: Mapping[str, Number] | Sequence[Number]) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["all_of", "any_of", "none_of"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, conditions: Any = ...) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["at_least_n"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, conditions: Any = ...,
        n: int = ...) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["best_of"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, inner: Any = ...,
        **settings: Unpack[BestOfSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["date_tolerance"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, tolerance: int = ...,
        **settings: Unpack[DateToleranceSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["derived"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, inner: Any = ...,
        source: Literal["spec", "reference", "blind_rederivation"] = ...,
        **settings: Unpack[DerivedMatchSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["numeric_tolerance"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, tolerance: Number = ...,
        **settings: Unpack[NumericToleranceSettings]) -> ComparisonResult: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["weighted"], expected: Any, observed: Any,
        threshold: Threshold = None, *, name: Name = None, extract: Any = None, conditions: Any = ...,
        weights: Mapping[str, Number] | Sequence[Number] = ...) -> ComparisonResult: ...
    @overload
    def __call__(self, operator: OperatorName, expected: Any, observed: Any, threshold: Threshold = None, *, name: Name = None,
        extract: Any = None, **_settings: Any) -> ComparisonResult: ...

class Expect:
    @overload
    def __call__(self, operator: Literal["all_of", "any_of", "none_of"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, conditions: Any) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["at_least_n"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        conditions: Any, n: int) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["best_of"], expected: Any, threshold: Threshold = None, *, name: Name = None, inner: Any,
        **settings: Unpack[BestOfSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["boolean", "is_type", "literal", "not_blank"] | Operator, expected: Any,
        threshold: Threshold = None, *, name: Name = None) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["contains_all", "contains_any", "ends_with", "not_contains", "starts_with"],
        expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[ContainsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["date_match"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[DateMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["date_range"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[DateRangeSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["date_tolerance"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        tolerance: int, **settings: Unpack[DateToleranceSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["delta"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[DeltaSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["derived"], expected: Any, threshold: Threshold = None, *, name: Name = None, inner: Any,
        source: Literal["spec", "reference", "blind_rederivation"], **settings: Unpack[DerivedMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["exact", "normalized_exact"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[ExactSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_canonical"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[JsonPartsOperatorSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_distance"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[JsonDistanceSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_schema"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[JsonSchemaSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_subset"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[JsonSubsetSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_exact", "ordered_match"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[NumericSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_maximum", "numeric_minimum"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[LimitSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_range"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[NumericRangeSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_tolerance"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        tolerance: Number, **settings: Unpack[NumericToleranceSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["one_of"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[OneOfSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["regex"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[RegexSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["semantic"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[SemanticMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["set_containment"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[SetContainmentSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["set_similarity"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[SetSimilaritySettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["text_similarity"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[TextSimilaritySettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trace_contains"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[TraceContainsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trace_length"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[TraceLengthSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trace_regex"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        **settings: Unpack[TraceRegexSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_any_order", "trajectory_in_order", "trajectory_steps"], expected: Any,
        threshold: Threshold = None, *, name: Name = None, **settings: Unpack[TrajectoryAnyOrderSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_exact", "trajectory_similarity"], expected: Any, threshold: Threshold = None,
        *, name: Name = None, **settings: Unpack[TrajectoryOperatorSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_f1", "trajectory_precision", "trajectory_recall"], expected: Any,
        threshold: Threshold = None, *, name: Name = None, **settings: Unpack[PrecisionRecallSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_forbidden"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[TrajectoryForbiddenSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_max_calls"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[TrajectoryMaxCallsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_only_from"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[TrajectoryOnlyFromSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_single_tool_use"], expected: Any, threshold: Threshold = None, *,
        name: Name = None, **settings: Unpack[TrajectorySingleToolUseSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["weighted"], expected: Any, threshold: Threshold = None, *, name: Name = None,
        conditions: Any, weights: Mapping[str, Number] | Sequence[Number]) -> Expectation: ...
    @overload
    def __call__(self, operator: OperatorName, expected: Any, threshold: Threshold = None, *, name: Name = None,
        **_settings: Any) -> Expectation: ...

class SetDefaults:
    @overload
    def __call__(self, operator: None = None, /, *, threshold: Threshold = None) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["all_of", "any_of", "none_of"], /, *, threshold: Threshold = None,
        conditions: Any = ...) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["at_least_n"], /, *, threshold: Threshold = None, conditions: Any = ...,
        n: int = ...) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["best_of"], /, *, threshold: Threshold = None, inner: Any = ...,
        **settings: Unpack[BestOfSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["boolean", "is_type", "literal", "not_blank"], /, *,
        threshold: Threshold = None) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["contains_all", "contains_any", "ends_with", "not_contains", "starts_with"], /, *,
        threshold: Threshold = None, **settings: Unpack[ContainsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["date_match"], /, *, threshold: Threshold = None,
        **settings: Unpack[DateMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["date_range"], /, *, threshold: Threshold = None,
        **settings: Unpack[DateRangeSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["date_tolerance"], /, *, threshold: Threshold = None, tolerance: int = ...,
        **settings: Unpack[DateToleranceSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["delta"], /, *, threshold: Threshold = None,
        **settings: Unpack[DeltaSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["derived"], /, *, threshold: Threshold = None, inner: Any = ...,
        source: Literal["spec", "reference", "blind_rederivation"] = ...,
        **settings: Unpack[DerivedMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["exact", "normalized_exact"], /, *, threshold: Threshold = None,
        **settings: Unpack[ExactSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_canonical"], /, *, threshold: Threshold = None,
        **settings: Unpack[JsonPartsOperatorSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_distance"], /, *, threshold: Threshold = None,
        **settings: Unpack[JsonDistanceSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_schema"], /, *, threshold: Threshold = None,
        **settings: Unpack[JsonSchemaSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_subset"], /, *, threshold: Threshold = None,
        **settings: Unpack[JsonSubsetSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_exact", "ordered_match"], /, *, threshold: Threshold = None,
        **settings: Unpack[NumericSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_maximum", "numeric_minimum"], /, *, threshold: Threshold = None,
        **settings: Unpack[LimitSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_range"], /, *, threshold: Threshold = None,
        **settings: Unpack[NumericRangeSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_tolerance"], /, *, threshold: Threshold = None, tolerance: Number = ...,
        **settings: Unpack[NumericToleranceSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["one_of"], /, *, threshold: Threshold = None,
        **settings: Unpack[OneOfSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["regex"], /, *, threshold: Threshold = None,
        **settings: Unpack[RegexSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["semantic"], /, *, threshold: Threshold = None,
        **settings: Unpack[SemanticMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["set_containment"], /, *, threshold: Threshold = None,
        **settings: Unpack[SetContainmentSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["set_similarity"], /, *, threshold: Threshold = None,
        **settings: Unpack[SetSimilaritySettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["text_similarity"], /, *, threshold: Threshold = None,
        **settings: Unpack[TextSimilaritySettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trace_contains"], /, *, threshold: Threshold = None,
        **settings: Unpack[TraceContainsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trace_length"], /, *, threshold: Threshold = None,
        **settings: Unpack[TraceLengthSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trace_regex"], /, *, threshold: Threshold = None,
        **settings: Unpack[TraceRegexSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_any_order", "trajectory_in_order", "trajectory_steps"], /, *,
        threshold: Threshold = None, **settings: Unpack[TrajectoryAnyOrderSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_exact", "trajectory_similarity"], /, *, threshold: Threshold = None,
        **settings: Unpack[TrajectoryOperatorSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_f1", "trajectory_precision", "trajectory_recall"], /, *,
        threshold: Threshold = None, **settings: Unpack[PrecisionRecallSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_forbidden"], /, *, threshold: Threshold = None,
        **settings: Unpack[TrajectoryForbiddenSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_max_calls"], /, *, threshold: Threshold = None,
        **settings: Unpack[TrajectoryMaxCallsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_only_from"], /, *, threshold: Threshold = None,
        **settings: Unpack[TrajectoryOnlyFromSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_single_tool_use"], /, *, threshold: Threshold = None,
        **settings: Unpack[TrajectorySingleToolUseSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["weighted"], /, *, threshold: Threshold = None, conditions: Any = ...,
        weights: Mapping[str, Number] | Sequence[Number] = ...) -> Comparator: ...
    @overload
    def __call__(self, operator: OperatorName, /, *, threshold: Threshold = None, **_settings: Any) -> Comparator: ...

def typed_compare(function: Callable[..., ComparisonResult], /) -> Compare[None]: ...
def typed_comparator(function: Callable[..., ComparisonResult], /) -> Compare[Comparator]: ...
def typed_expect(function: Callable[..., Expectation], /) -> Expect: ...
def typed_defaults(function: Callable[..., Comparator], /) -> SetDefaults: ...
