"""The files of a comparison: the commitment, written before the judge is asked, the record, and ``comparison.json``."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.record import hash_json
from pytest_verdict.core.kernel import run
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import visible
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.errors import RecordError

COMMITMENT: Final = "commitment.json"
COMPARISON: Final = "comparison.json"
RECORD: Final = "blind.json"


def write_commitment(folder: Path, commitment: str, comparison: str) -> None:
    """Write the commitment and remove the files of an earlier comparison."""
    for name in (COMPARISON, RECORD):
        (folder / name).unlink(missing_ok=True)
    write_whole(folder / COMMITMENT, format_json({"commitment": commitment, "comparison": comparison}))


def write_result(folder: Path, result: ComparisonResult) -> None:
    document = result.details.get("comparison")
    if document is not None:
        write_whole(folder / COMPARISON, format_json(document))
    write_whole(folder / RECORD, f"{result.to_text()}\n")


def format_json(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, indent=2, ensure_ascii=False)
    # UTF-8 cannot encode half of a surrogate pair, but JSON can escape it.
    if text.encode("utf-8", "replace").decode("utf-8") != text:
        text = json.dumps(document, indent=2)
    return text + "\n"


def verify_folder(folder: Path, commitment: str | None = None) -> Iterator[str]:
    """Yield what does not match the commitment, or a copy of it, or does not follow from the replies."""
    record = read_record(folder / RECORD)
    if record.operator != BlindPreference.name:
        raise RecordError(
            f"{folder / RECORD}: this is the record of {visible(record.operator)}, not of a blind comparison"
        )
    operator = BlindPreference(**record.settings)
    result = run(operator, record.expected, record.observed, threshold=record.threshold, name=record.name)
    if "problem" in result.details:
        raise RecordError(f"{folder / RECORD}: this is no blind comparison: {result.details['problem']}")
    if "commitment_broken" in result.notes:
        yield "the record was altered: its assignment, its setup or a call does not match the commitment"
    recorded_commitment = record.observed["assignment"]["commitment"]
    if commitment is not None and commitment != recorded_commitment:
        yield "the given commitment is not the one in the record"

    comparison = hash_json("comparison", record.observed["comparison"])
    documents = {
        COMMITMENT: {"commitment": recorded_commitment, "comparison": comparison},
        COMPARISON: result.details.get("comparison"),
    }
    texts = {name: None if document is None else format_json(document) for name, document in documents.items()}
    for name, text in {**texts, RECORD: f"{result.to_text()}\n"}.items():
        if _read_bytes(folder / name) != (None if text is None else text.encode()):
            yield f"{name} does not follow from the replies and the assignment in the record"


def read_record(path: Path) -> ComparisonResult:
    return ComparisonResult.from_record(read_object(path))


def _read_bytes(path: Path) -> bytes | None:
    """Return the content of a file with Unix line ends, because a Git checkout may change them; None without a file."""
    try:
        return path.read_bytes().replace(b"\r\n", b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error}") from None


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object in which no key occurs twice."""
    try:
        document = parse_json_with_floats(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from None
    if not isinstance(document, dict):
        raise RecordError(f"{path}: the top level is an object")
    return document
