"""Suite files as tests: the suites of the specification, and what a session makes of each outcome."""

import json

import jsonschema
import pytest
import yaml

from pytest_verdict.errors import SuiteError
from pytest_verdict.replay import replay
from pytest_verdict.suites.reader import read_suite
from pytest_verdict.suites.schema import made_schema, suite_schema

REPORT = "--verify-report"
RECORDED = ("--verdict-adapter", "recorded:outputs.jsonl", REPORT)

# The suites of the page "Exact Match Scorer", as they stand there.
SENTIMENT = """\
suite:
  name: sentiment-classifier
  adapter: my_project.adapters.SentimentAdapter
  scorer: exact
  scenarios:
    - name: positive-review
      input: "This product is absolutely wonderful, I love it!"
      expected_output: "positive"
    - name: negative-review
      input: "Terrible experience. Completely broken on arrival."
      expected_output: "negative"
    - name: neutral-review
      input: "The package arrived on Tuesday."
      expected_output: "neutral"
"""
CALCULATOR = """\
suite:
  name: calculator-agent
  adapter: my_project.adapters.CalculatorAdapter
  scorer: exact
  scenarios:
    - name: addition
      input: "What is 42 + 58?"
      expected_output: "100"
    - name: percentage
      input: "What is 15% of 200?"
      expected_output: "30"
"""
SQL = """\
suite:
  name: sql-generator
  adapter: my_project.adapters.SQLAdapter
  scorer: exact
  scenarios:
    - name: simple-select
      input: "Get all users older than 30"
      expected_output: "SELECT * FROM users WHERE age > 30;"
"""
OUTPUTS = {
    "positive-review": "Positive",
    "negative-review": "negative",
    "neutral-review": "neutral ",
    "addition": "100",
    "percentage": "30",
    "simple-select": "SELECT * FROM users WHERE age > 30",
}


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def outputs(**by_name):
    return jsonl(*({"name": name, "output": output} for name, output in by_name.items()))


def suite(*scenarios, **head):
    return yaml.safe_dump({"suite": {"name": "s", **head, "scenarios": list(scenarios)}}, sort_keys=False)


def test_the_suites_of_the_specification_run_as_they_stand(harness):
    run = harness.run(
        {
            "sentiment.verdict.yaml": SENTIMENT,
            "calculator.verdict.yaml": CALCULATOR,
            "sql.verdict.yaml": SQL,
            "outputs.jsonl": outputs(**OUTPUTS),
        },
        *RECORDED,
        "-rP",
    )
    assert run.outcomes == {"passed": 3, "failed": 3}
    assert 'Exact match: FAIL. Expected "positive", got "Positive".' in run.stdout
    assert 'Exact match: FAIL. Expected "neutral", got "neutral ".' in run.stdout
    assert run.stdout.count("Exact match: PASS.") == 3
    run.check_agreement()
    assert run.tests()["simple-select"] == "failed"
    assert {record["operator"] for record in run.records} == {"exact"}
    assert (run.records[0]["path"], run.records[0]["line"]) == ("calculator.verdict.yaml", 6)
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"identical"}


def test_a_missing_expected_output_fails_with_its_sentence(harness):
    run = harness.run(
        {"a.verdict.yaml": suite({"name": "x", "input": "i"}, scorer="exact"), "outputs.jsonl": outputs(x="y")},
        *RECORDED,
    )
    assert run.outcomes == {"failed": 1}
    assert "Exact match: FAIL. No expected_output defined for this scenario." in run.stdout


def test_the_other_layout_with_scorers_of_each_scenario(harness):
    content = """\
scenarios:
  - name: france
    input: The capital of France?
    expected_output: paris
    scorers: [passfail, text_similarity]
    threshold: 0.1
  - name: italy
    input: The capital of Italy?
    expected_output: rome
"""
    recorded = outputs(france="It is Paris.", italy="It is Milan.")
    run = harness.run({"capitals.verdict.yaml": content, "outputs.jsonl": recorded}, *RECORDED)
    assert run.outcomes == {"passed": 1, "failed": 1}
    assert 'PassFail: FAIL. "rome" is not in the output, "It is Milan.".' in run.stdout
    by_name = {record["name"]: record for record in run.records if record["test"].endswith("france")}
    assert by_name["text_similarity"]["threshold"] == 0.1


def test_items_are_ordinary_tests(harness):
    content = suite(
        {"name": "first", "input": "i", "expected_output": "a", "tags": ["smoke", "slow-one"]},
        {"name": "second", "input": "i", "expected_output": "a"},
        scorer="exact",
        tags=["all-of-them"],
    )
    harness.write({"sub/a.verdict.yaml": content, "outputs.jsonl": outputs(first="a", second="b")})
    recorded = (*RECORDED, "--strict-markers", "-o", "cache_dir=.cache")
    assert harness.run((), *recorded).outcomes == {"passed": 1, "failed": 1}
    assert harness.run((), *recorded, "-m", "smoke and all-of-them").outcomes == {"passed": 1, "deselected": 1}
    assert harness.run((), *recorded, "-m", "slow-one").outcomes == {"passed": 1, "deselected": 1}
    assert harness.run((), *recorded, "-k", "second").outcomes == {"failed": 1, "deselected": 1}
    assert harness.run((), *recorded, "sub/a.verdict.yaml::first").outcomes == {"passed": 1}
    lines = harness.run((), *recorded, "--collect-only", "-q").stdout
    assert "sub/a.verdict.yaml::second" in lines


def test_only_what_failed_last_runs_again_and_workers_share_a_suite(harness):
    content = suite(*({"name": f"s{n}", "input": "i", "expected_output": "a"} for n in range(6)), scorer="exact")
    recorded = outputs(**{f"s{n}": "a" if n else "b" for n in range(6)})
    run = harness.run({"a.verdict.yaml": content, "outputs.jsonl": recorded}, *RECORDED, "-n2")
    assert run.outcomes == {"passed": 5, "failed": 1}
    run.check_agreement()
    again = harness.run((), *RECORDED, "--lf")
    assert again.outcomes["failed"] == 1
    assert "passed" not in again.outcomes


def test_an_ini_key_changes_which_files_are_suites(harness):
    content = suite({"name": "x", "input": "i", "expected_output": "a"}, adapter="recorded:outputs.jsonl")
    ini = "[pytest]\nverdict_suite_files = check_*.yml *.suite.yaml\n"
    run = harness.run(
        {
            "pytest.ini": ini,
            "check_a.yml": content,
            "b.suite.yaml": content,
            "c.verdict.yaml": "not: [a suite",
            "outputs.jsonl": outputs(x="a"),
        }
    )
    assert run.outcomes == {"passed": 2}


ADAPTERS = """
import asyncio, time
from pytest_verdict.suites.agent_result import AgentResult, ToolCall

class Echo:
    def run(self, input, context=None):
        return AgentResult(input, tool_calls=[ToolCall("search", {"q": "x", "limit": 5}), ToolCall("book")])

class Later:
    async def run(self, input, context):
        await asyncio.sleep(0)
        return f"{input} {context['scenario']}"

def shout(text):
    return text.upper()

def broken(text):
    raise RuntimeError("kaput")

def number(text):
    return 42

def no_text(text):
    return AgentResult(None)

def slow(text):
    time.sleep(60)

async def slow_later(text):
    await asyncio.sleep(60)

class KeepsItsLoop:
    loop = None
    async def run(self, input, context):
        running = asyncio.get_running_loop()
        KeepsItsLoop.loop = KeepsItsLoop.loop or running
        return str(KeepsItsLoop.loop is running)

async def blocks(text):
    time.sleep(2)

class Flaky:
    calls = 0
    def run(self, input, context):
        Flaky.calls += 1
        if context["attempt"] < 3:
            raise ConnectionError("again")
        return "done"

class Dice:
    def run(self, input, context):
        return "a" if context["repeat"] in context["metadata"]["good"] else "b"

class Theirs:
    def run(self, input, context=None):
        class Result:
            output = "theirs"
        return Result()

def quits(text):
    raise SystemExit(3)
"""


def run_with(harness, adapter, *args, **scenario):
    given = {"name": "x", "input": "i", "expected_output": "i", "scorer": "exact", **scenario}
    files = {"conftest.py": "", "my_adapters.py": ADAPTERS, "a.verdict.yaml": suite(given, adapter=adapter)}
    return harness.run(files, REPORT, *args)


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


def test_async_adapters_share_one_event_loop(harness):
    assert run_with(harness, "my_adapters.KeepsItsLoop", expected_output="True", repeats=3).outcomes == {"passed": 1}


def test_retries_are_made_only_after_an_exception(harness):
    assert run_with(harness, "my_adapters.Flaky", expected_output="done", retries=2).outcomes == {"passed": 1}
    assert run_with(harness, "my_adapters.Flaky", expected_output="done", retries=1).outcomes == {"errors": 1}
    run = run_with(harness, "my_adapters.Flaky", expected_output="other", retries=5)
    assert run.outcomes == {"failed": 1}
    assert len(run.records) == 1


def test_a_hung_adapter_does_not_keep_the_session_from_ending(harness):
    given = {"name": "x", "input": "i", "timeout_seconds": 0.2}
    files = {"conftest.py": "", "my_adapters.py": ADAPTERS, "a.verdict.yaml": suite(given, adapter="my_adapters.slow")}
    harness.write(files)
    process = harness.start(files)
    assert process.wait(timeout=20) == 1
    process.stdout.close()


def test_no_adapter_and_the_ini_key(harness):
    files = {"conftest.py": "", "my_adapters.py": ADAPTERS, "a.verdict.yaml": suite({"name": "x", "input": "i"})}
    assert "no adapter is named" in harness.run(files).stdout
    assert harness.run(files, "-o", "verdict_adapter=my_adapters.Echo").outcomes == {"passed": 1}


TOOLS = {"expected_tools": ["search"], "expected_tool_args": {"search": {"q": "x"}}, "expected_output": "I"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, None),
        ({"expected_tools": ["book", "search", "search"]}, None),
        ({"input": "  "}, "The output is blank."),
        ({"expected_tools": ["search", "pay"]}, 'Not all expected tools were called: "pay".'),
        (
            {"expected_tool_args": {"search": {"q": "y"}}},
            "The first call of search has other arguments, or there is none.",
        ),
        ({"expected_tool_args": {"pay": {}}}, "The first call of pay has other arguments, or there is none."),
        ({"expected_output": "j"}, '"j" is not in the output, "i".'),
    ],
    ids=str,
)
def test_the_four_checks_of_passfail(harness, change, sentence):
    run = run_with(harness, "my_adapters.Echo", scorer="passfail", **{**TOOLS, **change})
    assert run.outcomes == ({"passed": 1} if sentence is None else {"failed": 1})
    assert sentence is None or sentence in run.stdout


SCORERS = """
from types import SimpleNamespace
from pytest_verdict.suites.user_scorer import register_scorer

@register_scorer
class Polite:
    name = "polite"
    def score(self, scenario, result):
        return {"score": 0.4, "passed": "please" in result.output, "explanation": f"{scenario.name}: say please"}

class Long:
    name = "long"
    def score(self, scenario, result):
        return len(result.output) / 10

class Bad:
    name = "bad"
    def score(self, scenario, result):
        return 7

class Raises:
    name = "raises"
    def score(self, scenario, result):
        raise LookupError("nothing")
"""


@pytest.mark.parametrize(
    ("scorer", "more", "outcome", "words"),
    [
        ("polite", {}, "failed", "polite: FAIL. x: say please"),
        ("polite", {"input": "please"}, "passed", ""),
        ("my_scorers.Long", {"input": "12345", "threshold": 0.5}, "passed", ""),
        ("my_scorers.Long", {"input": "1234", "threshold": 0.5}, "failed", "The score is 0.4."),
        ("my_scorers.Bad", {}, "failed", "the scorer's score is not a number from 0 to 1"),
        (
            "my_scorers.Raises",
            {},
            "failed",
            "my_scorers.Raises: ERROR. the scorer my_scorers.Raises raised LookupError",
        ),
        ("regex", {"metadata": {"regex_pattern": "^i$"}}, "passed", ""),
        (
            "regex",
            {"metadata": {"regex_pattern": "[a-h]"}},
            "failed",
            'The pattern "[a-h]" is not found in the output.',
        ),
        ("normalized_exact", {"input": " I "}, "passed", ""),
        (
            "numeric_exact",
            {"input": "5", "expected_output": "6"},
            "failed",
            'numeric_exact: FAIL. Expected "6", got "5".',
        ),
        ("trajectory_in_order", {"expected_tools": ["search", "book"]}, "passed", ""),
        ("trajectory_exact", {"expected_tools": ["book", "search"]}, "failed", "trajectory_exact: FAIL."),
        (
            {"operator": "trajectory_any_order", "settings": {"args": "contains"}},
            {"expected_tools": ["search"], "expected_tool_args": {"search": {"q": "y"}}},
            "failed",
            "trajectory_any_order: FAIL.",
        ),
        (
            {
                "operator": "numeric_maximum",
                "mapping": {"observed": "$.tool_calls[0].arguments.limit", "expected": {"literal": 5}},
            },
            {},
            "passed",
            "",
        ),
        (
            {"operator": "exact", "mapping": {"expected": "$.metadata.nope", "observed": "$.output"}},
            {},
            "failed",
            "exact: ERROR. expected: the path $.metadata.nope matches nothing",
        ),
    ],
    ids=str,
)
def test_scorers(harness, scorer, more, outcome, words):
    harness.write({"my_scorers.py": SCORERS})
    files = {
        "conftest.py": "import my_scorers",
        "my_adapters.py": ADAPTERS,
        "a.verdict.yaml": suite(
            {"name": "x", "input": "i", "expected_output": "i", "scorer": scorer, **more}, adapter="my_adapters.Echo"
        ),
    }
    run = harness.run(files, REPORT)
    assert run.outcomes == {outcome: 1}
    assert words in run.stdout
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"identical"}


@pytest.mark.parametrize(
    ("good", "rule", "outcome", "words"),
    [
        ([1, 2, 3], "all", "passed", ""),
        ([1, 2], "all", "failed", "Repeats: FAIL. 2 of 3 passed"),
        ([2], "any", "passed", ""),
        ([], "any", "failed", "Repeats: FAIL. 0 of 3 passed"),
        ([1, 3], 2, "passed", ""),
        ([3], 2, "failed", "Repeats: FAIL. 1 of 3 passed"),
        ([1, 2, 3], {"rate": 0.9}, "failed", "Repeats: INCONCLUSIVE. 3 of 3 passed, the true rate is from 0.2924"),
        ([1, 2, 3], {"rate": 0.25}, "passed", ""),
        ([], {"rate": 0.9}, "failed", "Repeats: FAIL."),
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


def test_errors_among_repeats_are_inconclusive_where_they_matter(harness):
    rows = [{"name": "x", "output": "a"}, {"name": "x", "output": None}]
    given = {"name": "x", "input": "i", "expected_output": "a", "repeats": 2, "scorer": "exact"}
    harness.write({"outputs.jsonl": jsonl(*rows)})
    assert "Repeats: INCONCLUSIVE. 1 of 2 passed" in harness.run({"a.verdict.yaml": suite(given)}, *RECORDED).stdout
    run = harness.run({"a.verdict.yaml": suite({**given, "pass": "any"})}, *RECORDED)
    assert run.outcomes == {"passed": 1}


WRONG = """\
suite:
  name: x
  scorr: exact
  scenarios:
    - name: a
      input: 4
      expected_output: yes
      bogus: 1
    - name: a::b
      input: x
      repeats: 0
      scorers: [exact, {operater: exact}]
      expected_output: [1]
    - input: z
      timeout_seconds: -1
      tags: [needs review]
      pass: sometimes
      expected_output: 2024-02-29
"""
ONE = "scenarios:\n  - {name: a, input: b}\n"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (
            WRONG,
            [
                "3: there is no key 'scorr' here. Did you mean 'scorer'?",
                '6: input: 4 without quotes is a number in YAML (4), and this is compared as text; write "4"',
                "7: expected_output: yes without quotes is a boolean in YAML (True)",
                "8: there is no key 'bogus' here. Allowed: description, expected_output",
                "9: name: 'a::b' is not allowed",
                "11: repeats: Input should be greater than or equal to 1, got 0",
                "12: the key 'operator' is required",
                "12: there is no key 'operater' here. Did you mean 'operator'?",
                "13: expected_output: text is needed here, not a list",
                "14: the key 'name' is required",
                "15: timeout_seconds: Input should be greater than 0",
                "16: tags: 'needs review' is not allowed",
                "17: pass: Input should be 'all' or 'any', got 'sometimes'",
                "18: expected_output: 2024-02-29 without quotes is a date in YAML",
            ],
        ),
        ("", ["1: the file is empty"]),
        ("- a", ["1: a suite file is a mapping"]),
        ("a: [}", ["1: it is not YAML"]),
        (
            "scenarios:\n  - {name: a, input: 2024-13-45}",
            ["2: 2024-13-45 looks like a date and is none; write it in quotes"],
        ),
        ("scenarios: []", ["1: scenarios: List should have at least 1 item"]),
        ("suite: {name: x}", ["1: the key 'scenarios' is required"]),
        (
            f"suite:\n  name: x\n  {ONE.replace(chr(10), chr(10) + '  ')}\n{ONE}",
            ["6: scenarios stand at the top or inside suite"],
        ),
        ("scenarios:\n  - {name: a, input: b}\n  - {name: a, input: c}", ["3: the name 'a' is also that of line 2"]),
        ("scenarios:\n  - name: a\n    input: b\n    name: c", ["4: the key 'name' occurs twice"]),
        ("scenarios:\n  - {name: a, input: b, scorer: exct}", ["2: unknown scorer: 'exct'. Did you mean 'exact'?"]),
        (
            "scenarios:\n  - name: a\n    input: b\n    scorer: regex",
            ["2: the scorer regex needs metadata.regex_pattern"],
        ),
        (
            "scenarios:\n  - name: a\n    input: b\n    scorer: regex\n    metadata: {regex_pattern: '('}",
            ["5: metadata.regex_pattern: '(' is not a regular expression"],
        ),
        (
            "scenarios:\n  - name: a\n    input: b\n    scorer: {operator: exact, settings: {normalise: []}}",
            ["4: normalized_exact: there is no setting 'normalise'. Did you mean 'normalize'?"],
        ),
        (
            "scenarios:\n  - {name: a, input: b, repeats: 2, pass: 3}",
            ["2: pass: 3 repeats cannot pass when there are 2"],
        ),
        (
            "suite:\n  name: x\n  config: {fail_fast: true}\n  " + ONE.replace("\n", "\n  "),
            ["3: fail_fast: suites are run by pytest"],
        ),
        (
            "suite:\n  name: x\n  scorer: exct\n  scenarios: [{name: a, input: b}, {name: c, input: d}]",
            ["3: unknown scorer: 'exct'"],
        ),
        ("a: &a [*a]", ["1: it is nested too deeply, or an alias contains itself"]),
    ],
    ids=range(18),
)
def test_what_is_written_wrongly_is_named_with_its_line(write, content, lines):
    with pytest.raises(SuiteError) as error:
        read_suite(write("a.verdict.yaml", content), "a.yaml")
    found = str(error.value).splitlines()
    assert len(found) == len(lines), found
    assert [line for line, given in zip(lines, found, strict=True) if not given.startswith(f"a.yaml:{line}")] == [], (
        found
    )


def test_a_wrong_suite_is_an_error_of_collection(harness):
    run = harness.run({"a.verdict.yaml": WRONG})
    assert run.outcomes == {"errors": 1}
    assert "a.verdict.yaml:3: there is no key 'scorr' here." in run.stdout
    assert "Traceback" not in run.stdout


def test_the_defaults_of_a_suite_reach_its_scenarios(write):
    content = """\
suite:
  name: x
  timeout_seconds: 5
  retries: 2
  tags: [one]
  config: {default_timeout: 9, retries: 1, default_scorers: [exact, regex]}
  scenarios:
    - {name: a, input: b, metadata: {regex_pattern: b}}
    - {name: c, input: d, scorers: [passfail], timeout_seconds: 1, retries: 0, tags: [two, one]}
"""
    first, second = read_suite(write("a.verdict.yaml", content)).scenarios
    assert [scorer.name for scorer in first.scorers] == ["exact", "regex"]
    assert (first.timeout_seconds, first.retries, first.tags, first.line) == (5.0, 2, ("one",), 8)
    assert [scorer.name for scorer in second.scorers] == ["passfail"]
    assert (second.timeout_seconds, second.retries, second.tags, second.line) == (1.0, 0, ("one", "two"), 9)


def test_a_suite_names_itself_beside_scenarios_at_the_top(write):
    content = "suite: {name: x, scorer: exact}\nscenarios:\n  - {name: a, input: b}\n"
    suite = read_suite(write("a.verdict.yaml", content))
    assert (suite.name, suite.scenarios[0].scorers[0].name, suite.scenarios[0].line) == ("x", "exact", 3)


def test_anchors_and_merges_are_read(write):
    content = """\
scenarios:
  - &base {name: a, input: b, tags: [x], repeats: 2}
  - {<<: *base, name: c}
"""
    first, second = read_suite(write("a.verdict.yaml", content)).scenarios
    assert (first.scenario.name, second.scenario.name, second.repeats) == ("a", "c", 2)


def test_the_published_schema_is_that_of_the_model():
    assert json.dumps(suite_schema(), indent=2, sort_keys=True) + "\n" == made_schema()
    jsonschema.Draft202012Validator.check_schema(suite_schema())


@pytest.mark.parametrize("content", [SENTIMENT, CALCULATOR, SQL, ONE], ids=range(4))
def test_the_schema_takes_what_the_reader_takes(write, content):
    jsonschema.validate(yaml.safe_load(content), suite_schema())
    assert read_suite(write("a.verdict.yaml", content)).scenarios


@pytest.mark.parametrize(
    "content", ["suite: {name: x}", "scenarios: []", "scenarios: [{name: a, input: 4}]", WRONG], ids=range(4)
)
def test_the_schema_refuses_what_the_reader_refuses(content):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(content), suite_schema())
