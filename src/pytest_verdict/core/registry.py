"""The registry: operator classes by name. Families fill it; a class is imported when its name is first used."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, GROUP, Families, load, load_installed
from pytest_verdict.core.operator import Operator, operator_from_function
from pytest_verdict.core.operator_code import code_of
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.core.values.equality import TEXT
from pytest_verdict.core.values.placeholders import PLAIN, class_name
from pytest_verdict.errors import ConfigurationError, SettingsError, UnknownOperatorError, allowed

ENTRY_POINT_GROUP: Final = f"{GROUP}.operators"
"""The entry-point group for packages that bring single operators and no family."""

_NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})
_KEYS: Final = {"operator", "version", "settings"}
_MOST_BUILT: Final = 1_024
_LISTS: Final = frozenset({list, tuple})


class OperatorRegistry:
    """Operators by name.

    Args:
        families: The families whose operators it has, besides those that are added (default: none).

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
        # Building an operator takes longer than most comparisons.
        self._built: dict[str | tuple[str, str] | None, Operator] = {}
        self._entry_points_loaded = families is None

    def add(
        self, operator: type[Operator] | Callable[..., Outcome | float | bool], *, name: str | None = None
    ) -> type[Operator]:
        """Register an operator, so that tests and replay find it by name.

        Args:
            operator: An `Operator` class, or a function of expected, observed and keyword settings.
            name: The name of the operator of a function (default: the name of the function).

        Returns:
            The operator class.

        Raises:
            ConfigurationError: Another operator has the name, or the class has no name.
        """
        if not callable(operator) or (isinstance(operator, type) and not issubclass(operator, Operator)):
            raise ConfigurationError(
                f"an operator is a class derived from Operator or a function, got {shown(operator)}"
            )
        if isinstance(operator, type) and name is not None:
            raise ConfigurationError(
                f"{operator.__name__} carries its name itself: write name = {name!r} into the class"
            )
        cls: type[Operator] = operator if isinstance(operator, type) else operator_from_function(operator, name)
        label = getattr(cls, "name", None)
        if not isinstance(label, str) or not label.isidentifier():
            raise ConfigurationError(f"{cls.__name__} needs a name such as 'same_length', got {label!r}")
        if inspect.isabstract(cls):
            raise ConfigurationError(f"{cls.__name__} needs a method evaluate(self, expected, observed)")
        if type(cls.version) is not int or cls.version < 1:
            raise ConfigurationError(f"{cls.__name__}: version must be a whole number from 1, got {cls.version!r}")
        registered = self._classes.get(label)
        if registered is not None and class_name(registered) == class_name(cls):
            self._built.clear()
        elif registered is not None or label in self._places():
            raise ConfigurationError(f"the name {label!r} is already registered for another operator")
        self._classes[label] = cls
        return cls

    def names(self) -> list[str]:
        """List the registered names.

        Returns:
            The names, sorted.
        """
        self._load_entry_points()
        return sorted({*self._places(), *self._classes})

    def public_names(self) -> list[str]:
        """List the names that a test can compare by, without those that only records have.

        Returns:
            The names, sorted.
        """
        recorded = self._families.own("recorded_operators") if self._families else {}
        return [name for name in self.names() if name not in recorded]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self._classes or name in self._places() or name in self.names()

    def _places(self) -> Mapping[str, str]:
        if self._families:
            return {**self._families.own("recorded_operators"), **self._families.own("operators")}
        return {}

    def find(self, name: str) -> type[Operator]:
        """Return the class of a name.

        Args:
            name: A registered name.

        Returns:
            The operator class.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
        """
        if name in self._classes:
            return self._classes[name]
        if name not in self._places():
            self._load_entry_points()
        place = self._places().get(name)
        if place is not None:
            cls: type[Operator] = load(place)
            if cls.name != name:
                raise ConfigurationError(f"{place} is brought as {name!r} and calls itself {cls.name!r}")
            self._classes[name] = cls
        if name not in self._classes:
            raise UnknownOperatorError(name, self.public_names())
        return self._classes[name]

    def describe_brought(self) -> list[tuple[str, int, str]]:
        """List the name, the version and the code of each operator from another package."""
        places = self._places()
        # Ours are not imported for this.
        names = [name for name in self.names() if not places.get(name, "").startswith(f"{GROUP}.")]
        return [(name, self.find(name).version, code_of(self.find(name))) for name in names]

    def build(self, name: str, settings: Mapping[str, Any] = _NO_SETTINGS) -> Operator:
        """Build an operator from its name and settings.

        Args:
            name: A registered name.
            settings: Settings by name (default: those of the operator).

        Returns:
            The operator; operators with plain settings are cached.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
            SettingsError: A setting is unknown, missing or has a value that is not allowed.
        """
        key: str | tuple[str, str] | None = name
        if settings:
            # Only immutable values and lists of texts: an operator must not share a list that its caller may change.
            is_plain = all(
                type(value) in PLAIN or (type(value) in _LISTS and TEXT.issuperset(map(type, value)))
                for value in settings.values()
            )
            key = (name, repr(settings)) if is_plain else None
        operator = self._built.get(key)
        if operator is not None:
            return operator
        if not all(isinstance(setting, str) for setting in settings):
            # YAML has keys of other types, which no keyword argument has.
            self.refuse_unknown_settings(name, settings)
        operator = self.find(name)(**settings)
        if len(self._built) >= _MOST_BUILT:
            self._built.clear()
        if key is not None:
            self._built[key] = operator
        return operator

    def refuse_unknown_settings(self, name: str, settings: Iterable[str], others: Iterable[str] = ()) -> None:
        """Refuse names of settings that an operator does not have; the message also allows the others."""
        fields = [*self.find(name).model_fields, *others]
        for setting in settings:
            if setting not in fields:
                raise SettingsError(f"{name}: there is no setting {setting!r}.{allowed('setting', setting, fields)}")

    def _load_entry_points(self) -> None:
        if self._entry_points_loaded:
            return
        if self._families is not None:
            self._families.all("operators")
        load_installed("operator", ENTRY_POINT_GROUP, self.add)
        self._entry_points_loaded = True


REGISTRY: Final = OperatorRegistry(FAMILIES)
"""The registry of this process."""


def is_specification(value: Any) -> bool:
    """Return whether a value is an operator as a record has it."""
    return isinstance(value, Mapping) and "operator" in value and _KEYS.issuperset(value)


def operator_from_settings(value: Any) -> Operator:
    """Return the operator that a setting names, describes or is."""
    if isinstance(value, Operator):
        return value
    if isinstance(value, type) and issubclass(value, Operator):
        return value()
    if isinstance(value, str):
        return REGISTRY.build(value)
    name, settings = name_and_settings(value)
    return REGISTRY.build(name, settings)


def name_and_settings(value: Any) -> tuple[str, dict[str, Any]]:
    """Return the parts of ``{"operator": name, "settings": {...}}``."""
    if not is_specification(value) or not isinstance(value["operator"], str):
        raise SettingsError(
            f"an operator is given as an object, a registered name or {{'operator': name, 'settings': {{...}}}},"
            f" got {shown(value, 80)}"
        )
    settings = value.get("settings") or {}
    if not isinstance(settings, Mapping):
        raise SettingsError(f"the settings of {value['operator']} are an object, got {shown(settings, 80)}")
    return value["operator"], {name: decode(setting) for name, setting in settings.items()}
