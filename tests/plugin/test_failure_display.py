"""How a failure looks: in colour, in narrow terminals, in one line, and with more of it by ``-v``."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from modes import serial_and_workers

HEAD = "from pytest_verdict import assert_matches, compare, expect\n"
TESTS = (
    HEAD
    + """
def test_one(): assert_matches("exact", "the quick brown fox", "the quick brown dog")
def test_two(): assert compare("exact", {"a": [1, 2], "b": 1}, {"a": [1, 3], "b": 1})
def test_three(): assert "Rome" == expect("exact", "Paris")
def test_four(comparator):
    with comparator.collect():
        comparator("numeric_tolerance", 37.0, 36.7, tolerance=0.1, mode="absolute")
def test_five(): compare("exact", "Paris", "Lyon")
"""
)
SUMMARY = [
    "exact: expected 'the quick brown fox', got 'the quick brown dog'",
    "exact: $.a[1]: 2 -> 3",
    "exact: expected 'Paris', got 'Rome'",
    "numeric_tolerance: off by 0.3, allowed 0.1: expected 37.0, got 36.7",
    "exact: expected 'Paris', got 'Lyon'",
]
STYLE = re.compile("\x1b\\[[0-9;]*m")


def summary(stdout: str) -> list[str]:
    lines = (line for line in stdout.splitlines() if line.startswith("FAILED"))
    return sorted(line.split(" - ", 1)[1].removeprefix("Failed: ") for line in lines)


@pytest.mark.parametrize(
    "args", [["--tb=no"], ["-q"], ["--tb=line"], pytest.param(["-n2"], marks=pytest.mark.ci)], ids=" ".join
)
def test_summary_has_the_values(harness, monkeypatch, args):
    monkeypatch.setenv("COLUMNS", "120")
    facts = [line.partition(": ") for line in SUMMARY]
    assert summary(harness.run(TESTS, *args).stdout) == sorted(f"{fact} ({operator})" for operator, _, fact in facts)


def test_summary_fits_80_columns(harness, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    run = harness.run(TESTS, "--tb=no")
    for values in (
        "expected 'the quick",
        "$.a[1]: 2 -> 3",
        "expected 'Paris', got 'Rome'",
        "off by 0.3, allowed 0.1",
        "expected 'Paris', got 'Lyon'",
    ):
        assert any(line.startswith(values) for line in summary(run.stdout)), values
    assert "MismatchError" not in run.stdout


@pytest.mark.ci
@serial_and_workers("workers", "-n1")
def test_colours_change_only_colours(harness, workers):
    plain = harness.run(TESTS, *workers, "--color=no").stdout
    coloured = harness.run(TESTS, *workers, "--color=yes").stdout
    assert "\x1b" not in plain
    blocks = [line for line in coloured.splitlines() if "expected" in STYLE.sub("", line)]
    assert "got \x1b[31m'\x1b[0m\x1b[31mthe quick brown \x1b[0m\x1b[1;31mdog\x1b[0m\x1b[31m'\x1b[0m" in coloured
    assert "$.a[1]: \x1b[32m2\x1b[0m -> \x1b[31m3\x1b[0m" in coloured
    assert "off by 0.3, allowed 0.1: expected \x1b[32m37.0\x1b[0m, got \x1b[31m36.7\x1b[0m" in coloured
    assert blocks

    def comparable(text: str) -> list[str]:
        return re.sub(r"in \d+\.\d+s|=+|test_one\d", "", STYLE.sub("", text)).splitlines()

    assert [line for line in comparable(coloured) if line.startswith("E")] == [
        line for line in comparable(plain) if line.startswith("E")
    ]


@pytest.mark.ci
@serial_and_workers("workers", "-n2")
def test_junit_and_explain_agree_with_terminal(harness, workers):
    run = harness.run(TESTS, *workers, "--verify-report", "--color=yes")
    failures = {case.get("name"): case.find("failure") for case in run.junit.iter("testcase")}
    messages = (failure.get("message").split("; ", 1)[1].removeprefix("Failed: ") for failure in failures.values())
    assert sorted(messages) == sorted(SUMMARY)
    text = failures["test_one"].text
    explained = main_output(["explain", str(run.folder), "--failed"])
    assert "\x1b" not in text
    for line in (SUMMARY[0], "  normalization: none"):
        assert f"E   {line}" in text
        assert line in explained


def main_output(words: list[str]) -> str:
    return subprocess.run(
        [sys.executable, "-m", "pytest_verdict", *words], capture_output=True, text=True, check=True
    ).stdout


def test_no_color_is_respected(harness, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in harness.run(TESTS).stdout


@pytest.mark.parametrize("width", [60, 80, 120])
def test_blocks_fit_the_terminal(harness, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    test = HEAD + "def test_it():\n    assert_matches('exact', 'word ' * 100, 'word ' * 50 + 'WORD ' + 'word ' * 49)\n"
    lines = [line for line in harness.run(test).stdout.splitlines() if line.startswith("E ")]
    assert len(lines) >= 5
    assert max(map(len, lines)) <= width
    assert any("WORD" in line for line in lines)


@pytest.mark.ci
def test_workers_use_width_of_controller(harness, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    test = HEAD + "def test_it():\n    assert_matches('exact', 'a' * 500, 'b' * 500)\n"
    alone, sent = (harness.run(test, *args).stdout for args in ((), ("-n1",)))
    assert [line for line in alone.splitlines() if line.startswith("E ")] == [
        line for line in sent.splitlines() if line.startswith("E ")
    ]


def test_verbosity_shows_more(harness):
    test = HEAD + "def test_it():\n    assert_matches('exact', {str(n): 'x' * 99 for n in range(150)}, {})\n"
    left_out = [
        re.findall("… ([0-9]+) more difference", harness.run(test, *args).stdout) for args in ((), ("-v",), ("-vv",))
    ]
    assert left_out == [["140"], ["50"], []]


def test_user_exception_keeps_its_name(harness):
    run = harness.run(
        HEAD
        + "class Mine(AssertionError): pass\n"
        + "def test_it():\n    if not compare('exact', 1, 2):\n        raise Mine('mine')\n"
    )
    assert "Mine: mine" in run.stdout


@pytest.mark.ci
def test_explanation_is_not_imported_while_all_pass(harness):
    run = harness.run(
        {
            "conftest.py": "import sys\n\nLATE = ('pytest_verdict.expl', 'pytest_verdict.explanation.advice')\n\n"
            "def pytest_unconfigure():\n    print('\\nloaded:', *[name for name in sys.modules if name.startswith(LATE)])\n",
            "test_it.py": HEAD
            + "def test_it(comparator):\n    assert_matches('exact', 1, 1)\n"
            + "    with comparator.collect():\n        assert comparator('exact', 1, 1)\n",
        },
        "--verify-report",
        "-s",
        process=True,
    )
    assert re.search(r"^loaded:\s*$", run.stdout, re.MULTILINE)


HOSTILE = "\x1b[2J\u202e\x07]]></failure>"


@pytest.mark.parametrize("args", [("--color=yes",), ("--color=yes", "-vv"), ("--verify-report",)], ids=" ".join)
def test_hostile_text_is_harmless_in_every_output(harness, args):
    values = ", ".join(ascii(value) for value in (HOSTILE, {HOSTILE: [HOSTILE]}))
    run = harness.run(
        HEAD
        + f"TEXT, NESTED = {values}\n"
        + "def test_one(): assert_matches('exact', 'a', TEXT, name=TEXT)\n"
        + "def test_two(): assert compare('exact', {}, NESTED)\n"
        + "def test_three(): assert (TEXT + '\\n' + TEXT) == expect('exact', 'a\\nb')\n"
        + "def test_four(): compare('exact', NESTED, {TEXT: [1]})\n",
        *args,
    )
    assert run.outcomes == {"failed": 4}
    shown = STYLE.sub("", run.stdout)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", shown)
    if "--verify-report" in args:
        run.check_agreement()
