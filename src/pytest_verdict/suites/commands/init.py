"""``pytest-verdict init``: a small suite that works, as a start.

exit codes:
  0  the files were written
  2  one of them exists already, and nothing was written
"""

import argparse
import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say

SCHEMA: Final = "verdict-suite.schema.json"
"""The schema that the first line of the suite names, by which an editor completes keys and marks mistakes."""
_STARTER: Final = files("pytest_verdict.suites").joinpath("starter")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="where to write (default: here)")


def run(arguments: argparse.Namespace) -> int:
    from pytest_verdict.suites.suite_model import suite_schema

    folder = Path(arguments.folder)
    starter = sorted(_STARTER.iterdir(), key=lambda file: file.name)
    texts = {file.name.removesuffix(".txt"): file.read_text("utf-8") for file in starter}
    texts[SCHEMA] = f"{json.dumps(suite_schema(), indent=2)}\n"
    for name in ("conftest.py", SCHEMA):
        # An existing one has the same effect as ours.
        if (folder / name).exists():
            del texts[name]
    for name in texts:
        if (folder / name).exists():
            complain(f"{folder / name} exists already, and nothing was written; name another folder")
            return 2

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        say(f"wrote {folder / name}")
    say(f"now run: pytest {folder}")
    return 0
