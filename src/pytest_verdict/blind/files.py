"""The files of a comparison: the commitment, written before the judge is asked, the record, and ``comparison.json``."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.preference import BlindPreference, NotAComparisonError, derive
from pytest_verdict.blind.protocol import Assignment, hash_json
from pytest_verdict.blind.reply import read_number
from pytest_verdict.blind.rubric import DIMENSIONS, LABELS, Label, Scores, Winner, decide_winner
from pytest_verdict.core.kernel import run
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import RecordError, VerdictError

COMMITMENT: Final = "commitment.json"
COMPARISON: Final = "comparison.json"
RECORD: Final = "blind.json"
_MAXIMUM_EXPECTATIONS: Final = 1_000


def write_commitment(folder: Path, assignment: Assignment) -> None:
    """Write the commitment and remove the files of an earlier comparison."""
    for name in (COMPARISON, RECORD):
        (folder / name).unlink(missing_ok=True)
    commitment = {"commitment": assignment.commitment, "comparison": assignment.comparison}
    write_whole(folder / COMMITMENT, json.dumps(commitment, indent=2) + "\n")


def write_result(folder: Path, result: ComparisonResult) -> None:
    document = result.details.get("comparison")
    if document is not None:
        write_whole(folder / COMPARISON, format_comparison(document))
    write_whole(folder / RECORD, f"{result.to_text()}\n")


def format_comparison(document: Mapping[str, Any]) -> str:
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
    if _read_bytes(folder / COMPARISON) != comparison:
        yield f"{COMPARISON} is not the comparison that the record holds"


def list_foreign_files(folder: Path) -> list[str]:
    """Return the names of files in a folder that do not belong to a comparison and were not verified."""
    return sorted({path.name for path in folder.iterdir()} - {COMMITMENT, COMPARISON, RECORD})


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


def read_json(path: Path, error_class: type[VerdictError] = RecordError, label: str = "") -> Any:
    """Read a JSON file in which no key occurs twice; ``label`` replaces the path in an error."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        parse_json(text)
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise error_class(f"{label or path} cannot be read: {error}") from None


def read_object(path: Path, error_class: type[VerdictError] = RecordError) -> dict[str, Any]:
    document = read_json(path, error_class)
    if not isinstance(document, dict):
        raise error_class(f"{path}: the top level is an object")
    return document


@dataclass(frozen=True, slots=True)
class ImportedComparison:
    """A ``comparison.json`` of another program."""

    document: dict[str, Any]
    derived_winner: Winner | None
    warnings: tuple[str, ...]

    @property
    def winner(self) -> Winner | None:
        """The winner in the file, in upper case; None without a winner."""
        winner = str(self.document.get("winner", "")).strip().upper()
        if winner not in ("A", "B", "TIE"):
            return None
        return winner  # type: ignore[return-value]


def read_comparison(source: str | os.PathLike[str]) -> ImportedComparison:
    """Read a ``comparison.json``, even if numbers that can be computed are missing or wrong.

    Args:
        source: The path of a file, or JSON text that begins with a brace.

    Returns:
        The comparison, with a warning for each deviation from the pattern.

    Raises:
        RecordError: It cannot be read, is no JSON object, or has no rubric for A and B.

    Example:
        >>> imported = read_comparison('''{"winner": "B", "rubric": {
        ...     "A": {"content": {"correctness": 5}, "structure": {"order": 4}, "overall_score": 9.0},
        ...     "B": {"content": {"correctness": 3}, "structure": {"order": 3}, "overall_score": 6.0}}}''')
        >>> imported.derived_winner, imported.warnings[-1]
        ('A', "winner is 'B', by the scores it is A")
    """
    try:
        text = source
        if not isinstance(source, str) or not source.lstrip().startswith("{"):
            text = Path(source).read_text(encoding="utf-8-sig")
        exact_document = parse_json(str(text))
        document = json.loads(str(text))
    except JsonTextError as error:
        raise RecordError(f"this is no comparison.json: {error}") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"{shown(source, 80)} cannot be read: {error}") from None

    rubric = exact_document.get("rubric") if isinstance(exact_document, dict) else None
    if not isinstance(rubric, dict) or not all(isinstance(rubric.get(label), dict) for label in LABELS):
        raise RecordError("this is no comparison.json: it has no rubric for A and B")
    warnings: list[str] = []
    winner = _derive_winner(exact_document, rubric, warnings)
    return ImportedComparison(document, winner, tuple(warnings))


def _derive_winner(document: Mapping[str, Any], rubric: Mapping[str, Any], warnings: list[str]) -> Winner | None:
    """Return the winner by the scores, None if a score is missing; append a warning for each deviation."""
    sides = {label: _read_scores(label, rubric[label], warnings) for label in LABELS}
    scores = {label: side for label, side in sides.items() if side is not None}
    if len(scores) < len(LABELS):
        return None

    for dimension in DIMENSIONS:
        first, second = (set(getattr(scores[label], dimension)) for label in LABELS)
        if first != second:
            warnings.append(f"the {dimension} criteria of A and B are not the same")
    for label in LABELS:
        for name, value in scores[label].totals.items():
            claimed = read_number(rubric[label].get(name))
            if claimed is None:
                warnings.append(f"rubric.{label}.{name} is missing; it is {value}")
            elif abs(claimed - Fraction(value)) > Fraction(1, 10):
                warnings.append(f"rubric.{label}.{name} is {float(claimed):.6g}, by the scores it is {value}")

    passed = None
    # One implementation of the pattern calls them assertion_results.
    results: Any = document.get("expectation_results") or document.get("assertion_results")
    if isinstance(results, dict):
        passed = {label: _read_answers(label, results.get(label), warnings) for label in LABELS}
    winner = decide_winner(scores, passed)
    if document.get("winner") != winner:
        warnings.append(f"winner is {shown(document.get('winner'), 20)}, by the scores it is {winner}")
    return winner


def _read_scores(label: Label, side: Mapping[str, Any], warnings: list[str]) -> Scores | None:
    dimensions = []
    for dimension in DIMENSIONS:
        criteria = side.get(dimension)
        if not isinstance(criteria, dict):
            criteria = {}
        numbers = {name: read_number(value) for name, value in criteria.items()}
        scores = {name: number for name, number in numbers.items() if number is not None}
        if not scores or len(scores) < len(numbers):
            warnings.append(f"rubric.{label}.{dimension} has no score or one that is no number")
            return None
        for name, score in scores.items():
            if not 1 <= score <= 5:
                warnings.append(f"rubric.{label}.{dimension}.{name} is not from 1 to 5")
        dimensions.append(scores)
    return Scores(*dimensions)


def _read_answers(label: Label, results: Any, warnings: list[str]) -> list[bool]:
    if not isinstance(results, dict):
        return []
    details = results.get("details")
    if not isinstance(details, list):
        details = []
    answers = [item.get("passed") is True for item in details if isinstance(item, dict)]

    total = read_number(results.get("total"))
    passed = read_number(results.get("passed"))
    if total is None or passed is None or total == len(answers):
        return answers
    if not 0 <= passed <= total <= _MAXIMUM_EXPECTATIONS:
        return answers
    warnings.append(f"expectation_results.{label}.details lists {len(answers)} of {total}; the counts are used")
    return [True] * int(passed) + [False] * int(total - passed)
