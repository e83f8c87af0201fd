"""Data sets of pydantic-evals, in YAML or JSON: cases, and evaluators of one case or of all."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.paths import key_path
from pytest_verdict.operators.exact_number import as_setting
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
            try:
                name, arguments = _read_evaluator(item)
            except ConfigurationError as error:
                imported.leave_out(where, str(error))
                continue
            # Without an expected output, pydantic-evals skips this one too.
            if expected is not None or name != "EqualsExpected":
                checks[where] = name, arguments
        scenario: dict[str, Any] = {"name": case.get("name"), "input": as_text(case["inputs"])}
        if "metadata" in case:
            scenario["metadata"] = {"metadata": case["metadata"]}
        imported.add(place, scenario, checks, functools.partial(_translate, expected))


def _read_evaluator(item: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the arguments of an evaluator, which is a name, a name with arguments, or the long form."""
    name, arguments = item, None
    if isinstance(item, Mapping):
        if {*item} == {"name", "arguments"}:
            name, arguments = item["name"], item["arguments"]
        elif len(item) == 1:
            ((name, arguments),) = item.items()
        else:
            raise ConfigurationError(f"an evaluator is a name, or a name with its arguments, got {shown(item, 80)}")
    if isinstance(arguments, Mapping):
        return as_text(name), arguments
    # A single value is the first argument.
    return as_text(name), {} if arguments is None else {"value": arguments}


def _translate(expected: Any, evaluator: tuple[str, Mapping[str, Any]]) -> Entry:
    name, arguments = evaluator
    translate, parameters = _EVALUATORS.get(name, (None, ""))
    unsupported = sorted(as_text(key) for key in arguments if key not in parameters.split())
    if translate is None or unsupported:
        raise translation_error(name, unsupported)
    for flag in ("as_strings", "case_sensitive", "include_failed"):
        if not isinstance(arguments.get(flag, True), bool):
            raise ConfigurationError(f"{name}: {flag} is true or false, got {shown(arguments[flag], 40)}")
    if name == "EqualsExpected":
        return _equal({"value": expected})
    # A value without a name is the first argument.
    first = parameters.split()[0]
    if not {"value", first} & arguments.keys():
        raise ConfigurationError(f"{name}: its value is missing")
    return translate({"value": arguments.get(first), **arguments})


def _equal(arguments: Mapping[str, Any]) -> dict[str, Any]:
    value = arguments["value"]
    if isinstance(value, str):
        return operator_scorer("exact", expected=value)
    return operator_scorer("json_canonical", expected=value)


def _contain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    value = arguments["value"]
    as_strings = arguments.get("as_strings", False)
    if isinstance(value, Mapping) and not as_strings:
        # The values of keys are equal as a whole; by_field compares nothing else.
        same = {"operator": "json_canonical", "settings": {"parse": False}}
        rules = {key_path(key): same for key in value}
        return operator_scorer("by_field", expected=value, rules=rules, rest=None)
    if as_strings and isinstance(value, bool | int):
        value = str(value)
    steps = [] if arguments.get("case_sensitive", True) else ["lowercase"]
    return operator_scorer("contains_all", substrings=[value], normalize=steps)


def _limit_duration(arguments: Mapping[str, Any]) -> dict[str, Any]:
    seconds = arguments["value"]
    number = None if isinstance(seconds, str) else as_decimal(seconds)
    if number is None or not number.is_finite():
        raise ConfigurationError(f"MaxDuration: a number of seconds is needed, got {shown(seconds, 40)}")
    return latency_scorer(as_setting(number.scaleb(3)))


def _limit_requests(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return operator_scorer("run_limits", limits={"model_requests": arguments["value"]})


def _limit_calls(arguments: Mapping[str, Any]) -> dict[str, Any]:
    failed = "count" if arguments.get("include_failed", True) else "skip"
    return operator_scorer("trajectory_max_calls", limits=arguments["value"], failed=failed)


# How each evaluator is translated, and its arguments; the name of a value in a report does not count.
_EVALUATORS: Final[Mapping[str, tuple[Callable[[Mapping[str, Any]], dict[str, Any]], str]]] = {
    "Contains": (_contain, "value case_sensitive as_strings evaluation_name"),
    "Equals": (_equal, "value evaluation_name"),
    "EqualsExpected": (_equal, "evaluation_name"),
    "MaxDuration": (_limit_duration, "seconds value"),
    "MaxModelRequests": (_limit_requests, "max_requests value evaluation_name"),
    "MaxToolCalls": (_limit_calls, "max_calls value include_failed evaluation_name"),
}
