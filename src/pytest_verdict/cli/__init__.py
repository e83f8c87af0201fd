"""The command line ``pytest-verdict``.

Families bring the commands, each a module with `add_arguments` and `run`. Only the module of the command that is asked for is
imported, and what is heavy is imported when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from pytest_verdict.console import complain
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.errors import VerdictError

UNREADABLE: Final = 2
_INTERRUPTED: Final = 130
_CLOSED_PIPE: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
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
        return int(_module(arguments.command).run(arguments))
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
    known = FAMILIES.own("commands")
    # Families of other packages are looked for when the command is none of ours, or when all are listed.
    asked = next((word for word in words if not word.startswith("-")), None)
    for name, (summary, _) in (known if asked in known else FAMILIES.all("commands")).items():
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", formatter_class=_Formatter
        )
        if name in words:
            _module(name).add_arguments(command)
    return parser


def _module(command: str) -> Any:
    found = FAMILIES.find("commands", command)
    assert found is not None
    return load(found.module)


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
