"""Suites and data sets in YAML: what their author wrote is what is compared, or the line of the file is an error."""

import json

import pytest

from pytest_verdict.cli import main
from pytest_verdict.datasets.check import check_dataset
from pytest_verdict.errors import ConfigurationError, SuiteError
from pytest_verdict.suites.suite_reader import read_suite

SUITE = """\
suite:
  name: s
  adapter: a.b
  scenarios:
    - name: x
      input: i
"""
# Each line below a scenario, and what is said of it.
REFUSED = [
    ("expected_output: {country: no}", "no without quotes is false in YAML"),
    ("expected_output: [a, on]", "on without quotes is true in YAML"),
    ("expected_output: {zip: 01234}", "01234 without quotes is 668 in YAML"),
    ("expected_output: {at: 12:30:00}", "12:30:00 without quotes is 45000 in YAML"),
    ("expected_output: {day: 2024-05-01}", "2024-05-01 without quotes is a date in YAML"),
    ("expected_output: {n: 1e3}", "1e3 is a number for some readers of YAML"),
    ("expected_output: {n: ~}", "~ without quotes is null in YAML"),
    ("expected_output: {a:1}", "nothing after the colon is null in YAML"),
    ("expected_output: {a: {no: 1}}", "no without quotes is false in YAML"),
    ("expected_output: 1e3", "1e3 is a number for some readers of YAML"),
    ("expected_output: &M stores", "'&M stores' is read as 'stores'"),
    ("expected_output: issue #5", "#5 is a comment in YAML"),
    ("expected_output: no", "expected_output: no without quotes is a boolean in YAML"),
    ("expected_output: 007", "expected_output: 007 without quotes is a number in YAML"),
    ("expected_output: 2024-05-01", "expected_output: 2024-05-01 without quotes is a date in YAML"),
    ("expected_output: null", "expected_output: null is no value here; leave the key out"),
    ("expected_output: ~", "expected_output: null is no value here; leave the key out"),
    ("expected_output:", "expected_output: null is no value here; leave the key out"),
    ("expected_output: # Paris", "expected_output: null is no value here; leave the key out"),
    ("expected_output: @home", "it is not YAML"),
    ("expected_output: a: b", "it is not YAML"),
    ("expected_tool_args: {search: {zip: 012}}", "012 without quotes is 10 in YAML"),
    ("expected_tools: [search, yes]", "expected_tools: yes without quotes is a boolean in YAML"),
    ("metadata: {regex_pattern: 012}", "012 without quotes is 10 in YAML"),
    ("context: {country: no}", "no without quotes is false in YAML"),
    ("context: [1_000]", "1_000 without quotes is 1000 in YAML"),
    ("tags: [on]", "tags: on without quotes is a boolean in YAML"),
    ("scorer: {operator: contains_any, settings: {case_sensitive: no}}", "no without quotes is false in YAML"),
    ("scorer: {operator: exact, mapping: {observed: $.output, expected: {literal: no}}}", "no without quotes is false"),
    ("scorer: null", "scorer: null is no value here"),
    ("scorer: ~", "scorer: null is no value here"),
    ("scorers:", "scorers: null is no value here"),
    ("threshold: null", "threshold: null is no value here"),
    ("timeout_seconds:", "timeout_seconds: null is no value here"),
    ("timeout_seconds: 1:30", "1:30 without quotes is 90 in YAML"),
    ("repeats: 010", "010 without quotes is 8 in YAML"),
    ("repeats: null", "repeats: null is no value here"),
    ("retries:", "retries: null is no value here"),
    ("pass: null", "pass: null is no value here"),
    ("metadata: null", "metadata: null is no value here"),
]
READ = [
    ("expected_output: 'no'", "no"),
    ('expected_output: "012"', "012"),
    ("expected_output: Norway", "Norway"),
    ("expected_output: Paris # the capital", "Paris"),
    ("expected_output: C#", "C#"),
    ("expected_output: '~'", "~"),
    ('expected_output: ""', ""),
    ("expected_output: |-\n        012 #5", "012 #5"),
    ("expected_output: {a: true, b: null, c: 1.5, d: -3}", {"a": True, "b": None, "c": 1.5, "d": -3}),
    ("expected_output: {price: 1.50, 'yes': 'no'}", {"price": 1.5, "yes": "no"}),
    ("context: null", None),
    ("context: {country: 'no', empty: null}", None),
    ("scorer: {operator: contains_any, settings: {case_sensitive: false}}", None),
    ("metadata: {note: null}", None),
    ("timeout_seconds: 90 #slow", None),
]


@pytest.mark.parametrize(("line", "complaint"), REFUSED)
def test_a_value_that_yaml_changes_is_refused_in_a_suite(write, line, complaint):
    with pytest.raises(SuiteError) as error:
        read_suite(write("a.verdict.yaml", f"{SUITE}      {line}\n"), "a.yaml")
    (problem,) = str(error.value).splitlines()
    assert problem.startswith(f"a.yaml:7: {complaint}")


@pytest.mark.parametrize(("line", "expected"), READ)
def test_a_value_that_is_what_it_seems_is_read_in_a_suite(write, line, expected):
    suite = read_suite(write("a.verdict.yaml", f"{SUITE}      {line}\n"))
    assert suite.scenarios[0].scenario.expected_output == expected


def test_all_misread_values_of_a_suite_are_reported_with_its_other_mistakes(write):
    content = f"{SUITE}      expected_output: {{a: no}}\n      scorer: 5\n      context: 1:30\n    - name: y\n"
    with pytest.raises(SuiteError) as error:
        read_suite(write("a.verdict.yaml", content), "a.yaml")
    assert [line.split(": ")[0] for line in str(error.value).splitlines()] == [f"a.yaml:{n}" for n in (7, 8, 9, 10)]


ROWS = ["no", "012", "1e3", "1_000", "12:30:00", "2024-05-01", "~", "", "issue #5", "&M stores"]


@pytest.mark.parametrize("value", ROWS)
def test_a_value_that_yaml_changes_is_refused_in_a_data_set(write, value, capsys):
    path = write("rows.yaml", f"- {{want: 'a', got: 'a'}}\n- want: {value}\n  got: b\n")
    with pytest.raises(ConfigurationError, match=r"^rows\.yaml:2: "):
        check_dataset(path, "exact", expected="want", observed="got")
    options = ["--operator", "exact", "--expected", "want", "--observed", "got", "-o", str(path.parent / "out")]
    assert main(["score", str(path), *options]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("value", ["'no'", "true", "1.5", "null", "a # b", "C#", "12:30 h"])
def test_a_value_that_is_what_it_seems_is_read_in_a_data_set(write, value):
    path = write("rows.yaml", f"- want: {value}\n  got: {value}\n")
    assert check_dataset(path, "exact", expected="want", observed="got").passed == 1


@pytest.mark.parametrize("literal", ["no", "012", "2024-05-01", "~"])
def test_a_value_that_yaml_changes_is_refused_in_the_file_of_a_mapping(write, literal, capsys):
    rows = write("rows.jsonl", json.dumps({"got": "no"}) + "\n")
    mapping = write("mapping.yaml", f"observed: $.got\nexpected:\n  literal: {literal}\n")
    options = ["--operator", "exact", "--mapping", str(mapping), "-o", str(rows.parent / "out")]
    assert main(["score", str(rows), *options]) == 2
    assert f"mapping.yaml:3: {literal} without quotes is" in capsys.readouterr().err
