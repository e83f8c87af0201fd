"""Adapters: what runs an input and gives the output; one module per kind.

A kind stands before a colon, as in ``recorded: outputs.jsonl``; whatever has none is the dotted path of a Python object or
class with ``run(input, context=None)``, or of a function, sync or async.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pytest_verdict.core.families import FAMILIES, load_brought
from pytest_verdict.errors import AdapterError, SuiteError, allowed
from pytest_verdict.suites.loading import import_object
from pytest_verdict.suites.suite_model import HttpRequest


def open_adapter(written: str | HttpRequest, folder: Path) -> Any:
    """Make the adapter that a suite or an ini file names."""
    kind, colon, rest = written.partition(":") if isinstance(written, str) else ("http", ":", written.url)
    if not colon:
        return _python_adapter(kind)
    opened = load_brought("adapters", kind)
    if opened is None:
        kinds = allowed("kind", kind, FAMILIES.all("adapters"))
        return _python_adapter(str(written), hint=f". Nor is there a kind of adapter {kind!r}.{kinds}")
    if not rest.strip():
        raise SuiteError(f"the adapter {written!r} needs something after the colon")
    return opened(written, folder)


def _python_adapter(path: str, hint: str = "") -> Any:
    """Make an adapter of what a dotted path names; what comes back of a call may have to be awaited."""
    try:
        found = import_object(path, "adapter", hint)
        made = found() if inspect.isclass(found) else found
        function = getattr(made, "run", made)
    except AdapterError:
        raise
    except Exception as error:
        raise AdapterError(f"the adapter {path!r} cannot be made: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise AdapterError(f"the adapter {path!r} has no run(input, context=None) and is no function")
    return SimpleNamespace(run=_with_context(function))


def _with_context(function: Callable[..., Any]) -> Callable[[str, Mapping[str, Any]], Any]:
    """Give the context to a function that takes it by this name or has to have a second argument."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return lambda text, _context: function(text)
    if "context" in parameters:
        return lambda text, context: function(text, context=context)
    kinds = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    positional = [parameter for parameter in parameters.values() if parameter.kind in kinds]
    if len(positional) > 1 and positional[1].default is inspect.Parameter.empty:
        return function
    return lambda text, _context: function(text)
