"""JSONPaths: what a path matches in a document, in either dialect, and what is there instead."""

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import MappingError, MissingExtraError, SettingsError, allowed
from pytest_verdict.operators.json.rules import compiled

Find = Callable[[Any], Sequence[Any]]
"""From a document to the values that a path matches, in order."""
Dialect = Literal["jsonpath_ng", "rfc9535"]
Many = Literal["error", "first", "last", "list"]
"""What becomes of several matches."""
MANY: Final = get_args(Many)

_MOST_KEYS: Final = 12


class NothingFoundError(MappingError):
    """What was looked for is not there."""


def read_path(path: Any, many: Any = None, dialect: Any = None) -> Callable[[Any], Any]:
    """Read a path, and what several matches of it mean."""
    wanted, find = word("many", many, MANY), finder(path, word("dialect", dialect, get_args(Dialect)))

    def extract(document: Any) -> Any:
        matches = find(document)
        if len(matches) == 1 and wanted != "list":
            return matches[0]
        if not matches:
            raise NothingFoundError(describe_absence(path, document, dialect))
        return chosen(matches, wanted, f"the path {path}")

    return extract


def word(what: str, given: Any, known: Sequence[str]) -> Any:
    """Refuse a word that is none of those known; the first of them stands for None."""
    if given is not None and given not in known:
        raise SettingsError(f"unknown value of {what}: {shown(given, 40)}.{allowed('value', given, known)}")
    return given or known[0]


def chosen(matches: Sequence[Any], many: Many, label: str) -> Any:
    """Choose among several matches."""
    if many == "list":
        return list(matches)
    if len(matches) > 1 and many == "error":
        raise MappingError(f"{label} matches {len(matches)} values; set many to first, last or list")
    return matches[-1] if many == "last" else matches[0]


def finder(path: str, dialect: Dialect = "jsonpath_ng") -> Find:
    """Compile a JSONPath."""
    if not isinstance(path, str) or not path.strip():
        raise SettingsError(f"a path is a JSONPath such as $.output.label, got {shown(path, 80)}")
    return _compiled_finder(path) if dialect == "jsonpath_ng" else _standard_finder(path)


@functools.lru_cache(maxsize=1_000)
def _standard_finder(path: str) -> Find:
    try:
        library = importlib.import_module("jsonpath_rfc9535")
    except ImportError:
        raise MissingExtraError("the dialect rfc9535", "jsonpath") from None
    try:
        query = library.compile(path)
    except library.JSONPathError as error:
        raise SettingsError(f"{path!r} is not a JSONPath of RFC 9535: {error}") from None
    return _applied(path, lambda document: query.find(document).values())


def _applied(path: str, find: Find) -> Find:
    def general(document: Any) -> Sequence[Any]:
        try:
            return find(document)
        except Exception as error:  # noqa: BLE001 - the libraries raise whatever a filter meets in the evidence
            raise MappingError(f"the path {path} cannot be applied: {type(error).__name__}: {error}") from None

    return general


@functools.lru_cache(maxsize=1_000)
def _compiled_finder(path: str) -> Find:
    try:
        tree = compiled(path)
    except ValueError as error:
        raise SettingsError(f"{error}. A key with other signs than letters is quoted: $['a key']") from None
    general = _applied(path, lambda document: tuple(match.value for match in tree.find(document)))
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


def first_key(source: Mapping[str, Any]) -> str | None:
    """Give the key of the document that all of an input's path goes through; None when it may look elsewhere."""
    plain = None if source.get("dialect") == "rfc9535" else _plain_steps(compiled(source["path"]))
    step = next(iter(plain or ()), None)
    return step if isinstance(step, str) else None


def only_key(path: str) -> str | None:
    """Give the key of the document that is all of a path in the extended dialect."""
    steps = _plain_steps(compiled(path)) or ()
    return first_key({"path": path}) if len(steps) == 1 else None


def describe_absence(path: str, document: Any, dialect: Dialect | None = None) -> str:
    """Say that a path matches nothing, and what is there instead."""
    here, walked = document, "$"
    for step in () if dialect == "rfc9535" else _plain_steps(compiled(path)) or ():
        found = finder(_quoted(step))(here)
        if not found:
            break
        here, walked = found[0], f"{walked}{_quoted(step)[1:]}"
    bare = path.removeprefix("$.")
    is_key = isinstance(document, Mapping) and bare in document
    hint = f". For the key with dots write {key_path(bare)}" if is_key else ""
    return f"the path {path} matches nothing; {walked} {_contents(here)}{hint}"


def _quoted(step: str | int) -> str:
    if isinstance(step, int):
        return f"$[{step}]"
    return f"$.{step}" if step.isascii() and step.isidentifier() else key_path(step)


def key_path(key: str) -> str:
    """Write the path to a key of any kind."""
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"$['{escaped}']"


def _contents(value: Any) -> str:
    if isinstance(value, Mapping):
        keys = [shown(key, 40) for key in value]
        more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
        return f"has the keys {', '.join(keys[:_MOST_KEYS])}{more}" if keys else "is an empty object"
    return f"is a list of {len(value)}" if isinstance(value, list | tuple) else f"is {shown(value, 60)}"
