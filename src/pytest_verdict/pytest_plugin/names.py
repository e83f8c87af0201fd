"""Names of tests, the same with and without pytest-xdist."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import pytest

EVERYWHERE: Final = "verdict_runs_everywhere"
"""What the controller tells its workers: whether every worker runs every test. xdist itself hides it from them."""

REDACTED: Final = "verdict_redact"
"""What the controller tells its workers: the patterns of what must not be written."""


def report_name(config: pytest.Config, redaction: Callable[[str], str] | None) -> Callable[[str], str]:
    """Make the function from the node id that pytest uses to the one the report uses."""
    grouped = _distribution(config) == "loadgroup" or bool(getattr(config.option, "loadgroup", False))
    if redaction is None:
        return _without_group if grouped else str
    return lambda nodeid: _redacted(_without_group(nodeid) if grouped else nodeid, redaction)


def distinct_names(names: Sequence[str]) -> list[str]:
    """Give every collected test a name of its own."""
    if len(set(names)) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def runs_everywhere(config: pytest.Config) -> bool:
    """Say whether every worker runs every test (``--dist=each``)."""
    given = getattr(config, "workerinput", {}).get(EVERYWHERE)
    return bool(given) if given is not None else _distribution(config) == "each"


def _distribution(config: pytest.Config) -> str:
    return str(config.getoption("dist", "no")) if config.pluginmanager.has_plugin("dsession") else "no"


def _without_group(nodeid: str) -> str:
    at = nodeid.rfind("@")
    # The same rule as in xdist: a parameter may hold the sign as well, and so may a folder.
    return nodeid[:at] if at > max(nodeid.rfind("]"), nodeid.rfind("::")) else nodeid


def _redacted(nodeid: str, redaction: Callable[[str], str]) -> str:
    name = redaction(nodeid)
    # Two tests that differ in nothing else must not become one.
    return name if name == nodeid else f"{name}#{hashlib.sha256(nodeid.encode('utf-8', 'replace')).hexdigest()[:8]}"
