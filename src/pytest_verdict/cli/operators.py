"""``pytest-verdict operators``: list all operators, or describe one with its settings.

Operators of other packages are listed through the entry-point group pytest_verdict.operators.

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
    parser.add_argument("name", metavar="NAME", nargs="?", help="the operator to describe (default: list all)")
    parser.add_argument("--json", action="store_true", help="write JSON, with the JSON Schema of the settings")


def run(arguments: argparse.Namespace) -> int:
    from pytest_verdict.core.registry import REGISTRY

    operators: dict[str, type[Operator]] = {}
    if arguments.name is not None:
        operators[arguments.name] = REGISTRY.find(arguments.name)
    else:
        for name in REGISTRY.public_names():
            try:
                operators[name] = REGISTRY.find(name)
            except ImportError as error:
                complain(f"{name} is skipped, because it cannot be imported: {error}")
    if arguments.json:
        say_json([_build_document(name, cls) for name, cls in operators.items()])
    elif arguments.name is not None:
        say(*_describe(arguments.name, operators[arguments.name]))
    else:
        say(*_list_by_kind(operators))
    return 0


def _list_by_kind(operators: dict[str, type[Operator]]) -> Iterator[str]:
    width = max(len(f"{name} ({cls.__name__})") for name, cls in operators.items())
    for kind in sorted({cls.kind for cls in operators.values()}):
        yield kind
        for name, cls in operators.items():
            if cls.kind == kind:
                yield f"  {f'{name} ({cls.__name__})':{width}}  {_first_sentence(cls)}"


def _describe(name: str, cls: type[Operator]) -> Iterator[str]:
    yield f"{name} ({cls.__name__}), kind {cls.kind}, version {cls.version}"
    yield ""
    yield from inspect.cleandoc(cls.__doc__ or "").splitlines()
    yield ""
    schema = _build_schema(cls)
    yield "settings:" if schema.get("properties") else "settings: none"
    for setting, setting_schema in schema.get("properties", {}).items():
        is_required = setting in schema.get("required", [])
        yield f"  {setting}: " + ("required" if is_required else f"default {json.dumps(setting_schema.get('default'))}")


def _build_document(name: str, cls: type[Operator]) -> dict[str, Any]:
    return {
        "name": name,
        "class": cls.__name__,
        "kind": cls.kind,
        "version": cls.version,
        "summary": _first_sentence(cls),
        "documentation": inspect.cleandoc(cls.__doc__ or ""),
        "settings": _build_schema(cls),
    }


def _first_sentence(cls: type) -> str:
    paragraph = " ".join(inspect.cleandoc(cls.__doc__ or "").split("\n\n", 1)[0].split())
    return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]


def _build_schema(cls: type[Operator]) -> dict[str, Any]:
    from pydantic.json_schema import GenerateJsonSchema

    class Lenient(GenerateJsonSchema):
        """Allows anything for a setting that JSON Schema cannot describe, such as a function."""

        ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as in the base class

        def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
            del schema, error_info
            return {}

    schema = cls.model_json_schema(schema_generator=Lenient)
    # The docstring has a member of its own.
    schema.pop("description", None)
    return schema
