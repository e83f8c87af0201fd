"""Baselines: names for runs. Each move is an event, a file that names the events it replaces and is never changed.

The run of a baseline is the one of the event that no other event replaces. If two people move a baseline at once, two such
events remain: the baseline is disputed until the next event replaces both.
"""

import datetime
import getpass
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from uuid import uuid4

from pydantic import ConfigDict, Field

from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError, RecordError, SettingsError, VerdictError, allowed
from pytest_verdict.report.environment import run_git
from pytest_verdict.report.records_file import NoBaselineError
from pytest_verdict.report.renaming import present_names
from pytest_verdict.report.summary import list_names
from pytest_verdict.runs.gates import read_gate
from pytest_verdict.store.files import open_store
from pytest_verdict.store.index import DECIDED, StoredRun
from pytest_verdict.store.store import RUN_PREFIX, SECONDS, Store

_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,99}")
_EVENT: Final = re.compile(r"baselines/([^/]+)/([^/]+)\.json")
_ADDRESS: Final = re.compile(rf"({_NAME.pattern})(?:~(\d{{1,4}}))?")


class RefusedError(VerdictError):
    """A run does not become a baseline without ``--although``."""


class Event(StrictModel):
    """A move of a baseline to a run."""

    model_config = ConfigDict(extra="ignore")

    subject = "the event"

    run: str
    time: str
    by: str = ""
    because: str = ""
    although: str = ""
    commit: str = ""
    replaces: list[str] = Field(default_factory=list)


def read_baselines(store: Store) -> dict[str, dict[str, Event]]:
    """Read the events of all baselines, by the names of baselines and events; ``store.skipped`` names the others."""
    places = {}
    for name in store.files.list_names("baselines"):
        match = _EVENT.fullmatch(name)
        if match is None:
            store.skipped.append(f"{name} is no event of a baseline")
        else:
            places[name] = match.groups()
    baselines: dict[str, dict[str, Event]] = {}
    contents = store.files.read(places)
    for name, (baseline, event) in places.items():
        try:
            content = Event.read(json.loads(contents.get(name, b"")))
            baselines.setdefault(baseline, {})[event] = content
        except (SettingsError, ValueError, RecursionError) as error:
            store.skipped.append(f"{name} is no event of a baseline: {error}")
    return baselines


def latest_events(events: Mapping[str, Event]) -> dict[str, Event]:
    """Return the events that no other event replaces."""
    replaced = {name for event in events.values() for name in event.replaces}
    return {name: event for name, event in events.items() if name not in replaced}


def fetch_run(address: str, location: str | None = None) -> Path:
    """Return a local folder with the report of the run at an address, which is written without ``store:``."""
    store = Store(open_store(location))
    try:
        return store.fetch(resolve(store, address).name)
    except OSError as error:
        raise RecordError(f"store:{address}: the store {store.files} cannot be reached: {error}") from None


def resolve(store: Store, address: str) -> StoredRun:
    """Return the run of an address: the beginning of its name, or a baseline, also with ~1 for the one before."""
    if RUN_PREFIX.fullmatch(address):
        return store.find(address)
    match = _ADDRESS.fullmatch(address)
    if match is None:
        reason = "after store: comes a baseline such as main, the one before it, main~1, or a run"
        raise ConfigurationError(f"store:{address}: {reason}")
    name = match[1]
    baselines = read_baselines(store)
    if not baselines and not store.skipped:
        raise NoBaselineError(
            f"store:{address}: {store.files} has no baseline yet; make one with `pytest-verdict bless --as {name}`"
        )
    if name not in baselines:
        raise RecordError(
            f"store:{address}: there is no baseline {name!r}.{allowed('baseline', name, baselines)}"
            + "".join(f" Skipped: {line}." for line in store.skipped)
        )
    events = baselines[name]
    _check_damage(store, name)
    current = latest_events(events)
    for _ in range(int(match[2] or 0)):
        _check_dispute(name, current)
        before = {event for latest in current.values() for event in latest.replaces}
        if not before:
            raise RecordError(f"store:{address}: the baseline {name} has no run so far back")
        if before - events.keys():
            raise RecordError(f"store:{address}: an event of the baseline {name} is missing or damaged")
        current = {event: events[event] for event in before}
    _check_dispute(name, current)
    return store.find(next(iter(current.values())).run)


def bless(store: Store, run: StoredRun, name: str, *, because: str, although: str) -> str:
    """Make a run the baseline of a name; return the name of the event."""
    if not _NAME.fullmatch(name) or RUN_PREFIX.fullmatch(name):
        raise ConfigurationError(
            f"--as {name}: the name of a baseline begins with a letter or digit, has letters, digits, dots, hyphens and"
            " underscores, and does not look like the name of a run"
        )
    events = read_baselines(store).get(name, {})
    _check_damage(store, name)
    current = latest_events(events)
    reasons = [*run.index.partial, *run.index.failed]
    for run_before in sorted({event.run for event in current.values()}):
        try:
            reasons += _compare_with_earlier(store.find(run_before), run)
        except RecordError as error:
            reasons.append(f"the baseline cannot be compared: {error}")
    if reasons and not although:
        raise RefusedError(
            f"{run.name} does not become {name}: {'; '.join(reasons)}; to bless it all the same, give --although REASON"
        )
    time = datetime.datetime.now(datetime.UTC)
    document = {
        "run": run.name,
        "time": time.isoformat(timespec="seconds"),
        "by": _user(),
        "because": because,
        "although": although,
        "commit": run.index.commit,
        "replaces": sorted(current),
    }
    event = f"{time:%Y%m%dT%H%M%S}-{uuid4().hex[:12]}"
    store.files.write(f"baselines/{name}/{event}.json", json.dumps(document, indent=1).encode("ascii"))
    return event


def _compare_with_earlier(old: StoredRun, new: StoredRun) -> Iterator[str]:
    """Yield why a run is no successor of the baseline that it would replace."""
    if old.index.commit and new.index.commit and old.index.commit != new.index.commit:
        is_before = _is_ancestor(old.index.commit, new.index.commit)
        commits = f"{new.index.commit[:12]} and that of the baseline, {old.index.commit[:12]}"
        if is_before is False:
            yield f"its commit is older, or of another branch: git does not lead from the baseline to it ({commits})"
        elif is_before is None:
            yield f"git does not know its commit {commits}, so nobody knows which is older; fetch the whole history"
    elif new.index.started < old.index.started:
        yield f"it is older than the baseline, which started at {old.index.started}"
    names = present_names(old.table.tests, new.index.renamed, new.table.positions)
    decided = {test for test, letter in zip(new.table.tests, new.index.outcomes, strict=True) if letter in DECIDED}
    pairs = zip(old.table.tests, old.index.outcomes, strict=True)
    missing = [test for test, letter in pairs if letter in DECIDED and names.get(test, test) not in decided]
    if missing:
        yield f"{format_count(len(missing), 'test')} of the baseline did not run, or may fail now: {list_names(missing)}"
    gates = [read_gate(text) for text, _ in new.index.gates]
    for gate in (read_gate(text) for text, _ in old.index.gates):
        same = [one for one in gates if (one.kind, one.pattern) == (gate.kind, gate.pattern)]
        if not any(one.rate >= gate.rate and (one.confidence or 0) >= (gate.confidence or 0) for one in same):
            yield f"the baseline met the gate {gate.text}, and the run has no such gate, or a lower one"
    for name, value in old.index.tags.items() - new.index.tags.items():
        yield f"the baseline has the tag {name}={value}, and the run has {new.index.tags.get(name, 'no such tag')}"


def _is_ancestor(old: str, new: str) -> bool | None:
    """Return whether a commit is another one or comes before it; None if git does not know both."""
    if not (old.isalnum() and new.isalnum()):
        return None
    lines = run_git(Path.cwd(), "rev-list", "--max-count=1", old, f"^{new}", seconds=SECONDS)
    return None if lines is None else not lines


def _check_damage(store: Store, name: str) -> None:
    """Refuse an event that cannot be read: it may be the latest one."""
    for line in store.skipped:
        if line.startswith(f"baselines/{name}/") and ".json is no event" in line:
            reason = f"because {line}; restore or remove this file of {store.files}"
            raise RecordError(f"nobody knows which run is the baseline {name}, {reason}")


def _check_dispute(name: str, events: Mapping[str, Event]) -> None:
    runs = sorted({event.run for event in events.values()})
    if len(runs) > 1:
        raise RecordError(
            f"the baseline {name} is disputed: {', '.join(runs)}; settle it with `pytest-verdict bless RUN --as {name}`"
        )
    if not runs:
        raise RecordError(f"the baseline {name} has no latest event, because its events replace one another")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
