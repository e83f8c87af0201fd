"""Families: the hooks through which operators, trajectories, suites and other packages add what they have.

A family is a module with some of the hooks of `Hooks`, marked with `hookimpl`. Ours are listed in `pytest_verdict.FAMILIES`,
those of other packages in the entry-point group ``pytest_verdict``::

    [project.entry-points.pytest_verdict]
    my_package = "my_package.verdict_family"

A hook returns names, each with its place as ``"module:attribute"``, so nothing is imported before it is used.
"""

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

import pluggy

import pytest_verdict
from pytest_verdict.errors import ConfigurationError

GROUP: Final = "pytest_verdict"
"""The entry-point group in which other packages name their families."""

_specified: Final = pluggy.HookspecMarker(GROUP)

_mark: Final = pluggy.HookimplMarker(GROUP)
Function = TypeVar("Function", bound=Callable[..., Any])


def hookimpl(function: Function) -> Function:
    """Mark a function of a family as one of its hooks.

    Args:
        function: A function with the name of a hook of `Hooks`.

    Returns:
        The same function.

    Example:
        >>> @hookimpl
        ... def operators():
        ...     return {"same_length": "my_package.operators:SameLength"}
    """
    return _mark(function)


class Command(NamedTuple):
    """A command of the console script.

    Args:
        summary: What it does, in a few words that start with a small letter.
        module: A module with ``add_arguments(parser)`` and ``run(arguments)``, which returns the exit code.

    Example:
        >>> Command("count the words of a report", "my_package.words").summary
        'count the words of a report'
    """

    summary: str
    module: str


def _hook(doc: str) -> Any:
    def hook() -> Mapping[str, Any]:
        raise NotImplementedError

    hook.__doc__ = doc
    return _specified(hook)


class Hooks:
    """The hooks of a family; each is optional, has no arguments and returns places by name."""

    operators = _hook("Operator classes by their names.")
    recorded_operators = _hook("Operator classes that only the family uses: replay finds them, and no list has them.")
    trajectory_readers = _hook("Wire formats, each with a module that has ``recognises(value)`` and ``read(value)``.")
    judges = _hook("Kinds of judges, each with a function that builds one from the text after ``kind:``.")
    document_texts = _hook(
        "Suffixes of documents, each with a function from a file's bytes to its text and the name of the extractor."
    )
    adapters = _hook(
        "Kinds of adapters, each with a function of the adapter in the suite file and the folder that paths are relative to."
    )
    scorers = _hook("Scorers of suites.")
    row_readers = _hook("Suffixes of data sets, each with a function that yields the rows of a path.")
    report_writers = _hook("Files of the report, each with a function that yields pieces of its text.")
    report_sections = _hook(
        "Members of ``report.json`` that are derived from the records, each with a function of the session's request (a"
        " list of objects), the summary and the path of the records, which returns the complete objects. Only our own"
        " families are asked, because the schema lists the members."
    )
    run_addresses = _hook(
        "Kinds of addresses of runs, each with a function from the text after ``kind:`` to a local folder or file."
    )
    commands = _hook("Commands of the console script.")
    pytest_items = _hook(
        "Collectors of tests, by the ini key or the marker that our plugin declares. Another package that collects files"
        " is a plugin of pytest and uses pytest's hooks."
    )
    explanations = _hook("Operators with an explanation of their own, each a function of a result and a budget.")
    derivations = _hook(
        "Kinds of sources, each with a function from a record's sources to the inputs and the text of the sources, derived again."
    )
    closing_lines = _hook("Operators with more lines at the end of a session, each with a function that returns them.")


class Families:
    """The families of a process: our own modules, and those of other packages."""

    def __init__(self, own: Iterable[str]) -> None:
        self._own = tuple(own)
        self._places: dict[str, dict[str, Any]] = {}
        self._has_looked = False

    def register(self, family: Any) -> None:
        """Add a family that has no entry point; a second call has no effect."""
        if not self._manager.is_registered(family):
            self._manager.register(family)
            self._places.clear()

    def find(self, hook: str, name: str) -> Any | None:
        """Return the place of a name, from the families of other packages only if ours have none."""
        place = self.own(hook).get(name)
        return self.all(hook).get(name) if place is None else place

    def own(self, hook: str) -> Mapping[str, Any]:
        """Return the places of a hook by name, from the families that are registered so far."""
        if hook in self._places:
            return self._places[hook]
        places: dict[str, Any] = {}
        # pluggy calls the last family first; ours must come first, in their order.
        for names in reversed(getattr(self._manager.hook, hook)()):
            for name, place in names.items():
                if places.setdefault(name, place) != place:
                    raise ConfigurationError(f"two families bring {hook} {name!r}: {places[name]} and {place}")
        self._places[hook] = places
        return places

    def all(self, hook: str) -> Mapping[str, Any]:
        """Return the places of a hook by name, from all installed families."""
        if not self._has_looked:
            load_installed("family", GROUP, self.register)
            self._has_looked = True
        return self.own(hook)

    @functools.cached_property
    def _manager(self) -> pluggy.PluginManager:
        manager = pluggy.PluginManager(GROUP)
        manager.add_hookspecs(Hooks)
        for module in self._own:
            manager.register(importlib.import_module(module), module)
        return manager


def load_installed(kind: str, group: str, add: Callable[[Any], Any]) -> None:
    """Add the objects of an entry-point group."""
    from importlib.metadata import entry_points

    for entry_point in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            add(entry_point.load())
        except Exception as error:
            place = f"{entry_point.name} = {entry_point.value} ({group})"
            raise ConfigurationError(f"the {kind} {place} cannot be loaded: {error}") from error


def load(place: str) -> Any:
    """Import ``"module:attribute"``, or a module."""
    name, _, attribute = place.partition(":")
    module = importlib.import_module(name)
    return getattr(module, attribute) if attribute else module


def load_brought(hook: str, name: str) -> Any | None:
    """Import what a family has under a name; return None if no family has it."""
    place = FAMILIES.find(hook, name)
    if place is None:
        return None
    try:
        return load(place)
    except Exception as error:
        raise ConfigurationError(f"{name!r} of {hook}, {place}, cannot be loaded: {error}") from error


FAMILIES: Final = Families(pytest_verdict.FAMILIES)
"""The families of this process."""


def register_family(family: Any) -> None:
    """Add a family that has no entry point, such as one beside the tests; call it in ``conftest.py``.

    Args:
        family: A module, or another object, whose functions are marked with `hookimpl`.

    Raises:
        ConfigurationError: Another family has the same name; raised when the name is looked up.

    Example:
        >>> class Mine:
        ...     @hookimpl
        ...     def adapters(self):
        ...         return {"mine": "my_tests.adapter:open_adapter"}
        >>> register_family(Mine())
        >>> FAMILIES.find("adapters", "mine")
        'my_tests.adapter:open_adapter'
    """
    FAMILIES.register(family)
