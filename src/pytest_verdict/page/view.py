"""``pytest-verdict view``: open a report as one page in a browser.

The page is one file, report.html in the folder. It needs neither the network nor this package. With --serve, no file is
written: a server on 127.0.0.1 serves the page until it is stopped, reads each record when it is opened, and reloads the page
after the next session.

exit codes:
  0  the page was written and opened, or the server was stopped
  2  there is no report, or it is unreadable, or older than an interrupted session beside it
"""

import argparse
import webbrowser
from contextlib import suppress
from typing import Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import RecordsFile

_LARGE: Final = 50_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", metavar="DIR", nargs="?", default="verify-report", help="a report's folder (default: verify-report)")
    add("--no-open", action="store_true", help="print the path or address of the page without opening a browser")
    add("--serve", action="store_true", help="serve the page instead of writing it")
    add("--port", metavar="N", type=int, default=0, help="the port of the server (default: a free port)")


def run(arguments: argparse.Namespace) -> int:
    file = RecordsFile(arguments.folder)
    if file.folder is None:
        raise RecordError(f"{arguments.folder} is no folder; name the folder of a report, such as verify-report")
    if arguments.serve:
        from pytest_verdict.page.server import Server

        if file.size > _LARGE:
            complain(f"reading {file.size // 1_000_000} MB of records")
        with Server(file.folder, arguments.folder, arguments.port) as server:
            say(f"serving {arguments.folder} on {server.address} until Ctrl-C")
            _open(server.address, arguments)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
        return 0
    from pytest_verdict.page.folder import about_folder
    from pytest_verdict.page.rows import Row
    from pytest_verdict.page.writing import write_page
    from pytest_verdict.report.folder import PAGE, refuse_foreign_file

    page = file.folder / PAGE
    refuse_foreign_file(page)
    with replacing(page) as new:
        result = write_page(map(Row, file.lines()), about_folder(file.folder, arguments.folder), new)
    if result.left_out:
        complain(
            f"the page lists {format_count(result.rows, 'comparison')}, but has only the records of those that did not pass;"
            " --serve shows all of them"
        )
    say(f"written: {page}")
    _open(page.resolve().as_uri(), arguments)
    return 0


def _open(address: str, arguments: argparse.Namespace) -> None:
    if not arguments.no_open and not webbrowser.open(address):
        complain("there is no browser on this machine; open the page yourself")
