"""`Store`: pushes reports, reads the indexes of runs, and fetches the report of a run."""

import hashlib
import io
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Final, NamedTuple

from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.report.bundle import write_bundle
from pytest_verdict.report.compression import MANIFEST, find_stored
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
BUNDLE_LIMIT: Final = 256_000_000
_TAG: Final = re.compile(r"([A-Za-z][\w.-]*)=(.*)", re.DOTALL)


class Pushed(NamedTuple):
    run: str
    notes: list[str]


def parse_tags(texts: list[str]) -> dict[str, str]:
    """Parse tags in the form NAME=VALUE."""
    tags = {}
    for text in texts:
        match = _TAG.fullmatch(text)
        if match is None:
            raise ConfigurationError(f"a tag is NAME=VALUE, such as model=small, got {text!r}")
        tags[match[1]] = match[2]
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
        if f"{place}/index.json.gz" in self.files.list_names(place):
            return Pushed(built.name, ["this report is stored already"])

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
        self,
        most: int | None = None,
        accept: Callable[[RunIndex], bool] | None = None,
        among: int | None = None,
        *,
        is_joined: bool = False,
    ) -> list[StoredRun]:
        """Return the runs, or the newest ones that are accepted, from the earliest to the latest.

        If they are joined, a report that was pushed several times is one run with the tags of all.
        """
        names = {}
        for name in self.files.list_names("runs"):
            match = _INDEX.fullmatch(name)
            if match is not None:
                names[match[1]] = name
            elif _BUNDLE.fullmatch(name) is None:
                self.skipped.append(f"{name} is no file of a run")
        newest_first = {run: names[run] for run in sorted(names, reverse=True)[:among]}
        stored = self._read_in_batches(newest_first)
        if is_joined:
            stored = _join_pushes(stored)
        accepted = (run for run in stored if accept is None or accept(run.index))
        return list(islice(accepted, most))[::-1]

    def find(self, prefix: str) -> StoredRun:
        """Find the run whose name begins with a text."""
        names = [name for name in self.files.list_names("runs") if _INDEX.fullmatch(name)]
        matches = {name.split("/")[3]: name for name in names if name.split("/")[3].startswith(prefix)}
        if len(matches) > 1:
            listed = ", ".join(sorted(matches)[:5])
            raise RecordError(f"{prefix} is the beginning of {format_count(len(matches), 'run')}, such as {listed}")
        if not matches:
            raise RecordError(f"{self.files} has no run {prefix}; `pytest-verdict runs` lists them")
        runs = list(self._read_runs(matches))
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
        new = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as bundle:
                for member in bundle.namelist():
                    if member in {*FILES, MANIFEST, OUTPUTS} or PART_FILE.fullmatch(member):
                        bundle.extract(member, new)
            if not folder.is_dir():
                new.replace(folder)
        except (zipfile.BadZipFile, EOFError, RuntimeError, zlib.error) as error:
            raise RecordError(f"the bundle of the run {stored.name} is damaged: {error}") from None
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return folder

    def _read_in_batches(self, names: Mapping[str, str]) -> Iterator[StoredRun]:
        runs = list(names)
        for start in range(0, len(runs), _AT_ONCE):
            yield from self._read_runs({run: names[run] for run in runs[start : start + _AT_ONCE]})

    def _read_runs(self, names: Mapping[str, str]) -> Iterator[StoredRun]:
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


def _join_pushes(runs: Iterable[StoredRun]) -> Iterator[StoredRun]:
    """Yield the run of each report that has the most tags, with the tags of all; runs of a report began at one time."""
    for _, at_once in groupby(runs, key=lambda run: run.index.started):
        pushes: dict[str, list[StoredRun]] = {}
        for run in at_once:
            pushes.setdefault(run.index.report or run.name, []).append(run)
        for same in pushes.values():
            same.sort(key=lambda run: len(run.index.tags))
            tags = {name: value for run in same for name, value in run.index.tags.items()}
            yield replace(same[-1], index=same[-1].index.model_copy(update={"tags": tags}))


def _place(run: str) -> str:
    return f"runs/{run[:4]}/{run[4:6]}/{run}"
