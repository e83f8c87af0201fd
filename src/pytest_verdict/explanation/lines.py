"""Lines of an explanation: parts with roles, which a terminal, XML or HTML draws each in its own way."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple

from pytest_verdict.core.values.display import visible

Role = Literal["", "expected", "observed", "expected_changed", "observed_changed", "mark"]

# Expected is green and observed red wherever they stand, so that a removed line and a left side have one colour.
_COLOURS: Final[dict[str, str]] = {
    "expected": "32",
    "observed": "31",
    "expected_changed": "1;32",
    "observed_changed": "1;31",
    "mark": "36",
}


class Part(NamedTuple):
    """A piece of a line, in which nothing can move a cursor, and what it shows."""

    text: str
    role: Role = ""


Line = tuple[Part, ...]


def line(*parts: Part | str) -> Line:
    """Make a line; what is a plain text has no role."""
    return tuple(Part(visible(part)) if isinstance(part, str) else part for part in parts)


def plain(found: Iterable[Part]) -> str:
    """Write a line without its roles."""
    return "".join(part.text for part in found)


def coloured(found: Line) -> str:
    """Write a line for a terminal that shows colours."""
    return "".join(
        f"\x1b[{_COLOURS[part.role]}m{part.text}\x1b[0m" if part.role and part.text else part.text for part in found
    )


def mark(verdict: str) -> Part:
    """Mark a part of a comparison by its verdict."""
    return Part(f"{'ok' if verdict == 'pass' else verdict.upper():<6}", "mark")


def cut(found: Iterable[Part], room: int) -> Line:
    """Leave out the end of a line that is longer than there is room; 0 leaves nothing out."""
    kept: list[Part] = []
    for part in found:
        left = room - sum(len(one.text) for one in kept)
        if room and len(part.text) > left:
            return *kept, Part(part.text[: max(left - 1, 0)] + "…", part.role)
        kept.append(part)
    return tuple(kept)


def indented(lines: Iterable[Line], by: int = 2) -> list[Line]:
    """Move lines to the right."""
    return [(Part(" " * by), *found) for found in lines]


def table(rows: Sequence[Sequence[Part]]) -> list[Line]:
    """Lay rows out in columns."""
    widths = [max(len(cell.text) for cell in column) for column in zip(*rows, strict=True)]
    return [_row(row, widths) for row in rows]


def _row(row: Sequence[Part], widths: Sequence[int]) -> Line:
    last = max((at for at, cell in enumerate(row) if cell.text), default=0)
    padded = ((cell, Part(" " * (width - len(cell.text) + 2))) for cell, width in zip(row, widths, strict=True))
    return tuple(chain.from_iterable(padded))[: 2 * last + 1]


class Block(str):
    """A text of several lines that knows the roles of their parts."""

    __slots__ = ("lines",)
    lines: tuple[Line, ...]

    def redacted(self, redaction: Callable[[str], str]) -> "Block":
        """Replace what must not be shown; a line in which something is replaced has no roles."""
        replaced = [(found, redaction(plain(found))) for found in self.lines]
        return block(found if text == plain(found) else (Part(text),) for found, text in replaced)


def block(lines: Iterable[Line]) -> Block:
    """Join lines."""
    kept = tuple(lines)
    found = Block("\n".join(map(plain, kept)))
    found.lines = kept
    return found


def lines_of(text: str) -> Sequence[Line]:
    """Give the lines of a block, or of any other text."""
    return text.lines if isinstance(text, Block) else [(Part(part),) for part in text.split("\n")]
