"""What the tests of blind comparisons share."""

from __future__ import annotations

import pytest

from pytest_verdict.surroundings import SURROUNDINGS


@pytest.fixture
def recorded(monkeypatch):
    """Collect what is recorded."""
    results = []
    monkeypatch.setattr(SURROUNDINGS, "observer", results.append)
    return results
