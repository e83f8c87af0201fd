"""Mappings: from a document to the inputs of an operator."""

import json
import pickle
import re

import pytest
from hypothesis import given, strategies as st
from jsonpath_ng.ext import parse

from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import MappingError, SettingsError, UndecidedError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.extraction.paths import finder
from pytest_verdict.suites import check_dataset

DOCUMENT = {
    "input": "What is 1 + 1?",
    "output": {"label": "two", "score": 2, "none": None, "a.b": "dotted", "list": [1, 2, 3]},
    "reference": {"label": "two"},
    "metadata": {"items": [{"n": 1, "id": "x"}, {"n": 2, "id": "y"}, {"n": 3, "id": "z"}]},
}


def observed(source, document=DOCUMENT):
    return InputMapping(observed=source).resolve(document)["observed"]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$.output.label", "two"),
        ("output.label", "two"),
        ("$.output.none", None),
        ("$.output.score", 2),
        ("$['output']['a.b']", "dotted"),
        ("$.output.list[-1]", 3),
        ("$.output.list", [1, 2, 3]),
        ("$", DOCUMENT),
        ("$.metadata.items[?(@.n > 2)].id", "z"),
        ({"path": "$.metadata.items[*].id", "many": "first"}, "x"),
        ({"path": "$.metadata.items[*].id", "many": "last"}, "z"),
        ({"path": "$.metadata.items[*].id", "many": "list"}, ["x", "y", "z"]),
        ({"path": "$.output.label", "many": "list"}, ["two"]),
        ({"literal": "$.output.label"}, "$.output.label"),
        ({"literal": None}, None),
        ({"literal": {"path": "x"}}, {"path": "x"}),
    ],
    ids=str,
)
def test_input_resolves_to_value(source, value):
    found = observed(source)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "$.output.lable",
            ["observed", "$.output.lable", "$.output has the keys 'label', 'score', 'none', 'a.b', 'list'"],
        ),
        ("$.nope.x", ["$ has the keys 'input', 'output', 'reference', 'metadata'"]),
        ("$.output.list[7]", ["$.output.list is a list of 3"]),
        ("$.input.x", ["$.input is 'What is 1 + 1?'"]),
        ("$.metadata.items[*].id", ["matches 3 values", "many"]),
        ({"path": "$.output.score", "extract": {"regex": "1"}}, ["needs text, got 2"]),
        ({"path": "$.input", "extract": {"regex": "3"}}, ["matches nothing in 'What is 1 + 1?'"]),
        ({"path": "$.input", "extract": {"json": "$.a"}}, ["is not JSON"]),
    ],
    ids=str,
)
def test_path_without_match_shows_document(source, words):
    with pytest.raises(MappingError) as error:
        observed(source)
    assert [word for word in words if word not in str(error.value)] == []


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"observed": {"path": ["$.a"]}}, "observed: a path is a JSONPath .* got \\['"),
        ({"observed": {"path": "$", "extract": {"json": ["$.a"]}}}, "a path is a JSONPath"),
        ({"observed": {"path": "$", "extract": {"regex": "(a)", "group": [1]}}}, r"no group \[1\]; .* groups 0, 1"),
        ({"observed": {"path": "$", "extract": {"regex": "(?P<n>a)", "group": 1.0}}}, r"no group 1\.0; .* 0, 1, n"),
        ({"observed": {"path": "$", "extract": {"regex": "a", "flags": 2}}}, "flags is a list of names .* got 2"),
        ({"observed": {"path": "$", "extract": {"regex": "a", "flags": "DOTALL"}}}, "flags is a list of names"),
        ({"observed": {"path": "$", "extract": {}}}, "a step of extract is"),
        ({"observed": "$", 1: "$.a"}, "the name of an input is text, got 1"),
    ],
)
def test_a_mapping_with_wrong_types_is_refused(mapping, words):
    with pytest.raises(SettingsError, match=words):
        InputMapping.read(mapping)


def test_an_input_may_have_any_name():
    assert InputMapping.read({"observed": "$.a", "self": "$.b"}).resolve({"a": 1, "b": 2})["self"] == 2


def test_the_error_for_a_dotted_key_shows_how_to_write_it():
    with pytest.raises(MappingError, match=r"write \$\['a\.b'\]"):
        observed("$.a.b", {"a.b": 1})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"path": "$.a", "literal": 1}, "a path or a literal, not both"),
        ({"literal": 1, "many": "first"}, "not both"),
        ({"pth": "$.a"}, "Did you mean 'path'"),
        ({"path": "$.a", "many": "frist"}, "Did you mean 'first'"),
        ({}, "needs a path or a literal"),
        (3, "an input is a path"),
        ("", "a path is a JSONPath"),
        ("$.a b", "is not a JSONPath"),
        ({"path": "$.a", "extract": {"regex": "("}}, "is not a regular expression"),
        ({"path": "$.a", "extract": {"regex": "a", "group": 1}}, "has no group 1"),
        ({"path": "$.a", "extract": {"regex": "a", "json": "$"}}, "a step of extract is"),
        ({"path": "$.a", "extract": [{"regexp": "a"}]}, "a step of extract is"),
    ],
    ids=str,
)
def test_a_wrong_mapping_is_refused_when_it_is_made(source, words):
    with pytest.raises(SettingsError, match="observed") as error:
        InputMapping(observed=source)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("step", "text", "value"),
    [
        ({"regex": "A: ([0-9]+)"}, "A: 3", "3"),
        ({"regex": "A: [0-9]+"}, "so A: 3", "A: 3"),
        ({"regex": "(?P<n>[0-9]+) (?P<unit>[a-z]+)", "group": "unit"}, "3 kg", "kg"),
        ({"regex": "[0-9]+", "many": "list"}, "1, 2", ["1", "2"]),
        ({"regex": "ANSWER: (.*)", "flags": ["I"], "many": "last"}, "answer: 1\nAnswer: 2", "2"),
        ({"json": "$.answer"}, '{"answer": 1}', 1),
        ([{"regex": "```json\n(.*)\n```", "flags": ["S"]}, {"json": "$.a[0]"}], 'x\n```json\n{"a": ["b"]}\n```', "b"),
    ],
    ids=str,
)
def test_steps_of_extraction(step, text, value):
    assert observed({"path": "$.text", "extract": step}, {"text": text}) == value


KEYS = st.sampled_from(["a", "b", "c", "a.b", "*"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3) | st.tuples(inner),
    max_leaves=8,
)
PATHS = ["$.a", "a.b", "$['a.b']", "$.a[0]", "$[0].a", "$.a[-1].b", "$.a.b[1].c", "$['*']", "$", "$.a[*]", "$..b"]


@given(document=VALUES, path=st.sampled_from(PATHS))
def test_the_fast_way_finds_what_the_library_finds(document, path):
    assert list(finder(path)(document)) == [match.value for match in parse(path).find(document)]


def test_a_path_is_compiled_once():
    assert finder("$.output.label") is finder("$.output.label")


@pytest.mark.parametrize(
    ("expected", "settings", "label"),
    [("Positive", {}, "false"), ("positive", {}, "true"), ("Positive", {"case_sensitive": False}, "true")],
)
def test_the_evaluator_labels_as_its_specification_says(expected, settings, label):
    evaluator = Evaluator("exact", {"expected": "$.reference.label", "observed": "$.output"}, **settings)
    evaluation = evaluator.evaluate({"reference": {"label": expected}, "output": "positive"})
    assert (evaluation.label, evaluation.score) == (label, 1.0 if label == "true" else 0.0)
    assert evaluation.direction == "maximize"
    assert evaluation.explanation.startswith(("exact:", "normalized_exact:"))
    assert evaluation.result.expected == expected


def test_a_literal_expectation_applies_to_every_example():
    evaluator = Evaluator("exact", InputMapping(expected={"literal": "Sorry."}, observed="$.output"))
    assert [evaluator.evaluate({"output": text}).label for text in ("Sorry.", "Sorry")] == ["true", "false"]


def test_values_keep_their_type():
    evaluator = Evaluator("exact", {"expected": {"literal": "None"}, "observed": "$.output"})
    assert evaluator.evaluate({"output": None}).label == "false"
    assert (
        Evaluator("exact", {"expected": {"literal": "42"}, "observed": "$.output"}).evaluate({"output": 42}).score
        == 0.0
    )


def test_an_evaluation_that_cannot_be_made_is_an_error_with_a_record():
    evaluation = Evaluator("exact", {"expected": "$.reference", "observed": "$.output"}).evaluate({"reference": "a"})
    assert (evaluation.label, evaluation.score, evaluation.result.verdict) == (None, None, "error")
    assert "the path $.output matches nothing" in evaluation.error
    assert evaluation.result.expected == "a"


def test_settings_come_from_literals_and_from_the_document():
    mapping = {"expected": "$.want", "observed": "$.got", "tolerance": "$.within", "mode": {"literal": "absolute"}}
    evaluator = Evaluator("numeric_tolerance", mapping)
    assert evaluator.evaluate({"want": 1, "got": 2, "within": 1}).label == "true"
    assert evaluator.evaluate({"want": 1, "got": 2, "within": 0.5}).label == "false"
    assert evaluator.evaluate({"want": 1, "got": 2, "within": "far"}).label is None


@pytest.mark.parametrize(
    ("mapping", "settings", "words"),
    [
        ({"observed": "$.a", "tolerence": "$.b"}, {}, "Did you mean 'tolerance'"),
        ({"observed": "$.a", "mode": {"literal": "near"}, "tolerance": {"literal": 1}}, {}, "mode"),
        ({"observed": "$.a", "tolerance": "$.b"}, {"tolerance": 1}, "take one away"),
        ({"expected": "$.a"}, {}, "a mapping names the inputs"),
    ],
)
def test_a_wrong_evaluator_is_refused(mapping, settings, words):
    with pytest.raises(ValueError, match=words):
        Evaluator("numeric_tolerance", mapping, **settings)


CONDITIONS = [{"operator": "contains_any", "settings": {"substrings": ["a"]}}, "exact"]


@pytest.mark.parametrize(
    ("operator", "settings"),
    [
        ("exact", {}),
        ("json_canonical", {}),
        ("contains_all", {"case_sensitive": False}),
        ("numeric_range", {}),
        ("trace_contains", {}),
        ("all_of", {"conditions": CONDITIONS}),
        ("all_of", {"conditions": {"a": "exact"}}),
        ("derived", {"inner": "exact", "source": "spec"}),
        (
            "criteria",
            {
                "id": "a",
                "revision": 1,
                "criteria": [{"id": "b", "version": 1, "severity": "minor", "operator": "exact"}],
            },
        ),
    ],
    ids=str,
)
def test_a_mapping_without_expected_is_refused(operator, settings):
    for mapping in ({"observed": "$.output"}, {"observed": "$.output", "expected": None}):
        with pytest.raises(SettingsError, match=r"expected: the mapping does not say where .* needs it"):
            Evaluator(operator, mapping, **settings)
        with pytest.raises(SettingsError, match="expected: the mapping does not say"):
            check_dataset([{"output": None}], REGISTRY.build(operator, settings), mapping)


@pytest.mark.parametrize(
    ("operator", "settings", "output"),
    [
        ("regex", {"pattern": "a+"}, "aa"),
        ("numeric_range", {"min": 1}, 2),
        ("one_of", {"values": ["a"]}, "a"),
        ("contains_any", {"substrings": ["a"]}, "a"),
        ("json_schema", {"schema_document": {"type": "null"}}, None),
        ("trace_length", {"max": 5}, "a"),
        ("trace_regex", {"pattern": "a"}, "a"),
        ("trajectory_forbidden", {"forbidden": ["pay"]}, ["search"]),
        ("all_of", {"conditions": CONDITIONS[:1]}, "a"),
        ("any_of", {"conditions": {"k": CONDITIONS[0]}}, {"k": "a"}),
        ("derived", {"inner": CONDITIONS[0], "source": "spec"}, "a"),
    ],
    ids=str,
)
def test_settings_may_say_what_is_expected(operator, settings, output):
    assert Evaluator(operator, {"observed": "$.output"}, **settings).evaluate({"output": output}).label == "true"


def test_a_missing_setting_in_the_document_is_an_error():
    evaluator = Evaluator("regex", {"observed": "$.output", "pattern": "$.pattern"})
    assert evaluator.evaluate({"output": "aa", "pattern": "a+"}).label == "true"
    evaluation = evaluator.evaluate({"output": "aa", "pattern": None})
    assert (evaluation.label, evaluation.result.verdict) == (None, "error")
    assert "the mapping does not say where it comes from" in evaluation.error


def test_a_null_that_is_expected_is_written():
    evaluator = Evaluator("exact", {"expected": {"literal": None}, "observed": "$.output"})
    assert [evaluator.evaluate({"output": value}).label for value in (None, 0)] == ["true", "false"]


def evaluated(output):
    document = {"want": "a"} if output is None else {"want": "a", "got": output}
    return Evaluator("exact", {"expected": "$.want", "observed": "$.got"}).evaluate(document)


def test_an_evaluation_is_a_truth_value_as_its_comparison_is():
    assert evaluated("a")
    assert not evaluated("b")
    for look in (bool, lambda evaluation: not evaluation):
        with pytest.raises(UndecidedError, match=r"the path \$\.got matches nothing"):
            look(evaluated(None))


@pytest.mark.parametrize(("output", "label"), [("a", "true"), ("b", "false")])
def test_a_label_is_a_text_and_no_truth_value(output, label):
    found = evaluated(output).label
    assert found == label
    assert {label: 1}[found] == 1
    assert (json.dumps(found), f"{found}", pickle.loads(pickle.dumps(found))) == (f'"{label}"', label, label)
    for look in (bool, lambda label: not label, lambda label: label and 1):
        with pytest.raises(TypeError, match=r"is a text: write \.label == 'true'"):
            look(found)


def test_evaluations_are_equal_by_value_and_cannot_be_changed():
    assert evaluated("b") == pickle.loads(pickle.dumps(evaluated("b"))) != evaluated("a")
    with pytest.raises(AttributeError):
        evaluated("b").result = None


STEPS_WITH_NULL = [
    {"regex": "a(b)", "flags": None},
    {"regex": "a(b)", "group": None},
    {"regex": "a(b)", "flags": None, "group": None, "many": None},
    {"after": "a", "flags": None, "many": None},
    {"choice": ["b", "ab"], "flags": None, "many": None},
    {"json": "$.x", "many": None, "dialect": None},
    [{"regex": "(.*)", "flags": None}, {"choice": ["ab"], "flags": None}],
    {"first_of": [{"regex": "z", "flags": None}, {"regex": "ab", "group": None}]},
]


def without_null(steps):
    if isinstance(steps, list):
        return [without_null(step) for step in steps]
    if isinstance(steps, dict):
        return {key: without_null(value) for key, value in steps.items() if value is not None}
    return steps


@pytest.mark.parametrize("steps", STEPS_WITH_NULL)
@pytest.mark.parametrize("text", ["ab", '{"x": "ab"}', "AB"])
def test_a_key_of_a_step_that_is_null_has_its_default(steps, text):
    explicit, absent = (
        InputMapping(observed={"path": "$", "extract": extract}) for extract in (steps, without_null(steps))
    )
    try:
        value = absent.resolve(text)
    except MappingError as error:
        with pytest.raises(MappingError, match=re.escape(str(error))):
            explicit.resolve(text)
    else:
        assert explicit.resolve(text) == value


@pytest.mark.parametrize(
    "step", [{"regex": None}, {"after": None}, {"choice": None}, {"json": None}, {"first_of": None}]
)
def test_a_step_without_its_value_is_refused(step):
    with pytest.raises(SettingsError):
        InputMapping(observed={"path": "$", "extract": step})


@pytest.mark.parametrize("mapping", [[], "", (), 0, False, "$.output", ["$.a", "$.b"], {"observed"}, b""])
@pytest.mark.parametrize("columns", [{}, {"expected": "a"}, {"observed": "b"}, {"expected": "a", "observed": "b"}])
@pytest.mark.parametrize("operator", ["exact", "$.op"])
def test_a_mapping_that_is_none_is_refused(operator, mapping, columns):
    with pytest.raises(SettingsError, match="a mapping names the inputs"):
        Evaluator(operator, mapping, **columns)


@pytest.mark.parametrize("mapping", [None, {}, {"group": "$.g"}])
def test_columns_need_no_mapping(mapping):
    assert Evaluator("exact", mapping, expected="a", observed="b").judge({"a": 1, "b": 1, "g": "x"}).passed
    with pytest.raises(SettingsError, match="a mapping names the inputs"):
        Evaluator("exact", mapping)
