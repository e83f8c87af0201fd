"""``pytest-verdict init``: a small suite that works, to begin with."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say

SCHEMA: Final = "verdict-suite.schema.json"
"""The file that the first line of the suite names: an editor completes keys and marks mistakes by it."""
FILES: Final = {
    "capitals.verdict.yaml": """\
# yaml-language-server: $schema=verdict-suite.schema.json
# Run it with pytest, and look for mistakes with pytest-verdict check.
suite:
  name: capitals
  adapter: capitals_adapter.answer
  scorer: normalized_exact
  scenarios:
    - name: france
      input: "What is the capital of France?"
      expected_output: "Paris"
      tags: [europe]
    - name: japan
      input: "What is the capital of Japan?"
      expected_output: "Tokyo"
""",
    "capitals_adapter.py": '''\
"""What the suite runs: put the call of your agent here."""

from __future__ import annotations

CAPITALS = {"France": "Paris", "Japan": "Tokyo"}


def answer(input: str, context: dict | None = None) -> str:
    """Answer one input; return text, or an AgentResult when tools were called."""
    country = input.rstrip("?").rpartition(" ")[2]
    return f" {CAPITALS[country].upper()}\\n"
''',
    "conftest.py": '''\
"""With this file pytest finds the adapter beside it; it is also the place to register scorers and operators of your own."""
''',
}
"""What is written, by name."""

_EXIT_CODES: Final = """\
exit codes:
  0  the files were written
  2  one of them exists already, and nothing was written
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="where to write; here unless given")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    folder = Path(arguments.folder)
    # A conftest.py that is there does what ours does, and so does a schema.
    kept = {name for name in ("conftest.py", SCHEMA) if (folder / name).exists()}
    texts = {**FILES, SCHEMA: files("pytest_verdict.suites").joinpath("suite.schema.json").read_text("utf-8")}
    wanted = {name: text for name, text in texts.items() if name not in kept}
    taken = [name for name in wanted if (folder / name).exists()]
    if taken:
        complain(f"{folder / taken[0]} exists already, and nothing was written; name another folder")
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")
        say(f"wrote {folder / name}")
    say(f"now run: pytest {folder}")
    return 0
