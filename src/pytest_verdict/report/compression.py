"""Files of records, plain, compressed with gzip, or in parts; the first bytes of a file distinguish them."""

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from pytest_verdict.errors import RecordError, VerdictError

if TYPE_CHECKING:
    from pytest_verdict.report.manifest import Part

GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK"
MANIFEST: Final = "manifest.json"
"""The file that lists the parts of a report whose records are in several files."""
MANIFEST_MARK: Final = b'{"manifest":'
Select = Callable[["Part"], bool]
"""Returns whether the records of a part are needed."""
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


def content_of_manifest(raw: BufferedReader) -> bytes | None:
    """Read the manifest in a file, or in a bundle; None for other records."""
    head = raw.peek(len(MANIFEST_MARK))
    if head.startswith(MANIFEST_MARK):
        return raw.read()
    if not head.startswith(ZIP):
        return None
    # Not above, because it takes milliseconds.
    import zipfile

    bundle = zipfile.ZipFile(raw)
    return bundle.read(MANIFEST) if MANIFEST in bundle.namelist() else None


def open_content(raw: BufferedReader, select: Select | None = None) -> IO[bytes]:
    """Return the records of a file: plain, compressed, in a bundle, or in the selected parts that it lists."""
    if raw.peek(2).startswith(GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    is_bundle = raw.peek(2).startswith(ZIP)
    manifest = content_of_manifest(raw)
    if manifest is not None:
        # Imported only for a manifest, because it needs pydantic.
        from pytest_verdict.report.manifest import open_parts, read_manifest

        path = Path(raw.name)
        parts = read_manifest(manifest, path).parts
        return open_parts(path, [part for part in parts if select is None or select(part)])
    if is_bundle:
        import zipfile

        return zipfile.ZipFile(raw).open("records.jsonl")
    return raw


@contextmanager
def open_records(path: Path, select: Select | None = None) -> Iterator[IO[bytes]]:
    with find_stored(path).open("rb") as raw:
        try:
            yield open_content(raw, select)
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
