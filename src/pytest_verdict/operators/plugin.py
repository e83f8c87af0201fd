"""The hooks of the operators."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import hookimpl

_HERE: Final = "pytest_verdict.operators."

_CLASSES: Final = {
    "text": {
        "contains_all": "ContainsAll", "contains_any": "ContainsAny", "ends_with": "EndsWith", "exact": "Exact",
        "normalized_exact": "NormalizedExact", "not_contains": "NotContains", "starts_with": "StartsWith",
    },
    "regex": {"regex": "Regex"},
    "similarity": {"text_similarity": "TextSimilarity"},
    "semantic": {"semantic": "SemanticMatch"},
    "number": {
        "delta": "Delta", "numeric_exact": "NumericExact", "numeric_maximum": "NumericMaximum",
        "numeric_minimum": "NumericMinimum", "numeric_range": "NumericRange", "numeric_similarity": "NumericSimilarity",
        "numeric_tolerance": "NumericTolerance",
    },
    "category": {"boolean": "BooleanMatch", "is_type": "IsType", "literal": "LiteralMatch", "one_of": "OneOf"},
    "lists": {
        "mapping_match": "MappingMatch", "ordered_match": "OrderedMatch",
        "set_containment": "SetContainment", "set_similarity": "SetSimilarity",
    },
    "date": {"date_match": "DateMatch", "date_range": "DateRange", "date_tolerance": "DateTolerance"},
    "json.by_field": {"by_field": "ByField"},
    "json.equality": {"json_canonical": "JsonCanonical", "json_subset": "JsonSubset"},
    "json.distance": {"json_distance": "JsonDistance", "json_similarity": "JsonSimilarity"},
    "json.schema": {"json_schema": "JsonSchema"},
    "trace": {"trace_contains": "TraceContains", "trace_length": "TraceLength", "trace_regex": "TraceRegex"},
    "aggregate": {
        "all_of": "AllOf", "any_of": "AnyOf", "at_least_n": "AtLeastN", "best_of": "BestOf", "derived": "DerivedMatch",
        "list_similarity": "ListSimilarity", "none_of": "NoneOf", "weighted": "Weighted",
    },
    "criteria": {"criteria": "CriteriaMatch"},
    "synthetic_operators": {"not_blank": "NotBlank"},
}  # fmt: skip
_OPERATORS: Final = {
    name: f"{_HERE}{module}:{cls}" for module, classes in _CLASSES.items() for name, cls in classes.items()
}


@hookimpl
def operators() -> Mapping[str, str]:
    """Return where each operator is."""
    return _OPERATORS


@hookimpl
def recorded_operators() -> Mapping[str, str]:
    """Return where each operator is that only records have."""
    return {
        "not_compared": f"{_HERE}synthetic_operators:NotCompared",
        "nothing_found": f"{_HERE}synthetic_operators:NothingFound",
        "pass_rate": f"{_HERE}pass_rate:PassRate",
        "row_count": f"{_HERE}pass_rate:RowCount",
        "scorer_verdict": f"{_HERE}synthetic_operators:ScorerVerdict",
    }


@hookimpl
def explanations() -> Mapping[str, str]:
    """Return the explanations by operator."""
    aggregates = {*_CLASSES["aggregate"], "by_field", "criteria"} - {"derived"}
    parts = dict.fromkeys(aggregates, f"{_HERE}explanation:explain_parts")
    described = "is_type", "not_contains", "pass_rate", "row_count", "scorer_verdict", "semantic", *_CLASSES["trace"]
    return {**parts, **dict.fromkeys(described, f"{_HERE}explanation:explain_in_words")}
