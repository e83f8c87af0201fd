"""What the operators bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import hookimpl

_HERE: Final = "pytest_verdict.operators."

_OPERATORS: Final = {
    "all_of": f"{_HERE}aggregate:AllOf",
    "any_of": f"{_HERE}aggregate:AnyOf",
    "at_least_n": f"{_HERE}aggregate:AtLeastN",
    "boolean": f"{_HERE}category:BooleanMatch",
    "contains_all": f"{_HERE}text:ContainsAll",
    "contains_any": f"{_HERE}text:ContainsAny",
    "criteria": f"{_HERE}criteria:CriteriaMatch",
    "date_match": f"{_HERE}date:DateMatch",
    "date_range": f"{_HERE}date:DateRange",
    "date_tolerance": f"{_HERE}date:DateTolerance",
    "delta": f"{_HERE}number:Delta",
    "derived": f"{_HERE}derived:DerivedMatch",
    "exact": f"{_HERE}text:Exact",
    "json_canonical": f"{_HERE}json.equality:JsonCanonical",
    "json_distance": f"{_HERE}json.distance:JsonDistance",
    "json_schema": f"{_HERE}json.schema:JsonSchema",
    "json_subset": f"{_HERE}json.equality:JsonSubset",
    "literal": f"{_HERE}category:LiteralMatch",
    "normalized_exact": f"{_HERE}text:NormalizedExact",
    "not_blank": f"{_HERE}evidence:NotBlank",
    "numeric_exact": f"{_HERE}number:NumericExact",
    "numeric_maximum": f"{_HERE}number:NumericMaximum",
    "numeric_minimum": f"{_HERE}number:NumericMinimum",
    "numeric_range": f"{_HERE}number:NumericRange",
    "numeric_tolerance": f"{_HERE}number:NumericTolerance",
    "one_of": f"{_HERE}category:OneOf",
    "ordered_match": f"{_HERE}lists:OrderedMatch",
    "regex": f"{_HERE}regex:Regex",
    "semantic": f"{_HERE}semantic:SemanticMatch",
    "set_containment": f"{_HERE}lists:SetContainment",
    "text_similarity": f"{_HERE}similarity:TextSimilarity",
    "trace_contains": f"{_HERE}trace:TraceContains",
    "trace_length": f"{_HERE}trace:TraceLength",
    "trace_regex": f"{_HERE}trace:TraceRegex",
    "weighted": f"{_HERE}aggregate:Weighted",
}


@hookimpl
def operators() -> Mapping[str, str]:
    """Name the operators."""
    return _OPERATORS


@hookimpl
def recorded_operators() -> Mapping[str, str]:
    """Name the operators that only records carry."""
    return {
        "not_compared": f"{_HERE}evidence:NotCompared",
        "nothing_found": f"{_HERE}evidence:NothingFound",
        "pass_rate": f"{_HERE}pass_rate:PassRate",
        "scorer_verdict": f"{_HERE}evidence:ScorerVerdict",
    }


@hookimpl
def explanations() -> Mapping[str, str]:
    """Name the operators whose failures are put into words."""
    names = ("all_of", "any_of", "at_least_n", "criteria", "weighted")
    parts = dict.fromkeys(names, f"{_HERE}explanation:explain_parts")
    words = ("pass_rate", "scorer_verdict", "semantic", "trace_contains", "trace_length", "trace_regex")
    return {**parts, **dict.fromkeys(words, f"{_HERE}explanation:explain_in_words")}
