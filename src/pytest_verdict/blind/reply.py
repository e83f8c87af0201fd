"""A judge's reply, read without trust: every part that a verdict needs, or the reason why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.blind.rubric import DIMENSIONS, Rubric
from pytest_verdict.blind.scoring import LABELS, TIE, Label, Scores, Winner
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json

EMPTY: Final = "reply_empty"
NO_JSON: Final = "reply_without_json"
TRUNCATED: Final = "reply_truncated"
MALFORMED: Final = "reply_malformed"
AMBIGUOUS: Final = "reply_ambiguous"
SCHEMA: Final = "reply_schema"
CRITERIA_SET: Final = "criteria_set"
SCORE_RANGE: Final = "score_range"
EXPECTATION_SET: Final = "expectation_set"
PROSE: Final = "prose_around_json"
IGNORED: Final = "expectations_ignored"

_MOST_DIGITS: Final = 50
_FENCE: Final = re.compile(r"\A\s*```(?:json|JSON)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


class ReplyProblem(ValueError):  # noqa: N818 - a reply that is no verdict is expected, not exceptional
    """A reply is no verdict."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Side:
    """What a judge said of one output."""

    scores: Scores
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    passed: tuple[bool, ...] = ()
    texts: tuple[str, ...] = ()
    claimed: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that could be read."""

    sides: Mapping[Label, Side]
    winner: Winner | None
    reasoning: str
    notes: tuple[str, ...] = ()


def read_reply(
    text: str,
    rubric: Rubric,
    expectations: Sequence[str] = (),
    checked: Mapping[Label, Sequence[bool]] | None = None,
) -> Reply:
    """Read a reply in the shape of ``comparison.json``; what the judge computed itself may be missing."""
    document, notes = _document(text)
    asked = expectations if checked is None else ()
    sides = {label: _side(label, document, rubric, asked) for label in LABELS}
    if checked is not None:
        sides = {label: replace(side, passed=tuple(checked[label])) for label, side in sides.items()}
        notes = (*notes, IGNORED) if "expectation_results" in document else notes
    reasoning = document.get("reasoning", "")
    if not isinstance(reasoning, str):
        raise ReplyProblem(SCHEMA, f"reasoning is a text, got {shown(reasoning, 80)}")
    return Reply(sides, _winner(document.get("winner")), reasoning, notes)


def _document(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not text.strip():
        raise ReplyProblem(EMPTY, "the reply is empty")
    fenced = _FENCE.match(text)
    body = (fenced[1] if fenced else text).strip()
    if body.startswith("{"):
        return _parsed(body), ()
    start, end = body.find("{"), body.rfind("}")
    if start < 0:
        raise ReplyProblem(NO_JSON, f"the reply holds no JSON object: {shown(body, 200)}")
    return _parsed(body[start : end + 1] if end > start else body[start:]), (PROSE,)


def _parsed(body: str) -> dict[str, Any]:
    try:
        found = parse_json(body)
    except JsonTextError as error:
        raise ReplyProblem(_why_unreadable(body), f"the reply is no JSON document: {error}") from None
    if not isinstance(found, dict):
        raise ReplyProblem(SCHEMA, f"the reply is a JSON object, got {shown(found, 80)}")
    return found


def _why_unreadable(body: str) -> str:
    try:
        # As float, because int() refuses what has more than some thousand digits.
        json.JSONDecoder(parse_int=float).raw_decode(body)
    except RecursionError:
        return MALFORMED
    except json.JSONDecodeError as error:
        # An object that nobody closed was cut off; the parser gives up near its end, or at the text that never ended.
        cut = error.pos >= len(body.rstrip()) - 1 or error.msg.startswith("Unterminated string")
        return TRUNCATED if cut or body.count("{") > body.count("}") else MALFORMED
    # One whole object and then more: which of them is the verdict is not for us to guess.
    return AMBIGUOUS if "{" in body[1:] else MALFORMED


def _winner(value: Any) -> Winner | None:
    if value is None:
        return None
    if value in ("A", "B", TIE):
        return value  # type: ignore[no-any-return]
    raise ReplyProblem(SCHEMA, f"winner is A, B or TIE, got {shown(value, 80)}")


def _object(parent: Mapping[str, Any], *path: str, code: str = SCHEMA) -> Mapping[str, Any]:
    found: Any = parent
    for position, key in enumerate(path):
        found = found.get(key)
        if not isinstance(found, Mapping):
            raise ReplyProblem(code, f"{'.'.join(path[: position + 1])} is an object, got {shown(found, 80)}")
    return found  # type: ignore[no-any-return]


def _side(label: Label, document: Mapping[str, Any], rubric: Rubric, expectations: Sequence[str]) -> Side:
    given = _object(document, "rubric", label)
    content, structure = (_scores(f"rubric.{label}.{name}", given.get(name), rubric, name) for name in DIMENSIONS)
    quality = document.get("output_quality") or {}
    about = _object(document, "output_quality", label) if quality else {}
    claimed = {
        **_numbers(given, "content_score", "structure_score", "overall_score"),
        **{f"quality_{name}": number for name, number in _numbers(about, "score").items()},
    }
    passed, texts = _expectations(label, document, expectations, claimed)
    strengths, weaknesses = (_texts(about.get(name)) for name in ("strengths", "weaknesses"))
    return Side(Scores(content, structure), strengths, weaknesses, passed, texts, claimed)


def _scores(where: str, given: Any, rubric: Rubric, dimension: str) -> dict[str, Fraction]:
    names = rubric.names(dimension)
    if not isinstance(given, Mapping) or set(given) != set(names):
        got = sorted(given) if isinstance(given, Mapping) else given
        raise ReplyProblem(CRITERIA_SET, f"{where} scores {', '.join(names)}, got {shown(got, 200)}")
    return {name: _score(f"{where}.{name}", given[name], rubric) for name in names}


def _score(where: str, given: Any, rubric: Rubric) -> Fraction:
    value = given.get("score") if isinstance(given, Mapping) else given
    score = number_of(value)
    if score is None or not rubric.allows(score):
        raise ReplyProblem(SCORE_RANGE, f"{where} is a score from 1 to 5, got {shown(value, 80)}")
    return score


def number_of(value: Any) -> Fraction | None:
    """Give the exact value of a JSON number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # An exponent of billions is a number, but nothing that one wants to write out.
    if isinstance(value, Decimal) and not -_MOST_DIGITS < value.adjusted() < _MOST_DIGITS:
        return None
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return None
    return Fraction(value)


def _numbers(given: Mapping[str, Any], *names: str) -> dict[str, Fraction]:
    found = {name: number_of(given.get(name)) for name in names}
    return {name: number for name, number in found.items() if number is not None}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _expectations(
    label: Label, document: Mapping[str, Any], expectations: Sequence[str], claimed: dict[str, Fraction]
) -> tuple[tuple[bool, ...], tuple[str, ...]]:
    if not expectations:
        return (), ()
    given = _object(document, "expectation_results", label, code=EXPECTATION_SET)
    details = given.get("details")
    where = f"expectation_results.{label}"
    if not isinstance(details, list) or len(details) != len(expectations):
        reason = f"{where}.details answers {len(expectations)} expectations, got {shown(details, 80)}"
        raise ReplyProblem(EXPECTATION_SET, reason)
    passed = [item.get("passed") if isinstance(item, Mapping) else None for item in details]
    if not all(isinstance(answer, bool) for answer in passed):
        raise ReplyProblem(EXPECTATION_SET, f"{where}: passed is true or false, got {shown(passed, 80)}")
    claimed.update(_numbers(given, "passed", "total", "pass_rate"))
    return tuple(map(bool, passed)), tuple(str(item.get("text", "")) for item in details)
