"""The table of all operators in docs/how-to/choose-an-operator.md, made from the docstrings of their classes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pytest_verdict import Operator
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY
from tools.generate import REPOSITORY
from tools.generators.generated_parts import with_generated_part

PAGE = REPOSITORY / "docs" / "how-to" / "choose-an-operator.md"
# The order of the page; kinds that are not listed follow in alphabetical order.
KINDS = ("text", "number", "boolean", "category", "list", "date", "json", "trace", "trajectory", "aggregate")


def files() -> dict[Path, str]:
    return {PAGE: with_generated_part(PAGE.read_text(encoding="utf-8"), "all operators", table())}


def table() -> list[str]:
    classes = [REGISTRY.find(name) for name in sorted(FAMILIES.own("operators")) if name in REGISTRY.public_names()]
    kinds = [*KINDS, *sorted({cls.kind for cls in classes} - {*KINDS})]
    rows = [f"| `{cls.name}` | {kind} | {summary(cls)} |" for kind in kinds for cls in classes if cls.kind == kind]
    return ["| operator | kind | what it compares |", "|---|---|---|", *rows]


def summary(cls: type[Operator]) -> str:
    """Return the first sentence of a docstring as Markdown in one line."""
    first = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return re.sub(r"``(.+?)``", r"`\1`", " ".join(first.split())).replace("|", r"\|")
