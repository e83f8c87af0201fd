"""The operator for what could not be compared, because one side could not be obtained."""

from __future__ import annotations

from typing import Any, ClassVar

from pytest_verdict.comparison import compare
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult, Outcome


class NotCompared(Operator):
    """Nothing was compared: observed says why, and the verdict is always ``error``.

    It records an adapter that raised, a row that is unreadable, a path that matches nothing. Such a record is neither a pass
    nor a fail, and replay derives it again like any other.

    Args:
        instead_of: The name of the operator that would have compared, where it is known.

    Example:
        >>> compare("not_compared", "Paris", "OSError: refused", instead_of="exact").error
        'OSError: refused'
    """

    name: ClassVar[str] = "not_compared"
    kind: ClassVar[str] = "evidence"

    instead_of: str | None = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Give the reason as the error; see the class."""
        del expected
        # A class may say of itself that it is a text.
        return Outcome(0.0, error=observed if issubclass(type(observed), str) else "no reason was recorded")


def record_not_compared(
    reason: str, expected: Any = None, *, instead_of: str | None = None, name: str | None = None
) -> ComparisonResult:
    """Record that a comparison could not be made."""
    return compare(NotCompared(instead_of=instead_of), expected, reason, name=name)
