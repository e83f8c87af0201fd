"""The ini keys ``verdict_junit_profile``, ``verdict_report_limit``, ``verdict_redact`` and ``verdict_advice``."""

from __future__ import annotations

import pytest

from modes import serial_and_workers

SEVEN = """
from pytest_verdict import compare

def test_it():
    for number in range(7):
        assert compare("exact", number % 2, 0, name=str(number)).passed or True
"""


def ini(content: str) -> dict[str, str]:
    return {"pytest.ini": f"[pytest]\n{content}\n"}


@pytest.mark.parametrize(("profile", "has_place"), [("ci", True), ("strict", False)])
def test_junit_profile(harness, profile, has_place):
    run = harness.run({**ini(f"verdict_junit_profile = {profile}"), "test_it.py": SEVEN}, "--verify-report")
    run.check_agreement()
    case = run.case("test_it")
    assert (case.get("file") == "test_it.py") == has_place
    assert (case.get("line") == "4") == has_place


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("verdict_junit_profile = strikt", "Did you mean 'strict'?"),
        ("verdict_report_limit = many", "a whole number from 0 is needed, got 'many'"),
        ("verdict_report_limit = -1", "a whole number from 0 is needed, got '-1'"),
        ("verdict_redact = (", "verdict_redact: '(' is not a regular expression"),
        ("verdict_advice = maybe", "verdict_advice: true or false is needed; invalid truth value 'maybe'"),
    ],
    ids=["profile", "limit", "negative limit", "redact", "advice"],
)
def test_invalid_value_is_a_usage_error(harness, content, words):
    run = harness.run({**ini(content), "test_it.py": SEVEN}, "--verify-report")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert words in run.output
    assert "Traceback" not in run.output
    assert not run.folder.exists()


@pytest.mark.parametrize(("limit", "names"), [(0, ""), (2, "13"), (4, "0135"), (100, "0123456")])
def test_report_limit_keeps_failures_first(harness, limit, names):
    run = harness.run({**ini(f"verdict_report_limit = {limit}"), "test_it.py": SEVEN}, "--verify-report")
    run.check_agreement()
    assert "".join(comparison["name"] for comparison in run.report["comparisons"]) == names
    assert run.report["comparisons_omitted"] == 7 - len(names)
    assert len(run.records) == 7
    assert "exact: expected " in run.stdout


SECRETS = """
import pytest
from pytest_verdict import compare, assert_matches

@pytest.mark.parametrize("key", ["sk-1234567", "sk-7654321"])
def test_it(key):
    assert compare("exact", key, {"deep": [f"Bearer {key}", {key: 1}]}, name=f"with {key}").verdict == "fail"
    assert compare("contains_any", None, f"x {key}", substrings=[key]).passed
    assert compare("exact", 5, key.encode()).verdict == "fail"

@pytest.mark.skip(reason="because of sk-0000000")
def test_skipped(): pass

def test_raises():
    assert_matches("exact", "sk-1112223", "other")
"""


@serial_and_workers("args", "-n1")
def test_redacted_text_is_in_no_file(harness, args):
    files = {**ini("verdict_redact =\n    sk-[0-9]+\n    c2stNzY1"), "test_it.py": SECRETS}
    run = harness.run(files, *args, "-k", "not sk-9999999", "--verify-report")
    run.check_agreement()
    assert run.totals() == {"total": 4, "passed": 2, "failed": 1, "skipped": 1}
    for file in {*run.folder.iterdir()} - {run.folder / ".gitignore", run.folder / "report.html"}:
        text = file.read_text()
        assert "sk-" not in text.replace("[redacted]", ""), file.name
        assert "[redacted]" in text, file.name


def test_advice_can_be_disabled(harness):
    test = "from pytest_verdict import assert_matches\ndef test_it(): assert_matches('exact', 'Paris', ' paris ')\n"
    run = harness.run({**ini("verdict_advice = no"), "test_it.py": test})
    assert "advice:" not in run.stdout
    assert "exact: expected 'Paris', got ' paris '" in run.stdout
