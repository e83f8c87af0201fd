"""What the tests of this folder share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory):
    """What mypy knows of pydantic and pytest takes it ten seconds to learn."""
    return tmp_path_factory.mktemp("mypy")
