"""Requests as a suite writes them: ``{{input}}``, ``{{context.name}}`` and ``{{env.NAME}}`` stand for values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_verdict.errors import AdapterError
from pytest_verdict.suites.loading import as_text
from pytest_verdict.suites.suite_model import HttpRequest

_PLACE: Final = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
_VARIABLE: Final = re.compile(r"env\.[^.]+")


def request_of(adapter: str | HttpRequest | None) -> HttpRequest | None:
    """Give the request of an adapter that is a service."""
    is_url = isinstance(adapter, str) and adapter.startswith(("http://", "https://"))
    return HttpRequest.model_construct(url=adapter) if is_url else adapter if isinstance(adapter, HttpRequest) else None


def names_in(request: HttpRequest | None) -> Iterable[tuple[tuple[str | int, ...], str]]:
    """Give the names in a request, each with the keys and positions that lead to it."""
    return _names_in(request.model_dump(include={"url", "headers", "body"}), ()) if request else ()


def _names_in(template: Any, at: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(template, str):
        yield from ((at, name) for name in _PLACE.findall(template))
    elif isinstance(template, dict | list):
        for step, item in template.items() if isinstance(template, dict) else enumerate(template):
            yield from _names_in(item, (*at, step))


def variable_of(name: str) -> str | None:
    """Give the environment variable that is named."""
    if name.partition(".")[0] == "env" and not _VARIABLE.fullmatch(name):
        raise AdapterError(f"{{{{{name}}}}}: name one environment variable, such as {{{{env.API_KEY}}}}")
    return name.removeprefix("env.") if name.startswith("env.") else None


def filled(template: Any, values: Mapping[str, Any], write: Callable[[str], str] = str) -> Any:
    """Put values where names stand; a name alone keeps the type of its value."""
    if isinstance(template, dict):
        return {name: filled(item, values, write) for name, item in template.items()}
    if isinstance(template, list):
        return [filled(item, values, write) for item in template]
    if not isinstance(template, str):
        return template
    whole = _PLACE.fullmatch(template)
    if whole:
        return value_of(whole[1], values)
    return _PLACE.sub(lambda place: write(as_text(value_of(place[1], values))), template)


def value_of(path: str, values: Any) -> Any:
    """Find the value of a name."""
    found = values
    for step in path.split("."):
        if not isinstance(found, Mapping) or step not in found:
            names = ", ".join(found) if isinstance(found, Mapping) else "no names"
            raise AdapterError(f"{{{{{path}}}}}: there is no {step!r}; there is {names}")
        found = found[step]
    return found
