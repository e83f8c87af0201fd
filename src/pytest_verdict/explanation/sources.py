"""The text that a side was extracted from, with the part that was taken marked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_verdict.core.session import Budget
from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.explanation.lines import Line, Part
from pytest_verdict.explanation.text import Side, marked


def source_lines(sources: Mapping[str, Any], budget: Budget) -> list[Line]:
    """Draw what each step of an extraction was given."""
    # A record of elsewhere may hold anything.
    with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return list(_lines(sources, budget))
    return []


def _lines(sources: Mapping[str, Any], budget: Budget) -> Iterator[Line]:
    for name, steps in sources.get("steps", {}).items():
        written = sources["mapping"][name]
        extract = written["extract"]
        side: Side = "expected" if name == "expected" else "observed"
        origin = f"{name} from {written['path']}"
        for how, step in zip(extract if isinstance(extract, list | tuple) else [extract], steps, strict=False):
            kind = "regex" if "regex" in how else "json"
            label = Part(visible(f"{origin}, {kind} {how[kind]}: "))
            yield from _given(step, side, label, budget.room(len(label.text) + 2))
            origin = "then"


def _given(step: Mapping[str, Any], side: Side, label: Part, room: int) -> Iterator[Line]:
    value, spans = step["value"], [range(*span) for span in step.get("spans", ())]
    if isinstance(value, str):
        yield from marked(value, spans, room, side, label)
    else:
        yield label, Part(shown(value, room), side)
