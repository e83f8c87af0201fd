"""The command line ``pytest-verdict``; families bring its commands, and only the module of the requested one is imported."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from pytest_verdict.console import complain
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.errors import ConfigurationError, VerdictError, allowed

UNREADABLE: Final = 2
_DEBUG: Final = "--debug"
_INTERRUPTED: Final = 130
_CLOSED_PIPE: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Without one of these, the exit code still reports the result.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - likewise
    sys.stdin = sys.stdin or Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - likewise
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe with a narrow encoding must not break the output.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    shows_traceback = _DEBUG in words
    words = [word for word in words if word != _DEBUG]
    try:
        try:
            return run_command(words)
        finally:
            # Also after --help, because a closed pipe cannot be reported when the process exits.
            sys.stdout.flush()
    except BrokenPipeError:
        # The flush at exit must not complain about the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one door: whatever a command raises is one line
        if shows_traceback:
            traceback.print_exc()
        complain(_describe(error, words))
        return UNREADABLE


def run_command(words: Sequence[str]) -> int:
    """Run a command, and return its exit code; what it raises is not caught."""
    for word in words:
        # The system passes no such argument, but a program may.
        try:
            is_argument = b"\0" not in os.fsencode(word)
        except UnicodeEncodeError:
            is_argument = False
        if not is_argument:
            raise ConfigurationError(f"{shown(word, 80)} is no argument: it contains a character that no path can have")
    arguments = _build_parser(words).parse_args(words)
    return int(_import_command(arguments.command).run(arguments))


def _describe(error: Exception, words: Sequence[str]) -> str:
    if isinstance(error, OSError) and error.strerror:
        # An error of writing, such as that of a full disk, names no file.
        return f"{error.filename or shown(' '.join(words), 300)}: {error.strerror}"
    # What pathlib raises for a link to itself.
    if isinstance(error, VerdictError | OSError) or str(error).startswith("Symlink loop"):
        return "\n".join([str(error), *getattr(error, "__notes__", ())])
    if isinstance(error, MemoryError):
        return f"{shown(' '.join(words), 300)} needs more memory than there is; a file of the command may be too large"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return (
        f"{shown(' '.join(words), 300)} raised {shown(error, 300)} in {place}; a file of the command may be damaged."
        f" {_DEBUG} shows the traceback."
    )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def _build_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pytest-verdict", description="The suites, reports, answer templates and judges of pytest-verdict."
    )
    parser.add_argument(_DEBUG, action="store_true", help="show the traceback of an error")
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    requested = next((word for word in words if not word.startswith("-")), None)
    commands = FAMILIES.own("commands")
    # Looking for commands of other packages takes long, so they are found only if the output may need them.
    if requested not in commands and (requested or "--version" not in words):
        commands = FAMILIES.all("commands")
    if requested is not None and requested not in commands:
        parser.error(f"unknown command {requested!r}.{allowed('command', requested, commands)}")

    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in commands.items():
        subparser = subparsers.add_parser(
            name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            # It keeps the line breaks of the exit codes.
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == requested:
            module = _import_command(name)
            # The help page ends with the module's docstring after its first line.
            subparser.epilog = (module.__doc__ or "").partition("\n\n")[2]
            module.add_arguments(subparser)
    return parser


def _import_command(name: str) -> Any:
    place = FAMILIES.find("commands", name).module  # type: ignore[union-attr]  # the parser refuses unknown commands
    try:
        return load(place)
    except ImportError as error:
        raise ConfigurationError(f"the command {name} ({place}) cannot be imported: {error}") from error


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        sys.stdout.write(f"pytest-verdict {version('pytest-verdict')}\n")
        parser.exit()
