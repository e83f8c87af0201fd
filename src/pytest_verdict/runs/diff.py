"""``pytest-verdict diff``: compare two runs.

Comparisons are paired by test and name, or by test, operator and expected value. Ids are not used, because a new comparison
shifts them. For each verdict that changed, the command swaps what differs between the two records and derives the verdict
again with the installed operators: the causes are the smallest sets of differences that change the verdict. Nothing that a
record names is imported.

exit codes:
  0  no change of a class in --fail-on; or the store has no baseline yet
  1  a change of a class in --fail-on (default: regressed,alarm,lost,not-run)
  2  a run cannot be read, or the runs have no test in common
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import complain, say, say_json
from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.new_files import writing_output
from pytest_verdict.core.values.display import format_count, shorten, shown
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.errors import RecordError
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from pytest_verdict.report.records_file import NoBaselineError
from pytest_verdict.report.summary import counts_with_rate
from pytest_verdict.runs.changes import FAIL_ON, Change, Diff, Kind, diff, diff_runs, parse_fail_on
from pytest_verdict.runs.run import Comparison, read_run
from pytest_verdict.runs.significance import compute_statistics, statistics_lines

_MOST_LISTED: Final = 20
_VALUE: Final = 80
_LONGEST_REASON: Final = 200
_SHOWN: Final = ("operator", "threshold", "expected", "observed")
_IN_JSON: Final = ("id", "verdict", "score", *_SHOWN, "settings")
_SAME_VERDICT: Final = ", with the same verdict"
_LOOSER: Final = ", with a looser check"


def _change_json(change: Change) -> dict[str, Any]:
    comparison = change.comparison
    document: dict[str, Any] = {
        "test": comparison.test,
        "name": comparison.name,
        "operator": comparison.operator,
        "class": change.kind,
        "causes": list(change.causes),
        "minimal_sets": [list(names) for names in change.sets],
    }
    if change.reason:
        document["reason"] = change.reason
    if change.old is not None:
        document["old"] = _select_members(change.old)
    if change.new is not None:
        document["new"] = _select_members(change.new)
    return document


def _select_members(comparison: Comparison) -> dict[str, Any]:
    record = comparison.record()
    return {name: record.get(name) for name in _IN_JSON}


def write_html(diff: Diff, statistics: dict[str, Any], path: Path) -> None:
    """Write a diff as a page that has both records of each pair."""
    facts = [["compared", line] for line in _summary_lines(diff)]
    if statistics:
        facts += [["statistics", line] for line in statistics_lines(statistics)]
    title = f"{diff.old.place} and {diff.new.place}"
    groups = _group_changes(diff)
    changes = {id(change.comparison): (change, label) for label, group in groups for change in group}
    rows: list[Row] = []
    for old, new in diff.pairs:
        change, label = changes.get(id(new), (None, ""))
        causes = () if change is None else change.causes
        rows.append(Row(record=new.line, before=old.line, change=label, causes=causes))
    for change in diff.changes:
        if change.old is None or change.new is None:
            reasons = [change.reason] if change.reason else []
            rows.append(Row(record=change.comparison.line, change=change.kind, causes=reasons))
    # At first the page shows the changes only.
    write_page(rows, {"title": title, "facts": facts, "start": {"change": [label for label, _ in groups]}}, path)


def _group_changes(diff: Diff) -> list[tuple[str, list[Change]]]:
    """Group changes by class; those that a looser check hides or made pass are apart."""
    groups: dict[str, list[Change]] = {}
    for changes, ending in ((diff.changes, ""), (diff.information, _SAME_VERDICT)):
        for change in changes:
            is_looser = Kind.LOOSENED.word in change.words() and change.kind not in {Kind.LOOSENED, Kind.CHECK}
            groups.setdefault(f"{change.kind}{_LOOSER if is_looser else ''}{ending}", []).append(change)
    return list(groups.items())


def _format_lines(diff: Diff, statistics: dict[str, Any] | None) -> Iterator[str]:
    yield from _summary_lines(diff)
    for label, changes in _group_changes(diff):
        yield f"{label}: {len(changes)}"
        for change in changes[:_MOST_LISTED]:
            yield f"  {_title(change)}"
            yield from (f"    {name}: {text}" for name, text in _values(change))
        if len(changes) > _MOST_LISTED:
            yield f"  ... and {len(changes) - _MOST_LISTED} more"
    if statistics:
        yield "statistics"
        yield from (f"  {line}" for line in statistics_lines(statistics))


def _summary_lines(diff: Diff) -> Iterator[str]:
    for label, run in (("old", diff.old), ("new", diff.new)):
        verdicts = counts_with_rate(run.verdicts)
        yield f"{label}: {run.place}, {format_count(sum(run.verdicts), 'comparison')}: {verdicts}"
    changes = ", ".join(f"{number} {kind}" for kind, number in diff.counts().items())
    yield f"{format_count(diff.pair_count, 'pair')}: {changes or 'nothing changed'}"


def _title(change: Change) -> str:
    comparison = change.comparison
    name = comparison.name or f"{comparison.operator} {_shown(json.loads(comparison.expected))}"
    verdicts = dict.fromkeys(side.verdict for side in (change.old, change.new) if side is not None)
    title = f"{comparison.test}, {name}: {' -> '.join(verdicts)}"
    if change.sets:
        title += f", because of {', or '.join(' with '.join(names) for names in change.sets)}"
    if change.reason:
        derived = "" if change.old is None or change.new is None else ", not derived again"
        title += f"{derived}: {shorten(change.reason, _LONGEST_REASON)}"
    return title


def _values(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the members that differ between both records, and both sides."""
    if change.old is None or change.new is None:
        return
    before = _select_members(change.old)
    after = _select_members(change.new)
    if before["operator"] == after["operator"]:
        before |= before.pop("settings")
        after |= after.pop("settings")
    for name in dict.fromkeys([*_SHOWN, *before]):
        if name in {"id", "verdict", "score"}:
            continue
        texts = dict.fromkeys(_shown(side.get(name)) for side in (before, after))
        if len(texts) > 1 or name in {"expected", "observed"}:
            yield name, " -> ".join(texts)


def _shown(value: Any) -> str:
    try:
        return shown(decode(value), _VALUE)
    except (RecordError, RecursionError):
        return shown(value, _VALUE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    for name, what in (("old", "the earlier run"), ("new", "the later run")):
        add(name, metavar=name.upper(), help=f"{what}: a report's folder, a records.jsonl, or what `bundle` wrote")
    add("--format", choices=("terminal", "json", "markdown", "html"), default="terminal")
    page = "the page to write with --format html (default: diff.html)"
    add("-o", "--output", metavar="FILE", default="diff.html", help=page)
    classes = "the classes of changes that exit with 1, joined by commas (default: %(default)s)"
    add("--fail-on", metavar="CLASSES", default=",".join(FAIL_ON), help=classes)
    add("--statistics", action="store_true", help="test whether the later run is worse or better")


def run(arguments: argparse.Namespace) -> int:
    fail_on = parse_fail_on(arguments.fail_on)
    try:
        with pause_garbage_collection():
            # A page needs every pair.
            if arguments.format == "html":
                differences = diff(read_run(arguments.old), read_run(arguments.new))
            else:
                differences = diff_runs(arguments.old, arguments.new)
    except NoBaselineError as error:
        complain(str(error))
        return 0
    statistics = None
    # Without a pair, each comparison of the earlier run was lost.
    if differences.pair_count and (arguments.statistics or arguments.format == "html"):
        statistics = compute_statistics(differences.pairs, differences.equal)
    failing = len(differences.failing(fail_on))
    if arguments.format == "json":
        document = {
            "old": differences.old.place,
            "new": differences.new.place,
            "pairs": differences.pair_count,
            "counts": differences.counts(),
            "failing": failing,
            "changes": list(map(_change_json, differences.changes)),
            "information": list(map(_change_json, differences.information)),
        }
        say_json(document | ({"statistics": statistics} if statistics else {}))
    elif arguments.format == "markdown":
        lines = list(_format_lines(differences, statistics))
        # Text of a record cannot end a fence that is longer than all its runs of backticks.
        fence = "`" * max([3, *(len(run) + 1 for line in lines for run in re.findall("`+", line))])
        say(f"{fence}text", *lines, fence)
    elif arguments.format == "html":
        with writing_output(Path(arguments.output)) as path:
            write_html(differences, statistics or {}, path)
        say(f"written: {arguments.output}")
    else:
        say(*_format_lines(differences, statistics))
    return int(failing > 0)
