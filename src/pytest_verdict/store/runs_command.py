"""``pytest-verdict runs``: list the runs of a store, the latest last.

exit codes:
  0  listed
  2  the store cannot be reached
"""

import argparse
from collections.abc import Callable, Iterator

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.store.baselines import latest_events, read_baselines
from pytest_verdict.store.files import open_store
from pytest_verdict.store.index import RunIndex, StoredRun
from pytest_verdict.store.push_command import add_store_argument
from pytest_verdict.store.store import Store, in_order, parse_tags, started_too_late


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_selection(parser, most=20)


def add_selection(parser: argparse.ArgumentParser, most: int) -> None:
    """Add the options that select runs of a store."""
    add_filter(parser)
    parser.add_argument("--last", metavar="N", type=int, default=most, help=f"the latest N runs (default: {most})")
    add_store_argument(parser)


def add_filter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tag", metavar="NAME=VALUE", action="append", default=[], help="only runs with this tag; may be repeated"
    )
    parser.add_argument("--branch", metavar="NAME", help="only runs of this branch")


def build_filter(arguments: argparse.Namespace) -> Callable[[RunIndex], bool]:
    """Return whether a run has the branch and the tags of the options."""
    tags = parse_tags(arguments.tag).items()
    return lambda index: arguments.branch in {None, index.branch} and tags <= index.tags.items()


def select_runs(arguments: argparse.Namespace, store: Store, *, with_partial: bool) -> list[StoredRun]:
    """Return the selected runs in their order, and complain about files that were skipped and runs that do not count."""
    if arguments.last < 1:
        raise ConfigurationError(f"--last: a number of runs from 1 is needed, got {arguments.last}")
    is_selected = build_filter(arguments)
    parts = 0

    def accept(index: RunIndex) -> bool:
        nonlocal parts
        is_part = not with_partial and bool(index.partial)
        parts += is_selected(index) and is_part
        return is_selected(index) and not is_part

    runs = in_order(store.runs(arguments.last, accept))
    if parts:
        complain(f"{format_count(parts, 'run')} of a part of a session not counted; `pytest-verdict runs` says why")
    for line in dict.fromkeys(store.skipped):
        complain(f"skipped: {line}")
    store.skipped.clear()
    if not runs and not with_partial:
        raise RecordError(f"{store.files} has no such run of a whole session")
    return runs


def run(arguments: argparse.Namespace) -> int:
    store = Store(open_store(arguments.store))
    baselines: dict[str, list[str]] = {}
    for name, events in read_baselines(store).items():
        latest = {event.run for event in latest_events(events).values()}
        for stored in latest:
            baselines.setdefault(stored, []).append(f"{name}, disputed" if len(latest) > 1 else name)
    say(*_lines(select_runs(arguments, store, with_partial=True), baselines, store.files))
    return 0


def _lines(runs: list[StoredRun], baselines: dict[str, list[str]], location: object) -> Iterator[str]:
    late = started_too_late(runs)
    for stored in runs:
        index = stored.index
        commit = f"{index.commit[:12]}{'' if index.clean else '+'}" if index.commit else "no commit"
        tags = " ".join(f"{name}={value}" for name, value in index.tags.items())
        yield "  ".join(filter(None, [stored.name, commit, index.branch, tags, stored.summary]))
        for name in baselines.get(stored.name, []):
            yield f"  baseline {name}"
        for reason in (*index.partial, *index.failed):
            yield f"  {reason}"
        if stored.name in late:
            yield "  its clock is wrong, or an earlier commit was tested later: it started after a run of a later commit"
    if not runs:
        yield f"{location} has no such run"
