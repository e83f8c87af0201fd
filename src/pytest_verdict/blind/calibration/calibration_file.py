"""The calibration of a judge as a file, and whether it is about the comparison at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.errors import RecordError

FORMAT: Final = 1
_BOUND: Final = ("judge", "rubric", "protocol")


def read_calibration(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a calibration."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT or not {"bound_to", "gate"} <= set(found):
        raise RecordError(f"{path} is no calibration; pytest-verdict calibrate writes one")
    return found


def bound_to(written: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a calibration is about: it says nothing of another judge, rubric or protocol."""
    protocol = {name: value for name, value in written["protocol"].items() if name != "leaks"}
    return {"judge": written["judge"], "rubric": digest(encode_text(written["rubric"])), "protocol": protocol}


def citation(calibration: Any, written: Mapping[str, Any]) -> dict[str, Any] | None:
    """Write how a record cites a calibration."""
    if calibration is None:
        return None
    found = dict(calibration) if isinstance(calibration, Mapping) else read_calibration(calibration)
    own = bound_to(written)
    changed = [name for name in _BOUND if found["bound_to"].get(name) != own[name]]
    return {
        "status": "stale" if changed else "fresh",
        "changed": changed,
        "sha256": digest(encode_text(found)),
        "gate": bool(found["gate"]["passed"]),
    }
