"""Data sets of pydantic-evals, in YAML or JSON: cases, and evaluators of a case or of all."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.suites.importing import Entry, Imported, fast_enough, operator, places, untranslated
from pytest_verdict.suites.loading import as_text


def read(found: Imported) -> None:
    """Translate the cases of a data set."""
    dataset = found.keep((), found.document.value, ("cases", "evaluators", "name"))
    found.suite["name"] = dataset.get("name")
    for place, case in found.parts("cases", ("evaluators", "expected_output", "inputs", "metadata", "name")):
        expected = case.get("expected_output")
        checks = {at: _named(one) for at, one in places({(): dataset, place: case}, "evaluators").items()}
        # An evaluator that compares with nothing is skipped there too.
        kept = {at: one for at, one in checks.items() if expected is not None or one[0] != "EqualsExpected"}
        metadata = {"metadata": {"metadata": case["metadata"]}} if "metadata" in case else {}
        scenario = {"name": case.get("name"), "input": as_text(case["inputs"]), **metadata}
        found.add(place, scenario, kept, functools.partial(_entry, expected))


def _named(given: Any) -> tuple[str, Mapping[str, Any]]:
    """Give name and arguments of an evaluator, of which the first may stand alone."""
    name, arguments = next(iter(given.items())) if isinstance(given, Mapping) else (given, {})
    return name, arguments if isinstance(arguments, Mapping) else {"value": arguments}


def _entry(expected: Any, evaluator: tuple[str, Mapping[str, Any]]) -> Entry:
    name, arguments = evaluator
    limit = "seconds" if name == "MaxDuration" else "value"
    more = sorted(arguments.keys() - {"value", "case_sensitive", "evaluation_name", limit})
    if name not in _EVALUATORS or more:
        raise untranslated(as_text(name), more)
    return _EVALUATORS[name]({"value": expected, **arguments})


def _equals(arguments: Mapping[str, Any]) -> dict[str, Any]:
    value = arguments["value"]
    return operator("exact" if isinstance(value, str) else "json_canonical", expected=value)


def _contains(arguments: Mapping[str, Any]) -> dict[str, Any]:
    value = arguments["value"]
    if isinstance(value, Mapping):
        return operator("json_subset", expected=value)
    return operator("contains_all", substrings=[value], case_sensitive=arguments.get("case_sensitive", True))


def _fast_enough(arguments: Mapping[str, Any]) -> dict[str, Any]:
    seconds = arguments.get("seconds", arguments["value"])
    return fast_enough(1_000 * seconds if isinstance(seconds, float | int) else seconds)


_EVALUATORS: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "Contains": _contains,
    "Equals": _equals,
    "EqualsExpected": _equals,
    "MaxDuration": _fast_enough,
}
