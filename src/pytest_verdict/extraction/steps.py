"""Extraction: steps, written as data, that take a part out of a value, one after the other."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import MappingError, SettingsError, allowed
from pytest_verdict.extraction.paths import MANY, Many, NothingFoundError, chosen, read_path, word
from pytest_verdict.extraction.presets import PRESETS, Part, find_parts
from pytest_verdict.operators.regex import compile_pattern, find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError


class Taken(NamedTuple):
    """What a step took, and what is noted of it: where it stood, or which alternative it was."""

    value: Any
    noted: Mapping[str, Any] = {}


class ExtractionTimeLimitError(MappingError):
    """A step took too long, which another time it may not."""


Step = Callable[[Any], Taken]
_FIRST: Final = object()


def refuse_unknown_keys(what: str, given: Mapping[Any, Any], known: Sequence[str]) -> None:
    """Refuse keys that have no meaning."""
    for key in given:
        if key not in known:
            raise SettingsError(f"{what} has no key {key!r}.{allowed('key', key, known)}")


def take(steps: Sequence[Step], value: Any, trace: list[dict[str, Any]]) -> Any:
    """Take one step after the other, and note what each was given."""
    for step in steps:
        trace.append({"value": value})
        value, noted = step(value)
        # The steps of an alternative begin with the same value.
        trace[-1] = {**({} if "steps" in noted else trace[-1]), **noted}
    return value


def read_steps(given: Any) -> tuple[Step, ...]:
    """Read the steps of an extraction."""
    steps = given if isinstance(given, list | tuple) else [] if given is None else [given]
    return tuple(_step(step) for step in steps)


def _step(given: Any) -> Step:
    if isinstance(given, str):
        return _preset_step(given)
    kinds = [kind for kind in _KINDS if kind in given] if isinstance(given, Mapping) else []
    if len(kinds) != 1:
        ways = f"a name such as 'last_number', or a dict with one of {', '.join(_KINDS)}"
        raise SettingsError(f"a step of extract is {ways}, got {shown(given, 80)}")
    kind, read = kinds[0], _KINDS[kinds[0]]
    refuse_unknown_keys("a step of extract", given, (kind, *list(inspect.signature(read).parameters)[1:]))
    return read(given[kind], **{key: given[key] for key in given if key != kind})


def newer_presets(extract: Any) -> dict[str, int]:
    """Give the versions of presets that have changed since they came, as far as steps name them."""
    if isinstance(extract, str):
        return {extract: PRESETS[extract].version} if PRESETS[extract].version > 1 else {}
    parts = extract.get("first_of", ()) if isinstance(extract, Mapping) else extract or ()
    return {name: version for part in parts for name, version in newer_presets(part).items()}


def _text(value: Any, label: str) -> str:
    if not isinstance(value, str):
        raise MappingError(f"{label} needs text, got {shown(value, 80)}")
    return value


def _parts_step(label: str, find: Callable[[str], Sequence[Part]], many: Many = "error") -> Step:
    """Take what is found in a text, with its place."""

    def extract(text: Any) -> Taken:
        try:
            parts = find(_text(text, label))
        except RegexTimeLimitError as error:
            raise ExtractionTimeLimitError(str(error)) from None
        if not parts:
            raise NothingFoundError(f"{label} matches nothing in {shown(text, 80)}")
        taken = chosen(parts, many, label)
        if many == "list":
            return Taken([part.value for part in taken], {"spans": [[part.start, part.end] for part in taken]})
        if taken.value is None:
            raise NothingFoundError(f"{label} matches, but its group took no part")
        return Taken(taken.value, {"spans": [[taken.start, taken.end]]})

    return extract


def _preset_step(name: str) -> Step:
    if name not in PRESETS:
        raise SettingsError(f"unknown step of extract: {shown(name, 40)}.{allowed('step', name, PRESETS)}")
    return _parts_step(name, functools.partial(find_parts, name))


def _first_of_step(given: Any) -> Step:
    alternatives = [read_steps(one) for one in _some("first_of", given, (str, Mapping, list, tuple))]

    def extract(value: Any) -> Taken:
        for number, steps in enumerate(alternatives, 1):
            trace: list[dict[str, Any]] = []
            try:
                found = take(steps, value, trace)
            except ExtractionTimeLimitError:
                raise
            except MappingError:
                continue
            return Taken(found, {"alternative": number, "steps": trace})
        raise NothingFoundError(f"none of {len(alternatives)} alternatives finds anything in {shown(value, 80)}")

    return extract


def _some(key: str, given: Any, kinds: tuple[type, ...] = (str,)) -> list[Any]:
    items = list(given) if isinstance(given, list | tuple) else []
    if not items or not all(item and isinstance(item, kinds) for item in items):
        raise SettingsError(f"{key} takes text or a list, of which nothing is empty, got {shown(given, 80)}")
    return items


def _regex_step(pattern: Any, group: Any = _FIRST, flags: Any = None, many: Any = None) -> Step:
    many, flags = word("many", many, MANY), _flags(flags)
    if not isinstance(pattern, str) or not pattern:
        raise SettingsError(f"the regex of extract is a text that is not empty, got {shown(pattern, 80)}")
    try:
        groups = compile_pattern(pattern, flags)
    except (re.error, RegexTimeLimitError) as error:
        raise SettingsError(f"{shown(pattern)} is not a regular expression: {error}") from None
    group = int(groups.groups > 0) if group is _FIRST else group
    if type(group) not in {int, str} or group not in {*range(groups.groups + 1), *groups.groupindex}:
        known = ", ".join(map(str, [*range(groups.groups + 1), *groups.groupindex]))
        raise SettingsError(f"{pattern!r} has no group {shown(group, 40)}; it has the groups {known}")
    index = groups.groupindex[group] if isinstance(group, str) else group
    limit = {"first": 1, "error": 2}.get(many)

    def find(text: str) -> list[Part]:
        places = [match.regions[index] for match in find_matches(pattern, flags, "search", text, limit)]
        return [Part(text[start:end] if start >= 0 else None, start, end) for start, end in places]

    return _parts_step(f"the regex {pattern}", find, many)


def _flags(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or not all(isinstance(flag, str) for flag in given):
        raise SettingsError(f"flags is a list of names such as [IGNORECASE], got {shown(given, 80)}")
    return tuple(given)


def _after_step(marker: Any, flags: Any = None, many: Any = None) -> Step:
    """Take the rest of the line behind a marker; of the next line where the marker ends its own."""
    # The atomic group keeps the blanks, so that nothing is tried twice.
    pattern = re.escape(*_some("after", [marker])) + r"(?>\s*)([^\n]*\S)"
    return _regex_step(pattern, flags=flags, many=many)


def _choice_step(options: Any, flags: Any = None, many: Any = None) -> Step:
    """Take the option that is named; of several, only what ``many`` says."""
    many, flags = word("many", many, MANY), _flags(flags)
    # Of two that begin alike, the longer one is tried first.
    options = sorted(_some("choice", options), key=len, reverse=True)
    pattern = rf"(?<!\w)(?:{'|'.join(f'({re.escape(option)})' for option in options)})(?!\w)"
    compile_pattern(pattern, flags)

    def find(text: str) -> list[Part]:
        matches = find_matches(pattern, flags, "search", text, None)
        parts = [Part(options[match.groups.index(match.text)], match.start, match.end) for match in matches]
        return parts if many != "error" else [*{part.value: part for part in reversed(parts)}.values()]

    return _parts_step(f"the choice of {', '.join(options)}", find, many)


def _split_step(separators: Any) -> Step:
    """Cut a text at separators; blanks around the parts and empty parts are left out."""
    pattern = "|".join(map(re.escape, _some("split", [separators] if isinstance(separators, str) else separators)))

    def extract(text: Any) -> Taken:
        parts = (part.strip() for part in re.split(pattern, _text(text, "split")))
        return Taken([part for part in parts if part])

    return extract


def _json_step(path: Any, many: Any = None, dialect: Any = None) -> Step:
    follow = read_path(path, many, dialect)

    def extract(text: Any) -> Taken:
        try:
            document = parse_json(_text(text, f"the step json {path}"))
        except JsonTextError as error:
            raise NothingFoundError(f"the text is not JSON: {error}") from None
        return Taken(follow(document))

    return extract


_KINDS: Final[Mapping[str, Callable[..., Step]]] = {
    "regex": _regex_step,
    "after": _after_step,
    "choice": _choice_step,
    "split": _split_step,
    "json": _json_step,
    "first_of": _first_of_step,
}
"""What reads a step, by the key that it has; the other keys that it may have are the names of the other parameters."""
