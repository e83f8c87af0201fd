"""The registry: which operator class stands behind a name.

It is empty when it is made; families bring operators, and a class is imported when its name is first used.
"""

import inspect
import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, GROUP, Families, load, load_installed
from pytest_verdict.core.function_operator import operator_from_function
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.core.values.equality import TEXT
from pytest_verdict.core.values.snapshot import PLAIN
from pytest_verdict.errors import ConfigurationError, SettingsError, UnknownOperatorError, allowed

ENTRY_POINT_GROUP: Final = f"{GROUP}.operators"
"""The entry-point group for packages that bring single operators and no family."""

Key = str | tuple[str, bytes] | None
_NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})
_KEYS: Final = {"operator", "version", "settings"}
_MOST_BUILT: Final = 1_024
_LISTS: Final = frozenset({list, tuple})


class OperatorRegistry:
    """Operators by name.

    Args:
        families: Who brings operators; without them it has what is added.

    Example:
        >>> registry = OperatorRegistry()
        >>> @registry.add
        ... def same_length(expected, observed):
        ...     return len(expected) == len(observed)
        >>> registry.build("same_length").evaluate("abc", "xyz").score
        1.0
    """

    def __init__(self, families: Families | None = None) -> None:
        self._families = families
        self._classes: dict[str, type[Operator]] = {}
        # Making an operator takes longer than most comparisons.
        self._built: dict[Key, Operator] = {}
        self._entry_points_loaded = families is None

    def add(
        self, operator: type[Operator] | Callable[..., Outcome | float | bool], *, name: str | None = None
    ) -> type[Operator]:
        """Register an operator, so that tests and replay find it by name.

        Args:
            operator: An `Operator` class, or a function of expected, observed and keyword settings.
            name: The name of a function's operator; the function's own name unless given.

        Returns:
            The operator class.

        Raises:
            ConfigurationError: The name is taken by another operator, or the class has no name.
        """
        if not callable(operator) or (isinstance(operator, type) and not issubclass(operator, Operator)):
            wanted = "an operator is a class derived from Operator or a function"
            raise ConfigurationError(f"{wanted}, got {shown(operator)}")
        if isinstance(operator, type) and name is not None:
            correction = f"write name = {name!r} into the class"
            raise ConfigurationError(f"{operator.__name__} carries its name itself: {correction}")
        cls: type[Operator] = operator if isinstance(operator, type) else operator_from_function(operator, name)
        label = getattr(cls, "name", None)
        if not isinstance(label, str) or not label.isidentifier():
            raise ConfigurationError(f"{cls.__name__} needs a name such as 'same_length', got {label!r}")
        if inspect.isabstract(cls):
            raise ConfigurationError(f"{cls.__name__} needs a method evaluate(self, expected, observed)")
        if type(cls.version) is not int or cls.version < 1:
            raise ConfigurationError(f"{cls.__name__}: version must be a whole number from 1, got {cls.version!r}")
        self._refuse_taken(label, cls)
        self._classes[label] = cls
        return cls

    def _refuse_taken(self, name: str, cls: type[Operator]) -> None:
        known = self._classes.get(name)
        same = known is not None and (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
        if same:
            self._built.clear()
        elif known is not None or name in self._brought():
            raise ConfigurationError(f"the name {name!r} is already registered for another operator")

    def names(self) -> list[str]:
        """Give the registered names.

        Returns:
            The names, sorted.
        """
        self._load_entry_points()
        return sorted({*self._brought(), *self._classes})

    def public_names(self) -> list[str]:
        """Give the names to compare by, without those that only records carry.

        Returns:
            The names, sorted.
        """
        recorded = self._families.own("recorded_operators") if self._families else {}
        return [name for name in self.names() if name not in recorded]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self._classes or name in self._brought() or name in self.names()

    def _brought(self) -> Mapping[str, str]:
        return {**self._families.own("recorded_operators"), **self._families.own("operators")} if self._families else {}

    def find(self, name: str) -> type[Operator]:
        """Find the class behind a name.

        Args:
            name: A registered name.

        Returns:
            The operator class.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
        """
        found = self._classes.get(name) or self._loaded(name)
        if found is None:
            self._load_entry_points()
            found = self._classes.get(name) or self._loaded(name)
        if found is None:
            raise UnknownOperatorError(name, self.public_names())
        return found

    def _loaded(self, name: str) -> type[Operator] | None:
        place = self._brought().get(name)
        if place is None:
            return None
        found: type[Operator] = load(place)
        if found.name != name:
            raise ConfigurationError(f"{place} is brought as {name!r} and calls itself {found.name!r}")
        self._classes[name] = found
        return found

    def build(self, name: str, settings: Mapping[str, Any] = _NO_SETTINGS) -> Operator:
        """Make an operator from its name and settings.

        Args:
            name: A registered name.
            settings: Settings by name; the defaults fill the rest.

        Returns:
            The operator; one and the same object for a name with the same plain settings or without any.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
            SettingsError: A setting is unknown, missing or has a value that is not allowed.
        """
        key = key_of(name, settings) if settings else name
        operator = self._built.get(key)
        if operator is not None:
            return operator
        operator = self.find(name)(**settings)
        if len(self._built) >= _MOST_BUILT:
            self._built.clear()
        if key is not None and all(map(_is_plain, settings.values())):
            self._built[key] = operator
        return operator

    def refuse_unknown_settings(self, name: str, settings: Iterable[str]) -> None:
        """Refuse names of settings that an operator does not have, before their values are known."""
        known = self.find(name).model_fields
        for setting in settings:
            if setting not in known:
                raise SettingsError(f"{name}: there is no setting {setting!r}.{allowed('setting', setting, known)}")

    def _load_entry_points(self) -> None:
        if self._entry_points_loaded:
            return
        if self._families is not None:
            self._families.all("operators")
        load_installed("operator", ENTRY_POINT_GROUP, self.add)
        self._entry_points_loaded = True


def key_of(name: str, settings: Mapping[str, Any]) -> Key:
    """Give what tells plain settings apart from all others, 1 from 1.0 and True as well."""
    try:
        return name, marshal.dumps(settings, 2)  # type: ignore[arg-type]
    except ValueError:
        return None


def _is_plain(value: Any) -> bool:
    return type(value) in PLAIN or (type(value) in _LISTS and TEXT.issuperset(map(type, value)))


REGISTRY: Final = OperatorRegistry(FAMILIES)
"""The registry of this process."""


def is_specification(value: Any) -> bool:
    """Say whether a value is the recorded form of an operator."""
    return isinstance(value, Mapping) and "operator" in value and _KEYS.issuperset(value)


def operator_from_settings(value: Any) -> Operator:
    """Make an operator of whatever may stand for one in a setting."""
    if isinstance(value, Operator):
        return value
    if isinstance(value, type) and issubclass(value, Operator):
        return value()
    if isinstance(value, str):
        return REGISTRY.build(value)
    if not is_specification(value) or not isinstance(value["operator"], str):
        raise SettingsError(
            f"an operator is given as an object, a registered name or {{'operator': name, 'settings': {{...}}}},"
            f" got {shown(value, 80)}"
        )
    settings = value.get("settings") or {}
    if not isinstance(settings, Mapping):
        raise SettingsError(f"the settings of {value['operator']} are an object, got {shown(settings, 80)}")
    return REGISTRY.build(value["operator"], {name: decode(setting) for name, setting in settings.items()})
