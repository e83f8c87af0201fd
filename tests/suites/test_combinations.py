"""Scorers that are combined in YAML."""

import jsonschema
import pytest
import yaml
from scenarios import RECORDED, outputs

from pytest_verdict.suites.suite_model import suite_schema

HEAD = """
scenarios:
  - name: x
    input: i
    expected_output: "3.60"
    scorers:
"""


def session(harness, scorer, output):
    content = HEAD + "".join(f"      {line}\n" for line in scorer.strip().splitlines())
    jsonschema.Draft202012Validator(suite_schema()).validate(yaml.safe_load(content))
    return harness.run({"outputs.jsonl": outputs(x=output), "a.verdict.yaml": content}, *RECORDED)


@pytest.mark.parametrize(
    ("scorer", "output", "outcome"),
    [
        ("- any_of: [exact, {operator: contains_any}]", "it is 3.60", "passed"),
        ("- any_of: [exact, {operator: contains_any}]", "it is 3.61", "failed"),
        ("- all_of: [exact, {operator: contains_any}]", "it is 3.60", "failed"),
        ("- all_of: [exact, {operator: contains_any}]\n  threshold: 0.5", "it is 3.60", "passed"),
        ("- at_least_n: [exact, contains_any, numeric_exact]\n  settings: {n: 2}", "3.60", "passed"),
        (
            "- weighted: [{operator: exact, weight: 1}, {operator: contains_any, weight: 3}]\n  threshold: 0.7",
            "is 3.60",
            "passed",
        ),
        ("- weighted: [{operator: exact, weight: 3}, {operator: contains_any}]\n  threshold: 0.7", "is 3.60", "failed"),
        (
            "- any_of:\n    - exact\n    - all_of: [contains_any, {operator: text_similarity, threshold: 0.1}]",
            "is 3.60",
            "passed",
        ),
    ],
)
def test_scorers_are_combined(harness, scorer, output, outcome):
    run = session(harness, scorer, output)
    assert run.outcomes == {outcome: 1}
    (record,) = run.records
    assert record["operator"] == scorer.split(":")[0].removeprefix("- ")
    assert len(record["children"]) >= 2


@pytest.mark.parametrize(
    ("scorer", "words"),
    [
        ("any_of: [exct]", "Did you mean 'exact'?"),
        ("any_of: [{operator: exact, weights: 2}]", "a condition has no key 'weights'"),
        ("all_of: [{operator: exact, weight: 2}]", "weights"),
        ("any_off: [exact]", "the key 'operator' is required"),
        ("any_of: []", "conditions"),
        ("any_of: [exact], settings: [1]", "settings: Input should be a valid dictionary"),
    ],
)
def test_a_wrong_combination_is_refused(harness, scorer, words):
    content = HEAD + f"      - {{{scorer}}}\n"
    run = harness.run({"outputs.jsonl": outputs(x="a"), "a.verdict.yaml": content}, *RECORDED)
    assert run.outcomes == {"errors": 1}
    assert "a.verdict.yaml:7: " in run.stdout
    assert words in run.stdout
