"""What an explanation consists of: the facts of why a comparison did not pass, before anything is drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.explanation.lines import Line

Kind = Literal["changed", "missing", "unexpected"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the sides differ.

    Args:
        path: Where, as a JSONPath; empty for an item of a set.
        kind: ``changed``, ``missing`` or ``unexpected``.
        expected: What was expected there, unless it is unexpected.
        observed: What was observed there, unless it is missing.
        reason: More than the two values say.
    """

    path: str
    kind: Kind = "changed"
    expected: Any = ABSENT
    observed: Any = ABSENT
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a comparison came out as it did.

    Args:
        summary: The first line, behind the operator.
        lines: What differs, as lines below the first.
        sides: Whether expected and observed are still to be shown.
        children: Whether the parts of the comparison are still to be explained.
        said: Settings and details that the lines above say; only -vv shows them again.
    """

    summary: Line
    lines: Sequence[Line] = field(default_factory=list)
    sides: bool = True
    children: bool = True
    said: Collection[str] = ()
