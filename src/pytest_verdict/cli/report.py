"""``pytest-verdict report``: rebuild the report of a session that was killed."""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from pytest_verdict.console import complain, say
from pytest_verdict.errors import RecordError
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, Built, build
from pytest_verdict.report.compression import stored
from pytest_verdict.report.folder import (
    FolderInUseError,
    ReportFolder,
    interruption,
    latest_interrupted,
    remove_journal,
)
from pytest_verdict.report.journal import JOURNAL, RECORDS, TESTS, Journal, read_journal
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import JUNIT, PROFILES, check_profile
from pytest_verdict.report.records_file import reporting_damage
from pytest_verdict.report.summary import counts_text, verdict_line

_EXIT_CODES: Final = """\
A session that was killed leaves a journal in its folder; the next sessions move such journals to journal.interrupted,
journal.interrupted.2 and so on, and this command takes the latest unless it is given the folder of another one. It writes
records.jsonl, report.json and junit.xml from it, all that the session would have written. It refuses while a session is still
writing, and it does not write an interrupted session over the report of a later one, unless --to names the place.
The journal stays where it is unless --remove-journal is given.

exit codes:
  0  the report was written
  2  there is no journal, it cannot be read, the report cannot be written, or a session is still writing
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("folder", metavar="DIR", help="a report's folder that holds a journal, or a journal's folder")
    parser.add_argument("--to", metavar="DIR", help="where to write; the report's folder unless given")
    parser.add_argument("--junit-profile", choices=PROFILES, help="the session's own unless given")
    parser.add_argument("--remove-journal", action="store_true", help="remove the journal when the report is written")


class _Places(NamedTuple):
    journal: Path
    held: Path | None
    target: Path


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    places = _places(Path(arguments.folder), Path(arguments.to) if arguments.to else None)
    with ExitStack() as stack:
        for folder in {path.resolve(): path for path in (places.held, places.target) if path}.values():
            stack.callback(_held(folder).release)
        # A kill leaves half a line at most; anything may be in a journal that was edited or copied in part.
        with reporting_damage(f"{places.journal}: the journal is damaged beyond reading"):
            journal = read_journal(places.journal)
            built = _built(journal, places.target, arguments.junit_profile)
        say(*_found(journal, built))
        for problem in built.problems:
            complain(problem)
        if arguments.remove_journal and not built.problems:
            remove_journal(places.journal)
    say(f"written: {stored(places.target / RECORDS).name}, {REPORT} and {JUNIT} in {places.target}")
    return 2 if built.problems else 0


def _places(given: Path, target: Path | None) -> _Places:
    if not given.is_dir():
        raise RecordError(f"{given}: there is no such folder; name the folder of a report, such as verify-report")
    if (given / TESTS).is_file():
        named = given.resolve()
        report = None
        if named.name == JOURNAL or interruption(named):
            report = named.parent
        return _Places(given, report, _target(given, report, target))
    if (given / JOURNAL / TESTS).is_file():
        latest: Path | None = given / JOURNAL
    else:
        latest = latest_interrupted(given)
    if latest is not None:
        return _Places(latest, given, _target(latest, given, target))
    raise RecordError(f"{given}: there is no journal in this folder, so nothing to rebuild a report from")


def _target(journal: Path, report: Path | None, given: Path | None) -> Path:
    if given is not None:
        if given.resolve() == journal.resolve():
            raise RecordError(f"{given}: the report would overwrite its own journal; name another folder with --to")
        return given
    if report is None:
        raise RecordError(f"{journal}: this journal is in no report's folder; say with --to where the report goes")
    if interruption(journal.resolve()) and (report / REPORT).exists():
        raise RecordError(
            f"{report} holds the report of a later session; say with --to where the report of the interrupted one goes"
        )
    return report


def _held(folder: Path) -> ReportFolder:
    try:
        return ReportFolder(folder)
    except FolderInUseError:
        raise FolderInUseError(
            f"{folder}: a session is still writing its report there; wait until it has ended"
        ) from None


def _built(journal: Journal, target: Path, given: str | None) -> Built:
    profile = check_profile(given or str(journal.header.get("profile", PROFILES[0])))
    limit = journal.header.get("limit")
    if type(limit) is not int:
        limit = DEFAULT_INLINE_LIMIT
    return build(journal, target, run=journal.run, profile=profile, inline_limit=limit)


def _found(journal: Journal, built: Built) -> Iterator[str]:
    summary = built.summary
    yield f"journal: {journal.folder}, of a session that {'came to its end' if summary.finished else 'did not end'}"
    unfinished = ""
    if summary.outcomes["unfinished"]:
        unfinished = f", {summary.outcomes['unfinished']} of them unfinished"
    if summary.missing:
        missing = f"; collected, but without a result: {summary.missing}"
    else:
        missing = ""
    yield f"tests: {len(summary.tests)}{unfinished}{missing}"
    yield f"comparisons: {counts_text(summary.comparisons)}"
    yield from map(verdict_line, built.sections.get("gates", ()))
    if journal.lost:
        yield f"comparisons that were made and never written, because the session was killed before: {journal.lost}"
    if journal.damaged:
        yield f"damaged lines, left out: {journal.damaged}"
