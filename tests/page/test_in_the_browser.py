"""The page in Chromium: what a person sees, clicks and types."""

from __future__ import annotations

import json

import pytest

from pytest_verdict import compare
from pytest_verdict.operators import AnyOf
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, FieldCheck, VerifiedField

COUNTS = {"pass": 1, "fail": 1, "error": 0}
LONG = {f"tests/test_x.py::test_{at}": [compare("exact", at, at if at % 50 else -1)] for at in range(1_500)}


class EitherName(BaseAnswer):
    """The gene, by its symbol or the name of its protein."""

    symbol: str = VerifiedField("The symbol", ground_truth="TP53", verify_with=ExactMatch())
    protein: str = VerifiedField("The protein", ground_truth="p53", verify_with=ExactMatch())

    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="symbol"), FieldCheck(field="protein")])


def open_row(page):
    """Open the first comparison of the list, and wait until all of it is drawn."""
    page.locator(".row").first.click()
    page.wait_for_selector("#detail .title")


def texts(page, selector):
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def address(folder, fragment=""):
    return (folder / "report.html").as_uri() + (f"#{fragment}" if fragment else "")


def chosen(page):
    return page.evaluate(
        "Object.fromEntries(Object.entries(state.chosen).map(([name, values]) => [name, [...values]]))"
    )


def select(page, facet, value):
    page.locator(f'#facets input[data-facet="{facet} {value}"]').click()


def parts(page, heading):
    """Give the cells of the table below a heading of the details."""
    found = page.locator(f"#detail h3:has-text('{heading}') + .box tbody tr")
    return [[cell.strip() for cell in row.locator("td").all_inner_texts()] for row in found.all()]


def test_page_opens_with_failures(browse, examples):
    page = browse(address(examples))
    assert chosen(page) == {"verdict": ["fail", "error"]}
    assert page.locator("#status").inner_text() == "10 of 28 comparisons"
    assert page.locator("#rows .row").count() == 10
    assert texts(page, "#totals span") == ["\u2713 18 pass", "\u2717 9 fail", "! 1 error", "64.2 %"]
    assert page.locator("#detail h2").inner_text() == "verify-report"
    assert "expected 'Canberra', got 'Sydney'" in page.locator("#rows").inner_text()


def test_page_without_failures_lists_everything(browse, folder):
    page = browse(address(folder({"t.py::t": [compare("exact", 1, 1)] * 3})))
    assert chosen(page) == {}
    assert page.locator("#status").inner_text() == "3 comparisons"


def test_an_empty_report_is_shown(browse, folder):
    page = browse(address(folder({})))
    assert "There is no comparison." in page.locator("#grid").inner_text()


def test_the_overview_counts_and_leads_to_what_it_counts(browse, examples):
    page = browse(address(examples))
    assert parts(page, "By operator")[0] == ["exact", "0", "3", "0", "0 %"]
    canberra = "examples/capitals/test_capitals.py::test_capital[Australia-Canberra]"
    message = "normalized_exact: expected 'Canberra', got 'Sydney'"
    assert [message, "failed", "1", canberra] in parts(page, "Tests that did not pass")
    assert page.locator("#detail .charts svg").count() == 2
    assert len(parts(page, "Slowest tests")) > 3
    assert parts(page, "Fields and criteria")[0] == ["Drug.year", "Drug", "", "0", "1", "0", "0 %"]
    page.locator("#detail h3:has-text('By operator') + .box button", has_text="answer_template").click()
    assert chosen(page) == {"operator": ["answer_template"]}
    assert page.locator("#rows .row").count() == 1


def test_filters_narrow_count_and_stay_in_the_address(browse, folder):
    results = {
        "t.py::test_a": [
            compare("exact", 1, 1, name="x"),
            compare("exact", 1, 2, name="y"),
            compare("numeric_exact", 1, "?"),
        ],
        "t.py::test_b": [compare("numeric_exact", 1, 2)],
    }
    page = browse(address(folder(results)))
    select(page, "operator", "numeric_exact")
    assert page.locator("#status").inner_text() == "2 of 4 comparisons"
    select(page, "notes", "not_a_number")
    assert page.locator("#rows .row").count() == 1
    # A facet counts what another choice in it would show.
    assert texts(page, "#facets ul[data-name=operator] label") == ["numeric_exact\n1"]
    assert texts(page, "#facets ul[data-name=notes] label") == ["not_a_number\n1"]
    again = browse(page.url)
    assert chosen(again) == {"verdict": ["fail"], "operator": ["numeric_exact"], "notes": ["not_a_number"]}
    assert again.locator("#status").inner_text() == "1 of 4 comparisons"
    for name in ("Verdict", "Operator", "Note"):
        again.get_by_label(f"Clear {name}").click()
    assert again.locator("#status").inner_text() == "4 comparisons"
    assert browse(again.url).locator("#status").inner_text() == "4 comparisons"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        *(("test_b", 1), ("needle", 1), ("NEEDLE", 1), ("a.c", 0), ("nowhere", 0)),
        *(("Stra\u00dfe", 1), ("\u00c9T\u00c9", 1), ("\U0001f600", 1), ('a "quoted" \\ word', 1)),
    ],
)
def test_search_finds_text_anywhere_in_the_records(browse, folder, query, count):
    hidden = {"deep": ["a needle", "Stra\u00dfe", "\u00e9t\u00e9", "\U0001f600", 'a "quoted" \\ word', "abc"]}
    page = browse(
        address(folder({"t.py::test_a": [compare("exact", hidden, hidden)], "t.py::test_b": [compare("exact", 1, 1)]}))
    )
    page.keyboard.press("/")
    page.keyboard.type(query)
    page.wait_for_timeout(600)
    assert page.evaluate("[shown.length, searching]") == [count, 0]
    assert browse(page.url).locator("#search").input_value() == query


def test_a_link_opens_one_comparison_by_its_id_or_the_test_by_the_beginning(browse, folder):
    place = folder({"t.py::t": [compare("exact", 1, 1), compare("exact", 1, 2), compare("exact", 1, 3)]})
    ids = [json.loads(line)["id"] for line in (place / "records.jsonl").read_bytes().splitlines()]
    for fragment, found in ((ids[2], 2), (ids[0].partition("-")[0], 1), (ids[0], 0)):
        page = browse(address(place, f"id={fragment}"))
        assert f"record\n{ids[found]}, attempt 1" in page.locator("#detail .facts").inner_text()
        assert page.locator(".row[aria-selected=true]").count() == 1
    assert browse(address(place, "id=000000000000-1-1")).locator("#detail h2").inner_text() == "verify-report"


def test_the_keyboard_is_enough(browse, examples):
    page = browse(address(examples))
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail h2:has-text('blind_preference')")
    page.keyboard.press("j")
    page.wait_for_selector("#detail h2:has-text('normalized_exact')")
    page.keyboard.press("Escape")
    assert page.locator("#detail h2").inner_text() == "verify-report"
    page.keyboard.press("End")
    assert page.locator("#grid").get_attribute("aria-activedescendant") == "row-9"
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.keyboard.press("/")
    page.keyboard.type("jk?")
    assert page.locator("#search").input_value() == "jk?"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "grid"


def test_back_goes_back(browse, examples):
    page = browse(address(examples))
    page.locator(".row", has_text="Canberra").click()
    page.wait_for_selector("#detail h2:has-text('normalized_exact')")
    page.go_back()
    page.wait_for_selector("#detail h2:has-text('verify-report')")
    page.go_forward()
    page.wait_for_selector("#detail h2:has-text('normalized_exact')")


def test_a_failure_has_the_lines_of_the_failure_block_with_their_roles(browse, folder):
    page = browse(address(folder({"t.py::t": [compare("exact", "one two three", "one 2 three")]}), "id=2d711642b726"))
    open_row(page)
    page.wait_for_selector("pre.said")
    assert page.locator("pre.said").inner_text().splitlines()[0] == "exact: expected 'one two three', got 'one 2 three'"
    assert texts(page, "pre.said .expected_changed")[0] == "two"
    assert texts(page, "pre.said .observed_changed")[0] == "2"


def test_surfaces_can_be_switched_to(browse, folder):
    page = browse(address(folder({"t.py::t": [compare("normalized_exact", "Paris", " PARIS!")]})))
    open_row(page)
    assert texts(page, ".sides .tree") == ['"Paris"', '" PARIS!"']
    for button in page.get_by_role("button", name="as compared").all():
        button.click()
    assert texts(page, ".sides .tree") == ['"paris"', '"paris!"']


def test_numbers_are_shown_as_they_were_written(browse, folder):
    page = browse(
        address(folder({"t.py::t": [compare("exact", [37.0, 10**30, 12345678901234567890, 1e-7], [-0.0, 1, 2.5])]}))
    )
    open_row(page)
    expected, observed = texts(page, ".sides .tree")
    assert expected.split("\n")[1:] == ["0: 37.0", f"1: {10**30}", "2: 12345678901234567890", "3: 1e-07"]
    assert observed.split("\n")[1:] == ["0: -0.0", "1: 1", "2: 2.5"]


def test_template_is_a_table_and_trajectory_is_side_by_side(browse, examples):
    page = browse(address(examples))
    page.locator(".row", has_text="Drug").click()
    page.wait_for_selector("#detail h2:has-text('answer_template')")
    assert [line[1:6] for line in parts(page, "Parts")][1] == ["year", "1", "numeric_exact", "2016", "2015"]
    page.locator(".row", has_text="test_refund").click()
    page.wait_for_selector("#detail h2:has-text('trajectory_in_order')")
    assert parts(page, "Calls side by side")[1] == [
        "\u2717", "differs", "2. refund\norder = 4711\namount = 39.0", "2. refund\norder = 4711\namount = 93.0"
    ]  # fmt: skip


def test_the_strategy_of_a_template_is_drawn_as_a_tree(browse, folder):
    result = AnswerTemplate(EitherName).verify({"symbol": "TP53", "protein": "unknown"}).comparison
    page = browse(address(folder({"t.py::t": [result]})))
    open_row(page)
    page.wait_for_selector("ul.strategy")
    tree = page.locator("ul.strategy").inner_text().split("\n")
    assert tree == ["\u2713 at least 1 of 2: 1 passed", "\u2713 symbol", "\u2717 protein"]


def test_a_blind_comparison_shows_both_orders_and_reveals_who_was_who(browse, examples):
    page = browse(address(examples))
    page.locator(".row", has_text="prefers_the_first").click()
    page.wait_for_selector("#detail h2:has-text('blind_preference')")
    table = page.locator("#detail .box table").first
    heads = [text.strip() for text in table.locator("th").all_inner_texts()]
    assert heads[1:] == ["call 1: A (shown first)", "call 1: B", "call 2: A (shown first)", "call 2: B"]
    assert [cell.strip() for cell in table.locator("tr:last-child td").all_inner_texts()].count("\u25c0 winner") == 2
    page.get_by_role("button", name="revealed").click()
    assert (
        "A was old, B was new" in page.locator("#detail").inner_text()
        or "A was new, B was old" in page.locator("#detail").inner_text()
    )


def test_commands_are_there_to_copy(browse, folder):
    page = browse(address(folder({"t.py::it's": [compare("exact", 1, 2)]})))
    open_row(page)
    commands = texts(page, ".command code")
    record = page.evaluate("state.id")
    assert commands == [
        f"pytest-verdict explain verify-report --id {record}", "pytest-verdict replay verify-report", "pytest 't.py::it'\"'\"'s'"
    ]  # fmt: skip


def test_long_list_draws_visible_rows_only(browse, folder):
    page = browse(address(folder(LONG), "all=1"))
    assert page.locator("#grid").get_attribute("aria-rowcount") == "1500"
    assert page.locator("#rows .row").count() < 40
    page.locator("#grid").focus()
    page.keyboard.press("End")
    assert page.locator(".row[aria-selected=true]").get_attribute("aria-rowindex") == "1500"
    assert "test_1499" in page.locator(".row[aria-selected=true]").inner_text()
    page.keyboard.press("Home")
    assert page.locator(".row[aria-selected=true]").get_attribute("aria-rowindex") == "1"


def test_a_list_that_is_too_high_for_a_browser_is_scrolled_in_larger_steps(browse, folder):
    page = browse(address(folder(LONG), "all=1"))
    page.evaluate("HIGHEST = 5000; filter()")
    assert page.locator("#rows").bounding_box()["height"] == 5000
    page.locator("#grid").focus()
    page.keyboard.press("End")
    page.wait_for_timeout(100)
    last = page.locator(".row[aria-rowindex='1500']")
    assert last.is_visible()
    grid = page.locator("#grid").bounding_box()
    assert last.bounding_box()["y"] + 60 <= grid["y"] + grid["height"] + 2
    page.evaluate("grid.scrollTop = 2000")
    page.wait_for_timeout(100)
    assert 0 < int(page.locator("#rows .row").first.get_attribute("aria-rowindex")) < 1400


def test_sort_by_margin_puts_lowest_first(browse, folder):
    results = [compare("text_similarity", "abcd", text, threshold=0.5) for text in ("abcd", "abxx", "abcx")]
    page = browse(address(folder({"t.py::t": results})))
    page.locator("#order").select_option("margin")
    assert page.evaluate("[...shown].map((row) => columns.ordinal[row])") == [2, 3, 1]
    assert browse(page.url).locator("#order").input_value() == "margin"


def test_page_names_records_it_leaves_out(browse, tmp_path):
    from pytest_verdict.page.folder import about_folder
    from pytest_verdict.page.rows import Row
    from pytest_verdict.page.writing import write_page
    from written_records import lines_of

    lines = lines_of([compare("exact", "x" * 900, "x" * 900), compare("exact", 1, 2)]).splitlines(keepends=True)
    write_page(map(Row, lines * 400), about_folder(tmp_path, "."), tmp_path / "report.html", limit=10)
    page = browse(address(tmp_path, "all=1"))
    assert "With all records this page would be too large" in page.locator("#detail").inner_text()
    open_row(page)
    assert "With all records this page would be too large" in page.locator("#detail").inner_text()
    assert "pytest-verdict explain" in page.locator("#detail").inner_text()


def test_a_page_without_its_passes_counts_them(browse, tmp_path):
    from pytest_verdict.page.rows import Row
    from pytest_verdict.page.writing import write_page
    from written_records import lines_of

    results = [compare("exact", 1, number, name=f"n{number}") for number in (2, 3)] + [compare("pass_rate", 1, COUNTS)]
    about = {
        "title": "t",
        "left_out": 82_066,
        "counts": {"pass": 82_066, "fail": 3, "error": 0},
        "operators": [["exact", 82_066, 2, 0], ["regex", 0, 0, 0]],
    }
    write_page(map(Row, lines_of(results).splitlines(keepends=True)), about, tmp_path / "report.html")
    page = browse(address(tmp_path))
    assert texts(page, "#totals span") == ["\u2713 82,066 pass", "\u2717 3 fail", "! 0 error", "99.9 %"]
    assert page.locator("#status").inner_text() == "3 comparisons that did not pass"
    assert parts(page, "By operator") == [["exact", "82,066", "2", "0", "99.9 %"]]
    assert sorted(parts(page, "By name")) == [["n2", "1", "0"], ["n3", "1", "0"]]
    assert "do not count below: pass_rate." in page.locator("#detail").inner_text()
    assert "(those that passed are left out)" in page.locator("#detail").inner_text()


def test_charts_count_every_answer(browse, folder):
    half = compare("text_similarity", "ab", "ax", 0.7)
    results = [
        *[compare("exact", 1, 1)] * 500,
        *[half] * 3,
        compare("regex", "(", "x"),
        compare("pass_rate", 1, COUNTS),
    ]
    page = browse(address(folder({"t.py::t": results})))
    scores, margins = ([title.text_content() for title in chart.locator("title").all()] for chart in charts(page))
    assert scores == [
        "0.00 to 0.05: 0 pass, 0 fail, 1 error",
        "0.50 to 0.55: 0 pass, 3 fail, 0 error",
        "0.95 to 1.00: 500 pass, 0 fail, 0 error",
    ]
    assert margins == [
        "-1.00 to -0.90: 0 pass, 0 fail, 1 error",
        "-0.20 to -0.10: 0 pass, 3 fail, 0 error",
        "0.00 to 0.10: 500 pass, 0 fail, 0 error",
    ]


def charts(page):
    return page.locator("#detail svg").all()


def test_equal_failures_are_one_line(browse, folder):
    equal = {f"t.py::test_{at}": [compare("exact", "a", "b", name=f"n{at}")] for at in range(20)}
    page = browse(address(folder({**equal, "t.py::test_other": [compare("exact", "a", "c")]})))
    first = "t.py::test_0\nt.py::test_1\nt.py::test_2"
    assert parts(page, "Equal failures") == [["exact: expected 'a', got 'b'", "20", f"{first}\nand 17 more"]]


def test_two_runs_are_shown_with_their_classes_and_both_records(browse, tmp_path):
    from pytest_verdict.page.rows import Row
    from pytest_verdict.page.writing import write_page
    from written_records import lines_of

    old = lines_of([compare("normalized_exact", "a", "a", normalize=["strip"])])
    new = lines_of([compare("normalized_exact", "a", "b", normalize=["strip", "nfc"])])
    rows = [Row(new, old, "regressed", ("observed",)), Row(old, old)]
    write_page(rows, {"title": "old and new", "start": {"change": ["regressed"]}}, tmp_path / "report.html")
    page = browse(address(tmp_path))
    assert chosen(page) == {"change": ["regressed"]}
    assert page.locator("#rows .row").count() == 1
    open_row(page)
    assert texts(page, ".sides .tree") == ['"a"', '"a"', '"a"', '"b"']
    assert "causes\nobserved" in page.locator(".facts").inner_text()
    assert parts(page, "Changed in the check") == [["normalize", '["strip"]', '["strip","nfc"]']]
