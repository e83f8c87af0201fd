"""JSONPaths and extraction: what a path matches in a document, and steps, written as data, that take a part out of it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import MappingError, SettingsError, allowed
from pytest_verdict.operators.json.rules import compiled
from pytest_verdict.operators.regex import FoundMatch, compile_pattern, find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError

Find = Callable[[Any], Sequence[Any]]
"""From a document to the values that a path matches, in order."""

_MOST_KEYS: Final = 12


def finder(path: str) -> Find:
    """Compile a JSONPath."""
    if not isinstance(path, str) or not path.strip():
        raise SettingsError(f"a path is a JSONPath such as $.output.label, got {shown(path, 80)}")
    return _compiled_finder(path)


@functools.lru_cache(maxsize=1_000)
def _compiled_finder(path: str) -> Find:
    try:
        tree = compiled(path)
    except ValueError as error:
        raise SettingsError(f"{error}. A key with other signs than letters is quoted: $['a key']") from None

    def general(document: Any) -> Sequence[Any]:
        try:
            return tuple(match.value for match in tree.find(document))
        except Exception as error:  # noqa: BLE001 - jsonpath-ng raises whatever a filter meets in the evidence
            raise MappingError(f"the path {path} cannot be applied: {type(error).__name__}: {error}") from None

    steps = _plain_steps(tree)
    return general if steps is None else _direct(steps, general)


def _plain_steps(tree: Any) -> tuple[str | int, ...] | None:
    """Give the keys and positions that a path names; None when it is of another kind."""
    kind = type(tree).__name__
    if kind in {"Root", "This"}:
        return ()
    if kind == "Child":
        left, right = _plain_steps(tree.left), _plain_steps(tree.right)
        return None if left is None or right is None else (*left, *right)
    if kind == "Fields" and len(tree.fields) == 1 and "*" not in tree.fields:
        return (str(tree.fields[0]),)
    indices = getattr(tree, "indices", None)
    return (int(indices[0]),) if kind == "Index" and indices is not None and len(indices) == 1 else None


def _direct(steps: tuple[str | int, ...], general: Find) -> Find:
    typed: list[tuple[Any, Any]] = [(step, dict if isinstance(step, str) else list) for step in steps]

    def find(document: Any) -> Sequence[Any]:
        value = document
        for step, holder in typed:
            if type(value) is not holder:
                # Whatever else a document may hold, the library decides.
                return general(document)
            try:
                value = value[step]
            except LookupError:
                return ()
        return (value,)

    return find


def first_key(path: str) -> str | None:
    """Give the key of the document that all of a path goes through; None when it may look elsewhere."""
    step = next(iter(_plain_steps(compiled(path)) or ()), None)
    return step if isinstance(step, str) else None


def only_key(path: str) -> str | None:
    """Give the key of the document that is all of a path."""
    steps = _plain_steps(compiled(path)) or ()
    return first_key(path) if len(steps) == 1 else None


def describe_absence(path: str, document: Any) -> str:
    """Say that a path matches nothing, and what is there instead."""
    here, walked = document, "$"
    for step in _plain_steps(compiled(path)) or ():
        found = finder(_quoted(step))(here)
        if not found:
            break
        here, walked = found[0], f"{walked}{_quoted(step)[1:]}"
    bare = path.removeprefix("$.")
    is_key = isinstance(document, Mapping) and bare in document
    hint = f". For the key with dots write $[{_text(bare)}]" if is_key else ""
    return f"the path {path} matches nothing; {walked} {_contents(here)}{hint}"


def _quoted(step: str | int) -> str:
    if isinstance(step, int):
        return f"$[{step}]"
    return f"$.{step}" if step.isascii() and step.isidentifier() else f"$[{_text(step)}]"


def _text(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _contents(value: Any) -> str:
    if isinstance(value, Mapping):
        keys = [shown(key, 40) for key in value]
        more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
        return f"has the keys {', '.join(keys[:_MOST_KEYS])}{more}" if keys else "is an empty object"
    return f"is a list of {len(value)}" if isinstance(value, list | tuple) else f"is {shown(value, 60)}"


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
