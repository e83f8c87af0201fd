"""The JSON Schema of suite files, made from the model that reads them."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_verdict.suites.suite_model import suite_schema
from tools.generate import REPOSITORY

SCHEMA = REPOSITORY / "tests" / "suites" / "suite.schema.json"


def files() -> dict[Path, str]:
    return {SCHEMA: f"{json.dumps(suite_schema(), indent=2)}\n"}
