"""Each format of ``pytest-verdict summary``, read by what reads it, over a report full of hostile text."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import tarfile
from pathlib import Path

import jsonschema
import lxml.html
import pytest
from hostile_session import HOSTILE
from markdown_it import MarkdownIt

from pytest_verdict.core.families import hookimpl, register_family
from pytest_verdict.core.record import record_keys
from pytest_verdict.summaries.command import FORMATS

TELLING = [name for name in FORMATS if name != "otel"]
# As the runner of GitHub reads a log: two colons behind blanks of any kind, or ##[ anywhere.
COMMAND = re.compile(r"^\s*::(?!error (?:file=|line=|title=))|##\[")


@pytest.mark.parametrize("form", TELLING)
def test_nothing_in_it_is_a_command_or_moves_a_cursor(hostile, summary, form):
    status, out, err = summary(hostile.folder, form)
    assert (status, err) == (0, "")
    lines = out.split("\n")
    assert len(lines) > 5
    assert not [line for line in lines if COMMAND.search(line) and not line.startswith("::error ")]
    assert not [character for character in set(out) - {"\n"} if not character.isprintable()]
    assert out.encode("utf-8")


@pytest.mark.parametrize("form", TELLING)
def test_the_same_report_gives_the_same_bytes_on_stdout_and_in_a_file(hostile, summary, form, tmp_path):
    out = summary(hostile.folder, form)[1]
    assert summary(hostile.folder, form, "-o", tmp_path / "told") == (0, "", "")
    assert (tmp_path / "told").read_bytes() == out.encode("utf-8")


def html_of(text):
    return lxml.html.fromstring(MarkdownIt("gfm-like", {"html": True, "linkify": True}).render(text))


def test_markdown_has_nothing_but_our_own_elements(hostile, summary):
    text = summary(hostile.folder, "markdown")[1]
    assert len(text.encode()) <= 256 * 1024
    root = html_of(text)
    elements = {element.tag for element in root.iter()}
    assert elements == {
        "div",
        "h2",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "code",
        "pre",
        "p",
    }
    assert {len(row) for row in root.iter("tr")} == {7}
    assert all(len(details.findall("summary")) == 1 for details in root.iter("details"))
    # All details stand side by side: none was closed or opened by what it holds.
    assert not list(root.iterfind(".//details//details"))
    failed = [test for test in hostile.report["tests"] if test["outcome"] in {"failed", "error"}]
    assert len(list(root.iter("details"))) == len(failed)


def test_markdown_has_counts_places_and_the_block_that_the_terminal_showed(hostile, summary):
    root = html_of(summary(hostile.folder, "markdown")[1])
    rows = [[cell.text_content() for cell in row] for row in root.iter("tr")]
    tests, made = hostile.report["totals"]["tests"], hostile.report["totals"]["comparisons"]
    assert rows[1] == ["tests", *(str(tests[name]) for name in ("total", "passed", "failed", "error")), "1", ""]
    rate = f"{made['pass'] * 1000 // made['total'] / 10:g} %"
    assert rows[2] == ["comparisons", *(str(made[name]) for name in ("total", "pass", "fail", "error")), "0", rate]
    shown = {one.findtext("summary/code"): one for one in root.iter("details")}
    broken = shown["test_it.py::test_broken"].findtext("pre/code")
    assert broken.startswith('regex: error: expected must be a regular expression, got "("\n  expected: ')
    heads = [block.text_content().split("\n")[0] for block in shown["test_it.py::test_many"].iter("pre")]
    assert heads == [f"numeric_exact: off by {abs(n - 1)}: expected 1, got {n}" for n in (0, 2, 3, 4, 5)]
    assert "… and 2 more comparisons that did not pass" in shown["test_it.py::test_many"].text_content()
    lines = shown["test_it.py::test_value[0]"].findtext("pre/code").rstrip("\n").split("\n")
    assert len(lines) > 5
    assert all(f"E   {line}" in hostile.stdout for line in lines)


@pytest.mark.ci
def test_markdown_is_cut_at_whole_failures(harness, summary):
    text = "from pytest_verdict import *\nimport pytest\n@pytest.mark.parametrize('n', range(400))\n"
    text += "def test_it(n):\n    a = [str(i) * 20 for i in range(60)]\n    assert_matches('exact', a, [*a, n][::-1])\n"
    run = harness.run(text, "--verify-report", "--tb=no", "-q")
    out = summary(run.folder, "markdown")[1]
    assert 200 * 1024 < len(out.encode()) <= 256 * 1024
    root = html_of(out)
    shown = len(list(root.iter("details")))
    assert out.endswith(f"</details>\n\n… and {400 - shown} more tests that did not pass\n")


def test_gates_that_were_not_met_stand_above_the_failures(hostile, summary):
    path = hostile.folder / "report.json"
    report = json.loads(path.read_text())
    counted = {"unit": "comparison", "pass": 1, "fail": 1, "error": 0, "rate": 0.5, "interval": [0.1, 0.9], "notes": []}
    report["gates"] = [
        {**counted, "gate": "operator:exact | <b> ##[error]", "verdict": "missed"},
        {**counted, "gate": "operator:regex", "verdict": "met"},
    ]
    path.write_text(json.dumps(report))
    out = summary(hostile.folder, "markdown")[1]
    said = "1 of 2 comparisons passed, 0 errors, 0.5 [0.1, 0.9]"
    assert f"- **not met**: ` gate operator:exact \\x7c <b> #\\x23[error]: {said}, missed `\n" in out
    assert f"- **met**: ` gate operator:regex: {said}, met `\n" in out
    assert [one.text_content() for one in html_of(out).iterfind(".//li/strong")] == ["not met", "met"]
    ctrf = json.loads(summary(hostile.folder, "ctrf")[1])
    assert [gate["met"] for gate in ctrf["results"]["environment"]["extra"]["gates"]] == [False, True]


def test_gitlab_gets_one_issue_for_each_comparison_with_its_key(hostile, summary):
    issues = json.loads(summary(hostile.folder, "gitlab-codequality", "--root", "sub/folder")[1])
    green = {test["test"] for test in hostile.report["tests"] if test["outcome"] == "passed"}
    keys = [
        key
        for key, record in zip(record_keys(hostile.records), hostile.records, strict=True)
        if record["verdict"] != "pass" and record["test"] not in green
    ]
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert len(set(fingerprints)) == len(fingerprints) == len(keys) + len(HOSTILE)
    assert set(keys) < set(fingerprints)
    for issue in issues:
        assert issue.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["path"] == "sub/folder/test_it.py"
        assert issue["location"]["lines"]["begin"] >= 1
        assert len(issue["description"]) <= 1_000


@pytest.fixture(scope="session")
def ctrf_schema(tmp_path_factory):
    """The schema of the Common Test Report Format, which its package on npm carries and this repository does not."""
    folder = tmp_path_factory.mktemp("ctrf")
    command = ["npm", "pack", "--silent", "ctrf@0.3"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    found = next(Path(folder).glob("ctrf-*.tgz"), None)
    if found is None:
        pytest.skip("the schema of CTRF comes from the package ctrf of npm, and npm is not there or cannot be reached")
    with tarfile.open(found) as archive:
        content = archive.extractfile("package/dist/ctrf-schema-0.0.json")
        assert content is not None
        return json.load(io.TextIOWrapper(content))


@pytest.mark.ci
def test_ctrf_follows_its_schema(hostile, summary, ctrf_schema):
    document = json.loads(summary(hostile.folder, "ctrf")[1])
    jsonschema.Draft7Validator(ctrf_schema).validate(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(ctrf_schema).validate({**document, "more": 1})


def test_ctrf_has_every_test_and_every_comparison(hostile, summary):
    results = json.loads(summary(hostile.folder, "ctrf")[1])["results"]
    assert len(results["tests"]) == results["summary"]["tests"] == len(hostile.report["tests"])
    assert sum(len(test.get("steps", ())) for test in results["tests"]) == len(hostile.records)
    counts = {status: results["summary"][status] for status in ("passed", "failed", "skipped", "pending", "other")}
    assert counts == {"passed": 1, "failed": 2 * len(HOSTILE) + 2, "skipped": 1, "pending": 0, "other": 0}
    assert results["summary"]["start"] <= results["summary"]["stop"]
    many = next(test for test in results["tests"] if test["name"] == "test_it.py::test_many")
    assert [step["status"] for step in many["steps"]] == ["failed", "passed", *["failed"] * 6]
    assert many["trace"].startswith("numeric_exact: off by 1: expected 1, got 0")
    assert max(len(json.dumps(test)) for test in results["tests"]) < 20_000


def test_last_attempt_decides_in_every_format(harness, summary):
    text = "from pytest_verdict import *\nruns = []\n"
    text += "def test_it():\n    runs.append(1)\n    assert_matches('exact', 2, len(runs))\n"
    run = harness.run(text, "--verify-report", "--reruns=2", "-p", "rerunfailures")
    (test,) = json.loads(summary(run.folder, "ctrf")[1])["results"]["tests"]
    assert (test["status"], test["retries"], test["flaky"]) == ("passed", 1, True)
    assert [step["status"] for step in test["steps"]] == ["passed"]
    assert json.loads(summary(run.folder, "gitlab-codequality")[1]) == []
    assert "no test failed" in summary(run.folder, "markdown")[1]
    assert summary(run.folder, "github")[1] == ""


@pytest.mark.parametrize("form", TELLING)
def test_invalid_report_is_refused_in_one_line(hostile, summary, form, tmp_path):
    status, _, err = summary(tmp_path, form)
    assert (status, err.count("\n")) == (2, 1)
    assert "there is no report.json in this folder" in err
    good = (hostile.folder / "report.json").read_text()
    report = json.loads(good)
    totals = {"tests": {"total": "<b>"}, "comparisons": {}}
    newer = {**report, "schema_version": "2.0"}
    wrong = [json.dumps(newer), "{", "[]", "{}", '{"tests": []}', json.dumps({**report, "totals": totals})]
    for content in [*wrong, json.dumps({**report, "tests": [{**report["tests"][0], "outcome": "<b>"}]})]:
        (hostile.folder / "report.json").write_text(content)
        status, out, err = summary(hostile.folder, form)
        assert (status, out, err.count("\n")) == (2, "", 1)
    (hostile.folder / "report.json").write_text(good)
    lines = hostile.records_bytes.splitlines(keepends=True)
    for altered in (
        lines[1:2] + lines[:1] + lines[2:],
        [line.replace(b'"score"', b'"scare"') for line in lines],
        [*lines[:-1], b"{"],
    ):
        (hostile.folder / "records.jsonl").write_bytes(b"".join(altered))
        status, _, err = summary(hostile.folder, form)
        if form != "github":
            # Of the others it reads the first nine tests alone.
            assert (status, err.count("\n")) == (2, 1)


def test_an_explanation_that_raises_hides_nothing_else(harness, summary):
    conftest = "def odd(expected, observed): return observed % 2 == 1\n"
    conftest += "def pytest_verdict_operators(registry): registry.add(odd)\n"
    text = "from pytest_verdict import compare\ndef test_it():\n    assert compare('odd', 1, 2) or compare('exact', 1, 2)\n"
    run = harness.run({"conftest.py": conftest, "test_it.py": text}, "--verify-report", "--tb=no")

    class Family:
        @hookimpl
        def explanations(self):
            # It gives something else than an explanation.
            return {"odd": "operator:is_"}

    register_family(Family())
    status, out, err = summary(run.folder, "markdown")
    assert (status, err) == (0, "")
    assert "odd: fail, which cannot be explained: AttributeError(" in out
    assert "exact: expected 1, got 2" in out


def test_a_file_that_is_there_is_not_cut_by_what_cannot_be_read(hostile, summary, tmp_path):
    place = tmp_path / "told"
    place.write_text("before")
    (hostile.folder / "records.jsonl").write_bytes(hostile.records_bytes[:-20])
    assert summary(hostile.folder, "ctrf", "-o", place)[0] == 2
    assert place.read_text() == "before"
