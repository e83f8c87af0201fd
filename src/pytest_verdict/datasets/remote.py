"""Data sets, parts and reports at URLs, by fsspec; each machine works with local copies."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pytest_verdict.core.new_files import replacing, temporary_file
from pytest_verdict.errors import ConfigurationError, MissingExtraError
from pytest_verdict.report.compression import file_digest
from pytest_verdict.report.folder import files_of_report, refuse_foreign_text

PARTS: Final = "parts"
"""The folder of the parts, inside the folder of a report that is not built yet."""


def file_name(source: str | Path) -> str:
    """Return the file name at the end of a path or URL, without a query."""
    return Path(urlsplit(str(source)).path if _is_url(source) else source).name


def fetch_file(url: str, sha256: str | None = None) -> Path:
    """Return a local copy of a file; an existing copy with the same digest is used again."""
    name = file_name(url)
    if sha256 is not None:
        copy = _cache() / sha256 / name
        if copy.exists():
            return copy

    with temporary_file(_cache() / "copy") as new:
        with _open_url(url) as (system, path):
            system.get_file(path, str(new))
        digest = file_digest(new)
        if sha256 not in {None, digest}:
            raise ConfigurationError(f"{name}: the file changed while it was read; score it again")
        folder = _cache() / digest
        folder.mkdir(exist_ok=True)
        return new.replace(folder / name)


@contextmanager
def local_file(source: str | Path) -> Iterator[tuple[Path, str | None]]:
    """Yield the local path of a data set and its URL, if it has one; the copy is removed at the end."""
    if not _is_url(source):
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
        if not _is_url(target):
            return cls(Path(target).absolute())
        url = str(target).rstrip("/")
        return cls(_cache() / hashlib.sha256(url.encode()).hexdigest()[:32], url)

    def part(self, name: str) -> Path:
        """Return the local path of a part; a part that exists only at the URL is downloaded."""
        path = self.folder / PARTS / name
        if self.url is not None and not path.exists():
            with _open_url(f"{self.url}/{PARTS}/{name}") as (system, remote), suppress(FileNotFoundError):
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as new:
                    system.get_file(remote, str(new))
        return path

    def upload_part(self, name: str) -> None:
        self._upload(f"{PARTS}/{name}")

    def refuse_foreign_files(self) -> None:
        """Refuse a URL with files that the report would replace although they belong to no report."""
        if self.url is None:
            return
        for name in files_of_report():
            beginning = b""
            with _open_url(f"{self.url}/{name}") as (system, remote), suppress(FileNotFoundError):
                beginning = system.cat_file(remote, 0, 200)
            refuse_foreign_text(f"{self.url}/{name}", name, beginning)

    def upload_report(self) -> None:
        """Upload the report, report.json last, and remove the parts and the local folder."""
        if self.url is None:
            return
        files = [name for name in files_of_report() if (self.folder / name).is_file()]
        for name in sorted(files, key="report.json".__eq__):
            self._upload(name)
        with _open_url(f"{self.url}/{PARTS}") as (system, remote):
            for part in system.glob(f"{remote}/part-*"):
                system.rm_file(part)
        shutil.rmtree(self.folder)

    def _upload(self, name: str) -> None:
        if self.url is not None:
            with _open_url(f"{self.url}/{name}") as (system, remote):
                system.makedirs(remote.rpartition("/")[0], exist_ok=True)
                system.put_file(str(self.folder / name), remote)


def _is_url(place: str | Path) -> bool:
    # A Path has only one of the slashes.
    return isinstance(place, str) and "://" in place


@contextmanager
def _open_url(url: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of a URL and the path in it; exceptions of the file system become an OSError."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError("a URL", "remote") from None
    try:
        yield fsspec.core.url_to_fs(url)
    except FileNotFoundError as error:
        raise FileNotFoundError(ENOENT, "there is no such file", url.partition("?")[0]) from error
    except (ImportError, ValueError) as error:
        raise ConfigurationError(f"{url.partition('://')[0]}://: {error}") from None
    except Exception as error:  # each file system has exceptions of its own
        raise OSError(f"{file_name(url)}: {type(error).__name__}: {error}") from error


def _cache() -> Path:
    """Return the folder of copies; only this user may write to it, so nobody else can plant a copy."""
    cache = Path.home() / ".cache/pytest-verdict"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    return cache
