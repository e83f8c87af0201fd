"""Adapters in Python: an object or class with ``run(input, context=None)``, or a function, sync or async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pytest_verdict.errors import AdapterError
from pytest_verdict.suites.dotted import load


class PythonAdapter:
    """Calls a function of the user."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._takes_context = _takes_context(function)

    def run(self, text: str, context: Mapping[str, Any]) -> Any:
        """Run one input; what comes back may have to be awaited."""
        if self._takes_context is None:
            return self._function(text)
        return (
            self._function(text, **{self._takes_context: context})
            if self._takes_context
            else self._function(text, context)
        )


def open_adapter(path: str) -> PythonAdapter:
    """Find an adapter by its dotted path."""
    found = load(path, "adapter")
    if inspect.isclass(found):
        found = found()
    function = getattr(found, "run", found)
    if not callable(function):
        raise AdapterError(f"the adapter {path!r} has no run(input, context=None) and is no function")
    return PythonAdapter(function)


def _takes_context(function: Callable[..., Any]) -> str | None:
    """Say how the context is given: None not at all, empty as the second argument, otherwise by this name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(parameter.name == "context" for parameter in parameters):
        return "context"
    positional = [
        parameter
        for parameter in parameters
        if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
    ]
    return "" if len(positional) > 1 and positional[1].default is inspect.Parameter.empty else None
