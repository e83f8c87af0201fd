"""The closing section in the terminal."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import counted, safe_repr, visible
from pytest_verdict.errors import VerdictError
from pytest_verdict.report.building import Built
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.records_file import reporting_damage
from pytest_verdict.report.summary import Summary, counts_text, decisive_records
from pytest_verdict.report.writers import PAGE

_MOST_OPERATORS: Final = 5


def closing_lines(built: Built, place: str, *, has_page: bool) -> Iterator[str]:
    """Give counts, the worst comparisons, lines of families, and the place of the report."""
    counts = built.summary.comparisons
    yield f"{counted(sum(counts), 'comparison')}: {counts_text(counts)}"
    expected = built.summary.expected_by_tests
    if expected:
        yield f"{counted(expected, 'comparison')} that did not pass {'was' if expected == 1 else 'were'} expected by the test"
    unsuccessful = _unsuccessful(built.summary)
    if unsuccessful:
        yield f"not passed by operator: {unsuccessful}"
    for found in built.worst:
        yield _one_line(found.record) + (", expected by the test" if found.is_expected else "")
    remaining = counts[1] + counts[2] - len(built.worst)
    if built.worst and remaining > 0:
        yield f"  ... and {remaining} more"
    yield from _lines_of_families(built)
    if not built.summary.complete:
        yield "the report is not complete: not every collected test came to its end"
    if built.worst:
        yield f"in full: pytest-verdict explain {visible(place)} --failed"
    if has_page:
        first = ""
        if built.worst:
            first = f"#id={built.worst[0].record['id']}"
        yield f"page: {place}/{PAGE}{first}"
    yield f"report: {place}/{REPORT}"


def told_to_github(config: pytest.Config, folder: Path, closing: list[str]) -> tuple[list[str], list[str]]:
    """In a workflow of GitHub, append the summary of the job; give the closing lines without commands, and annotations."""
    if not (os.environ.get("GITHUB_ACTIONS") and os.environ.get("GITHUB_STEP_SUMMARY")):
        return closing, []
    from pytest_verdict.report.reading import read_report
    from pytest_verdict.summaries import github
    from pytest_verdict.summaries.escaping import no_command
    from pytest_verdict.summaries.reading import DAMAGED

    repository = Path(os.environ.get("GITHUB_WORKSPACE", config.rootpath))
    if config.rootpath.is_relative_to(repository):
        root = config.rootpath.relative_to(repository)
    else:
        root = Path()
    closing = list(map(no_command, closing))
    try:
        with reporting_damage(f"{folder}: {DAMAGED}"):
            return closing, [line.rstrip("\n") for line in github.write(read_report(folder, root.as_posix()))]
    except (OSError, VerdictError) as error:
        return [*closing, f"GitHub was not told: {no_command(visible(str(error)))}"], []


def _lines_of_families(built: Built) -> Iterator[str]:
    place = ""
    try:
        for operator, place in FAMILIES.all("closing_lines").items():
            if operator in built.summary.operators:
                records = decisive_records(built.folder / RECORDS, built.summary, operator)
                yield from map(visible, load(place)(records))
    except Exception as error:  # noqa: BLE001 - what another package raises must not hide the rest
        yield f"closing lines {place} cannot be given: {visible(safe_repr(error))}"


def _unsuccessful(summary: Summary) -> str:
    found = [(failed + broken, name) for name, (_, failed, broken) in summary.operators.items() if failed + broken]
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return ", ".join(f"{name} {number}" for number, name in found[:_MOST_OPERATORS])


def _one_line(record: dict[str, Any]) -> str:
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation.drawing import headline
    from pytest_verdict.explanation.lines import format_plain
    from pytest_verdict.session import SESSION

    try:
        said = format_plain(headline(ComparisonResult.from_record(record), SESSION.budget))
    except Exception as error:  # noqa: BLE001 - what an operator of another package put into its details must not hide the rest
        said = f"{visible(str(record.get('operator')))}: {visible(safe_repr(error))}"
    return f"  {visible(record['test'])}: {said}"
