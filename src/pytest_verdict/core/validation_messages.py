"""The problems in pydantic's ValidationError, as sentences for the person who wrote the value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import allowed


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem that pydantic reports.

    Attributes:
        path: The keys and positions that lead to the value.
        kind: Pydantic's name for the problem, such as ``missing`` or ``extra_forbidden``.
        value: The value that was refused.
        message: Pydantic's message, or the text of the ValueError that a validator raised.
        context: What pydantic adds, such as the allowed values or the pattern.
    """

    path: tuple[str | int, ...]
    kind: str
    value: Any
    message: str
    context: Mapping[str, Any]

    @property
    def is_unknown_name(self) -> bool:
        """Whether the model has no field of this name."""
        return self.kind == "extra_forbidden"

    @property
    def is_missing(self) -> bool:
        """Whether a required field is missing."""
        return self.kind == "missing"

    def with_value(self) -> str:
        """Return the message and the value that was refused."""
        return f"{self.message}, got {shown(self.value, 80)}"

    def explain(self, place: str, part: str, names: Iterable[str]) -> str:
        """Return one sentence: what is wrong where, and which names are allowed.

        Args:
            place: Where the value is, as the sentence shows it.
            part: What the model calls its fields, such as "setting" or "key".
            names: The names of its fields.
        """
        if self.is_unknown_name:
            return f"there is no {part} {place!r}.{allowed(part, place, names)}"
        if self.is_missing:
            return f"the {part} {place!r} is required"
        # A validator of ours names the value in its own message.
        message = self.message if self.kind == "value_error" else self.with_value()
        return f"{place}: {message}" if place else message


def problems_in(error: ValidationError) -> list[Problem]:
    """List the problems in the order in which pydantic found them."""
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
