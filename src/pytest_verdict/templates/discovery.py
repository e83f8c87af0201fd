"""Finding the template in a module.

Only a person who names a module runs its code: nothing here is called with anything that a record or report says.
"""

import importlib
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer


def templates_in(namespace: Mapping[str, Any] | ModuleType) -> list[type[BaseAnswer]]:
    """Give the templates of a module: the classes from which no other one of it derives."""
    names = vars(namespace) if isinstance(namespace, ModuleType) else namespace
    found = {
        value: None
        for value in names.values()
        if isinstance(value, type) and issubclass(value, BaseAnswer) and value is not BaseAnswer
    }
    if isinstance(namespace, ModuleType):
        found = {cls: None for cls in found if cls.__module__ == namespace.__name__} or found
    return [cls for cls in found if not any(other is not cls and issubclass(other, cls) for other in found)]


def find_template(namespace: Mapping[str, Any] | ModuleType) -> type[BaseAnswer]:
    """Give the one template of a module.

    Args:
        namespace: A module, or its names.

    Returns:
        The template.

    Raises:
        TemplateError: There is none, or there are several.

    Example:
        >>> class Answer(BaseAnswer):
        ...     '''A template with regex checks only.'''
        >>> find_template({"Answer": Answer, "Alias": Answer}).__name__
        'Answer'
    """
    found = templates_in(namespace)
    where = namespace.__name__ if isinstance(namespace, ModuleType) else "the namespace"
    if not found:
        raise TemplateError(f"{where} has no template: a class derived from BaseAnswer")
    if len(found) > 1:
        names = ", ".join(cls.__name__ for cls in found)
        raise TemplateError(f"{where} has {len(found)} templates and should have one: {names}")
    return found[0]


def load_templates(name: str, *, only_one: bool = False) -> list[type[BaseAnswer]]:
    """Import the module that a person named, and give its templates."""
    module = _load_module(name)
    found = templates_in(module)
    return found if found and not only_one else [find_template(module)]


def _load_module(name: str) -> ModuleType:
    path = Path(name)
    is_file = name.endswith(".py")
    # As python does for a script and for -m: what lies beside a file, or in the current folder, can be imported.
    folder = str(path.resolve().parent if is_file else Path.cwd())
    sys.path.insert(0, folder)
    try:
        if is_file:
            module = ModuleType(path.stem)
            vars(module).update(runpy.run_path(name, run_name=path.stem))
        else:
            module = importlib.import_module(name)
    # A module that exits, perhaps with code 0, would look like a command that found nothing.
    except (Exception, SystemExit) as error:
        raise TemplateError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return module
