"""Find the templates of a module. Only a person who names a module runs its code; no record or report does."""

import importlib
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer


def find_template(namespace: Mapping[str, Any] | ModuleType) -> type[BaseAnswer]:
    """Return the one template of a module.

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
    templates = _templates_in(namespace)
    place = namespace.__name__ if isinstance(namespace, ModuleType) else "the namespace"
    if not templates:
        raise TemplateError(f"{place} has no template: a class derived from BaseAnswer")
    if len(templates) > 1:
        names = ", ".join(template.__name__ for template in templates)
        raise TemplateError(f"{place} has {len(templates)} templates and should have one: {names}")
    return templates[0]


def _templates_in(namespace: Mapping[str, Any] | ModuleType) -> list[type[BaseAnswer]]:
    """Return the templates of a module from which none of its other templates derives."""
    members = vars(namespace) if isinstance(namespace, ModuleType) else namespace
    templates: list[type[BaseAnswer]] = []
    for value in members.values():
        if isinstance(value, type) and issubclass(value, BaseAnswer) and value not in (BaseAnswer, *templates):
            templates.append(value)
    if isinstance(namespace, ModuleType):
        templates = [one for one in templates if one.__module__ == namespace.__name__] or templates
    derived_from = {base for template in templates for base in template.__mro__[1:]}
    return [template for template in templates if template not in derived_from]


def load_templates(name: str) -> list[type[BaseAnswer]]:
    """Import a module that a person named, and return its templates."""
    is_file = name.endswith(".py")
    path = Path(name)
    # As with "python FILE" and "python -m", modules beside the file or in the current folder can be imported.
    folder = str(path.resolve().parent if is_file else Path.cwd())
    sys.path.insert(0, folder)
    try:
        if is_file:
            module = ModuleType(path.stem)
            vars(module).update(runpy.run_path(name, run_name=path.stem))
        else:
            module = importlib.import_module(name)
    # A module that exits, perhaps with code 0, would look like a successful command.
    except (Exception, SystemExit) as error:
        raise TemplateError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return _templates_in(module) or [find_template(module)]
