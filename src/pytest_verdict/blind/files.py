"""The files of a comparison: the commitment, written before the judge is asked, and the rest, written afterwards."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.assignment import Assignment, digest_of
from pytest_verdict.blind.comparison_json import FILE_NAME, write_comparison
from pytest_verdict.blind.derivation import NotAComparisonError, derive
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.core.kernel import run
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import visible
from pytest_verdict.core.values.jsontext import parse_json
from pytest_verdict.errors import RecordError, VerdictError

COMMITMENT: Final = "commitment.json"
RECORD: Final = "blind.json"


def write_before(folder: Path, assignment: Assignment) -> None:
    """Write the commitment, before the judge is asked."""
    for old in (FILE_NAME, RECORD):
        (folder / old).unlink(missing_ok=True)
    settled = {"commitment": assignment.commitment, "comparison": assignment.comparison}
    write_whole(folder / COMMITMENT, json.dumps(settled, indent=2) + "\n")


def write_after(folder: Path, result: ComparisonResult) -> None:
    """Write the record and, if there was a verdict, ``comparison.json``."""
    document = result.details.get("comparison")
    if document is not None:
        write_whole(folder / FILE_NAME, write_comparison(document))
    write_whole(folder / RECORD, f"{result.to_text()}\n")


def verify_folder(folder: Path, commitment: str | None = None) -> Iterator[str]:
    """Name what does not fit the commitment or does not follow from the replies."""
    record = read_record(folder / RECORD)
    if record.operator != BlindPreference.name:
        raise RecordError(
            f"{folder / RECORD}: this is the record of {visible(record.operator)}, not of a blind comparison"
        )
    try:
        found = derive(record.observed)
    except NotAComparisonError as error:
        raise RecordError(f"{folder / RECORD}: this is no blind comparison: {error}") from None
    yield from _about_commitment(folder, record, commitment, intact=found.intact)
    operator = BlindPreference(**record.settings)
    again = run(operator, record.expected, record.observed, threshold=record.threshold, name=record.name)
    if _bytes(folder / RECORD) != f"{again.to_text()}\n".encode():
        yield "the record's verdict does not follow from the replies in it"
    document = record.details.get("comparison")
    if _bytes(folder / FILE_NAME) != (None if document is None else write_comparison(document).encode()):
        yield f"{FILE_NAME} is not the comparison that the record holds"


def foreign_files(folder: Path) -> list[str]:
    """Name what lies in the folder of a comparison and is no part of it, so that nobody takes it for evidence."""
    return sorted({path.name for path in folder.iterdir()} - {COMMITMENT, FILE_NAME, RECORD})


def _about_commitment(folder: Path, record: ComparisonResult, elsewhere: str | None, *, intact: bool) -> Iterator[str]:
    observed, kept = record.observed, read_object(folder / COMMITMENT)
    own = observed["assignment"].get("commitment")
    if not intact:
        yield (
            "the assignment is not the one that was committed to, or a call or something that was settled before was altered"
        )
    if kept.get("commitment") != own:
        yield f"{COMMITMENT} holds another commitment than the record"
    if kept.get("comparison") != digest_of("comparison", observed["comparison"]):
        yield f"{COMMITMENT} is about something else than what the record says was settled"
    if elsewhere is not None and elsewhere != own:
        yield "the commitment kept elsewhere is another one"


def read_record(path: Path) -> ComparisonResult:
    """Read the record of a comparison."""
    return ComparisonResult.from_record(read_object(path))


def _bytes(path: Path) -> bytes | None:
    """Read a file, with the line ends of Windows undone, which a checkout may have put in; None without a file."""
    try:
        return path.read_bytes().replace(b"\r\n", b"\n") if path.exists() else None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error}") from None


def read_json(path: Path, refusal: type[VerdictError] = RecordError, where: str = "") -> Any:
    """Read a JSON file in which no key occurs twice."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        parse_json(text)
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise refusal(f"{where or path} cannot be read: {error}") from None


def read_object(path: Path, refusal: type[VerdictError] = RecordError) -> dict[str, Any]:
    """Read a JSON file with one object."""
    found = read_json(path, refusal)
    if not isinstance(found, dict):
        raise refusal(f"{path}: the top level is an object")
    return found
