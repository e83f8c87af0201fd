"""``pytest-verdict history``: show how tests went over the runs of a store.

Each line has the results of a test or group from the earliest to the latest run, its rate with the exact 95 % interval, and
since when neither its checks nor its rate changed. Below it are the changes: another check, a step of the rate, flakiness.
Parts of sessions, such as shards and -k, do not count.

exit codes:
  0  shown
  2  no test matches, or the store cannot be reached
"""

import argparse
import math
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, Final

from pytest_verdict.console import complain, say, say_json
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import similar
from pytest_verdict.history.series import (
    Group,
    Rate,
    TestSeries,
    View,
    build_groups,
    build_views,
    check_keys,
    default_keys,
)
from pytest_verdict.report.summary import rate_text
from pytest_verdict.store.files import open_store
from pytest_verdict.store.index import StoredRun
from pytest_verdict.store.runs_command import add_selection, select_runs
from pytest_verdict.store.store import Store

_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN_BARS: Final = ".:-=+*%#"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "pattern", metavar="PATTERN", nargs="?", default="*", help="tests, such as 'tests/trip/*' (default: all)"
    )
    parser.add_argument(
        "--by",
        metavar="NAMES",
        help="what a line stands for: test, function, branch, tag:NAME, param:NAME, joined by commas"
        " (default: test and all tags)",
    )
    add_selection(parser, most=50)
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal", help="(default: terminal)")


def run(arguments: argparse.Namespace) -> int:
    store = Store(open_store(arguments.store))
    runs = select_runs(arguments, store, with_partial=False)
    keys = default_keys(runs) if arguments.by is None else [name.strip() for name in arguments.by.split(",")]
    check_keys(keys, runs)
    tests = {test for stored in runs for test in stored.table.tests}
    matching = {test for test in tests if arguments.pattern == test or fnmatchcase(test, arguments.pattern)}
    if not matching:
        close = similar(arguments.pattern, sorted(tests), 1)
        complain(f"no test matches {arguments.pattern!r}" + (f", did you mean {close[0]!r}?" if close else ""))
        return 2
    views = [
        View(view.label, view.runs, [one for one in view.series if one.test in matching])
        for view in build_views(runs, keys)
    ]
    groups = build_groups(views, keys)
    if arguments.format == "json":
        say_json([describe_group(group, keys) for group in groups])
        return 0
    say(*format_groups(groups, runs, keys, sys.stdout.encoding or "ascii"))
    return 0


def describe_group(group: Group, keys: list[str]) -> dict[str, Any]:
    """Describe a group as JSON."""
    low, high = group.rate.interval
    document: dict[str, Any] = {
        **dict(zip(keys, group.key, strict=True)),
        "passed": group.rate.passed,
        "total": group.rate.total,
        "rate": round(group.rate.passed / group.rate.total, 6) if group.rate.total else None,
        "interval": [low, high],
        "runs": [
            {"run": stored.name, "passed": rate.passed, "total": rate.total}
            for stored, rate in zip(group.view.runs, group.counts, strict=True)
        ],
    }
    if len(group.members) == 1:
        document |= group.members[0].describe()
    return document


def format_groups(groups: list[Group], runs: list[StoredRun], keys: list[str], encoding: str) -> Iterator[str]:
    """Format a line for each group, and below it its changes."""
    yield f"{format_count(len(runs), 'run')}, from {_describe_run(runs[0])} to {_describe_run(runs[-1])}"
    try:
        _BARS.encode(encoding)
        bars = _BARS
    except (UnicodeEncodeError, LookupError):
        bars = _PLAIN_BARS
    for group in groups:
        label = [value if key == "test" else f"{key}={value}" for key, value in zip(keys, group.key, strict=True)]
        one = group.members[0] if len(group.members) == 1 else None
        since = format_count(len(group.members), "test")
        if one is not None:
            since = f"since {_describe_run(group.view.runs[one.start])}"
        yield ", ".join(label)
        yield f"  {_sparkline(group.counts, one.cuts if one else [], bars)}  {format_rate(group.rate)}, {since}"
        if one is not None:
            yield from _format_changes(one, group.view)


def format_rate(rate: Rate) -> str:
    """Format a rate in percent, rounded down, so that only all of them are 100 %; its interval is rounded outwards."""
    if not rate.total:
        return "no result"
    low, high = rate.interval
    ends = f"{math.floor(low * 1_000) / 10:g}, {math.ceil(high * 1_000) / 10:g}"
    return f"{rate.passed} of {rate.total}, {rate_text(*rate)} [{ends}]"


def _sparkline(counts: Any, cuts: list[int], bars: str) -> str:
    line = ""
    for position, (passed, total) in enumerate(counts):
        line += "|" if position in cuts else ""
        line += bars[passed * (len(bars) - 1) // total] if total else " "
    return line


def _format_changes(one: TestSeries, view: View) -> Iterator[str]:
    for change in one.changes():
        run = view.runs[change["at"]]
        before = view.runs[change["from"]]
        place = _describe_run(run)
        compare = f"pytest-verdict diff store:{before.name} store:{run.name}"
        if "p" not in change:
            yield f"  check changed at {place}: {compare}"
            continue
        passed, total = change["before"]
        later_passed, later_total = change["after"]
        word = "down" if later_passed * total < passed * later_total else "up"
        counts = f"{passed} of {total} -> {later_passed} of {later_total}"
        yield f"  step {word} at {place}: {counts}, p = {change['p']:.2g}: {compare}"
    if one.renamed:
        yield f"  renamed: it was {one.renamed}"
    if one.flaky:
        yield f"  flaky: {one.flaky}"


def _describe_run(stored: StoredRun) -> str:
    return " ".join(filter(None, [stored.index.started[:10], stored.index.commit[:8]]))
