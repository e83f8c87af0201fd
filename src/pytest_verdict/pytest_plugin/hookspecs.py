"""The hooks that the plugin adds to pytest."""

import pytest

from pytest_verdict.pytest_plugin.plugin import OperatorRegistrar


@pytest.hookspec(historic=True)
def pytest_verdict_operators(registry: OperatorRegistrar) -> None:
    """Register operators with ``registry.add(operator)``, so that tests and replay find them by name.

    Called once for every plugin and conftest.py, also for those that are loaded late. A conftest.py that must also work with
    ``-p no:verdict`` marks its implementation with ``@pytest.hookimpl(optionalhook=True)``.
    """
