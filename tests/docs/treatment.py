"""What each operator makes of the values on which tools differ: the table in docs/explanation/value-semantics.md.

Print it with ``python tests/docs/treatment.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY

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

# Settings without which an operator cannot be made.
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


def operators() -> list[str]:
    return [
        name
        for name in sorted(FAMILIES.own("operators"))
        if name not in APART and REGISTRY.find(name).kind not in ELSEWHERE
    ]


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


if __name__ == "__main__":
    print("\n".join(rows()))
