"""Running scenarios: adapters in Python, their errors, retries, time limits, and repeats."""

import pytest
from scenarios import ADAPTERS, RECORDED, REPORT, jsonl, run_with, suite

from pytest_verdict.core.replay import replay


@pytest.mark.parametrize(
    ("adapter", "output"),
    [
        ("my_adapters.Echo", "i"),
        ("my_adapters:Later", "i x"),
        ("my_adapters.shout", "I"),
        ("my_adapters.Theirs", "theirs"),
    ],
)
def test_adapters_in_python(harness, adapter, output):
    assert run_with(harness, adapter, expected_output=output).outcomes == {"passed": 1}


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("adapter", "reason"),
    [
        ("my_adapters.broken", "the adapter raised RuntimeError: kaput"),
        ("my_adapters.number", "the adapter must return an AgentResult or text, and returned int: 42"),
        ("my_adapters.no_text", "the output of an adapter is text or another JSON value, got NoneType"),
        ("my_adapters.slow", "the adapter took longer than 0.2 seconds"),
        ("my_adapters.slow_later", "the adapter took longer than 0.2 seconds"),
        ("my_adapters.blocks", "the adapter took longer than 0.2 seconds"),
        ("my_adapters.quits", "the adapter tried to end the process with status 3"),
        ("my_adapters.Missing", "my_adapters has no 'Missing'"),
        ("no_such_module.X", "there is no module 'no_such_module'"),
        ("recorded:absent.jsonl", "there is no such dataset"),
        ("command: no-such-program", "cannot be started"),
    ],
)
def test_an_adapter_without_result_is_an_error_and_not_a_failure(harness, adapter, reason):
    run = run_with(harness, adapter, timeout_seconds=0.2, retries=0)
    assert run.outcomes == {"errors": 1}
    assert f"Adapter: ERROR. {reason}" in run.stdout or reason in run.stdout
    (record,) = run.records
    assert (record["verdict"], record["operator"]) == ("error", "not_compared")
    assert reason in record["error"]
    assert run.totals("error", "failed") == {"error": 1, "failed": 0}
    run.check_agreement()
    assert [answer.status for answer in replay(run.records_bytes.splitlines())] == ["identical"]


def test_error_of_adapter_is_harmless_and_short(harness):
    adapter = "def loud(text):\n    raise ValueError('\\x1b[31m red \\x07' + 'z' * 1_000_000)\n"
    files = {
        "loud.py": adapter,
        "conftest.py": "",
        "a.verdict.yaml": suite({"name": "x", "input": "i", "expected_output": "i", "retries": 1}),
    }
    run = harness.run(files, REPORT, "--verify-adapter", "loud.loud")
    assert run.outcomes == {"errors": 1}
    assert "\x1b[31m red" not in run.stdout
    assert r"the adapter raised ValueError: \x1b[31m red \x07zzz" in run.stdout
    assert len(run.stdout) < 20_000
    assert len(run.records[0]["error"]) <= 2_000


def test_a_failure_starts_with_the_scorer_that_failed(harness):
    scenario = {"name": "x", "input": "i", "expected_output": "j", "scorers": ["regex", "exact"]}
    scenario["metadata"] = {"regex_pattern": "i"}
    files = {
        "my_adapters.py": ADAPTERS,
        "conftest.py": "",
        "a.verdict.yaml": suite(scenario, adapter="my_adapters.Echo"),
    }
    run = harness.run(files, REPORT)
    assert run.stdout.index("Exact match: FAIL.") < run.stdout.index("Regex: PASS.")


def test_async_adapters_share_one_event_loop(harness):
    assert run_with(harness, "my_adapters.KeepsItsLoop", expected_output="True", repeats=3).outcomes == {"passed": 1}


def test_an_adapter_cannot_change_what_it_is_judged_by(harness):
    metadata = {"regex_pattern": "never"}
    assert run_with(harness, "my_adapters.meddles", scorer="regex", metadata=metadata).outcomes == {"failed": 1}


@pytest.mark.ci
def test_retries_are_made_only_after_an_exception(harness):
    assert run_with(harness, "my_adapters.Flaky", expected_output="done", retries=2).outcomes == {"passed": 1}
    assert run_with(harness, "my_adapters.Flaky", expected_output="done", retries=1).outcomes == {"errors": 1}
    run = run_with(harness, "my_adapters.Flaky", expected_output="other", retries=5)
    assert run.outcomes == {"failed": 1}
    assert len(run.records) == 1


@pytest.mark.ci
def test_a_hung_adapter_does_not_keep_the_session_from_ending(harness):
    given = {"name": "x", "input": "i", "timeout_seconds": 0.2}
    files = {"conftest.py": "", "my_adapters.py": ADAPTERS, "a.verdict.yaml": suite(given, adapter="my_adapters.slow")}
    harness.write(files)
    process = harness.start(files)
    assert process.wait(timeout=20) == 1
    process.stdout.close()


def test_no_adapter_and_the_ini_key(harness):
    files = {
        "conftest.py": "",
        "my_adapters.py": ADAPTERS,
        "a.verdict.yaml": suite({"name": "x", "input": "i", "expected_output": "i"}),
    }
    assert "no adapter is named" in harness.run(files).stdout
    assert harness.run(files, "-o", "verdict_adapter=my_adapters.Echo").outcomes == {"passed": 1}


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("good", "rule", "outcome", "words"),
    [
        ([1, 2, 3], "all", "passed", ""),
        ([1, 2], "all", "failed", "Repeats: FAIL. 2 of 3 passed"),
        ([2], "any", "passed", ""),
        ([], "any", "failed", "Repeats: FAIL. 0 of 3 passed"),
        ([1, 3], 2, "passed", ""),
        ([3], 2, "failed", "Repeats: FAIL. 1 of 3 passed"),
        ([1, 2], {"rate": 0.25}, "failed", "Repeats: INCONCLUSIVE. 2 of 3 passed, the true rate is from 0.0942"),
        ([1, 2, 3], {"rate": 0.25}, "passed", ""),
        ([], {"rate": 0.71, "confidence": 0.05}, "failed", "Repeats: FAIL."),
    ],
    ids=str,
)
def test_repeats(harness, good, rule, outcome, words):
    given = {"metadata": {"good": good}, "repeats": 3, "pass": rule, "expected_output": "a"}
    run = run_with(harness, "my_adapters.Dice", "-rP", **given)
    assert run.outcomes == {outcome: 1}
    assert words in run.stdout
    (decided,) = [record for record in run.records if record["operator"] == "pass_rate"]
    assert decided["observed"] == {"pass": len(good), "fail": 3 - len(good), "error": 0}
    assert [estimate["k"] for estimate in decided["details"]["attempts"]] == [1, 2, 3]
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"identical"}
    run.check_agreement()


def test_errors_that_decide_make_repeats_inconclusive(harness):
    rows = [{"name": "x", "output": "a"}, {"name": "x", "output": None}]
    given = {"name": "x", "input": "i", "expected_output": "a", "repeats": 2, "scorer": "exact"}
    harness.write({"outputs.jsonl": jsonl(*rows)})
    assert "Repeats: INCONCLUSIVE. 1 of 2 passed" in harness.run({"a.verdict.yaml": suite(given)}, *RECORDED).stdout
    run = harness.run({"a.verdict.yaml": suite({**given, "pass": "any"})}, *RECORDED, "-rP")
    assert run.outcomes == {"passed": 1}
    # Counted among the repeats, and told apart.
    assert "Repeats: PASS. 1 of 2 passed, 1 could not be compared, the true rate is from" in run.stdout
    assert "1 comparison, 1 could not be made" in run.stdout
    (decided,) = [record for record in run.records if record["operator"] == "pass_rate"]
    assert decided["observed"] == {"pass": 1, "fail": 0, "error": 1}


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({"scorer": "exact"}, "1 comparison"),
        ({"scorer": "passfail", "expected_tools": ["search"]}, "3 comparisons"),
        ({"scorer": None, "scorers": ["exact", "passfail"], "repeats": 5}, "15 comparisons"),
    ],
    ids=str,
)
def test_a_scenario_says_how_many_comparisons_it_made(harness, more, count):
    run = run_with(harness, "my_adapters.Echo", "-rP", **more)
    assert run.outcomes == {"passed": 1}
    assert count in run.stdout.splitlines()


def test_retries_that_all_raised_are_one_error_of_the_repeats(harness):
    adapter = """
class Agent:
    def run(self, input, context):
        if context["repeat"] == 2:
            raise OSError("gone")
        return "i"
"""
    given = {"name": "x", "input": "i", "expected_output": "i", "repeats": 3, "retries": 2, "pass": 2}
    content = suite(given, adapter="my_agent.Agent")
    run = harness.run({"conftest.py": "", "my_agent.py": adapter, "a.verdict.yaml": content}, REPORT, "-rP")
    assert run.outcomes == {"passed": 1}
    assert "2 of 3 passed, 1 could not be compared" in run.stdout
    (decided,) = [record for record in run.records if record["operator"] == "pass_rate"]
    assert decided["observed"] == {"pass": 2, "fail": 0, "error": 1}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("more", "warned"),
    [({"expected_output": None}, True), ({"expected_output": "i"}, False)],
    ids=["nothing", "output"],
)
def test_a_scenario_that_expects_nothing_is_warned_of(harness, more, warned):
    run = run_with(harness, "my_adapters.Echo", "-Wdefault", scorer="passfail", **more)
    assert run.outcomes == ({"passed": 1, "warnings": 1} if warned else {"passed": 1})
    assert ("SuiteWarning: a.verdict.yaml: a scenario expects nothing, 1 scenario: x" in run.stdout) == warned
    run = run_with(
        harness, "my_adapters.Echo", "-Werror::pytest_verdict.suites.SuiteWarning", scorer="passfail", **more
    )
    assert run.outcomes == ({"errors": 1} if warned else {"passed": 1})


@pytest.mark.parametrize(
    ("output", "outcome"),
    [("{}", "failed"), ("[]", "failed"), ('" "', "failed"), ("0", "passed"), ('{"a": 1}', "passed")],
)
def test_an_output_that_is_not_text_is_an_error(harness, output, outcome):
    rows = f'{{"name": "x", "output": {output}}}\n'
    files = {"outputs.jsonl": rows, "a.verdict.yaml": suite({"name": "x", "input": "i", "expected_tools": []})}
    run = harness.run(files, *RECORDED, "-Wignore")
    assert run.outcomes == {outcome: 1}
    (record,) = run.records
    assert (record["operator"], record["expected"]) == ("not_blank", None)
