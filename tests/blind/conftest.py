"""What the tests of blind comparisons share."""

from __future__ import annotations

import pytest

from pytest_verdict.session import SESSION


@pytest.fixture
def recorded(monkeypatch):
    """Collect what is recorded."""
    results = []
    monkeypatch.setattr(SESSION, "observer", lambda result: results.append(result) or result)
    return results
