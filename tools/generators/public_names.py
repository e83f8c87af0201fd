"""The public names of the packages that have operators: ``__init__.pyi``, made from their ``plugin.py``.

A new operator appears as soon as ``plugin.py`` has its line. Other public names, such as functions, are written by hand into the
same file and kept.
"""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from pathlib import Path

import pytest_verdict
from pytest_verdict import Operator
from pytest_verdict.core.families import FAMILIES

PACKAGES = ("operators", "trajectories")
WIDTH = 120


def files() -> dict[Path, str]:
    root = Path(pytest_verdict.__file__).parent
    return {root / package / "__init__.pyi": stub(package, root / package / "__init__.pyi") for package in PACKAGES}


def stub(package: str, path: Path) -> str:
    """Build the stub from the registered operators and the other names of the present stub."""
    prefix = f"pytest_verdict.{package}."
    names: dict[str, set[str]] = defaultdict(set)
    for place in FAMILIES.own("operators").values():
        module, _, name = place.partition(":")
        if module.startswith(prefix):
            names[module.removeprefix(prefix)].add(name)
    for module, name in _names_in(path):
        if not _is_operator(prefix + module, name):
            names[module].add(name)
    return "".join(_import_line(module, names[module]) for module in sorted(names))


def _names_in(path: Path) -> list[tuple[str, str]]:
    statements = ast.parse(path.read_text(encoding="utf-8")).body
    imports = [statement for statement in statements if isinstance(statement, ast.ImportFrom)]
    return [(statement.module or "", alias.name) for statement in imports for alias in statement.names]


def _is_operator(module: str, name: str) -> bool:
    """Return whether the name is an operator, or one that no longer exists."""
    value = getattr(importlib.import_module(module), name, None)
    return value is None or (isinstance(value, type) and issubclass(value, Operator))


def _import_line(module: str, names: set[str]) -> str:
    # Classes before functions, as ruff sorts imports.
    ordered = [f"{name} as {name}" for name in sorted(names, key=lambda name: (name[0].islower(), name))]
    line = f"from .{module} import {', '.join(ordered)}\n"
    if len(line) <= WIDTH + 1:
        return line
    return f"from .{module} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")\n"
