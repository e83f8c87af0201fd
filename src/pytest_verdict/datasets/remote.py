"""Data sets, parts and reports at URLs, by fsspec; each machine works with local copies."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_verdict.core.new_files import replacing, temporary_file
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.compression import MANIFEST, stored_digest
from pytest_verdict.report.folder import PARTS, files_of_report, list_parts, refuse_foreign_text
from pytest_verdict.report.journal import RECORDS
from pytest_verdict.report.manifest import Part
from pytest_verdict.report.urls import cache_folder, file_name, is_url, open_url


def fetch_file(url: str, sha256: str | None = None) -> Path:
    """Return a local copy of a file; an existing copy with the same digest is used again."""
    name = file_name(url)
    if sha256 is not None:
        copy = cache_folder() / sha256 / name
        if copy.exists():
            return copy

    with temporary_file(cache_folder() / "copy") as new:
        with open_url(url) as (system, path):
            system.get_file(path, str(new))
        digest = stored_digest(new)
        if sha256 not in {None, digest}:
            raise ConfigurationError(f"{name}: the file changed while it was read; score it again")
        folder = cache_folder() / digest
        folder.mkdir(exist_ok=True)
        return new.replace(folder / name)


@contextmanager
def local_file(source: str | Path) -> Iterator[tuple[Path, str | None]]:
    """Yield the local path of a data set and its URL, if it has one; the copy is removed at the end."""
    if not is_url(source):
        yield Path(source), None
        return
    url = str(source)
    copy = fetch_file(url)
    try:
        yield copy, url
    finally:
        shutil.rmtree(copy.parent, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class ReportTarget:
    """The folder of a report and its parts; for a URL, the local folder with its copies."""

    folder: Path
    url: str | None = None

    @classmethod
    def parse(cls, target: str | Path) -> "ReportTarget":
        if not is_url(target):
            return cls(Path(target).absolute())
        url = str(target).rstrip("/")
        return cls(cache_folder() / hashlib.sha256(url.encode()).hexdigest()[:32], url)

    @property
    def parts(self) -> Path:
        return self.folder / PARTS

    def local(self, part: Part) -> Path:
        return self.part(Path(part.file).name)

    def part(self, name: str) -> Path:
        """Return the local path of a part; a part that exists only at the URL is downloaded."""
        path = self.parts / name
        if self.url is not None and not path.exists():
            with open_url(f"{self.url}/{PARTS}/{name}") as (system, remote), suppress(FileNotFoundError):
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as new:
                    system.get_file(remote, str(new))
        return path

    def upload_parts(self, names: Iterable[str], *, only_missing: bool = False) -> None:
        for name in names:
            self._upload(f"{PARTS}/{name}", only_missing=only_missing)

    def refuse_foreign_files(self) -> None:
        """Refuse a URL with files that the report would replace although they belong to no report."""
        if self.url is None:
            return
        for name in (*files_of_report(), MANIFEST):
            beginning = b""
            with open_url(f"{self.url}/{name}") as (system, remote), suppress(FileNotFoundError):
                beginning = system.cat_file(remote, 0, 200)
            refuse_foreign_text(f"{self.url}/{name}", name, beginning)

    def upload_report(self) -> None:
        """Upload the report, report.json last, and remove all parts that it does not list, and the local folder."""
        if self.url is None:
            return
        listed = list_parts(self.folder)
        files = [name for name in (*files_of_report(), MANIFEST) if (self.folder / name).is_file()]
        for name in sorted(files, key="report.json".__eq__):
            self._upload(name)
        with open_url(self.url) as (system, remote):
            parts = system.glob(f"{remote}/{PARTS}/part-*")
            unlisted = [part for part in parts if part.rpartition("/")[2] not in listed]
            if unlisted:
                # In one call, because an object store removes many files with one request.
                system.rm(unlisted)
            # Whole records would hide the manifest of a later run, and a manifest shows earlier records.
            earlier = f"{remote}/{RECORDS if listed else MANIFEST}"
            if system.exists(earlier):
                system.rm_file(earlier)
        shutil.rmtree(self.folder)

    def _upload(self, name: str, *, only_missing: bool = False) -> None:
        if self.url is None:
            return
        path = self.folder / name
        with open_url(f"{self.url}/{name}") as (system, remote):
            with suppress(FileNotFoundError):
                if only_missing and system.size(remote) == path.stat().st_size:
                    return
            system.makedirs(remote.rpartition("/")[0], exist_ok=True)
            system.put_file(str(path), remote)
