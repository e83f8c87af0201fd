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
from pytest_verdict.core.record import AttemptRecords, record_end
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.replay import Replayed, replay, replay_line
from pytest_verdict.session import SESSION


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


def line_of(result, test="tests/test_x.py::test_a") -> bytes:
    records, envelope = AttemptRecords(test, 1), result.envelope()
    sides = envelope.settled(result.expected, result.observed)
    line, _, _ = records.lines([(records, envelope, *sides, record_end("tests/test_x.py", 12))])
    return line


def changed(result, **changes) -> Replayed:
    """Replay a record in which somebody changed something."""
    record = json.loads(line_of(result))
    for key, value in changes.items():
        record[key] = {**record[key], **value} if key == "settings" and value else value
    return replay_line(json.dumps(record, separators=(",", ":")).encode() + b"\n")


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


def test_line_ends_are_no_difference():
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


def test_file_is_read_line_by_line():
    line = line_of(compare("exact", "a" * 10_000, "a" * 10_000))
    tracemalloc.start()
    count = sum(answer.status == "identical" for answer in replay(line for _ in range(2_000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_000
    assert peak < 3_000_000


def test_line_of_megabytes_is_one_record():
    assert replay_line(line_of(compare("exact", "é" * 3_000_000, "x" * 5_000_000))).status == "identical"


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
    monkeypatch.setattr(SESSION, "observer", made.append)
    expect("exact", "Paris") != observed
    line, other = line_of(made[0]), {"Rome": "fail", "Paris": "pass"}[observed]
    assert replay_line(line).status == "identical"
    assert changed(made[0], verdict=other).differing == ("verdict",)
    assert changed(made[0], negated=False).is_difference
    assert changed(made[0], negated=1).is_difference
    redacted = changed(made[0], expected={"$type": "redacted", "value": "[redacted]"})
    assert redacted.status == "unverifiable"
