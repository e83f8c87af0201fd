"""Names of tests, the same with and without pytest-xdist."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def report_name(config: pytest.Config) -> Callable[[str], str]:
    """Make the function from the node id that pytest uses to the one the report uses.

    Args:
        config: The configuration of a controller, a worker or a session without xdist.

    Returns:
        A function that takes away the group which ``--dist=loadgroup`` appends to a node id.
    """
    distributed = hasattr(config, "workerinput") or config.pluginmanager.has_plugin("dsession")
    if distributed and config.getoption("dist", "") == "loadgroup":
        return _without_group
    return str


def runs_everywhere(config: pytest.Config) -> bool:
    """Say whether every worker runs every test (``--dist=each``)."""
    distributed = hasattr(config, "workerinput") or config.pluginmanager.has_plugin("dsession")
    return bool(distributed and config.getoption("dist", "") == "each")


def _without_group(nodeid: str) -> str:
    return nodeid.rpartition("@")[0] if "@" in nodeid.rpartition("::")[2] else nodeid
