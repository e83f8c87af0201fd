"""A judge's reply: parse it strictly, derive the winner from its scores, and list where the judge contradicts itself."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, ValidationError

from pytest_verdict.blind.rubric import (
    DEFAULT_RUBRIC,
    LABELS,
    OTHER,
    TIE,
    Label,
    Rubric,
    Scores,
    Winner,
    decide_winner,
)
from pytest_verdict.core.operator import OmitWhenDefault, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import LISTED, Texts, problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json, split_documents
from pytest_verdict.judging.protocol import THINKING, strip_thinking

# The codes of contradictions, the claims of a judge that do not follow from its scores.
CODES: Final = (
    *("winner_opposite", "winner_soft", "score_arithmetic", "quality_mismatch", "pass_rate_arithmetic"),
    *("expectation_text", "blindness_breach"),
)
GATING: Final = ("winner_opposite", "pass_rate_arithmetic", "expectation_text", "blindness_breach")
"""The contradictions that keep a comparison from passing by default."""

_LARGEST: Final = 1_000
_MOST_DIGITS: Final = 50
# Blanks, and the fence that models put around JSON.
_AROUND: Final = re.compile(r"\s*(```(json|JSON)?)?\s*")


class ReplyProblem(ValueError):  # noqa: N818 - a reply without a verdict is expected
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Contradiction:
    code: str
    where: str
    claimed: str
    derived: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    scores: Scores
    strengths: Sequence[str]
    weaknesses: Sequence[str]
    passed: Sequence[bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply that holds a verdict."""

    sides: Mapping[Label, Side]
    claimed_winner: Winner | None
    # By the scores and the answers of the judge; results of checks may make another winner.
    judge_winner: Winner
    winner: Winner
    reasoning: str
    notes: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]


def _get_score(value: Any) -> Any:
    """Return the score of a criterion, which may have its evidence beside it."""
    return value.get("score") if isinstance(value, Mapping) else value


def _select_texts(value: Any) -> list[str]:
    """Return the texts in a list; remarks decide nothing, so anything else is left out."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _read_number(value: Any) -> Fraction:
    """Return the exact value of a number; scores and totals are small and have few digits."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("a number is needed")  # noqa: TRY004 - pydantic needs a ValueError
    # Converting a number such as 1e999999999 to a fraction would exhaust the memory.
    if not -_LARGEST <= value <= _LARGEST or (value and Decimal(value).adjusted() < -_MOST_DIGITS):
        raise ValueError("a score or a total is needed")
    return Fraction(value)


_Number = Annotated[Fraction, BeforeValidator(_read_number)]
_Claim = _Number | None
_Criteria = dict[str, Annotated[Fraction, BeforeValidator(_read_number), BeforeValidator(_get_score)]]
_Remarks = Annotated[list[str], BeforeValidator(_select_texts)]


class _Part(BaseModel):
    """A part of a reply, which may have more members than are asked for."""

    model_config = ConfigDict(strict=True)


class _ScoredSide(_Part):
    content: _Criteria
    structure: _Criteria
    content_score: _Claim = None
    structure_score: _Claim = None
    overall_score: _Claim = None


class _Quality(_Part):
    score: _Claim = None
    strengths: _Remarks = Field(default=[])
    weaknesses: _Remarks = Field(default=[])


class _Answer(_Part):
    text: str = ""
    passed: bool


class _Answers(_Part):
    details: Annotated[tuple[_Answer, ...], LISTED] = ()
    passed: _Claim = None
    total: _Claim = None
    pass_rate: _Claim = None


_BOTH: Final = Field(min_length=2)
# Judges leave out what is empty.
_FillSides = BeforeValidator(lambda value: value or {"A": {}, "B": {}})


class _Document(_Part):
    rubric: Annotated[dict[Label, _ScoredSide], _BOTH]
    output_quality: Annotated[dict[Label, _Quality], _BOTH, _FillSides] = Field(default={}, validate_default=True)
    expectation_results: Annotated[dict[Label, _Answers], _BOTH, _FillSides] = Field(default={}, validate_default=True)
    reasoning: str = ""
    winner: Winner | None = None


def read_reply(
    text: str, rubric: Rubric, expectations: Sequence[str] = (), checked: Mapping[Label, Sequence[bool]] | None = None
) -> Reply:
    """Read a reply in the shape of ``comparison.json``; results of checks replace its answers to the expectations."""
    values, notes = _find_document(text)
    if checked is not None:
        expectations = ()
        if "expectation_results" in values:
            notes = (*notes, "expectations_ignored")
    if not expectations:
        values.pop("expectation_results", None)
    document = _read_document(values)
    sides = {label: _read_side(label, document, rubric, expectations) for label in LABELS}
    scores = {label: side.scores for label, side in sides.items()}
    winner = decide_winner(scores, {label: side.passed for label, side in sides.items()})
    contradictions = tuple(_list_contradictions(document, sides, winner, expectations))
    judge_winner = winner
    if checked is not None:
        sides = {label: replace(side, passed=checked[label]) for label, side in sides.items()}
        winner = decide_winner(scores, checked)
    return Reply(
        sides=sides,
        claimed_winner=document.winner,
        judge_winner=judge_winner,
        winner=winner,
        reasoning=document.reasoning,
        notes=notes,
        contradictions=contradictions,
    )


def _find_document(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the JSON object in a reply, and the notes about text around it."""
    text = strip_thinking(text)
    if not text.strip():
        raise ReplyProblem("reply_empty", "the reply is empty")
    start = text.find("{") if "{" in text else len(text)
    end = text.rfind("}") + 1
    if end <= start:
        end = len(text)
    before = text[:start]
    body = text[start:end]
    after = text[end:]
    if THINKING.search(before + after):
        raise ReplyProblem("reply_truncated", "the reply ends before its answer, in <think>")
    if not body:
        raise ReplyProblem("reply_without_json", f"the reply holds no JSON object: {shown(text.strip(), 200)}")

    try:
        document: dict[str, Any] = parse_json(body)
    except JsonTextError as error:
        code = "reply_malformed"
        # Never guess which of several objects is the verdict.
        if len(split_documents(body)[0]) > 1:
            code = "reply_ambiguous"
        elif body.count("{") > body.count("}"):
            code = "reply_truncated"
        raise ReplyProblem(code, f"the reply is no JSON document: {error}") from None
    if "{" in after:
        raise ReplyProblem("reply_ambiguous", f"after the JSON object, another one is cut off: {shown(after, 200)}")
    if _AROUND.fullmatch(before) and _AROUND.fullmatch(after):
        return document, ()
    return document, ("prose_around_json",)


def _read_document(values: dict[str, Any]) -> _Document:
    try:
        return _Document.model_validate(values)
    except ValidationError as error:
        problem = problems_in(error)[0]
    code = "reply_schema"
    reason = f"{'.'.join(map(str, problem.path))}: {problem.with_value()}"
    if problem.path[0] == "expectation_results":
        code = "expectation_set"
    elif problem.path[2:3] in (("content",), ("structure",)) and len(problem.path) > 3:
        code = "score_range"
        reason = f"{'.'.join(map(str, problem.path[:4]))} is a score from 1 to 5, got {shown(problem.value, 80)}"
    raise ReplyProblem(code, reason)


def _read_side(label: Label, document: _Document, rubric: Rubric, expectations: Sequence[str]) -> Side:
    side = document.rubric[label]
    for dimension, criteria in (("content", side.content), ("structure", side.structure)):
        where = f"rubric.{label}.{dimension}"
        names = rubric.names(dimension)
        if set(criteria) != set(names):
            raise ReplyProblem("criteria_set", f"{where} scores {', '.join(names)}, got {shown(sorted(criteria), 200)}")
        for name, score in criteria.items():
            if not rubric.allows(score):
                reason = f"{where}.{name} is a score from 1 to 5, got {float(score):.12g}"
                raise ReplyProblem("score_range", reason)
    answers = document.expectation_results[label].details
    if len(answers) != len(expectations):
        reason = f"expectation_results.{label}.details answers {len(expectations)} expectations, got {len(answers)}"
        raise ReplyProblem("expectation_set", reason)
    return Side(
        scores=Scores(
            {name: side.content[name] for name in rubric.content},
            {name: side.structure[name] for name in rubric.structure},
        ),
        strengths=document.output_quality[label].strengths,
        weaknesses=document.output_quality[label].weaknesses,
        passed=[answer.passed for answer in answers],
    )


def _list_contradictions(
    document: _Document, sides: Mapping[Label, Side], winner: Winner, expectations: Sequence[str]
) -> Iterator[Contradiction]:
    rubric = document.rubric
    quality = document.output_quality
    results = document.expectation_results
    if document.winner not in (None, winner):
        code = "winner_soft" if TIE in {document.winner, winner} else "winner_opposite"
        yield Contradiction(code, "winner", str(document.winner), winner)
    # Totals that clearly favour the other output are those of a judge that confused A and B; others may be rounded.
    for where, first, second, tolerance in (
        ("rubric.overall_score", rubric["A"].overall_score, rubric["B"].overall_score, Fraction(1, 5)),
        ("output_quality.score", quality["A"].score, quality["B"].score, Fraction(1)),
    ):
        if first is not None and second is not None and abs(first - second) > tolerance:
            favoured: Label = "A" if first > second else "B"
            if winner == OTHER[favoured]:
                yield Contradiction("winner_opposite", where, favoured, winner)

    for label, side in sides.items():
        totals = side.scores.totals
        numbers: list[tuple[str, str, Fraction | None, Decimal | Fraction | int, Fraction]] = []
        for name, total in totals.items():
            # Early and late rounding differ by at most one unit of the last digit.
            claimed = getattr(rubric[label], name)
            numbers.append(("score_arithmetic", f"rubric.{label}.{name}", claimed, total, Fraction(1, 10)))
        where = f"output_quality.{label}.score"
        numbers.append(("quality_mismatch", where, quality[label].score, totals["overall_score"], Fraction(1, 2)))
        if expectations:
            met = sum(side.passed)
            rate = Fraction(met, len(expectations))
            where = f"expectation_results.{label}"
            code = "pass_rate_arithmetic"
            numbers.append((code, f"{where}.passed", results[label].passed, met, Fraction(0)))
            numbers.append((code, f"{where}.total", results[label].total, len(expectations), Fraction(0)))
            numbers.append((code, f"{where}.pass_rate", results[label].pass_rate, rate, Fraction(1, 100)))
        for code, where, claimed, derived, tolerance in numbers:
            if claimed is not None and abs(claimed - Fraction(derived)) > tolerance:
                yield Contradiction(code, where, f"{float(claimed):.6g}", f"{float(derived):.6g}")
        for expectation, answer in zip(expectations, results[label].details, strict=True):
            if answer.text not in ("", expectation):
                where = f"expectation_results.{label}.details"
                yield Contradiction("expectation_text", where, answer.text, expectation)


def build_comparison(
    winner: Winner, reasoning: str, sides: Mapping[Label, Side], expectations: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a comparison in the shape and key order of the Blind Comparator pattern."""
    document: dict[str, Any] = {"winner": winner, "reasoning": reasoning, "rubric": {}, "output_quality": {}}
    if expectations:
        document["expectation_results"] = {}
    for label in LABELS:
        side = sides[label]
        document["rubric"][label] = {
            "content": {name: _to_json_number(score) for name, score in side.scores.content.items()},
            "structure": {name: _to_json_number(score) for name, score in side.scores.structure.items()},
            **{name: float(total) for name, total in side.scores.totals.items()},
        }
        document["output_quality"][label] = {
            "score": side.scores.quality,
            "strengths": list(side.strengths),
            "weaknesses": list(side.weaknesses),
        }
        if expectations:
            answers = zip(expectations, side.passed, strict=True)
            document["expectation_results"][label] = {
                "passed": sum(side.passed),
                "total": len(side.passed),
                "pass_rate": sum(side.passed) / len(side.passed),
                "details": [{"text": text, "passed": passed} for text, passed in answers],
            }
    return document


def _to_json_number(value: Fraction) -> int | float:
    if value.denominator == 1:
        return int(value)
    return float(value)


_Checked = Annotated[dict[Label, Annotated[tuple[StrictBool, ...], LISTED]], _BOTH]


class BlindBallot(Operator):
    """A reply of a blind judge holds a verdict.

    Expected is the meaning of the labels and decides nothing. Observed is the reply, verbatim. The details hold the derived
    winner and all numbers; ``details["contradictions"]`` lists the claims of the judge that differ from them.

    Args:
        rubric: The criteria, as `Rubric.to_json` returns them, or a `Rubric` (default: the default rubric).
        expectations: The expectations that the reply must answer.
        checked: Whether A and B meet each expectation, if checks have answered instead of the judge.

    Example:
        >>> compare("blind_ballot", None, "I would rather not.").notes
        ['reply_without_json']
    """

    name: ClassVar[str] = "blind_ballot"
    kind: ClassVar[str] = "blind"
    version: ClassVar[int] = 2

    rubric: Rubric = DEFAULT_RUBRIC
    expectations: Texts = ()
    checked: OmitWhenDefault[_Checked | None] = None

    def read(self, text: str) -> Reply:
        return read_reply(text, self.rubric, self.expectations, self.checked)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Read a reply; see the class."""
        del expected
        if not isinstance(observed, str):
            return Outcome(0.0, notes=("not_text",))
        try:
            return self.outcome(self.read(observed))
        except ReplyProblem as problem:
            return Outcome(0.0, notes=(problem.code,), details={"problem": str(problem)})

    def outcome(self, reply: Reply) -> Outcome:
        """Return the outcome of a reply with a verdict: score 1.0, with the codes of the contradictions as notes."""
        details: dict[str, Any] = {
            "winner": reply.winner,
            "claimed_winner": reply.claimed_winner,
            "overall": {label: str(side.scores.overall) for label, side in reply.sides.items()},
            "comparison": build_comparison(reply.winner, reply.reasoning, reply.sides, self.expectations),
        }
        if reply.contradictions:
            details["contradictions"] = [asdict(contradiction) for contradiction in reply.contradictions]
        codes = dict.fromkeys(contradiction.code for contradiction in reply.contradictions)
        return Outcome(1.0, notes=(*reply.notes, *codes), details=details)
