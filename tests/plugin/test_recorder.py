"""The recorder writes later, and shares what results have in common; what it writes is what each result says of itself."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pytest_verdict import ComparisonResult, Outcome, compare
from pytest_verdict.core.record import AttemptRecords
from pytest_verdict.core.record_members import OperatorIdentity
from pytest_verdict.pytest_plugin.recorder import Recorder

CHILD = compare("exact", "secret-1", 1)
IDENTITIES = [OperatorIdentity("exact", version, {"only": "secret-1"}) for version in (1, 1, 2)]
OUTCOMES = [
    *(Outcome(score) for score in (1.0, 1.0, 0.5)),
    *(Outcome(1.0, **{part: ("a",)}) for part in ("notes", "normalization")),
    *(Outcome(1.0, details=details) for details in ({}, {"matched": "secret-1"})),
    *(Outcome(1.0, **{surface: "secret-1"}) for surface in ("expected_surface", "observed_surface")),
    Outcome(1.0, children=(CHILD,)),
    Outcome(0.0, error="secret-1"),
]
RESULTS = st.builds(
    ComparisonResult,
    st.sampled_from(IDENTITIES),
    st.sampled_from(["secret-1", "a" * 150, "line\nbreak \u00e9 " * 20, [1], None]),
    st.sampled_from(["secret-1", "a" * 150, "b", 1]),
    st.sampled_from([1.0, 0.5]),
    st.sampled_from(OUTCOMES),
    st.sampled_from([None, "", "one", "secret-1"]),
)


@pytest.fixture
def recorder(request, redaction):
    return recorder_of(request, redaction)


def recorder_of(request, redaction):
    recorder = Recorder(request.config, redaction)
    recorder.pytest_runtest_protocol(request.node)
    return recorder


def written(recorder):
    return [json.loads(line) for batch in recorder.take() for line in batch.lines.splitlines()]


@pytest.mark.parametrize(
    "redaction", [None, lambda text: text.replace("secret-1", "***")], ids=["verbatim", "redacted"]
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(RESULTS, max_size=6))
def test_each_result_writes_its_own_record(recorder, redaction, made):
    recorder.take()
    for result in made * 2:
        recorder.observe(result)
    records = written(recorder)
    assert len(records) == len(made) * 2
    for record, result in zip(records, made * 2, strict=True):
        expected = json.loads("{" + result.to_members(redaction) + "}")
        assert {key: record[key] for key in expected} == expected
        assert record.keys() - expected.keys() == {"record", "id", "test", "attempt", "ordinal", "path", "line"}


@pytest.mark.parametrize("redaction", [None])
def test_counts_are_by_operator_and_verdict(recorder, redaction):
    outcomes = [Outcome(1.0), Outcome(1.0), Outcome(0.0), Outcome(1.0), Outcome(0.0, error="broken")]
    for operator, outcome in zip(["exact", "exact", "exact", "regex", "exact"], outcomes, strict=True):
        recorder.observe(ComparisonResult(OperatorIdentity(operator, 1, {}), "a", "a", 1.0, outcome))
    (batch,) = recorder.take()
    assert batch.counts == {"exact": (2, 1, 1), "regex": (1, 0, 0)}


@pytest.mark.parametrize("redaction", [None])
def test_record_holds_value_at_time_of_comparison(recorder, redaction):
    items = ["a"]
    recorder.observe(compare("exact", items, items))
    items.append("b")
    assert [record["observed"] for record in written(recorder)] == [["a"]]


@pytest.mark.parametrize("redaction", [None])
def test_each_call_has_its_own_line(recorder, redaction):
    result = compare("exact", "a", "a")

    def other():
        recorder.observe(result)

    recorder.observe(result)
    other()
    for _ in range(2):
        recorder.observe(result)
    recorder.observe(result)
    first, in_other, *in_loop, last = [record["line"] for record in written(recorder)]
    start = test_each_call_has_its_own_line.__code__.co_firstlineno
    assert [line - start for line in (first, in_other, *in_loop, last)] == [7, 5, 10, 10, 11]


@pytest.mark.parametrize("redaction", [None])
def test_code_that_knows_neither_its_file_nor_its_lines_is_still_the_caller(recorder, redaction):
    code = compile("recorder.observe(result)", "", "exec")
    space = {"recorder": recorder, "result": compare("exact", "a", "a")}
    exec(code, space)
    exec(code.replace(co_linetable=b""), space)
    assert [(record["path"], record["line"]) for record in written(recorder)] == [("", 1), ("", 0)]


@pytest.mark.parametrize("redaction", [None])
def test_nothing_is_lost_when_writing_is_interrupted(recorder, redaction, monkeypatch):
    write_line, strikes = AttemptRecords.line, [KeyboardInterrupt]

    def interrupted(self, members, ordinal, end):
        if ordinal == 2 and strikes:
            raise strikes.pop()
        return write_line(self, members, ordinal, end)

    monkeypatch.setattr(AttemptRecords, "line", interrupted)
    texts = ["before", "strike", "after"]
    for text in texts:
        recorder.observe(compare("exact", text, text))
    with pytest.raises(KeyboardInterrupt):
        recorder.take()
    assert [(record["observed"], record["ordinal"]) for record in written(recorder)] == list(zip(texts, [1, 2, 3]))


@pytest.mark.parametrize("redaction", [None])
def test_records_are_written_with_fips_hashes_only(recorder, redaction, monkeypatch):
    def refuse(*given, **settings):
        raise ValueError("disabled for FIPS")

    for name in ("blake2b", "blake2s", "md5", "sha1"):
        monkeypatch.setattr(hashlib, name, refuse)
    recorder.observe(compare("exact", "a", "a"))
    assert len(written(recorder)) == 1
