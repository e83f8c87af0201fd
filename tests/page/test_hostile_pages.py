"""Text that would do harm in a page does nothing, and is shown."""

from __future__ import annotations

import pytest

from pytest_verdict import compare
from pytest_verdict.page.folder import about_folder
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from pytest_verdict.runs.labels import LONGEST_LABEL
from pytest_verdict.runs.numbers import count_numbers, read_answers
from written_records import lines_of

HURT = "window.hurt = (window.hurt || 0) + 1"
TEXTS = [
    f"</script><script>{HURT}</script>",
    f"<!-- <script> {HURT}",
    f"--><img src=x onerror='{HURT}'><svg onload='{HURT}'>",
    f"javascript:{HURT}//",
    "{{script}} ${hurt} `",
    "\u202eevil\u202c \u2066 \u200b \ufeff",
    "\ud800 lone",
    "lone \udfff",
    "a\x00b\x1b[31m\x7f\r",
    "__proto__",
    "constructor",
    "\U0001f468\u200d\U0001f469",
    "%00%ff&id=x#hash",
]


def open_row(page):
    page.locator(".row").first.click()
    page.wait_for_selector("#detail .title")


@pytest.mark.parametrize("text", TEXTS, ids=map(ascii, TEXTS))
def test_hostile_text_does_nothing_in_any_place(browse, folder, text):
    values = {text: [text, {text: text}], "x": {text}}
    results = [
        compare("exact", values, text, name=text),
        compare("all_of", {text: 1}, {text: 2}, conditions={text: "exact"}, name=text),
        compare("trajectory_exact", [(text, {text: text})], [(text, {text: 1})]),
    ]
    page = browse((folder({f"t.py::{text}": results}) / "report.html").as_uri())
    for number in range(3):
        page.locator(".row").nth(number).click()
        page.wait_for_selector(f"#detail .facts dd:has-text('comparison {number + 1}')")
        for _ in range(3):
            page.evaluate("document.querySelectorAll('#detail details').forEach((one) => { one.open = true; })")
            page.wait_for_timeout(20)
    for box in ("operator exact", "verdict fail"):
        page.locator(f'#facets input[data-facet="{box}"]').click()
    page.fill("#search", text.encode("utf-8", "ignore").decode().replace("\x00", ""))
    page.wait_for_timeout(300)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("window.hurt") is None
    assert page.locator("script").count() == 3
    assert page.locator("img, iframe, object").count() == 0


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\u202eevil\u202c", r'"\u202eevil\u202c"'),
        ("\ud800 lone", r'"\ud800 lone"'),
        ("a\x00\x1b[31m", r'"a\x00\x1b[31m"'),
        ("no\u00a0break", r'"no\xa0break"'),
        ("</script>", '"</script>"'),
        ("caf\u00e9 \U0001f600", '"caf\u00e9 \U0001f600"'),
    ],
)
def test_invisible_characters_are_shown_as_in_the_terminal(browse, folder, text, seen):
    page = browse((folder({"t.py::t": [compare("exact", text, "")]}) / "report.html").as_uri())
    open_row(page)
    assert page.locator(".sides .tree").first.inner_text().strip() == seen


def test_five_megabytes_open_and_are_shown_bit_by_bit(browse, folder):
    text = "word \u202e " * 700_000
    results = [compare("exact", [text], [text + "!"]), compare("exact", 1, 2)]
    page = browse((folder({"t.py::t": results}) / "report.html").as_uri())
    open_row(page)
    button = page.get_by_role("button", name="4,896,000 more characters")
    button.wait_for()
    assert page.evaluate("document.querySelector('#detail').innerText.length") < 60_000
    button.click()
    page.get_by_role("button", name="4,796,000 more characters").wait_for()
    assert page.locator(".sides .tree").first.inner_text().count("\\u202e") == 104_000 // 7


def test_a_value_of_many_items_is_made_when_it_is_opened(browse, folder):
    deep = 1
    for _ in range(150):
        deep = [deep]
    page = browse((folder({"t.py::t": [compare("exact", [list(range(100_000)), deep], 0)]}) / "report.html").as_uri())
    open_row(page)
    page.wait_for_selector(".sides")
    assert page.locator("#detail .leaf").count() < 100
    page.locator(".sides summary", has_text="[100000]").click()
    page.locator(".sides .leaf", has_text="199: 199").wait_for()
    page.get_by_role("button", name="99800 more").click()
    page.locator(".sides .leaf", has_text="399: 399").wait_for()


def test_hostile_labels_do_nothing_on_the_overview(browse, tmp_path):
    labels = [text[:LONGEST_LABEL] for text in TEXTS if "\0" not in text]
    observed = [{"a": label, "confidence": 0.5} for label in labels]
    results = [compare("one_of", [label], label[::-1]) for label in labels]
    results += [compare("json_canonical", {label: 1}, reply) for label, reply in zip(labels, observed, strict=True)]
    content = b"".join(lines_of([result], f"t.py::{labels[number % 5]}") for number, result in enumerate(results))
    (tmp_path / "records.jsonl").write_bytes(content)
    numbers = count_numbers(read_answers(str(tmp_path / "records.jsonl")))
    assert numbers["labels"][0]["matrix"]
    about = {**about_folder(tmp_path, "verify-report"), "numbers": numbers}
    write_page(map(Row, content.splitlines(keepends=True)), about, tmp_path / "report.html")
    page = browse((tmp_path / "report.html").as_uri())
    for title in ("Pass rates", "Labels of one_of", "Failures by kind of difference"):
        assert page.locator("#detail h3", has_text=title).count() == 1
    assert page.locator("#detail h3", has_text="Reliability of confidence").count() == 1
    assert page.locator("#detail img, #detail script").count() == 0
    assert page.evaluate("window.hurt") is None
