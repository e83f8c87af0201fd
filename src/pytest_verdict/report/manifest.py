"""The manifest of a report whose records are in parts: ``manifest.json`` beside ``report.json``, and the files in ``parts``."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, Final, Literal, cast

from pydantic import TypeAdapter, ValidationError

from pytest_verdict.core.merkle import MerkleTree, subtree_sizes
from pytest_verdict.core.record import Counts, merge_counts, parse_record, sum_counts
from pytest_verdict.core.strict_model import problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import RecordError
from pytest_verdict.report.compression import MANIFEST, digest_of_file, open_content
from pytest_verdict.report.folder import PARTS

_BLOCK: Final = 1 << 20
# A manifest may come from anywhere, and its parts are inside of its folder.
PART_FILE: Final = re.compile(rf"{PARTS}/part-[0-9]{{12,19}}-[0-9a-f]{{32}}\.jsonl(\.gz)?")
_IDENTITY: Final = ("operator", "operator_version", "operator_code", "settings", "threshold")
_GATE: Final = ("name", "verdict", "score", "expected", "observed", "settings", "details")
MISSING: Final = "is missing"
# It replaces an operator for a row that cannot be read.
_REPLACEMENT: Final = "not_compared"


@dataclass(frozen=True, slots=True)
class Part:
    """A file of consecutive records."""

    file: str
    sha256: str
    """The digest of the file as it is stored."""
    before: int
    """The number of records before it."""
    records: int
    counts: Counts
    subtrees: tuple[str, ...]
    """The roots of the largest complete Merkle subtrees over its records."""

    @property
    def has_failures(self) -> bool:
        return any(sum_counts(self.counts)[1:])

    def has_record(self, identifier: str) -> bool:
        """Return whether the ordinal in an id is that of a record of this part."""
        ordinal = identifier.rpartition("-")[2]
        return ordinal.isdecimal() and len(ordinal) < 20 and 0 < int(ordinal) - self.before <= self.records


@dataclass(frozen=True, slots=True)
class Manifest:
    """The members of ``manifest.json``; everything but ``input`` follows from the records."""

    manifest: Literal[1]
    input: dict[str, str]
    """The name and the digest of the data set."""
    check: dict[str, Any]
    """The operator of the rows, its version, code, settings and threshold; empty if the rows have several."""
    gate: dict[str, Any]
    records: int
    counts: Counts
    root: str
    parts: tuple[Part, ...]


_MANIFEST: Final = TypeAdapter(Manifest)


def build_manifest(data: Mapping[str, str], parts: Sequence[Part], check: dict[str, Any], gate: bytes) -> Manifest:
    """Derive the manifest of some parts, of which the last one holds the record of the gate."""
    record = parse_record(gate)
    return Manifest(
        manifest=1,
        input=dict(data),
        check=check,
        gate={name: record[name] for name in _GATE if name in record},
        **_add_up(parts),
        parts=tuple(parts),
    )


def write_manifest(manifest: Manifest) -> Iterator[str]:
    """Write ``manifest.json``, with each part on a line of its own."""
    members = asdict(manifest)
    parts = members.pop("parts")
    yield f'{json.dumps(members)[:-1]}, "parts": [\n'
    yield ",\n".join(map(json.dumps, parts))
    yield "\n]}\n"


def read_manifest(content: bytes, place: object) -> Manifest:
    """Read the content of a manifest; raise a `RecordError` for one that no run has written."""
    try:
        manifest = _MANIFEST.validate_json(content, strict=True)
    except ValidationError as error:
        problem = problems_in(error)[0]
        where = ".".join(map(str, problem.path))
        reason = f"{where}: {problem.message}" if where else problem.message
        raise RecordError(f"{place}: this is no manifest of pytest-verdict: {reason}") from None
    if not manifest.parts:
        raise RecordError(f"{place}: it lists no part, and each run has one with the record of its gate")
    before = 0
    files: set[str] = set()
    for part in manifest.parts:
        follows = part.before == before and part.records > 0
        follows = follows and len(list(subtree_sizes(part.before, part.records))) == len(part.subtrees)
        if PART_FILE.fullmatch(part.file) is None or part.file in files or not follows:
            raise RecordError(
                f"{place}: {part.file!r} is no name of a part, or its entry does not follow those before it"
            )
        before += part.records
        files.add(part.file)
    try:
        totals = _add_up(manifest.parts)
    except ValueError:
        raise RecordError(f"{place}: a part is listed with a subtree that is no digest") from None
    for name, total in totals.items():
        says = getattr(manifest, name)
        if says != total:
            raise RecordError(
                f"{place}: {name}: says {shown(says, 200)}, and {shown(total, 200)} follows from its parts"
            )
    return manifest


def _add_up(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the members of the manifest that follow from the entries of its parts."""
    counts: Counts = {}
    tree = MerkleTree()
    for part in parts:
        merge_counts(counts, part.counts)
        for size, root in zip(subtree_sizes(part.before, part.records), part.subtrees, strict=True):
            tree.add_subtree(size, bytes.fromhex(root))
    return {"records": sum(part.records for part in parts), "counts": counts, "root": tree.root()}


def open_parts(path: Path, parts: Iterable[Part]) -> BufferedReader:
    """Return a file of the records of some parts, one after the other; a part that was altered is refused."""
    return BufferedReader(_Joined(_read_blocks(path, parts)), _BLOCK)


def find_problem(path: Path, part: Part) -> str:
    """Return why a part is not the one that the manifest at a path lists; an empty text if it is."""
    try:
        with _open_stored(path, part.file) as file:
            digest = digest_of_file(file)
    except (FileNotFoundError, KeyError):
        return MISSING
    return "" if digest == part.sha256 else f"was changed: its SHA-256 is not the one in {MANIFEST}"


@contextmanager
def open_part(path: Path, part: Part) -> Iterator[IO[bytes]]:
    """Open a part for reading its records, whether it was altered or not."""
    with _open_stored(path, part.file) as file:
        yield open_content(file)


@contextmanager
def _open_stored(path: Path, name: str) -> Iterator[BufferedReader]:
    """Open a file of a report, whose manifest or bundle is at the path."""
    if not zipfile.is_zipfile(path):
        with (path.parent / name).open("rb") as file:
            yield file
    else:
        with zipfile.ZipFile(path) as bundle, bundle.open(name) as member:
            yield BufferedReader(cast("RawIOBase", member))


def _read_blocks(path: Path, parts: Iterable[Part]) -> Iterator[bytes]:
    for part in parts:
        problem = find_problem(path, part)
        if problem:
            raise RecordError(f"{path.parent / part.file}: the part {problem}")
        with open_part(path, part) as file:
            while block := file.read(_BLOCK):
                yield block


class _Joined(RawIOBase):
    """A file of consecutive blocks."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def read_check(lines: Iterable[bytes]) -> dict[str, Any]:
    """Return the operator of the first row that was compared, with everything that identifies it."""
    for line in lines:
        record = parse_record(line)
        if record["operator"] != _REPLACEMENT:
            return {name: record[name] for name in _IDENTITY if name in record}
    return {}


def derive_manifest(path: Path, manifest: Manifest) -> Manifest:
    """Derive a manifest again from the digests of its parts, its first rows and the record of its gate."""
    check = manifest.check
    if check:
        with open_parts(path, manifest.parts) as file:
            check = read_check(file)
    with open_parts(path, manifest.parts[-1:]) as file:
        *_, gate = file
    return build_manifest(manifest.input, manifest.parts, check, gate)
