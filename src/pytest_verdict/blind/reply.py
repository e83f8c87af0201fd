"""A judge's reply, read without trust: every part that a verdict needs, or the reason why there is none."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.blind.rubric import DIMENSIONS, LABELS, TIE, Label, Rubric, Scores, Winner, winner_of
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json

SCHEMA: Final = "reply_schema"
EXPECTATION_SET: Final = "expectation_set"

_MOST_DIGITS: Final = 50
_FENCE: Final = re.compile(r"\A\s*```(?:json|JSON)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_TENTH: Final = Fraction(1, 10)

CLAIMS: Final[Mapping[tuple[str, str], tuple[str, Fraction]]] = {
    # Rounding early or late differs by at most one unit of the last digit shown.
    ("rubric", "content_score"): ("score_arithmetic", _TENTH),
    ("rubric", "structure_score"): ("score_arithmetic", _TENTH),
    ("rubric", "overall_score"): ("score_arithmetic", _TENTH),
    ("output_quality", "score"): ("quality_mismatch", Fraction(1, 2)),
    ("expectation_results", "passed"): ("pass_rate_arithmetic", Fraction(0)),
    ("expectation_results", "total"): ("pass_rate_arithmetic", Fraction(0)),
    ("expectation_results", "pass_rate"): ("pass_rate_arithmetic", Fraction(1, 100)),
}
"""The numbers that a judge may compute itself, the contradiction when one is wrong, and how far it may be off."""
CODES: Final = (
    *("winner_opposite", "winner_soft", "score_arithmetic", "quality_mismatch", "pass_rate_arithmetic"),
    *("expectation_text", "blindness_breach"),
)
"""All contradictions."""
GATING: Final = ("winner_opposite", "pass_rate_arithmetic", "expectation_text", "blindness_breach")
"""The contradictions that keep a comparison from passing unless told otherwise."""


class ReplyProblem(ValueError):  # noqa: N818 - a reply that is no verdict is expected, not exceptional
    """A reply is no verdict."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Side:
    """What a judge said of one output."""

    scores: Scores
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    passed: tuple[bool, ...]
    texts: tuple[str, ...]
    claimed: Mapping[tuple[str, str], Fraction]

    def derived(self, part: str, name: str) -> Fraction:
        """Give what follows from the scores and answers where a judge may claim a number."""
        if part != "expectation_results":
            return Fraction(self.scores.shown[name if part == "rubric" else "overall_score"])
        met, total = sum(self.passed), len(self.passed)
        return {"passed": Fraction(met), "total": Fraction(total), "pass_rate": Fraction(met, total)}[name]


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that could be read; checks that have answered count in the winner that is derived, not in the one said."""

    sides: Mapping[Label, Side]
    claimed: Winner | None
    said: Winner
    winner: Winner
    reasoning: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something that a judge claimed and that does not follow from its scores."""

    code: str
    where: str
    claimed: str
    derived: str


def contradictions_in(reply: Reply, winner: Winner, expectations: Sequence[str]) -> list[Contradiction]:
    """Compare what a judge claimed with what follows from its scores."""
    found: list[Contradiction] = []
    if reply.claimed not in (None, winner):
        code = "winner_soft" if TIE in {reply.claimed, winner} else "winner_opposite"
        found.append(Contradiction(code, "winner", str(reply.claimed), winner))
    for label, side in reply.sides.items():
        for (part, name), claimed in side.claimed.items():
            (code, slack), derived = CLAIMS[part, name], side.derived(part, name)
            if abs(claimed - derived) > slack:
                numbers = (f"{float(number):.6g}" for number in (claimed, derived))
                found.append(Contradiction(code, f"{part}.{label}.{name}", *numbers))
        for wanted, written in zip(expectations, side.texts, strict=True):
            if written and written != wanted:
                where = f"expectation_results.{label}.details"
                found.append(Contradiction("expectation_text", where, written, wanted))
    return found


def read_reply(
    text: str,
    rubric: Rubric,
    expectations: Sequence[str] = (),
    checked: Mapping[str, Sequence[bool]] | None = None,
) -> Reply:
    """Read a reply in the shape of ``comparison.json``; what the judge computed itself may be missing."""
    document, notes = _document(text)
    asked = expectations if checked is None else ()
    sides = {label: _side(label, document, rubric, asked) for label in LABELS}
    said = _winner_by(sides)
    if checked is not None:
        sides = {label: replace(side, passed=tuple(checked[label])) for label, side in sides.items()}
        notes = (*notes, "expectations_ignored") if "expectation_results" in document else notes
    reasoning, claimed = document.get("reasoning", ""), document.get("winner")
    if not isinstance(reasoning, str):
        raise ReplyProblem(SCHEMA, f"reasoning is a text, got {shown(reasoning, 80)}")
    if claimed not in (None, *LABELS, TIE):
        raise ReplyProblem(SCHEMA, f"winner is A, B or TIE, got {shown(claimed, 80)}")
    return Reply(sides, claimed, said, _winner_by(sides), reasoning, notes)


def _winner_by(sides: Mapping[Label, Side]) -> Winner:
    scores = {label: side.scores for label, side in sides.items()}
    return winner_of(scores, {label: side.passed for label, side in sides.items()})


def _document(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not text.strip():
        raise ReplyProblem("reply_empty", "the reply is empty")
    fenced = _FENCE.match(text)
    body = (fenced[1] if fenced else text).strip()
    if body.startswith("{"):
        return _parsed(body), ()
    start, end = body.find("{"), body.rfind("}")
    if start < 0:
        raise ReplyProblem("reply_without_json", f"the reply holds no JSON object: {shown(body, 200)}")
    return _parsed(body[start : end + 1] if end > start else body[start:]), ("prose_around_json",)


def _parsed(body: str) -> dict[str, Any]:
    try:
        # What begins with a brace is an object.
        return parse_json(body)  # type: ignore[no-any-return]
    except JsonTextError as error:
        raise ReplyProblem(_why_unreadable(body), f"the reply is no JSON document: {error}") from None


def _why_unreadable(body: str) -> str:
    try:
        # As float, because int() refuses what has more than some thousand digits.
        json.JSONDecoder(parse_int=float).raw_decode(body)
    except RecursionError:
        return "reply_malformed"
    except json.JSONDecodeError as error:
        # An object that nobody closed was cut off; the parser gives up near its end, or at the text that never ended.
        cut = error.pos >= len(body.rstrip()) - 1 or error.msg.startswith("Unterminated string")
        return "reply_truncated" if cut or body.count("{") > body.count("}") else "reply_malformed"
    # One whole object and then more: which of them is the verdict is not for us to guess.
    return "reply_ambiguous" if "{" in body[1:] else "reply_malformed"


def _object(parent: Mapping[str, Any], *path: str, code: str = SCHEMA) -> Mapping[str, Any]:
    found: Any = parent
    for position, key in enumerate(path):
        found = found.get(key)
        if not isinstance(found, Mapping):
            raise ReplyProblem(code, f"{'.'.join(path[: position + 1])} is an object, got {shown(found, 80)}")
    return found  # type: ignore[no-any-return]


def _side(label: Label, document: Mapping[str, Any], rubric: Rubric, expectations: Sequence[str]) -> Side:
    given = _object(document, "rubric", label)
    scores = Scores(*(_scores(f"rubric.{label}.{name}", given.get(name), rubric, name) for name in DIMENSIONS))
    quality = _object(document, "output_quality", label) if document.get("output_quality") else {}
    results = _object(document, "expectation_results", label, code=EXPECTATION_SET) if expectations else {}
    details = _details(f"expectation_results.{label}", results, expectations) if expectations else []
    parts = {"rubric": given, "output_quality": quality, "expectation_results": results}
    numbers = {(part, name): number_of(parts[part].get(name)) for part, name in CLAIMS}
    return Side(
        scores,
        strengths=_texts(quality.get("strengths")),
        weaknesses=_texts(quality.get("weaknesses")),
        passed=tuple(item["passed"] for item in details),
        texts=tuple(str(item.get("text", "")) for item in details),
        claimed={place: number for place, number in numbers.items() if number is not None},
    )


def _scores(where: str, given: Any, rubric: Rubric, dimension: str) -> dict[str, Fraction]:
    names = rubric.names(dimension)
    if not isinstance(given, Mapping) or set(given) != set(names):
        got = sorted(given) if isinstance(given, Mapping) else given
        raise ReplyProblem("criteria_set", f"{where} scores {', '.join(names)}, got {shown(got, 200)}")
    return {name: _score(f"{where}.{name}", given[name], rubric) for name in names}


def _score(where: str, given: Any, rubric: Rubric) -> Fraction:
    value = given.get("score") if isinstance(given, Mapping) else given
    score = number_of(value)
    if score is None or not rubric.allows(score):
        raise ReplyProblem("score_range", f"{where} is a score from 1 to 5, got {shown(value, 80)}")
    return score


def number_of(value: Any) -> Fraction | None:
    """Give the exact value of a JSON number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # An exponent of billions is a number, but nothing that one wants to write out.
    digits = value.adjusted() if isinstance(value, Decimal) else 0
    is_long = not -_MOST_DIGITS < digits < _MOST_DIGITS or (isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS)
    return None if is_long else Fraction(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _details(where: str, results: Mapping[str, Any], expectations: Sequence[str]) -> list[Any]:
    details = results.get("details")
    if not isinstance(details, list) or len(details) != len(expectations):
        reason = f"{where}.details answers {len(expectations)} expectations, got {shown(details, 80)}"
        raise ReplyProblem(EXPECTATION_SET, reason)
    passed = [item.get("passed") if isinstance(item, Mapping) else None for item in details]
    if not all(isinstance(answer, bool) for answer in passed):
        raise ReplyProblem(EXPECTATION_SET, f"{where}: passed is true or false, got {shown(passed, 80)}")
    return details
