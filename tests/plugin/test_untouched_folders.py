"""Replay says nothing of a folder that nobody touched, whatever its tests are called and however they end."""

from __future__ import annotations

import pytest

from pytest_verdict.cli import main

STRANGE = r"""
import warnings
import pytest
from pytest_verdict import assert_matches, compare

NAMES = ["a::b", "<&>\"'", "\u2026 of 12 characters", "x" * 400, "\x1b[31m", "\u20ac\U0001f600", "tab\there"]

@pytest.mark.parametrize("name", NAMES)
def test_named(name):
    assert_matches("exact", name, name, name=name)
    assert_matches("exact", name, name + "\ud83d", name=name)

@pytest.mark.parametrize("size", [499, 500, 501, 999, 1000, 1001, 20_000, 1_200_000])
def test_long(size):
    assert compare("exact", 1, 2).passed or True
    raise ValueError("y" * size)

@pytest.mark.parametrize("text", ["a\r\nb", "\x00\x0b", "&amp; <failure message=\"x\"> </testcase>", "\u2028", "]]>"])
def test_texts(text):
    assert text == "z", text

class TestClass:
    @pytest.fixture
    def broken(self):
        yield
        raise OSError("\r\n<teardown>")

    def test_teardown(self, broken):
        assert_matches("exact", [1, float("nan"), -0.0, 10 ** 30], {"\ud83d": b"\x00"})

    def test_setup(self, absent):
        pass

@pytest.mark.xfail(reason="\x1b[0m <r>")
def test_expected_failure():
    assert_matches("exact", 1, 2)

@pytest.mark.xfail
def test_unexpected_pass():
    assert_matches("exact", 1, 1)

def test_skipped_inside():
    assert_matches("exact", 1, 1)
    pytest.skip("\n\n")

def test_subtests(subtests):
    for number in range(3):
        with subtests.test(number=number):
            assert_matches("exact", 1, number)

flaky = []

@pytest.mark.flaky(reruns=2)
def test_flaky():
    flaky.append(1)
    assert compare("exact", 1, len(flaky)).passed or True
    assert len(flaky) > 1, "again & again"

@pytest.mark.flaky(reruns=1)
def test_always_fails():
    assert_matches("exact", 1, 2)
"""
PLUGINS = ("-p", "verdict", "-p", "rerunfailures", "-p", "no:cacheprovider", "--continue-on-collection-errors")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-n2",),
        ("-o", "verdict_redact=b+|Value"),
        *(
            pytest.param(arguments, marks=pytest.mark.ci)
            for arguments in [
                (),
                ("-o", "verdict_junit_profile=strict"),
                ("-o", "verdict_report_limit=3"),
                ("-x",),
                ("-k", "nothing_of_that_name"),
            ]
        ),
    ],
    ids=" ".join,
)
def test_untouched_report_has_no_findings(pytester, capsys, monkeypatch, arguments):
    pytester.makepyfile(
        test_strange=STRANGE,
        test_broken="1 / 0",
        test_absent="import pytest\npytest.skip('x', allow_module_level=True)",
    )
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    workers = ("-p", "xdist") if "-n2" in arguments else ()
    pytester.runpytest_inprocess("--verify-report", *PLUGINS, *workers, *arguments)
    folder = pytester.path / "verify-report"
    capsys.readouterr()
    status = main(["replay", str(folder)])
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if ".json" in line or ".xml" in line] == []
    is_whole = not {"-x", "-k"}.intersection(arguments)
    assert status == 0 or not is_whole
    assert len((folder / "records.jsonl").read_bytes().splitlines()) >= 30 * is_whole
