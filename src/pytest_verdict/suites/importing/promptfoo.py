"""Configurations of promptfoo: tests with variables, and assertions about the output."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.suites.adapters.request_template import as_text
from pytest_verdict.suites.importing import (
    Entry,
    Imported,
    items_by_place,
    latency_scorer,
    operator_scorer,
    untranslated,
)
from pytest_verdict.suites.suite_reader import Place

_VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TEMPLATE: Final = re.compile(r"\{[{%]|^(?:file|https?)://")
# The providers are accepted, because the adapter takes their place.
_CONFIGURATION: Final = ("assertionTemplates", "defaultTest", "description", "prompts", "providers", "tests")
_TEST: Final = ("assert", "description", "metadata", "vars")
_IN_PROSE: Final = {"path": "$.output", "extract": "first_json", "on_missing": "fail"}


def read(imported: Imported) -> None:
    imported.document.value = _restore_words(imported, (), imported.document.value)
    config = imported.select((), imported.document.value, _CONFIGURATION)
    default = imported.select(("defaultTest",), config.get("defaultTest") or {}, _TEST)
    templates = config.get("assertionTemplates", {})
    prompts = config.get("prompts") or [""]
    prompt = ""
    if len(prompts) == 1 and isinstance(prompts[0], str) and not _TEMPLATE.search(_VARIABLE.sub("", prompts[0])):
        prompt = prompts[0]
    else:
        reason = "prompts: your adapter gets the variables as JSON, and makes the prompt of them"
        imported.leave_out(("prompts",), reason)
    for place, test in imported.parts("tests", _TEST):
        variables = {**default.get("vars", {}), **test.get("vars", {})}
        text = _render(prompt, variables) if prompt else as_text(variables)
        scenario = {"name": test.get("description"), "input": text, "metadata": {"vars": variables}}
        checks = items_by_place({("defaultTest",): default, place: test}, "assert")
        imported.add(place, scenario, checks, functools.partial(_translate, variables, templates))


def _restore_words(imported: Imported, place: Place, value: Any) -> Any:
    """Return the words yes, no, on and off as text, as YAML 1.2 reads them."""
    if isinstance(value, dict):
        return {key: _restore_words(imported, (*place, key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_restore_words(imported, (*place, number), item) for number, item in enumerate(value)]
    if not isinstance(value, bool):
        return value
    text = imported.document.written(place)
    return value if text.lower() in {"true", "false"} else text


def _render(text: str, variables: Mapping[str, Any]) -> str:
    return _VARIABLE.sub(lambda match: as_text(variables.get(match[1], "")), text)


def _translate(variables: Mapping[str, Any], templates: Mapping[str, Any], check: Mapping[str, Any]) -> Entry:
    if "$ref" in check:
        check = templates[check["$ref"].rpartition("/")[2]]
    kind = check["type"]
    key = "threshold" if kind == "latency" else "value"
    value = check.get(key)
    unsupported = sorted(check.keys() - {"type", key, "metric"})
    if isinstance(value, str):
        value = _render(value, variables)
        if _TEMPLATE.search(value):
            unsupported = ["a template or a file as its value"]
    if value is None and not unsupported and not kind.endswith("json"):
        unsupported = ["nothing as its value"]

    translate = _CHECKS.get(kind.removeprefix("not-"))
    if translate is None or unsupported:
        raise untranslated(kind, unsupported)
    entry = translate(value)
    if not kind.startswith("not-"):
        return entry
    if entry["operator"] in {"contains_all", "contains_any"}:
        return {"none_of": [entry]}
    if not entry["operator"].startswith("trace_"):
        raise untranslated(kind)
    return {**entry, "mapping": {"expected": {"literal": False}}}


def _search(value: Any, form: str = "{}") -> dict[str, Any]:
    return operator_scorer("trace_regex", pattern=form.format(re.escape(as_text(value))))


def _contain(name: str, value: Any, **settings: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = [text.strip() for text in value.split(",")]
    return operator_scorer(name, substrings=value, **settings)


def _equal(value: Any) -> dict[str, Any]:
    if isinstance(value, dict | list):
        return operator_scorer("json_canonical", expected=value)
    return _search(value, r"\A{}\Z")


def _satisfy(value: Any, observed: Any = None) -> dict[str, Any]:
    schema = True if value is None else value
    return operator_scorer("json_schema", schema_document=schema, observed=observed)


def _count_words(value: Any) -> dict[str, Any]:
    bounds = value
    if not isinstance(bounds, dict):
        bounds = {"min": value, "max": value}
    return operator_scorer("trace_length", unit="words", **bounds)


# Those that become an operator on traces, or search several texts, can be negated by not- before the name.
_CHECKS: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "contains": lambda value: operator_scorer("trace_contains", substring=as_text(value)),
    "contains-all": functools.partial(_contain, "contains_all"),
    "contains-any": functools.partial(_contain, "contains_any"),
    "contains-json": functools.partial(_satisfy, observed=_IN_PROSE),
    "equals": _equal,
    "icontains": functools.partial(_search, form="(?i){}"),
    "icontains-all": functools.partial(_contain, "contains_all", case_sensitive=False),
    "icontains-any": functools.partial(_contain, "contains_any", case_sensitive=False),
    "is-json": _satisfy,
    "latency": latency_scorer,
    "regex": lambda value: operator_scorer("trace_regex", pattern=value),
    "starts-with": functools.partial(_search, form=r"\A{}"),
    "word-count": _count_words,
}
