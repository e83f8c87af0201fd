"""Operators and options that would let a session pass, or end in an internal error, are refused."""

from __future__ import annotations

import pytest

OPERATOR = """
import pytest, sys
from pytest_verdict import Operator, Outcome, assert_matches, compare

class Leaving(Operator):
    name = "leaving"

    def evaluate(self, expected, observed):
        {leave}
"""
LEAVING = ["pytest.skip('x')", "pytest.xfail('x')", "raise RecursionError",
           "raise MemoryError", "import unittest; raise unittest.SkipTest", "pytest.exit('x')"]  # fmt: skip


@pytest.mark.parametrize("leave", LEAVING)
def test_operator_that_leaves_the_test_is_an_error(harness, leave):
    run = harness.run(OPERATOR.format(leave=leave) + "\ndef test_it():\n    assert_matches(Leaving(), 1, 2)\n")
    assert run.outcomes == {"failed": 1}
    assert "leaving: error" in run.stdout


def test_interrupt_in_an_operator_ends_the_session(harness):
    text = OPERATOR.format(leave="raise KeyboardInterrupt") + "\ndef test_it():\n    compare(Leaving(), 1, 2)\n"
    with pytest.raises(KeyboardInterrupt):
        harness.run(text)


@pytest.mark.parametrize("name", ["exact", "regex", "trajectory_exact", "answer_template"])
@pytest.mark.parametrize("folder", ["", "tests/"])
def test_operator_with_the_name_of_another_is_a_usage_error(harness, name, folder):
    hook = (
        f"def pytest_verdict_operators(registry):\n    registry.add(lambda expected, observed: True, name={name!r})\n"
    )
    run = harness.run({f"{folder}conftest.py": hook, f"{folder}test_it.py": "def test_it():\n    pass\n"})
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"the name '{name}' is already registered for another operator" in run.output


@pytest.mark.parametrize("option", ["--verify-min-comparisons", "--verify-concurrency"])
@pytest.mark.parametrize(
    "value",
    ["-5", *(pytest.param(one, marks=pytest.mark.ci) for one in ("nan", "", "1.5", "1e3", "٣", "9" * 5_000, "+1"))],
)
def test_number_that_is_none_is_a_usage_error(harness, option, value):
    run = harness.run("def test_it():\n    pass\n", f"{option}={value}")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"argument {option}" in run.output
    assert ": a whole number from " in run.output


@pytest.mark.parametrize(
    "name", ["a.verdict.json", "a.verdict.YML", "a.verdicts.yaml", "a_verdict.yaml", "a-verdict.yml"]
)
def test_file_that_is_almost_a_suite_is_reported(harness, name):
    run = harness.run({name: "a: 1", "test_it.py": "def test_it():\n    pass\n"}, "-W", "default")
    assert f"{name} is not collected: its name matches no pattern of verdict_suite_files" in run.stdout


@pytest.mark.parametrize("name", ["verdict.py", "a.yaml", "verdict.yaml.txt", "averdict.yaml"])
def test_other_files_are_not_reported(harness, name):
    run = harness.run({name: "", "test_it.py": "def test_it():\n    pass\n"}, "-W", "error")
    assert run.outcomes == {"passed": 1}


@pytest.mark.ci
def test_both_endings_of_yaml_are_collected(harness):
    suite = "suite: {name: s}\nscenarios: []\n"
    run = harness.run({"a.verdict.yml": suite, "b.verdict.yaml": suite}, "--collect-only")
    assert "a.verdict.yml" in run.stdout
    assert "b.verdict.yaml" in run.stdout


TESTS = "def test_it():\n    pass\n"
WRONG_OPTIONS = {
    "--verdict-report": "Write --verify-report.",
    "--verdict-report-dir=x": "Write --verify-report-dir.",
    "--verdict-min-comparisons=3": "Write --verify-min-comparisons.",
    "--verdict-gate=pass": "Write --verify-gate.",
    "--verdict-shard=1/2": "Write --verify-shard.",
    "--verdict-baseline=x": "Write --verify-baseline.",
    "--verify-reprot": "Did you mean '--verify-report'",
    "--verify-rep": "Did you mean '--verify-report'",
    "--verify-min-comparison=3": "Did you mean '--verify-min-comparisons'",
    "--verify-gates=x": "Did you mean '--verify-gate'",
    "--verify": "Did you mean '--verify-",
    "--verdict": "--verify-report",
    "--verify-xyzzy": "Allowed: --verify-adapter, --verify-baseline",
}
WRONG_KEYS = {
    "verify_report_dir": "Write verdict_report_dir.",
    "verify_gate": "Write verdict_gate.",
    "verdict_unraed": "Did you mean 'verdict_unread'",
    "verdict_redcat": "Did you mean 'verdict_redact'",
    "verdict_report": "Did you mean 'verdict_report_",
    "verdict_xyzzy": "Allowed: verdict_adapter, verdict_advice",
}


@pytest.mark.parametrize(
    "option", [one if one in {"--verdict-report", "--verify-rep"} else pytest.param(one, marks=pytest.mark.ci)
               for one in WRONG_OPTIONS]
)  # fmt: skip
def test_unknown_option_is_a_usage_error_that_names_the_right_one(harness, option):
    run = harness.run(TESTS, option)
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"there is no option {option.split('=')[0]}. " in run.output
    assert WRONG_OPTIONS[option] in run.output


def test_folder_of_the_option_without_one_is_a_usage_error_that_names_the_right_one(harness):
    run = harness.run(TESTS, "--verify-report=out")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "--verify-report takes no folder. Write --verify-report-dir=out." in run.output


MARKERS = {
    "verdict_repeats(5)": "there is no marker verdict_repeats. Did you mean 'verdict_repeat'?",
    "verdict_unraed('warn')": "there is no marker verdict_unraed. Did you mean 'verdict_unread'?",
    "verdict_xyzzy": "Allowed: verdict, verdict_cases, verdict_repeat, verdict_unread.",
    "verdict_mine(1)": "",
    "verdicts": "",
}


@pytest.mark.parametrize("marker", MARKERS)
def test_misspelt_marker_is_a_usage_error_that_names_the_right_one(harness, marker):
    ini = "[pytest]\nmarkers =\n  verdict_mine(n): of another plugin\n"
    run = harness.run(
        {"pytest.ini": ini, "test_it.py": f"import pytest\n@pytest.mark.{marker}\n{TESTS}"}, "-W", "default"
    )
    if MARKERS[marker]:
        assert run.status == pytest.ExitCode.USAGE_ERROR
        assert MARKERS[marker] in run.output
    else:
        assert run.outcomes["passed"] == 1


@pytest.mark.parametrize("option", ["adapter=my_agent.reply", "concurrency=2", "resume", "repeat=2", "repeat-budget=3"])
def test_options_of_adapters_and_repeats_have_both_prefixes(harness, option):
    outputs = [harness.run(TESTS, f"--{prefix}-{option}", "-q").outcomes for prefix in ("verify", "verdict")]
    assert outputs == [{"passed": 1}] * 2


@pytest.mark.parametrize("where", ["override", "file"])
@pytest.mark.parametrize(
    "key",
    ["verdict_redcat", *(pytest.param(one, marks=pytest.mark.ci) for one in WRONG_KEYS if one != "verdict_redcat")],
)
def test_unknown_ini_key_is_a_usage_error_that_names_the_right_one(harness, key, where):
    files = {"test_it.py": TESTS}
    if where == "file":
        files["pytest.ini"] = f"[pytest]\n{key} = x\n"
    run = harness.run(files, *(("-o", f"{key}=x") if where == "override" else ()))
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"there is no ini key {key}. " in run.output
    assert WRONG_KEYS[key] in run.output


def test_options_and_keys_of_others_are_accepted(harness):
    conftest = """
def pytest_addoption(parser):
    parser.addoption("--verify-mine")
    parser.addoption("--verdictive", action="store_true")
    parser.addini("verdict_mine", "")
"""
    run = harness.run(
        {"conftest.py": conftest, "pytest.ini": "[pytest]\nverdict_mine = x\n", "test_it.py": TESTS},
        "--verify-mine=--verify-reprot", "--verdictive", "-k", "test_it",
    )  # fmt: skip
    assert (run.status, run.outcomes) == (pytest.ExitCode.OK, {"passed": 1})


MISTAKES = {
    "assert_matches": 'assert_matches("exat", 1, 1)',
    "a setting": 'assert_matches("exact", 1, 1, treshold=0.5)',
    "a threshold": 'assert_matches("exact", 1, 1, "a message")',
    "a comparator": 'comparator.assert_matches("exat", 1, 1)',
    "a call": 'comparator("exact", 1, 1, cse=1)',
    "an attribute": "comparator.exact(1, 1)",
    "an attribute of an expectation": "expect('exact', 1).matches(1)",
    "defaults": 'comparator.with_defaults("exat")',
    "collect": 'with comparator.collect():\n        comparator("exat", 1, 1)',
    "expect": 'assert 1 == expect("exat", 1)',
    "an expectation": 'assert expect("exact", 1)',
    "a template": 'answer_template("prose")',
    "an answer": "answer_template(Answer).assert_verified([1])",
    "a missing argument": 'compare("exact", 1)',
    "extract": 'compare("exact", 1, 1, extract="las_number")',
    "a mapping": 'Evaluator("exact", {"expected": "$.a", "observed": "$..["})',
    "a data set": 'check_dataset([{"a": 1}], "exat", {"expected": "$.a", "observed": "$.a"})',
    "an operator": "Regex(pattern='(')",
}


def test_traceback_of_a_mistake_ends_at_the_line_of_the_user(harness):
    tests = [
        f"def test_{number}(comparator, answer_template):\n    {call}\n"
        for number, call in enumerate(MISTAKES.values())
    ]
    head = (
        "from pytest_verdict import assert_matches, compare, expect\n"
        "from pytest_verdict.operators import Regex\n"
        "from pytest_verdict.suites import Evaluator, check_dataset\n"
        "from pytest_verdict.templates import BaseAnswer, VerifiedField\n"
        "class Answer(BaseAnswer):\n    city: str = VerifiedField('the city', 'Paris', 'exact')\n"
    )
    run = harness.run(head + "\n".join(tests), "--tb=short")
    assert run.outcomes == {"failed": len(MISTAKES)}, run.output
    assert [line for line in run.stdout.splitlines() if "pytest_verdict" in line and ": in " in line] == []


@pytest.mark.ci
@pytest.mark.parametrize(
    "call", ['assert_matches("exat", 1, 1)', "Regex(pattern='(')", "expect('exact', 1, treshold=1)"]
)
@pytest.mark.parametrize("place", ["test_it.py", "conftest.py"])
def test_traceback_of_a_mistake_at_import_ends_at_the_line_of_the_user(harness, call, place):
    head = "from pytest_verdict import assert_matches, expect\nfrom pytest_verdict.operators import Regex\n"
    run = harness.run({"test_it.py": TESTS, place: head + call + "\n"})
    assert "Error: " in run.output
    assert f"{place}:3" in run.output
    assert [line for line in run.output.splitlines() if "src/pytest_verdict" in line] == []
