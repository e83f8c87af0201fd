"""The pictures of the page in docs/_static: what a browser shows for the report of all examples, and for the tutorial's diff.

It needs playwright, of the dependency group ``browser``, pillow and Debian's Chromium.
"""

from __future__ import annotations

import importlib.util
import io
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


def files() -> dict[Path, bytes]:
    from playwright.sync_api import sync_playwright

    pictures = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-lcd-text"]
        )
        page = report(Path(folder))
        for name, (scheme, size, opened) in PICTURES.items():
            pictures[STATIC / name] = screenshot(chromium, page, scheme, size, opened)
        name, (scheme, size, opened) = DIFF
        pictures[STATIC / name] = screenshot(chromium, diff(Path(folder)), scheme, size, opened)
    for path, content in pictures.items():
        if len(content) > LARGEST:
            raise SystemExit(f"{path.name} is larger than {LARGEST} bytes")
    return pictures


def missing() -> str | None:
    absent = [name for name in ("playwright", "PIL") if importlib.util.find_spec(name) is None]
    if absent:
        return f"needs {' and '.join(absent)}; install the dependency group 'browser' and pillow"
    return None if shutil.which("chromium") else "needs chromium; apt-get install chromium"


def screenshot(browser: Any, page: Path, scheme: str, size: dict[str, int], opened: str | None) -> bytes:
    from PIL import Image

    tab = browser.new_page(viewport=size, color_scheme=scheme)
    tab.goto(page.as_uri())
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
