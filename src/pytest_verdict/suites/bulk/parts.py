"""Parts: the files that a unit leaves, whole or not at all, and known again by what they were made of."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from pytest_verdict.report.statements import file_digest
from pytest_verdict.suites.bulk.fold import Fold, Part

LINES: Final = ".jsonl"
KEYS: Final = ".keys"
_PREFIX: Final = "part-"
_BLOCK: Final = 1 << 20
_FOLD: Final = TypeAdapter(Fold)


def part_name(number: int, key: str) -> str:
    """Name the part of a unit by all that it is made of."""
    return f"{_PREFIX}{number:06}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def write_part(folder: Path, name: str, pieces: Iterable[bytes]) -> Part:
    """Write a file that is there as a whole or not at all."""
    # A unit may run twice at once, when an engine gave the first one up too early; both write the same.
    new = folder / f"{name}.{uuid4().hex}.new"
    digest = hashlib.sha256()
    try:
        with new.open("xb", _BLOCK) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
            size = file.tell()
        os.replace(new, folder / name)  # noqa: PTH105 - replace is the word for an atomic move
    finally:
        new.unlink(missing_ok=True)
    return Part(name, size, digest.hexdigest())


def write_fold(folder: Path, name: str, fold: Fold) -> None:
    """Write what came of a unit, beside its parts and after them."""
    write_part(folder, f"{name}.json", [_FOLD.dump_json(fold)])


def read_fold(folder: Path, name: str) -> Fold | None:
    """Read what came of a unit that was scored before, if its parts are as they were written."""
    try:
        fold = _FOLD.validate_json((folder / f"{name}.json").read_bytes(), strict=True)
        return fold if all(file_digest(folder / part.name) == part.sha256 for part in fold.parts) else None
    except (OSError, ValidationError):
        return None


def pieces_of(folder: Path, fold: Fold) -> Iterator[bytes]:
    """Read the records one part after another."""
    for path in paths_of(folder, fold, LINES):
        with path.open("rb") as file:
            while piece := file.read(_BLOCK):
                yield piece


def paths_of(folder: Path, fold: Fold, kind: str) -> list[Path]:
    """Give the parts of a kind, in the order of the rows."""
    return [folder / part.name for part in fold.parts if part.name.endswith(kind)]


def remove_parts(folder: Path) -> None:
    """Remove parts and nothing else."""
    for path in folder.glob(f"{_PREFIX}*"):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
