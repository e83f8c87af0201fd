"""How much an explanation may show."""

from __future__ import annotations

from dataclasses import dataclass, replace


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
