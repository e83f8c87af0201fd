"""`Store`: pushes reports, reads the indexes of runs, and fetches the report of a run."""

import hashlib
import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.report.bundle import write_bundle
from pytest_verdict.report.compression import MANIFEST, find_stored, reporting_damage
from pytest_verdict.report.environment import run_git
from pytest_verdict.report.folder import PARTS, list_parts
from pytest_verdict.report.journal import OUTPUTS
from pytest_verdict.report.manifest import PART_FILE
from pytest_verdict.report.statements import FILES
from pytest_verdict.report.urls import cache_folder
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.index import RunIndex, StoredRun, TestTable, build_index, read_index, read_table

RUN: Final = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")
RUN_PREFIX: Final = re.compile(r"\d{8}T[\w-]*")
_INDEX: Final = re.compile(rf"runs/\d{{4}}/\d{{2}}/({RUN.pattern})/index\.json\.gz")
_BUNDLE: Final = re.compile(rf"runs/\d{{4}}/\d{{2}}/{RUN.pattern}/bundle\.zip")
_AT_ONCE: Final = 200
SECONDS: Final = 20.0
"""How long git may take."""
BUNDLE_LIMIT: Final = 256_000_000
# Records may be stored compressed.
_UNPACKED_LIMIT: Final = 16 * BUNDLE_LIMIT
_TAG: Final = re.compile(r"([A-Za-z][\w.-]*)=(.*)", re.DOTALL)


class Pushed(NamedTuple):
    run: str
    notes: list[str]


def parse_tags(texts: list[str]) -> dict[str, str]:
    """Parse tags in the form NAME=VALUE."""
    tags: dict[str, str] = {}
    for text in texts:
        match = _TAG.fullmatch(text)
        if match is None:
            raise ConfigurationError(f"a tag is NAME=VALUE, such as model=small, got {text!r}")
        if tags.setdefault(match[1], match[2]) != match[2]:
            raise ConfigurationError(f"the tag {match[1]} has two values, {tags[match[1]]!r} and {match[2]!r}")
    return tags


class Store:
    """The runs of a store. What cannot be read is skipped, and ``skipped`` has a line for it."""

    def __init__(self, files: StoreFiles) -> None:
        self.files = files
        self.skipped: list[str] = []
        self._tables: dict[str, TestTable] = {}

    def push(self, folder: Path, tags: Mapping[str, str], limit: int = BUNDLE_LIMIT) -> Pushed:
        """Store the report of a folder; the index comes last, because a run without an index does not exist."""
        paths = [find_stored(folder / name) for name in (*FILES, OUTPUTS)]
        paths += [folder / PARTS / name for name in list_parts(folder)]
        size = sum(path.stat().st_size for path in paths if path.is_file())
        has_bundle = size <= limit
        built = build_index(folder, tags, has_bundle=has_bundle)
        place = _place(built.name)
        # A report that is pushed with other tags would be another run.
        runs_of_month = self._list_runs(place.rpartition("/")[0])
        same_second = [run for run in runs_of_month if run.startswith(built.name.partition("-")[0])]
        for stored in self._read_runs(same_second):
            if stored.index.report == built.report:
                missing = tags.items() - stored.index.tags.items()
                if missing:
                    name, value = min(missing)
                    reason = f"is stored without the tag {name}={value}, and a stored run is never changed"
                    raise ConfigurationError(f"the run {stored.name} {reason}")
                return Pushed(stored.name, ["this report is stored already"])

        notes = []
        if has_bundle:
            bundle = io.BytesIO()
            write_bundle(folder, bundle)
            self.files.write(f"{place}/bundle.zip", bundle.getvalue())
        else:
            notes.append(
                f"the bundle was left out, because the report has {size:,} bytes, more than {limit:,};"
                " diff, view and replay need it"
            )
        self.files.write(f"tests/{built.table_name}.json.gz", built.table)
        self.files.write(f"{place}/index.json.gz", built.content)
        return Pushed(built.name, notes)

    def runs(
        self, most: int | None = None, accept: Callable[[RunIndex], bool] | None = None, among: int | None = None
    ) -> list[StoredRun]:
        """Return the runs, or the newest ones that are accepted, from the earliest to the latest."""
        names = sorted(self._list_runs(), reverse=True)[:among]
        batches = (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
        stored = (run for batch in batches for run in self._read_runs(batch))
        accepted = (run for run in stored if accept is None or accept(run.index))
        return list(islice(accepted, most))[::-1]

    def find(self, prefix: str) -> StoredRun:
        """Find the run whose name begins with a text."""
        names = [name for name in self._list_runs() if name.startswith(prefix)]
        if len(names) > 1:
            listed = ", ".join(sorted(names)[:5])
            raise RecordError(f"{prefix} is the beginning of {format_count(len(names), 'run')}, such as {listed}")
        if not names:
            raise RecordError(f"{self.files} has no run {prefix}; `pytest-verdict runs` lists them")
        runs = list(self._read_runs(names))
        if not runs:
            raise RecordError(self.skipped[-1])
        return runs[0]

    def fetch(self, run: str) -> Path:
        """Return a local folder with the report of a run."""
        stored = self.find(run)
        key = hashlib.sha256(f"{self.files}\0{stored.name}".encode()).hexdigest()[:8]
        folder = cache_folder() / "runs" / f"{stored.name}-{key}"
        if folder.is_dir():
            return folder
        name = f"{_place(stored.name)}/bundle.zip"
        content = self.files.read([name]).get(name)
        if content is None:
            reason = "it was too large and left out" if not stored.index.bundle else "it was removed"
            raise RecordError(f"{self.files} has no bundle of the run {stored.name}: {reason}")
        folder.parent.mkdir(exist_ok=True)
        what = f"the bundle of the run {stored.name} is damaged"
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            new = Path(temporary) / "report"
            with reporting_damage(what), zipfile.ZipFile(io.BytesIO(content)) as bundle:
                if sum(entry.file_size for entry in bundle.infolist()) > _UNPACKED_LIMIT:
                    reason = f"unpacks to more than {_UNPACKED_LIMIT:,} bytes"
                    raise RecordError(f"the bundle of the run {stored.name} {reason}")
                for member in bundle.namelist():
                    if member in {*FILES, MANIFEST, OUTPUTS} or PART_FILE.fullmatch(member):
                        bundle.extract(member, new)
            if not folder.is_dir():
                new.replace(folder)
        return folder

    def _list_runs(self, folder: str = "runs") -> list[str]:
        """Return the names of the runs that have an index."""
        runs = []
        for name in self.files.list_names(folder):
            index = _INDEX.fullmatch(name)
            if index is not None:
                runs.append(index[1])
            elif _BUNDLE.fullmatch(name) is None:
                self.skipped.append(f"{name} is no file of a run")
        return runs

    def _read_runs(self, runs: Sequence[str]) -> Iterator[StoredRun]:
        """Read runs by their names."""
        names = {run: f"{_place(run)}/index.json.gz" for run in runs}
        contents = self.files.read(names.values())
        indexes: dict[str, RunIndex] = {}
        for run, name in names.items():
            if name not in contents:
                self.skipped.append(f"{name} cannot be read")
                continue
            try:
                indexes[run] = read_index(run, contents[name])
            except RecordError as error:
                self.skipped.append(f"{name} is no index of a run: {error}")
        self._read_tables({index.tests for index in indexes.values()})
        for run, index in indexes.items():
            table = self._tables.get(index.tests)
            if table is None or len(table.tests) != len(index.outcomes):
                self.skipped.append(f"{names[run]}: its table of tests, {index.tests}, is missing or damaged")
                continue
            yield StoredRun(run, index, table)

    def _read_tables(self, digests: set[str]) -> None:
        names = {f"tests/{digest}.json.gz": digest for digest in digests - self._tables.keys()}
        for name, content in self.files.read(names).items():
            try:
                self._tables[names[name]] = read_table(names[name], content)
            except RecordError as error:
                self.skipped.append(f"{name} is no table of tests: {error}")


def _place(run: str) -> str:
    return f"runs/{run[:4]}/{run[4:6]}/{run}"


def in_order(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Sort runs whose commits git knows by commit, in the places that they have by time; the others keep theirs."""
    by_time = sorted(runs, key=lambda stored: stored.name)
    commits = sorted({stored.index.commit for stored in runs if stored.index.commit.isalnum()})
    if not commits:
        return by_time
    words = ("rev-list", "--ignore-missing", "--date-order", "--reverse", *commits)
    lines = run_git(Path.cwd(), *words, seconds=SECONDS) or []
    positions = {commit: position for position, commit in enumerate(lines)}
    places = [place for place, stored in enumerate(by_time) if stored.index.commit in positions]
    by_commit = sorted((by_time[place] for place in places), key=lambda stored: positions[stored.index.commit])
    for place, stored in zip(places, by_commit, strict=True):
        by_time[place] = stored
    return by_time


def started_too_late(runs: Sequence[StoredRun]) -> set[str]:
    """Return the names of runs that precede a run that started earlier."""
    names = [stored.name for stored in runs]
    return {name for position, name in enumerate(names) if name > min(names[position:])}
