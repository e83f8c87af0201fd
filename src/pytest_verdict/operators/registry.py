"""The registry: which operators there are, and what a name stands for.

Names of the built-in family are known without importing any operator; a module is imported when its operator is first used.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from pytest_verdict.errors import ConfigurationError, SettingsError, UnknownOperatorError, allowed
from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.function import operator_from_function
from pytest_verdict.result import Outcome
from pytest_verdict.values.display import shown

ENTRY_POINT_GROUP: Final = "pytest_verdict.operators"

_HERE: Final = "pytest_verdict.operators."
_TEMPLATES: Final = "pytest_verdict.templates."
_BLIND: Final = "pytest_verdict.blind."
_TRAJECTORIES: Final = "pytest_verdict.trajectories."
_NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Registration:
    """What a name stands for.

    Args:
        name: The registered name.
        module: Where the class lives.
        class_name: The class.
        preset: Settings that the name implies.
    """

    name: str
    module: str
    class_name: str
    preset: Mapping[str, Any]

    def load(self) -> type[Operator]:
        """Import the class.

        Returns:
            The operator class.
        """
        found: type[Operator] = getattr(importlib.import_module(self.module), self.class_name)
        return found


def _built_in(name: str, module: str, class_name: str, **preset: Any) -> Registration:
    return Registration(name, _HERE + module, class_name, MappingProxyType(preset))


def _template(name: str, module: str, class_name: str) -> Registration:
    return Registration(name, _TEMPLATES + module, class_name, _NO_SETTINGS)


def _blind(name: str, module: str, class_name: str) -> Registration:
    return Registration(name, _BLIND + module, class_name, _NO_SETTINGS)


def _trajectory(name: str, module: str, class_name: str) -> Registration:
    return Registration(name, _TRAJECTORIES + module, class_name, _NO_SETTINGS)


BUILT_IN: Final = (
    _built_in("all_of", "aggregate", "AllOf"),
    _template("answer_template", "match", "TemplateMatch"),
    _built_in("any_of", "aggregate", "AnyOf"),
    _built_in("at_least_n", "aggregate", "AtLeastN"),
    _blind("blind_ballot", "ballot", "BlindBallot"),
    _blind("blind_preference", "preference", "BlindPreference"),
    _built_in("boolean", "category", "BooleanMatch"),
    _built_in("contains_all", "text", "ContainsAll"),
    _built_in("contains_any", "text", "ContainsAny"),
    _blind("criteria", "criteria", "CriteriaMatch"),
    _built_in("date_match", "date", "DateMatch"),
    _built_in("date_range", "date", "DateRange"),
    _built_in("date_tolerance", "date", "DateTolerance"),
    _built_in("delta", "number", "Delta"),
    _blind("derived", "derivation", "DerivedMatch"),
    _built_in("exact", "text", "ExactMatch", normalize=[]),
    _template("field_check", "field_check", "FieldCheck"),
    _built_in("json_canonical", "json_equality", "JsonCanonical"),
    _built_in("json_distance", "json_distance", "JsonDistance"),
    _built_in("json_schema", "json_schema", "JsonSchema"),
    _built_in("json_subset", "json_equality", "JsonSubset"),
    _built_in("literal", "category", "LiteralMatch"),
    _built_in("normalized_exact", "text", "ExactMatch", normalize=["lowercase", "strip", "collapse_whitespace"]),
    Registration("not_compared", "pytest_verdict.mapping.not_compared", "NotCompared", _NO_SETTINGS),
    _built_in("numeric_exact", "number", "NumericExact"),
    _built_in("numeric_maximum", "number", "NumericMaximum"),
    _built_in("numeric_minimum", "number", "NumericMinimum"),
    _built_in("numeric_range", "number", "NumericRange"),
    _built_in("numeric_tolerance", "number", "NumericTolerance"),
    _built_in("one_of", "category", "OneOf"),
    _built_in("ordered_match", "sequence", "OrderedMatch"),
    Registration("pass_rate", "pytest_verdict.suites.pass_rate", "PassRate", _NO_SETTINGS),
    _built_in("regex", "pattern", "RegexMatch", mode="fullmatch"),
    _template("regex_check", "regex_check", "RegexCheck"),
    Registration("scorer_verdict", "pytest_verdict.suites.scorer_verdict", "ScorerVerdict", _NO_SETTINGS),
    _built_in("semantic", "semantic", "SemanticMatch"),
    _built_in("set_containment", "sequence", "SetContainment"),
    _built_in("text_similarity", "similarity", "TextSimilarity"),
    _built_in("trace_contains", "trace", "TraceContains"),
    _built_in("trace_length", "trace", "TraceLength"),
    _built_in("trace_regex", "trace", "TraceRegex"),
    _trajectory("trajectory_any_order", "order", "TrajectoryAnyOrder"),
    _trajectory("trajectory_exact", "order", "TrajectoryExact"),
    _trajectory("trajectory_f1", "overlap", "TrajectoryF1"),
    _trajectory("trajectory_forbidden", "limits", "TrajectoryForbidden"),
    _trajectory("trajectory_in_order", "order", "TrajectoryInOrder"),
    _trajectory("trajectory_max_calls", "limits", "TrajectoryMaxCalls"),
    _trajectory("trajectory_only_from", "limits", "TrajectoryOnlyFrom"),
    _trajectory("trajectory_precision", "overlap", "TrajectoryPrecision"),
    _trajectory("trajectory_recall", "overlap", "TrajectoryRecall"),
    _trajectory("trajectory_similarity", "similarity", "TrajectorySimilarity"),
    _trajectory("trajectory_single_tool_use", "limits", "TrajectorySingleToolUse"),
    _trajectory("trajectory_steps", "steps", "TrajectorySteps"),
    _built_in("weighted", "aggregate", "Weighted"),
)


class OperatorRegistry:
    """Operators by name.

    Args:
        registrations: The operators it starts with.

    Example:
        >>> registry = OperatorRegistry()
        >>> @registry.add
        ... def same_length(expected, observed):
        ...     return len(expected) == len(observed)
        >>> registry.build("same_length").evaluate("abc", "xyz").score
        1.0
    """

    def __init__(self, registrations: tuple[Registration, ...] = BUILT_IN) -> None:
        self._registrations = {registration.name: registration for registration in registrations}
        self._classes: dict[str, type[Operator]] = {}
        self.defaults: dict[str, Operator] = {}
        self._entry_points_loaded = False

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
        self._refuse_taken(label, cls)
        self._classes[label] = cls
        return cls

    def _refuse_taken(self, name: str, cls: type[Operator]) -> None:
        known = self._classes.get(name)
        same = known is not None and (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
        if same:
            self.defaults.pop(name, None)
        elif known is not None or name in self._registrations:
            raise ConfigurationError(f"the name {name!r} is already registered for another operator")

    def names(self) -> list[str]:
        """Give the registered names.

        Returns:
            The names, sorted.
        """
        self._load_entry_points()
        return sorted({*self._registrations, *self._classes})

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self._registrations or name in self._classes or name in self.names()

    def preset(self, name: str) -> Mapping[str, Any]:
        """Give the settings that a name implies.

        Args:
            name: A registered name.

        Returns:
            Settings by name; empty for most operators.
        """
        registration = self._registrations.get(name)
        return registration.preset if registration else _NO_SETTINGS

    def find(self, name: str) -> type[Operator]:
        """Find the class behind a name.

        Args:
            name: A registered name.

        Returns:
            The operator class.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
        """
        found = self._classes.get(name)
        if found is None and name in self._registrations:
            found = self._classes[name] = self._registrations[name].load()
        if found is None:
            self._load_entry_points()
            found = self._classes.get(name)
        if found is None:
            raise UnknownOperatorError(name, self.names())
        return found

    def build(self, name: str, settings: Mapping[str, Any] = _NO_SETTINGS) -> Operator:
        """Make an operator from its name and settings.

        Args:
            name: A registered name.
            settings: Settings by name; what a name implies and the defaults fill the rest.

        Returns:
            The operator; one and the same object for a name without settings.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
            SettingsError: A setting is unknown, missing or has a value that is not allowed.
        """
        if settings:
            return self._configured(name, settings)
        known = self.defaults.get(name)
        if known is None:
            known = self.defaults[name] = self.find(name)(**self.preset(name))
        return known

    def refuse_unknown_settings(self, name: str, settings: Iterable[str]) -> None:
        """Refuse names of settings that an operator does not have, before their values are known.

        Args:
            name: A registered name.
            settings: Names of settings.

        Raises:
            UnknownOperatorError: No operator of that name is registered.
            SettingsError: A setting is unknown.
        """
        known = self.find(name).model_fields
        for setting in settings:
            if setting not in known:
                raise SettingsError(f"{name}: there is no setting {setting!r}.{allowed('setting', setting, known)}")

    def _configured(self, name: str, settings: Mapping[str, Any]) -> Operator:
        operator = self.find(name)
        try:
            return operator(**{**self.preset(name), **settings})
        except SettingsError as error:
            # The user wrote the name, which may be one of several of the same class.
            raise SettingsError(f"{name}:{str(error).removeprefix(f'{operator.name}:')}") from None

    def _load_entry_points(self) -> None:
        if self._entry_points_loaded:
            return
        from importlib.metadata import entry_points

        for entry_point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
            try:
                self.add(entry_point.load())
            except Exception as error:
                place = f"{entry_point.name} = {entry_point.value}"
                raise ConfigurationError(
                    f"the operator {place} ({ENTRY_POINT_GROUP}) cannot be loaded: {error}"
                ) from error
        self._entry_points_loaded = True


REGISTRY: Final = OperatorRegistry()
"""The registry of this process."""
