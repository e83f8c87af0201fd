"""What a running test session adds to comparisons: the one slot of this library that is not a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_verdict.core.result import ComparisonResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much an explanation may show; 0 leaves a limit out.

    Args:
        characters: The longest form of one value, in characters.
        lines: The most lines of one block.
        differences: The most differences of one comparison.

    Example:
        >>> Budget(lines=20)
        Budget(characters=500, lines=20, differences=10)
    """

    characters: int = 500
    lines: int = 60
    differences: int = 10


@dataclass(slots=True)
class Session:
    """What a running test session adds to every comparison."""

    observer: Callable[[ComparisonResult], None] | None = None
    describe: Callable[[ComparisonResult], str] = repr
    budget: Budget = field(default_factory=Budget)
    advice: bool = True
    compared: int = 0


SESSION: Final = Session()
