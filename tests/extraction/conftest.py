"""Fixtures of the tests of extraction: sessions in a folder of their own."""

from __future__ import annotations

from session_fixtures import harness, import_for_good

__all__ = ["harness"]

import_for_good("core", "operators", "pytest_plugin", "report", "datasets", "extraction", "suites")
