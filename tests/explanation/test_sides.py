"""In every explanation, what is drawn as expected is on the expected side of the record, and observed on the other."""

from __future__ import annotations

import json
import re

import pytest

from kinds_of_records import kinds
from pytest_verdict import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.explanation.drawing import draw_explanation

RESULTS = kinds()
BUDGETS = [Budget(characters=0, lines=0, differences=0, width=0), Budget(width=72)]
CUT = re.compile(r" ?… [0-9]+ (?:characters|items in all) … ?|…| to win")
# The heads and marks of tables.
LABELS = {"expected", "observed", "missing", "unexpected", "forbidden", "a verdict", "a tie"}
DETAILS = {"expected": ("missing", "unmet", "schema"), "observed": ("unexpected", "matched", "found", "type")}


def texts_of(result, side):
    """Yield all texts of a side of a comparison, as an explanation may write them."""
    values = [getattr(result, side), getattr(result, f"{side}_surface"), result.settings]
    values += [result.details.get(name) for name in DETAILS[side]]
    differences = result.details.get("differences")
    values += [one.get(side) for one in differences or () if isinstance(one, dict)]
    for value in values:
        yield from (shown(value, 0), str(value), ascii(value), json.dumps(value, default=repr, ensure_ascii=False))
        if isinstance(value, dict | list | tuple):
            yield " ".join(map(str, value))
    for child in result.children:
        yield from texts_of(child, side)


def wrong_pieces(result, parts):
    """Return the drawn pieces that are not on the side of the record that their role names."""
    wrong = []
    for part in parts:
        side = part.role.removesuffix("_changed")
        if side in DETAILS and part.text not in LABELS:
            present = "\n".join(texts_of(result, side))
            wrong += [piece for piece in CUT.split(part.text) if piece.strip("'\"[](){} ,") not in present]
    return wrong


@pytest.mark.parametrize("name", RESULTS)
def test_every_value_is_on_its_side(name):
    result = ComparisonResult.from_record(json.loads(RESULTS[name].to_text()))
    for budget in BUDGETS:
        for parts in draw_explanation(result, budget):
            assert wrong_pieces(result, parts) == [], parts


def test_swapped_sides_would_be_noticed():
    result = RESULTS["exact-fail"]
    parts = next(iter(draw_explanation(result, BUDGETS[0])))
    names = {"expected": "observed", "observed": "expected"}
    swapped = []
    for part in parts:
        side, _, changed = part.role.partition("_")
        swapped.append(part._replace(role=names.get(side, "") + ("_changed" if changed else "")))
    assert wrong_pieces(result, parts) == []
    assert wrong_pieces(result, swapped)


@pytest.mark.parametrize("name", RESULTS)
def test_settings_notes_and_normalization_are_those_of_the_record(name):
    result = RESULTS[name]
    text = "\n".join("".join(part.text for part in parts) for parts in draw_explanation(result, BUDGETS[0]))
    for note in result.notes:
        assert note in text
    if result.normalization:
        assert f"normalization: {', '.join(result.normalization)}" in text or result.children
    if result.score not in {0.0, 1.0}:
        assert f"{result.score:.6g}" in text
    assert text.startswith(result.operator)
