"""Names of tests, the same with and without pytest-xdist."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import pytest

EVERYWHERE: Final = "verdict_runs_everywhere"
"""Key of what workers learn from the controller: whether every worker runs every test."""

REDACTED: Final = "verdict_redact"
"""Key of what workers learn from the controller: the patterns of what must not be written."""


def report_name(config: pytest.Config, redaction: Callable[[str], str] | None) -> Callable[[str], str]:
    """Return the function from pytest's node id to the name in the report."""
    grouped = _distribution(config) == "loadgroup" or bool(getattr(config.option, "loadgroup", False))
    if redaction is None:
        return _without_group if grouped else str
    return lambda nodeid: _redacted(_without_group(nodeid) if grouped else nodeid, redaction)


def distinct_names(names: Sequence[str]) -> list[str]:
    """Number the names that several tests have."""
    if len(set(names)) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def runs_everywhere(config: pytest.Config) -> bool:
    """Whether every worker runs every test (``--dist=each``)."""
    given = getattr(config, "workerinput", {}).get(EVERYWHERE)
    return bool(given) if given is not None else _distribution(config) == "each"


def _distribution(config: pytest.Config) -> str:
    return str(config.getoption("dist", "no")) if config.pluginmanager.has_plugin("dsession") else "no"


def _without_group(nodeid: str) -> str:
    at = nodeid.rfind("@")
    # The rule of xdist: parameters and folders may contain the sign as well.
    return nodeid[:at] if at > max(nodeid.rfind("]"), nodeid.rfind("::")) else nodeid


def _redacted(nodeid: str, redaction: Callable[[str], str]) -> str:
    name = redaction(nodeid)
    # Tests that differ in nothing else must not become one.
    return name if name == nodeid else f"{name}#{hashlib.sha256(nodeid.encode('utf-8', 'replace')).hexdigest()[:8]}"
