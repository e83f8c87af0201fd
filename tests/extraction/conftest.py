"""Fixtures of the tests of extraction: sessions in a folder of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness, import_for_good

import_for_good("core", "operators", "pytest_plugin", "report", "datasets", "extraction", "suites")


@pytest.fixture
def harness(pytester, monkeypatch):
    return Harness(pytester, monkeypatch)
