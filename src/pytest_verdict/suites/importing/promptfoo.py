"""Configurations of promptfoo: tests with variables, and assertions about the output."""

import datetime
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
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
# A text between commas, in quotes or not; a quote inside of quotes is doubled or behind a backslash.
_FIELD: Final = re.compile(r'[\s,]*(?:"((?:\\["\\]|""|[^"])*+)"\s*(?:,|$)|(?!")([^,]+)(?:,|$))')
_SEXAGESIMAL: Final = re.compile(r"[-+]?[0-9_]+(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
# Numbers that YAML 1.1 reads as text or in another base.
_NUMBER: Final = re.compile(r"[-+]?(?:0[0-9_]+|0o[0-7_]+|(?=\.?[0-9])[0-9_]*\.?[0-9_]*[eE][-+]?[0-9]+)")
_DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"
# What promptfoo knows in a schema; it refuses any other keyword.
_KEYWORDS: Final = (
    "$comment $defs $id $ref $schema additionalItems additionalProperties allOf anyOf const contains contentEncoding"
    " contentMediaType default definitions dependencies deprecated description else enum examples exclusiveMaximum"
    " exclusiveMinimum format if items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum"
    " multipleOf not oneOf pattern patternProperties properties propertyNames readOnly required then title type"
    " uniqueItems writeOnly"
)
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
        if any(isinstance(value, list) for value in variables.values()):
            imported.leave_out(
                (*place, "vars"), "vars: a list stands for a test with each of its values; write these tests"
            )
            continue
        text = _render(prompt, variables) if prompt else as_text(variables)
        scenario = {"name": test.get("description"), "input": text, "metadata": {"vars": variables}}
        checks = items_by_place({("defaultTest",): default, place: test}, "assert")
        imported.add(place, scenario, dict(_expand_sets(checks)), functools.partial(_translate, variables, templates))


def _expand_sets(checks: Mapping[Place, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield the checks of a set in its place; all of them must pass."""
    for place, check in checks.items():
        if check.get("type") == "assert-set" and not check.keys() - {"assert", "metric", "type"}:
            yield from _expand_sets({(*place, "assert", number): part for number, part in enumerate(check["assert"])})
        else:
            yield place, check


def _restore_words(imported: Imported, place: Place, value: Any) -> Any:
    """Return the words yes, no, on and off, and 12:30, as text, and 012 and 1e3 as 12 and 1000, as YAML 1.2 reads them."""
    if isinstance(value, dict):
        return {key: _restore_words(imported, (*place, key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_restore_words(imported, (*place, number), item) for number, item in enumerate(value)]
    text = imported.document.written(place)
    if isinstance(value, bool):
        return value if text.lower() in {"true", "false"} else text
    if isinstance(value, int | float) and _SEXAGESIMAL.fullmatch(text):
        return text
    if _NUMBER.fullmatch(text) and not imported.document.node(place).style:
        digits = text.replace("_", "")
        if "e" in digits.lower():
            return float(digits)
        return int(digits.replace("o", ""), 8 if "o" in digits else 10)
    return value


def _render(text: str, variables: Mapping[str, Any]) -> str:
    return _VARIABLE.sub(lambda match: as_text(_without_zero(variables.get(match[1], ""))), text)


def _without_zero(value: Any) -> Any:
    """Return 1.0 as 1, because JavaScript has one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


def _as_texts(value: Any) -> list[str]:
    """Return texts and numbers as the texts that JavaScript makes of them."""
    texts = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, bool) or not isinstance(item, str | int | float) or item == "":
            raise ConfigurationError(f"takes texts that are not empty, or numbers, got {shown(item, 40)}")
        text = as_text(_without_zero(item))
        if isinstance(item, float) and not text.replace(".", "").lstrip("-").isdigit():
            raise ConfigurationError(f"write the number {text} in quotes")
        texts.append(text)
    return texts


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
    if isinstance(value, str):
        value = _split_texts(value)
    elif not isinstance(value, list):
        raise ConfigurationError(f"takes a list, or texts between commas, got {shown(value, 40)}")
    return operator_scorer(name, substrings=_as_texts(value), **settings)


def _split_texts(text: str) -> list[str]:
    texts = []
    position = 0
    while rest := text[position:].strip(" \t\r\n,"):
        field = _FIELD.match(text, position)
        if field is None:
            raise ConfigurationError(f"a quoted text between commas does not end: {shown(rest, 40)}")
        position = field.end()
        quoted, plain = field.groups()
        texts.append(plain.strip() if quoted is None else re.sub(r'\\(["\\])|""', lambda part: part[1] or '"', quoted))
    return texts


def _equal(value: Any) -> dict[str, Any]:
    if isinstance(value, dict | list):
        return operator_scorer("json_canonical", expected=value)
    return _search(as_text(value) if isinstance(value, bool) else value, r"\A{}\Z")


def _satisfy(value: Any, observed: Any = None) -> dict[str, Any]:
    schema = value
    if isinstance(value, str) and value:
        try:
            schema = YamlDocument(value).value
        except YamlTextError as error:
            raise ConfigurationError(f"its schema cannot be read: {error}") from None
    if schema in (None, ""):
        schema = True
    schema = _translate_schema(schema)
    if isinstance(schema, dict):
        schema = {"$schema": _DRAFT_7, **schema}
        if str(schema["$schema"]).rstrip("#") != _DRAFT_7.rstrip("#"):
            raise ConfigurationError(f"promptfoo reads schemas of draft 7, not {shown(schema['$schema'], 80)}")
    if observed is not None:
        # JSON in prose is an object for promptfoo, never a list.
        schema = {"$schema": _DRAFT_7, "type": "object", "allOf": [schema]}
    return operator_scorer("json_schema", schema_document=schema, observed=observed, format="assert")


def _translate_schema(schema: Any) -> Any:
    """Return a schema with its patterns as Python writes them."""
    if isinstance(schema, list):
        return [_translate_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    translated: dict[str, Any] = {}
    for key, item in schema.items():
        if key == "nullable" and isinstance(item, bool):
            raise ConfigurationError("nullable is a keyword of promptfoo's library alone; write the types as a list")
        if key not in _KEYWORDS.split():
            raise ConfigurationError(f"{shown(key, 40)} is no keyword of draft 7, and promptfoo refuses the schema")
        if key == "pattern" and isinstance(item, str):
            translated[key] = _translate_pattern(item)
        elif key == "patternProperties" and isinstance(item, dict):
            translated[key] = {_translate_pattern(name): _translate_schema(inner) for name, inner in item.items()}
        elif key in {"$defs", "properties", "definitions", "dependencies"} and isinstance(item, dict):
            translated[key] = {name: _translate_schema(inner) for name, inner in item.items()}
        elif key in {"const", "default", "enum", "examples"}:
            translated[key] = item
        else:
            translated[key] = _translate_schema(item)
    return translated


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
        if token[0] > "\uffff" and (in_class or pattern[position : position + 1] in ("*", "+", "?", "{")):
            # JavaScript sees two characters here.
            text = _NO_COUNTERPART
        if text == _NO_COUNTERPART:
            raise _pattern_error(pattern, token.start())
        translated.append(text)
    return "".join(translated)


def _pattern_error(pattern: str, position: int) -> ConfigurationError:
    part = shown(pattern[position : position + 4], 20)
    return ConfigurationError(f"the pattern is not translated: {part} has another meaning in Python, or none")


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
