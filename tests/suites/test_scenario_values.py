"""Inputs of any form, context, tags, and scenarios that are the rows of a file."""

import gzip
import json

import pytest
from scenarios import REPORT, jsonl, suite

AGENTS = """
import json

calls = []

class Echo:
    def run(self, given, context):
        calls.append(given)
        if isinstance(given, list):
            given.append({"role": "assistant"})
            return f"{len(given)} {given[0]['role']} {context['context']['docs'][0]}"
        return json.dumps(given) if isinstance(given, dict) else given
"""
CHAT = [{"role": "user", "content": "What is the capital of France?"}]


def run(harness, *scenarios, options=(REPORT,), more=(), **head):
    files = {"conftest.py": "", "my_agent.py": AGENTS, **dict(more)}
    files["a.verdict.yaml"] = suite(*scenarios, **{"adapter": "my_agent.Echo", "scorer": "exact", **head})
    return harness.run(files, *options)


def test_a_chat_history_with_context_is_the_same_in_each_repeat(harness):
    given = {
        "name": "x",
        "input": CHAT,
        "context": {"docs": ["Paris"]},
        "expected_output": "2 user Paris",
        "repeats": 3,
    }
    assert run(harness, given).outcomes == {"passed": 1}


def test_an_output_that_has_a_form_is_compared_as_such(harness):
    given = {"name": "x", "input": {"a": [1, 2], "b": None}, "expected_output": {"b": None, "a": [1, 2]}}
    assert run(harness, given, scorer="json_canonical").outcomes == {"passed": 1}
    assert run(harness, {**given, "expected_output": {"a": [2, 1]}}, scorer="json_canonical").outcomes == {"failed": 1}


def test_a_mapping_sees_input_and_context(harness):
    paths = ("$.context.docs[0]", "$.input.text")
    scorers = [{"operator": "contains_any", "mapping": {"expected": path}} for path in paths]
    given = {"name": "x", "input": {"text": "in Paris"}, "context": {"docs": ["Paris"]}, "scorers": scorers}
    assert run(harness, given).outcomes == {"passed": 1}


def test_a_program_and_a_recording_read_structured_inputs(harness):
    given = {"name": "x", "input": {"b": 1, "a": ["é"]}, "expected_output": '{"a": ["é"], "b": 1}'}
    assert run(harness, given, adapter="command: cat").outcomes == {"passed": 1}
    row = jsonl({"input": {"a": ["é"], "b": 1}, "output": '{"a": ["é"], "b": 1}'})
    assert run(harness, given, adapter="recorded: o.jsonl", more={"o.jsonl": row}).outcomes == {"passed": 1}


def test_tags_select_and_are_traits(harness):
    given = [
        {"name": f"s{n}", "input": "i", "expected_output": "i", "tags": ["all", tag]} for n, tag in enumerate("ab")
    ]
    assert run(harness, *given, options=["-m", "all and not a"]).outcomes == {"passed": 1, "deselected": 1}
    assert run(harness, *given, options=["-k", "all and not b"]).outcomes == {"passed": 1, "deselected": 1}
    traits = [test["markers"] for test in run(harness, *given).report["tests"]]
    assert traits == [["a", "all"], ["all", "b"]]


ROWS = [
    {"name": f"r{n}", "input": f"i{n}", "expected_output": f"i{n}", "tags": ["even"] if n % 2 == 0 else []}
    for n in range(6)
]


def rows(harness, content, *options, name="rows.jsonl", **dataset):
    harness.write({"conftest.py": "", "my_agent.py": AGENTS})
    (harness.path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    head = {"name": "s", "adapter": "my_agent.Echo", "scorer": "exact", "dataset": {"file": name, **dataset}}
    return harness.run({"a.verdict.yaml": json.dumps({"suite": head})}, REPORT, *options)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl", jsonl(*ROWS)),
        ("rows.jsonl.gz", gzip.compress(jsonl(*ROWS).encode(), mtime=0)),
        ("rows.json", json.dumps(ROWS)),
        ("rows.csv", "name,input,expected_output\n" + "".join(f"r{n},i{n},i{n}\n" for n in range(6))),
    ],
)
def test_the_rows_of_a_file_are_scenarios(harness, name, content):
    session = rows(harness, content, name=name, expect_rows=6)
    assert session.outcomes == {"passed": 6}
    assert list(session.tests()) == [f"r{n}" for n in range(6)]
    assert {record["path"] for record in session.records} == {name}
    first = 2 if name.endswith("csv") else 1
    assert [record["line"] for record in session.records] == list(range(first, first + 6))


def test_a_row_has_its_keys_elsewhere(harness):
    content = jsonl({"q": {"text": "a"}, "answers": ["x", "a"]}, {"q": {"text": "b"}, "answers": ["b"]})
    mapping = {"input": "$.q.text", "expected_output": "$.answers"}
    session = rows(harness, content, mapping=mapping)
    assert session.outcomes == {"failed": 2}
    assert list(session.tests()) == ["rows.jsonl:1", "rows.jsonl:2"]


@pytest.mark.ci
def test_limit_and_sample(harness):
    content = jsonl(*ROWS)
    assert list(rows(harness, content, limit=2).tests()) == ["r0", "r1"]
    first = list(rows(harness, content, sample=3, seed=7).tests())
    assert len(first) == 3
    assert first == sorted(first) == list(rows(harness, content, sample=3, seed=7).tests())
    assert len({tuple(rows(harness, content, sample=3, seed=seed).tests()) for seed in range(6)}) > 1
    assert rows(harness, content, "-m", "even", limit=3).outcomes == {"passed": 2, "deselected": 1}


def test_a_sample_keeps_what_it_has_when_rows_are_added(harness):
    few = set(rows(harness, jsonl(*ROWS[:5]), sample=3).tests())
    more = set(rows(harness, jsonl(*ROWS), sample=3).tests())
    assert len(few & more) >= 2


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("content", "dataset", "words"),
    [
        (jsonl(*ROWS), {"expect_rows": 7}, "1: the dataset has 6 rows, and 7 are expected"),
        ("", {}, "the dataset has 0 rows, and at least 1 are expected"),
        ("half\n", {}, "rows.jsonl:1: it is not JSON"),
        ("[1]\n", {}, "rows.jsonl:1: a row is an object with the keys of a scenario"),
        (jsonl({"name": "a"}), {}, "rows.jsonl:1: the key 'input' is required"),
        (
            jsonl({"name": "a", "input": "b", "expected": "c"}),
            {},
            "rows.jsonl:1: there is no key 'expected'. Write expected_output",
        ),
        (jsonl({"name": "a", "input": "b"}), {"mapping": {"input": "$.no"}}, "rows.jsonl:1: "),
        (jsonl({"name": "a", "input": "b"}), {"mapping": {"input": "$["}}, "input: "),
        (
            jsonl({"name": "a", "input": "b"}, {"name": "a", "input": "c"}),
            {},
            "rows.jsonl:2: the name 'a' is also that of line 1",
        ),
        (jsonl({"name": "a", "input": "b", "scorer": "exct"}), {}, "rows.jsonl:1: unknown scorer: 'exct'"),
        (jsonl({"name": "a", "input": "b"}), {"limit": 0}, "limit: "),
        (jsonl({"name": "a", "input": "b"}), {"limits": 1}, "there is no key 'limits'. Did you mean 'limit'?"),
    ],
)
def test_a_file_of_scenarios_that_is_wrong_is_refused(harness, content, dataset, words):
    session = rows(harness, content, **dataset)
    assert session.outcomes == {"errors": 1}
    assert words in session.stdout


def test_a_file_that_is_not_there(harness):
    head = {"suite": {"name": "s", "dataset": {"file": "absent.jsonl"}}}
    assert "there is no such dataset" in harness.run({"a.verdict.yaml": json.dumps(head)}).stdout


@pytest.mark.parametrize(
    ("arguments", "count"), [("limit=2", 2), ("sample=3, seed=5", 3), ("sample=2, expect_rows=4", 2)]
)
def test_cases_are_limited_and_sampled(harness, arguments, count):
    code = f"import pytest\n\n@pytest.mark.verdict_cases([1, 2, 3, 4], {arguments})\ndef test_it(case):\n    pass\n"
    assert harness.run(code).outcomes == {"passed": count}


@pytest.mark.parametrize(("arguments", "words"), [("limit=0", "limit is a whole number from 1"), ("seed='a'", "seed")])
def test_a_wrong_selection_of_cases_is_refused(harness, arguments, words):
    session = harness.run(
        f"import pytest\n\n@pytest.mark.verdict_cases([1], {arguments})\ndef test_it(case):\n    pass\n"
    )
    assert session.outcomes == {"errors": 1}
    assert words in session.stdout
