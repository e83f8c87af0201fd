"""Replay by writing and replay by reading say the same of every line, whatever somebody changed in it."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.record import AttemptRecords, record_end
from pytest_verdict.core.replay import replay, replay_line
from pytest_verdict.extraction.evaluator import Evaluator

MAPPING = {"expected": "$.t", "observed": {"path": "$.o", "extract": {"regex": "[0-9]+"}}}
TEACHERS = {
    "text": [compare("exact", "Paris", "Paris"), compare("exact", "Paris", 'a"é')],
    "named": [compare("exact", "a", "a", name="row 1"), compare("exact", "a", "b", name='row "ü"')],
    "values": [
        compare("exact", {"a": [1, 2.5]}, {"a": [1, 2.5]}),
        compare("exact", (1, {2}), datetime.date(2024, 5, 1)),
    ],
    "surfaces": [compare("normalized_exact", "Paris", " PARIS"), compare("normalized_exact", "+", "-", name="n")],
    "details": [compare("contains_any", ["fox", "hen"], "a fox"), compare("contains_any", None, "x", substrings=["x"])],
    "numbers": [compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute")],
    "threshold": [compare("text_similarity", "kitten", "sitting", 0.5), compare("exact", "a", "a", 0.25)],
    "error": [compare("regex", "(", "a"), compare("regex", "a+", "aa")],
    "extracted": [Evaluator("exact", MAPPING).compare({"t": "50", "o": "It is 50."})],
    "parts": [compare("all_of", "a", "a", conditions=["exact", "normalized_exact"])],
}
BYTES = [b"", b"0", b"9", b"a", b'"', b"\\", b",", b"\xff"]


def lines_of(*results, test="tests/test_x.py::test_a[\xe9]", line=12):
    records, lines = AttemptRecords(test, 1), []
    for result in results:
        envelope = result.envelope()
        sides = envelope.settled(result.expected, result.observed)
        lines.append(records.lines([(records, envelope, *sides, record_end("tests/test_x.py", line))])[0])
    return lines


def after(teachers, line):
    """Replay a line behind others, from which its operator is known."""
    return list(replay([*teachers, line]))[-1]


@pytest.mark.parametrize("kind", TEACHERS)
def test_every_byte_counts_the_same(kind):
    teachers = lines_of(*TEACHERS[kind])
    for line in teachers:
        for at in range(len(line)):
            others = [line[:at] + byte + line[at + 1 :] for byte in BYTES] + [line[:at] + b"0" + line[at:]]
            found = list(replay([*teachers, *others]))[len(teachers) :]
            assert found == [replay_line(other) for other in others]


@given(st.sampled_from(sorted(TEACHERS)), st.data())
def test_pieces_of_other_records_are_no_way_around(kind, data):
    teachers = lines_of(*TEACHERS[kind])
    pool = [line for name in TEACHERS for line in lines_of(*TEACHERS[name], test="a\\b", line=3)] + teachers
    one, other = data.draw(st.sampled_from(pool)), data.draw(st.sampled_from(pool))
    cut, begin = data.draw(st.integers(0, len(one))), data.draw(st.integers(0, len(other)))
    line = one[:cut] + other[begin:]
    assert after(teachers, line) == replay_line(line)


@given(st.sampled_from(["exact", "normalized_exact", "one_of", "numeric_exact", "json_canonical"]), st.data())
def test_any_evidence_is_written_again(name, data):
    values = st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary() | st.dates(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3) | st.tuples(inner),
        max_leaves=6,
    )
    label = data.draw(st.none() | st.text(max_size=5))
    teachers = lines_of(compare(name, "a", "a"), compare(name, "a", "b"))
    line = lines_of(compare(name, data.draw(values), data.draw(values), name=label))[0]
    assert after(teachers, line) == replay_line(line)


@pytest.mark.parametrize(
    "value",
    ['{"$type":"repr","class":"x","value":"<x>"}', '{"$type":"redacted","value":"[redacted]"}', "[" * 900 + "]" * 900,
     "1e5", '{"a":1,"a":2}', "NaN", '{"$type":"date","value":"never"}', "9" * 5_000, '"\\u0041"', '"\\/"'],
)  # fmt: skip
def test_a_side_that_no_writer_wrote_is_read_with_care(value):
    teachers = lines_of(compare("exact", "a", "b"))
    line = teachers[0].replace(b'"observed":"b"', b'"observed":' + value.encode())
    assert after(teachers, line) == replay_line(line)
    assert after(teachers, line).status != "identical"


def test_what_a_test_meant_and_what_it_extracted_is_written_again():
    line = lines_of(compare("exact", "a", "b"))[0]
    negated = line.replace(b'"verdict":"fail"', b'"verdict":"pass"').replace(b',"test":', b',"negated":true,"test":')
    sources = line.replace(b',"test":', b',"sources":{"kind":"x"},"test":')
    assert after([line], negated) == replay_line(negated)
    assert after([line], negated).status == "identical"
    assert after([line], sources).reason == replay_line(sources).reason == "derivation_absent"
