"""The command line ``pytest-verdict``, whose commands are brought by families.

Only the module of the given command is imported, and what is heavy is imported when it runs.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from pytest_verdict.console import complain
from pytest_verdict.core.families import FAMILIES, Command, load
from pytest_verdict.errors import ConfigurationError, VerdictError, allowed

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
        # The reader has gone; the flush at exit must not complain either.
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
        # Also after --help; a closed pipe cannot be told any more when the process exits.
        sys.stdout.flush()


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pytest-verdict", description="The suites, reports, answer templates and judges of pytest-verdict."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    asked = next((word for word in words if not word.startswith("-")), None)
    known = _commands(asked, is_listing="--version" not in words)
    if asked is not None and asked not in known:
        parser.error(f"unknown command {asked!r}.{allowed('command', asked, known)}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    # Behind the name of a command nothing lists the others, and making 20 parsers takes longer than some commands.
    for name in words[:1] if words[:1] == [asked] else known:
        summary = known[name].summary
        command = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            # It keeps the line breaks of the exit codes.
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == asked:
            module = _module(name)
            # What stands behind the first line of the docstring is the end of the help page.
            command.epilog = str(module.__doc__).partition("\n\n")[2]
            module.add_arguments(command)
    return parser


def _commands(asked: str | None, *, is_listing: bool) -> Mapping[str, Command]:
    # Other packages are looked at only for a command that is none of ours, and where all commands are listed.
    own: Mapping[str, Command] = FAMILIES.own("commands")
    if asked in own or not (asked or is_listing):
        return own
    return FAMILIES.all("commands")


def _module(command: str) -> Any:
    place = FAMILIES.find("commands", command).module  # type: ignore[union-attr]  # only commands that are known get here
    try:
        return load(place)
    except ImportError as error:
        raise ConfigurationError(f"the command {command} ({place}) cannot be imported: {error}") from error


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        sys.stdout.write(f"pytest-verdict {version('pytest-verdict')}\n")
        parser.exit()


def _write_anything() -> None:
    # Without stdout or stderr the exit code still says what came out.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    # A narrow encoding of the terminal or pipe must not break the output.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
