"""The ini key ``verdict_html``: when a session writes its page by itself, and what stands in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytest_verdict.page import folder
from written_page import WrittenPage

FAILS = "from pytest_verdict import assert_matches\ndef test_it(): assert_matches('exact', 'a', 'b')\n"
PASSES = "from pytest_verdict import assert_matches\ndef test_it(): assert_matches('exact', 'a', 'a')\n"
RAISES = "def test_it(): raise ValueError('no comparison')\n"


def run(harness, test, *args, ini=""):
    return harness.run({"pytest.ini": f"[pytest]\n{ini}\n", "test_it.py": test}, *args, "--verify-report")


@pytest.mark.parametrize(
    ("test", "mode", "is_written"),
    [(FAILS, "auto", True), (PASSES, "auto", False), (RAISES, "auto", True), (PASSES, "always", True), (FAILS, "never", False)],
    ids=["failed", "passed", "raised", "always", "never"],
)  # fmt: skip
def test_mode_decides_whether_page_is_written(harness, test, mode, is_written):
    found = run(harness, test, ini=f"verdict_html = {mode}")
    assert (found.folder / "report.html").exists() == is_written
    assert ("page: file://" in found.stdout) == is_written


def test_earlier_page_is_removed(harness):
    assert (run(harness, FAILS).folder / "report.html").exists()
    found = run(harness, PASSES)
    assert sorted(path.name for path in found.folder.iterdir()) == [
        ".gitignore",
        "junit.xml",
        "records.jsonl",
        "report.json",
    ]


def test_terminal_links_to_worst_comparison(harness):
    found = run(harness, FAILS)
    section = found.stdout.split("= verification =")[1].split("= short test summary")[0]
    address = (found.folder / "report.html").resolve().as_uri()
    assert section.rstrip("=\n").splitlines()[-1] == f"page: {address}#id={found.records[0]['id']}"


def test_page_agrees_with_report(harness):
    page = WrittenPage(run(harness, RAISES).folder / "report.html")
    assert page.head["rows"] == 0
    assert page.about["tests"] == [[1, ["test_it.py::test_it"], "failed", "ValueError: no comparison"]]
    assert ["tests", "1 failed"] in page.about["facts"]


@pytest.mark.ci
def test_page_is_the_same_with_workers(harness):
    pages = [WrittenPage(run(harness, FAILS, *args).folder / "report.html") for args in ((), ("-n2",))]
    assert pages[0].columns == pages[1].columns
    assert pages[0].bodies == pages[1].bodies


def test_redacted_text_is_not_in_the_page(harness):
    page = WrittenPage(
        run(harness, FAILS.replace("'b'", "'sk-1234'"), ini="verdict_redact = sk-[0-9]+").folder / "report.html"
    )
    assert "sk-1234" not in page.everything
    assert "[redacted]" in page.everything


def test_foreign_page_is_not_overwritten(harness):
    (harness.path / "verify-report").mkdir()
    (harness.path / "verify-report" / "report.html").write_text("<html>pytest-html</html>")
    found = run(harness, FAILS)
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert "report.html was not written by this plugin" in found.output


def test_unknown_mode_is_a_usage_error(harness):
    found = run(harness, PASSES, ini="verdict_html = yes")
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert "verdict_html: auto, always or never is needed, got 'yes'" in found.output


def test_large_unwatched_session_omits_passes(harness):
    many = (
        "from pytest_verdict import compare\ndef test_many():\n    for at in range(2_001): compare('exact', at, at)\n"
    )
    page = WrittenPage(run(harness, FAILS + many).folder / "report.html")
    assert page.columns["verdict"] == ["fail"]
    assert "leaves out the 2001 comparisons that passed" in page.about["warnings"][0]


def test_unwritable_page_keeps_other_files(harness, monkeypatch):
    def write_on_full_disk(*_):
        raise OSError("no space left for the page")

    monkeypatch.setattr(folder, "write_page", write_on_full_disk)
    found = run(harness, PASSES, ini="verdict_html = always")
    assert found.status == pytest.ExitCode.TESTS_FAILED
    assert "no space left for the page" in found.output
    found.check_agreement()
    assert not (found.folder / "journal").exists()


@pytest.mark.ci
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_passed_session_at_terminal_has_page(harness):
    import pty

    harness.write({"pytest.ini": "[pytest]\n", "test_it.py": PASSES})
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "pytest", "-p", "verdict", "-p", "no:cacheprovider", "--verify-report"]
    with subprocess.Popen(command, cwd=harness.path, stdout=terminal) as process:
        os.close(terminal)
        said = b"".join(iter(lambda: _read(controller), b""))
        assert process.wait() == 0
    os.close(controller)
    assert b"/verify-report/report.html\r\n" in said
    assert (harness.path / "verify-report" / "report.html").exists()


def _read(descriptor):
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        # Linux says so when the other end is closed.
        return b""
