"""The closing section in the terminal: counts, the worst comparisons, gates, the baseline, and the place of the report."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import format_count, no_command, safe_repr, visible
from pytest_verdict.errors import RecordError, VerdictError
from pytest_verdict.pytest_plugin.shards import is_split
from pytest_verdict.pytest_plugin.storing import BASELINE
from pytest_verdict.report.building import Built, EqualFailures
from pytest_verdict.report.compression import reporting_damage
from pytest_verdict.report.folder import PAGE
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.summary import (
    INCOMPLETE,
    MET,
    counts_with_rate,
    decisive_records,
    list_names,
    name_comparison,
    verdict_line,
)
from pytest_verdict.session import SESSION

_MOST_OPERATORS: Final = 5


def closing_lines(built: Built, place: str) -> Iterator[str]:
    summary = built.summary
    counts = summary.comparisons
    yield f"{format_count(sum(counts), 'comparison')}: {counts_with_rate(counts)}"
    expected = summary.expected_by_tests
    if expected:
        verb = "was" if expected == 1 else "were"
        yield f"{format_count(expected, 'comparison')} that did not pass {verb} expected by the test"
    failures = [(failed + broken, name) for name, (_, failed, broken) in summary.operators.items() if failed + broken]
    if failures:
        failures.sort(key=lambda failure: (-failure[0], failure[1]))
        names = ", ".join(f"{name} {number}" for number, name in failures[:_MOST_OPERATORS])
        yield f"not passed by operator: {names}"
    for equal in built.worst:
        yield from _failure_lines(equal)
    remaining = counts[1] + counts[2] - sum(equal.count for equal in built.worst)
    if built.worst and remaining > 0:
        yield f"  ... and {remaining} more"
    yield from _lines_of_families(built)
    if not summary.complete:
        yield "the report is not complete: not every collected test ended"
    if built.worst:
        yield f"in full: pytest-verdict explain {visible(place)} --failed"
    yield f"report: {place}/{REPORT}"


def page_line(built: Built) -> str:
    """Return the line with the address of the page, which terminals open; it selects the worst failure."""
    selected = f"#id={built.worst[0].record['id']}" if built.worst else ""
    return f"page: {(built.folder / PAGE).resolve().as_uri()}{selected}"


def _failure_lines(equal: EqualFailures) -> Iterator[str]:
    """Yield why comparisons did not pass, and below it which; equal ones are counted, and the first are named."""
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation.drawing import headline
    from pytest_verdict.explanation.lines import Part, format_plain, wrap

    record = equal.record
    if equal.count > 1:
        record = {name: value for name, value in record.items() if name != "name"}
    try:
        reason = format_plain(headline(ComparisonResult.from_record(record), SESSION.budget))
    except Exception as error:  # noqa: BLE001 - details of an operator of another package must not hide the rest
        reason = f"{visible(str(record.get('operator')))}: {visible(safe_repr(error))}"
    names = ", ".join(map(visible, equal.names))
    if equal.count == 1:
        # The reason has the name of the comparison.
        names = visible(name_comparison({**record, "name": None}))
    elif equal.count > len(equal.names):
        names += f" and {equal.count - len(equal.names)} more"
    times = f"{equal.count} times: " if equal.count > 1 else ""
    note = ", expected by the test" if equal.is_expected else ""
    width = SESSION.budget.width
    for text, margin in ((reason, "  "), (f"{times}{names}{note}", "    ")):
        for number, line in enumerate(wrap((Part(text),), width and width - len(margin))):
            yield f"{margin}{'  ' if number else ''}{format_plain(line)}"


def _lines_of_families(built: Built) -> Iterator[str]:
    place = ""
    try:
        for operator, place in FAMILIES.all("closing_lines").items():
            if operator in built.summary.operators:
                records = decisive_records(built.folder / RECORDS, built.summary, operator)
                yield from map(visible, load(place)(records))
    except Exception as error:  # noqa: BLE001 - another package must not hide the rest
        yield f"closing lines {place} cannot be shown: {visible(safe_repr(error))}"


def session_verdicts(built: Built, config: pytest.Config, place: str) -> Iterator[tuple[str, bool]]:
    """Yield a line for each demand on the whole session, and whether the session meets it."""
    number = sum(built.summary.comparisons)
    minimum = config.option.verify_min_comparisons
    if number < minimum:
        yield (
            f"{format_count(number, 'comparison')} made, but at least {minimum} needed: this session does not pass",
            False,
        )
    is_shard = is_split(config)
    for gate in built.sections.get("gates", ()):
        line = verdict_line(gate)
        if is_shard:
            line += ", in this part alone: pytest-verdict merge decides"
        yield line, is_shard or gate["verdict"] == MET
    if config.option.verify_baseline is not None:
        line, is_met = _compare_with_baseline(built, config, place)
        yield visible(f"baseline {config.option.verify_baseline}: {line}"), is_met


def _compare_with_baseline(built: Built, config: pytest.Config, place: str) -> tuple[str, bool]:
    from pytest_verdict.runs.changes import regressions

    baseline = config.option.verify_baseline
    path = config.stash[BASELINE]
    if isinstance(path, str):
        return path, True
    try:
        changes, not_run = regressions(path, built.folder)
    except RecordError as error:
        return f"error: {error}", False
    if changes:
        comparisons = [change.comparison for change in changes]
        names = list_names([f"{one.test} {one.name or one.operator}" for one in comparisons])
        diff = f"in full: pytest-verdict diff {baseline} {place}"
        return f"{format_count(len(changes), 'regression')}, missed: {names}; {diff}", False
    line = "0 regressions"
    if not_run:
        line += f", {format_count(not_run, 'comparison')} of the baseline not run"
    if built.summary.complete:
        return f"{line}, met", True
    return f"{line}, error: {INCOMPLETE}", False


def write_github_summary(config: pytest.Config, folder: Path, closing: list[str]) -> tuple[list[str], list[str]]:
    """In a GitHub workflow, append the summary of the job; return the closing lines without commands, and annotations."""
    if not (os.environ.get("GITHUB_ACTIONS") and os.environ.get("GITHUB_STEP_SUMMARY")):
        return closing, []
    from pytest_verdict.report.reading import read_report
    from pytest_verdict.summaries import markdown
    from pytest_verdict.summaries.reading import DAMAGED

    repository = Path(os.environ.get("GITHUB_WORKSPACE", config.rootpath))
    root = Path()
    if config.rootpath.is_relative_to(repository):
        root = config.rootpath.relative_to(repository)
    closing = list(map(no_command, closing))
    try:
        with reporting_damage(f"{folder}: {DAMAGED}"):
            lines = markdown.write_github(read_report(folder, root.as_posix()))
            return closing, [line.rstrip("\n") for line in lines]
    except (OSError, VerdictError) as error:
        return [*closing, f"the GitHub summary was not written: {no_command(visible(str(error)))}"], []
