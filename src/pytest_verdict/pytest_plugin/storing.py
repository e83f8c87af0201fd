"""The store of a session: its tags, the baseline that it is compared with, and the run that it stores at the end."""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import VerdictError
from pytest_verdict.report.records_file import NoBaselineError
from pytest_verdict.report.urls import is_url
from pytest_verdict.session import SESSION

ADDRESS: Final = "store:"
BASELINE: Final = pytest.StashKey["Path | str"]()
"""The path of the baseline, or the line that says that the store has none yet."""
_VARIABLE: Final = re.compile(r"\$(\w+)|\$\{(\w+)\}")
_MOST_RESULTS: Final = 20
_MOST_READ: Final = 200


@dataclass(frozen=True, slots=True)
class Stored:
    """The lines for the terminal, the problems, and the last results of each test for the page."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    history: Mapping[str, Any] | None = None


def session_tags(config: pytest.Config) -> dict[str, str]:
    """Return the tags of the run; empty if the session stores no run."""
    if not _location(config):
        return {}
    from pytest_verdict.store.store import parse_tags

    texts = []
    for text in config.getini("verdict_tags"):
        names = [first or second for first, second in _VARIABLE.findall(text)]
        unset = next((name for name in names if name not in os.environ), None)
        if unset is not None:
            raise pytest.UsageError(f"verdict_tags: {text}: the environment variable {unset} is not set")
        texts.append(_VARIABLE.sub(lambda match: os.environ[match[1] or match[2]], text))
    redaction = SESSION.redaction or str
    try:
        return {redaction(name): redaction(value) for name, value in parse_tags(texts).items()}
    except VerdictError as error:
        raise pytest.UsageError(f"verdict_tags: {error}") from None


def read_renames(config: pytest.Config) -> dict[str, str]:
    """Return the new names of renamed tests by the old ones."""
    lines = config.getini("verdict_renamed")
    if not lines:
        return {}
    from pytest_verdict.report.renaming import parse_renames

    redaction = SESSION.redaction or str
    try:
        return parse_renames(map(redaction, lines))
    except VerdictError as error:
        raise pytest.UsageError(f"verdict_renamed: {error}") from None


def fetch_baseline(config: pytest.Config, name: str) -> Path | str:
    """Return a local copy of a baseline in the store, or the line that says that there is none yet."""
    from pytest_verdict.store.baselines import fetch_run

    location = _location(config)
    if not location:
        raise pytest.UsageError(
            f"--verify-baseline {name}: this session has no store; give --verify-store, or set verdict_store"
        )
    try:
        return fetch_run(name.removeprefix(ADDRESS), location)
    except NoBaselineError as error:
        return str(error).removeprefix(f"{name}: ")
    except (VerdictError, OSError) as error:
        raise pytest.UsageError(f"--verify-baseline: {error}") from None


def push_session(config: pytest.Config, folder: Path, place: str, *, with_history: bool) -> Stored:
    """Store the run of a session, if it has a store; a problem never changes the result of the session."""
    location = _location(config)
    if not location:
        return Stored()
    stored = Stored()
    try:
        from pytest_verdict.history.series import ABSENT, build_series
        from pytest_verdict.store.files import StoreFiles
        from pytest_verdict.store.store import Store

        store = Store(StoreFiles(location))
        pushed = store.push(folder, {})
        stored.lines.append(visible(f"stored: {pushed.run} in {store.files}"))
        stored.lines.extend(map(visible, pushed.notes))
        if not with_history:
            return stored
        tags = session_tags(config)
        runs = store.runs(_MOST_RESULTS, lambda index: index.tags == tags, _MOST_READ)
        # This session is the latest, also if it began in the same second as another one.
        runs.sort(key=lambda run: run.name == pushed.run)
        present = store.find(pushed.run).table.positions
        series = [one for one in build_series(runs) if one.test in present]
        tests = {one.test: one.letters.replace(ABSENT, "-") for one in series}
        trends = str(config.getini("verdict_trends"))
        if trends and not is_url(trends):
            trends = (config.rootpath / trends / "index.html").resolve().as_uri()
        return Stored(stored.lines, history={"tests": tests, "trends": trends})
    except Exception as error:  # noqa: BLE001 - each file system has exceptions of its own
        problem = f"the last results were not read: {error}"
        if not stored.lines:
            problem = f"the run was not stored: {error}; later: pytest-verdict push {shlex.quote(place)}"
        stored.problems.append(visible(problem))
        return stored


def _location(config: pytest.Config) -> str:
    """Return the store of the option, the environment variable or the ini key; empty for none."""
    start = config.invocation_params.dir
    location = config.option.verify_store
    if location is None:
        location = os.environ.get("VERDICT_STORE") or None
    if location is None:
        location = config.getini("verdict_store")
        start = config.inipath.parent if config.inipath else config.rootpath
    return str(location) if not location or is_url(location) else str(start / location)
