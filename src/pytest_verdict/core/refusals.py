"""The notes of our operators for a side that cannot be used."""

from typing import Final

REFUSALS: Final = frozenset({
    "blank", "date_incomplete", "empty_selection", "invalid_regex_pattern", "invalid_schema", "json_duplicate_key",
    "json_not_finite", "json_parse_failed", "json_too_deep", "jsonpath_failed", "missing_figure", "near_name",
    "no_such_call", "normalize_unused", "not_a_boolean", "not_a_change", "not_a_date", "not_a_definition",
    "not_a_limit", "not_a_list", "not_a_mapping", "not_a_number", "not_a_range", "not_a_rate", "not_a_tool_name",
    "not_a_type", "not_an_answer", "not_counts", "not_finite", "not_json", "not_text", "null_observed",
    "schema_failed", "timezone_mismatch", "timezone_unknown", "trajectory_unreadable", "unknown_tool",
    "unresolved_reference", "unused_rule", "zero_vector",
})  # fmt: skip
