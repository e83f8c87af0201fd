"""axe-core finds no violation, in light and dark, wide and narrow; and the page prints.

axe-core is read from ``node_modules`` (``npm install axe-core``) or from the file that ``AXE_CORE`` names.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
AXE = Path(os.environ.get("AXE_CORE", REPOSITORY / "node_modules" / "axe-core" / "axe.min.js"))
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed (npm install axe-core)")
RUN = "axe.run().then(({violations}) => violations.map((one) => [one.id, one.nodes.map((node) => node.html)]))"


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 900, 390])
def test_axe_finds_nothing(browse, examples, scheme, width):
    page = browse((examples / "report.html").as_uri(), color_scheme=scheme, viewport={"width": width, "height": 800})
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(RUN) == []
    for text in ("Drug", "test_refund", "prefers_the_first", "books"):
        page.evaluate("close()")
        page.locator(".row", has_text=text).first.click()
        page.wait_for_selector("#detail .command")
        assert page.evaluate(RUN) == [], text
    page.keyboard.press("?")
    assert page.evaluate(RUN) == []


def test_a_narrow_window_shows_the_list_or_the_details(browse, examples):
    page = browse((examples / "report.html").as_uri(), viewport={"width": 390, "height": 800})
    assert page.locator("#list").is_visible()
    assert not page.locator("#detail").is_visible()
    assert not page.locator("#facets").is_visible()
    page.locator("#toggle").click()
    assert page.locator("#facets").is_visible()
    page.keyboard.press("Escape")
    page.locator(".row", has_text="Canberra").click()
    assert page.locator("#detail").is_visible()
    assert not page.locator("#list").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Close").click()
    assert page.locator("#list").is_visible()
    page.locator("#home").click()
    assert page.locator("#detail h2").inner_text() == "verify-report"
    assert page.locator("#detail").is_visible()
    page.locator("#home").click()
    assert page.locator("#list").is_visible()


def test_print_shows_open_record_without_the_list(browse, examples):
    page = browse((examples / "report.html").as_uri())
    page.locator(".row", has_text="Canberra").click()
    page.emulate_media(media="print")
    assert page.locator("#detail").is_visible()
    for part in ("#list", "#facets", "#search", ".actions"):
        assert not page.locator(part).first.is_visible(), part
