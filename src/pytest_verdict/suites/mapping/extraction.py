"""Extraction: steps, written as data, that take a part out of what a path found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import MappingError, SettingsError, allowed
from pytest_verdict.operators.regex import FoundMatch, compile_pattern, find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError
from pytest_verdict.suites.mapping.jsonpath import describe_absence, finder

Many = Literal["error", "first", "last", "list"]
"""What becomes of several matches."""

Span = tuple[int, int]


class Extracted(NamedTuple):
    """What a step took, and where it stood in the text; no place where the step read a document."""

    value: Any
    spans: list[Span] | None = None


class ExtractionTimeLimitError(MappingError):
    """A step took too long, which another time it may not."""


Step = Callable[[Any], Extracted]

_REGEX_KEYS: Final = ("regex", "group", "flags", "many")
_JSON_KEYS: Final = ("json", "many")


def read_path(path: Any, many: Any) -> Callable[[Any], Any]:
    """Read a path, and what several matches of it mean."""
    wanted, find = _many(many), finder(path)

    def extract(document: Any) -> Any:
        matches = find(document)
        if len(matches) == 1 and wanted != "list":
            return matches[0]
        if not matches:
            raise MappingError(describe_absence(path, document))
        return _chosen(matches, wanted, f"the path {path}")

    return extract


def _chosen(matches: Sequence[Any], many: Many, label: str) -> Any:
    if many == "list":
        return list(matches)
    if len(matches) > 1 and many == "error":
        raise MappingError(f"{label} matches {len(matches)} values; set many to first, last or list")
    return matches[-1] if many == "last" else matches[0]


def _many(given: Any) -> Many:
    if given is not None and given not in get_args(Many):
        raise SettingsError(f"unknown value of many: {shown(given, 40)}.{allowed('value', given, get_args(Many))}")
    return given or "error"


def refuse_unknown_keys(what: str, given: Mapping[Any, Any], known: Sequence[str]) -> None:
    """Refuse keys that have no meaning."""
    for key in given:
        if key not in known:
            raise SettingsError(f"{what} has no key {key!r}.{allowed('key', key, known)}")


def read_steps(given: Any) -> tuple[Step, ...]:
    """Read the steps of an extraction."""
    steps = given if isinstance(given, list | tuple) else [] if given is None else [given]
    return tuple(_step(step) for step in steps)


def _step(given: Any) -> Step:
    if not isinstance(given, Mapping) or ("regex" in given) == ("json" in given):
        raise SettingsError(f"a step of extract is {{'regex': pattern}} or {{'json': path}}, got {shown(given, 80)}")
    refuse_unknown_keys("a step of extract", given, _REGEX_KEYS if "regex" in given else _JSON_KEYS)
    return _regex_step(given) if "regex" in given else _json_step(given)


def _regex_step(given: Mapping[str, Any]) -> Step:
    pattern, many = given["regex"], _many(given.get("many"))
    flags = _flags(given.get("flags"))
    if not isinstance(pattern, str) or not pattern:
        raise SettingsError(f"the regex of extract is a text that is not empty, got {shown(pattern, 80)}")
    try:
        groups = compile_pattern(pattern, flags)
    except (re.error, RegexTimeLimitError) as error:
        raise SettingsError(f"{shown(pattern)} is not a regular expression: {error}") from None
    group = given.get("group", 1 if groups.groups else 0)
    if type(group) not in {int, str} or group not in {*range(groups.groups + 1), *groups.groupindex}:
        known = ", ".join(map(str, [*range(groups.groups + 1), *groups.groupindex]))
        raise SettingsError(f"{pattern!r} has no group {shown(group, 40)}; it has the groups {known}")
    limit = {"first": 1, "error": 2}.get(many)

    def extract(text: Any) -> Extracted:
        if not isinstance(text, str):
            raise MappingError(f"the regex {pattern} needs text, got {shown(text, 80)}")
        try:
            matches = find_matches(pattern, flags, "search", text, limit)
        except RegexTimeLimitError as error:
            raise ExtractionTimeLimitError(str(error)) from None
        if not matches:
            raise MappingError(f"the regex {pattern} matches nothing in {shown(text, 80)}")
        chosen = _chosen(matches, many, f"the regex {pattern}")
        if many == "list":
            return Extracted([_group(match, group) for match in chosen], [_span(match, group) for match in chosen])
        found = _group(chosen, group)
        if found is None:
            raise MappingError(f"the regex {pattern} matches, but its group {group!r} took no part")
        return Extracted(found, [_span(chosen, group)])

    return extract


def _flags(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or not all(isinstance(flag, str) for flag in given):
        raise SettingsError(f"flags is a list of names such as [IGNORECASE], got {shown(given, 80)}")
    return tuple(given)


def _group(match: FoundMatch, group: int | str) -> str | None:
    if isinstance(group, str):
        return match.named_groups[group]
    return match.text if group == 0 else match.groups[group - 1]


def _span(match: FoundMatch, group: int | str) -> Span:
    """Give the place of a group, or of the whole match where the group could stand in several places of it."""
    part = _group(match, group)
    if not part or match.text.find(part) != match.text.rfind(part):
        return match.start, match.end
    start = match.start + match.text.find(part)
    # A group in a lookaround stands outside of the match.
    return (start, start + len(part)) if part in match.text else (match.start, match.end)


def _json_step(given: Mapping[str, Any]) -> Step:
    path = given["json"]
    follow = read_path(path, given.get("many"))

    def extract(text: Any) -> Extracted:
        if not isinstance(text, str):
            raise MappingError(f"the step json {path} needs text, got {shown(text, 80)}")
        try:
            document = parse_json(text)
        except JsonTextError as error:
            raise MappingError(f"the text is not JSON: {error}") from None
        return Extracted(follow(document))

    return extract
