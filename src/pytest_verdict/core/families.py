"""Families: what operators, trajectories, suites and others bring, ours and those of other packages, by one door.

A family is a module with some of the hooks of `Hooks`, marked with `hookimpl`. Ours are named by `pytest_verdict.FAMILIES`;
those of other packages by an entry point of the group ``pytest_verdict``::

    [project.entry-points.pytest_verdict]
    my_package = "my_package.verdict_family"

A hook names each thing it brings and says where it is as ``"module:attribute"``, so nothing is imported before it is used.
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
        module: A module with ``add_arguments(parser)`` and ``run(arguments)``, which gives the exit code.

    Example:
        >>> Command("count the words of a report", "my_package.words").summary
        'count the words of a report'
    """

    summary: str
    module: str


def _hook(what: str) -> Any:
    def named() -> Mapping[str, Any]:
        raise NotImplementedError

    named.__doc__ = what
    return _specified(named)


class Hooks:
    """What a family can bring; each hook is optional, takes nothing and gives what it names by name."""

    operators = _hook("Name operator classes; a class has the name it is brought by.")
    recorded_operators = _hook(
        "Name operator classes that nobody compares by: the family makes them, replay finds them, no list shows them."
    )
    trajectory_readers = _hook(
        "Name wire formats, each with a module that has ``recognises(value)`` and ``read(value)``."
    )
    judges = _hook("Name kinds of judges, each with a function that makes one from the text behind ``kind:``.")
    document_texts = _hook(
        "Name suffixes of documents, each with a function of a file's bytes that gives its text and what extracted it."
    )
    adapters = _hook(
        "Name kinds of adapters, each with a function of the adapter as written and the folder that paths start from."
    )
    scorers = _hook("Name scorers of suites.")
    row_readers = _hook("Name suffixes of data sets, each with a function that reads the rows of a path one by one.")
    column_functions = _hook(
        "Name operators, each with a function that groups the rows of Arrow columns by outcome: a `ColumnFunction` of"
        " `pytest_verdict.datasets.columns.table`."
    )
    report_writers = _hook("Name files of the report, each with a function that gives the pieces of its text.")
    report_sections = _hook(
        "Name members of ``report.json`` that follow from the records, each with a function of what the session asked for"
        " (a list of objects), the summary and the path of the records, which gives the objects with all that follows. Only"
        " ours are asked, because a schema says which members there are."
    )
    commands = _hook("Name commands of the console script.")
    pytest_items = _hook(
        "Name what is collected as tests, by the ini key or the marker that our plugin declares for it. A package of"
        " its own that collects files is a plugin of pytest, and uses pytest's hooks."
    )
    explanations = _hook(
        "Name operators that are explained in their own way, each with a function from a result and a budget."
    )
    derivations = _hook(
        "Name kinds of sources, each with a function from a record's sources to the inputs and the sources, derived"
        " again."
    )
    closing_lines = _hook(
        "Name operators on which the terminal says more at the end of a session, each with a function that gives lines."
    )


class Families:
    """All families of this process.

    Args:
        own: The modules of those that are always there.
    """

    def __init__(self, own: Iterable[str]) -> None:
        self._own = tuple(own)
        self._brought: dict[str, dict[str, Any]] = {}
        self._has_looked = False

    def register(self, family: Any) -> None:
        """Add a family that no entry point names; once is enough."""
        if not self._manager.is_registered(family):
            self._manager.register(family)
            self._brought.clear()

    def find(self, hook: str, name: str) -> Any | None:
        """Give what is brought by a name, those of other packages being looked for when it is none of ours."""
        found = self.own(hook).get(name)
        return self.all(hook).get(name) if found is None else found

    def own(self, hook: str) -> Mapping[str, Any]:
        """Give what the families bring that are known without looking for others, by name."""
        found = self._brought.get(hook)
        if found is None:
            # Ours come first and in their order, whether others were looked for or not: pluggy calls the last one first.
            found = self._brought[hook] = _joined(hook, reversed(getattr(self._manager.hook, hook)()))
        return found

    def all(self, hook: str) -> Mapping[str, Any]:
        """Give all that is brought, by name."""
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
    """Add what the installed packages name in a group of entry points."""
    from importlib.metadata import distributions, entry_points

    # Parsing the entry points of all distributions takes ten times as long as reading them, and most have no such group.
    if not any(f"[{group}]" in (found.read_text("entry_points.txt") or "") for found in distributions()):
        return
    for entry_point in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            add(entry_point.load())
        except Exception as error:
            place = f"{entry_point.name} = {entry_point.value} ({group})"
            raise ConfigurationError(f"the {kind} {place} cannot be loaded: {error}") from error


def _joined(hook: str, brought: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for names in brought:
        for name, what in names.items():
            if name in found and found[name] != what:
                raise ConfigurationError(f"two families bring {hook} {name!r}: {found[name]} and {what}")
            found[name] = what
    return found


def load(place: str) -> Any:
    """Import what ``"module:attribute"``, or a module alone, names."""
    module, _, attribute = place.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def load_brought(hook: str, name: str) -> Any | None:
    """Load what a family brings by a name; None when none does."""
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
    """Add a family that no installed package names, such as one beside the tests; ``conftest.py`` is the place to do it.

    Args:
        family: A module, or another object, whose functions are marked with `hookimpl`.

    Raises:
        ConfigurationError: It brings a name that another family brings too; told when names are looked up.

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
