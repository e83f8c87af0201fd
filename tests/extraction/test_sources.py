"""The sources of a mapped input: the record has document, mapping and steps, and replay derives the input again."""

import json
import re

import pytest
from noisy_replies import HELD_OUT, TUNING, replies

from pytest_verdict import ComparisonResult, compare, explain
from pytest_verdict.core.replay import replay_line
from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import mapping_of
from pytest_verdict.extraction.steps import PRESETS, find_parts
from pytest_verdict.report.json_report import record_schema
from pytest_verdict.suites import check_dataset
from written_records import line_of

# What each preset finds in noisy replies, by its version.
FOUND = {
    "after_thinking": (1, "e4a65131"),
    "answer_tag": (1, "d68f6e64"),
    "date": (3, "62eb8262"),
    "fenced_block": (1, "d7fc0db5"),
    "final_answer": (2, "e6fd5fae"),
    "first_json": (1, "8b991548"),
    "first_number": (2, "da2a54f6"),
    "last_json": (3, "64dd068e"),
    "last_line": (2, "61257683"),
    "last_number": (2, "0a3b9d47"),
    "list": (3, "3d54cba0"),
    "one_number": (3, "ab5e156d"),
}
SENTENCE = "The temperature is -50 degrees."
NUMBER = {"expected": "$.truth", "observed": {"path": "$.out", "extract": {"regex": "[0-9]+"}}}
ROW = {"truth": "50", "out": SENTENCE, "unused": "not copied"}


def altered(line, change):
    record = json.loads(line)
    change(record)
    return (json.dumps(record, separators=(",", ":")) + "\n").encode()


def map_file(mapping=NUMBER, row=ROW, operator="exact"):
    return Evaluator(operator, mapping).compare(row)


def test_a_record_has_the_source_the_mapping_and_every_step():
    record = map_file().to_record()
    assert record["observed"] == "50"
    assert record["sources"] == {
        "kind": "input_mapping",
        "mapping": NUMBER,
        "document": {"truth": "50", "out": SENTENCE},
        "steps": {"observed": [{"value": SENTENCE, "spans": [[20, 22]]}]},
    }


def test_every_step_is_there():
    mapping = {"observed": {"path": "$.out", "extract": [{"regex": "A: (.*)"}, {"json": "$.a"}]}, "expected": "$.t"}
    document = {"t": 1, "out": 'Well. A: {"a": 1}'}
    steps = map_file(mapping, document).to_record()["sources"]["steps"]["observed"]
    assert steps == [{"value": 'Well. A: {"a": 1}', "spans": [[9, 17]]}, {"value": '{"a": 1}'}]


def test_a_side_that_was_not_mapped_has_no_source():
    assert "sources" not in compare("exact", "a", "a").to_record()


def test_replay_of_an_untouched_record_is_identical():
    assert replay_line(line_of(map_file())).status == "identical"


@pytest.mark.parametrize(
    "mapping",
    [
        {"expected": {"literal": "x"}, "observed": "$.a[*].b"},
        {"expected": "$.a[0].b", "observed": {"path": "$.a[*].b", "many": "list"}},
        {"expected": {"literal": None}, "observed": {"path": "$.text", "extract": {"regex": "(q)|z", "many": "list"}}},
        {"expected": "$.text", "observed": {"path": "$.text", "extract": {"regex": "nothing like it"}, "same": True}},
        {"expected": "$.text", "observed": "$.absent"},
        {"expected": "$.absent", "observed": "$.text"},
    ],
    ids=str,
)
def test_replay_of_mappings_of_every_kind(mapping):
    result = map_file(mapping, {"a": [{"b": "x"}, {"b": (1, 2)}], "text": "zqz", "more": 1})
    assert replay_line(line_of(result)).status == "identical"
    record = result.to_record()
    assert ComparisonResult.from_record(record).to_record() == record


@pytest.mark.parametrize(
    ("change", "differing"),
    [
        (lambda record: record["sources"]["document"].update(out="It is 20 degrees."), ("observed",)),
        (lambda record: record["sources"]["document"].update(more=1), ("sources",)),
        (lambda record: record["sources"]["mapping"]["observed"]["extract"].update(regex="-?[0-9]+"), ("observed",)),
        (lambda record: record["sources"]["mapping"].update(observed="$.out"), ("observed",)),
        (lambda record: record["sources"]["mapping"].update(expected="$.out"), ("expected",)),
        (lambda record: record["sources"]["steps"]["observed"][0].update(value="It is 50 degrees."), ("sources",)),
        (lambda record: record["sources"]["steps"]["observed"][0].update(spans=[[0, 2]]), ("sources",)),
        (lambda record: record.update(observed="51", verdict="fail", score=0.0), ("observed",)),
        (lambda record: record.update(expected="50 ", verdict="fail", score=0.0), ("expected",)),
    ],
)
def test_replay_finds_what_was_altered(change, differing):
    answer = replay_line(altered(line_of(map_file()), change))
    assert answer.status == "differs"
    assert set(differing) <= set(answer.differing)


def test_settings_from_the_document_are_derived_again():
    mapping = {"expected": "$.t", "observed": "$.o", "tolerance": "$.within", "mode": {"literal": "absolute"}}
    line = line_of(map_file(mapping, {"t": 1, "o": 2, "within": 1.5}, "numeric_tolerance"))
    assert replay_line(line).status == "identical"
    answer = replay_line(altered(line, lambda record: record["sources"]["document"].update(within=0.5)))
    assert answer.status == "differs"
    assert "settings" in answer.differing


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(sources=[]),
        lambda record: record.update(sources={}),
        lambda record: record["sources"].update(kind="nobody knows"),
        lambda record: record["sources"].update(mapping=1),
        lambda record: record["sources"]["mapping"].update(observed={"path": "$.["}),
        lambda record: record["sources"].pop("document"),
    ],
)
def test_a_source_that_cannot_be_used_is_never_identical(change):
    assert replay_line(altered(line_of(map_file()), change)).status in {"unverifiable", "unreadable"}


def test_an_unparsed_reply_is_shown():
    row = {"truth": "50", "out": "I would rather not say."}
    result = map_file(row=row)
    assert (result.operator, result.verdict) == ("not_compared", "error")
    assert result.to_record()["sources"]["document"] == row
    assert any("I would rather not say." in line for line in explain(result))
    line = line_of(result)
    assert replay_line(line).status == "identical"
    answer = replay_line(altered(line, lambda record: record["sources"]["document"].update(out="It is 50.")))
    assert answer.status == "differs"


def test_unparsed_and_wrong_answers_are_counted_separately():
    rows = [ROW, {"truth": "50", "out": "It is 51."}, {"truth": "50", "out": "No."}]
    check = check_dataset(rows, "exact", NUMBER, pass_rate=0.1)
    assert (check.passed, check.failed, check.errors) == (1, 1, 1)


def test_a_long_document_is_recorded_by_its_digest():
    row = {"truth": "50", "out": "x" * 70_000 + " 50"}
    result = map_file(row=row)
    sources = result.to_record()["sources"]
    assert "document" not in sources
    assert len(sources["document_sha256"]) == 64
    assert sources["document_size"] > 70_000
    assert len(line_of(result)) < 5_000
    answer = replay_line(line_of(result))
    assert (answer.status, answer.reason) == ("unverifiable", "source_not_kept")


def test_a_changed_preset_is_reported_by_replay(monkeypatch):
    mapping = {"expected": "$.truth", "observed": {"path": "$.out", "extract": {"first_of": ["last_number"]}}}
    before = line_of(map_file(mapping))
    assert json.loads(before)["sources"]["presets"] == {"last_number": 2}
    newer = PRESETS["last_number"]._replace(find=PRESETS["last_line"].find, version=3)
    monkeypatch.setitem(PRESETS, "last_number", newer)
    # Mappings of records are kept from one record to the next.
    mapping_of.cache_clear()
    answer = replay_line(before)
    assert (answer.status, answer.reason) == ("unverifiable", "preset_changed")
    after = line_of(map_file(mapping))
    assert json.loads(after)["sources"]["presets"] == {"last_number": 3}
    assert replay_line(after).status == "identical"
    mapping_of.cache_clear()


@pytest.mark.ci
def test_a_preset_that_is_changed_gets_another_version():
    """When this fails, raise the version of the preset, so that replay can tell why a record differs."""
    texts = [row["reply"] for phrasings in (TUNING, HELD_OUT) for row in replies(phrasings)]
    found = {name: digest(encode_text([find_parts(name, text) for text in texts]))[:8] for name in PRESETS}
    assert {name: (PRESETS[name].version, part) for name, part in found.items()} == FOUND


def test_the_source_does_not_change_with_the_document():
    row = {"truth": "50", "out": [SENTENCE]}
    mapping = {**NUMBER, "observed": {**NUMBER["observed"], "path": "$.out[0]"}}
    result = map_file(mapping, row)
    row["out"].clear()
    assert result.to_record()["sources"]["document"]["out"] == [SENTENCE]


def test_the_extracted_part_is_marked():
    lines = list(explain(map_file(row={**ROW, "truth": "-50"})))
    at = next(number for number, line in enumerate(lines) if "observed from $.out, regex [0-9]+: " in line)
    assert SENTENCE in lines[at]
    marks = lines[at + 1]
    assert lines[at][marks.index("^") : marks.rindex("^") + 1] == "50"


def test_explain_of_a_pass_shows_the_source():
    assert any(SENTENCE in line for line in explain(map_file()))


def test_a_group_is_marked_within_its_match():
    mapping = {"expected": "$.t", "observed": {"path": "$.o", "extract": {"regex": "A: ([0-9])"}}}
    record = map_file(mapping, {"t": "5", "o": "5 of them. A: 5"}).to_record()
    assert record["sources"]["steps"]["observed"][0]["spans"] == [[14, 15]]


def test_redaction_covers_the_source():
    mapping = {"expected": "$.t", "observed": {"path": "$.o", "extract": {"regex": "sk-secret|[0-9]+"}}}
    result = map_file(mapping, {"t": "5", "o": "5, and the key is sk-secret", "key": "sk-secret"}, "not_blank")

    def redaction(text):
        return re.sub("sk-secret", "[redacted]", text)

    assert b"sk-secret" not in line_of(result, redaction=redaction)


def test_the_schema_knows_the_source():
    jsonschema = pytest.importorskip("jsonschema")
    for row in (ROW, {"truth": "50", "out": "No."}, {"truth": "5", "out": "5" * 70_000}):
        jsonschema.validate(json.loads(line_of(map_file(row=row))), record_schema())
