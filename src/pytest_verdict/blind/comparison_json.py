"""``comparison.json``: written in the pattern's shape and key order, and read back leniently."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.reply import Side, number_of
from pytest_verdict.blind.rubric import DIMENSIONS, LABELS, Label, Scores, Winner, winner_of
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import RecordError

FILE_NAME: Final = "comparison.json"


def comparison_document(
    winner: Winner, reasoning: str, sides: Mapping[Label, Side], expectations: Sequence[str] = ()
) -> dict[str, Any]:
    """Write a comparison in the shape of the Blind Comparator pattern."""
    document: dict[str, Any] = {
        "winner": winner,
        "reasoning": reasoning,
        "rubric": {},
        "output_quality": {},
    }
    for label in LABELS:
        side, scores = sides[label], sides[label].scores
        given = {name: {key: _number(one) for key, one in getattr(scores, name).items()} for name in DIMENSIONS}
        document["rubric"][label] = given | {name: float(value) for name, value in scores.shown.items()}
        said = {"strengths": list(side.strengths), "weaknesses": list(side.weaknesses)}
        document["output_quality"][label] = {"score": scores.quality, **said}
    if expectations:
        document["expectation_results"] = {label: _expectations(sides[label], expectations) for label in LABELS}
    return document


def write_comparison(document: Mapping[str, Any]) -> str:
    """Write a comparison as JSON text."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    # A lone surrogate is a character that JSON can escape and UTF-8 cannot write.
    is_writable = text.encode("utf-8", "replace").decode("utf-8") == text
    return (text if is_writable else json.dumps(document, indent=2)) + "\n"


@dataclass(frozen=True, slots=True)
class ImportedComparison:
    """A ``comparison.json`` that another program wrote."""

    document: dict[str, Any]
    derived_winner: Winner | None
    warnings: tuple[str, ...]

    @property
    def winner(self) -> Winner | None:
        """The winner that the file names, in upper or lower case; None when it names none."""
        given = str(self.document.get("winner", "")).strip().upper()
        return given if given in ("A", "B", "TIE") else None  # type: ignore[return-value]


def read_comparison(source: str | os.PathLike[str]) -> ImportedComparison:
    """Read a ``comparison.json``, also one that leaves out what can be computed or what nobody expected.

    Args:
        source: The path of a file, or JSON text that begins with a brace.

    Returns:
        The comparison; writing its document again gives equal values in the same order.

    Raises:
        RecordError: It cannot be read, is no JSON object, or has no rubric for A and B.

    Example:
        >>> found = read_comparison('''{"winner": "B", "rubric": {
        ...     "A": {"content": {"correctness": 5}, "structure": {"order": 4}, "overall_score": 9.0},
        ...     "B": {"content": {"correctness": 3}, "structure": {"order": 3}, "overall_score": 6.0}}}''')
        >>> found.derived_winner, found.warnings[-1]
        ('A', "winner is 'B', by the scores it is A")
    """
    try:
        is_text = isinstance(source, str) and source.lstrip().startswith("{")
        text = str(source) if is_text else Path(source).read_text(encoding="utf-8-sig")
        exact = parse_json(text)
        document = json.loads(text)
    except JsonTextError as error:
        raise RecordError(f"this is no comparison.json: {error}") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"{shown(source, 80)} cannot be read: {error}") from None
    rubric = exact.get("rubric") if isinstance(exact, dict) else None
    if not isinstance(rubric, dict) or not all(isinstance(rubric.get(label), dict) for label in LABELS):
        raise RecordError("this is no comparison.json: it has no rubric for A and B")
    warnings: list[str] = []
    return ImportedComparison(document, _derived(exact, rubric, warnings), tuple(warnings))


def _derived(exact: dict[str, Any], rubric: Mapping[str, Any], warnings: list[str]) -> Winner | None:
    scores = {label: _read_scores(label, rubric[label], warnings) for label in LABELS}
    found = {label: one for label, one in scores.items() if one is not None}
    if len(found) < len(LABELS):
        return None
    warnings.extend(
        f"the {dimension} criteria of A and B are not the same"
        for dimension in DIMENSIONS
        if set(getattr(found["A"], dimension)) != set(getattr(found["B"], dimension))
    )
    for label in LABELS:
        _check_shown(label, rubric[label], found[label], warnings)
    # One implementation calls it assertion_results; both names are in use for expectations.
    results: Any = exact.get("expectation_results") or exact.get("assertion_results")
    is_answered = isinstance(results, dict)
    passed = {label: _answers(label, results.get(label), warnings) for label in LABELS} if is_answered else None
    winner = winner_of(found, passed)
    if exact.get("winner") != winner:
        warnings.append(f"winner is {shown(exact.get('winner'), 20)}, by the scores it is {winner}")
    return winner


def _read_scores(label: str, given: Mapping[str, Any], warnings: list[str]) -> Scores | None:
    sides = []
    for dimension in DIMENSIONS:
        criteria = given.get(dimension)
        numbers = {name: number_of(value) for name, value in criteria.items()} if isinstance(criteria, dict) else {}
        scores = {name: number for name, number in numbers.items() if number is not None}
        if not scores or len(scores) < len(numbers):
            warnings.append(f"rubric.{label}.{dimension} has no score or one that is no number")
            return None
        warnings.extend(
            f"rubric.{label}.{dimension}.{name} is not from 1 to 5" for name in scores if not 1 <= scores[name] <= 5
        )
        sides.append(scores)
    return Scores(*sides)


def _check_shown(label: str, given: Mapping[str, Any], scores: Scores, warnings: list[str]) -> None:
    for name, value in scores.shown.items():
        claimed = number_of(given.get(name))
        if claimed is None:
            warnings.append(f"rubric.{label}.{name} is missing; it is {value}")
        elif abs(claimed - Fraction(value)) > Fraction(1, 10):
            warnings.append(f"rubric.{label}.{name} is {float(claimed):.6g}, by the scores it is {value}")


def _answers(label: Label, given: Any, warnings: list[str]) -> list[bool]:
    side = given if isinstance(given, dict) else {}
    details = side.get("details")
    listed = [item for item in details if isinstance(item, dict)] if isinstance(details, list) else []
    total, met = number_of(side.get("total")), number_of(side.get("passed"))
    if total is None or met is None or total == len(listed) or not 0 <= met <= total <= 1_000:
        return [item.get("passed") is True for item in listed]
    warnings.append(f"expectation_results.{label}.details lists {len(listed)} of {total}; the counts are used")
    return [True] * int(met) + [False] * int(total - met)


def _number(value: Any) -> Any:
    return int(value) if value == int(value) else float(value)


def _expectations(side: Side, expectations: Sequence[str]) -> dict[str, Any]:
    passed, total = sum(side.passed), len(side.passed)
    details = [{"text": text, "passed": met} for text, met in zip(expectations, side.passed, strict=True)]
    return {"passed": passed, "total": total, "pass_rate": passed / total, "details": details}
