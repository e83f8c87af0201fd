"""Names of tests, the same with and without pytest-xdist, and what a test is besides: its markers and its parameters."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pytest

EVERYWHERE: Final = "verdict_runs_everywhere"
"""Key of what workers learn from the controller: whether every worker runs every test."""

REDACTED: Final = "verdict_redact"
"""Key of what workers learn from the controller: the patterns of what must not be written."""

_LONGEST: Final = 200
_LARGEST: Final = 1 << 53


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
    if given is not None:
        return bool(given)
    return _distribution(config) == "each"


def _distribution(config: pytest.Config) -> str:
    if config.pluginmanager.has_plugin("dsession"):
        return str(config.getoption("dist", "no"))
    return "no"


def _without_group(nodeid: str) -> str:
    at = nodeid.rfind("@")
    # The rule of xdist: parameters and folders may contain the sign as well.
    if at > max(nodeid.rfind("]"), nodeid.rfind("::")):
        return nodeid[:at]
    return nodeid


def _redacted(nodeid: str, redaction: Callable[[str], str]) -> str:
    name = redaction(nodeid)
    # Tests that differ in nothing else must not become one.
    if name == nodeid:
        return name
    return f"{name}#{hashlib.sha256(nodeid.encode('utf-8', 'replace')).hexdigest()[:8]}"


def traits_of(item: pytest.Item, written: Callable[[str], str], *, with_markers: bool) -> dict[str, Any] | None:
    """Give the markers of a test where they are wanted, and its plain parameters."""
    traits: dict[str, Any] = {}
    if with_markers:
        traits["markers"] = sorted({written(marker.name) for marker in item.iter_markers()})
    if callspec := getattr(item, "callspec", None):
        traits["parameters"] = _plain(callspec.params, written)
    return {name: trait for name, trait in traits.items() if trait} or None


def _plain(parameters: Mapping[str, object], written: Callable[[str], str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        kind = type(value)
        if kind is str:
            # pytest-xdist sends no halves of characters.
            text = written(str(value)).encode("utf-8", "backslashreplace").decode()
            found[name] = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        elif kind is bool or (kind in {int, float} and abs(value) < _LARGEST):  # type: ignore[arg-type]
            found[name] = value if written(str(value)) == str(value) else written(str(value))
    return found
