"""Replay by writing: the line that a session would write today is compared with the line that is there.

Most records of a file differ in their sides, their name and their place alone. So what stands for an operator is learned from a
record that was read with care, and the others are cut where a writer puts lines together, and not parsed. A wrong cut does no
harm, because a line is answered here only when the same bytes come out.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import FAIL, PASS, Operator
from pytest_verdict.core.record import BEGINNING
from pytest_verdict.core.values.encoding import TYPE_KEY, decode, encode_text
from pytest_verdict.core.writing import OBSERVED, tail_of, verdict_of

_MOST_OPERATORS: Final = 1_000
_TEXT: Final = r'"(?:[ !#-\[\]-~]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_COUNT: Final = "(?:0|[1-9][0-9]{0,17})"
# Three pieces, joined by what none of them has.
_PLACE: Final = re.compile(
    rf'[0-9a-f]{{12}}-{_COUNT}-\n,"test":({_TEXT}),"attempt":{_COUNT}\n{_TEXT},"line":{_COUNT}\}}\r?\n?'
)
_WHOLE: Final = re.compile("[1-9][0-9]{0,17}")
_ORDINAL: Final = ',"ordinal":'
_PATH: Final = ',"path":'
_AFTER_ID: Final = '","verdict":"'
_NAME: Final = ',"name":'
_EXPECTED: Final = ',"expected":'
_TEST: Final = ',"test":'
_NEGATED: Final = ',"negated":true'
_SOURCES: Final = ',"sources":'
_THRESHOLD: Final = re.compile(r',"normalization":\[[^\]]*\],"notes":\[[^\]]*\],"score":[^,]+,"threshold":([0-9.e-]+)')
_HIDDEN: Final = re.compile(f'"{re.escape(TYPE_KEY)}":"(?:repr|redacted)"')
# What stands behind the sides of most records.
_TAILS: Final = {id(one): (verdict_of(one, 1.0), tail_of(one, 1.0, ("", ""), None)) for one in (PASS, FAIL)}
_USUAL: Final = tuple(f"{tail}{_TEST}" for _, tail in _TAILS.values())
_scan: Final[Callable[[str, int], tuple[Any, int]]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


Derive = Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]
"""Extracts again what a record says was extracted."""


class _Known(NamedTuple):
    operator: Operator
    members: str
    keeps_expected: bool


class Rewriter:
    """Writes records again whose operators it was told of."""

    def __init__(self, derive: Derive) -> None:
        self._derive = derive
        self._operators: dict[str, _Known] = {}
        self._place = "", "", ""
        self._test = ""

    def learn(self, operator: Operator) -> None:
        """Take down the operator of a record that came out the same."""
        if not operator.asks_model and len(self._operators) < _MOST_OPERATORS:
            members, own = operator.identity.members, type(operator).effective_expected
            self._operators[f",{members}"] = _Known(
                operator, f"{members}{_EXPECTED}", own is Operator.effective_expected
            )

    def same(self, line: bytes) -> tuple[str, str, str] | None:
        """Give id, test and operator of a record if the same bytes come out; None says nothing about it."""
        try:
            text = line.decode("ascii")
            stop = text.index('"', len(BEGINNING))
            at = text.index('"', stop + len(_AFTER_ID)) + 1
            name = None
            if text.startswith(_NAME, at):
                name, at = _scan(text, at + len(_NAME))
            middle = text.index(_EXPECTED, at)
            known = self._operators.get(text[at:middle])
            if known is None or not (text.startswith(BEGINNING) and text.startswith(_AFTER_ID, stop)):
                return None
            members = _members(text, middle + len(_EXPECTED), known, name, self._derive)
            if not text.startswith(members, stop + 2):
                return None
            return self._at_place(text, stop, stop + 2 + len(members), known.operator)
        except Exception:  # noqa: BLE001 - whatever a record breaks, who reads it with care says so
            return None

    def _at_place(self, text: str, stop: int, end: int, operator: Operator) -> tuple[str, str, str] | None:
        """Check id and place, which only say of each other whether they are right; in a run of one test they are the same."""
        before, _, after = text[end:].partition(_ORDINAL)
        ordinal, _, path = after.partition(_PATH)
        identifier = text[len(BEGINNING) : stop]
        place = identifier[: -len(ordinal)], before, path
        if place != self._place:
            found = _PLACE.fullmatch("\n".join(place))
            if found is None:
                return None
            self._place, self._test = place, json.loads(found[1])
        is_same = identifier.endswith(ordinal) and _WHOLE.fullmatch(ordinal)
        return (identifier, self._test, operator.recorded_name()) if is_same else None


def _members(text: str, start: int, known: _Known, name: Any, derive: Derive) -> str:
    """Derive the result from the two sides as they are recorded, and write it."""
    expected, end = _scan(text, start)
    observed, end = _scan(text, end + len(OBSERVED))
    is_text = type(expected) is str and type(observed) is str
    if not is_text:
        if _HIDDEN.search(text, start, end):
            raise ValueError("a side is not there in full")
        expected, observed = decode(expected), decode(observed)
    threshold, meant = 1.0, dict[str, Any]()
    if not text.startswith(_USUAL, end):
        found, stop = _THRESHOLD.match(text, end), text.rindex(_TEST)
        threshold, meant["negated"] = float(found[1]) if found else 0.0, text.find(_NEGATED, end, stop) >= 0
        place = text.find(_SOURCES, end, stop)
        if place >= 0:
            recorded, end = _scan(text, place + len(_SOURCES))
            if end != stop or _HIDDEN.search(text, place, stop):
                raise ValueError("what the sides were extracted from is not there in full")
            inputs, meant["sources"] = derive({"sources": recorded})
            expected, observed = inputs.pop("expected", expected), inputs.pop("observed", observed)
            if inputs:
                raise ValueError("settings of the operator are extracted too")
    result = run(known.operator, expected, observed, threshold=threshold, name=name, **meant)
    usual = None if meant else _TAILS.get(id(result.outcome))
    if usual is None or not (is_text and known.keeps_expected):
        return result.to_members()
    left = encode_text(expected)
    right = left if expected == observed else encode_text(observed)
    label = "" if name is None else f'"name":{encode_text(name)},'
    return f'"verdict":"{usual[0]}",{label}{known.members}{left}{OBSERVED}{right}{usual[1]}'
