"""Files of records, plain or compressed; what a file is, is told by how it begins."""

from __future__ import annotations

import gzip
import mmap
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, Final, cast

from pytest_verdict.errors import RecordError

FORMS: Final[Mapping[str, str]] = {"plain": "", "gz": ".gz", "zst": ".zst"}
"""How records are kept in the folder of a report, and what the name of the file has behind it."""
MARKS: Final[Mapping[str, bytes]] = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}
"""How compressed files begin."""

_LEVEL: Final = 6
_DAMAGED: Final = (EOFError, zlib.error, gzip.BadGzipFile)


def checked_form(form: str) -> str:
    """Refuse a form that cannot be written here."""
    if form == "zst":
        _zstd()
    return form


def stored(path: Path) -> Path:
    """Find a file of records, or the compressed one that stands in its place."""
    places = (path.with_name(f"{path.name}{suffix}") for suffix in FORMS.values())
    return next((place for place in places if place.is_file()), path)


def is_compressed(path: Path) -> bool:
    """Whether the records that stand there are compressed."""
    return stored(path) != path


def decompressed(raw: BufferedReader) -> IO[bytes]:
    """Read what a file holds."""
    beginning = raw.peek(4)
    if beginning.startswith(MARKS[".gz"]):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    return cast("IO[bytes]", _zstd().open(raw)) if beginning.startswith(MARKS[".zst"]) else raw


@contextmanager
def open_records(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of records, or the compressed one that stands in its place."""
    place = stored(path)
    with place.open("rb") as raw, damage_of_compressed_told(place):
        yield decompressed(raw)


@contextmanager
def damage_of_compressed_told(place: Path, *others: type[Exception]) -> Iterator[None]:
    """Say in one line that a compressed file is not whole."""
    try:
        yield
    except Exception as error:
        # The module that has this one is there only where such a file is read.
        if not isinstance(error, (*_DAMAGED, *others)) and type(error).__name__ != "ZstdError":
            raise
        raise RecordError(f"{place}: the compressed file is damaged: {error}") from None


def mapped(path: Path) -> bytes | mmap.mmap:
    """Give the bytes of a file, which the system reads where they are looked at."""
    # Windows does not let a session replace a file that is mapped; nothing maps an empty one.
    if os.name == "nt" or not path.stat().st_size:
        return path.read_bytes()
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def put_records(source: Path, target: Path, form: str) -> None:
    """Put records in their place in a form, and remove those of another form; equal records are equal files."""
    names = {name: target.with_name(f"{target.name}{suffix}") for name, suffix in FORMS.items()}
    place, written = names.pop(form, None) or names.pop("plain"), source
    if place != target:
        written = target.with_name(f"{target.name}.compressed.new")
        written.unlink(missing_ok=True)
        with source.open("rb") as plain, written.open("xb") as raw, _compressed(raw, form) as file:
            shutil.copyfileobj(plain, file)
    for other in names.values():
        other.unlink(missing_ok=True)
    os.replace(written, place)  # noqa: PTH105 - replace is the word for an atomic move
    source.unlink(missing_ok=True)


def _compressed(raw: IO[bytes], form: str) -> Any:
    return gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) if form == "gz" else _zstd().open(raw, "wb")


def _zstd() -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise RecordError(
                "records compressed by Zstandard need Python 3.14 or an extra: pip install 'pytest-verdict[zstd]'"
            ) from None
    return zstd
