"""``pytest-verdict operators``: all operators, or one with its settings.

Operators of other packages are found through the entry-point group pytest_verdict.operators.

exit codes:
  0  listed
  2  there is no operator of that name, or one of another package cannot be loaded
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_verdict.console import complain, say, say_json

if TYPE_CHECKING:
    from pytest_verdict.core.operator import Operator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the operator to describe; all are listed unless given")
    parser.add_argument("--json", action="store_true", help="write JSON, with the JSON Schema of the settings")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.core.registry import REGISTRY

    asked = arguments.name
    if asked is None:
        found = _loaded(REGISTRY.public_names())
    else:
        found = {asked: REGISTRY.find(asked)}
    if arguments.json:
        say_json([_as_json(name, cls) for name, cls in found.items()])
        return 0
    say(*(_described(asked, found[asked]) if asked else _listed(found)))
    return 0


def _loaded(names: list[str]) -> dict[str, type[Operator]]:
    from pytest_verdict.core.registry import REGISTRY

    found = {}
    for name in names:
        try:
            found[name] = REGISTRY.find(name)
        except ImportError as error:
            complain(f"{name} is left out, as it cannot be imported: {error}")
    return found


def _listed(found: dict[str, type[Operator]]) -> Iterator[str]:
    kinds = sorted({cls.kind for cls in found.values()})
    width = max(len(f"{name} ({cls.__name__})") for name, cls in found.items())
    for kind in kinds:
        yield kind
        for name, cls in found.items():
            if cls.kind == kind:
                yield f"  {f'{name} ({cls.__name__})':{width}}  {first_sentence(cls)}"


def _described(name: str, cls: type[Operator]) -> Iterator[str]:
    yield f"{name} ({cls.__name__}), kind {cls.kind}, version {cls.version}"
    yield ""
    yield from inspect.cleandoc(cls.__doc__ or "").splitlines()
    schema = _schema(cls)
    yield ""
    yield "settings:" if schema.get("properties") else "settings: none"
    for setting, described in schema.get("properties", {}).items():
        required = setting in schema.get("required", [])
        if required:
            default = "required"
        else:
            default = f"default {json.dumps(described.get('default'))}"
        yield f"  {setting}: {type_text(described, schema)}, {default}"


def _as_json(name: str, cls: type[Operator]) -> dict[str, Any]:
    return {
        "name": name,
        "class": cls.__name__,
        "kind": cls.kind,
        "version": cls.version,
        "summary": first_sentence(cls),
        "documentation": inspect.cleandoc(cls.__doc__ or ""),
        "settings": _schema(cls),
    }


def first_sentence(cls: type) -> str:
    """Return the first sentence of a class's docstring."""
    paragraph = " ".join(inspect.cleandoc(cls.__doc__ or "").split("\n\n", 1)[0].split())
    return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]


def _schema(cls: type[Operator]) -> dict[str, Any]:
    from pydantic.json_schema import GenerateJsonSchema

    class Lenient(GenerateJsonSchema):
        """Allows anything for a setting that JSON Schema cannot describe, such as a function."""

        ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as in the base class

        def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
            del schema, error_info
            return {}

    schema = cls.model_json_schema(schema_generator=Lenient)
    # The docstring has a member of its own.
    return {key: value for key, value in schema.items() if key != "description"}


def type_text(described: dict[str, Any], schema: dict[str, Any]) -> str:
    """Describe in a few words what a JSON Schema allows."""
    if "$ref" in described:
        name = described["$ref"].rpartition("/")[2]
        target = schema.get("$defs", {}).get(name, {})
        if target.get("type") == "object":
            return str(name)
        return type_text(target, schema)
    choices = described.get("anyOf") or described.get("oneOf")
    if choices:
        return " | ".join(dict.fromkeys(type_text(choice, schema) for choice in choices))
    values = described.get("enum", [described["const"]] if "const" in described else [])
    if values:
        return " | ".join(json.dumps(value) for value in values)
    if described.get("type") == "array":
        return f"array of {type_text(described.get('items', {}), schema)}"
    return str(described.get("type", "any"))
