"""Data sets, parts and reports at URLs, by fsspec; each machine works at copies of its own."""

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
from pytest_verdict.report.folder import files_of_report, refuse_foreign_text
from pytest_verdict.report.statements import file_digest

PARTS: Final = "parts"
"""Where parts lie in the folder of a report, until it is built."""


def file_name(source: str | Path) -> str:
    """Name the file that a path or URL ends with; neither host nor query."""
    return Path(urlsplit(str(source)).path if _is_url(source) else source).name


def local_copy(url: str, sha256: str | None = None) -> Path:
    """Bring a file here; one with this digest may be here already."""
    if sha256 is not None and (known := _cache() / sha256 / file_name(url)).exists():
        return known
    with temporary_file(_cache() / "copy") as new:
        with _opened(url) as (system, path):
            system.get_file(path, str(new))
        found = file_digest(new)
        if sha256 not in {None, found}:
            raise ConfigurationError(f"{file_name(url)}: the file changed while it was read; score it again")
        (folder := _cache() / found).mkdir(exist_ok=True)
        return new.replace(folder / file_name(url))


@contextmanager
def brought(source: str | Path) -> Iterator[tuple[Path, str | None]]:
    """Give the path of a data set, and the URL that it has; its copy is kept only so long."""
    if not _is_url(source):
        yield Path(source), None
        return
    copy = local_copy(url := str(source))
    try:
        yield copy, url
    finally:
        shutil.rmtree(copy.parent, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a report and its parts; where that is at a URL, what this machine has of it."""

    folder: Path
    url: str | None = None

    @classmethod
    def of(cls, target: str | Path) -> "Place":
        """Take a path, or a URL with a folder of this machine for it."""
        if not _is_url(target):
            return cls(Path(target).absolute())
        url = str(target).rstrip("/")
        return cls(_cache() / hashlib.sha256(url.encode()).hexdigest()[:32], url)

    def part(self, name: str) -> Path:
        """Give a part as a file, which may not be there."""
        path = self.folder / PARTS / name
        if self.url is not None and not path.exists():
            with _opened(f"{self.url}/{PARTS}/{name}") as (system, there), suppress(FileNotFoundError):
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as new:
                    system.get_file(there, str(new))
        return path

    def share(self, name: str) -> None:
        """Put a part to where other machines see it."""
        self._put(f"{PARTS}/{name}")

    def refuse_foreign_files(self) -> None:
        """Refuse a URL at which a report would replace files that are none of a report."""
        for name in files_of_report() if self.url is not None else ():
            beginning = b""
            with _opened(f"{self.url}/{name}") as (system, there), suppress(FileNotFoundError):
                beginning = system.cat_file(there, 0, 200)
            refuse_foreign_text(f"{self.url}/{name}", name, beginning)

    def take_report(self) -> None:
        """Put the report to its URL, the summary of it last, and forget what this machine has of it."""
        if self.url is None:
            return
        files = [name for name in files_of_report() if (self.folder / name).is_file()]
        for name in sorted(files, key="report.json".__eq__):
            self._put(name)
        with _opened(f"{self.url}/{PARTS}") as (system, there):
            for part in system.glob(f"{there}/part-*"):
                system.rm_file(part)
        shutil.rmtree(self.folder)

    def _put(self, name: str) -> None:
        if self.url is not None:
            with _opened(f"{self.url}/{name}") as (system, there):
                system.makedirs(there.rpartition("/")[0], exist_ok=True)
                system.put_file(str(self.folder / name), there)


def _is_url(place: str | Path) -> bool:
    # A path loses one of the slashes.
    return isinstance(place, str) and "://" in place


@contextmanager
def _opened(url: str) -> Iterator[tuple[Any, str]]:
    """Give the file system of a URL and the path there; what goes wrong is an OSError."""
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
    """Make the folder for copies, which only this user may write to: nobody else can put files under their names."""
    cache = Path.home() / ".cache/pytest-verdict"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    return cache
