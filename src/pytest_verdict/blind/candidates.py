"""Candidates: two outputs, read once and copied to neutral folders that do not show where they come from."""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.record import ExtractedText, RecordedCandidate, RecordedFile
from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.encoding import content_digest, digest, encode
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.judging.documents import FileText, read_text

EXCLUDED: Final = (
    *(".git", ".DS_Store", "__pycache__", "metrics.json", "timing.json", "grading.json"),
    *("eval_metadata.json", "transcript*", "user_notes.md"),
)
"""Names of files that describe a run instead of being its output; excluded from directories by default."""

MAXIMUM_FILES: Final = 1_000
MAXIMUM_BYTES: Final = 20_000_000

_PICTURES: Final = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8"),
    "image/webp": re.compile(rb".{8}WEBP", re.DOTALL),
}


@dataclass(frozen=True)
class CandidateFile:
    path: str
    content: bytes

    @cached_property
    def reading(self) -> FileText:
        """The text that a judge reads, or the reason for a missing text."""
        return read_text(self.path, self.content)

    @property
    def text(self) -> str | None:
        return self.reading.text

    @property
    def image_type(self) -> str:
        """The media type of a picture; empty for any other file."""
        types = (media_type for media_type, signature in _PICTURES.items() if signature.match(self.content))
        return next(types, "")

    def to_json(self) -> dict[str, Any]:
        sha256 = hashlib.sha256(self.content).hexdigest()
        return {"path": self.path, "bytes": len(self.content), "sha256": sha256}

    def to_record(self) -> RecordedFile:
        text, library, _ = self.reading
        extracted = None
        if text is not None and library is not None:
            extracted = ExtractedText(by=library, characters=len(text), sha256=digest(text))
        return RecordedFile(**self.to_json(), extracted=extracted)

    def to_prompt(self) -> dict[str, Any]:
        text, library, _ = self.reading
        if text is None:
            return {**self.to_json(), "text": None}
        if library:
            return {"path": self.path, "extracted_by": library, "text": text}
        return {"path": self.path, "text": text}


@dataclass(frozen=True, slots=True)
class Candidate:
    kind: str
    files: tuple[CandidateFile, ...]
    excluded: tuple[str, ...] = ()
    source: Path | None = None
    # The digest before redaction.
    source_digest: str = ""

    @property
    def digest(self) -> str:
        return content_digest([file.to_json() for file in self.files])

    def to_record(self, name: str) -> RecordedCandidate:
        return RecordedCandidate(
            name=name,
            kind=self.kind,
            source_digest=self.source_digest or self.digest,
            digest=self.digest,
            files=tuple(file.to_record() for file in self.files),
            excluded=self.excluded,
            characters=sum(len(file.content if file.text is None else file.text) for file in self.files),
        )

    def copy_to(self, folder: Path) -> None:
        """Write a neutral copy: readable by everyone, with the same modification time everywhere."""
        folder.mkdir(parents=True)
        for file in self.files:
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            path.chmod(0o644)
        # Start with the deepest paths, because a change in a folder changes the folder's time.
        for path in sorted((folder, *folder.rglob("*")), key=lambda path: len(path.parts), reverse=True):
            os.utime(path, (0, 0))


def read_candidate(output: Any, exclude: Sequence[str] = EXCLUDED) -> Candidate:
    """Read an output: a path, bytes, a text, or any other value, which is written as JSON."""
    if isinstance(output, Path):
        if output.is_dir():
            return _read_directory(output, exclude)
        if not output.is_file():
            raise ConfigurationError(f"there is no file or directory {output}; pass the text of an output as str")
        _refuse_size(output, output.stat().st_size)
        return Candidate("file", (CandidateFile(f"output{output.suffix}", output.read_bytes()),), source=output)

    if isinstance(output, bytes):
        return Candidate("value", (CandidateFile("output.bin", output),))
    if isinstance(output, str):
        is_path = False
        # exists() raises if the text is too long for a path or holds characters that no path has.
        with suppress(OSError, ValueError):
            is_path = bool(output.strip()) and Path(output).exists()
        if is_path:
            raise ConfigurationError(
                f"{shown(output, 200)} names a path that exists: make it a Path to compare the file or directory, or bytes to"
                " compare this text"
            )
        return Candidate("value", (CandidateFile("output.txt", output.encode("utf-8", "surrogatepass")),))
    text = json.dumps(encode(output), indent=2, ensure_ascii=False) + "\n"
    return Candidate("value", (CandidateFile("output.json", text.encode("utf-8", "surrogatepass")),))


def _read_directory(folder: Path, exclude: Sequence[str]) -> Candidate:
    root = folder.resolve()
    files: list[CandidateFile] = []
    excluded: list[str] = []
    total_bytes = 0
    remaining = sorted(folder.iterdir(), reverse=True)
    while remaining:
        path = remaining.pop()
        relative_path = path.relative_to(folder).as_posix()
        if any(fnmatchcase(path.name, pattern) for pattern in exclude):
            excluded.append(relative_path)
        elif path.is_dir() and not path.is_symlink():
            remaining += sorted(path.iterdir(), reverse=True)
        elif not path.is_file():
            raise ConfigurationError(
                f"{visible(str(path))} is a link to a directory, or neither a file nor a directory; leave it out with"
                " exclude="
            )
        elif not path.resolve().is_relative_to(root):
            raise ConfigurationError(
                f"{visible(str(path))} is a link that leads out of {folder}; copy its target instead"
            )
        else:
            total_bytes += path.stat().st_size
            _refuse_size(folder, total_bytes, len(files) + 1)
            files.append(CandidateFile(relative_path, path.read_bytes()))

    files.sort(key=lambda file: file.path)
    return Candidate("directory", tuple(files), tuple(sorted(excluded)), folder)


def _refuse_size(path: Path, size: int, files: int = 1) -> None:
    if size > MAXIMUM_BYTES or files > MAXIMUM_FILES:
        raise ConfigurationError(
            f"{shown(str(path), 200)} is larger than {MAXIMUM_FILES} files or {MAXIMUM_BYTES} bytes, the limits of an output;"
            " leave out what need not be judged with exclude="
        )
