"""Objects of the user by their dotted path, and JSON as text."""

import importlib
import json
from typing import Any

from pytest_verdict.errors import AdapterError


def import_object(path: str, kind: str, hint: str = "") -> Any:
    """Import what a dotted path names; the hint ends the message when there is no such module."""
    module_name, _, name = path.rpartition(":" if ":" in path else ".")
    if not module_name or not name:
        raise AdapterError(f"the {kind} {path!r} is no dotted path such as my_project.adapters.Sentiment")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if not f"{module_name}.".startswith(f"{error.name}."):
            raise
        reason = f"the {kind} {path!r} cannot be imported: there is no module {error.name!r}"
        ways = "with pytest, set pythonpath = . in the ini file or put a conftest.py beside the module"
        raise AdapterError(f"{reason}; {ways}{hint}") from None
    for part in name.split("."):
        if not hasattr(found, part):
            raise AdapterError(f"the {kind} {path!r} cannot be imported: {module_name} has no {part!r}")
        found = getattr(found, part)
    return found


def as_text(value: Any) -> str:
    """Write a value where text is needed: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(_with_text_keys(value), sort_keys=True, ensure_ascii=False, default=str)


def _with_text_keys(value: Any) -> Any:
    """Make keys of YAML text, as JSON has them: numbers and texts cannot be sorted together."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else as_text(key).strip('"'): _with_text_keys(inner)
            for key, inner in value.items()
        }
    return [*map(_with_text_keys, value)] if isinstance(value, list | tuple) else value
