"""The calibration of a judge as a file, and whether it is about the comparison at hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from pytest_verdict.blind.files import read_json
from pytest_verdict.blind.request import fixed_wording
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.errors import RecordError, SettingsError

FORMAT: Literal[1] = 1


class _Gate(StrictModel):
    model_config = ConfigDict(extra="ignore")
    subject: ClassVar[str] = "the gate"

    passed: bool


class _Calibration(StrictModel):
    model_config = ConfigDict(extra="ignore")
    subject: ClassVar[str] = "a calibration"

    format: Literal[1]
    bound_to: dict[str, Any]
    gate: _Gate


def bound_to(written: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a calibration is about: it says nothing of another judge, rubric or protocol, or of one that is told otherwise."""
    protocol = {name: value for name, value in written["protocol"].items() if name != "leaks"}
    return {
        "judge": written["judge"],
        # The rubric has a digest of its own.
        "instructions": digest(encode_text(fixed_wording(DEFAULT_RUBRIC))),
        "rubric": digest(encode_text(written["rubric"])),
        "protocol": protocol,
    }


def citation(
    calibration: Mapping[str, Any] | str | os.PathLike[str] | None, written: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Write how a record cites a calibration."""
    if calibration is None:
        return None
    given, place = (
        (calibration, "calibration")
        if isinstance(calibration, Mapping)
        else (read_json(Path(calibration)), calibration)
    )
    try:
        found = _Calibration.read(given, place)
    except SettingsError as error:
        raise RecordError(f"{error}; pytest-verdict calibrate writes one") from None
    changed = [name for name, value in bound_to(written).items() if found.bound_to.get(name) != value]
    return {
        "status": "stale" if changed else "fresh",
        "changed": changed,
        "sha256": digest(encode_text(dict(given))),
        "gate": found.gate.passed,
    }
