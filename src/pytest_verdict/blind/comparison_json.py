"""``comparison.json``: write it, and read the ones of other programs leniently."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.reply import read_number
from pytest_verdict.blind.rubric import DIMENSIONS, LABELS, Label, Scores, Winner, decide_winner
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import RecordError

FILE_NAME: Final = "comparison.json"
_MAXIMUM_EXPECTATIONS: Final = 1_000


def format_comparison(document: Mapping[str, Any]) -> str:
    """Return a comparison as JSON text."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    # UTF-8 cannot encode half of a surrogate pair, but JSON can escape it.
    if text.encode("utf-8", "replace").decode("utf-8") != text:
        text = json.dumps(document, indent=2)
    return text + "\n"


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
    reader = _ScoreReader()
    winner = reader.derive_winner(exact_document, rubric)
    return ImportedComparison(document, winner, tuple(reader.warnings))


class _ScoreReader:
    """Derives the winner of an imported comparison and collects the warnings about it."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def derive_winner(self, document: Mapping[str, Any], rubric: Mapping[str, Any]) -> Winner | None:
        """Return the winner by the scores; None if a score is missing."""
        sides = {label: self._read_scores(label, rubric[label]) for label in LABELS}
        scores = {label: side for label, side in sides.items() if side is not None}
        if len(scores) < len(LABELS):
            return None

        for dimension in DIMENSIONS:
            if set(getattr(scores["A"], dimension)) != set(getattr(scores["B"], dimension)):
                self.warnings.append(f"the {dimension} criteria of A and B are not the same")
        for label in LABELS:
            self._check_totals(label, rubric[label], scores[label])

        passed = None
        # One implementation of the pattern calls them assertion_results.
        results: Any = document.get("expectation_results") or document.get("assertion_results")
        if isinstance(results, dict):
            passed = {label: self._read_answers(label, results.get(label)) for label in LABELS}
        winner = decide_winner(scores, passed)
        if document.get("winner") != winner:
            self.warnings.append(f"winner is {shown(document.get('winner'), 20)}, by the scores it is {winner}")
        return winner

    def _read_scores(self, label: str, side: Mapping[str, Any]) -> Scores | None:
        dimensions = []
        for dimension in DIMENSIONS:
            criteria = side.get(dimension)
            if not isinstance(criteria, dict):
                criteria = {}
            numbers = {name: read_number(value) for name, value in criteria.items()}
            scores = {name: number for name, number in numbers.items() if number is not None}
            if not scores or len(scores) < len(numbers):
                self.warnings.append(f"rubric.{label}.{dimension} has no score or one that is no number")
                return None
            for name, score in scores.items():
                if not 1 <= score <= 5:
                    self.warnings.append(f"rubric.{label}.{dimension}.{name} is not from 1 to 5")
            dimensions.append(scores)
        return Scores(*dimensions)

    def _check_totals(self, label: str, side: Mapping[str, Any], scores: Scores) -> None:
        for name, value in scores.totals.items():
            claimed = read_number(side.get(name))
            if claimed is None:
                self.warnings.append(f"rubric.{label}.{name} is missing; it is {value}")
            elif abs(claimed - Fraction(value)) > Fraction(1, 10):
                self.warnings.append(f"rubric.{label}.{name} is {float(claimed):.6g}, by the scores it is {value}")

    def _read_answers(self, label: Label, results: Any) -> list[bool]:
        if not isinstance(results, dict):
            results = {}
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
        self.warnings.append(
            f"expectation_results.{label}.details lists {len(answers)} of {total}; the counts are used"
        )
        return [True] * int(passed) + [False] * int(total - passed)
