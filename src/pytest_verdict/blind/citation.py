"""How a comparison cites a calibration: its digest, its gate, and whether it still applies to judge, rubric and protocol."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pytest_verdict.blind.files import read_json
from pytest_verdict.blind.request import build_fixed_wording
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.errors import RecordError, SettingsError


class _Gate(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "the gate"

    passed: bool


class _Calibration(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a calibration"

    format: Literal[1]
    bound_to: dict[str, Any]
    gate: _Gate


def describe_binding(setup: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a comparison's setup for which a calibration is valid."""
    protocol = {name: value for name, value in setup["protocol"].items() if name != "leaks"}
    return {
        "judge": setup["judge"],
        # Use the default rubric here, because the rubric has a digest of its own.
        "instructions": content_digest(build_fixed_wording(DEFAULT_RUBRIC)),
        "rubric": content_digest(setup["rubric"]),
        "protocol": protocol,
    }


def cite_calibration(
    source: Mapping[str, Any] | str | os.PathLike[str] | None, setup: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the citation of a calibration for the record of a comparison; None without a calibration."""
    if source is None:
        return None
    if isinstance(source, Mapping):
        values = source
        place: object = "calibration"
    else:
        values = read_json(Path(source))
        place = source
    try:
        calibration = _Calibration.read(values, place)
    except SettingsError as error:
        raise RecordError(f"{error}; pytest-verdict calibrate writes one") from None

    binding = describe_binding(setup)
    changed = [name for name, value in binding.items() if calibration.bound_to.get(name) != value]
    return {
        "status": "stale" if changed else "fresh",
        "changed": changed,
        "sha256": content_digest(dict(values)),
        "gate": calibration.gate.passed,
    }
