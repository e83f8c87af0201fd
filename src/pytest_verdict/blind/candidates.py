"""Candidates: two outputs, read once, and shown as neutral copies that do not say where they come from."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.encoding import content_digest, digest, encode
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.judging.documents import FileText, read_text

EXCLUDED: Final = (
    *(".git", ".DS_Store", "__pycache__", "metrics.json", "timing.json", "grading.json"),
    *("eval_metadata.json", "transcript*", "user_notes.md"),
)
"""Files that describe a run instead of being its output; left out of every directory."""

# What a picture begins with, or has at a place.
_PICTURES: Final = {
    "image/png": (b"\x89PNG\r\n\x1a\n", 0),
    "image/jpeg": (b"\xff\xd8\xff", 0),
    "image/gif": (b"GIF8", 0),
    "image/webp": (b"WEBP", 8),
}

MOST_FILES: Final = 1_000
MOST_BYTES: Final = 20_000_000


@dataclass(frozen=True)
class CandidateFile:
    """One file of an output."""

    path: str
    content: bytes

    @cached_property
    def reading(self) -> FileText:
        """What a judge can read of it."""
        return read_text(self.path, self.content)

    @property
    def text(self) -> str | None:
        """Its text, extracted where it is a document; None when a judge can read nothing of it."""
        return self.reading.text

    @property
    def image_type(self) -> str:
        """The media type of a picture; empty for any other file."""
        return next((kind for kind, (start, at) in _PICTURES.items() if self.content[at:].startswith(start)), "")

    def written(self) -> dict[str, Any]:
        """Describe the file as JSON."""
        sha256 = hashlib.sha256(self.content).hexdigest()
        return {"path": self.path, "bytes": len(self.content), "sha256": sha256}

    def described(self) -> dict[str, Any]:
        """Describe the file and, if its text was extracted, by what and which."""
        text, extractor = self.reading.text, self.reading.extracted_by
        if text is None or extractor is None:
            return self.written()
        return {**self.written(), "extracted": {"by": extractor, "characters": len(text), "sha256": digest(text)}}

    def presented(self) -> dict[str, Any]:
        """Give what a judge reads: the text, or size and digest of a file that has none."""
        text, extractor = self.reading.text, self.reading.extracted_by
        if text is None:
            return {**self.written(), "text": None}
        return {"path": self.path, **({"extracted_by": extractor} if extractor else {}), "text": text}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the two outputs."""

    kind: str
    files: tuple[CandidateFile, ...]
    excluded: tuple[str, ...] = ()
    source: Path | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of path, size and digest of each file, in hexadecimal."""
        return content_digest([file.written() for file in self.files])

    @property
    def extracted(self) -> dict[str, str | None]:
        """The texts that were extracted from its files."""
        return {file.path: file.text for file in self.files if file.reading.extracted_by}

    @property
    def characters(self) -> int:
        """Its length: characters where there is text, bytes otherwise."""
        return sum(len(file.content if (text := file.text) is None else text) for file in self.files)

    def copy_to(self, folder: Path) -> None:
        """Write a neutral copy: sorted, readable by all, with the same times everywhere."""
        folder.mkdir(parents=True)
        for file in self.files:
            place = folder / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            place.chmod(0o644)
        for place in sorted((folder, *folder.rglob("*")), key=lambda path: len(path.parts), reverse=True):
            os.utime(place, (0, 0))


def read_candidate(given: Any, exclude: Sequence[str] = EXCLUDED) -> Candidate:
    """Read an output."""
    if isinstance(given, Path):
        if given.is_dir():
            return _from_directory(given, exclude)
        if not given.is_file():
            raise ConfigurationError(
                f"there is no file or directory {given}; a text that is the output itself is given as str"
            )
        _refuse_size(given, given.stat().st_size)
        return Candidate("file", (CandidateFile(f"output{given.suffix}", given.read_bytes()),), (), given)
    if isinstance(given, bytes):
        return Candidate("value", (CandidateFile("output.bin", given),))
    if isinstance(given, str):
        _refuse_path(given)
        return Candidate("value", (CandidateFile("output.txt", given.encode("utf-8", "surrogatepass")),))
    text = json.dumps(encode(given), indent=2, ensure_ascii=False) + "\n"
    return Candidate("value", (CandidateFile("output.json", text.encode("utf-8", "surrogatepass")),))


def _refuse_path(text: str) -> None:
    try:
        is_path = bool(text.strip()) and Path(text).exists()
    except (OSError, ValueError):
        # Too long for a path, or with characters that none has.
        return
    if is_path:
        raise ConfigurationError(
            f"{shown(text, 200)} names a path that exists: make it a Path to compare what is there, or bytes if the output is"
            " this text"
        )


def _from_directory(folder: Path, exclude: Sequence[str]) -> Candidate:
    root = folder.resolve()
    files: list[CandidateFile] = []
    excluded: list[Path] = []
    total = 0
    for place in _walk(folder, exclude, excluded):
        if not place.resolve().is_relative_to(root):
            raise ConfigurationError(f"{visible(str(place))} is a link that leads out of {folder}; copy what it names")
        total += place.stat().st_size
        _refuse_size(folder, total, len(files) + 1)
        files.append(CandidateFile(place.relative_to(folder).as_posix(), place.read_bytes()))
    found = tuple(sorted(files, key=lambda file: file.path))
    return Candidate(
        "directory", found, tuple(sorted(path.relative_to(folder).as_posix() for path in excluded)), folder
    )


def _walk(folder: Path, exclude: Sequence[str], excluded: list[Path]) -> Iterator[Path]:
    for place in sorted(folder.iterdir()):
        if any(fnmatchcase(place.name, pattern) for pattern in exclude):
            excluded.append(place)
        elif place.is_dir() and not place.is_symlink():
            yield from _walk(place, exclude, excluded)
        elif place.is_file():
            yield place
        else:
            raise ConfigurationError(
                f"{visible(str(place))} is a link to a directory, or neither a file nor a directory; leave it out with"
                " exclude="
            )


def _refuse_size(place: Path, size: int, files: int = 1) -> None:
    if size > MOST_BYTES or files > MOST_FILES:
        raise ConfigurationError(
            f"{shown(str(place), 200)} is larger than {MOST_FILES} files or {MOST_BYTES} bytes, which no judge reads;"
            " leave out what need not be judged with exclude="
        )
