"""What the page shows of a record of each kind is what the record has: facts, sides, parts and calls."""

from __future__ import annotations

import pytest

from kinds_of_records import kinds
from pytest_verdict.core.values.display import visible

READ = """async () => {
  const shown = {};
  const leaves = (cell) => [...cell.querySelectorAll(".leaf")].map((leaf) => leaf.textContent).join("|");
  const textOf = (cell) => leaves(cell) || cell.querySelector("[aria-label]")?.ariaLabel || cell.textContent;
  for (let row = 0; row < rows; row++) {
    const [record, lines, before] = await bodyOf(row);
    const holder = document.createElement("div");
    holder.append(...details(row, record, lines, before));
    const cells = (title) => [...holder.querySelectorAll("h3")].filter((one) => one.textContent === title)
      .flatMap((one) => [...one.nextElementSibling.querySelectorAll("tbody tr")])
      .map((line) => [...line.children].map(textOf));
    const facts = [...holder.querySelectorAll(".facts dt")]
      .map((one) => [one.textContent, one.nextElementSibling.textContent]);
    shown[testOf(row)] = {
      facts: Object.fromEntries(facts),
      verdict: holder.querySelector(".verdict").textContent,
      sides: [...holder.querySelectorAll(".sides .tree")].map((one) => one.textContent),
      parts: cells("Parts"),
      calls: cells("Calls side by side"),
    };
  }
  return shown;
}"""


@pytest.fixture
def pages(browse, folder):
    results = kinds()
    place = folder({f"t.py::{visible(name)}": [result] for name, result in results.items()})
    page = browse((place / "report.html").as_uri())
    return results, page.evaluate(READ)


def text_of(value):
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and value.isascii() else None
    return str(value) if type(value) is int else None


def test_page_shows_what_the_records_have(pages):
    results, shown = pages
    assert len(shown) == len(results) > 140
    for name, result in results.items():
        seen = shown[f"t.py::{name}"]
        facts = seen["facts"]
        assert seen["verdict"] == result.verdict
        sign = "\u2265" if result.score >= result.threshold else "<"
        negated = ", negated by the test" if result.negated else ""
        assert facts["score"] == f"{result.score!r} {sign} {result.threshold!r}{negated}", name
        assert facts.get("normalization", "") == ", ".join(result.normalization)
        assert facts.get("notes", "") == ", ".join(result.notes)
        assert facts.get("error") == (None if result.error is None else facts["error"])
        for side, text in zip(("expected", "observed"), seen["sides"], strict=True):
            known = text_of(getattr(result, side))
            assert known is None or text == known, (name, side)
        if seen["parts"]:
            # The parts of parts are rows as well.
            rows = iter(seen["parts"])
            assert all(any(child.verdict in row and child.operator in row for row in rows) for child in result.children)


@pytest.mark.parametrize("order", ["exact", "in_order", "any_order"])
def test_calls_that_a_rule_accepts_are_shown_with_both_sides(pages, order):
    _, shown = pages
    calls = shown[f"t.py::rules {order}"]["calls"]
    assert calls[0][2:] == ['query = "Tea"|limit = 5|extra = 1', 'query = "tea "|limit = 6|extra = true']
    assert calls[1][2:] == ['id = 1|a.b = {"c":1}', 'id = 2|a.b = {"c":2}']


def test_a_call_of_which_only_the_name_is_expected_has_no_arguments(pages):
    calls = pages[1]["t.py::bare calls"]["calls"]
    assert calls[0][2:] == ["1. search", 'query = "tea "|limit = 6|extra = true']
    assert calls[1][2:] == ["2. book", "\u2013"]
