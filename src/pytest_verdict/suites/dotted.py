"""Objects that a suite names by their dotted path."""

from __future__ import annotations

import importlib
from typing import Any

from pytest_verdict.errors import AdapterError


def load(path: str, kind: str) -> Any:
    """Import what a dotted path names."""
    module_name, _, name = path.rpartition(":" if ":" in path else ".")
    if not module_name or not name:
        raise AdapterError(f"the {kind} {path!r} is no dotted path such as my_project.adapters.Sentiment")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise AdapterError(
            f"the {kind} {path!r} cannot be imported: there is no module {error.name!r}; with pytest, set pythonpath = . in the"
            " ini file or put a conftest.py beside the module"
        ) from None
    for part in name.split("."):
        if not hasattr(found, part):
            raise AdapterError(f"the {kind} {path!r} cannot be imported: {module_name} has no {part!r}")
        found = getattr(found, part)
    return found
