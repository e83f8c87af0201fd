"""The command line ``pytest-verdict``.

A command is a module of this folder with `add_arguments` and `run`, and a line in `COMMANDS`. Only the module of the command that
is asked for is imported, and what is heavy is imported when it runs.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from pytest_verdict.cli.writing import complain
from pytest_verdict.errors import VerdictError

COMMANDS: Final = {
    "init": "write a small suite that works, with its adapter",
    "check": "say whether suite files are written rightly, without running them",
    "report": "rebuild the report of a session that was killed",
    "replay": "derive every verdict of a records.jsonl again",
    "operators": "list the operators, or describe one",
    "explain": "show one record as a failed test would print it",
    "lint": "find what may mislead the judge of an answer template",
    "audit": "find which mistakes an answer template would not notice",
    "calibrate": "measure how far a judge of blind comparisons agrees with people",
    "unblind": "reveal which output of a blind comparison was A, and verify that it was settled before",
}
"""The commands and what each does, in the order of ``--help``."""

UNREADABLE: Final = 2
_INTERRUPTED: Final = 130
_CLOSED_PIPE: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: The arguments; those of the process unless given.

    Returns:
        The exit code: 0, or what the command's ``--help`` says; 2 when something cannot be read.

    Raises:
        SystemExit: After ``--help`` with code 0, for wrong arguments with code 2.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _write_anything()
    try:
        return _run(words)
    except BrokenPipeError:
        # Whoever read the output has had enough; the flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (VerdictError, OSError) as error:
        complain(_in_words(error))
        return UNREADABLE


def _run(words: Sequence[str]) -> int:
    try:
        arguments = _parser(words).parse_args(words)
        return int(importlib.import_module(f"{__name__}.{arguments.command}").run(arguments))
    finally:
        # Also behind --help; at the exit of the process it would be too late to do anything about a closed pipe.
        sys.stdout.flush()


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pytest-verdict", description="The suites, reports, answer templates and judges of pytest-verdict."
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", formatter_class=_Formatter
        )
        if name in words:
            importlib.import_module(f"{__name__}.{name}").add_arguments(command)
    return parser


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the exit codes apart."""


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        sys.stdout.write(f"pytest-verdict {version('pytest-verdict')}\n")
        parser.exit()


def _write_anything() -> None:
    # Where there is no stdout or stderr, what would be written goes nowhere, and the exit code stays what it is.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    # A terminal or pipe of a narrow encoding must not break the output.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
