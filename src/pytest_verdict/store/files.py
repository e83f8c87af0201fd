"""The files of a store, in a folder or behind a URL, and the store that a project is configured with.

A file is written once, whole, under a name that no other writer uses. So nothing is locked, appended to or changed.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.redaction import without_url_secrets
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.urls import is_url, open_url

VARIABLE: Final = "VERDICT_STORE"
_KEY: Final = "verdict_store"
_TEMPORARY: Final = ".new"


class StoreFiles:
    """The files of a store by their names, which are paths relative to its folder or URL."""

    def __init__(self, location: str) -> None:
        self.folder: Path | None = None
        self._url = location.rstrip("/")
        if location.startswith("file://"):
            self.folder = Path(unquote(urlsplit(location).path))
        elif not is_url(location):
            self.folder = Path(location)

    def __str__(self) -> str:
        return without_url_secrets(self._url)

    def list_names(self, folder: str) -> list[str]:
        """List the files below a folder of the store, in the order of their names; no folder has no files."""
        if self.folder is not None:
            if not self.folder.parent.is_dir():
                raise FileNotFoundError(f"the store {self} cannot be reached: there is no folder {self.folder.parent}")
            if self.folder.exists() and not self.folder.is_dir():
                raise NotADirectoryError(f"the store {self} is no folder")
            paths = [path for path in (self.folder / folder).rglob("*") if path.is_file()]
            names = [path.relative_to(self.folder).as_posix() for path in paths]
            return sorted(name for name in names if not name.endswith(_TEMPORARY))
        with open_url(self._url) as (system, path):
            # Another process may have written since this one has listed.
            system.invalidate_cache()
            root = path.rstrip("/")
            return sorted(name[len(root) + 1 :] for name in system.find(f"{root}/{folder}"))

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of files; those that cannot be read are left out."""
        names = list(names)
        contents: dict[str, bytes] = {}
        if self.folder is not None:
            for name in names:
                with contextlib.suppress(OSError):
                    contents[name] = (self.folder / name).read_bytes()
        if self.folder is not None or not names:
            return contents
        with open_url(self._url) as (system, path):
            root = path.rstrip("/")
            answers = system.cat([f"{root}/{name}" for name in names], on_error="return")
            for place, content in answers.items():
                if isinstance(content, bytes):
                    contents[place[len(root) + 1 :]] = content
        return contents

    def write(self, name: str, content: bytes) -> None:
        """Write a file; readers see all of it or nothing."""
        if self.folder is not None:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with replacing(target) as new:
                new.write_bytes(content)
            return
        with open_url(f"{self._url}/{name}") as (system, path):
            system.makedirs(path.rpartition("/")[0], exist_ok=True)
            system.pipe_file(path, content)


def configured_store(start: Path) -> str:
    """Return the store of the environment variable, or of the configuration that pytest uses in a folder."""
    if os.environ.get(VARIABLE):
        return os.environ[VARIABLE]
    # Only a command without --store needs pytest.
    from _pytest.config.exceptions import UsageError
    from _pytest.config.findpaths import locate_config
    from _pytest.outcomes import Failed

    try:
        folder, _, values = locate_config(start, [start])[:3]
    except (UsageError, Failed, OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ConfigurationError(f"the configuration of pytest cannot be read: {error}") from None
    value: Any = values.get(_KEY, "")
    # pytest 9 wraps values.
    location = getattr(value, "value", value)
    if not isinstance(location, str):
        raise ConfigurationError(f"{_KEY}: the folder or URL of the store is a text, got {shown(location, 40)}")
    return str(folder / location) if folder and location and not is_url(location) else location


def open_store(location: str | None) -> StoreFiles:
    """Open the store of the option ``--store``, or the configured one."""
    location = location or configured_store(Path.cwd())
    if not location:
        raise ConfigurationError(
            f"no store is named; set {VARIABLE}, or {_KEY} in the configuration of pytest, to a folder or URL"
            " (the commands of a store, such as runs, also take --store)"
        )
    return StoreFiles(location)
