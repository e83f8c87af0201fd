"""Pages of the documentation as programs: their blocks, and the expected output of each.

- A block of Python runs in the namespace of its page, after the blocks above it; with ``>>>`` it is a doctest.
- A block whose first line is a comment with a file name (``# test_trip.py``) is that file.
- A block of ``console`` runs each line ``$ pytest ...`` or ``$ pytest-verdict ...`` that has lines below it, where those files
  and ``examples`` are; these lines are what is printed, and ``...`` stands for any text or any number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[\w-]*)[ \t]*\n(?P<content>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)
_FILE_NAME = re.compile(r"#\s+(?P<name>[\w./-]+\.(?:py|toml|ini|yaml|txt|md))\n")
_RUNNABLE = re.compile(r"(?:\.venv/bin/)?(?=pytest(?:-verdict)?(?:\s|$))")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    content: str
    line: int

    @property
    def file_name(self) -> str | None:
        match = _FILE_NAME.match(self.content)
        return match["name"] if match else None

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each command of a console block that prints something, with the lines that it should print."""
        for part in re.split(r"^\$ ", self.content, flags=re.MULTILINE)[1:]:
            command, *printed = part.rstrip("\n").split("\n")
            shown = [line for line in printed if line.strip()]
            if self.language == "console" and shown and _RUNNABLE.match(command):
                yield _RUNNABLE.sub("", command, count=1), shown


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(match["language"], match["content"], text.count("\n", 0, match.start()) + 2)
        for match in _FENCE.finditer(text)
    ]


def pages() -> list[Path]:
    found = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [page for page in found if "_build" not in page.parts]
