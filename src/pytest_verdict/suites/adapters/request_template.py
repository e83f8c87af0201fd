"""Requests with names such as ``{{input}}``, ``{{context.scenario}}`` and ``{{env.NAME}}``, which are filled with values."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_verdict.errors import AdapterError
from pytest_verdict.suites.suite_model import HttpRequest

_NAME: Final = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
_VALUES: Final = ("input", "context", "env")
_VARIABLE: Final = re.compile(r"env\.[^.]+")


def request_of(adapter: str | HttpRequest | None) -> HttpRequest | None:
    """Return the request of an adapter that is a service, or None."""
    if isinstance(adapter, str):
        if not adapter.startswith(("http://", "https://")):
            return None
        return HttpRequest.model_construct(url=adapter)
    return adapter


def names_in(template: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the names in a request, each with the keys and positions that lead to it."""
    if isinstance(template, HttpRequest):
        template = template.model_dump(include={"url", "headers", "body"})
    if isinstance(template, str):
        for name in _NAME.findall(template):
            yield keys, name
    elif isinstance(template, dict | list):
        items = template.items() if isinstance(template, dict) else enumerate(template)
        for key, item in items:
            yield from names_in(item, (*keys, key))


def variable_of(name: str) -> str | None:
    """Return the environment variable of a name such as ``env.NAME``; None for other names."""
    first = name.partition(".")[0]
    if first not in _VALUES:
        raise AdapterError(f"{{{{{name}}}}}: there is no {first!r}; there is {', '.join(_VALUES)}")
    if first != "env":
        return None
    if not _VARIABLE.fullmatch(name):
        raise AdapterError(f"{{{{{name}}}}}: name one environment variable, such as {{{{env.API_KEY}}}}")
    return name.removeprefix("env.")


def fill(template: Any, values: Mapping[str, Any], write: Callable[[str], str] = str) -> Any:
    """Replace names by values; a template that is one name keeps the type of its value."""
    if isinstance(template, dict):
        return {name: fill(item, values, write) for name, item in template.items()}
    if isinstance(template, list):
        return [fill(item, values, write) for item in template]
    if not isinstance(template, str):
        return template
    whole = _NAME.fullmatch(template)
    if whole:
        return value_of(whole[1], values)
    return _NAME.sub(lambda match: write(as_text(value_of(match[1], values))), template)


def value_of(path: str, values: Any) -> Any:
    value = values
    for step in path.split("."):
        if not isinstance(value, Mapping) or step not in value:
            names = ", ".join(value) if isinstance(value, Mapping) else "no names"
            raise AdapterError(f"{{{{{path}}}}}: there is no {step!r}; there is {names}")
        value = value[step]
    return value


def as_text(value: Any) -> str:
    """Return a text, and any other value as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(_with_text_keys(value), sort_keys=True, ensure_ascii=False, default=str)


def _with_text_keys(value: Any) -> Any:
    """Convert the keys of YAML to text, as in JSON: numbers and texts cannot be sorted together."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else as_text(key).strip('"'): _with_text_keys(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [*map(_with_text_keys, value)]
    return value
