"""The files of a comparison: the commitment, the record and ``comparison.json``, which other programs write as well."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.record import hash_json
from pytest_verdict.blind.reply import read_reply
from pytest_verdict.blind.rubric import DIMENSIONS, Rubric, Winner
from pytest_verdict.core.kernel import run
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.errors import RecordError, SettingsError

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


@dataclass(frozen=True, slots=True)
class ImportedComparison:
    """A ``comparison.json`` of another program, its winner by the scores, and a warning for each claim that differs."""

    document: dict[str, Any]
    derived_winner: Winner
    warnings: tuple[str, ...]


def read_comparison(source: str | os.PathLike[str]) -> ImportedComparison:
    """Read a ``comparison.json`` of another program, whose winner and totals may not follow from its scores.

    Args:
        source: The path of a file, or JSON text that begins with a brace.

    Returns:
        The comparison, with a warning for each claim that does not follow from the scores.

    Raises:
        RecordError: It cannot be read, or it does not score the same criteria and expectations for A and B.

    Example:
        >>> imported = read_comparison('''{"winner": "B", "rubric": {
        ...     "A": {"content": {"correctness": 5}, "structure": {"order": 4}, "overall_score": 9.0},
        ...     "B": {"content": {"correctness": 3}, "structure": {"order": 3}, "overall_score": 6.0}}}''')
        >>> imported.derived_winner, imported.warnings[0]
        ('A', 'winner: claimed B, derived A (winner_opposite)')
    """
    try:
        is_text = isinstance(source, str) and source.lstrip().startswith("{")
        text = str(source) if is_text else Path(source).read_text(encoding="utf-8-sig")
        document = parse_json_with_floats(text)
        criteria: Any = {name: list(document["rubric"]["A"][name]) for name in DIMENSIONS}
        rubric = Rubric(id="imported", version=1, step="1/2", **criteria)
        # One implementation of the pattern calls them assertion_results.
        results = document.get("expectation_results") or document.get("assertion_results")
        expectations = [answer.get("text", "") for answer in results["A"]["details"]] or [""] if results else ()
        reply = read_reply(json.dumps({**document, "expectation_results": results}), rubric, expectations)
    except (OSError, ValueError, SettingsError, LookupError, TypeError, AttributeError) as error:
        raise RecordError(f"{shown(source, 80)} is no comparison.json: {type(error).__name__}: {error}") from None
    warnings = tuple(
        f"{one.where}: claimed {one.claimed}, derived {one.derived} ({one.code})" for one in reply.contradictions
    )
    return ImportedComparison(document, reply.winner, warnings)
