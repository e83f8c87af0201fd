"""Each row of the tables in docs/how-to/coming-from.md, run with the other tool and with this library."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from pytest_verdict import compare

# deepeval sends what it measures when the process ends, unless this stays set until then.
os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "coming-from.md"
SECTION = re.compile(r"^###? (?P<tool>.+)\n(?P<text>(?:(?!^##).*\n)+)", re.MULTILINE)
IMPORTS = re.compile(r"^```text\n((?:from .+\n)+)```", re.MULTILINE)
ROW = re.compile(r"^\| `(?P<there>.+?)`(?P<kind>[^`|]*) \| `(?P<here>.+?)` \| (?P<difference>.*?) ?\|$", re.MULTILINE)

# By tool and row: pairs of expected and observed on which both sides agree, and pairs on which they differ.
NAN = float("nan")
VALUES = {
    "pytest.approx": [
        ([(100, 104), (100, 106), (0, 0), (-100, -104), (1, None)], [(1.0, 1.05), (1.0, "1.0"), (1.0, True)]),
        ([(37.0, 36.8), (37.0, 38.0), (0, -0.25), (1, None)], [(1.0, "1.0"), (1.0, True)]),
        ([(NAN, NAN), (1, NAN), (NAN, 1), (1, 1.0)], [(1, True)]),
        (
            [([1.0], [1.05]), ([1.0], [1.5]), ({"a": 2.0}, {"a": 2.05}), ({"a": 2.0}, {"b": 2.0}), ([1.0], [1.0, 2.0])],
            [([1.0], [1.1]), ([[1.0]], [[1.0]])],
        ),
    ],
    "syrupy": [
        (
            [({"a": [1]}, {"a": [1]}), ({"a": 1}, {"a": "1"}), ([1, 2], [2, 1]), ([None], [None]), ([True], [1])],
            [([1], [1.0])],
        ),
        (
            [
                ({"id": 1, "a": 2}, {"id": 3, "a": 2}),
                ({"id": 1, "a": 2}, {"id": 1, "a": 3}),
                ([{"b": {"id": 1}}], [{"b": {"id": 2}}]),
            ],
            [({"a": 1}, {"a": 1.0})],
        ),
        (
            [
                ({"user": {"id": 1, "n": 1}}, {"user": {"id": 2, "n": 1}}),
                ({"user": {"id": 1, "n": 1}}, {"user": {"id": 1, "n": 2}}),
                ({"id": 1, "user": {"id": 1}}, {"id": 2, "user": {"id": 1}}),
            ],
            [({"a": 1}, {"a": 1.0})],
        ),
    ],
    "deepeval": [
        ([("Paris", "Paris"), ("Paris", " Paris\n"), ("Paris", "paris"), (" a", "a")], [("a", "")]),
        ([(r"\d{4}", "1928"), (r"\d{4}", " 1928 "), (r"\d{4}", "in 1928"), ("a.c", "abc")], [(" a", "a")]),
        (
            [(["a", "b"], ["a"]), (["a"], ["b"]), (["a", "b"], ["b", "c", "a"]), (["a", "a"], ["a"]), ([], ["a"])],
            [(["a", "a", "b"], ["a", "b", "a"])],
        ),
        ([(["a", "b"], ["b", "a"]), (["a", "b", "c"], ["a", "c"]), (["a"], ["b"]), (["a", "b"], ["a", "x", "b"])], []),
        ([(["a", "b"], ["a", "b"]), (["a", "b"], ["b", "a"]), (["a"], ["a", "a"])], []),
    ],
    "Inspect": [
        ([("Paris", "It is PARIS."), ("Paris", "Rome"), ("a b", "a  b")], [("", "anything")]),
        (
            [("42", "It is 42"), ("42", "It is 41"), ("5", "It is 25"), ("1000", "It is 1,000"), ("-3", "x -3")],
            [("123457", "123456")],
        ),
        ([("Paris", "PARIS it is"), ("Paris", "It is Paris"), ("a", "")], [("Paris", "*Paris*")]),
        ([("The Paris", "paris."), ("Paris", "Rome"), ("a cat", "cat"), ("one two", "One, two")], [("1", "1.0")]),
        ([("Paris France", "the Paris"), ("a cat sat", "cat"), ("x", "y"), ("x y", "y x")], [("", "")]),
        (
            [("Paris", "It is PARIS."), ("Paris", "It is Rome"), ("Paris", "Paris")],
            [("Paris", "It is Paris, is not Rome")],
        ),
        ([("B", "ANSWER: B"), ("B", "ANSWER: C"), ("b", "So...\nANSWER: B")], []),
    ],
    "pydantic-evals": [
        (
            [("a", "a"), ("a", "A"), (1, 1.0), ({"a": [1]}, {"a": [1]}), ([1], [2])],
            [(1, True), (None, 1), (None, None)],
        ),
        ([("a", "a"), ("a", "A"), (1, 1.0), (None, None), (None, 1)], [(1, True)]),
        ([("ari", "Paris"), ("ARI", "Paris"), ("Paris", "ari")], [("", "Paris")]),
        ([(1, [1, 2]), (3, [1, 2]), ("a", ["a"]), ("a", ["ab"])], [(1, [True])]),
        ([({"a": 1}, {"a": 1, "b": 2}), ({"a": 1}, {"a": 2}), ({"a": 1}, {})], [({"a": {}}, {"a": {"b": 1}})]),
        ([(None, 1), (None, "1"), (None, None), (None, 1.5), (None, 1.0)], [(None, True)]),
    ],
    "DeepDiff": [
        ([({"a": [1]}, {"a": [1]}), ("a", "b"), (None, None), ([1, 2], [2, 1]), (1, "1")], [(1, 1.0)]),
        ([([1, 2, 2], [2, 1, 2]), ([1, 2], [2, 3]), ([{"a": 1}, 2], [2, {"a": 1}]), ([1], [1, 1])], [([1], [1.0])]),
        ([([1.0], [1.05]), ([1.0], [1.5]), ({"a": 2.0}, {"a": 2.0})], [([1.0], [1.1])]),
        ([({"id": 1, "a": 2}, {"id": 3, "a": 2}), ({"id": 1, "a": 2}, {"id": 1, "a": 3})], [({"a": 1}, {"a": 1.0})]),
    ],
    "openevals": [
        ([("a", "a"), ("a", "A"), ({"a": 1}, {"a": 1}), ([1, 2], [2, 1])], [(1, 1.0)]),
        ([("kitten", "sitting"), ("a", "a"), ("abc", "xyz")], [(12, 13)]),
        (
            [({"a": 1}, {"a": 1}), ({"a": 1}, {"a": 2}), ({"a": 1}, {}), ({"a": {"b": 1}}, {"a": {"b": 1}})],
            [({"a": 1}, {"a": True})],
        ),
    ],
    "Braintrust (autoevals)": [
        ([("a", "a"), ("a", "b"), (1, 1), (1, 2)], [("None", None), ("1", 1)]),
        ([("kitten", "sitting"), ("", ""), ("", "a"), ("abc", "axc")], [(12, 13)]),
        ([(100, 95), (0, 0), (0, 1), (-1, 2), (1.0, 2.0)], [(1, True)]),
        ([(["a"], ["a", "b"]), ([], []), (["ab", "c"], ["c", "ax"]), ([], ["a"])], []),
        ([({"a": 1}, {"a": 2}), ([], {}), ({"a": "ab"}, {"a": "ac"}), ([1, 2], [2, 1])], [({"a": 1}, {"a": True})]),
        ([(None, "[1]"), (None, "1"), (None, "{"), (None, {"a": 1}), (None, 100)], [(None, '{"a": 1, "a": 2}')]),
    ],
    "LangChain": [
        ([("a", "a"), ("a", "A"), ("", "")], []),
        ([("a.", "abc"), ("b", "abc"), ("^a$", "a")], [("", "a")]),
        (
            [("[1, 2]", "[2, 1]"), ('{"a": 1}', '{"a": 1.0}'), ("[1]", "[1, 1]"), ("[]", "{}")],
            [('{"a": [1, 2]}', '{"a": [2, 1]}')],
        ),
        ([("kitten", "sitting"), ("a", "a"), ("abc", "xyz")], []),
    ],
    "dirty-equals": [
        (
            [({1: 2}, {1: 2, 3: 4}), ({"a": 1}, {"a": 2}), ({"a": 1}, {})],
            [({"a": 1}, {"a": True}), ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}})],
        ),
        ([({"a": 1}, {"a": 1, "b": None}), ({"a": 1}, {"a": 1, "b": 2}), ({}, {})], [({"a": 1}, {"a": True})]),
        ([([1, 2, 2], [2, 1, 2]), ([1, 2], [1, 1]), ([{1: 2}], [{1: 2}])], [([1], [True])]),
        ([([1], [1, 2]), ([3], [1, 2]), (["a"], ("a",))], [([1], [True])]),
        ([([1, 2], 2), ([1, 2], 3), (["a"], "a"), ([[]], [])], [([1], True)]),
        ([(1, 1.5), (1, 1.6), (-1, -1.25)], [(1, "1")]),
        ([("fo+", "foo"), ("fo", "foo"), ("a", 1)], []),
        ([(None, 1), (None, 1.0), (None, True), (None, "1")], []),
        ([([1, 2], "[1, 2]"), ({"a": 1}, '{"a": 2}'), ([1], "[1")], [([1], "[true]")]),
    ],
}


def sections():
    text = PAGE.read_text(encoding="utf-8")
    return {match["tool"]: match["text"] for match in SECTION.finditer(text) if IMPORTS.search(match["text"])}


def rows(tool):
    return [*ROW.finditer(sections()[tool])]


def namespace(tool):
    names = {"compare": compare}
    for line in IMPORTS.search(sections()[tool])[1].splitlines():
        try:
            exec(line, names)
        except ImportError as error:
            pytest.skip(f"{tool} is not installed ({error}); CI has the tools of the dependency group oracles")
    return names


def test_each_table_of_the_page_has_values_for_each_of_its_rows():
    assert {tool: len(rows(tool)) for tool in sections()} == {tool: len(values) for tool, values in VALUES.items()}


CASES = [(tool, index) for tool, values in VALUES.items() for index in range(len(values))]


def measure(metric, expected, observed):
    from deepeval.test_case import LLMTestCase, ToolCall

    if isinstance(expected, str):
        return metric.measure(
            LLMTestCase(input="", expected_output=expected, actual_output=observed), _show_indicator=False
        )
    expected, observed = ([ToolCall(name=name) for name in side] for side in (expected, observed))
    case = LLMTestCase(input="", actual_output="", expected_tools=expected, tools_called=observed)
    metric.measure(case, _show_indicator=False)
    return metric.score


def score(scorer, expected, observed):
    from inspect_ai.model import ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    output = ModelOutput.from_content("none", observed)
    state = TaskState(ModelName("none/none"), sample_id=1, epoch=1, input="", messages=[], output=output)
    value = asyncio.run(scorer(state, Target(expected))).value
    return {"C": 1.0, "I": 0.0}.get(value, value)


def evaluate(evaluator, expected, observed):
    from pydantic_evals import Case, Dataset

    dataset = Dataset(name="one", cases=[Case(inputs=None, expected_output=expected)], evaluators=[evaluator])
    [case] = dataset.evaluate_sync(lambda _: observed, progress=False).cases
    [result] = case.assertions.values()
    return result.value


RUNNERS = {"deepeval": ("measure", measure), "Inspect": ("score", score), "pydantic-evals": ("evaluate", evaluate)}


class Snapshot:
    """A snapshot of a value, compared as syrupy does when its file has this value."""

    def __init__(self, value, **settings):
        self.value = value
        self.settings = settings

    def __call__(self, **settings):
        return Snapshot(self.value, **settings)

    def __eq__(self, other):
        from syrupy.extensions.amber import AmberSnapshotExtension

        extension = AmberSnapshotExtension()
        snapshot, serialized = (extension.serialize(value, **self.settings) for value in (self.value, other))
        return extension.matches(serialized_data=serialized, snapshot_data=snapshot)

    __hash__ = None


def helpers(tool, expected, observed):
    if tool == "syrupy":
        return {"snapshot": Snapshot(expected)}
    if tool in RUNNERS:
        name, run = RUNNERS[tool]
        return {name: lambda scorer: run(scorer, expected, observed)}
    return {}


def outcome(source, names, expected, observed):
    try:
        value = eval(source, {**names, "expected": expected, "observed": observed})
    except Exception:
        return "refused"
    if isinstance(value, bool | int | float):
        return round(float(value), 6)
    return value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("tool", "index"), CASES)
def test_a_row_agrees_and_differs_as_it_says(tool, index, monkeypatch):
    # deepeval wants a key before it computes anything; no row asks a model.
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    row = rows(tool)[index]
    agree, differ = VALUES[tool][index]
    names = namespace(tool)

    for expected, observed in agree:
        there = outcome(row["there"], names | helpers(tool, expected, observed), expected, observed)
        assert there == outcome(row["here"], names, expected, observed), (expected, observed)
    for expected, observed in differ:
        there = outcome(row["there"], names | helpers(tool, expected, observed), expected, observed)
        assert there != outcome(row["here"], names, expected, observed), (expected, observed)
    assert bool(row["difference"]) == bool(differ)
