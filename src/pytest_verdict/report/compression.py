"""Files of records, plain, compressed with gzip, or in parts; the first bytes of a file distinguish them."""

import gzip
import hashlib
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, cast

from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.errors import RecordError, VerdictError

FORMS: Final = ("plain", "gz")
"""The values of the ini key ``verdict_records``."""
GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK"
MANIFEST: Final = "manifest.json"
"""The file that lists the parts of a report whose records are in several files."""
MANIFEST_MARK: Final = b'{"manifest":'
_LEVEL: Final = 6
_DAMAGED: Final = (EOFError, zlib.error, gzip.BadGzipFile)
MALFORMED: Final = (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""The exceptions that a file raises that no session has written."""


def find_stored(path: Path) -> Path:
    """Return the path of a file of records: plain, or compressed or the manifest of its parts if only that exists."""
    compressed = path.with_name(f"{path.name}.gz")
    manifest = path.with_name(MANIFEST)
    if path.is_file():
        return path
    if compressed.is_file():
        return compressed
    if path.stem == "records" and is_manifest(manifest):
        return manifest
    return path


def is_manifest(path: Path) -> bool:
    """Return whether a file is the manifest of a report; other programs call their files so, too."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MANIFEST_MARK)) == MANIFEST_MARK


def content_of_manifest(path: Path) -> bytes | None:
    """Read the manifest at a path, or in the bundle there; None for other records."""
    with path.open("rb") as raw:
        if raw.peek(len(MANIFEST_MARK)).startswith(MANIFEST_MARK):
            return raw.read()
        if not raw.peek(len(ZIP)).startswith(ZIP):
            return None
        # Not above, because it takes milliseconds.
        import zipfile

        with zipfile.ZipFile(raw) as bundle:
            return bundle.read(MANIFEST) if MANIFEST in bundle.namelist() else None


def open_decompressed(raw: BufferedReader, *, only_failing: bool = False) -> IO[bytes]:
    """Return the file, a file of its decompressed content, or one of the parts that it lists.

    Without failing records, a part is left out if only these are needed.
    """
    if raw.peek(2).startswith(GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if raw.peek(len(MANIFEST_MARK)).startswith(MANIFEST_MARK):
        # Imported only for a manifest, because it needs pydantic.
        from pytest_verdict.report.manifest import open_parts, read_manifest

        path = Path(raw.name)
        parts = read_manifest(raw.read(), path).parts
        return open_parts(path, [part for part in parts if not only_failing or part.has_failures])
    return raw


@contextmanager
def open_records(path: Path, *, only_failing: bool = False) -> Iterator[IO[bytes]]:
    with find_stored(path).open("rb") as raw:
        try:
            yield open_decompressed(raw, only_failing=only_failing)
        except _DAMAGED as error:
            raise RecordError(f"{find_stored(path)}: the compressed file is damaged: {error}") from None


@contextmanager
def reporting_damage(what: str) -> Iterator[None]:
    """Raise a `RecordError` of one line for a file that no session has written."""
    try:
        yield
    except VerdictError:
        raise
    except Exception as error:
        # Imported only for damaged files, because it takes milliseconds.
        import struct
        import zipfile

        damages = (*MALFORMED, *_DAMAGED, OSError, RuntimeError, struct.error, zipfile.BadZipFile)
        if not isinstance(error, damages) or getattr(error, "filename", None) is not None:
            raise
        raise RecordError(f"{what}: {error!r}") from None


def put_records(source: Path, target: Path, new: NewFiles, *, compress: bool) -> None:
    """Move records to their place, compressed or plain, and remove the other form."""
    compressed = target.with_name(f"{target.name}.gz")
    if not compress:
        compressed.unlink(missing_ok=True)
        source.replace(target)
        return
    path = new.path(compressed.name)
    # Without name and time, equal records are equal files.
    with source.open("rb") as plain, path.open("xb") as raw, gzip.GzipFile("", "wb", _LEVEL, raw, 0) as file:
        shutil.copyfileobj(plain, file)
    target.unlink(missing_ok=True)
    new.put_in_place([compressed.name])
    source.unlink(missing_ok=True)


def digest_of_file(file: IO[bytes]) -> str:
    """Return the SHA-256 of an open file."""
    return hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest()


def stored_digest(path: Path) -> str:
    """Return the SHA-256 of a file as it is stored."""
    with path.open("rb") as file:
        return digest_of_file(file)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; for a compressed file, of its decompressed content; for records in parts, of the manifest."""
    stored = find_stored(path)
    if stored.name == MANIFEST:
        return stored_digest(stored)
    with open_records(stored) as file:
        return digest_of_file(file)
