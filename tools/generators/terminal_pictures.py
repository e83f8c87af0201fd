"""The pictures of a failure and of a report in docs/_static: what a terminal shows for examples/values."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from tools.generate import REPOSITORY

STATIC = REPOSITORY / "docs" / "_static"
PICTURES = {
    "failure.svg": ["pytest -q examples/values"],
    "report.svg": [
        "pytest -q --tb=no --verify-report examples/values",
        "pytest-verdict explain --failed",
        "pytest-verdict replay verify-report",
    ],
}
COLUMNS = 100

# Pixels.
ADVANCE, LEADING, MARGIN, BAR = 8.4, 20, 20, 34

INK = "#d6d9de"
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff"}

_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")

FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}" role="img">
<title>{title}</title>
<!-- Written by make generate with pytest {pytest}. -->
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<g fill="#4b5160"><circle cx="22" cy="18" r="5"/><circle cx="40" cy="18" r="5"/><circle cx="58" cy="18" r="5"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="{ink}">
{lines}
</g>
</svg>
"""


def printed(commands: list[str]) -> list[str]:
    """Run commands beside the example, in a terminal of 100 columns that has colours."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(REPOSITORY / "examples" / "values", Path(folder, "examples", "values"))
        Path(folder, "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        return [line for command in commands for line in (f"$ {command}", *output(command, folder))]


def output(command: str, folder: str) -> list[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NO_COLOR", "CI"))
    }
    environment |= {"COLUMNS": str(COLUMNS), "PYTHONPATH": os.pathsep.join(sys.path), "FORCE_COLOR": "1"}
    program, *words = command.split()
    if program == "pytest":
        # Without colours in the source, which are those of the installed Pygments.
        words += ["--color=yes", "--no-header", "--code-highlight=no", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    done = subprocess.run(
        [sys.executable, "-m", program.replace("-", "_"), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    text = done.stdout.replace(Path(folder).resolve().as_uri(), "file:///home/me/project")
    return re.sub(r"in \d+\.\d+s", "in 0.05s", text).rstrip().splitlines()


def spans(line: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the parts of a line with their colours, and whether they are bold."""
    colour, bold = INK, False
    for index, piece in enumerate(_ESCAPE.split(line)):
        if index % 2:
            for code in piece.split(";"):
                colour, bold = (INK, False) if code in {"", "0"} else (COLOURS.get(code, colour), bold or code == "1")
        elif piece:
            yield piece, colour, bold


def rows(line: str) -> list[list[tuple[int, str, str, bool]]]:
    """Break a line as a terminal does, and give the parts of each row with their columns."""
    found: list[list[tuple[int, str, str, bool]]] = [[]]
    column = 0
    for text, colour, bold in spans(line):
        rest = text
        while rest:
            if column == COLUMNS:
                found.append([])
                column = 0
            part, rest = rest[: COLUMNS - column], rest[COLUMNS - column :]
            found[-1].append((column, part, colour, bold))
            column += len(part)
    return found


def drawn(row: list[tuple[int, str, str, bool]], top: int) -> str:
    return "".join(_drawn(column, text, top, look(colour, bold)) for column, text, colour, bold in row if text.strip())


def _drawn(column: int, text: str, top: int, attributes: str) -> str:
    # Every part has its place and its length, so that columns are columns in any font.
    left = MARGIN + (column + len(text) - len(text.lstrip())) * ADVANCE
    written = text.strip()
    place = f'x="{left:g}" y="{top}" textLength="{len(written) * ADVANCE:g}"'
    return f'<text {place}{attributes} xml:space="preserve">{escape(written)}</text>'


def look(colour: str, bold: bool) -> str:
    return ("" if colour == INK else f' fill="{colour}"') + (' font-weight="bold"' if bold else "")


def picture(commands: list[str]) -> str:
    lines = [row for line in printed(commands) for row in rows(line)]
    return FRAME.format(
        width=2 * MARGIN + COLUMNS * ADVANCE,
        height=BAR + LEADING * len(lines) + MARGIN,
        title=escape(f"What {commands[0]} prints"),
        pytest=version("pytest"),
        ink=INK,
        lines="\n".join(drawn(row, BAR + LEADING * at + 16) for at, row in enumerate(lines)),
    )


def texts(svg: str) -> list[str]:
    """Return the lines of a picture as texts, without the blanks around parts of one colour."""
    found: dict[str, list[str]] = {}
    for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        found.setdefault(element.attrib["y"], []).append(element.text or "")
    return [" ".join(row) for row in found.values()]


def files() -> dict[Path, str]:
    return {STATIC / name: picture(commands) for name, commands in PICTURES.items()}


def other_versions() -> str | None:
    """Return why the pictures cannot be compared with what this version of pytest prints."""
    if all(f"with pytest {version('pytest')}." in (STATIC / name).read_text(encoding="utf-8") for name in PICTURES):
        return None
    return f"the pictures in docs/_static were made with another pytest than {version('pytest')}"
