"""Configurations of promptfoo: tests with variables, and assertions about the output."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.adapters.request_template import as_text
from pytest_verdict.suites.importing import (
    Entry,
    Imported,
    items_by_place,
    latency_scorer,
    operator_scorer,
    translation_error,
)
from pytest_verdict.suites.suite_reader import Place

_VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TEMPLATE: Final = re.compile(r"\{[{%]|^(?:file|https?)://")
# The providers are accepted, because the adapter takes their place.
_CONFIGURATION: Final = ("assertionTemplates", "defaultTest", "description", "prompts", "providers", "tests")
_TEST: Final = ("assert", "description", "metadata", "vars")
_NO_COUNTERPART: Final = ""
# What differs between regular expressions of JavaScript and Python. An escape that is not listed has no counterpart.
_TOKEN: Final = re.compile(
    r"\\(?:[dDwWsSbBfnrtv^$\\.*+?()\[\]{}|/\-]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})"
    r"|\[\^?(?!\])|\(\?(?:[:=!]|<[=!])|\((?!\?)|\{[0-9]+(?:,[0-9]*)?\}|[*+?}](?:\?|(?![*+]))|[^\\\[(*+?{]",
    re.DOTALL,
)
_IN_RANGE: Final = re.compile(r"(?<![\[^])-(?!\])")
_SPACES: Final = r" \t\n\v\f\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_WORD: Final = "A-Za-z0-9_"
_OUTSIDE_CLASS: Final = {
    "$": r"\Z",
    ".": "[^\\n\\r\u2028\u2029]",
    r"\b": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    r"\B": f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
    r"\d": "[0-9]",
    r"\D": "[^0-9]",
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\s": f"[{_SPACES}]",
    r"\S": f"[^{_SPACES}]",
}
_IN_CLASS: Final = {
    r"\d": "0-9",
    r"\w": _WORD,
    r"\b": r"\x08",
    r"\s": _SPACES,
    **dict.fromkeys((r"\B", r"\D", r"\S", r"\W"), _NO_COUNTERPART),
}
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
        raise translation_error(kind, unsupported)
    entry = translate(value)
    if not kind.startswith("not-"):
        return entry
    if entry["operator"] in {"contains_all", "contains_any"}:
        return {"none_of": [entry]}
    if not entry["operator"].startswith("trace_"):
        raise translation_error(kind)
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
    if _has_format(schema):
        raise ConfigurationError("the keyword format is not translated, because json_schema does not check formats")
    return operator_scorer("json_schema", schema_document=schema, observed=observed)


def _has_format(schema: Any) -> bool:
    """Return whether a schema asks for a format; a property may be called format as well."""
    if isinstance(schema, list):
        return any(map(_has_format, schema))
    if not isinstance(schema, dict):
        return False
    if isinstance(schema.get("format"), str):
        return True
    return any(_has_format(part) for key, part in schema.items() if key not in {"const", "default", "enum", "examples"})


def _translate_pattern(pattern: str) -> str:
    """Return a regular expression of JavaScript as Python writes it."""
    translated = []
    in_class = False
    position = 0
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None:
            raise _pattern_error(pattern, position)
        position = token.end()
        text = token[0]
        if in_class and text == "]":
            in_class = False
        elif text.startswith("[") and not in_class:
            in_class = True
        elif in_class and text == "[":
            text = r"\["
        elif in_class and text in _IN_CLASS:
            # Beside a hyphen, a set of characters would become the end of a range.
            if _IN_RANGE.match(pattern, token.start() - 1) or _IN_RANGE.match(pattern, position):
                raise _pattern_error(pattern, token.start())
            text = _IN_CLASS[text]
        elif not in_class:
            text = _OUTSIDE_CLASS.get(text, text)
        if text == _NO_COUNTERPART:
            raise _pattern_error(pattern, token.start())
        translated.append(text)
    return "".join(translated)


def _pattern_error(pattern: str, position: int) -> ConfigurationError:
    part = shown(pattern[position : position + 4], 20)
    return ConfigurationError(f"the pattern is not translated: {part} has another meaning in Python, or none")


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
    "regex": lambda value: operator_scorer("trace_regex", pattern=_translate_pattern(as_text(value))),
    "starts-with": functools.partial(_search, form=r"\A{}"),
    "word-count": _count_words,
}
