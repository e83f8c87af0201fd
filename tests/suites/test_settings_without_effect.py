"""Settings of suites and data sets that do nothing: refused, warned of, or right."""

import pytest

from pytest_verdict.datasets.check import check_dataset
from pytest_verdict.datasets.rows import Selection
from pytest_verdict.errors import ConfigurationError, SuiteError
from pytest_verdict.suites.suite_reader import read_suite

HEAD = "suite:\n  name: s\n  adapter: a.b\n"
SCENARIO = "  scenarios:\n    - name: x\n      input: i\n"
REFUSED_IN_SCENARIO = [
    ("pass: any", "pass: it has no effect without repeats"),
    ("pass: all", "pass: it has no effect without repeats"),
    ("pass: 1", "pass: it has no effect without repeats"),
    ("pass: {rate: 0.9}", "pass: it has no effect without repeats"),
    ("repeats: 3\n      pass: {rate: 0.9}", "pass: 3 of 3 passes do not show a rate of 0.9 with confidence 0.95"),
    ("repeats: 2\n      pass: 3", "pass: 3 repeats cannot pass when there are 2"),
    ("scorer: exact\n      threshold: 0.5", "threshold: no scorer of this scenario takes it"),
    ("scorer: passfail\n      threshold: 0.5", "threshold: no scorer of this scenario takes it"),
    ("scorers: [exact, regex]\n      threshold: 0.5\n      metadata: {regex_pattern: a}", "threshold: no scorer"),
    ("scorer: {operator: text_similarity, threshold: 0.9}\n      threshold: 0.5", "threshold: no scorer"),
    ("scorers: [exact, exact]", "this scorer is there already"),
    ("scorers: [{operator: regex}, exact, {operator: regex}]", "this scorer is there already"),
    (
        "scorer: trajectory_exact\n      expected_tools: [serach]\n      expected_tool_args: {search: {q: 1}}",
        "expected_tool_args: 'search' is not in expected_tools. Did you mean 'serach'?",
    ),
    ("scorer: {operator: exact, any_of: [regex]}", "there is no key 'any_of'"),
    ("scorer: {operator: exact, mapping: {observed: $.metadata.x}}\n      expected_output: a", "nothing of the result"),
    ("scorer: {operator: exact, mapping: {observed: {literal: a}}}\n      expected_output: a", "nothing of the result"),
    ("scorer: {operator: exact, mapping: {observed: $.context.y}}\n      expected_output: a", "nothing of the result"),
    ('expected_output: " "', "has no visible character"),
    ('expected_output: "\\u200b"', "has no visible character"),
    ("scorer: regex\n      metadata: {regex_pattern: '.*'}", "is not a regular expression to search"),
    ("scorer: regex\n      metadata: {regex_pattern: 'a|'}", "is not a regular expression to search"),
    ("expected_tools: [search, search]", "expected_tools has 'search' twice, and passfail asks for one call"),
    ("expected_tools: [a, b, a]", "expected_tools has 'a' twice"),
    ("scorers: [exact, passfail]\n      expected_output: a\n      expected_tools: [b, b]", "has 'b' twice"),
    ("expected_tools: [search]\n      expected_tool_args: {search: {}}", "expected_tool_args of 'search' is empty"),
    ("expected_tools: [a, b]\n      expected_tool_args: {a: {q: 1}, b: {}}", "expected_tool_args of 'b' is empty"),
    (
        "expected_output: a\n      scorer: {any_of: [exact, exact]}",
        "any_of has 'exact' twice, so one verdict counts twice",
    ),
    ("expected_output: a\n      scorer: {all_of: [exact, regex, exact]}", "all_of has 'exact' twice"),
    ("expected_output: a\n      scorer: {none_of: [contains_any, {operator: contains_any}]}", "'contains_any' twice"),
    (
        "expected_output: a\n      scorer: {at_least_n: [exact, exact, contains_any], settings: {n: 2}}",
        "at_least_n has 'exact' twice",
    ),
    ("expected_output: a\n      scorer: {weighted: [exact, exact]}", "weighted has 'exact' twice"),
    (
        "expected_output: a\n      scorer: {any_of: [regex, {all_of: [exact, exact]}]}",
        "all_of has 'exact' twice",
    ),
    *[
        (f"tags: [{tag}]", "tags: this mark has arguments, and a tag has none")
        for tag in ("skipif", "parametrize", "usefixtures", "filterwarnings", "verdict_cases", "verdict_unread")
    ],
]
REFUSED_IN_SUITE = [
    (
        "timeout_seconds: 5\n  config: {default_timeout: 9}",
        "suite.config: default_timeout has no effect beside timeout_seconds",
    ),
    ("retries: 1\n  config: {retries: 2}", "suite.config: retries has no effect beside retries"),
    (
        "scorer: exact\n  config: {default_scorers: [regex]}",
        "suite.config: default_scorers has no effect beside scorer",
    ),
    (
        "scorers: [exact]\n  config: {default_scorers: [regex]}",
        "suite.config: default_scorers has no effect beside scorers",
    ),
    ("scorer: exact\n  scorers: [regex]", "give scorer or scorers, not both"),
    ("pass: any", "a.yaml:4: pass: it has no effect without repeats"),
    ("repeats: 3\n  pass: {rate: 0.9}", "a.yaml:5: pass: 3 of 3 passes do not show a rate of 0.9"),
    ("repeats: 3\n  pass: 4", "a.yaml:5: pass: 4 repeats cannot pass when there are 3"),
    ("scorer: exact\n  threshold: 0.5", "a.yaml:5: threshold: no scorer of this suite takes it"),
]
DOUBTFUL = [
    (
        "scorer: exact\n      expected_output: a\n      expected_tools: [search]",
        "has expected_tools, which no scorer",
    ),
    (
        "scorer: trajectory_exact\n      expected_tools: [a]\n      expected_output: a",
        "has expected_output, which no scorer",
    ),
    ("scorer: not_blank\n      expected_output: a", "has expected_output, which no scorer"),
    (
        "scorer: regex\n      metadata: {regex_pattern: a}\n      expected_output: a",
        "has expected_output, which no scorer",
    ),
    (
        "scorer: {operator: exact, mapping: {expected: $.input}}\n      expected_output: a\n      expected_tools: [b]",
        "has expected_output and expected_tools, which no scorer",
    ),
    (
        "scorer: exact\n      expected_output: a\n      expected_tool_args: {b: {c: 1}}",
        "has expected_tool_args, which no scorer",
    ),
    ("expected_output: a\n      metadata: {regex_pattern: b}", "has metadata.regex_pattern, which no scorer"),
    ("expected_output: a\n      scorer: exact\n      metadata: {similarity_threshold: 0.9}", "has metadata.similarity"),
    ("scorer: passfail", "expects nothing"),
    ("scorer: trajectory_exact", "expects nothing"),
]
RIGHT = [
    "scorers: [exact, regex]\n      expected_output: a\n      metadata: {regex_pattern: b, note: c}",
    "expected_output: a\n      scorer: my.own.Scorer\n      metadata: {regex_pattern: b}",
    "expected_output: ' '\n      scorer: exact",
    "scorer: {operator: exact, mapping: {expected: $.output, observed: $.reference}}\n      expected_output: a",
    "scorer: {operator: exact, mapping: {observed: $..answer}}\n      expected_output: a",
    "scorer: {operator: exact, mapping: {observed: $.raw_response.x, expected: {literal: 1}}}",
    "expected_output: a\n      repeats: 3\n      pass: any",
    "expected_output: a\n      repeats: 3\n      pass: {rate: 0.2}",
    "expected_output: a\n      repeats: 60\n      pass: {rate: 0.9}",
    "expected_output: a\n      repeats: 5\n      pass: {rate: 0.6, confidence: 0.6}",
    "expected_output: a\n      scorers: [exact, text_similarity]\n      threshold: 0.5",
    "expected_output: a\n      scorer: my.own.Scorer\n      threshold: 0.5\n      expected_tools: [b]",
    "expected_output: a\n      scorers: [{operator: exact}, {operator: exact, settings: {case_sensitive: false}}]",
    "expected_output: a\n      scorers: [exact, trajectory_exact]\n      expected_tools: [b]",
    "expected_output: a\n      expected_tools: [b]\n      expected_tool_args: {c: {d: 1}}",
    "scorer: trajectory_exact\n      expected_tools: [b, c]\n      expected_tool_args: {c: {d: 1}}",
    "scorer: trajectory_exact\n      expected_tools: []",
    "scorer: trajectory_any_order\n      expected_tools: [b, b]",
    "scorer: trajectory_exact\n      expected_tools: [b]\n      expected_tool_args: {b: {}}",
    "expected_tools: [b]\n      expected_tool_args: {}",
    "expected_output: a\n      scorer: {any_of: [exact, {operator: exact, settings: {case_sensitive: false}}]}",
    "expected_output: a\n      scorer: {weighted: [{operator: exact, weight: 2}, contains_any]}",
    "scorer: {operator: exact, mapping: {observed: $..name}}\n      expected_output: a\n      expected_tools: [b]",
    "scorer: not_blank\n      metadata: {note: x}\n      context: y\n      description: z\n      tags: [a, xfail, skip]",
    "expected_output: a\n      retries: 0\n      timeout_seconds: 1",
]


@pytest.mark.parametrize(("lines", "complaint"), REFUSED_IN_SCENARIO)
def test_a_setting_without_effect_is_refused_in_a_scenario(write, lines, complaint):
    with pytest.raises(SuiteError) as error:
        read_suite(write("a.verdict.yaml", f"{HEAD}{SCENARIO}      {lines}\n"), "a.yaml")
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("lines", "complaint"), REFUSED_IN_SUITE)
def test_a_setting_without_effect_is_refused_in_a_suite(write, lines, complaint):
    with pytest.raises(SuiteError) as error:
        read_suite(
            write("a.verdict.yaml", f"{HEAD}  {lines}\n{SCENARIO}      metadata: {{regex_pattern: a}}\n"), "a.yaml"
        )
    assert complaint in str(error.value)


@pytest.mark.parametrize(("lines", "doubt"), DOUBTFUL)
def test_an_expectation_that_nothing_reads_is_doubtful(write, lines, doubt):
    (plan,) = read_suite(write("a.verdict.yaml", f"{HEAD}{SCENARIO}      {lines}\n")).scenarios
    assert doubt in plan.doubt


@pytest.mark.parametrize("lines", RIGHT)
def test_settings_with_an_effect_are_read_without_a_doubt(write, lines):
    (plan,) = read_suite(write("a.verdict.yaml", f"{HEAD}{SCENARIO}      {lines}\n")).scenarios
    assert plan.doubt == ""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"seed": 1}, "seed has no effect without sample"),
        ({"seed": 1, "limit": 2}, "seed has no effect without sample"),
        ({"limit": 2, "sample": 3}, "a sample of 3 of the first 2 rows has no effect"),
        ({"limit": 0}, "limit is a whole number from 1"),
        ({"sample": 0}, "sample is a whole number from 1"),
        ({"sample": True}, "sample is a whole number from 1"),
        ({"jobs": 2}, "jobs: several processes read a file"),
        ({"expect_rows": 1, "min_rows": 1}, "give expect_rows or min_rows, not both"),
        ({"pass_rate": 0}, "pass_rate must be in"),
        ({"threshold": 0}, "threshold must be in"),
        ({"ids": "$.nr"}, "ids: no row has 'nr'"),
        ({"observed": "want"}, "expected and observed are the same value"),
        ({"observed": "gott"}, "observed: no row has 'gott'. Did you mean 'got'?"),
        ({"expected": "wnat"}, "expected: no row has 'wnat'. Did you mean 'want'?"),
    ],
)
def test_an_option_of_a_data_set_without_effect_is_refused(options, complaint):
    rows = [{"want": "a", "got": "a"}, {"want": "b", "got": "b"}]
    with pytest.raises(ConfigurationError, match=complaint.replace("(", r"\(")):
        check_dataset(rows, "exact", **{"expected": "want", "observed": "got", **options})


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 9},
        {"sample": 9},
        {"sample": 1, "seed": 5},
        {"limit": 2, "sample": 2},
        {"limit": 2, "sample": 1},
        {"seed": 0},
    ],
)
def test_a_selection_with_an_effect_is_right(options):
    assert Selection(**options)


SAME = [
    "{input: $.a, expected_output: $.a}",
    "{input: $.a, expected_output: \"$['a']\"}",
    "{input: {path: $.a}, expected_output: $.a}",
    "{input: $.a, expected_output: {path: $.a}}",
    "{input: {path: $.a, extract: last_line}, expected_output: {path: $.a, extract: last_line}}",
]
OTHER = [
    "{input: $.a, expected_output: $.b}",
    "{input: $.a, expected_output: {path: $.a, extract: last_line}}",
    "{input: {literal: a}, expected_output: {literal: a}}",
    "{input: {literal: a}, expected_output: $.a}",
    "{input: $.a, expected_output: $.b, context: $.a}",
]


@pytest.mark.parametrize("mapping", [*SAME, *OTHER])
def test_a_data_set_whose_question_is_its_answer_is_refused(write, mapping):
    write("r.jsonl", '{"a": "x", "b": "y"}\n')
    path = write("a.verdict.yaml", f"{HEAD}  dataset:\n    file: r.jsonl\n    mapping: {mapping}\n")
    if mapping in OTHER:
        assert len(read_suite(path).scenarios) == 1
        return
    with pytest.raises(SuiteError, match="input and expected_output are the same value of a row"):
        read_suite(path)
