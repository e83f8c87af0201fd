"""Adapters in Python: an object or class with ``run(input, context=None)``, or a function, sync or async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pytest_verdict.errors import AdapterError
from pytest_verdict.suites.loading import import_object


class PythonAdapter:
    """Calls what a dotted path names."""

    def __init__(self, path: str, hint: str = "") -> None:
        found = import_object(path, "adapter", hint)
        if inspect.isclass(found):
            found = found()
        function = getattr(found, "run", found)
        if not callable(function):
            raise AdapterError(f"the adapter {path!r} has no run(input, context=None) and is no function")
        self._call = _with_context(function)

    def run(self, text: str, context: Mapping[str, Any]) -> Any:
        """Run one input; what comes back may have to be awaited."""
        return self._call(text, context)


def _with_context(function: Callable[..., Any]) -> Callable[[str, Mapping[str, Any]], Any]:
    """Give the context to a function that takes it by this name or has to have a second argument."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return lambda text, _context: function(text)
    if "context" in parameters:
        return lambda text, context: function(text, context=context)
    positional = [
        parameter
        for parameter in parameters.values()
        if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
    ]
    if len(positional) > 1 and positional[1].default is inspect.Parameter.empty:
        return function
    return lambda text, _context: function(text)
