"""The folder of a comparison: the commitment, written before the judge is asked, and the record, written afterwards."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.assignment import Assignment, hash_json
from pytest_verdict.blind.comparison_json import FILE_NAME, format_comparison
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


def write_commitment(folder: Path, assignment: Assignment) -> None:
    """Write the commitment and remove the files of an earlier comparison."""
    for name in (FILE_NAME, RECORD):
        (folder / name).unlink(missing_ok=True)
    commitment = {"commitment": assignment.commitment, "comparison": assignment.comparison}
    write_whole(folder / COMMITMENT, json.dumps(commitment, indent=2) + "\n")


def write_result(folder: Path, result: ComparisonResult) -> None:
    """Write the record and, if a reply holds a verdict, ``comparison.json``."""
    document = result.details.get("comparison")
    if document is not None:
        write_whole(folder / FILE_NAME, format_comparison(document))
    write_whole(folder / RECORD, f"{result.to_text()}\n")


def verify_folder(folder: Path, commitment: str | None = None) -> Iterator[str]:
    """Yield what does not match the commitment or does not follow from the replies.

    Args:
        folder: The folder of a comparison.
        commitment: The commitment as it was kept in another place, if it was.

    Raises:
        RecordError: A file is missing or cannot be read.
    """
    record = read_record(folder / RECORD)
    if record.operator != BlindPreference.name:
        raise RecordError(
            f"{folder / RECORD}: this is the record of {visible(record.operator)}, not of a blind comparison"
        )
    try:
        is_intact = derive(record.observed).intact
    except NotAComparisonError as error:
        raise RecordError(f"{folder / RECORD}: this is no blind comparison: {error}") from None

    file = read_object(folder / COMMITMENT)
    recorded_commitment = record.observed["assignment"].get("commitment")
    if not is_intact:
        yield "the record was altered: its assignment, its setup or a call does not match the commitment"
    if file.get("commitment") != recorded_commitment:
        yield f"{COMMITMENT} holds another commitment than the record"
    if file.get("comparison") != hash_json("comparison", record.observed["comparison"]):
        yield f"{COMMITMENT} is about another comparison than the record"
    if commitment is not None and commitment != recorded_commitment:
        yield "the given commitment is not the one in the record"

    operator = BlindPreference(**record.settings)
    result = run(operator, record.expected, record.observed, threshold=record.threshold, name=record.name)
    if _read_bytes(folder / RECORD) != f"{result.to_text()}\n".encode():
        yield "the record's verdict does not follow from the replies in it"
    document = record.details.get("comparison")
    comparison = None if document is None else format_comparison(document).encode()
    if _read_bytes(folder / FILE_NAME) != comparison:
        yield f"{FILE_NAME} is not the comparison that the record holds"


def list_foreign_files(folder: Path) -> list[str]:
    """Return the names of files in a folder that do not belong to a comparison and were not verified."""
    return sorted({path.name for path in folder.iterdir()} - {COMMITMENT, FILE_NAME, RECORD})


def read_record(path: Path) -> ComparisonResult:
    """Read the record of a comparison."""
    return ComparisonResult.from_record(read_object(path))


def _read_bytes(path: Path) -> bytes | None:
    """Return the content of a file with Unix line ends, because a Git checkout may change them; None without a file."""
    try:
        return path.read_bytes().replace(b"\r\n", b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error}") from None


def read_json(path: Path, error_class: type[VerdictError] = RecordError, label: str = "") -> Any:
    """Read a JSON file in which no key occurs twice; ``label`` replaces the path in an error."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        parse_json(text)
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise error_class(f"{label or path} cannot be read: {error}") from None


def read_object(path: Path, error_class: type[VerdictError] = RecordError) -> dict[str, Any]:
    """Read a JSON file that holds one object."""
    document = read_json(path, error_class)
    if not isinstance(document, dict):
        raise error_class(f"{path}: the top level is an object")
    return document
