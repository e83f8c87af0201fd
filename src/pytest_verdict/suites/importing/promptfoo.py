"""Configurations of promptfoo: tests with variables, and assertions on the output."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.suites.importing import Entry, Imported, fast_enough, operator, places, untranslated
from pytest_verdict.suites.loading import as_text
from pytest_verdict.suites.suite_reader import Place

_VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TEMPLATE: Final = re.compile(r"\{[{%]|^(?:file|https?)://")
# What calls the model there is the adapter here.
_CONFIGURATION: Final = ("assertionTemplates", "defaultTest", "description", "prompts", "providers", "tests")
_TEST: Final = ("assert", "description", "metadata", "vars")


def read(found: Imported) -> None:
    """Translate the tests of a configuration."""
    found.document.value = _as_javascript(found, (), found.document.value)
    config = found.keep((), found.document.value, _CONFIGURATION)
    default = found.keep(("defaultTest",), config.get("defaultTest") or {}, _TEST)
    prompts = config.get("prompts") or [""]
    prompt = prompts[0] if len(prompts) == 1 and isinstance(prompts[0], str) else "{{"
    if _TEMPLATE.search(_VARIABLE.sub("", prompt)):
        found.leave_out(("prompts",), "prompts: your adapter gets the variables as JSON, and makes the prompt of them")
        prompt = ""
    for place, test in found.parts("tests", _TEST):
        variables = {**default.get("vars", {}), **test.get("vars", {})}
        given = _rendered(prompt, variables) if prompt else as_text(variables)
        scenario = {"name": test.get("description"), "input": given, "metadata": {"vars": variables}}
        translate = functools.partial(_entry, variables, config.get("assertionTemplates", {}))
        found.add(place, scenario, places({("defaultTest",): default, place: test}, "assert"), translate)


def _as_javascript(found: Imported, place: Place, value: Any) -> Any:
    """Read as YAML 1.2 does, in which yes, no, on and off are words."""
    if isinstance(value, dict):
        return {key: _as_javascript(found, (*place, key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_javascript(found, (*place, number), item) for number, item in enumerate(value)]
    written = found.document.written(place) if isinstance(value, bool) else "true"
    return value if written.lower() in {"true", "false"} else written


def _rendered(text: str, variables: Mapping[str, Any]) -> str:
    return _VARIABLE.sub(lambda name: as_text(variables.get(name[1], "")), text)


def _entry(variables: Mapping[str, Any], templates: Mapping[str, Any], check: Mapping[str, Any]) -> Entry:
    if "$ref" in check:
        check = templates[check["$ref"].rpartition("/")[2]]
    kind, key = check["type"], "threshold" if check["type"] == "latency" else "value"
    value, more = check.get(key), sorted(check.keys() - {"type", key, "metric"})
    if isinstance(value, str) and _TEMPLATE.search(value := _rendered(value, variables)):
        more = ["a template or a file as its value"]
    if value is None and not more and not kind.endswith("json"):
        more = ["nothing as its value"]
    negated = kind.startswith("not-")
    translate = _CHECKS.get(kind.removeprefix("not-"))
    if translate is None or more:
        raise untranslated(kind, more)
    entry = translate(value)
    if not negated:
        return entry
    if entry["operator"] in {"contains_all", "contains_any"}:
        return {"none_of": [entry]}
    if not entry["operator"].startswith("trace_"):
        raise untranslated(kind)
    return {**entry, "mapping": {"expected": {"literal": False}}}


def _search(value: Any, form: str = "{}") -> dict[str, Any]:
    return operator("trace_regex", pattern=form.format(re.escape(as_text(value))))


def _several(name: str, value: Any, **settings: Any) -> dict[str, Any]:
    texts = [text.strip() for text in value.split(",")] if isinstance(value, str) else value
    return operator(name, substrings=texts, **settings)


def _equals(value: Any) -> dict[str, Any]:
    is_document = isinstance(value, dict | list)
    return operator("json_canonical", expected=value) if is_document else _search(value, r"\A{}\Z")


def _schema(value: Any, observed: Any = None) -> dict[str, Any]:
    return operator("json_schema", schema_document=True if value is None else value, observed=observed)


_IN_PROSE: Final = {"path": "$.output", "extract": "first_json", "on_missing": "fail"}
# Those that become an operator on traces, or look for several texts, may be negated, by not- before the name.
_CHECKS: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "contains": lambda value: operator("trace_contains", substring=as_text(value)),
    "contains-all": functools.partial(_several, "contains_all"),
    "contains-any": functools.partial(_several, "contains_any"),
    "contains-json": functools.partial(_schema, observed=_IN_PROSE),
    "equals": _equals,
    "icontains": functools.partial(_search, form="(?i){}"),
    "icontains-all": functools.partial(_several, "contains_all", case_sensitive=False),
    "icontains-any": functools.partial(_several, "contains_any", case_sensitive=False),
    "is-json": _schema,
    "latency": fast_enough,
    "regex": lambda value: operator("trace_regex", pattern=value),
    "starts-with": functools.partial(_search, form=r"\A{}"),
    "word-count": lambda value: operator(
        "trace_length", unit="words", **(value if isinstance(value, dict) else {"min": value, "max": value})
    ),
}
