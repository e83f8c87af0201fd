"""The site of `pytest-verdict trends` in a browser: what it shows, its links, hostile names, and axe-core."""

from __future__ import annotations

import random

import pytest
from test_accessibility import AXE, RUN, needs_axe

from pytest_verdict.history.site import build_site
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_runs import write_run

STEP = "tests/test_trip.py::test_city[Paris]"
FLAKY = "tests/test_trip.py::test_price"
CHANGED = "tests/test_trip.py::test_date"
HOSTILE = "tests/test_x.py::test[</script><img src=x onerror=alert(1)>\u202e]"


def check_heading(page, text):
    """Wait for the heading, because an event behind a click or choice changes the view."""
    from playwright.sync_api import expect

    expect(page.locator("h2")).to_have_text(text)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    source = random.Random(1)
    names = []
    for number in range(80):
        model = ["small", "large"][number % 2]
        tests = {
            STEP: "p" if number < 40 or model == "large" else "f",
            FLAKY: source.choice("pppf"),
            CHANGED: "p",
            HOSTILE: "f",
            **{f"tests/test_many.py::test_case[{case}]": "p" for case in range(120)},
        }
        parameters = {f"tests/test_many.py::test_case[{case}]": {"case": case % 3} for case in range(120)}
        checks = {CHANGED: ["old" if number < 30 else "new"]}
        more = {"number": number, "commit": f"{number:040x}", "tags": {"model": model}, "branch": "main"}
        names.append(write_run(place / "store", tests, parameters=parameters, checks=checks, **more))
    runs = Store(StoreFiles(str(place / "store"))).runs()
    (place / "index.html").write_text(build_site(runs, "s3://team/verdicts"), encoding="ascii")
    return (place / "index.html").as_uri(), names


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_axe_finds_nothing_in_each_view(browse, site, scheme, width):
    address, names = site
    page = browse(address, color_scheme=scheme, viewport={"width": width, "height": 800})
    for view in ("", f"view=1&test={STEP}", f"run={names[-1]}", f"from={names[1]}&to={names[-1]}", "test=none"):
        page.evaluate(f"location.hash = {view!r}")
        page.wait_for_timeout(100)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert page.evaluate(RUN) == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_overview_and_the_way_to_a_difference(browse, site):
    address, names = site
    page = browse(address)
    check_heading(page, "model=large")
    assert page.locator("#view option").all_inner_texts() == ["model=large (40)", "model=small (40)"]
    page.select_option("#view", "1")
    check_heading(page, "model=small")
    step = page.locator(".changes li", has_text="down")
    assert step.inner_text().startswith(f"{STEP} \u2193 down: 20 of 20 \u2192 0 of 20, p = ")
    step.get_by_text("what changed").click()
    assert page.locator(".command code").inner_text() == f"pytest-verdict diff store:{names[38]} store:{names[40]}"
    assert page.locator("tr", has_text=STEP).inner_text().split("\t") == [STEP, "passed", "failed", ""]
    page.locator("td a", has_text="test_city").click()
    check_heading(page, STEP)
    assert page.locator("svg.cells .step").count() == 1
    assert page.locator("tbody tr").first.inner_text().startswith("0 %\t0 of 20")


def test_series_is_cut_where_the_check_changed(browse, site):
    page = browse(f"{site[0]}#test={CHANGED}")
    assert page.locator("svg.cells .cut").count() == 1
    assert page.locator(".changes li").inner_text().startswith("the check changed at 2026-01-02")


def test_a_link_that_names_a_run_opens_its_view(browse, site):
    address, names = site
    page = browse(f"{address}#run={names[-1]}")
    check_heading(page, f"Run {names[-1]}")
    page.goto(f"{address}#run={names[0]}")
    page.wait_for_function(f"document.querySelector('h2').textContent.includes({names[0]!r})")


def test_click_into_the_results_opens_the_run(browse, site):
    address, names = site
    page = browse(f"{address}#test={STEP}")
    box = page.locator("svg.cells").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 5)
    check_heading(page, f"Run {names[-1]}")


def test_search_and_matrix(browse, site):
    page = browse(site[0])
    assert page.locator("td svg.cells").count() == 100
    row = page.locator("tr", has_text=STEP).last.inner_text().split("\t")
    assert row == [STEP, "100 %", "50 %"]
    page.fill("#search", "test_price")
    assert page.locator("td svg.cells").count() == 1


def test_hostile_names_are_text(browse, site):
    page = browse(site[0])
    assert page.locator("img").count() == 0
    page.fill("#search", "onerror")
    link = page.locator("td.name a").first
    assert "\\u202e" in link.inner_text()
    link.click()
    page.locator("h2", has_text="<img src=x").wait_for()
    assert page.locator("img").count() == 0


def test_report_page_shows_last_results_and_links_to_the_site(browse, folder, tmp_path):
    from pytest_verdict import compare
    from pytest_verdict.page.folder import about_folder
    from pytest_verdict.page.rows import Row
    from pytest_verdict.page.writing import write_page

    place = folder({"tests/test_x.py::test_a": [compare("exact", 1, 2)]})
    about = about_folder(place, "verify-report")
    address = (tmp_path / "site" / "index.html").as_uri()
    about["history"] = {"tests": {"tests/test_x.py::test_a": "ppfe-f"}, "trends": address}
    lines = (place / "records.jsonl").read_bytes().splitlines(keepends=True)
    write_page(map(Row, lines), about, place / "report.html")
    page = browse((place / "report.html").as_uri())
    page.locator(".row").first.click()
    marks = page.locator("dd [role=img]")
    assert marks.inner_text() == "\u2713\u2713\u2717!\u00b7\u2717"
    assert marks.get_attribute("aria-label") == "passed, passed, failed, error, no result, failed"
    link = page.locator("dd a", has_text="trends")
    assert link.get_attribute("href") == f"{address}#test=tests%2Ftest_x.py%3A%3Atest_a"
    about["history"]["trends"] = "javascript:alert(1)"
    write_page(map(Row, lines), about, place / "report.html")
    page = browse((place / "report.html").as_uri())
    page.locator(".row").first.click()
    assert page.locator("a", has_text="trends").count() == 0
