"""How each operator treats the values on which tools differ: the table in docs/explanation/value-semantics.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import SettingsError
from tools.generate import REPOSITORY
from tools.generators.generated_parts import with_generated_part

PAGE = REPOSITORY / "docs" / "explanation" / "value-semantics.md"
NAN = float("nan")

PAIRS: dict[str, tuple[Any, Any]] = {
    "`None`, `None`": (None, None),
    '`None`, `"None"`': (None, "None"),
    "`True`, `True`": (True, True),
    "`1`, `True`": (1, True),
    "`1`, `1.0`": (1, 1.0),
    '`1`, `"1"`': (1, "1"),
    '`"1"`, `"1.0"`': ("1", "1.0"),
    "NaN, NaN": (NAN, NAN),
}

# Settings of operators that need some. An operator that needs others is not in the table.
SETTINGS: dict[str, dict[str, Any]] = {
    "date_tolerance": {"tolerance": 1},
    "numeric_tolerance": {"tolerance": 0.1},
}

# Operators whose sides hold the values: how, and what the row says of it.
HOLDERS: dict[str, tuple[str, Callable[[Any, Any], tuple[Any, Any]]]] = {
    "date_range": ("both bounds", lambda expected, observed: ([expected, expected], observed)),
    "numeric_range": ("both bounds", lambda expected, observed: ([expected, expected], observed)),
    "one_of": ("the accepted value", lambda expected, observed: ([expected], observed)),
    "ordered_match": ("the items", lambda expected, observed: ([expected], [observed])),
    **dict.fromkeys(
        ("set_containment", "set_similarity"),
        ("the items", lambda expected, observed: ([expected], [observed])),
    ),
}

# Not in the table: they compare something else than two values, or need a model.
ELSEWHERE = {"aggregate", "blind", "evidence", "template", "trace", "trajectory"}
APART = {"delta", "is_type", "json_schema", "semantic"}


def files() -> dict[Path, str]:
    return {PAGE: with_generated_part(PAGE.read_text(encoding="utf-8"), "values and operators", rows())}


def operators() -> list[str]:
    return [name for name in sorted(FAMILIES.own("operators")) if _compares_two_values(name)]


def _compares_two_values(name: str) -> bool:
    if name in APART or REGISTRY.find(name).kind in ELSEWHERE:
        return False
    try:
        REGISTRY.build(name, SETTINGS.get(name, {}))
    except SettingsError:
        return False
    return True


def cell(name: str, expected: Any, observed: Any) -> str:
    if name in HOLDERS:
        expected, observed = HOLDERS[name][1](expected, observed)
    result = compare(name, expected, observed, **SETTINGS.get(name, {}))
    return " ".join([result.verdict, *(f"`{note}`" for note in result.notes)])


def label(name: str) -> str:
    return f"`{name}`, as {HOLDERS[name][0]}" if name in HOLDERS else f"`{name}`"


def rows() -> list[str]:
    head = ["| operator | " + " | ".join(PAIRS) + " |", "|---" * (len(PAIRS) + 1) + "|"]
    return head + [
        f"| {label(name)} | " + " | ".join(cell(name, *pair) for pair in PAIRS.values()) + " |" for name in operators()
    ]
