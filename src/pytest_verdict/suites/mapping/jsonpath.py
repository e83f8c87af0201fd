"""JSONPaths: what they match in a document, fast where a path only names keys and positions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import MappingError, SettingsError
from pytest_verdict.operators.json.rules import compiled

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
    general = _general(path, tree)
    steps = _plain_steps(tree)
    return general if steps is None else _direct(steps, general)


def _general(path: str, tree: Any) -> Find:
    def find(document: Any) -> Sequence[Any]:
        try:
            return tuple(match.value for match in tree.find(document))
        except Exception as error:  # noqa: BLE001 - jsonpath-ng raises whatever a filter meets in the evidence
            raise MappingError(f"the path {path} cannot be applied: {type(error).__name__}: {error}") from None

    return find


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
