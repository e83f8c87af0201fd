"""``pytest-verdict view``: a report as one page in a browser.

The page is one file, report.html in the folder, that needs neither the network nor this package. With --serve nothing is
written: a server on 127.0.0.1 gives the page out until it is stopped, reads each record when it is opened, and has the page
load again when a session has ended.

exit codes:
  0  the page was written and opened, or the server was stopped
  2  there is no report, or it is unreadable, or older than an interrupted session beside it
"""

import argparse
import webbrowser
from contextlib import suppress
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import RecordsFile

_LARGE: Final = 50_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        default="verify-report",
        help="a report's folder; verify-report unless given",
    )
    parser.add_argument("--no-open", action="store_true", help="say where the page is, and open no browser")
    parser.add_argument("--serve", action="store_true", help="serve the page instead of writing it")
    parser.add_argument("--port", metavar="N", type=_port, default=0, help="the server's port; a free one unless given")


def _port(given: str) -> int:
    if not (given.isascii() and given.isdecimal() and len(given) <= 5 and int(given) < 1 << 16):
        raise argparse.ArgumentTypeError(f"a number from 0 to 65535 is needed, got {given!r}")
    return int(given)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    file = RecordsFile(arguments.folder)
    if file.folder is None:
        raise RecordError(f"{arguments.folder} is no folder; name the folder of a report, such as verify-report")
    if arguments.serve:
        return _serve(file, arguments)
    from pytest_verdict.page.folder import about_folder
    from pytest_verdict.page.rows import Row
    from pytest_verdict.page.writing import write_page
    from pytest_verdict.report.folder import refuse_foreign_file
    from pytest_verdict.report.writers import PAGE

    page = file.folder / PAGE
    refuse_foreign_file(page)
    written = write_page(map(Row, file.lines()), about_folder(file.folder, arguments.folder), page)
    if written.left_out:
        complain(
            f"the page lists {counted(written.rows, 'comparison')}, and has the records of those that did not pass;"
            " with --serve it has all of them"
        )
    say(f"written: {page}")
    _open(page.resolve().as_uri(), arguments)
    return 0


def _open(address: str, arguments: argparse.Namespace) -> None:
    if not arguments.no_open and not webbrowser.open(address):
        complain("there is no browser here; open the page yourself")


def _serve(file: RecordsFile, arguments: argparse.Namespace) -> int:
    from pytest_verdict.page.server import Server

    assert file.folder is not None
    if file.size > _LARGE:
        complain(f"reading {file.size // 1_000_000} MB of records once")
    with Server(file.folder, arguments.folder, arguments.port) as server:
        say(f"serving {arguments.folder} on {server.address} until Ctrl-C")
        _open(server.address, arguments)
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0
