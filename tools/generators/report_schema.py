"""The member ``numbers`` of the JSON Schema of a report, made from the model that reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from pytest_verdict.report.reading import Numbers
from tools.generate import REPOSITORY

SCHEMA: Final = REPOSITORY / "src/pytest_verdict/report/report.schema.json"


def build_schema() -> dict[str, Any]:
    """Build the schema of the report with the present form of its numbers."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    numbers = Numbers.model_json_schema(ref_template="#/$defs/{model}", by_alias=True)
    definitions = {name: _closed(part) for name, part in numbers.pop("$defs").items()}
    owned = {name for name, part in schema["$defs"].items() if "description" not in part and "properties" in part}
    kept = {name: part for name, part in schema["$defs"].items() if name not in owned}
    schema["$defs"] = {**kept, **definitions}
    schema["properties"]["numbers"] = {**_closed(numbers), "minProperties": 1}
    return schema


def _closed(part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has no other members, without the titles that repeat their names."""
    properties = {
        name: {key: value for key, value in one.items() if key != "title"} for name, one in part["properties"].items()
    }
    named = {key: value for key, value in part.items() if key not in {"title", "default"}}
    return {**named, "properties": properties, "additionalProperties": False}


def files() -> dict[Path, str]:
    return {SCHEMA: json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n"}
