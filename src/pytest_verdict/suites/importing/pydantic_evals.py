"""Data sets of pydantic-evals, in YAML or JSON: cases, and evaluators of one case or of all."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.suites.adapters.request_template import as_text
from pytest_verdict.suites.importing import (
    Entry,
    Imported,
    items_by_place,
    latency_scorer,
    operator_scorer,
    translation_error,
)

_CASE: Final = ("evaluators", "expected_output", "inputs", "metadata", "name")


def read(imported: Imported) -> None:
    dataset = imported.select((), imported.document.value, ("cases", "evaluators", "name"))
    imported.suite["name"] = dataset.get("name")
    for place, case in imported.parts("cases", _CASE):
        expected = case.get("expected_output")
        checks = {}
        for where, item in items_by_place({(): dataset, place: case}, "evaluators").items():
            if not (isinstance(item, str) or (isinstance(item, Mapping) and len(item) == 1)):
                imported.leave_out(where, f"{shown(item, 80)}: an evaluator has one name")
                continue
            name, arguments = next(iter(item.items())) if isinstance(item, Mapping) else (item, {})
            if not isinstance(arguments, Mapping):
                # A single value is the first argument.
                arguments = {"value": arguments}
            # Without an expected output, pydantic-evals skips this one too.
            if expected is not None or name != "EqualsExpected":
                checks[where] = name, arguments
        scenario: dict[str, Any] = {"name": case.get("name"), "input": as_text(case["inputs"])}
        if "metadata" in case:
            scenario["metadata"] = {"metadata": case["metadata"]}
        imported.add(place, scenario, checks, functools.partial(_translate, expected))


def _translate(expected: Any, evaluator: tuple[str, Mapping[str, Any]]) -> Entry:
    name, arguments = evaluator
    value = "seconds" if name == "MaxDuration" else "value"
    unsupported = sorted(arguments.keys() - {"value", "case_sensitive", "evaluation_name", value})
    if name not in _EVALUATORS or unsupported:
        raise translation_error(as_text(name), unsupported)
    return _EVALUATORS[name]({"value": expected, **arguments})


def _equal(arguments: Mapping[str, Any]) -> dict[str, Any]:
    value = arguments["value"]
    name = "exact" if isinstance(value, str) else "json_canonical"
    return operator_scorer(name, expected=value)


def _contain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    value = arguments["value"]
    if isinstance(value, Mapping):
        return operator_scorer("json_subset", expected=value)
    is_case_sensitive = arguments.get("case_sensitive", True)
    return operator_scorer("contains_all", substrings=[value], case_sensitive=is_case_sensitive)


def _limit_duration(arguments: Mapping[str, Any]) -> dict[str, Any]:
    limit = arguments.get("seconds", arguments["value"])
    if isinstance(limit, float | int):
        limit *= 1_000
    return latency_scorer(limit)


_EVALUATORS: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "Contains": _contain,
    "Equals": _equal,
    "EqualsExpected": _equal,
    "MaxDuration": _limit_duration,
}
