"""JSONPaths in two dialects: the values that a path matches, and a description of what is there instead."""

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, get_args

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import MappingError, MissingExtraError, SettingsError, allowed
from pytest_verdict.operators.json.rules import compile_path, refuse_slow_path, refuse_unclear_path

Find = Callable[[Any], Sequence[Any]]
"""Returns the values that a path matches in a document, in order."""
Dialect = Literal["jsonpath_ng", "rfc9535"]
Many = Literal["error", "first", "last", "list"]
"""What to do with several matches."""
MANY: Final = get_args(Many)

_MOST_KEYS: Final = 12
# The libraries read a path by recursion.
_LONGEST_PATH: Final = 1_000
_OTHER_ITEMS: Final = 10
_MOST_ITEMS: Final = 1_000
_MOST_STEPS: Final = 50


class NothingFoundError(MappingError):
    """A path or a step matches nothing."""


def read_path(path: Any, many: Any = None, dialect: Any = None) -> Callable[[Any], Any]:
    """Return a function that follows a path, with a rule for several matches."""
    rule = check_word("many", many, MANY)
    find = finder(path, check_word("dialect", dialect, get_args(Dialect)))
    if dialect is None:
        try:
            refuse_unclear_path(path)
        except ValueError as error:
            raise SettingsError(str(error)) from None

    def follow(document: Any) -> Any:
        matches = find(document)
        if len(matches) == 1 and rule != "list":
            return matches[0]
        if not matches:
            raise NothingFoundError(describe_absence(path, document, dialect))
        return choose(matches, rule, f"the path {path}")

    return follow


def check_word(what: str, word: Any, words: Sequence[str]) -> Any:
    """Return a word, or the first of the allowed ones for None; refuse any other."""
    if word is not None and word not in words:
        raise SettingsError(f"unknown value of {what}: {shown(word, 40)}.{allowed('value', word, words)}")
    return word or words[0]


def choose(matches: Sequence[Any], many: Many, label: str) -> Any:
    if many == "list":
        return list(matches)
    if len(matches) > 1 and many == "error":
        raise MappingError(f"{label} matches {len(matches)} values; set many to first, last or list")
    return matches[-1] if many == "last" else matches[0]


def finder(path: str, dialect: Dialect = "jsonpath_ng") -> Find:
    """Return the function that finds the matches of a path; each path is compiled once."""
    if not isinstance(path, str) or not path.strip():
        raise SettingsError(f"a path is a JSONPath such as $.output.label, got {shown(path, 80)}")
    if len(path) > _LONGEST_PATH:
        raise SettingsError(f"a path has at most {_LONGEST_PATH:,} characters, got {shown(path, 80)}")
    return _build_finder(path, dialect)


@functools.lru_cache(maxsize=1_000)
def _build_finder(path: str, dialect: Dialect) -> Find:
    steps: list[tuple[Any, Any]] | None = None
    search: Find
    if dialect == "rfc9535":
        search = _compile_standard(path)
    else:
        try:
            tree = compile_path(path)
        except ValueError as error:
            raise SettingsError(f"{error}. A key with other signs than letters is quoted: $['a key']") from None
        search = lambda document: tuple(match.value for match in tree.find(document))  # noqa: E731
        plain = _plain_steps(tree)
        if plain is not None:
            steps = [(step, dict if isinstance(step, str) else list) for step in plain]

    def find(document: Any) -> Sequence[Any]:
        if steps is not None:
            value: Any = document
            for step, container in steps:
                if type(value) is not container:
                    # The library decides about containers of other types.
                    break
                try:
                    value = value[step]
                except LookupError:
                    return ()
            else:
                return (value,)
        try:
            return search(document)
        except Exception as error:  # noqa: BLE001 - the libraries raise whatever a filter meets in the evidence
            raise MappingError(f"the path {path} cannot be applied: {type(error).__name__}: {error}") from None

    return find


def _compile_standard(path: str) -> Find:
    try:
        library = importlib.import_module("jsonpath_rfc9535")
    except ImportError:
        raise MissingExtraError("the dialect rfc9535", "jsonpath") from None
    try:
        refuse_slow_path(path)
        query = library.compile(path)
    except (library.JSONPathError, ArithmeticError, RecursionError, ValueError) as error:
        raise SettingsError(f"{path!r} is not a JSONPath of RFC 9535: {error}") from None
    return lambda document: query.find(document).values()


def _plain_steps(tree: Any) -> tuple[str | int, ...] | None:
    """Return the keys and positions of a path; None when it has anything else."""
    kind = type(tree).__name__
    if kind in {"Root", "This"}:
        return ()
    if kind == "Child":
        before = _plain_steps(tree.left)
        after = _plain_steps(tree.right)
        return None if before is None or after is None else (*before, *after)
    if kind == "Fields" and len(tree.fields) == 1 and "*" not in tree.fields:
        return (str(tree.fields[0]),)
    indices: Any = getattr(tree, "indices", None) or ()
    if kind == "Index" and len(indices) == 1:
        return (int(indices[0]),)
    return None


def first_key(source: Mapping[str, Any]) -> str | None:
    """Return the first key of an input's path; None when the path may match elsewhere in the document."""
    steps = None
    if source.get("dialect") != "rfc9535":
        steps = _plain_steps(compile_path(source["path"]))
    return steps[0] if steps and isinstance(steps[0], str) else None


def only_key(path: str) -> str | None:
    """Return the key that is the whole path, in the extended dialect; None for any other path."""
    steps = _plain_steps(compile_path(path))
    return first_key({"path": path}) if steps and len(steps) == 1 else None


def are_same_place(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two inputs are one value wherever both are there, whatever the words of their paths."""
    first = _normal_form(one)
    second = _normal_form(other)
    for (steps, _), source in ((first, other), (second, one)):
        positions = [abs(step) for step in steps or () if isinstance(step, int)]
        if steps is not None and len(steps) <= _MOST_STEPS and max(positions, default=0) <= _MOST_ITEMS:
            return _leads_to(source, steps)
    return one.get("many") == other.get("many") and first[1] == second[1]


def _normal_form(source: Mapping[str, Any]) -> tuple[tuple[str | int, ...] | None, str]:
    """Return the keys and positions of a path, and its text in one spelling."""
    path = source["path"]
    if source.get("dialect") == "rfc9535":
        path = str(importlib.import_module("jsonpath_rfc9535").compile(path))
    try:
        tree = compile_path(path)
        return _plain_steps(tree), str(tree).removeprefix("$.")
    except (TypeError, ValueError):
        # The library cannot write some of its own paths.
        return None, path


def _leads_to(source: Mapping[str, Any], steps: Sequence[str | int]) -> bool:
    """Return whether an input is the value behind steps, and never another one."""
    follow = read_path(source["path"], source.get("many"), source.get("dialect"))
    marker = object()
    values = []
    for others in (0, _OTHER_ITEMS, _OTHER_ITEMS + 1):
        with suppress(MappingError):
            values.append(follow(_build_probe(steps, marker, others)))
    return bool(values) and all(value in (marker, [marker]) for value in values)


def _build_probe(steps: Sequence[str | int], marker: object, others: int) -> Any:
    """Build a document with a marker behind steps, and with other values on both sides of each step."""
    document: Any = marker
    beside: Any = None
    for step in reversed(steps):
        if isinstance(step, str):
            beside = {step: beside}
            around = {f"before {step}": beside, step: document, f"behind {step}": beside}
            document = around if others else {step: document}
        else:
            items = [beside] * (max(step + 1, -step) + (others and others + abs(step)))
            items[step] = document
            document = items
            beside = [beside]
    return document


def describe_absence(path: str, document: Any, dialect: Dialect | None = None) -> str:
    """Describe that a path matches nothing, and what is there instead."""
    value = document
    reached = "$"
    steps = () if dialect == "rfc9535" else _plain_steps(compile_path(path)) or ()
    for step in steps:
        inner_path = f"$[{step}]" if isinstance(step, int) else key_path(step)
        if isinstance(step, str) and step.isascii() and step.isidentifier():
            inner_path = f"$.{step}"
        matches = finder(inner_path)(value)
        if not matches:
            break
        value = matches[0]
        reached += inner_path[1:]

    contents = f"is {shown(value, 60)}"
    if isinstance(value, list | tuple):
        contents = f"is a list of {len(value)}"
    elif isinstance(value, Mapping):
        keys = ", ".join(shown(key, 40) for key in list(value)[:_MOST_KEYS])
        more = f" and {len(value) - _MOST_KEYS} more" if len(value) > _MOST_KEYS else ""
        contents = f"has the keys {keys}{more}" if value else "is an empty object"
    key = path.removeprefix("$.")
    has_dots = isinstance(document, Mapping) and key in document
    hint = f". For the key with dots write {key_path(key)}" if has_dots else ""
    return f"the path {path} matches nothing; {reached} {contents}{hint}"


def key_path(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"$['{escaped}']"
