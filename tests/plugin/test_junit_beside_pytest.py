"""junit.xml beside pytest's own ``--junit-xml`` of one and the same session, test by test."""

from __future__ import annotations

import re

import pytest

from modes import serial_and_workers
from pytest_verdict.cli import main
from tools.junit_side_by_side import cases, differences

OUTCOMES = """
import logging, sys, unittest
import pytest
from pytest_verdict import assert_matches

@pytest.fixture(scope="session", autouse=True)
def of_the_session(record_testsuite_property):
    record_testsuite_property("commit", "a<b>&\\"c")
    record_testsuite_property("size", 12)

def test_passes(record_property):
    record_property("answer", 42)
    record_property("answer", "forty-two\\n\\t<&>")
    print("out of the test ]]> \\x1b[31m")
    print("err of the test", file=sys.stderr)
    logging.getLogger("weather").warning("a warning of the test")
    assert_matches("exact", 1, 1)

def test_fails(record_property):
    record_property("when", "before it failed")
    print("said before it failed")
    assert_matches("exact", 1, 2)

def test_fails_without_comparison():
    assert [1] == [2], "lists"

@pytest.mark.parametrize("text", ["a::b", "[x]", "a/b.py", "é" * 50, "y" * 3000], ids=lambda text: text)
def test_named(text):
    assert len(text) < 10

class TestGroup:
    class TestInner:
        def test_deep(self):
            print("deep")

class TestUnit(unittest.TestCase):
    def test_one(self):
        self.assertEqual(1, 2)

    @unittest.skip("not today")
    def test_two(self): ...

@pytest.fixture
def broken_before():
    print("set up")
    raise OSError("no disk")

@pytest.fixture
def broken_after():
    yield
    print("torn down")
    raise OSError("no disk left")

def test_setup(broken_before): ...
def test_teardown(broken_after): print("itself is fine")
def test_both(broken_after): assert 0
def test_skips(): print("before"); pytest.skip("because")
@pytest.mark.skip(reason="marked")
def test_marked(): ...
def test_expected_to_fail(): pytest.xfail("known")
@pytest.mark.xfail(reason="known too")
def test_marked_as_failing(): assert 0
@pytest.mark.xfail
def test_passes_after_all(): ...
@pytest.mark.xfail(strict=True)
def test_must_fail(): ...
"""
FILES = {
    "test_it.py": OUTCOMES,
    "sub/folder/test_deep.py": "def test_one(): pass\n",
    "sub/folder/test_broken.py": "import nothing_there\n",
    "sub/test_skipped.py": "import pytest\npytest.skip('all of it', allow_module_level=True)\n",
    "test_class.py": "import pytest\nclass TestBad:\n    @pytest.mark.parametrize('x', 1)\n    def test_a(self, x): ...\n",
    "sub/test_doc.txt": ">>> 1\n2\n",
}
# pytest warns of properties in its other family.
FAMILY = ("-o", "junit_family=xunit1")
BOTH = (
    "--verify-report",
    "--junit-xml=theirs.xml",
    "--continue-on-collection-errors",
    "--doctest-glob=test_*.txt",
    *FAMILY,
)
LOGGING = ["no", "log", "system-out", "system-err", "out-err", "all"]


def agree(run):
    ours, theirs = run.folder / "junit.xml", run.path / "theirs.xml"
    assert len(cases(theirs)) > 20
    assert differences(ours, theirs) == []
    # What was added follows from no other file, and still nothing disagrees.
    assert main(["replay", str(run.folder), "--quiet"]) == 0
    run.check_agreement()


@pytest.mark.ci
def test_differences_are_found(harness):
    run = harness.run(FILES, *BOTH, "-o", "junit_logging=all")
    theirs = run.path / "theirs.xml"
    text = theirs.read_text()
    for what, old, new in [
        ("identity", 'name="test_deep"', 'name="test_flat"'),
        ("outcome", "<failure ", "<error "),
        ("text", "[1] == [2]", "[1] == [3]"),
        ("properties", 'value="42"', 'value="43"'),
        ("out", "said before", "said long before"),
        ("err", "err of the test", "error of the test"),
    ]:
        changed = text.replace(old, new).replace(
            "</failure>", "</error>" if "error " in new and old[0] == "<" else "</failure>"
        )
        assert changed != text
        theirs.write_text(changed)
        assert what in {kind for _, kind, *_ in differences(run.folder / "junit.xml", theirs)}


@pytest.mark.every(3)
@pytest.mark.parametrize("logging", LOGGING)
def test_junit_agrees_with_pytest(harness, logging):
    run = harness.run(FILES, *BOTH, "-o", f"junit_logging={logging}")
    agree(run)
    found = cases(run.folder / "junit.xml")["test_it", "test_passes"]
    assert ("out of the test" in found.out) == (logging in {"system-out", "out-err", "all"})
    assert ("a warning of the test" in found.out) == (logging in {"log", "all"})
    assert ("err of the test" in found.err) == (logging in {"system-err", "out-err", "all"})


@pytest.mark.ci
def test_junit_agrees_with_pytest_with_workers(harness):
    # Each worker collects, so pytest counts what cannot be collected as often as there are workers.
    files = {name: text for name, text in FILES.items() if name not in {"sub/folder/test_broken.py", "test_class.py"}}
    agree(harness.run(files, *BOTH, "-n2", "-o", "junit_logging=all"))


@pytest.mark.ci
def test_output_of_passed_tests_can_be_omitted(harness):
    run = harness.run(FILES, *BOTH, "-o", "junit_logging=all", "-o", "junit_log_passing_tests=false")
    agree(run)
    found = cases(run.folder / "junit.xml")
    assert found["test_it.TestGroup.TestInner", "test_deep"].out == ""
    assert "said before it failed" in found["test_it", "test_fails"].out


@serial_and_workers("workers", "-n2")
def test_session_properties_are_in_every_suite(harness, workers):
    run = harness.run(FILES, *BOTH, *workers)
    for suite in run.junit.iter("testsuite"):
        given = [(one.get("name"), one.get("value")) for one in suite.iterfind("properties/property")]
        assert given[-2:] == [("commit", 'a<b>&"c'), ("size", "12")]
    if not workers:
        theirs = (run.path / "theirs.xml").read_text()
        assert 'name="commit" value="a&lt;b&gt;&amp;&quot;c"' in theirs
    assert run.report["run"]["properties"] == [["commit", 'a<b>&"c'], ["size", "12"]]
    assert run.report["run"]["test_properties"]["test_it.py::test_fails"] == [["when", "before it failed"]]


def test_module_names_agree_with_pytest(harness):
    run = harness.run(FILES, *BOTH)
    found = cases(run.folder / "junit.xml")
    assert found["", "sub.folder.test_broken"].outcome == "error"
    assert found["", "sub.test_skipped"].outcome == "skipped"


@pytest.mark.ci
def test_names_are_long_in_ci_and_short_in_strict_profile(harness):
    long = f"test_named[{'y' * 3000}]"
    assert harness.run(FILES, *BOTH).case(long) is not None
    strict = harness.run("", *BOTH, "-o", "verdict_junit_profile=strict")
    names = [case.get("name") for case in strict.junit.iter("testcase")]
    assert long not in names
    assert max(map(len, names)) == 200
    assert not strict.junit.findall("*/testcase/properties")


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name="answer" value="42"', 'name="answer" value="43"'),
        ('name="size" value="12"', 'name="size" value="13"'),
        ("said before it failed", "said nothing"),
        ("err of the test", "nothing"),
    ],
)
def test_altered_junit_is_found(harness, capsys, old, new):
    run = harness.run(FILES, *BOTH, "-o", "junit_logging=all")
    path = run.folder / "junit.xml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert main(["replay", str(run.folder)]) == 1
    assert re.search(r"junit.xml: (file|(testcase|testsuite) \S+): ", capsys.readouterr().out)


HOSTILE = """
import pytest

class Bad:
    def __str__(self): raise ValueError
    def __repr__(self): raise ValueError

def test_it(request, record_property):
    # execnet sends neither objects nor lone surrogates, whoever gives them.
    here = (Bad(), object(), "\\ud800") if not hasattr(request.config, "workerinput") else ()
    for value in (*here, "\\x00\\x1b[31m]]><!--\\u202e", "x" * 3_000_000):
        record_property("<a>\\x00", value)
    print("-" * 33, "Captured Out", "-" * 33)
    print("</system-out><failure/>]]>\\x00\\x1b[31m\\ud800", "x" * 3_000_000)

def test_secret(record_property, record_testsuite_property):
    record_property("token", "s3cr3t")
    for value in ("s3cr3t", "\\ud800", "]]><!--\\x00", object()):
        record_testsuite_property("given", value)
    print("s3cr3t")
"""


@pytest.mark.ci
@serial_and_workers("workers", "-n2")
def test_hostile_properties_and_output_are_harmless(harness, workers, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:backslashreplace")
    harness.write({"pytest.ini": "[pytest]\njunit_logging = all\nverdict_redact = s3cr3t\n"})
    run = harness.run(HOSTILE, "--verify-report", *workers)
    run.check_agreement()
    assert main(["replay", str(run.folder), "--quiet"]) in {0, 2}
    values = [one.get("value") for one in run.junit.iterfind(".//testcase/properties/property")]
    assert [len(value) > 1_000_000 for value in values[-3:]] == [False, True, False]
    assert values[-1] != "s3cr3t"
    assert workers or values[:3] == ["<unprintable test_it:Bad: ValueError>", "<object object at 0x...>", "\\ud800"]
    assert len(run.report["run"]["properties"]) == 4
    assert "s3cr3t" not in (run.folder / "junit.xml").read_text() + (run.folder / "report.json").read_text()
    assert (run.folder / "junit.xml").stat().st_size < 3_000_000


@pytest.mark.ci
def test_journal_keeps_properties_and_output(harness):
    text = "def test_a(record_property):\n    record_property('k', 'v')\n    print('said')\n"
    text += "def test_b(): import os; os._exit(1)\n"
    run = harness.run(text, "--verify-report", "-o", "junit_logging=all", process=True)
    assert main(["report", str(run.folder)]) == 0
    found = cases(run.folder / "junit.xml")["test_it", "test_a"]
    assert found.properties == [("k", "v")]
    assert "said" in found.out
