"""Fixtures of the tests of the plugin."""

from __future__ import annotations

import pytest
from harness import Harness, import_for_good

import_for_good("operators", "pytest_plugin", "report", "core")


@pytest.fixture
def harness(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Harness:
    return Harness(pytester, monkeypatch)
