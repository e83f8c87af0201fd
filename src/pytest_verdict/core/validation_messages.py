"""The problems in pydantic's ValidationError as sentences for users."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import allowed

# Pydantic's names for what is no list.
_NO_LISTS = frozenset({"tuple_type", "list_type", "set_type", "frozen_set_type"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its path of keys and positions, pydantic's name for it, the refused value, and more from pydantic."""

    path: tuple[str | int, ...]
    kind: str
    value: Any
    message: str
    context: Mapping[str, Any]

    @property
    def is_unknown_name(self) -> bool:
        return self.kind == "extra_forbidden"

    @property
    def is_missing(self) -> bool:
        return self.kind == "missing"

    def with_value(self) -> str:
        """Return the message and the refused value."""
        return f"{self.message}, got {shown(self.value, 80)}"

    def explain(self, place: str, part: str, names: Iterable[str]) -> str:
        """Return a sentence about a place in a model, whose fields have these names and are called "setting" or "key"."""
        if self.is_unknown_name:
            return f"there is no {part} {place!r}.{allowed(part, place, names)}"
        if self.is_missing:
            return f"the {part} {place!r} is required"
        if self.kind in _NO_LISTS and isinstance(self.value, str):
            return f"{place}: takes a list, such as [{shown(self.value, 80)}], got the text {shown(self.value, 80)}"
        # The messages of our validators contain the value.
        message = self.message if self.kind == "value_error" else self.with_value()
        return f"{place}: {message}" if place else message


def problems_in(error: ValidationError) -> list[Problem]:
    """List the problems in pydantic's order."""
    return [
        Problem(
            path=problem["loc"],
            kind=problem["type"],
            value=problem["input"],
            message=problem["msg"].removeprefix("Value error, "),
            context=problem.get("ctx", {}),
        )
        for problem in error.errors(include_url=False)
    ]
