"""Errors in the form of a suite file, in words for the person who wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import allowed
from pytest_verdict.suites.model import PassShare, Scenario, ScorerEntry, SuiteConfig, SuiteFile, SuiteHead
from pytest_verdict.suites.yaml_document import YamlDocument

_FORMS: Final[dict[str, type[BaseModel]]] = {
    "": SuiteFile,
    "suite": SuiteHead,
    "config": SuiteConfig,
    "scenarios": Scenario,
    "scorer": ScorerEntry,
    "scorers": ScorerEntry,
    "default_scorers": ScorerEntry,
    "pass": PassShare,
}
# What pydantic puts into the place of an error besides keys and positions.
_KINDS: Final = {"name", "operator", "word", "count", "share"}
# What it puts there last when a key is wrong and not its value.
_KEY: Final = "[key]"
_PATTERNS: Final = {
    "name": "a name is text without '::' and line breaks, because it becomes part of a node id",
    "tags": "a tag is letters, digits and _ . + - /, because it becomes a mark",
}
_MOST: Final = 20
_YAML_TYPES: Final = {bool: "a boolean", int: "a number", float: "a number", type(None): "null"}


def describe_form_errors(error: ValidationError, document: YamlDocument) -> str:
    """Write each error with its file and line."""
    found = set()
    for problem in error.errors(include_url=False):
        place = _place(_named(problem), document)
        found.add((document.line(place), _sentence(problem, place, document)))
    lines = [f"{document.label}:{line}: {sentence}" for line, sentence in sorted(found)]
    more = [f"... and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    return "\n".join([*lines[:_MOST], *more])


def _named(problem: Any) -> tuple[Any, ...]:
    """Give the place with a key that is no text as it is in the document; pydantic writes a number for it."""
    loc: tuple[Any, ...] = problem["loc"]
    if loc[-1] == _KEY:
        return (*loc[:-2], problem["input"])
    return (*loc[:-1], problem["input"]) if problem["type"] == "invalid_key" else loc


def _place(loc: Sequence[str | int], document: YamlDocument) -> tuple[str | int, ...]:
    """Take the kinds out, which pydantic names after the key of a value that may be of several."""
    place: list[str | int] = []
    value = document.value
    for position, step in enumerate(loc):
        holds = (isinstance(value, dict) and step in value) or (isinstance(value, list) and isinstance(step, int))
        is_kind = step in _KINDS and not (isinstance(value, dict) and position == len(loc) - 1)
        if is_kind and not holds:
            continue
        place.append(step)
        value = value[step] if holds else None
    return tuple(place)


def _sentence(problem: Any, place: tuple[str | int, ...], document: YamlDocument) -> str:
    key = ".".join(str(step) for step in place[-2:] if isinstance(step, str)) or "the file"
    kind, given = problem["type"], problem["input"]
    if kind == "invalid_key" or problem["loc"][-1] == _KEY:
        meaning = _YAML_TYPES.get(type(given), "a date")
        return f"a key is text, and this one is {meaning} in YAML ({shown(given, 40)}); write it in quotes"
    if kind == "extra_forbidden":
        return f"there is no key {place[-1]!r} here.{allowed('key', place[-1], _keys_at(place))}"
    if kind == "missing":
        return f"the key {str(place[-1])!r} is required"
    if kind == "string_type" and not isinstance(given, list | dict):
        return f"{_last(place)}: {_unquoted(given, place, document)}"
    if kind == "string_type":
        return f"{_last(place)}: text is needed here, not {'a list' if isinstance(given, list) else 'a mapping'}"
    if kind == "string_pattern_mismatch":
        return f"{_last(place)}: {shown(given, 80)} is not allowed; {_PATTERNS[_last(place)]}"
    if kind == "literal_error" and _last(place) == "fail_fast":
        return "fail_fast: suites are run by pytest; use pytest -x"
    return f"{key}: {problem['msg']}, got {shown(given, 80)}"


def _last(place: Sequence[str | int]) -> str:
    return next((step for step in reversed(place) if isinstance(step, str)), "the file")


def _unquoted(given: Any, place: tuple[str | int, ...], document: YamlDocument) -> str:
    written = document.written(place)
    meaning = _YAML_TYPES.get(type(given), "a date")
    if given is None:
        return 'nothing after the colon, and null, is not a text in YAML; write "" or leave the key out'
    return (
        f"{written} without quotes is {meaning} in YAML ({shown(given, 40)}), and this is compared as text;"
        f' write "{written}"'
    )


def _keys_at(place: Sequence[str | int]) -> list[str]:
    holder = next((step for step in reversed(place[:-1]) if isinstance(step, str) and step in _FORMS), "")
    return [field.alias or name for name, field in _FORMS[holder].model_fields.items()]
