"""Names of tests, the same with and without pytest-xdist, and the traits of a test: its markers and its parameters."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from pytest_verdict.core.values.redaction import Redaction

_LONGEST: Final = 200
_LARGEST: Final = 1 << 53


def report_name(config: pytest.Config, redaction: Redaction | None) -> Callable[[str], str]:
    """Return the function from pytest's node id to the name in the report."""
    is_distributed = config.pluginmanager.has_plugin("dsession") and config.getoption("dist", "no") == "loadgroup"
    is_grouped = is_distributed or bool(getattr(config.option, "loadgroup", False))
    if redaction is None and not is_grouped:
        return str

    def name_of(nodeid: str) -> str:
        if is_grouped:
            at = nodeid.rfind("@")
            # The rule of xdist: parameters and folders may contain the sign as well.
            if at > max(nodeid.rfind("]"), nodeid.rfind("::")):
                nodeid = nodeid[:at]
        name = redaction(nodeid) if redaction is not None else nodeid
        if name == nodeid:
            return name
        # A digest distinguishes tests whose names differ in the secret alone.
        return f"{name}#{hashlib.sha256(nodeid.encode('utf-8', 'replace')).hexdigest()[:8]}"

    return name_of


def distinct_names(names: Sequence[str]) -> list[str]:
    """Number the names that several tests have."""
    if len(set(names)) == len(names):
        return list(names)
    counts: Counter[str] = Counter()
    distinct = []
    for name in names:
        counts[name] += 1
        distinct.append(name if counts[name] == 1 else f"{name} #{counts[name]}")
    return distinct


def traits_of(item: pytest.Item, redaction: Redaction) -> dict[str, Any] | None:
    """Return the markers of a test and its plain parameters; None without both."""
    traits: dict[str, Any] = {"markers": sorted({redaction(marker.name) for marker in item.iter_markers()})}
    parameters: dict[str, Any] = {}
    if callspec := getattr(item, "callspec", None):
        for name, value in callspec.params.items():
            kind = type(value)
            if kind is str:
                # pytest-xdist sends no lone surrogates.
                text = redaction(str(value)).encode("utf-8", "backslashreplace").decode()
                parameters[name] = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            elif kind is bool or (kind in {int, float} and abs(value) < _LARGEST):
                text = redaction(str(value))
                parameters[name] = value if text == str(value) else text
    traits["parameters"] = parameters
    return {name: trait for name, trait in traits.items() if trait} or None
