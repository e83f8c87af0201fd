"""An operator made from a function."""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, Final

from pydantic import create_model

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.errors import ConfigurationError

# The arguments of `compare` that are not settings.
_TAKEN: Final = frozenset({"operator", "threshold", "name", "extract", "message"})


def operator_from_function(function: Callable[..., Any], name: str | None = None, version: int = 1) -> type[Operator]:
    """Make an operator class of a function."""
    label = str(name or getattr(function, "__name__", ""))
    parameters = _parameters(label, function)
    if [parameter.name for parameter in parameters[:2]] != ["expected", "observed"]:
        raise ConfigurationError(f"{label}: an operator function takes expected and observed first, then its settings")
    fields: dict[str, Any] = {parameter.name: _field(label, parameter) for parameter in parameters[2:]}
    cls = create_model(label, __base__=Operator, __module__=function.__module__, __doc__=function.__doc__, **fields)
    cls.__qualname__ = getattr(function, "__qualname__", label)
    cls.name = label
    cls.version = version

    def evaluate(self: Operator, expected: Any, observed: Any) -> Outcome:
        found = function(expected, observed, **{name: getattr(self, name) for name in fields})
        if isinstance(found, Outcome):
            return found
        return Outcome(float(found) if isinstance(found, bool) else found)

    evaluate.made_of = function  # type: ignore[attr-defined]  # where its source is
    cls.evaluate = evaluate  # type: ignore[method-assign]
    cls.__abstractmethods__ = frozenset()
    cls.__reduce__ = _reduce(function, label, version)  # type: ignore[method-assign, assignment]
    return cls


def _reduce(function: Callable[..., Any], name: str, version: int) -> Callable[[Operator], tuple[Any, ...]]:
    # The class was made here and cannot be found by its name; the function can, unless the class took its place.
    def reduce(operator: Operator) -> tuple[Any, ...]:
        settings = {setting: getattr(operator, setting) for setting in type(operator).model_fields}
        if getattr(sys.modules.get(function.__module__), function.__name__, None) is type(operator):
            return functools.partial(type(operator), **settings), ()
        return _rebuild, (function, name, version, settings)

    return reduce


def _parameters(label: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError) as error:
        reason = f"the annotations of an operator function must be readable: {error}"
        raise ConfigurationError(f"{label}: {reason}") from None


def _field(label: str, parameter: inspect.Parameter) -> tuple[Any, Any]:
    if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
        raise ConfigurationError(f"{label}: settings are named one by one, not {parameter}")
    if parameter.name in _TAKEN or hasattr(Operator, parameter.name):
        raise ConfigurationError(f"{label}: a setting cannot be called {parameter.name!r}, which has a meaning already")
    if parameter.annotation is parameter.empty:
        annotation = Any
    else:
        annotation = parameter.annotation
    return annotation, ... if parameter.default is parameter.empty else parameter.default


def _rebuild(function: Callable[..., Any], name: str, version: int, settings: dict[str, Any]) -> Operator:
    return operator_from_function(function, name, version)(**settings)
