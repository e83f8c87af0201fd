"""What the tests of the plugin share."""

from __future__ import annotations

import pytest
from harness import HIDDEN_VARIABLES, Harness


@pytest.fixture
def harness(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Harness:
    for name in HIDDEN_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return Harness(pytester)
