"""What the tests of the plugin share."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from harness import Harness

# Sessions inside a test forget the modules that they imported first; what is imported here stays one and the same.
importlib.import_module("pytest_verdict.comparator")
for package in ("operators", "pytest_plugin", "report", "core", "core.values"):
    home = importlib.import_module(f"pytest_verdict.{package}")
    for module in pkgutil.iter_modules(home.__path__, f"{home.__name__}."):
        importlib.import_module(module.name)


@pytest.fixture
def harness(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Harness:
    return Harness(pytester, monkeypatch)
