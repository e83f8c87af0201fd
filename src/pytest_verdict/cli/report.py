"""``pytest-verdict report``: rebuild the report of a session that was killed.

A session that was killed leaves a journal in its folder. Later sessions rename such journals to journal.interrupted,
journal.interrupted.2 and so on. The command reads the latest one, or the one whose folder is passed, and writes the files that
the session would have written: records.jsonl, report.json and junit.xml. It refuses while a session is still writing, and it
does not replace the report of a later session without --to. It keeps the journal without --remove-journal.

exit codes:
  0  the report was written
  2  there is no journal, it cannot be read, the report cannot be written, or a session is still writing
"""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from pytest_verdict.console import complain, say
from pytest_verdict.errors import RecordError
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, Built, build
from pytest_verdict.report.compression import find_stored, reporting_damage
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
from pytest_verdict.report.summary import counts_with_rate, verdict_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a report's folder that holds a journal, or a journal's folder")
    parser.add_argument("--to", metavar="DIR", help="the folder to write to (default: the report's folder)")
    parser.add_argument("--junit-profile", choices=PROFILES, help="the form of junit.xml (default: as in the session)")
    parser.add_argument("--remove-journal", action="store_true", help="remove the journal when the report is written")


def run(arguments: argparse.Namespace) -> int:
    journal_folder, report_folder = _find_journal(Path(arguments.folder))
    target = _choose_target(journal_folder, report_folder, arguments.to)
    with ExitStack() as stack:
        for folder in {path.resolve(): path for path in (report_folder, target) if path}.values():
            try:
                stack.callback(ReportFolder(folder).release)
            except FolderInUseError:
                raise FolderInUseError(
                    f"{folder}: a session is still writing its report there; wait until it has ended"
                ) from None
        # A kill leaves half a line at most, but a journal that was edited or copied in part may contain anything.
        with reporting_damage(f"{journal_folder}: the journal is damaged and cannot be read"):
            journal = read_journal(journal_folder)
            profile = check_profile(arguments.junit_profile or str(journal.header.get("profile", PROFILES[0])))
            limit = journal.header.get("limit", DEFAULT_INLINE_LIMIT)
            built = build(journal, target, run=journal.run, profile=profile, inline_limit=limit)
        say(*_describe(journal, built))
        for problem in built.problems:
            complain(problem)
        if arguments.remove_journal and not built.problems:
            remove_journal(journal_folder)
    say(f"written: {find_stored(target / RECORDS).name}, {REPORT} and {JUNIT} in {target}")
    return 2 if built.problems else 0


def _find_journal(folder: Path) -> tuple[Path, Path | None]:
    """Return the folder of a journal, and the folder of the report that it belongs to."""
    if not folder.is_dir():
        raise RecordError(f"{folder}: there is no such folder; pass the folder of a report, such as verify-report")
    if (folder / TESTS).is_file():
        resolved = folder.resolve()
        if resolved.name == JOURNAL or interruption(resolved):
            return folder, resolved.parent
        return folder, None
    if (folder / JOURNAL / TESTS).is_file():
        return folder / JOURNAL, folder
    latest = latest_interrupted(folder)
    if latest is None:
        raise RecordError(f"{folder}: there is no journal in this folder, so no report can be rebuilt")
    return latest, folder


def _choose_target(journal: Path, report: Path | None, requested: str | None) -> Path:
    if requested:
        if Path(requested).resolve() == journal.resolve():
            raise RecordError(f"{requested}: the report would overwrite its own journal; pass another folder as --to")
        return Path(requested)
    if report is None:
        raise RecordError(f"{journal}: this journal is not in a report's folder; pass --to DIR for the report")
    if interruption(journal.resolve()) and (report / REPORT).exists():
        raise RecordError(
            f"{report} holds the report of a later session; pass --to DIR for the report of the interrupted one"
        )
    return report


def _describe(journal: Journal, built: Built) -> Iterator[str]:
    summary = built.summary
    end = "ended" if summary.finished else "did not end"
    yield f"journal: {journal.folder}, of a session that {end}"
    tests = f"tests: {len(summary.tests)}"
    if summary.outcomes["unfinished"]:
        tests += f", {summary.outcomes['unfinished']} of them unfinished"
    if summary.missing:
        tests += f"; collected, but without a result: {summary.missing}"
    yield tests
    yield f"comparisons: {counts_with_rate(summary.comparisons)}"
    yield from map(verdict_line, built.sections.get("gates", ()))
    if summary.outcomes["unfinished"]:
        yield "comparisons of unfinished tests may be lost, except with verdict_flush = comparison"
    if journal.damaged:
        yield f"damaged lines, skipped: {journal.damaged}"
