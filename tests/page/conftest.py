"""What the tests of the page share: folders of reports, and a browser that notices what a page must not do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_verdict.page.folder import about_folder
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from written_page import WrittenPage
from written_records import lines_of

REPOSITORY = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def pytest_collection_modifyitems(items):
    for item in items:
        if "browse" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def folder(tmp_path):
    """Write results by test as the folder of a report, with its page."""

    def write(tests):
        content = b"".join(lines_of(results, test) for test, results in tests.items())
        (tmp_path / "records.jsonl").write_bytes(content)
        about = about_folder(tmp_path, "verify-report")
        write_page(map(Row, content.splitlines(keepends=True)), about, tmp_path / "report.html")
        return tmp_path

    return write


@pytest.fixture
def page_of(folder):
    """Write results by test as a page, and read it back."""
    return lambda tests: WrittenPage(folder(tests) / "report.html")


# Of a module, because Playwright leaves a running event loop in the thread, where other tests start their own.
@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        try:
            browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except playwright.Error:
            pytest.skip("there is no Chromium: apt-get install chromium, or playwright install chromium")
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium):
    """Open an address, and fail at the end if the page complained, or asked for anything else than itself."""
    contexts, complaints = [], []

    def open_page(address, **more):
        context = chromium.new_context(**{"viewport": {"width": 1360, "height": 860}, **more})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        base = address.partition("#")[0]
        page.on("request", lambda request: request.url.startswith(base) or complaints.append(request.url))
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """The report of all examples, made once."""
    place = tmp_path_factory.mktemp("examples")
    shutil.copytree(REPOSITORY / "examples", place / "examples")
    (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CI"))}
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--verify-report", "examples"]
    subprocess.run(pytest_command, cwd=place, env=environment, capture_output=True, check=False)
    return place / "verify-report"
