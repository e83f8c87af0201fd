"""Replay: what a record says is derived again, and nothing else is believed."""

from __future__ import annotations

import collections
import dataclasses
import enum
import json
import textwrap
import tracemalloc
import types
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import Operator, Outcome, compare, expect
from pytest_verdict.blind import blind_compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.record import read_id
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.replay import Replayed, replay, replay_line
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.session import SESSION
from written_records import TEST, line_of

MAPPING = {"expected": "$.t", "observed": {"path": "$.o", "extract": {"regex": "[0-9]+"}}}
SCHEMA = {"type": "object", "required": ["a"]}
CALLS = [{"name": "search", "args": {"q": "x"}}]
RUBRIC = {"id": "essay", "version": 1, "content": ["argument"], "structure": ["clarity"]}
TONE = {"id": "polite", "version": 1, "severity": "major", "operator": "contains_any"}


def longer_is_better(request):
    def side(output):
        return {"content": {"argument": min(5, len(output.text))}, "structure": {"clarity": 3}}

    return {"rubric": {label: side(output) for label, output in request.outputs.items()}, "winner": "A"}


def judged_blindly(x, y):
    return blind_compare(x, y, "Count.", longer_is_better, rubric=RUBRIC, key="seed").result.observed


BALLOT = '{"rubric": {"A": {"content": {"argument": 5}, "structure": {"clarity": 4}}, "B": %s}, "winner": "B"}'
EXAMPLES = {
    "all_of": [("a", "a", {"conditions": ["exact", {"operator": "text_similarity", "threshold": 0.5}]})],
    "any_of": [("a", "b", {"conditions": ["exact", "contains_any"]})],
    "at_least_n": [({"x": 1, "y": 2}, {"x": 1}, {"n": 1, "conditions": {"x": "numeric_exact", "y": "exact"}})],
    "by_field": [
        (
            {"n": 1, "t": "a"},
            {"n": 1.05, "t": "b"},
            {"rules": {"$.n": {"operator": "numeric_tolerance", "settings": {"tolerance": 0.1}}}},
        ),
        ('{"n": 1}', '{"n": "1"}', {"rules": {"$.n": "numeric_exact"}, "rest": None}),
    ],
    "best_of": [
        (["Paris", "City of Paris"], "city of  paris", {"inner": "normalized_exact"}),
        ([1, 5], "x", {"inner": {"operator": "numeric_tolerance", "settings": {"tolerance": 1}}}),
        ([], "x", {"inner": "exact"}),
        (None, (1, "a"), {"inner": "exact", "references": ["a", (1, "a")]}),
    ],
    "blind_ballot": [
        (None, BALLOT % '{"content": {"argument": 2}, "structure": {"clarity": 4}}', {"rubric": RUBRIC}),
        ({"slots": {"A": 1, "B": 0}}, "I would rather not.", {"expectations": ["It has a name."]}),
    ],
    "blind_preference": [
        ("y", judged_blindly("12", "123"), {}),
        (None, judged_blindly("12", "12"), {"tie": "pass", "gate": ["blindness_breach"]}),
        ("x", {"format": 1}, {}),
    ],
    "boolean": [(True, True, {}), (True, "yes", {})],
    "case_choice": [(["true", "low"], True, {}), (["low"], None, {})],
    "contains_all": [(["a", "b"], "xax", {}), ({"b", "a"}, "ab", {})],
    "contains_any": [(None, "it is mRNA", {"substrings": ["mrna"], "case_sensitive": False}), ("", "x", {})],
    "criteria": [
        ({"polite": ["please"]}, "Go.", {"id": "tone", "revision": 2, "criteria": [TONE]}),
        ({}, "Please go.", {"id": "tone", "revision": "2.1", "criteria": [TONE], "fail_on": ["blocker"]}),
    ],
    "date_match": [("2024-05-01", "1 May 2024", {}), ("2024-05-01", "someday", {})],
    "date_range": [(["2024-01-01", "2024-12-31"], "2024-05-01", {})],
    "date_tolerance": [("2024-05-01", "2024-05-03", {"tolerance": 1})],
    "answer_template": [({"a": 1}, {"a": None, "_trace": "x"}, {"fields": {"a": "exact"}})],
    "delta": [(5, {"pre": 10, "post": 15}, {})],
    "derived": [
        (5, "5.0", {"inner": "numeric_exact", "source": "spec"}),
        ("a", "b", {"inner": "exact", "source": "blind_rederivation", "extraction": "model_mediated"}),
    ],
    "ends_with": [([".", "!"], "Done.", {}), ("", "a", {})],
    "exact": [("Paris", "Paris", {}), ((1, {2}), [1, float("nan")], {}), (b"\0\xff", "\ud800\x1b", {})],
    "field_check": [({"a": 1}, {"a": 2}, {"field": "a"})],
    "is_type": [("integer", 5, {}), (["string", "null"], "a", {}), ("integer", True, {}), ("words", True, {})],
    "json_canonical": [
        ('{"a": 1}', '{"a": 1.0}', {}),
        ("{}", "{", {}),
        ({"id": 1, "a": "X"}, {"id": 2, "a": "x"}, {"ignore": ["$.id"], "case_sensitive": False}),
    ],
    "json_distance": [('{"a": [1, 2]}', '{"a": [2]}', {})],
    "json_schema": [(SCHEMA, '{"b": 1}', {}), ({"$ref": "urn:a"}, '{"a": 1}', {"schemas": {"urn:a": SCHEMA}})],
    "json_subset": [
        ({"a": 1}, '{"a": 1, "b": 2}', {}),
        ({"a": 1, "b": 2}, {"a": 3, "b": 2, "c": 1}, {"ignore": ["$.a"]}),
    ],
    "json_similarity": [({"a": 1, "b": "x"}, '{"a": 2, "b": "y"}', {}), ([1, 2], "no JSON", {})],
    "list_similarity": [(["a", "b"], ["b", "c"], {"inner": "exact"}), (["a"], "b", {"inner": "exact"})],
    "literal": [("a", "a", {}), (1, True, {})],
    "mapping_match": [({1: "a", None: 2}, {1: "b"}, {}), ({b"k": 1}, {b"k": 1, 2: 3}, {"mode": "subset"})],
    "numeric_similarity": [(10, 8, {}), (10, "eight", {})],
    "none_of": [("a", "b", {"conditions": ["exact", "contains_any"]}), (5, "b", {"conditions": ["numeric_exact"]})],
    "normalized_exact": [("The Paris", " the  PARIS", {}), (["A"], ["a", "b"], {})],
    "not_blank": [(None, "a", {}), ("a", " ", {}), (None, {}, {})],
    "not_compared": [("Paris", "the adapter raised OSError: refused", {"instead_of": "exact"}), (None, 1, {})],
    "not_contains": [("sorry", "I am sorry", {}), (["a", "b"], "C", {"case_sensitive": False}), ("a", None, {})],
    "nothing_found": [("Paris", "observed: last_number finds nothing", {"instead_of": "exact"})],
    "numeric_exact": [("1,000", 1000, {"normalize": ["strip_thousands_separators"]}), (1, "one", {})],
    "numeric_maximum": [(5, 6, {}), (0.5, "45 %", {"normalize": ["strip_final_punctuation", "percent_to_decimal"]})],
    "numeric_minimum": [(5, 6, {}), (5, 4, {"zero_at": 2})],
    "numeric_range": [([1, 5], 3, {}), (None, 7, {"max": 5, "zero_at": 4})],
    "numeric_tolerance": [
        (37.0, 36.8, {"tolerance": 0.5, "mode": "absolute"}),
        (100, 110, {"tolerance": 0.05, "zero_at": 0.25}),
    ],
    "one_of": [(["NY", "NYC"], "nyc", {"normalize": ["lowercase"]}), (["NY"], "ny", {"case_sensitive": False})],
    "ordered_match": [([1, 2], [1, 3], {})],
    "pass_rate": [
        (0.75, {"pass": 3, "fail": 1, "error": 0}, {}),
        (0.9, {"pass": 5, "fail": 0, "error": 1}, {"confident": True, "errors": "undecided"}),
    ],
    "regex": [("[a-z]+", "abc", {}), ("(", "abc", {}), (None, "a1", {"pattern": "[0-9]", "mode": "search"})],
    "quote_check": [("is Paris", "It is Paris.", {"value": "Paris"})],
    "regex_check": [(None, "5 mg", {"pattern": "([0-9]+) (mg|g)", "value": ("5", "mg")})],
    "scorer_verdict": [
        (None, {"output": "Hi", "score": 0.25, "passed": None, "explanation": "curt"}, {"scorer": "polite"}),
        (None, {"output": "Hi", "score": None, "passed": "yes"}, {}),
    ],
    "semantic": [("a", "b", {"embedder": lambda texts: [[1.0, 2.0], [2.0, 1.5]]})],
    "run_limits": [
        ({"total_tokens": 5}, {"usage": {"input_tokens": 3, "output_tokens": 4}}, {}),
        (None, {"cost": 0.5}, {"limits": {"cost": 1}}),
        ({"cost": 1}, {}, {}),
    ],
    "set_containment": [(["a"], ["a", "b"], {"mode": "subset"})],
    "set_similarity": [
        (["a", "b"], ["b", "c"], {}),
        ([], [], {"metric": "recall"}),
        (["a"], ["A"], {"metric": "jaccard"}),
    ],
    "starts_with": [("Dear", "dear all", {"case_sensitive": False})],
    "text_similarity": [
        ("kitten", "sitting", {}),
        ("the \u6771\u4eac", "\u6771", {"metric": "token_f1", "words": "cjk", "stop_words": ["the"]}),
    ],
    "trace_contains": [("done", "all done", {})],
    "trace_length": [(None, "abc", {"max": 2})],
    "trace_regex": [("d.ne", "all done", {})],
    "trajectory_any_order": [(CALLS, CALLS, {}), (CALLS, CALLS, {"occurrences": {"search": "last"}})],
    "trajectory_forbidden": [(["delete"], CALLS, {})],
    "trajectory_max_calls": [(3, CALLS, {})],
    "trajectory_single_tool_use": [("search", CALLS, {})],
    "trajectory_valid_calls": [
        ({"search": {"properties": {"q": {"type": "string"}}}}, CALLS, {}),
        (None, CALLS, {"definitions": [{"name": "find", "input_schema": {"type": "object"}}], "unknown_args": "allow"}),
    ],
    "weighted": [("a", "A", {"conditions": ["exact", "normalized_exact"], "weights": [1, 3]})],
}


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    DOCUMENT = '{"a": 1}'


class Color(enum.Enum):
    RED = 1


class Count(int):
    pass


class Price(Decimal):
    pass


@dataclasses.dataclass(frozen=True)
class Point:
    x: int


def numpy_scalars():
    try:
        import numpy
    except ImportError:
        return []
    return [numpy.True_, numpy.int64(1), numpy.float32(0.5)]


OF_OTHER_CLASSES = [
    Level.LOW, Word.DOCUMENT, Color.RED, Count(1), Price("1.5"), Point(1),
    types.MappingProxyType({"a": 1}), collections.UserDict(a=1), *numpy_scalars(),
]  # fmt: skip
OF_TWO_VALUES = ["exact", "boolean", "numeric_exact", "set_containment", "trace_regex"]
OF_TWO_VALUES += ["json_canonical", "json_distance", "json_subset", "json_schema"]


def changed(result, **changes) -> Replayed:
    """Replay a record in which somebody changed something."""
    record = json.loads(line_of(result))
    for key, value in changes.items():
        record[key] = {**record[key], **value} if key == "settings" and value else value
    return replay_line(json.dumps(record, separators=(",", ":")).encode() + b"\n")


def examples():
    for name in REGISTRY.names():
        default = [(CALLS, [*CALLS, {"name": "book", "args": {}}], {})] if name.startswith("trajectory_") else []
        for number, example in enumerate(EXAMPLES.get(name, default)):
            yield pytest.param(name, *example, id=f"{name}-{number}")


@pytest.mark.parametrize(("name", "expected", "observed", "settings"), list(examples()))
def test_records_of_built_in_operators_are_identical(name, expected, observed, settings):
    result = compare(name, expected, observed, name="a\nname", **settings)
    answer = replay_line(line_of(result))
    assert (answer.status, answer.reason, answer.differing) == ("identical", "", ())
    assert (answer.id, answer.test, answer.operator) == (read_id(line_of(result)), TEST, name)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_copy_of_an_operator_is_recorded_alike(name):
    for _, _, settings in EXAMPLES[name]:
        operator = REGISTRY.build(name, settings)
        assert operator.model_copy().identity == operator.identity


def test_every_operator_has_an_example():
    without = set(FAMILIES.own("operators")) - set(EXAMPLES)
    assert all(name.startswith("trajectory_") for name in without)


@pytest.mark.ci
@given(st.sampled_from(["exact", "normalized_exact", "json_canonical", "numeric_exact"]), st.data())
def test_any_evidence_replays(name, data):
    values = st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary() | st.decimals() | st.dates(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3) | st.tuples(inner),
        max_leaves=8,
    )
    assert replay_line(line_of(compare(name, data.draw(values), data.draw(values)))).status == "identical"


@pytest.mark.parametrize(
    ("changes", "differing"),
    [
        ({"verdict": "pass"}, {"verdict"}),
        ({"score": 1.0}, {"score"}),
        ({"expected": "London"}, {"expected", "verdict", "score", "expected_surface"}),
        ({"observed": "paris"}, {"observed_surface", "verdict", "score"}),
        ({"threshold": 1}, {"threshold"}),
        ({"settings": {"normalize": []}}, {"operator", "normalization"}),
        ({"operator": "exact"}, {"operator"}),
        ({"notes": ["fine"]}, {"notes"}),
        ({"error": "none"}, {"error"}),
        ({"more": 1}, {"more"}),
        ({"ordinal": "1"}, {"form"}),
    ],
    ids=lambda value: str(sorted(value)) if isinstance(value, set) else str(value),  # a set prints in any order
)
def test_changed_record_names_what_differs(changes, differing):
    answer = changed(compare("normalized_exact", "Paris", "London"), **changes)
    assert answer.status == "differs"
    assert answer.is_difference
    assert differing & set(answer.differing)


def test_lowered_threshold_with_old_verdict_differs():
    result = compare("text_similarity", "kitten", "sitting", 0.99)
    assert changed(result, threshold=0.1).differing == ("verdict",)


@pytest.mark.parametrize(
    "twist",
    [
        lambda line: line.replace(b'"score":0.0', b'"score": 0.0'),
        lambda line: line.replace(b'"score":0.0', b'"score":1.0,"score":0.0'),
        lambda line: line.replace(b'"line":12', b'"line":12,"verdict":"fail"'),
        lambda line: line.replace(b'"line":12}', b'"line":12} '),
    ],
    ids=["blank", "key-twice", "key-behind", "blank-at-end"],
)
def test_same_values_in_other_bytes_differ(twist):
    line = line_of(compare("exact", "Paris", "London"))
    assert replay_line(twist(line)).differing == ("form",)


ALTERED = {
    "text": compare("exact", "Paris", 'a"\u00e9', name='row "\u00fc"'),
    "values": compare("exact", {"a": [1, 2.5]}, {"a": [1, 2.5]}),
    "surfaces": compare("normalized_exact", "Paris", " PARIS"),
    "details": compare("contains_any", ["fox", "hen"], "a fox"),
    "threshold": compare("text_similarity", "kitten", "sitting", 0.5),
    "error": compare("regex", "(", "a"),
    "parts": compare("all_of", "a", "a", conditions=["exact", "normalized_exact"]),
    "extracted": Evaluator("exact", MAPPING).compare({"t": "50", "o": "It is 50."}),
}


def believed(line: bytes) -> list:
    """Return what a record says of the values; their verdict is derived from it."""
    record = json.loads(line)
    return [json.dumps(record.get(key)) for key in ("expected", "observed", "name", "threshold", "sources")]


@pytest.mark.parametrize("kind", ALTERED)
def test_no_byte_that_is_derived_can_be_altered(kind):
    line = line_of(ALTERED[kind])
    for at in range(line.index(b'"verdict"'), line.index(b',"test":')):
        for byte in (b"", b"0", b'"'):
            other = line[:at] + byte + line[at + 1 :]
            if other != line and replay_line(other).status == "identical":
                assert believed(other) != believed(line)


@pytest.mark.ci
@given(st.lists(st.sampled_from(sorted(ALTERED)), max_size=6), st.data())
def test_a_record_is_replayed_as_if_it_were_alone(kinds, data):
    lines = [line_of(ALTERED[kind]) for kind in kinds]
    for at, line in enumerate(lines):
        if data.draw(st.booleans()):
            cut = data.draw(st.integers(0, len(line)))
            other = line_of(ALTERED[data.draw(st.sampled_from(sorted(ALTERED)))], "a\\b")
            lines[at] = line[:cut] + other[data.draw(st.integers(0, len(other))) :]
    assert list(replay(lines)) == list(map(replay_line, lines))


@pytest.mark.parametrize(
    "value",
    ['{"$type":"repr","class":"x","value":"<x>"}', '{"$type":"redacted","value":"[redacted]"}', "[" * 900 + "]" * 900,
     "1e5", '{"a":1,"a":2}', "NaN", '{"$type":"date","value":"never"}', "9" * 5_000, '"\\u0041"', '"\\/"'],
)  # fmt: skip
def test_a_side_that_no_session_writes_is_never_identical(value):
    line = line_of(compare("exact", "a", "b"))
    other = line.replace(b'"observed":"b"', b'"observed":' + value.encode())
    assert replay_line(other).status != "identical"


def test_sources_that_nothing_derives_are_unverifiable():
    line = line_of(compare("exact", "a", "b"))
    answer = replay_line(line.replace(b',"test":', b',"sources":{"kind":"x"},"test":'))
    assert (answer.status, answer.reason) == ("unverifiable", "derivation_absent")


@pytest.mark.parametrize(
    ("member", "value"),
    [("attempt", -1), ("ordinal", -5), ("line", -1), ("line", 1.5), ("attempt", "1"), ("path", 5), ("path", None)],
)
def test_a_place_that_no_record_has_differs(member, value):
    assert changed(compare("exact", "a", "b"), **{member: value}).differing == ("form",)


def test_a_line_end_of_windows_or_none_is_no_difference():
    line = line_of(compare("exact", "a", "a")).rstrip(b"\n")
    assert [replay_line(line + end).status for end in (b"", b"\n", b"\r\n")] == ["identical"] * 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON"),
        (b"\n", "not JSON"),
        (b"half a rec", "not JSON"),
        (b"[1]", "not a record"),
        (b'{"record":true}', "not a record"),
        (b'{"record":2}', "format 2"),
        (b'{"record":1}', "id must be text"),
        (b"\xff\xfe", "ASCII"),
        (b'{"record":1,"a":' + b"[" * 100_000, "nested"),
        (b'{"record":1,"a":' + b"9" * 5_000 + b"}", "JSON"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_invalid_record_is_unreadable(line, reason):
    answer = replay_line(line)
    assert answer.status == "unreadable"
    assert reason in answer.reason


@pytest.mark.parametrize(
    "changes",
    [
        {"threshold": 0},
        {"threshold": float("nan")},
        {"settings": None},
        {"operator_version": "1"},
        {"id": 'x"y'},
        {"name": [1]},
        {"expected": {"$type": "os.system", "value": "true"}},
        {"observed": {"$type": "date", "value": "yesterday"}},
    ],
    ids=str,
)
def test_invalid_values_are_unreadable(changes):
    assert changed(compare("exact", "a", "a", name="n"), **changes).status == "unreadable"


def test_cut_line_is_unreadable():
    line = line_of(compare("regex", "a+", "aa")).rstrip(b"\n")
    assert {replay_line(line[:end]).status for end in range(len(line))} == {"unreadable"}


@pytest.mark.parametrize("key", json.loads(line_of(compare("exact", "a", "b"))))
@pytest.mark.parametrize("operator", ["exact", "numeric_exact"])
def test_record_without_a_key_is_never_identical(operator, key):
    record = json.loads(line_of(compare(operator, "1", "2", name="n")))
    del record[key]
    answer = replay_line(json.dumps(record, separators=(",", ":")).encode() + b"\n")
    assert answer.status in {"differs", "unreadable"}


@given(st.binary(max_size=200))
def test_no_line_makes_replay_raise(line):
    assert replay_line(line).status == "unreadable"


def nested(depth: int) -> bytes:
    line = line_of(compare("json_canonical", "x", [0]))
    return line.replace(b'"observed":[0]', b'"observed":' + b"[" * depth + b"]" * depth)


@pytest.mark.parametrize("depth", [150, 190, 250, 400, 900, 990, 5_000, 200_000])
def test_deep_nesting_does_not_break_replay(depth):
    assert replay_line(nested(depth)).status in ({"identical"} if depth < 200 else {"differs", "unreadable"})


def test_unknown_operator_is_unverifiable():
    answer = changed(compare("exact", "a", "a"), operator="os.system")
    assert (answer.status, answer.reason) == ("unverifiable", "operator_absent")


def test_rejected_settings_are_unverifiable():
    answer = changed(compare("exact", "a", "a"), settings={"colour": 1})
    assert (answer.status, answer.reason) == ("unverifiable", "settings_refused")


def test_evidence_kept_as_repr_is_unverifiable():
    answer = replay_line(line_of(compare("exact", object(), 1)))
    assert (answer.status, answer.reason) == ("unverifiable", "not_encodable")


def test_text_that_looks_like_a_tag_is_text():
    result = compare("exact", '"$type":"repr"', '{"$type":"redacted"}')
    assert replay_line(line_of(result)).status == "identical"


def test_unverifiable_record_must_be_consistent():
    answer = changed(compare("exact", object(), 1), verdict="pass")
    assert (answer.status, answer.differing) == ("differs", ("verdict",))


def test_missing_vectors_are_unverifiable():
    result = compare("semantic", "a", "b", embedder=lambda texts: [[1.0], [1.0]], keep_vectors=False)
    assert replay_line(line_of(result)).reason == "not_recorded"


def test_function_named_in_a_record_is_not_imported(monkeypatch):
    calls = []
    monkeypatch.setattr("subprocess.call", lambda *given: calls.append(given))
    inner = {"operator": "semantic", "settings": {"embedder": "subprocess:call"}}
    settings = {"conditions": [inner], "n": 1}
    answer = changed(compare("at_least_n", "a", "b", n=1, conditions=["exact"]), settings=settings)
    assert (answer.status, answer.reason, calls) == ("unverifiable", "nested_model", [])
    alone = compare("semantic", "a", "b", embedder=lambda texts: [[1.0], [1.0]])
    assert changed(alone, settings={"embedder": "subprocess:call"}).status == "identical"
    assert changed(alone, settings={"embedder": "subprocess:call"}, details={}).reason == "not_recorded"
    assert not calls


class _Fickle(Operator):
    name = "fickle"
    version = 2

    def effective_expected(self, expected):
        return expected.pattern if expected == "no pattern" else expected

    def evaluate(self, expected, observed):
        if expected == "broken":
            raise ValueError(f"cannot compare {object()!r}")
        return Outcome(1.0) if expected == observed else None


@pytest.fixture
def fickle(monkeypatch):
    monkeypatch.setitem(REGISTRY._classes, "fickle", _Fickle)


@pytest.mark.usefixtures("fickle")
@pytest.mark.parametrize("expected", ["broken", "not an outcome", "no pattern"])
def test_same_error_is_identical(expected):
    result = compare("fickle", expected, "b")
    assert result.verdict == "error"
    assert replay_line(line_of(result)).status == "identical"


@pytest.mark.usefixtures("fickle")
@pytest.mark.parametrize(("observed", "is_difference"), [("a", False), ("b", True)])
def test_other_version_with_other_verdict_differs(observed, is_difference):
    record = json.loads(line_of(compare("fickle", "a", "a")))
    record |= {"operator_version": 1, "observed": observed}
    answer = replay_line(json.dumps(record, separators=(",", ":")).encode())
    assert (answer.status, answer.is_difference) == ("version_changed", is_difference)
    assert answer.reason == "version 1 was recorded, 2 is installed"


def test_other_version_of_a_part_is_reported():
    result = compare("all_of", "a", "a", conditions=["exact"])
    line = line_of(result).replace(b'{"operator":"exact","version":1', b'{"operator":"exact","version":9')
    assert replay_line(line).status == "version_changed"


@pytest.mark.ci
def test_file_is_read_line_by_line():
    line = line_of(compare("exact", "a" * 10_000, "a" * 10_000))
    tracemalloc.start()
    count = sum(answer.status == "identical" for answer in replay(line for _ in range(2_000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_000
    assert peak < 3_000_000


@pytest.mark.ci
def test_line_of_megabytes_is_one_record():
    assert replay_line(line_of(compare("exact", "é" * 3_000_000, "x" * 5_000_000))).status == "identical"


@pytest.mark.ci
def test_records_of_a_session_replay(pytester):
    pytester.makepyfile(
        textwrap.dedent("""
            import pytest
            from pytest_verdict import assert_matches, compare

            @pytest.mark.parametrize("value", ["x", 1.5, None, {"a": {1, 2}}, "\\x1b[31m\\ud800", float("nan")])
            @pytest.mark.parametrize("operator", ["exact", "normalized_exact", "numeric_exact", "json_canonical"])
            def test_values(operator, value):
                compare(operator, value, value, name="self")
                assert_matches(operator, value, "x")

            def test_objects():
                compare("exact", object(), 1)
        """)
    )
    pytester.runpytest_inprocess("--verify-report", "-p", "no:cacheprovider", "-p", "no:asyncio")
    with (pytester.path / "verify-report/records.jsonl").open("rb") as lines:
        answers = list(replay(lines))
    assert [answer.status for answer in answers].count("identical") == len(answers) - 1 == 48
    assert answers[-1].reason == "not_encodable"


def test_redacted_record_is_unverifiable(pytester):
    pytester.makeini("[pytest]\nverdict_redact = secret-[0-9]+\n")
    pytester.makepyfile(
        "from pytest_verdict import compare\n"
        "def test_it():\n    compare('exact', 'secret-1', 'x')\n    compare('exact', 'open', 'open')\n"
    )
    pytester.runpytest_inprocess("--verify-report", "-p", "no:cacheprovider", "-p", "no:asyncio")
    lines = (pytester.path / "verify-report/records.jsonl").read_bytes().splitlines()
    assert b"secret-1" not in lines[0]
    assert [(answer.status, answer.reason) for answer in replay(lines)] == [
        ("unverifiable", "redacted"),
        ("identical", ""),
    ]


@pytest.mark.parametrize("value", OF_OTHER_CLASSES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("operator", OF_TWO_VALUES)
def test_value_is_compared_as_recorded(operator, value):
    for side in (value, [value], {"a": value}):
        for expected, observed in ((side, side), (side, [2]), ({"type": "string"}, side), (True, side)):
            result = compare(operator, expected, observed)
            answer = replay_line(line_of(result))
            assert (answer.status, answer.differing) == ("identical", ()), (expected, observed)


def test_enum_of_text_or_number_is_that_in_json():
    assert compare("json_distance", [1, '{"a": 1}'], [Level.LOW, Word.DOCUMENT]).passed
    assert compare("json_canonical", {"a": 1}, Word.DOCUMENT).passed
    assert compare("json_canonical", Color.RED, 1).notes == ["not_json"]


@pytest.mark.parametrize("observed", ["Rome", "Paris"])
def test_negation_is_replayed(monkeypatch, observed):
    made = []
    monkeypatch.setattr(SESSION, "observer", lambda result: made.append(result) or result)
    expect("exact", "Paris") != observed
    line, other = line_of(made[0]), {"Rome": "fail", "Paris": "pass"}[observed]
    assert replay_line(line).status == "identical"
    assert changed(made[0], verdict=other).differing == ("verdict",)
    assert changed(made[0], negated=False).is_difference
    assert changed(made[0], negated=1).is_difference
    redacted = changed(made[0], expected={"$type": "redacted", "value": "[redacted]"})
    assert redacted.status == "unverifiable"
