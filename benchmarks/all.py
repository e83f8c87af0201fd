"""Measure again, and put the tables into docs/explanation/benchmarks.md.

On the page a table stands between ``<!-- run SCRIPT ARGUMENTS -->`` and ``<!-- end -->``. What the script prints takes its place,
with the day, the load of the machine and the versions below it. All other text is written by hand and stays.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/explanation/benchmarks.md"
BLOCK = re.compile(r"<!-- run (?P<command>[^\n]+) -->\n(?P<table>.*?)<!-- end -->\n", re.DOTALL)


def main() -> None:
    """Run the scripts that were named, or all, and write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "scripts", nargs="*", metavar="SCRIPT", help="such as operators.py; all of the page unless given"
    )
    parser.add_argument("--rounds", type=int, help="rounds of the scripts that measure side by side; 15 unless given")
    parser.add_argument("--print", action="store_true", help="print the tables, and leave the page as it is")
    options = parser.parse_args()
    commands = [match["command"] for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    known = {shlex.split(command)[0] for command in commands}
    if unknown := {*options.scripts} - known:
        raise SystemExit(f"the page has no table of {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}")
    if options.rounds:
        os.environ["BENCHMARK_ROUNDS"] = str(options.rounds)
    failed = [command for command in commands if not measured(command, options)]
    raise SystemExit(f"not measured: {', '.join(failed)}" if failed else 0)


def measured(command: str, options: argparse.Namespace) -> bool:
    """Run one command and put what it prints in its place."""
    script, *arguments = shlex.split(command)
    if options.scripts and script not in options.scripts:
        return True
    before = os.getloadavg()[0]
    found = subprocess.run([sys.executable, HERE / script, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    tables = re.sub(r"\n{3,}", "\n\n", found.stdout.strip())
    if found.returncode != 0 or "|---|" not in tables:
        return False
    text = f"{tables}\n\n{conditions(before)}\n"
    print(f"{command}\n\n{text}", flush=True)
    if not options.print:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(BLOCK.sub(lambda match: replaced(match, command, text), page), encoding="utf-8", newline="\n")
    return True


def replaced(match: re.Match[str], command: str, text: str) -> str:
    """Give a block with new tables, if it is of this command."""
    return f"<!-- run {command} -->\n\n{text}\n<!-- end -->\n" if match["command"] == command else match[0]


def conditions(load_before: float) -> str:
    """Say when, where and beside which versions the tables were measured."""
    names = (HERE / "requirements.txt").read_text(encoding="utf-8").split()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names if is_installed(name))
    text = (
        f"*{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {os.cpu_count()} cores, load {load_before:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after, Python {platform.python_version()}, pytest {importlib.metadata.version('pytest')}; "
        f"installed: {versions}.*"
    )
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def is_installed(name: str) -> bool:
    """Say whether a distribution is here."""
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    main()
