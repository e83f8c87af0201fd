"""The JSON Schema of suite files, as it is published."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def suite_schema() -> dict[str, Any]:
    """Read the JSON Schema of a suite file, for editors and other tools."""
    found: dict[str, Any] = json.loads(files("pytest_verdict.suites").joinpath("suite.schema.json").read_text("utf-8"))
    return found


def made_schema() -> str:
    """Make the JSON Schema from the model; a test holds the published one to it."""
    from pytest_verdict.suites.model import SuiteFile

    return json.dumps(SuiteFile.model_json_schema(), indent=2, sort_keys=True) + "\n"
