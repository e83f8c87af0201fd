"""Adapters: they run an input and return its output; one module for each kind.

The kind is the word before a colon, as in ``recorded: outputs.jsonl``. A text without a kind is the dotted path of a Python
object or class with ``run(input, context=None)``, or of a function, sync or async.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pytest_verdict.core.families import FAMILIES, load_brought
from pytest_verdict.errors import AdapterError, SuiteError, allowed
from pytest_verdict.suites.suite_model import HttpRequest


def open_adapter(name: str | HttpRequest, folder: Path) -> Any:
    """Open the adapter that a suite or an ini file names; its paths start from a folder."""
    text = name if isinstance(name, str) else name.url
    kind, colon, rest = text.partition(":")
    if not colon:
        return _open_python_adapter(kind)
    factory = load_brought("adapters", kind)
    if factory is None:
        kinds = allowed("kind", kind, FAMILIES.all("adapters"))
        return _open_python_adapter(str(name), hint=f". Nor is there a kind of adapter {kind!r}.{kinds}")
    if not rest.strip():
        raise SuiteError(f"the adapter {name!r} needs something after the colon")
    return factory(name, folder)


def _open_python_adapter(path: str, hint: str = "") -> Any:
    try:
        adapter = import_object(path, "adapter", hint)
        instance = adapter() if inspect.isclass(adapter) else adapter
        function = getattr(instance, "run", instance)
    except AdapterError:
        raise
    except Exception as error:
        raise AdapterError(f"the adapter {path!r} cannot be made: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise AdapterError(f"the adapter {path!r} has no run(input, context=None) and is no function")
    return SimpleNamespace(run=_with_context(function))


def _with_context(function: Callable[..., Any]) -> Callable[[str, Mapping[str, Any]], Any]:
    """Return a function of input and context; the context is passed on if the function has a parameter for it."""
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


def import_object(path: str, kind: str, hint: str = "") -> Any:
    """Import the object at a dotted path; the hint ends the message when there is no such module."""
    module_name, _, name = path.rpartition(":" if ":" in path else ".")
    if not module_name or not name:
        raise AdapterError(f"the {kind} {path!r} is no dotted path such as my_project.adapters.Sentiment")
    try:
        value: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if not f"{module_name}.".startswith(f"{error.name}."):
            raise
        reason = f"the {kind} {path!r} cannot be imported: there is no module {error.name!r}"
        ways = "with pytest, set pythonpath = . in the ini file or put a conftest.py beside the module"
        raise AdapterError(f"{reason}; {ways}{hint}") from None
    for part in name.split("."):
        if not hasattr(value, part):
            raise AdapterError(f"the {kind} {path!r} cannot be imported: {module_name} has no {part!r}")
        value = getattr(value, part)
    return value
