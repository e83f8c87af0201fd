"""The size of an explanation."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of an explanation; 0 is no limit.

    Args:
        characters: The most characters of one value.
        lines: The most lines of one block.
        differences: The most differences of one comparison.
        width: The most characters of a line.

    Example:
        >>> Budget(lines=20)
        Budget(characters=500, lines=20, differences=10, width=100)
    """

    characters: int = 500
    lines: int = 60
    differences: int = 10
    width: int = 100

    def room(self, used: int) -> int:
        """Return how many characters a value may have on a line.

        Args:
            used: The number of characters that the line already has.

        Returns:
            At least 8, or 0 for no limit.
        """
        limits = [limit for limit in (self.characters, self.width and max(self.width - used, 8)) if limit]
        return min(limits, default=0)

    def narrower(self, by: int, least: int = 20) -> Budget:
        """Return a budget with a smaller width.

        Args:
            by: The number of characters that the line already has.
            least: The smallest width.

        Returns:
            A new budget.
        """
        return replace(self, width=self.width and max(self.width - by, least))
