"""`Explanation` and its lines: parts with roles, which a terminal, XML or HTML each draw in their own way."""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from pytest_verdict.core.values.display import visible

Role = Literal["", "expected", "observed", "expected_changed", "observed_changed", "mark"]

# Expected is green and observed red everywhere, so a removed line and a left side share one colour.
_COLOURS: Final[dict[str, str]] = {
    "expected": "32",
    "observed": "31",
    "expected_changed": "1;32",
    "observed_changed": "1;31",
    "mark": "36",
}


class Part(NamedTuple):
    """A piece of a line and what it shows; its text has no control characters."""

    text: str
    role: Role = ""


Line = tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a comparison did not pass.

    Args:
        summary: The first line, after the operator.
        lines: The differences, below the first line.
        sides: Whether the block also shows expected and observed.
        children: Whether the block also explains the parts of the comparison.
        covered_names: Settings and details that the lines above show already; only ``-vv`` repeats them.
    """

    summary: Line
    lines: Sequence[Line] = field(default_factory=list)
    sides: bool = True
    children: bool = True
    covered_names: Collection[str] = ()


def count_columns(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if not unicodedata.combining(character):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def line(*parts: Part | str) -> Line:
    """Build a line; a plain text becomes a part without a role."""
    return tuple(Part(visible(part)) if isinstance(part, str) else part for part in parts)


def format_plain(parts: Iterable[Part]) -> str:
    """Return the text of a line without its roles."""
    return "".join(part.text for part in parts)


def format_coloured(parts: Iterable[Part]) -> str:
    """Return the text of a line with the ANSI colours of its roles."""
    text = ""
    for part in parts:
        if part.role and part.text:
            text += f"\x1b[{_COLOURS[part.role]}m{part.text}\x1b[0m"
        else:
            text += part.text
    return text


def mark(verdict: str) -> Part:
    """Build the mark of a verdict, padded to one width: ``ok``, ``FAIL`` or ``ERROR``."""
    label = "ok" if verdict == "pass" else verdict.upper()
    return Part(f"{label:<6}", "mark")


def cut(parts: Iterable[Part], room: int) -> Line:
    """Cut a line to a number of characters; 0 cuts nothing."""
    shorter: list[Part] = []
    free = room
    for part in parts:
        if room and len(part.text) > free:
            shorter.append(Part(part.text[: max(free - 1, 0)] + "…", part.role))
            break
        shorter.append(part)
        free -= len(part.text)
    return tuple(shorter)


def wrap(parts: Sequence[Part], room: int) -> list[Line]:
    """Break a line into lines of a number of columns, at blanks where possible; 0 breaks nothing."""
    text = format_plain(parts)
    lines: list[Line] = []
    start = 0
    while 0 < room < count_columns(text[start:]):
        fits = start + 1
        while count_columns(text[start : fits + 1]) <= room:
            fits += 1
        end = text.rfind(" ", start + 1, fits + 1)
        if end < 0:
            end = fits
        lines.append(_slice(parts, start, end))
        start = end + text.startswith(" ", end)
    return [*lines, _slice(parts, start, len(text))]


def _slice(parts: Iterable[Part], start: int, stop: int) -> Line:
    """Return the part of a line between two positions in its text."""
    pieces = []
    offset = 0
    for part in parts:
        piece = part.text[max(start - offset, 0) : max(stop - offset, 0)]
        if piece:
            pieces.append(Part(piece, part.role))
        offset += len(part.text)
    return tuple(pieces)


def indent(lines: Iterable[Line], by: int = 2) -> list[Line]:
    """Indent lines."""
    return [(Part(" " * by), *parts) for parts in lines]


def table(rows: Sequence[Sequence[Part]]) -> list[Line]:
    """Lay out rows in columns; nothing is padded after the last text of a row."""
    widths = [max(len(cell.text) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        last = max((index for index, cell in enumerate(row) if cell.text), default=0)
        parts: list[Part] = []
        for cell, width in zip(row[:last], widths, strict=False):
            parts += [cell, Part(" " * (width - len(cell.text) + 2))]
        lines.append((*parts, row[last]))
    return lines


class Block(str):
    """A text of several lines that keeps the roles of their parts."""

    __slots__ = ("lines",)
    lines: tuple[Line, ...]

    def redact(self, redaction: Callable[[str], str]) -> "Block":
        """Return the block with each line redacted; a line that changes loses its roles."""
        lines: list[Line] = []
        for parts in self.lines:
            text = format_plain(parts)
            redacted = redaction(text)
            lines.append(parts if redacted == text else (Part(redacted),))
        return block(lines)


def block(lines: Iterable[Line]) -> Block:
    """Join lines to a block."""
    rows = tuple(lines)
    text = Block("\n".join(map(format_plain, rows)))
    text.lines = rows
    return text


def lines_of(text: str) -> Sequence[Line]:
    """Return the lines of a block, or of any other text."""
    if isinstance(text, Block):
        return text.lines
    return [(Part(part),) for part in text.split("\n")]
