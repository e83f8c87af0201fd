"""A judge's reply: parse it strictly, derive the winner from its scores, and list where the judge contradicts itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

from pydantic import model_validator

from pytest_verdict.blind.rubric import (
    DEFAULT_RUBRIC,
    DIMENSIONS,
    LABELS,
    OTHER,
    TIE,
    Label,
    Rubric,
    Scores,
    Winner,
    decide_winner,
)
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import LISTED, StrictModel, Texts
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.judging.protocol import THINKING, strip_thinking

SCHEMA: Final = "reply_schema"
EXPECTATION_SET: Final = "expectation_set"
# The codes of contradictions, the claims of a judge that do not follow from its scores.
CODES: Final = (
    *("winner_opposite", "winner_soft", "score_arithmetic", "quality_mismatch", "pass_rate_arithmetic"),
    *("expectation_text", "blindness_breach"),
)
GATING: Final = ("winner_opposite", "pass_rate_arithmetic", "expectation_text", "blindness_breach")
"""The contradictions that keep a comparison from passing by default."""

_MAXIMUM_DIGITS: Final = 50
# Blanks, and the fence that models put around JSON.
_AROUND: Final = re.compile(r"\s*(```(json|JSON)?)?\s*")
# How far totals may differ because of rounding: the overall scores of both outputs, and their qualities.
_RANKINGS: Final = (("rubric", "overall_score", Fraction(1, 5)), ("output_quality", "score", Fraction(1)))


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
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    passed: tuple[bool, ...]
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply that holds a verdict; its scores make the ``judge_winner``, and results of checks may make another ``winner``."""

    sides: Mapping[Label, Side]
    claimed_winner: Winner | None
    judge_winner: Winner
    winner: Winner
    reasoning: str
    notes: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]


def read_reply(
    text: str, rubric: Rubric, expectations: Sequence[str] = (), checked: Mapping[str, Sequence[bool]] | None = None
) -> Reply:
    """Read a reply in the shape of ``comparison.json``; results of checks replace its answers to the expectations."""
    document, notes = _find_document(text)
    expectations_to_answer = expectations if checked is None else ()
    sides = {label: _read_side(label, document, rubric, expectations_to_answer) for label in LABELS}
    judge_winner = _derive_winner(sides)
    contradictions = [contradiction for side in sides.values() for contradiction in side.contradictions]

    if checked is not None:
        sides = {label: replace(side, passed=tuple(checked[label])) for label, side in sides.items()}
        if "expectation_results" in document:
            notes = (*notes, "expectations_ignored")

    reasoning = document.get("reasoning", "")
    if not isinstance(reasoning, str):
        raise ReplyProblem(SCHEMA, f"reasoning is a text, got {shown(reasoning, 80)}")
    claimed_winner = document.get("winner")
    if claimed_winner not in (None, *LABELS, TIE):
        raise ReplyProblem(SCHEMA, f"winner is A, B or TIE, got {shown(claimed_winner, 80)}")
    contradictions[:0] = _check_rankings(document, judge_winner)
    if claimed_winner not in (None, judge_winner):
        code = "winner_soft" if TIE in {claimed_winner, judge_winner} else "winner_opposite"
        contradictions.insert(0, Contradiction(code, "winner", str(claimed_winner), judge_winner))
    return Reply(
        sides=sides,
        claimed_winner=claimed_winner,
        judge_winner=judge_winner,
        winner=_derive_winner(sides),
        reasoning=reasoning,
        notes=notes,
        contradictions=tuple(contradictions),
    )


def _check_rankings(document: Mapping[str, Any], winner: Winner) -> Iterator[Contradiction]:
    """Yield the totals of the judge that clearly favour the other output, as those of a judge that confused A and B do."""
    for part, name, tolerance in _RANKINGS:
        sides = document.get(part) or {}
        first, second = (read_number((sides.get(label) or {}).get(name)) for label in LABELS)
        if first is None or second is None or abs(first - second) <= tolerance:
            continue
        favoured: Label = "A" if first > second else "B"
        if winner == OTHER[favoured]:
            yield Contradiction("winner_opposite", f"{part}.{name}", favoured, winner)


def _derive_winner(sides: Mapping[Label, Side]) -> Winner:
    scores = {label: side.scores for label, side in sides.items()}
    return decide_winner(scores, {label: side.passed for label, side in sides.items()})


def _find_document(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the JSON object in a reply, and the notes about text around it."""
    text = strip_thinking(text)
    if not text.strip():
        raise ReplyProblem("reply_empty", "the reply is empty")
    start = text.find("{")
    if start < 0:
        start = len(text)
    end = text.rfind("}") + 1
    if end <= start:
        end = len(text)
    if THINKING.search(text[:start] + text[end:]):
        raise ReplyProblem("reply_truncated", "the reply ends before its answer, in <think>")
    if start == len(text):
        raise ReplyProblem("reply_without_json", f"the reply holds no JSON object: {shown(text.strip(), 200)}")
    body = text[start:end]
    try:
        document: dict[str, Any] = parse_json(body)
    except JsonTextError as error:
        raise ReplyProblem(_classify_broken_json(body), f"the reply is no JSON document: {error}") from None
    if "{" in text[end:]:
        raise ReplyProblem(
            "reply_ambiguous", f"after the JSON object, another one is cut off: {shown(text[end:], 200)}"
        )
    if _AROUND.fullmatch(text[:start]) and _AROUND.fullmatch(text[end:]):
        return document, ()
    return document, ("prose_around_json",)


def _classify_broken_json(body: str) -> str:
    try:
        # Parse integers as float, because int() refuses numbers with thousands of digits.
        json.JSONDecoder(parse_int=float).raw_decode(body)
    except RecursionError:
        return "reply_malformed"
    except json.JSONDecodeError as error:
        # In a truncated object the parser fails near the end, or at a text without a closing quote.
        is_near_end = error.pos >= len(body.rstrip()) - 1
        has_open_text = error.msg.startswith("Unterminated string")
        if is_near_end or has_open_text or body.count("{") > body.count("}"):
            return "reply_truncated"
        return "reply_malformed"
    # Never guess which of several objects is the verdict.
    return "reply_ambiguous" if "{" in body[1:] else "reply_malformed"


def _read_side(label: Label, document: Mapping[str, Any], rubric: Rubric, expectations: Sequence[str]) -> Side:
    dimensions = _read_object(document, "rubric", label)
    others = [key for key, value in document["rubric"].items() if key not in LABELS and isinstance(value, Mapping)]
    if others:
        raise ReplyProblem(SCHEMA, f"rubric scores A and B, got {shown(others, 80)} as well")
    scores = Scores(*(_read_dimension(label, name, dimensions.get(name), rubric) for name in DIMENSIONS))
    quality: Mapping[str, Any] = {}
    if document.get("output_quality"):
        quality = _read_object(document, "output_quality", label)
    results: Mapping[str, Any] = {}
    answers: list[Any] = []
    if expectations:
        results = _read_object(document, "expectation_results", label, code=EXPECTATION_SET)
        answers = _read_answers(f"expectation_results.{label}", results, expectations)
    passed = tuple(answer["passed"] for answer in answers)

    contradictions: list[Contradiction] = []
    for name, total in scores.totals.items():
        # Early and late rounding differ by at most one unit of the last digit.
        where = f"rubric.{label}.{name}"
        contradictions += _check_number("score_arithmetic", where, dimensions.get(name), total, Fraction(1, 10))
    overall = scores.totals["overall_score"]
    where = f"output_quality.{label}.score"
    contradictions += _check_number("quality_mismatch", where, quality.get("score"), overall, Fraction(1, 2))
    if expectations:
        met = sum(passed)
        for name, derived, tolerance in (
            ("passed", met, Fraction(0)),
            ("total", len(passed), Fraction(0)),
            ("pass_rate", Fraction(met, len(passed)), Fraction(1, 100)),
        ):
            where = f"expectation_results.{label}.{name}"
            contradictions += _check_number("pass_rate_arithmetic", where, results.get(name), derived, tolerance)
    for expectation, answer in zip(expectations, answers, strict=True):
        text = str(answer.get("text", ""))
        if text and text != expectation:
            where = f"expectation_results.{label}.details"
            contradictions.append(Contradiction("expectation_text", where, text, expectation))
    return Side(
        scores=scores,
        strengths=_select_texts(quality.get("strengths")),
        weaknesses=_select_texts(quality.get("weaknesses")),
        passed=passed,
        contradictions=tuple(contradictions),
    )


def _check_number(
    code: str, where: str, claimed: Any, derived: Fraction | Decimal | int, tolerance: Fraction
) -> Iterator[Contradiction]:
    number = read_number(claimed)
    if number is not None and abs(number - Fraction(derived)) > tolerance:
        yield Contradiction(code, where, f"{float(number):.6g}", f"{float(derived):.6g}")


def _read_object(parent: Mapping[str, Any], *path: str, code: str = SCHEMA) -> Mapping[str, Any]:
    value: Any = parent
    for depth, key in enumerate(path, start=1):
        value = value.get(key)
        if not isinstance(value, Mapping):
            raise ReplyProblem(code, f"{'.'.join(path[:depth])} is an object, got {shown(value, 80)}")
    return value  # type: ignore[no-any-return]


def _read_dimension(label: Label, dimension: str, criteria: Any, rubric: Rubric) -> dict[str, Fraction]:
    where = f"rubric.{label}.{dimension}"
    names = rubric.names(dimension)
    if not isinstance(criteria, Mapping) or set(criteria) != set(names):
        got = sorted(criteria) if isinstance(criteria, Mapping) else criteria
        raise ReplyProblem("criteria_set", f"{where} scores {', '.join(names)}, got {shown(got, 200)}")

    scores = {}
    for name in names:
        value = criteria[name]
        if isinstance(value, Mapping):
            value = value.get("score")
        score = read_number(value)
        if score is None or not rubric.allows(score):
            raise ReplyProblem("score_range", f"{where}.{name} is a score from 1 to 5, got {shown(value, 80)}")
        scores[name] = score
    return scores


def _read_answers(where: str, results: Mapping[str, Any], expectations: Sequence[str]) -> list[Any]:
    answers = results.get("details")
    if not isinstance(answers, list) or len(answers) != len(expectations):
        reason = f"{where}.details answers {len(expectations)} expectations, got {shown(answers, 80)}"
        raise ReplyProblem(EXPECTATION_SET, reason)
    passed = [answer.get("passed") if isinstance(answer, Mapping) else None for answer in answers]
    if not all(isinstance(answer, bool) for answer in passed):
        raise ReplyProblem(EXPECTATION_SET, f"{where}: passed is true or false, got {shown(passed, 80)}")
    return answers


def _select_texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str))


def read_number(value: Any) -> Fraction | None:
    """Return the exact value of a JSON number; None for anything else and for numbers with more than 50 digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # Converting a Decimal such as 1e999999999 to a fraction would exhaust the memory.
    if isinstance(value, Decimal) and abs(value.adjusted()) >= _MAXIMUM_DIGITS:
        return None
    if isinstance(value, int) and abs(value) >= 10**_MAXIMUM_DIGITS:
        return None
    return Fraction(value)


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


Answers = Annotated[tuple[bool, ...], LISTED]


class Checked(StrictModel):
    subject: ClassVar[str] = "what checks have answered"

    A: Answers
    B: Answers


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
    checked: Checked | None = None

    @model_validator(mode="after")
    def _check_number_of_answers(self) -> BlindBallot:
        total = len(self.expectations)
        if self.checked and any(len(side) != total for side in (self.checked.A, self.checked.B)):
            answers = dict(self.checked)
            raise ValueError(f"checked answers each of {format_count(total, 'expectation')} once, got {answers!r}")
        return self

    def settings(self) -> dict[str, Any]:
        """Return all settings as JSON values; without ``checked`` if there are no results of checks."""
        settings: dict[str, Any] = {"rubric": self.rubric.to_json(), "expectations": list(self.expectations)}
        if self.checked:
            settings["checked"] = self.checked.model_dump(mode="json")
        return settings

    def read(self, text: str) -> Reply:
        return read_reply(text, self.rubric, self.expectations, dict(self.checked) if self.checked else None)

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
