"""What the tests of the plugin share."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from harness import FEW_PLUGINS, HIDDEN_VARIABLES, Harness

import pytest_verdict

# Sessions inside a test forget the modules that they imported first; what is imported here stays one and the same.
for module in pkgutil.walk_packages(pytest_verdict.__path__, "pytest_verdict."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)


@pytest.fixture
def harness(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Harness:
    for name in HIDDEN_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in FEW_PLUGINS.items():
        monkeypatch.setenv(name, value)
    return Harness(pytester)
