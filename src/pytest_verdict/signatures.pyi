# What type checkers and editors read of `compare` and the functions like it. Written by make generate from the operators.
# fmt: off
# ruff: noqa: UP013 - an expression is often shorter than a class

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack, overload

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import Expectation
from pytest_verdict.core.normalizers import Normalizer
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult as Result
from pytest_verdict.operators.json.rules import JsonRule

class OperatorName(str): ...

Normalizers: TypeAlias = Sequence[Normalizer]
Number: TypeAlias = int | float | str | Decimal
Texts: TypeAlias = list[str] | tuple[str, ...]
Limit: TypeAlias = float | None
Text: TypeAlias = str | None
# Whose function it is: for a comparator, what is required may have come with its defaults.
_Owner = TypeVar("_Owner")

BestOfSettings = TypedDict("BestOfSettings", {"references": Sequence[Any] | None}, total=False)
ByFieldSettings = TypedDict("ByFieldSettings", {"rest": Any, "normalize": Normalizers}, total=False)
ContainsSettings = TypedDict("ContainsSettings", {"substrings": Sequence[str] | None, "normalize": Normalizers,
    "case_sensitive": bool}, total=False)
DateMatchSettings = TypedDict("DateMatchSettings", {"format": str | None, "day_first": bool}, total=False)
DateRangeSettings = TypedDict("DateRangeSettings", {"min": date | str | None, "max": date | str | None, "day_first": bool},
    total=False)
DateToleranceSettings = TypedDict("DateToleranceSettings", {"unit": Literal["days", "hours", "minutes", "seconds"],
    "day_first": bool}, total=False)
DeltaSettings = TypedDict("DeltaSettings", {"tolerance": Number, "mode": Literal["relative", "absolute"],
    "normalize": Normalizers}, total=False)
DerivedMatchSettings = TypedDict("DerivedMatchSettings", {"extraction": Literal["programmatic", "model_mediated"]}, total=False)
ExactSettings = TypedDict("ExactSettings", {"normalize": Normalizers, "case_sensitive": bool, "nan_equal": bool}, total=False)
JsonSettings = TypedDict("JsonSettings", {"normalize": Normalizers, "parse": bool}, total=False)
JsonPartsSettings = TypedDict("JsonPartsSettings", {"normalize": Normalizers, "parse": bool, "ignore": Texts,
    "case_sensitive": bool}, total=False)
JsonDistanceSettings = TypedDict("JsonDistanceSettings", {"normalize": Normalizers, "parse": bool,
    "list_order": Literal["ordered", "unordered"], "tolerance": Number, "mode": Literal["absolute", "relative"],
    "string_similarity": Literal["levenshtein", "indel", "jaro_winkler"] | None, "ignore": Texts, "rules": Mapping[str,
    JsonRule | Mapping[str, Any]]}, total=False)
JsonSchemaSettings = TypedDict("JsonSchemaSettings", {"normalize": Normalizers, "parse": bool, "schema_document": Mapping[str,
    Any] | bool | None, "schemas": Mapping[str, Mapping[str, Any] | bool], "format": Literal["assert", "annotate"] | None},
    total=False)
JsonSubsetSettings = TypedDict("JsonSubsetSettings", {"normalize": Normalizers, "parse": bool, "ignore": Texts,
    "case_sensitive": bool, "list_mode": Literal["contained", "exact"]}, total=False)
ListSimilaritySettings = TypedDict("ListSimilaritySettings", {"inner": Any, "extras": Literal["count", "ignore"]}, total=False)
MappingMatchSettings = TypedDict("MappingMatchSettings", {"mode": Literal["exact", "subset"], "key_order": bool,
    "none_is_absent": bool}, total=False)
NumericSettings = TypedDict("NumericSettings", {"normalize": Normalizers}, total=False)
LimitSettings = TypedDict("LimitSettings", {"normalize": Normalizers, "exclusive": bool, "zero_at": Number | None,
    "mode": Literal["relative", "absolute"], "decay": Literal["linear", "quadratic"]}, total=False)
NumericRangeSettings = TypedDict("NumericRangeSettings", {"min": Number | None, "max": Number | None, "exclusive_min": bool,
    "exclusive_max": bool, "normalize": Normalizers, "zero_at": Number | None, "decay": Literal["linear", "quadratic"]},
    total=False)
NumericToleranceSettings = TypedDict("NumericToleranceSettings", {"normalize": Normalizers, "mode": Literal["relative",
    "absolute"], "zero_at": Number | None, "decay": Literal["linear", "quadratic"]}, total=False)
OneOfSettings = TypedDict("OneOfSettings", {"values": Sequence[Any] | None, "normalize": Normalizers, "case_sensitive": bool},
    total=False)
RegexSettings = TypedDict("RegexSettings", {"pattern": str | None, "mode": Literal["search", "fullmatch", "match"],
    "flags": Texts, "normalize": Normalizers}, total=False)
RunLimitsSettings = TypedDict("RunLimitsSettings", {"limits": Mapping[str, int | float | Decimal] | None}, total=False)
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
    "failed": Literal["count", "skip"], "tools": Texts, "exact_names": bool}, total=False)
TrajectorySettings = TypedDict("TrajectorySettings", {"observed_format": str, "aliases": Mapping[str, str],
    "mcp_servers": Literal["any"] | Texts, "only_tools": Texts | None, "except_tools": Texts, "agents": Texts | None,
    "failed": Literal["count", "skip"], "tools": Texts, "exact_names": bool, "args": str | Mapping[str, Any],
    "ignored_args": Texts, "defaults": Mapping[str, Mapping[str, Any]], "turns": Literal["none", "all", "mean", "flatten"],
    "expected_format": str, "occurrences": Mapping[str, str | int]}, total=False)
class TrajectoryAnyOrderSettings(TrajectorySettings, total=False):
    extras: Literal["allow", "forbid"]
class PrecisionRecallSettings(TrajectorySettings, total=False):
    matching: Literal["any_order", "in_order", "same_order", "same_tools"]
    credit: Literal["whole", "partial"]
class TrajectoryForbiddenSettings(TrajectorySettings, total=False):
    forbidden: Sequence[Any] | None
class TrajectoryMaxCallsSettings(ObservedTrajectorySettings, total=False):
    limits: int | Mapping[str, int] | None
class TrajectoryOnlyFromSettings(TrajectorySettings, total=False):
    repeats: Literal["forbid", "allow"]
class TrajectorySingleToolUseSettings(ObservedTrajectorySettings, total=False):
    tool: str | None
class TrajectoryValidCallsSettings(ObservedTrajectorySettings, total=False):
    definitions: Mapping[str, Any] | None
    unknown_args: Literal["forbid", "allow"]
class Compare(Generic[_Owner]):
    @overload
    def __call__(self, operator: Literal["all_of", "any_of", "none_of"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, conditions: Any) -> Result: ...
    @overload
    def __call__(self, operator: Literal["at_least_n"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, conditions: Any, n: int) -> Result: ...
    @overload
    def __call__(self, operator: Literal["best_of"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, inner: Any, **settings: Unpack[BestOfSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["boolean", "is_type", "literal", "not_blank"] | Operator, expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None) -> Result: ...
    @overload
    def __call__(self, operator: Literal["by_field"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, rules: Any, **settings: Unpack[ByFieldSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["contains_all", "contains_any", "ends_with", "not_contains", "starts_with"],
        expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[ContainsSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["date_match"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[DateMatchSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["date_range"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[DateRangeSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["date_tolerance"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, tolerance: int,
        **settings: Unpack[DateToleranceSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["delta"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[DeltaSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["derived"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, inner: Any, source: Literal["spec", "reference", "blind_rederivation"],
        **settings: Unpack[DerivedMatchSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["exact", "normalized_exact"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[ExactSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["json_canonical"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[JsonPartsSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["json_distance"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[JsonDistanceSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["json_schema"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[JsonSchemaSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["json_similarity"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[JsonSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["json_subset"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[JsonSubsetSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["list_similarity"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[ListSimilaritySettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["mapping_match"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[MappingMatchSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["numeric_exact", "numeric_similarity", "ordered_match"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[NumericSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["numeric_maximum", "numeric_minimum"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[LimitSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["numeric_range"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[NumericRangeSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["numeric_tolerance"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, tolerance: Number,
        **settings: Unpack[NumericToleranceSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["one_of"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[OneOfSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["regex"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[RegexSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["run_limits"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[RunLimitsSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["semantic"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[SemanticMatchSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["set_containment"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[SetContainmentSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["set_similarity"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[SetSimilaritySettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["text_similarity"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[TextSimilaritySettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trace_contains"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[TraceContainsSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trace_length"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[TraceLengthSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trace_regex"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[TraceRegexSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_any_order", "trajectory_in_order", "trajectory_steps"], expected: Any,
        observed: Any, threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectoryAnyOrderSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_exact", "trajectory_similarity"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectorySettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_f1", "trajectory_precision", "trajectory_recall"], expected: Any,
        observed: Any, threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[PrecisionRecallSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_forbidden"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectoryForbiddenSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_max_calls"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectoryMaxCallsSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_only_from"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectoryOnlyFromSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_single_tool_use"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectorySingleToolUseSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["trajectory_valid_calls"], expected: Any, observed: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectoryValidCallsSettings]) -> Result: ...
    @overload
    def __call__(self, operator: Literal["weighted"], expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, conditions: Any,
        weights: Mapping[str, Number] | Sequence[Number]) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["all_of", "any_of", "none_of"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        conditions: Any = ...) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["at_least_n"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None, conditions: Any = ...,
        n: int = ...) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["best_of"], expected: Any, observed: Any, threshold: Limit = None,
        *, name: Text = None, extract: Any = None, message: Text = None, inner: Any = ...,
        **settings: Unpack[BestOfSettings]) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["by_field"], expected: Any, observed: Any, threshold: Limit = None,
        *, name: Text = None, extract: Any = None, message: Text = None, rules: Any = ...,
        **settings: Unpack[ByFieldSettings]) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["date_tolerance"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None, tolerance: int = ...,
        **settings: Unpack[DateToleranceSettings]) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["derived"], expected: Any, observed: Any, threshold: Limit = None,
        *, name: Text = None, extract: Any = None, message: Text = None, inner: Any = ...,
        source: Literal["spec", "reference", "blind_rederivation"] = ..., **settings: Unpack[DerivedMatchSettings]) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["numeric_tolerance"], expected: Any, observed: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None, tolerance: Number = ...,
        **settings: Unpack[NumericToleranceSettings]) -> Result: ...
    @overload
    def __call__(self: Compare[Comparator], operator: Literal["weighted"], expected: Any, observed: Any, threshold: Limit = None,
        *, name: Text = None, extract: Any = None, message: Text = None, conditions: Any = ...,
        weights: Mapping[str, Number] | Sequence[Number] = ...) -> Result: ...
    @overload
    def __call__(self, operator: OperatorName, expected: Any, observed: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **_settings: Any) -> Result: ...

class Expect:
    @overload
    def __call__(self, operator: Literal["all_of", "any_of", "none_of"], expected: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, conditions: Any) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["at_least_n"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, conditions: Any, n: int) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["best_of"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, inner: Any, **settings: Unpack[BestOfSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["boolean", "is_type", "literal", "not_blank"] | Operator, expected: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["by_field"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, rules: Any, **settings: Unpack[ByFieldSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["contains_all", "contains_any", "ends_with", "not_contains", "starts_with"],
        expected: Any, threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[ContainsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["date_match"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[DateMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["date_range"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[DateRangeSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["date_tolerance"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, tolerance: int, **settings: Unpack[DateToleranceSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["delta"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[DeltaSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["derived"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, inner: Any, source: Literal["spec", "reference", "blind_rederivation"],
        **settings: Unpack[DerivedMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["exact", "normalized_exact"], expected: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[ExactSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_canonical"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[JsonPartsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_distance"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[JsonDistanceSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_schema"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[JsonSchemaSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_similarity"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[JsonSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["json_subset"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[JsonSubsetSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["list_similarity"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[ListSimilaritySettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["mapping_match"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[MappingMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_exact", "numeric_similarity", "ordered_match"], expected: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[NumericSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_maximum", "numeric_minimum"], expected: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[LimitSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_range"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[NumericRangeSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["numeric_tolerance"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, tolerance: Number,
        **settings: Unpack[NumericToleranceSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["one_of"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[OneOfSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["regex"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[RegexSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["run_limits"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[RunLimitsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["semantic"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[SemanticMatchSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["set_containment"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[SetContainmentSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["set_similarity"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[SetSimilaritySettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["text_similarity"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TextSimilaritySettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trace_contains"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TraceContainsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trace_length"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TraceLengthSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trace_regex"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TraceRegexSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_any_order", "trajectory_in_order", "trajectory_steps"], expected: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectoryAnyOrderSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_exact", "trajectory_similarity"], expected: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None, **settings: Unpack[TrajectorySettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_f1", "trajectory_precision", "trajectory_recall"], expected: Any,
        threshold: Limit = None, *, name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[PrecisionRecallSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_forbidden"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TrajectoryForbiddenSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_max_calls"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TrajectoryMaxCallsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_only_from"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TrajectoryOnlyFromSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_single_tool_use"], expected: Any, threshold: Limit = None, *,
        name: Text = None, extract: Any = None, message: Text = None,
        **settings: Unpack[TrajectorySingleToolUseSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["trajectory_valid_calls"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, **settings: Unpack[TrajectoryValidCallsSettings]) -> Expectation: ...
    @overload
    def __call__(self, operator: Literal["weighted"], expected: Any, threshold: Limit = None, *, name: Text = None,
        extract: Any = None, message: Text = None, conditions: Any,
        weights: Mapping[str, Number] | Sequence[Number]) -> Expectation: ...
    @overload
    def __call__(self, operator: OperatorName, expected: Any, threshold: Limit = None, *, name: Text = None, extract: Any = None,
        message: Text = None, **_settings: Any) -> Expectation: ...

class SetDefaults:
    @overload
    def __call__(self, operator: None = None, /, *, threshold: Limit = None) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["all_of", "any_of", "none_of"], /, *, threshold: Limit = None,
        conditions: Any = ...) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["at_least_n"], /, *, threshold: Limit = None, conditions: Any = ...,
        n: int = ...) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["best_of"], /, *, threshold: Limit = None, inner: Any = ...,
        **settings: Unpack[BestOfSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["boolean", "is_type", "literal", "not_blank"], /, *,
        threshold: Limit = None) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["by_field"], /, *, threshold: Limit = None, rules: Any = ...,
        **settings: Unpack[ByFieldSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["contains_all", "contains_any", "ends_with", "not_contains", "starts_with"], /, *,
        threshold: Limit = None, **settings: Unpack[ContainsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["date_match"], /, *, threshold: Limit = None,
        **settings: Unpack[DateMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["date_range"], /, *, threshold: Limit = None,
        **settings: Unpack[DateRangeSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["date_tolerance"], /, *, threshold: Limit = None, tolerance: int = ...,
        **settings: Unpack[DateToleranceSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["delta"], /, *, threshold: Limit = None,
        **settings: Unpack[DeltaSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["derived"], /, *, threshold: Limit = None, inner: Any = ...,
        source: Literal["spec", "reference", "blind_rederivation"] = ...,
        **settings: Unpack[DerivedMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["exact", "normalized_exact"], /, *, threshold: Limit = None,
        **settings: Unpack[ExactSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_canonical"], /, *, threshold: Limit = None,
        **settings: Unpack[JsonPartsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_distance"], /, *, threshold: Limit = None,
        **settings: Unpack[JsonDistanceSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_schema"], /, *, threshold: Limit = None,
        **settings: Unpack[JsonSchemaSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_similarity"], /, *, threshold: Limit = None,
        **settings: Unpack[JsonSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["json_subset"], /, *, threshold: Limit = None,
        **settings: Unpack[JsonSubsetSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["list_similarity"], /, *, threshold: Limit = None,
        **settings: Unpack[ListSimilaritySettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["mapping_match"], /, *, threshold: Limit = None,
        **settings: Unpack[MappingMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_exact", "numeric_similarity", "ordered_match"], /, *, threshold: Limit = None,
        **settings: Unpack[NumericSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_maximum", "numeric_minimum"], /, *, threshold: Limit = None,
        **settings: Unpack[LimitSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_range"], /, *, threshold: Limit = None,
        **settings: Unpack[NumericRangeSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["numeric_tolerance"], /, *, threshold: Limit = None, tolerance: Number = ...,
        **settings: Unpack[NumericToleranceSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["one_of"], /, *, threshold: Limit = None,
        **settings: Unpack[OneOfSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["regex"], /, *, threshold: Limit = None,
        **settings: Unpack[RegexSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["run_limits"], /, *, threshold: Limit = None,
        **settings: Unpack[RunLimitsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["semantic"], /, *, threshold: Limit = None,
        **settings: Unpack[SemanticMatchSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["set_containment"], /, *, threshold: Limit = None,
        **settings: Unpack[SetContainmentSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["set_similarity"], /, *, threshold: Limit = None,
        **settings: Unpack[SetSimilaritySettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["text_similarity"], /, *, threshold: Limit = None,
        **settings: Unpack[TextSimilaritySettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trace_contains"], /, *, threshold: Limit = None,
        **settings: Unpack[TraceContainsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trace_length"], /, *, threshold: Limit = None,
        **settings: Unpack[TraceLengthSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trace_regex"], /, *, threshold: Limit = None,
        **settings: Unpack[TraceRegexSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_any_order", "trajectory_in_order", "trajectory_steps"], /, *,
        threshold: Limit = None, **settings: Unpack[TrajectoryAnyOrderSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_exact", "trajectory_similarity"], /, *, threshold: Limit = None,
        **settings: Unpack[TrajectorySettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_f1", "trajectory_precision", "trajectory_recall"], /, *,
        threshold: Limit = None, **settings: Unpack[PrecisionRecallSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_forbidden"], /, *, threshold: Limit = None,
        **settings: Unpack[TrajectoryForbiddenSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_max_calls"], /, *, threshold: Limit = None,
        **settings: Unpack[TrajectoryMaxCallsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_only_from"], /, *, threshold: Limit = None,
        **settings: Unpack[TrajectoryOnlyFromSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_single_tool_use"], /, *, threshold: Limit = None,
        **settings: Unpack[TrajectorySingleToolUseSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["trajectory_valid_calls"], /, *, threshold: Limit = None,
        **settings: Unpack[TrajectoryValidCallsSettings]) -> Comparator: ...
    @overload
    def __call__(self, operator: Literal["weighted"], /, *, threshold: Limit = None, conditions: Any = ...,
        weights: Mapping[str, Number] | Sequence[Number] = ...) -> Comparator: ...
    @overload
    def __call__(self, operator: OperatorName, /, *, threshold: Limit = None, **_settings: Any) -> Comparator: ...

def typed_compare(function: Callable[..., Result], /) -> Compare[None]: ...
def typed_comparator(function: Callable[..., Result], /) -> Compare[Comparator]: ...
def typed_expect(function: Callable[..., Expectation], /) -> Expect: ...
def typed_defaults(function: Callable[..., Comparator], /) -> SetDefaults: ...
