"""The page of a report's folder: the session as ``report.json`` describes it, and the rows of its records."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.record import read_verdict
from pytest_verdict.core.values.display import format_count, shorten
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.folder import PAGE
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.reading import Report, read_report
from pytest_verdict.report.summary import VERDICTS, is_answer, name_repeats

_MOST_TESTS: Final = 200
_MOST_NAMES: Final = 3
_SLOWEST: Final = 10
# Up to this number, the page takes a few hundredths of a second.
_FEW: Final = 2_000


def write_page_of_session(
    folder: Path, title: str, passed: int, *, is_watched: bool, history: Mapping[str, Any] | None = None
) -> None:
    """Write the page at the end of a session; a long page leaves out the passed comparisons unless it is watched."""
    about = about_folder(folder, title)
    if history:
        about["history"] = history
    with open_records(folder / RECORDS) as records:
        lines: Iterable[bytes] = records
        if passed > _FEW and not is_watched:
            lines = (line for line in records if read_verdict(line) != "pass")
            about["left_out"] = passed
            about["warnings"].append(
                f"This page leaves out the {format_count(passed, 'comparison')} that passed."
                f" To write it with all comparisons, run: pytest-verdict view {shlex.quote(title)}"
            )
        with replacing(folder / PAGE) as new:
            write_page(map(Row, lines), about, new)


def about_folder(folder: Path, title: str) -> dict[str, Any]:
    """Return what the page shows besides the records: the session, the tests that are not green, the slowest tests."""
    quoted = shlex.quote(title)
    about: dict[str, Any] = {
        "title": title,
        # The page appends the named member of a comparison to each command.
        "commands": [
            [f"pytest-verdict explain {quoted} --id ", "id"],
            [f"pytest-verdict replay {quoted}", ""],
            ["pytest ", "test"],
        ],
    }
    if not (folder / REPORT).is_file():
        warning = f"There is no {REPORT} beside the records, so the page shows nothing about the session."
        return {**about, "warnings": [warning]}
    report = read_report(folder)
    slowest = sorted(report.run.seconds.items(), key=lambda pair: (-pair[1], pair[0]))[:_SLOWEST]
    equal_tests: dict[tuple[str, str], list[str]] = {}
    for test in report.tests:
        if not test.is_green:
            equal_tests.setdefault((test.outcome, shorten(test.message, 300)), []).append(test.test)
    fields = []
    # The fields with the most failures come first.
    for counts in sorted(report.fields, key=lambda counts: -counts.fail - counts.error)[:_MOST_TESTS]:
        parameters = ", ".join(f"{name}={value}" for name, value in counts.parameters.items())
        fields.append([counts.field, counts.name, parameters, counts.passed, counts.fail, counts.error])
    warnings = [] if report.complete else ["The session did not end normally: not every test has a result."]
    return {
        **about,
        "facts": [[name, str(value)] for name, value in _facts(report)],
        "slowest": [list(pair) for pair in slowest if pair[1] >= 0.001],
        "tests": [[len(names), names[:_MOST_NAMES], *key] for key, names in islice(equal_tests.items(), _MOST_TESTS)],
        "operators": [
            [one.operator, one.passed, one.fail, one.error] for one in report.operators if is_answer(one.operator)
        ],
        "counts": {verdict: report.totals.comparisons[verdict] for verdict in VERDICTS},
        "fields": fields,
        "numbers": report.numbers,
        "warnings": warnings,
    }


def _facts(report: Report) -> Iterator[tuple[str, object]]:
    run = report.run
    tests = {name: number for name, number in report.totals.tests.items() if number and name != "total"}
    yield "tests", ", ".join(f"{number} {outcome}" for outcome, number in tests.items()) or "none"
    if run.started is not None:
        yield "started", run.started
    if run.exit_status is not None:
        yield "exit status", run.exit_status
    if run.arguments is not None:
        yield "arguments", shlex.join(run.arguments)
    if run.git is not None:
        yield "commit", run.git.commit if run.git.clean else f"{run.git.commit}, with changes"
    if run.shard is not None:
        yield "shard", f"{run.shard.index} of {run.shard.of}"
    programs = {"pytest-verdict": run.pytest_verdict, "pytest": run.pytest, "python": run.python}
    versions = [f"{name} {version}" for name, version in programs.items() if version]
    yield "versions", ", ".join([*versions, run.platform])
    repeated = [(name_repeats(test.repeats), test) for test in report.tests if "verdict" in test.repeats]
    # Tests that passed in all of their attempts come last.
    for word, test in sorted(repeated, key=lambda pair: pair[0] == "pass")[:_MOST_TESTS]:
        yield f"repeats of {test.name}", f"{word}: {test.repeats.get('summary')}"
    if report.totals.comparisons_of_earlier_attempts:
        yield "earlier attempts", format_count(report.totals.comparisons_of_earlier_attempts, "comparison")
    yield "records", f"{report.records.count}, SHA-256 {report.records.sha256}"
