"""What a running test session adds to comparisons: the one slot of this library that is not a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_verdict.core.result import ComparisonResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much an explanation may show; 0 leaves a limit out.

    Args:
        characters: The longest form of one value, in characters.
        lines: The most lines of one block.
        differences: The most differences of one comparison.
        width: The width of a line that values are cut for, in characters.

    Example:
        >>> Budget(lines=20)
        Budget(characters=500, lines=20, differences=10, width=100)
    """

    characters: int = 500
    lines: int = 60
    differences: int = 10
    width: int = 100

    def room(self, taken: int) -> int:
        """Say how long a value may be on a line, some characters of which are taken; 0 if there is no limit.

        Args:
            taken: How many characters the line has already.

        Returns:
            At least 8, or 0.
        """
        limits = [limit for limit in (self.characters, self.width and max(self.width - taken, 8)) if limit]
        return min(limits, default=0)

    def narrower(self, by: int, least: int = 20) -> Budget:
        """Give the budget of a line, some characters of which are taken.

        Args:
            by: How many characters are taken.
            least: The width that is left in any case, in characters.

        Returns:
            A budget with a smaller width, or the same without a width.
        """
        return replace(self, width=self.width and max(self.width - by, least))


@dataclass(slots=True)
class Session:
    """What a running test session adds to every comparison."""

    observer: Callable[[ComparisonResult], None] | None = None
    rows_observer: Callable[[Any], None] | None = None
    """Takes rows that were compared together: `JudgedRows` of a suite; without it the observer takes them one by one."""
    describe: Callable[[ComparisonResult], str] = repr
    budget: Budget = field(default_factory=Budget)
    advice: bool = True
    compared: int = 0
    explaining_thread: int = 0
    """The thread in which pytest looks for the reason of a failure, and compares again to find it; 0 for none."""
    redaction: Callable[[str], str] | None = None
    journal: Path | None = None
    """The folder in which a session that makes a report writes while it runs."""


SESSION: Final = Session()
