"""The JSON Schema of a record and the tables of its reference, made from `pytest_verdict.core.record_members`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.record_members import COMPARISON, MEMBERS, PLACE, RECORD_FORMAT, START, Member
from tools.generate import REPOSITORY

SCHEMA: Final = REPOSITORY / "src/pytest_verdict/report/record.schema.json"
REFERENCE: Final = REPOSITORY / "docs/reference/report-formats.md"

EVIDENCE: Final = (
    "A value as JSON. What JSON has no form for is an object with the key $type, such as"
    ' {"$type": "decimal", "value": "1.10"}; the type repr is for a value that cannot be read back.'
)
TEXT: Final = (
    "Text. A text with the two halves of one character is an object with the code points of its parts; a redacted text may"
    " be an object of the type redacted."
)
SOURCES: Final = {
    "kind": (
        {},
        "What derives it again: `input_mapping`, `scenario` of a suite, or a kind of another package (hook `derivations`).",
    ),
    "mapping": ({"type": "object"}, "Where each input comes from, as it was written."),
    "document": (
        {"$ref": "#/$defs/evidence"},
        "The mapped document, without keys on no path; the whole one where a path matched nothing; the input of a scenario.",
    ),
    "steps": (
        {"type": "object"},
        "By input the value that each step read, and its `spans` in a text; for `first_of` the `alternative` and its `steps`.",
    ),
    "group": ({}, "The value of the input `group` of the mapping."),
    "presets": ({"type": "object"}, "By name the versions of presets that have changed since they were added."),
    "document_sha256": ({"type": "string"}, "The digest of a document whose JSON has more than 65,536 characters."),
    "document_size": ({"type": "integer"}, "The number of characters of such a document."),
    "steps_sha256": ({"type": "string"}, "The digest of steps whose JSON has more than 65,536 characters."),
    "steps_size": ({"type": "integer"}, "The number of characters of such steps."),
}


def build_schema() -> dict[str, Any]:
    """Build the JSON Schema of a record."""
    comparison = {
        "type": "object",
        "required": [member.name for member in COMPARISON if member.is_required],
        "properties": _properties(COMPARISON),
        "description": "What a record and the result of a part have in common.",
    }
    comparison["properties"]["sources"] |= {
        "required": ["kind"],
        "properties": {name: {**schema, "description": _plain(about)} for name, (schema, about) in SOURCES.items()},
    }
    tagged_text = {
        "type": "object",
        "required": ["$type", "value"],
        "additionalProperties": False,
        "properties": {"$type": {"enum": ["text", "redacted"]}, "value": {"type": ["array", "string"]}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"pytest-verdict record, format {RECORD_FORMAT}",
        "description": "One line of records.jsonl: one comparison, all that it consumed, and where it happened.",
        "$ref": "#/$defs/comparison",
        "required": [member.name for member in (*START, *PLACE)],
        "unevaluatedProperties": False,
        "properties": _properties((*START, *PLACE)),
        "$defs": {
            "evidence": {"description": EVIDENCE},
            "text": {"description": TEXT, "anyOf": [{"type": "string"}, tagged_text]},
            "comparison": comparison,
            "result": {"$ref": "#/$defs/comparison", "unevaluatedProperties": False},
        },
    }


def _properties(members: Iterable[Member]) -> dict[str, Any]:
    return {
        member.name: {**member.type.schema, **member.schema, "description": _plain(member.about)} for member in members
    }


def _plain(markdown: str) -> str:
    return markdown.replace("`", "")


def format_members() -> str:
    """Format the members of a record as a table of Markdown."""
    rows = [
        f"| `{member.name}` | {'' if member.is_required else '* '}{member.type.label} | {member.about} |"
        for member in MEMBERS
    ]
    return "\n".join(["| key | type | meaning |", "|---|---|---|", *rows])


def format_sources() -> str:
    """Format the members of `sources` as a table of Markdown."""
    rows = [f"| `{name}` | {about} |" for name, (_, about) in SOURCES.items()]
    return "\n".join(["| key | meaning |", "|---|---|", *rows])


def files() -> dict[Path, str]:
    """Return the text of each file that is made from the table, by its path."""
    reference = REFERENCE.read_text(encoding="utf-8")
    for name, table in {"members": format_members(), "sources": format_sources()}.items():
        mark = f"<!-- written by tools/generators/record_schema.py: {name} -->"
        block = re.compile(rf"{re.escape(mark)}.*?<!-- end -->", re.DOTALL)
        reference = block.sub(lambda _, mark=mark, table=table: f"{mark}\n\n{table}\n\n<!-- end -->", reference)
    return {SCHEMA: json.dumps(build_schema(), indent=2) + "\n", REFERENCE: reference}
