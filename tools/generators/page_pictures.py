"""The pictures of the page in docs/_static: what a browser shows for the report of all examples, and for the tutorial's diff.

It needs playwright, of the dependency group ``browser``, pillow and Debian's Chromium.
"""

from __future__ import annotations

import importlib.util
import io
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.documentation import blocks_of
from tools.generate import REPOSITORY

STATIC = REPOSITORY / "docs" / "_static"
LARGEST = 120_000
WIDE = {"width": 1280, "height": 720}
# Colour scheme, size and opened row of each picture (None: the overview).
PICTURES = {
    "page-overview.png": ("light", WIDE, None),
    "page-comparison.png": ("light", WIDE, "message"),
    "page-trajectory.png": ("dark", WIDE, "test_refund"),
}
# The address in the site of trends.
TRENDS = {
    "trends-overview.png": ("light", WIDE, ""),
    "trends-test.png": ("dark", {"width": 1280, "height": 560}, "#test="),
}
DIFF = ("page-diff.png", ("light", {"width": 1280, "height": 560}, "test_city"))


def report(place: Path) -> Path:
    """Run the examples and return the page of their report."""
    shutil.copytree(REPOSITORY / "examples", place, dirs_exist_ok=True)
    (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--verify-report"]
    subprocess.run(command, cwd=place, capture_output=True, check=False)
    return place / "verify-report" / "report.html"


def diff(place: Path) -> Path:
    """Run both versions of the tutorial's file and return the page of what changed."""
    python = [sys.executable, "-m"]
    blocks = blocks_of(REPOSITORY / "docs" / "tutorial.md")
    versions = [block.content for block in blocks if block.file_name == "test_trip.py"]
    for name, content in zip(("before", "after"), versions, strict=True):
        (place / "test_trip.py").write_text(content, encoding="utf-8")
        command = [*python, "pytest", "-q", "-p", "no:cacheprovider", f"--verify-report-dir={name}", "test_trip.py"]
        subprocess.run(command, cwd=place, capture_output=True, check=False)
    command = [*python, "pytest_verdict", "diff", "before", "after", "--format", "html", "-o", "diff.html"]
    subprocess.run(command, cwd=place, capture_output=True, check=False)
    return place / "diff.html"


def trends(place: Path) -> tuple[str, str]:
    """Write runs of two models to a store, and return the address of their site and the test that changed."""
    from pytest_verdict.history.site import build_site
    from pytest_verdict.store.files import StoreFiles
    from pytest_verdict.store.store import Store
    from written_runs import write_run

    source = random.Random(27)
    cities = ["Paris", "Rome", "Oslo", "Bern", "Cairo", "Lima", "Quito", "Delhi", "Seoul", "Riga", "Prague", "Madrid"]
    tests = {f"tests/test_trip.py::test_{kind}[{city}]": city for city in cities for kind in ("capital", "price")}
    changed, flaky, *_ = tests
    for number in range(120):
        model = ["small", "large"][number % 2]
        rates = dict.fromkeys(tests, 1.0) | {
            flaky: 0.85,
            [*tests][9]: 0.9,
            [*tests][15]: 0.7 if model == "small" else 0.97,
        }
        rates[changed] = 0.15 if number > 70 and model == "large" else 1.0
        outcomes = {test: "p" if source.random() < rate else "f" for test, rate in rates.items()}
        checks = {[*tests][4]: ["old" if number < 50 else "new"]}
        commit = f"{source.getrandbits(160):040x}"
        members = {"checks": checks, "commit": commit, "tags": {"model": model}, "number": number * 9}
        write_run(
            place / "store", outcomes, parameters={test: {"city": city} for test, city in tests.items()}, **members
        )
    runs = Store(StoreFiles(str(place / "store"))).runs()
    (place / "trends.html").write_text(build_site(runs, "s3://team/verdicts"), encoding="ascii")
    return (place / "trends.html").as_uri(), changed


def files() -> dict[Path, bytes]:
    from playwright.sync_api import sync_playwright

    pictures = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-lcd-text"]
        )
        page = report(Path(folder))
        for name, (scheme, size, opened) in PICTURES.items():
            pictures[STATIC / name] = screenshot(chromium, page.as_uri(), scheme, size, opened)
        address, test = trends(Path(folder))
        for name, (scheme, size, view) in TRENDS.items():
            pictures[STATIC / name] = screenshot(chromium, f"{address}{view and view + test}", scheme, size, None)
        name, (scheme, size, opened) = DIFF
        pictures[STATIC / name] = screenshot(chromium, diff(Path(folder)).as_uri(), scheme, size, opened)
    for path, content in pictures.items():
        if len(content) > LARGEST:
            raise SystemExit(f"{path.name} is larger than {LARGEST} bytes")
    return pictures


def missing() -> str | None:
    absent = [name for name in ("playwright", "PIL") if importlib.util.find_spec(name) is None]
    if absent:
        return f"needs {' and '.join(absent)}; install the dependency group 'browser' and pillow"
    return None if shutil.which("chromium") else "needs chromium; apt-get install chromium"


def screenshot(browser: Any, address: str, scheme: str, size: dict[str, int], opened: str | None) -> bytes:
    from PIL import Image

    tab = browser.new_page(viewport=size, color_scheme=scheme)
    tab.goto(address)
    tab.wait_for_selector("html[data-ready]")
    if opened:
        tab.locator(".row", has_text=opened).first.click()
        tab.wait_for_selector("pre.said")
    image = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
    tab.close()
    # A page has few colours, and with a palette the file is a quarter as large.
    content = io.BytesIO()
    image.quantize(256, Image.Quantize.MAXCOVERAGE).save(content, "PNG", optimize=True)
    return content.getvalue()
