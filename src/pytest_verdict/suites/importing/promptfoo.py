"""Configurations of promptfoo: tests with variables, and assertions about the output."""

import datetime
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

_VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TEMPLATE: Final = re.compile(r"\{[{%]|^(?:file|https?)://")
# The providers are accepted, because the adapter takes their place.
_CONFIGURATION: Final = ("assertionTemplates", "defaultTest", "description", "prompts", "providers", "tests")
_TEST: Final = ("assert", "description", "metadata", "vars")
_DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"
_KEYWORDS: Final = (
    "$comment $defs $id $ref $schema additionalItems additionalProperties allOf anyOf const contains default definitions"
    " dependencies description else enum examples exclusiveMaximum exclusiveMinimum format if items maxItems maxLength"
    " maxProperties maximum minItems minLength minProperties minimum multipleOf not oneOf properties propertyNames required"
    " then title type uniqueItems"
)
# The parts of regular expressions that JavaScript and Python have. JavaScript sees two characters behind the last of Unicode's
# first plane.
_ASTRAL: Final = "\U00010000-\U0010ffff"
_ESCAPE: Final = r"\\(?:[nrtfv^$\\.*+?()\[\]{}|/-]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})"
_ITEM: Final = rf"(?:[^\\\[\]^{_ASTRAL}-]|{_ESCAPE})"
_CLASS: Final = rf"\[\^?(?:\\[dws]|{_ITEM}(?:-{_ITEM})?)+-?\]"
_REPEAT: Final = r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??(?![*+?{])"
_TOKEN: Final = re.compile(
    rf"\\[dDwWsSbB]|{_ESCAPE}|{_CLASS}|{_REPEAT}|\((?!\?)|\(\?[:=!]|[)|^$.]|[^\\\[\](){{}}*+?.^$|{_ASTRAL}]"
)
_SPACES: Final = r" \t\n\v\f\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_WORD: Final = "A-Za-z0-9_"
_SETS: Final = {r"\d": "0-9", r"\w": _WORD, r"\s": _SPACES}
_IN_PYTHON: Final = {
    "$": r"\Z",
    ".": r"[^\n\r\u2028\u2029]",
    r"\b": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    r"\B": f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
    **{name: f"[{characters}]" for name, characters in _SETS.items()},
    **{name.upper(): f"[^{characters}]" for name, characters in _SETS.items()},
}
_IN_PROSE: Final = {"path": "$.output", "extract": "first_json", "on_missing": "fail"}


def read(imported: Imported) -> None:
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
        if any(isinstance(value, list) for value in variables.values()):
            imported.leave_out(
                (*place, "vars"), "vars: a list stands for a test with each of its values; write these tests"
            )
            continue
        text = _render(prompt, variables) if prompt else as_text(variables)
        scenario = {"name": test.get("description"), "input": text, "metadata": {"vars": variables}}
        checks = items_by_place({("defaultTest",): default, place: test}, "assert")
        imported.add(place, scenario, checks, functools.partial(_translate, variables, templates))


def _render(text: str, variables: Mapping[str, Any]) -> str:
    return _VARIABLE.sub(lambda match: as_text(_without_zero(variables.get(match[1], ""))), text)


def _without_zero(value: Any) -> Any:
    """Return 1.0 as 1, because JavaScript has one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


def _as_texts(value: Any) -> list[str]:
    """Return texts and whole numbers as texts, which are the same in JavaScript."""
    texts = value if isinstance(value, list) else [value]
    for item in texts:
        if type(item) not in {str, int} or item == "":
            raise ConfigurationError(f"takes texts that are not empty, or whole numbers, got {shown(item, 40)}")
    return [str(item) for item in texts]


def _translate(variables: Mapping[str, Any], templates: Mapping[str, Any], check: Mapping[str, Any]) -> Entry:
    if "$ref" in check:
        others = {name: part for name, part in check.items() if name != "$ref"}
        check = {**templates[check["$ref"].rpartition("/")[2]], **others}
    kind = check["type"]
    key = "threshold" if kind == "latency" else "value"
    value = check.get(key)
    # A weight counts only for the threshold of a whole test, and a check without weight cannot fail it.
    supported = {"type", key, "metric", "weight" if check.get("weight") != 0 else key}
    unsupported = sorted(as_text(name) for name in check if name not in supported)
    if isinstance(value, datetime.date):
        unsupported = ["a date without quotes"]
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


def _one_text(value: Any) -> str:
    if isinstance(value, list):
        raise ConfigurationError(f"takes one text, got {shown(value, 40)}")
    return _as_texts(value)[0]


def _search(value: Any, form: str) -> dict[str, Any]:
    return operator_scorer("trace_regex", pattern=form.format(re.escape(_one_text(value))))


def _contain(name: str, value: Any, **settings: Any) -> dict[str, Any]:
    if isinstance(value, str) and '"' not in value:
        value = [text for text in map(str.strip, value.split(",")) if text]
    elif not isinstance(value, list):
        raise ConfigurationError(f"takes a list, or texts between commas without quotes, got {shown(value, 40)}")
    return operator_scorer(name, substrings=_as_texts(value), **settings)


def _equal(value: Any) -> dict[str, Any]:
    if isinstance(value, dict | list):
        return operator_scorer("json_canonical", expected=value)
    return _search(as_text(value) if isinstance(value, bool) else value, r"\A{}\Z")


def _satisfy(value: Any, observed: Any = None) -> dict[str, Any]:
    schema = True if value in (None, "") else value
    if not isinstance(schema, bool | dict):
        raise ConfigurationError(f"takes a schema, got {shown(value, 40)}")
    _refuse_other_keywords(schema)
    if isinstance(schema, dict):
        schema = {"$schema": _DRAFT_7, **schema}
        if str(schema["$schema"]).rstrip("#") != _DRAFT_7.rstrip("#"):
            raise ConfigurationError(f"promptfoo reads schemas of draft 7, not {shown(schema['$schema'], 80)}")
    if observed is not None:
        # JSON in prose is an object for promptfoo, never a list.
        schema = {"$schema": _DRAFT_7, "type": "object", "allOf": [schema]}
    return operator_scorer("json_schema", schema_document=schema, observed=observed, format="assert")


def _refuse_other_keywords(schema: Any) -> None:
    """Refuse keywords that promptfoo refuses too, and patterns, which are regular expressions of JavaScript."""
    if isinstance(schema, list):
        for item in schema:
            _refuse_other_keywords(item)
    for key, item in schema.items() if isinstance(schema, dict) else ():
        if key not in _KEYWORDS.split():
            raise ConfigurationError(f"{shown(key, 40)} is no keyword of draft 7 that is translated")
        if key in {"$defs", "properties", "definitions", "dependencies"} and isinstance(item, dict):
            _refuse_other_keywords([*item.values()])
        elif key not in {"const", "default", "enum", "examples"}:
            _refuse_other_keywords(item)


def _translate_pattern(pattern: str) -> str:
    """Return a regular expression of JavaScript as Python writes it."""
    translated = []
    position = 0
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None:
            part = shown(pattern[position : position + 4], 20)
            raise ConfigurationError(f"the pattern is not translated: {part} has another meaning in Python, or none")
        text = _IN_PYTHON.get(token[0], token[0])
        if token[0].startswith("["):
            text = re.sub(r"\\.", lambda escape: _SETS.get(escape[0], escape[0]), text)
        translated.append(text)
        position = token.end()
    return "".join(translated)


def _count_words(value: Any) -> dict[str, Any]:
    bounds = value
    if isinstance(value, str) and value.isdecimal():
        bounds = int(value)
    if not isinstance(bounds, dict):
        bounds = {"min": bounds, "max": bounds}
    return operator_scorer("trace_length", unit="words", **bounds)


# Those that become an operator on traces, or search several texts, can be negated by not- before the name.
_CHECKS: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "contains": lambda value: operator_scorer("trace_contains", substring=_one_text(value)),
    "contains-all": functools.partial(_contain, "contains_all"),
    "contains-any": functools.partial(_contain, "contains_any"),
    "contains-json": functools.partial(_satisfy, observed=_IN_PROSE),
    "equals": _equal,
    "icontains": lambda value: _contain("contains_all", [_one_text(value)], normalize=["lowercase"]),
    "icontains-all": functools.partial(_contain, "contains_all", normalize=["lowercase"]),
    "icontains-any": functools.partial(_contain, "contains_any", normalize=["lowercase"]),
    "is-json": _satisfy,
    "latency": latency_scorer,
    "regex": lambda value: operator_scorer("trace_regex", pattern=_translate_pattern(_one_text(value))),
    "starts-with": functools.partial(_search, form=r"\A{}"),
    "word-count": _count_words,
}
