"""``junit.xml`` for those who read it: the schema of the Jenkins xUnit plugin, junitparser, and any XML parser."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

import junitparser
import pytest
from hypothesis import given, strategies as st
from lxml import etree

from pytest_verdict.report.journal import Journal, TestEntry
from pytest_verdict.report.junit import attribute, element_text, escape_name, write
from pytest_verdict.report.summary import Contents, summarize

SCHEMA = "testing/example_scripts/junit-10.xsd"


@pytest.fixture(scope="session")
def junit_schema(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> etree.XMLSchema:
    """The schema of the Jenkins xUnit plugin, which pytest's source distribution carries and this repository does not."""
    cache = getattr(pytestconfig, "cache", None)
    folder = cache.mkdir("junit-schema") if cache is not None else tmp_path_factory.mktemp("junit-schema")
    file = Path(folder) / "junit-10.xsd"
    if not file.exists():
        file.write_bytes(_fetched(tmp_path_factory.mktemp("sdist")))
    return etree.XMLSchema(etree.parse(file))


def _fetched(folder: Path) -> bytes:
    wanted = f"pytest=={pytest.__version__}"
    command = ["download", "--quiet", "--no-deps", "--no-binary", "pytest", "--dest", str(folder), wanted]
    subprocess.run([sys.executable, "-m", "pip", *command], capture_output=True, check=False, timeout=120)
    found = next(folder.glob("pytest-*.tar.gz"), None)
    if found is None:
        pytest.skip("junit-10.xsd comes from pytest's source distribution, and the package index cannot be reached")
    with tarfile.open(found) as archive:
        (member,) = [name for name in archive.getnames() if name.endswith(SCHEMA)]
        content = archive.extractfile(member)
        assert content is not None
        return content.read()


ENTRIES = [
    TestEntry(
        "tests/test_a.py::test_passed",
        outcome="passed",
        path="tests/test_a.py",
        line=3,
        microseconds=123_450,
        properties=[("<name>", "a\n\x00]]>")],
        output={"system-out": "]]> \x00", "system-err": "\x1b[31m<&>"},
    ),
    TestEntry(
        "tests/test_a.py::TestIt::test_failed[a::b]",
        outcome="failed",
        path="tests/test_a.py",
        line=9,
        message="exact: <fail> & \x1b[31mred\x00",
        text="E   ]]> \ud800 \r\n" * 5000,
        comparisons={"exact": (18, 2, 0)},
    ),
    TestEntry(
        "tests/test_a.py::test_error", outcome="error", path="tests/test_a.py", message="no setup", text="OSError"
    ),
    TestEntry("test_b.py::test_skipped", outcome="skipped", path="test_b.py", message="not today"),
    TestEntry("test_b.py::test_xfailed", outcome="xfailed", path="test_b.py", message="known"),
    TestEntry("test_b.py::test_xpassed", outcome="xpassed", path="test_b.py", microseconds=12_345_600_000),
    TestEntry("test_b.py::test_crashed", outcome="failed", path="test_b.py", message="worker crashed", crashed=True),
    TestEntry("test_b.py::test_unfinished", outcome="unfinished", path="test_b.py"),
    TestEntry("test_b.py::test_flaky", 1, outcome="rerun", path="test_b.py", message="first", text="E  first"),
    TestEntry("test_b.py::test_flaky", 2, outcome="passed", path="test_b.py", microseconds=0),
    TestEntry("test_b.py::test_lost", 1, outcome="rerun", path="test_b.py", message="first", text="E  first"),
    TestEntry("test_b.py::test_lost", 2, outcome="failed", path="test_b.py", message="second", subtests={"failed": 1}),
    TestEntry("test_c.py", outcome="error", path="test_c.py", message="collection failed", text="ImportError"),
    # Different node ids that would have the same class name and name.
    TestEntry("a.py::b::test_it", outcome="passed", path="a.py"),
    TestEntry("a/b.py::test_it", outcome="passed", path="a/b.py"),
    TestEntry("a.py::test_it[\x1b[31m]", outcome="passed", path="a.py"),
    TestEntry("a.py::test_it[]", outcome="passed", path="a.py"),
]


def document(entries: list[TestEntry], profile: str, started: str = "2026-11-20T17:00:00") -> bytes:
    summary = summarize(Journal(Path(), entries=entries))
    contents = Contents(summary, {"started": started}, {"sha256": "0" * 64}, [], 0, profile, [])
    return "".join(write(contents)).encode()


def without_places(content: bytes) -> etree._Element:
    root = etree.fromstring(content)
    for case in root.iter("testcase"):
        del case.attrib["file"], case.attrib["line"]
        for properties in case.findall("properties"):
            case.remove(properties)
    return root


@pytest.mark.ci
def test_the_strict_profile_is_valid(junit_schema):
    junit_schema.assertValid(etree.fromstring(document(ENTRIES, "strict")))
    junit_schema.assertValid(etree.fromstring(document(ENTRIES, "strict", started="")))


@pytest.mark.ci
def test_the_ci_profile_is_valid_but_for_file_line_and_properties(junit_schema):
    content = document(ENTRIES, "ci")
    assert not junit_schema.validate(etree.fromstring(content))
    junit_schema.assertValid(without_places(content))


@pytest.mark.parametrize("profile", ["ci", "strict"])
def test_junitparser_counts_the_same(profile):
    suites = junitparser.JUnitXml.fromfile(io.BytesIO(document(ENTRIES, profile)))
    counted: Counter[str] = Counter()
    for suite in suites:
        cases = list(suite)
        assert suite.tests == len(cases)
        kinds = Counter(type(result).__name__ for case in cases for result in case.result[-1:])
        assert (suite.failures, suite.errors, suite.skipped) == (kinds["Failure"], kinds["Error"], kinds["Skipped"])
        counted += kinds
        counted["tests"] += len(cases)
    assert counted["tests"] == suites.tests == len(ENTRIES) - 2
    assert (counted["Failure"], counted["Error"], counted["Skipped"]) == (4, 2, 2)
    assert (suites.failures, suites.errors) == (4, 2)


def test_junit_has_members_that_ci_systems_need():
    root = etree.fromstring(document(ENTRIES, "ci"))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)
    assert ("tests.test_a.TestIt", "test_failed[a::b]") in names
    for element in root.iter():
        assert len(element.get("message", "")) <= 500
        if element.get("time") is not None:
            assert re.fullmatch(r"[0-9]+\.[0-9]{3}", element.get("time"))
    assert [suite.get("name") for suite in root] == ["a.py", "a/b.py", "test_b.py", "test_c.py", "tests/test_a.py"]
    assert all(suite.getparent() is root for suite in root.iter("testsuite"))
    failed = next(case for case in root.iter("testcase") if case.get("name") == "test_failed[a::b]")
    assert (failed.get("file"), failed.get("line")) == ("tests/test_a.py", "9")
    assert failed.find("failure").get("message") == "2 of 20 comparisons did not pass; exact: <fail> & red\\x00"
    assert len(failed.findtext("failure")) <= 32_000


TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["]]>", "\x1b[0m", "\r\n", "&#0;", "\ud800\udc00"]
)


@given(TEXT, st.integers(60, 400))
def test_any_text_comes_back_as_far_as_xml_can_hold_it(text, limit):
    element = etree.fromstring(
        f'<a b="{attribute(text, limit)}" c="{escape_name(text, limit)}">{element_text(text, limit)}</a>'.encode()
    )
    assert max(len(element.get("b")), len(element.get("c")), len(element.text or "")) <= limit
    if text.isprintable() and len(text) <= limit:
        assert element.get("b") == element.get("c") == (element.text or "") == text


@pytest.mark.parametrize("beginning", ["", "\x1b[31m" * 10, "\x00"], ids=repr)
def test_long_names_that_differ_at_their_end_stay_different(beginning):
    names = {escape_name(beginning + "x" * 200 + end, 200) for end in "ab"}
    assert len(names) == 2
    assert max(map(len, names)) <= 200


@given(st.lists(st.tuples(TEXT, TEXT, st.sampled_from(["failed", "error", "skipped", "rerun"])), max_size=5))
def test_any_session_can_be_read(tests):
    entries = [
        TestEntry(f"t.py::{name}", outcome=outcome, path="t.py", message=text, text=text)
        for name, text, outcome in tests
    ]
    root = etree.fromstring(document(entries, "ci"))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names) == len({entry.test for entry in entries})


@pytest.mark.parametrize(
    ("outcome", "comparisons", "element", "kind"),
    [
        ("failed", {}, "failure", "verdict.TestFailure"),
        ("failed", {"exact": (0, 1, 0)}, "failure", "verdict.Mismatch"),
        ("failed", {"exact": (0, 1, 1)}, "failure", "verdict.OperatorError"),
        ("error", {}, "error", "verdict.TestError"),
        ("unfinished", {}, "failure", "verdict.Unfinished"),
    ],
)
def test_failure_type_names_kind_of_failure(outcome, comparisons, element, kind):
    entry = TestEntry("test_x.py::test_a", 1, outcome=outcome, path="test_x.py", comparisons=comparisons)
    case = etree.fromstring(document([entry], "ci")).find(".//testcase")
    assert case.find(element).get("type") == kind
