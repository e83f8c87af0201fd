"""Operators from functions."""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, Final

from pydantic import create_model

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.errors import ConfigurationError

# Arguments of `compare` that are not settings.
_ARGUMENTS: Final = frozenset({"operator", "threshold", "name", "extract", "message"})


def operator_from_function(function: Callable[..., Any], name: str | None = None, version: int = 1) -> type[Operator]:
    """Return the operator class of a function."""
    label = str(name or getattr(function, "__name__", ""))
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError) as error:
        reason = f"the annotations of an operator function must be readable: {error}"
        raise ConfigurationError(f"{label}: {reason}") from None
    if [parameter.name for parameter in parameters[:2]] != ["expected", "observed"]:
        raise ConfigurationError(f"{label}: an operator function takes expected and observed first, then its settings")
    fields: dict[str, Any] = {parameter.name: _field(label, parameter) for parameter in parameters[2:]}
    cls = create_model(label, __base__=Operator, __module__=function.__module__, __doc__=function.__doc__, **fields)
    cls.__qualname__ = getattr(function, "__qualname__", label)
    cls.name = label
    cls.version = version

    def evaluate(self: Operator, expected: Any, observed: Any) -> Outcome:
        outcome = function(expected, observed, **{name: getattr(self, name) for name in fields})
        if isinstance(outcome, Outcome):
            return outcome
        return Outcome(float(outcome) if isinstance(outcome, bool) else outcome)

    evaluate.made_of = function  # type: ignore[attr-defined]  # it has the source
    cls.evaluate = evaluate  # type: ignore[method-assign]
    cls.__abstractmethods__ = frozenset()
    cls.__reduce__ = _reduce(function, label, version)  # type: ignore[method-assign, assignment]
    return cls


def _reduce(function: Callable[..., Any], name: str, version: int) -> Callable[[Operator], tuple[Any, ...]]:
    # Pickle finds the function by its name, but not this class, unless a decorator has put it in place of the function.
    def reduce(operator: Operator) -> tuple[Any, ...]:
        settings = {setting: getattr(operator, setting) for setting in type(operator).model_fields}
        if getattr(sys.modules.get(function.__module__), function.__name__, None) is type(operator):
            return functools.partial(type(operator), **settings), ()
        return _rebuild, (function, name, version, settings)

    return reduce


def _field(label: str, parameter: inspect.Parameter) -> tuple[Any, Any]:
    if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
        raise ConfigurationError(f"{label}: settings are named one by one, not {parameter}")
    if parameter.name in _ARGUMENTS or hasattr(Operator, parameter.name):
        raise ConfigurationError(f"{label}: a setting cannot be called {parameter.name!r}, which has a meaning already")
    annotation = Any if parameter.annotation is parameter.empty else parameter.annotation
    return annotation, ... if parameter.default is parameter.empty else parameter.default


def _rebuild(function: Callable[..., Any], name: str, version: int, settings: dict[str, Any]) -> Operator:
    return operator_from_function(function, name, version)(**settings)
