"""Suite files as tests: the suites of the specification, and the outcome of each scenario."""

import functools
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from scenarios import RECORDED, outputs, suite

from pytest_verdict.core.replay import replay
from pytest_verdict.errors import SuiteError
from pytest_verdict.suites.suite_model import suite_schema
from pytest_verdict.suites.suite_reader import read_suite

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
    assert "PassFail: FAIL. Expected any of 'rome', got 'It is Milan.'." in run.stdout
    by_name = {record["name"]: record for record in run.records if record["test"].endswith("france")}
    assert by_name["text_similarity"]["threshold"] == 0.1


@pytest.mark.ci
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


def test_tags_that_are_marks_of_pytest_do_what_these_do(harness):
    content = suite(
        {"name": "skipped", "input": "i", "tags": ["skip"]},
        {"name": "expected", "input": "i", "expected_output": "a", "tags": ["xfail"]},
        scorer="exact",
    )
    run = harness.run({"a.verdict.yaml": content, "outputs.jsonl": outputs(skipped="a", expected="b")}, *RECORDED)
    assert run.outcomes == {"skipped": 1, "xfailed": 1}
    run.check_agreement()


@pytest.mark.ci
def test_last_failed_and_xdist_select_single_scenarios(harness):
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
      description: [1]
    - input: z
      timeout_seconds: -1
      tags: [needs review]
      pass: sometimes
      expected_output: 2024-02-29
"""
# Each line is three times the one before.
LISTS = "l0: &l0 [a]\n" + "".join(f"l{n + 1}: &l{n + 1} [*l{n}, *l{n}, *l{n}]\n" for n in range(40))
MERGES = "l0: &l0 {a: b}\n" + "".join(f"l{n + 1}: &l{n + 1} {{<<: [*l{n}, *l{n}, *l{n}]}}\n" for n in range(40))
ONE = "scenarios:\n  - {name: a, input: b}\n"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (
            WRONG,
            [
                "3: there is no key 'scorr'. Did you mean 'scorer'?",
                '6: input: 4 without quotes is a number in YAML (4); write "4"',
                "7: expected_output: yes without quotes is a boolean in YAML (True)",
                "8: there is no key 'bogus'. Allowed: context, description, expected_output",
                "9: name: 'a::b' is not allowed",
                "11: repeats: Input should be greater than or equal to 1, got 0",
                "12: the key 'operator' is required",
                "12: there is no key 'operater'. Did you mean 'operator'?",
                "13: description: text is needed here, not a list",
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
            ["4: exact: there is no setting 'normalise'. Did you mean 'normalize'?"],
        ),
        *(
            (
                (
                    "scenarios:\n  - name: a\n    input: b\n    scorer:"
                    f" {{operator: exact, mapping: {{expected: $.reference}}, settings: {{{key}: 1}}}}"
                ),
                [f"4: settings: '{key}' is no setting of an operator; write it beside settings"],
            )
            for key in ("mapping", "operator", "threshold", "self")
        ),
        (
            "scenarios:\n  - {name: a, input: b, repeats: 2, pass: 3}",
            ["2: pass: 3 repeats cannot pass when there are 2"],
        ),
        (
            "suite:\n  name: x\n  scorer: exct\n  scenarios: [{name: a, input: b}, {name: c, input: d}]",
            ["3: unknown scorer: 'exct'"],
        ),
        (
            "scenarios: [{name: a, input: b, timeout_seconds: .inf}]",
            ["1: timeout_seconds: Input should be less than or equal to 604800, got inf"],
        ),
        ("[" * 1_000_000, ["1: it is nested too deeply"]),
        ("scenarios: [{name: a, input: b, pass_rule: 1}]", ["1: there is no key 'pass_rule'."]),
        (
            "suite:\n  name: x\n  scorers:\n    - exact\n    - exct\n  scenarios: [{name: a, input: b}]",
            ["5: unknown scorer: 'exct'"],
        ),
        (
            "scenarios:\n  - name: a\n    input: b\n    scorers: [exact]\n    scorer: exact",
            ["5: give scorer or scorers, not both"],
        ),
        ("a: &a [*a]", ["1: it is nested too deeply, or an alias contains itself"]),
        (LISTS, ["1: its aliases repeat more than 1,000,000 values"]),
        (MERGES, ["1: its aliases repeat more than 1,000,000 values"]),
        (
            "scenarios:\n  - &a {name: a, input: b}\n  - <<: *a\n    name: c\n    name: d",
            ["5: the key 'name' occurs twice"],
        ),
        (
            "scenarios:\n  - &a {name: a, input: b}\n  - <<: *a\n    ? [x]\n    : c",
            ["4: a key is text, not a list or mapping"],
        ),
        (
            "scenarios:\n  - name: a\n    input: b\n    metadata: !!omap [x: 1]",
            ["4: the tag 'tag:yaml.org,2002:omap' is not read"],
        ),
        (
            "scenarios:\n  - name: a\n    input: b\n    no: 1\n    metadata:\n      x: 1\n      off: 2",
            [
                "4: a key is text, and this one is a boolean in YAML (False)",
                "7: a key is text, and this one is a boolean",
            ],
        ),
    ],
    ids=range(32),
)
def test_mistakes_are_reported_with_their_line(write, content, lines):
    with pytest.raises(SuiteError) as error:
        read_suite(write("a.verdict.yaml", content), "a.yaml")
    found = str(error.value).splitlines()
    assert len(found) == len(lines), found
    assert [line for line, given in zip(lines, found, strict=True) if not given.startswith(f"a.yaml:{line}")] == [], (
        found
    )


WRONG_SCORERS = [
    *[
        (
            f"{{operator: exact, settings: {{{name}: 1}}, mapping: {{expected: $.input}}}}",
            f"settings: '{name}' is no setting",
        )
        for name in ("mapping", "operator", "threshold", "expected", "observed", "self")
    ],
    *[
        (f"{{operator: exact, settings: {{{name}: 1}}}}", "exact: ")
        for name in ("mapping", "operator", "threshold", "name")
    ],
    *[
        (f"{{operator: exact, mapping: {{observed: '{path}'}}}}", "observed: the document of a scenario has no ")
        for path in ("$.outputt", "$.Output", "$.expected_output", "$.tools[0]", "$.result.output")
    ],
    (
        "{operator: exact, mapping: {observed: $.output, expected: $.expected}}",
        "expected: the document of a scenario has no",
    ),
    (
        "{operator: exact, mapping: {observed: $.output, expected: $.output}}",
        "expected and observed are the same value",
    ),
    (
        "{operator: regex, mapping: {observed: $.output, pattern: $.meta.p}}",
        "pattern: the document of a scenario has no",
    ),
    ("{operator: exact, mapping: {observed: {path: $.output, pat: 1}}}", "observed: an input has no key 'pat'"),
]
RIGHT_SCORERS = [
    "{operator: exact, mapping: {observed: $.output.answer}}",
    "{operator: exact, mapping: {observed: $..answer}}",
    "{operator: exact, mapping: {observed: '$.tool_calls[0].name', expected: '$.expected_tools[0]'}}",
    "{operator: numeric_maximum, mapping: {observed: $.latency_ms, expected: {literal: 9}}}",
    "{operator: contains_any, mapping: {observed: $.raw_response, expected: $.context}}",
    "{operator: exact, mapping: {observed: {path: $.output, same: true}, expected: $.output}}",
    "{operator: exact, mapping: {observed: $.token_usage.total, expected: $.metadata.tokens}}",
]


@pytest.mark.parametrize(("scorer", "complaint"), WRONG_SCORERS)
def test_a_wrong_operator_scorer_is_reported_before_an_adapter_is_called(write, scorer, complaint):
    content = f"scenarios:\n  - name: a\n    input: b\n    expected_output: c\n    scorer: {scorer}\n"
    with pytest.raises(SuiteError) as error:
        read_suite(write("a.verdict.yaml", content), "a.yaml")
    assert str(error.value).startswith(f"a.yaml:5: {complaint}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("scorer", RIGHT_SCORERS)
def test_a_mapping_of_what_a_scenario_has_is_read(write, scorer):
    content = f"scenarios:\n  - name: a\n    input: b\n    expected_output: c\n    scorer: {scorer}\n"
    assert read_suite(write("a.verdict.yaml", content)).scenarios


def test_a_wrong_suite_is_an_error_of_collection(harness):
    run = harness.run({"a.verdict.yaml": WRONG})
    assert run.outcomes == {"errors": 1}
    assert "a.verdict.yaml:3: there is no key 'scorr'." in run.stdout
    assert "Traceback" not in run.stdout


def test_the_defaults_of_a_suite_reach_its_scenarios(write):
    content = """\
suite:
  name: x
  timeout_seconds: 5
  tags: [one]
  config: {retries: 2, default_scorers: [exact, regex]}
  scenarios:
    - {name: a, input: b, metadata: {regex_pattern: b}}
    - {name: c, input: d, scorers: [passfail], timeout_seconds: 1, retries: 0, tags: [two, one]}
"""
    first, second = read_suite(write("a.verdict.yaml", content)).scenarios
    assert [scorer.name for scorer in first.scorers] == ["exact", "regex"]
    assert (first.timeout_seconds, first.retries, first.tags, first.line) == (5.0, 2, ("one",), 7)
    assert [scorer.name for scorer in second.scorers] == ["passfail"]
    assert (second.timeout_seconds, second.retries, second.tags, second.line) == (1.0, 0, ("one", "two"), 8)


def test_a_suite_may_have_a_name_and_top_level_scenarios(write):
    content = "suite: {name: x, scorer: exact}\nscenarios:\n  - {name: a, input: b}\n"
    suite = read_suite(write("a.verdict.yaml", content))
    assert (suite.head.name, suite.scenarios[0].scorers[0].name, suite.scenarios[0].line) == ("x", "exact", 3)


def test_anchors_and_merges_are_read(write):
    content = """\
scenarios:
  - &base {name: a, input: b, tags: [x], repeats: 2}
  - {<<: *base, name: c}
"""
    first, second = read_suite(write("a.verdict.yaml", content)).scenarios
    assert (first.scenario.name, second.scenario.name, second.repeats) == ("a", "c", 2)


def test_nothing_is_imported_for_suites_where_there_are_none(harness):
    code = "import sys\n\ndef test_it():\n    assert not {'yaml', 'pydantic', 'jsonpath_ng'} & set(sys.modules)\n"
    assert harness.run(
        {"test_it.py": code, "other.yaml": "a: [", "x.verdict.yaml.txt": "["}, process=True
    ).outcomes == {"passed": 1}


@functools.cache
def validator():
    return jsonschema.Draft202012Validator(suite_schema())


def test_the_published_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(suite_schema())


def test_the_published_schema_is_the_same_with_every_version_of_pydantic():
    text = Path(__file__).with_name("suite.schema.json").read_text("utf-8")
    assert f"{json.dumps(suite_schema(), indent=2)}\n" == text


@pytest.mark.parametrize("content", [SENTIMENT, CALCULATOR, SQL, ONE], ids=range(4))
def test_the_schema_takes_what_the_reader_takes(write, content):
    validator().validate(yaml.safe_load(content))
    assert read_suite(write("a.verdict.yaml", content)).scenarios


@pytest.mark.parametrize(
    "content", ["suite: {name: x}", "scenarios: []", "scenarios: [{name: a, input: 4}]", WRONG], ids=range(4)
)
def test_the_schema_refuses_what_the_reader_refuses(content):
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(yaml.safe_load(content))


WRONG_KEYS = [
    "expected: c",
    "expected_output: 4",
    "expected_output: yes",
    "expected_tools: search",
    "expected_tool_args: [1]",
    "tags: [two words]",
    "scorers: []",
    "scorer: ''",
    "scorer: {settings: {}}",
    "scorer: {operator: exact, setting: {}}",
    "scorer: {operator: exact, threshold: 0}",
    "threshold: 1.5",
    "timeout_seconds: 0",
    "timeout_seconds: '30'",
    "retries: -1",
    "repeats: 0",
    "repeats: 1.5",
    "pass: 0",
    "pass: most",
    "pass: {rate: 2}",
    "pass: {rate: 0.9, confidence: 1}",
    "metadata: []",
]


@pytest.mark.parametrize("wrong", WRONG_KEYS)
def test_reader_and_schema_refuse_a_wrong_value(wrong, write):
    content = f"scenarios:\n  - name: a\n    input: b\n    {wrong}\n"
    with pytest.raises(SuiteError):
        read_suite(write("a.verdict.yaml", content))
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(yaml.safe_load(content))


REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("path", sorted((REPOSITORY / "examples").rglob("*.verdict.yaml")), ids=lambda path: path.stem)
def test_the_schema_takes_the_examples(path):
    validator().validate(yaml.safe_load(path.read_text("utf-8")))


def test_the_schema_takes_the_suites_of_the_documentation():
    written = [page.read_text("utf-8") for page in (REPOSITORY / "docs").rglob("*.md")]
    found = [
        block for text in written for block in re.findall(r"```yaml\n(# \S+\.verdict\.yaml\n.*?)```", text, re.DOTALL)
    ]
    assert found
    for written_suite in found:
        validator().validate(yaml.safe_load(written_suite))
