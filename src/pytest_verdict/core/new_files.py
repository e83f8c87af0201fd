"""Files that are replaced only by whole files.

A file is written under another name in the same folder and then renamed, so a reader sees the old or the new file, even if
the process is killed. A loss of power may still lose both.
"""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

_BLOCK: Final = 1 << 20
# What writing raises without the name of a file.
_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; its file is removed unless it was renamed."""
    # Unique, because several processes may write the same file.
    temporary = path.with_name(f"{path.name}.{uuid4().hex}.new")
    try:
        yield temporary
    except OSError as error:
        if error.filename == str(temporary) or (error.filename is None and error.errno in _FULL):
            error.filename = str(path)
        raise
    finally:
        # A disk that became read-only has an error for this, too.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path, whose file then replaces the file at the path."""
    with temporary_file(path) as temporary:
        yield temporary
        temporary.replace(path)


@contextmanager
def writing_output(path: Path) -> Iterator[Path]:
    """Yield the path for a file that a user named: it is replaced whole; a device, a pipe or a link is written to."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        yield path
        return
    with replacing(path) as temporary:
        yield temporary


def write_whole(path: Path, text: str) -> None:
    """Write a text file and its folder; half of a surrogate pair is written as an escape."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


class NewFiles:
    """Files of a folder that only one process writes; they are put in place together."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}

    def path(self, name: str) -> Path:
        """Return the path to write a file to; a file or link that is already there is removed."""
        path = self._paths[name] = self._folder / f"{name}.new"
        path.unlink(missing_ok=True)
        return path

    def write(self, name: str, pieces: Iterable[str]) -> Path:
        """Write a text file; return its temporary path."""
        path = self.path(name)
        with path.open("x", encoding="utf-8", newline="\n", buffering=_BLOCK) as file:
            file.writelines(pieces)
        return path

    def put_in_place(self, names: Iterable[str]) -> None:
        """Replace the earlier files of these names."""
        for name in names:
            self._paths[name].replace(self._folder / name)
            del self._paths[name]

    def remove(self, *names: str) -> None:
        """Remove files that were not put in place (default: all of them)."""
        for name in names or list(self._paths):
            with suppress(OSError, KeyError):
                self._paths.pop(name).unlink()
