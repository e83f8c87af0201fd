"""Files of other tools, translated to suites: the result, the parts left out, and the same verdicts."""

import importlib
import json
import sys
from pathlib import Path

import pytest
import yaml

from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.importing.karenina import HOMES
from pytest_verdict.suites.suite_reader import read_suite
from pytest_verdict.templates import AnswerTemplate

OTHERS = json.loads(Path(__file__).with_name("verdicts_of_others.json").read_text("utf-8"))


def scenarios(path):
    return yaml.safe_load(path.read_text("utf-8"))["suite"]["scenarios"]


def differences(path, rows):
    """Give the outputs of which an imported check says something else than the tool itself."""
    found = []
    for plan, (check, theirs) in zip(read_suite(path).scenarios, rows, strict=True):
        for output, passed in zip(OTHERS["outputs"], theirs, strict=True):
            ours = [scorer.score(plan.scenario, AgentResult(output), "a", None).verdict for scorer in plan.scorers]
            assert "error" not in ours
            if (ours == ["pass"]) != (passed == "1"):
                found.append((check.get("type") or check["evaluators"][0], output))
    return found


def test_promptfoo_says_the_same(imported):
    tests = [{"vars": {"n": n}, "assert": [check]} for n, (check, _) in enumerate(OTHERS["promptfoo"])]
    code, said, path, _ = imported("promptfoo", {"prompts": ["{{n}}"], "providers": ["echo"], "tests": tests})
    assert (code, said) == (0, [])
    assert differences(path, OTHERS["promptfoo"]) == []


def test_pydantic_evals_says_the_same_of_texts(imported):
    cases = [{"inputs": str(n), **check} for n, (check, _) in enumerate(OTHERS["pydantic-evals"])]
    code, said, path, _ = imported("pydantic-evals", {"cases": cases, "evaluators": []})
    assert (code, said) == (0, [])
    other = differences(path, OTHERS["pydantic-evals"])
    # An output is a text for both, and text of JSON is read where something else than a text is expected.
    assert all(output[0] in '3{t"' for _, output in other)
    assert len(other) == 9


PROMPTFOO = """\
prompts:
  - file://prompt.txt
providers: [echo]
defaultTest:
  vars: {word: grub}
  assert:
    - {type: latency, threshold: 5}
tests:
  - description: words of other YAML
    vars:
      body: "Yes"
    assert:
      - type: equals
        value: "No"
      - type: icontains
        value: "{{ word }} {{body}}"
        metric: food
      - $ref: '#/assertionTemplates/noise'
  - description: words of other YAML
    assert:
      - type: not-regex
        value: "(?<a>x)"
      - type: llm-rubric
        value: is kind
      - {type: contains, value: a, weight: 2}
      - {type: not-is-json}
      - {type: contains, value: "{% if x %}"}
      - {type: not-contains, value: b}
  - vars: {a: 1}
    assert: [{type: python, value: "__import__('os').abort()"}]
    options: {transform: output.trim()}
assertionTemplates:
  noise: {type: starts-with, value: "Arr."}
"""


def test_a_promptfoo_configuration_becomes_a_suite(imported):
    code, said, path, _ = imported("promptfoo", PROMPTFOO)
    assert code == 1
    assert [line.partition(":")[0] for line in said] == ["1", "21", "23", "26", "27", "30", "31"]
    assert [said[0], said[2]] == [
        "1: prompts: your adapter gets the variables as JSON, and makes the prompt of them",
        "23: llm-rubric: it is not translated",
    ]
    first, second, third = scenarios(path)
    assert [scorer["operator"] for scorer in third["scorers"]] == ["numeric_maximum"]
    assert json.loads(first["input"]) == {"word": "grub", "body": "Yes"}
    limit, *patterns = first["scorers"]
    mapping = {"expected": {"literal": 5}, "observed": "$.latency_ms"}
    assert limit == second["scorers"][0] == {"operator": "numeric_maximum", "mapping": mapping}
    assert patterns == [
        {"operator": "trace_regex", "settings": {"pattern": r"\ANo\Z"}},
        {"operator": "contains_all", "settings": {"substrings": ["grub Yes"], "normalize": ["lowercase"]}},
        {"operator": "trace_regex", "settings": {"pattern": r"\AArr\."}},
    ]
    assert second["name"] == "words of other YAML (line 19)"
    assert second["scorers"][1:] == [
        {"operator": "trace_contains", "settings": {"substring": "a"}},
        {"operator": "trace_contains", "settings": {"substring": "b"}, "mapping": {"expected": {"literal": False}}},
    ]


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ({"type": "regex"}, "regex: nothing as its value is not translated"),
        ({"type": "contains", "value": ""}, "empty"),
        ({"type": "contains-all", "value": [[]]}, "takes texts"),
        ({"type": "word-count", "value": "many"}, "valid integer"),
        ({"type": "is-json", "value": "file://schema.json"}, "a template or a file"),
        ({"type": "is-json", "value": {"type": 5}}, "schema"),
        ({"type": "is-json", "value": {"typ": "object"}}, "'typ' is no keyword of draft 7"),
        ({"type": "is-json", "value": {"properties": {"a": {"maximun": 5}}}}, "'maximun' is no keyword"),
        ({"type": "is-json", "value": {"$defs": {"a": {"typ": "x"}}, "$ref": "#/$defs/a"}}, "'typ' is no keyword"),
        ({"type": "contains-json", "value": {"allOf": [{"requierd": ["a"]}]}}, "'requierd' is no keyword"),
        ({"type": "latency"}, "latency: nothing as its value is not translated"),
        ({"type": "latency", "threshold": "1s"}, "a time is a finite number, got '1s'"),
        ({"type": "cost", "threshold": 1}, "cost: threshold is not translated"),
        ({"type": "javascript", "value": "true"}, "javascript: it is not translated"),
        ({"type": "not-factuality", "value": "a"}, "not-factuality: it is not translated"),
        ({"type": "is-sql"}, "is-sql: nothing as its value is not translated"),
    ],
    ids=str,
)
def test_a_value_that_our_operator_refuses_is_named(imported, check, reason):
    code, said, _, _ = imported("promptfoo", {"prompts": ["a"], "tests": [{"assert": [check]}]})
    assert code == 2
    assert reason in said[-1] + said[0]


LATENCIES = (
    "- {name: fast, output: a, latency_ms: 5}\n- {name: slow, output: a, latency_ms: 6}\n- {name: untold, output: a}"
)


def test_a_latency_is_that_of_the_result(imported, harness):
    check = [{"type": "latency", "threshold": 5}]
    tests = [{"description": name, "assert": check} for name in ("fast", "slow", "untold")]
    code, _, path, _ = imported("promptfoo", {"prompts": ["a"], "tests": tests})
    assert code == 0
    files = {"a.verdict.yaml": path.read_text("utf-8"), "outputs.yaml": LATENCIES}
    run = harness.run(files, "--verify-adapter", "recorded:outputs.yaml", "--verify-report")
    assert [record["verdict"] for record in run.records] == ["pass", "fail", "fail"]


@pytest.mark.parametrize(
    ("kind", "output", "passes"),
    [
        ("not-contains-all", "a b", False),
        ("not-contains-all", "a", True),
        ("not-contains-any", "a", False),
        ("not-contains-any", "c", True),
        ("not-icontains-any", "A", False),
    ],
)
def test_several_texts_may_be_negated(imported, kind, output, passes):
    _, said, path, _ = imported("promptfoo", {"tests": [{"assert": [{"type": kind, "value": "a, b"}]}]})
    (plan,) = read_suite(path).scenarios
    (scorer,) = plan.scorers
    assert (said, scorer.score(plan.scenario, AgentResult(output), "x", None).verdict == "pass") == ([], passes)


def test_prompt_in_the_file_is_filled_in(imported):
    config = {
        "prompts": ["Say {{a}} and {{ b }}"],
        "tests": [{"vars": {"a": "x", "b": 1.0}, "assert": [{"type": "is-json"}]}],
    }
    _, said, path, _ = imported("promptfoo", config)
    assert (said, scenarios(path)[0]["input"]) == ([], "Say x and 1")


def test_evaluators_of_pydantic_evals(imported):
    dataset = {
        "name": "my: tests",
        "cases": [
            {"name": "a::b", "inputs": {"q": 1}, "expected_output": "A", "evaluators": ["LLMJudge", {"Contains": "x"}]},
            {"name": None, "inputs": "b", "expected_output": None, "metadata": {"k": 1}, "evaluators": []},
            {"inputs": "c", "evaluators": [{"Equals": {"value": 3, "evaluation_name": "three"}}]},
        ],
        "evaluators": ["EqualsExpected", {"MaxDuration": 2.0}],
        "report_evaluators": [],
    }
    code, said, path, _ = imported("pydantic-evals", yaml.safe_dump(dataset, sort_keys=False))
    assert code == 1
    assert sorted({line.partition(": ")[2] for line in said}) == [
        "LLMJudge: it is not translated",
    ]
    first, second, third = scenarios(path)
    assert (first["name"], first["input"]) == ("a: :b", '{"q": 1}')
    assert [scorer["operator"] for scorer in first["scorers"]] == ["exact", "numeric_maximum", "contains_all"]
    limit = {"expected": {"literal": 2000.0}, "observed": "$.latency_ms"}
    assert second["scorers"] == [{"operator": "numeric_maximum", "mapping": limit}]
    assert third["scorers"][1:] == [{"operator": "json_canonical", "mapping": {"expected": {"literal": 3}}}]


def test_an_agenticassure_suite_keeps_the_behaviour_of_its_scorers(imported):
    given = {
        "name": "a",
        "input": "i",
        "expected_output": "X",
        "scorers": ["exact", "regex", "own"],
        "timeout_seconds": 1,
    }
    strict = {"name": "b", "input": "i", "metadata": {"exact_normalize": False}, "scorers": ["exact"]}
    suite = {"name": "s", "config": {"fail_fast": True}}
    _, said, path, _ = imported(
        "agenticassure", {"suite": suite, "scenarios": [given, strict, {"name": "c", "input": ""}]}
    )
    assert len(said) == 4
    assert "regex_pattern" in "".join(said)
    assert "unknown scorer: 'own'" in "".join(said)
    first, second, third = (scenario["scorers"] for scenario in scenarios(path))
    assert first == [{"operator": "normalized_exact", "settings": {"normalize": ["strip", "lowercase"]}}]
    assert (second, third) == (["exact"], ["passfail"])


TEMPLATE = """\
from karenina.schemas.domain import (
    BaseAnswer,
    VerifiedField,
)
from pydantic import Field

class Answer(BaseAnswer):
    \"\"\"Two
lines.\"\"\"
    degrees: int = Field(description="in Celsius")

    def ground_truth(self):
        self.correct = {"degrees": 100}

    def verify(self) -> bool:
        return self.degrees == self.correct["degrees"]
"""


def checkpoint(code, text="Boiling?"):
    return json.dumps(
        {"dataFeedElement": [{"item": {"text": text, "hasPart": {"text": code}, "rating": [1]}}], "rating": [1]}
    )


@pytest.mark.ci
def test_templates_of_karenina_become_a_module_that_is_not_run(imported, pytester, few_plugins):
    code, said, path, _ = imported("karenina", checkpoint(TEMPLATE), "bench.jsonld")
    assert (code, said) == (1, ["1: rating: it is not translated"])
    text = path.read_text("utf-8")
    assert (
        "from pytest_verdict.templates import BaseAnswer; from pytest_verdict.templates import VerifiedField\n" in text
    )
    assert "from karenina" not in text
    pytester.makepyfile(test_bench=text.replace("raise NotImplementedError(question)", "return '{\"degrees\": 100}'"))
    # In a process of its own, because a session here forgets the modules that it imported first.
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


NAMED = """\
from karenina.schemas.domain import BaseAnswer, VerifiedField
from karenina.schemas.primitives import AnyOf, FieldCheck, NumericMinimum, SynonymMap, ExactMatch

class Base(BaseAnswer):
    name: str = VerifiedField("name", ground_truth="CITY", verify_with=ExactMatch(
        normalize=["lowercase", SynonymMap(mapping={"big apple": "new york"})]))

class CLASS(Base):
    size: int = VerifiedField("size", ground_truth=5, verify_with=NumericMinimum())

    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="name")])
"""


@pytest.mark.ci
def test_each_question_gets_the_template_of_its_own_code(imported, pytester, few_plugins):
    codes = {f"Where is {city}?": NAMED.replace("CITY", city).replace("CLASS", name) for city, name in CITIES.items()}
    elements = [{"item": {"text": text, "hasPart": {"text": code}}} for text, code in codes.items()]
    code, said, path, _ = imported("karenina", json.dumps({"dataFeedElement": elements}), "bench.jsonld")
    assert (code, said) == (0, [])
    answer = "import json\n    return json.dumps({'name': question[9:-1], 'size': 1})"
    pytester.makepyfile(test_bench=path.read_text("utf-8").replace("raise NotImplementedError(question)", answer))
    pytester.runpytest_subprocess().assert_outcomes(passed=len(CITIES))


CONDITIONAL = """\
from karenina.schemas.entities import BaseAnswer, NumericMaximum, NumericMinimum, VerifiedField
from karenina.schemas.entities.conditional import ConditionalGroundTruth, GroundTruthCase

class Answer(BaseAnswer):
    score: int = VerifiedField(
        description="A score from 1 to 5",
        ground_truth=ConditionalGroundTruth(
            source="node_results.ask.parsed.behavior",
            cases={"pushback": GroundTruthCase(value=2, verify_with=NumericMaximum())},
            default=GroundTruthCase(value=4, verify_with=NumericMinimum()),
        ),
        verify_with=NumericMinimum(),
    )
"""


@pytest.mark.parametrize(
    ("score", "behavior", "passes"),
    [(2, "pushback", True), (3, "pushback", False), (4, "cave", True), (3, None, False)],
)
def test_conditional_ground_truth_of_karenina_is_the_same_here(imported, score, behavior, passes):
    document = {"dataFeedElement": [{"item": {"text": "q", "hasPart": {"text": CONDITIONAL}}}]}
    code, said, path, _ = imported("karenina", json.dumps(document), "bench.jsonld")
    assert (code, said) == (0, [])
    space = {"__name__": "bench"}
    exec(path.read_text("utf-8"), space)
    context = {"node_results": {"ask": {"parsed": {"behavior": behavior}}}}
    assert AnswerTemplate(space["TEMPLATES"]["q"]).verify({"score": score}, context=context).passed is passes


CITIES = {"paris": "Answer", "rome": "CapitalAnswer", "lima": "Other", "new york": "Other"}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            "from karenina.schemas import BaseAnswer, LLMJudge\nclass A(BaseAnswer): pass",
            "pytest-verdict has no LLMJudge",
        ),
        ("from karenina.schemas import *\nclass A(BaseAnswer): pass", "pytest-verdict has no *"),
        ("import karenina\nclass A(karenina.BaseAnswer): pass", "'import karenina' is not translated"),
        ("import karenina.schemas as k\nclass A(k.BaseAnswer): pass", "is not translated; import the names"),
        ("from karenina import BaseAnswer\nclass A(BaseAnswer): pass\nclass B(BaseAnswer): pass", "needed, got A, B"),
        ("from karenina import BaseAnswer\ndef f(): pass", "extends BaseAnswer is needed, got none"),
        ("from karenina import BaseAnswer\nclass A: pass", "extends BaseAnswer is needed, got none"),
    ],
)
def test_a_template_that_cannot_be_translated_is_left_out(imported, template, words):
    elements = [{"item": {"text": "a", "hasPart": {"text": code}}} for code in (TEMPLATE, template)]
    code, said, path, _ = imported("karenina", json.dumps({"dataFeedElement": elements}), "bench.jsonld")
    assert code == 1
    assert len([line for line in said if words in line]) == 1
    assert path.read_text("utf-8").count("TEMPLATES[") == 2


def test_every_name_that_an_import_replaces_exists():
    for home, names in HOMES.items():
        module = importlib.import_module(f"pytest_verdict.{home}".removesuffix("."))
        assert [name for name in names.split() if not hasattr(module, name)] == []


def test_a_question_cannot_leave_its_text(imported):
    nasty = '"""]\nimport sys; sys.exit()  # \u202e'
    _, _, path, _ = imported("karenina", checkpoint("class Answer: pass", nasty), "x.jsonld")
    compile(path.read_text("utf-8"), "x", "exec")
    assert f"TEMPLATES[{nasty!a}] = Answer" in path.read_text("utf-8")


def test_invalid_code_is_named(imported):
    code, said, path, err = imported("karenina", checkpoint("class ("), "x.jsonld")
    assert (code, path) == (2, None)
    assert any("there is no template in Python" in line for line in said)
    assert "nothing could be translated" in err


def test_nothing_is_imported_or_executed(imported, monkeypatch):
    monkeypatch.setitem(sys.modules, "os.path_of_theirs", None)
    code, said, _, _ = imported(
        "agenticassure", {"scenarios": [{"name": "a", "input": "", "scorers": ["antigravity.fly"]}]}
    )
    assert "antigravity" not in sys.modules
    assert (code, said) == (0, [])


@pytest.mark.parametrize(
    ("tool", "document", "words"),
    [
        ("promptfoo", "tests: file://tests.csv", "it is not as promptfoo has it"),
        ("promptfoo", "a: [", "it is not YAML"),
        ("pydantic-evals", "[]", "it is not as pydantic-evals has it"),
        ("karenina", "{}", "it is not as karenina has it"),
        ("agenticassure", "scenarios: 1", "it is not as agenticassure has it"),
    ],
)
def test_a_file_of_another_form_is_refused(imported, tool, document, words):
    code, _, path, err = imported(tool, document)
    assert (code, path) == (2, None)
    assert words in err


def test_a_file_that_exists_is_not_overwritten(imported, tmp_path):
    (tmp_path / "theirs.verdict.yaml").write_text("mine")
    code, _, _, err = imported("agenticassure", {"scenarios": [{"name": "a", "input": ""}]})
    assert code == 2
    assert "exists already; name another by -o" in err
    assert (tmp_path / "theirs.verdict.yaml").read_text() == "mine"


def test_names_and_texts_are_harmless(imported):
    case = {"name": "a\x1b[31m\n::b", "inputs": "\u202e", "evaluators": [{"Contains": "\x00"}]}
    _, _, path, _ = imported("pydantic-evals", json.dumps({"cases": [case]}))
    text = path.read_text("ascii")
    assert "\x1b" not in text
    (plan,) = read_suite(path).scenarios
    assert plan.scenario.input == "\u202e"


@pytest.mark.parametrize(
    ("dataset", "named"),
    [
        ({"name": 5}, "5"),
        ({"name": "1e5"}, "1e5"),
        ({"name": "a::b"}, "a: :b"),
        ({"name": "\n\x1b[31m"}, "\\n\\x1b[31m"),
        ({"name": True}, "True"),
        ({"name": None}, "theirs"),
        ({}, "theirs"),
    ],
    ids=str,
)
def test_the_name_of_an_imported_suite_is_text(imported, dataset, named):
    case = {"name": 3, "inputs": 7, "expected_output": "3", "evaluators": ["EqualsExpected"]}
    code, _, path, _ = imported("pydantic-evals", json.dumps({**dataset, "cases": [case]}))
    assert code == 0
    suite = read_suite(path)
    assert (suite.head.name, suite.scenarios[0].scenario.name) == (named, "3")


@pytest.mark.parametrize("evaluator", [{}, {"Equals": 1, "Contains": 2}, None, 5, [], "Nobody"], ids=str)
def test_an_evaluator_without_one_name_is_left_out(imported, evaluator):
    case = {"inputs": "a", "expected_output": "b", "evaluators": [evaluator, "EqualsExpected"]}
    code, said, path, _ = imported("pydantic-evals", json.dumps({"cases": [case]}))
    assert (code, len(said)) == (1, 1)
    assert len(read_suite(path).scenarios[0].scorers) == 1


@pytest.mark.parametrize(
    ("evaluator", "flag"),
    [
        ({"Contains": {"value": "a", "case_sensitive": "no"}}, "case_sensitive"),
        ({"Contains": {"value": 5, "as_strings": "no"}}, "as_strings"),
        ({"Contains": {"value": 5, "as_strings": 0}}, "as_strings"),
        ({"MaxToolCalls": {"max_calls": 1, "include_failed": "no"}}, "include_failed"),
    ],
    ids=str,
)
def test_a_flag_that_is_no_truth_value_is_left_out_by_name(imported, evaluator, flag):
    case = {"inputs": "a", "expected_output": "b", "evaluators": [evaluator, "EqualsExpected"]}
    code, said, path, _ = imported("pydantic-evals", json.dumps({"cases": [case]}))
    assert (code, len(said)) == (1, 1)
    assert f"{flag} is true or false, got" in said[0]
    assert len(read_suite(path).scenarios[0].scorers) == 1


@pytest.mark.parametrize(
    "schema", [{"$defs": {"typ": {"type": "object"}}, "$ref": "#/$defs/typ"}, {"properties": {"typ": {}}}]
)
def test_names_inside_of_a_schema_are_no_keywords(imported, schema):
    config = {"tests": [{"assert": [{"type": "is-json", "value": schema}]}]}
    _, said, path, _ = imported("promptfoo", config)
    assert said == []
    assert len(read_suite(path).scenarios) == 1


@pytest.mark.parametrize("key", ["adapter", "config", "scorers"])
def test_a_key_at_the_top_of_another_suite_is_named(imported, key):
    document = {
        "suite": {"name": "s"},
        "scenarios": [{"name": "a", "input": "i", "expected_output": "b"}],
        key: {"x": 1},
    }
    code, said, _, _ = imported("agenticassure", document)
    assert code == 1
    assert f"{key}: it is not translated" in said[0]
