"""``pytest-verdict init``: a small suite that works, to begin with."""

import argparse
import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say

SCHEMA: Final = "verdict-suite.schema.json"
"""The file that the first line of the suite names: an editor completes keys and marks mistakes by it."""
_HOME: Final = files("pytest_verdict.suites")

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
    from pytest_verdict.suites.suite_model import suite_schema

    folder = Path(arguments.folder)
    # A conftest.py that is there does what ours does, and so does a schema.
    kept = {name for name in ("conftest.py", SCHEMA) if (folder / name).exists()}
    starter = sorted(_HOME.joinpath("starter").iterdir(), key=lambda file: file.name)
    texts = {file.name.removesuffix(".txt"): file.read_text("utf-8") for file in starter}
    texts[SCHEMA] = f"{json.dumps(suite_schema(), indent=2)}\n"
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
