"""Files of records, plain, compressed with gzip, or in parts; the first bytes of a file distinguish them."""

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, cast

from pytest_verdict.errors import RecordError, VerdictError

GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK"
MANIFEST: Final = "manifest.json"
"""The file that lists the parts of a report whose records are in several files."""
MANIFEST_MARK: Final = b'{"manifest":'
_DAMAGED: Final = (EOFError, zlib.error, gzip.BadGzipFile)
MALFORMED: Final = (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""The exceptions that a file raises that no session has written."""


def find_stored(path: Path) -> Path:
    """Return the path of a file of records, or the manifest of its parts if only that exists."""
    manifest = path.with_name(MANIFEST)
    return manifest if path.stem == "records" and not path.is_file() and is_manifest(manifest) else path


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


def digest_of_file(file: IO[bytes]) -> str:
    """Return the SHA-256 of an open file."""
    return hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest()


def stored_digest(path: Path) -> str:
    """Return the SHA-256 of a file as it is stored."""
    with path.open("rb") as file:
        return digest_of_file(file)
