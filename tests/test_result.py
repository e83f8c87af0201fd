"""`ComparisonResult`: a value that holds all from which its verdict can be derived again."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import pickle

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import ComparisonResult, Outcome, RecordError, UndecidedError, compare
from pytest_verdict.core.record_members import OperatorIdentity
from pytest_verdict.core.values.placeholders import ABSENT

EIGHT_KEYS = ["operator", "expected", "observed", "normalization", "notes", "score", "threshold", "verdict"]

texts = st.text(st.characters(exclude_categories=[]), max_size=8)
evidence = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.dates()
    | st.binary(max_size=3)
    | st.decimals(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3) | st.tuples(inner),
    max_leaves=6,
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = st.lists(st.text(st.characters(codec="ascii"), max_size=5), max_size=3).map(tuple)


def outcomes(children=st.just(())):
    made = st.builds(
        Outcome,
        st.floats(0.0, 1.0),
        names,
        names,
        st.none() | st.dictionaries(texts, json_values, min_size=1, max_size=3),
        st.just(ABSENT) | evidence,
        st.just(ABSENT) | evidence,
        children,
    )
    return made | st.builds(Outcome, st.just(0.0), error=texts)


def results(children=st.just(())):
    identities = st.builds(
        OperatorIdentity,
        st.text(max_size=5),
        st.integers(1, 9),
        st.dictionaries(st.text(max_size=3), json_values, max_size=2),
    )
    return st.builds(
        ComparisonResult,
        identities,
        evidence,
        evidence,
        st.floats(0.0, 1.0, exclude_min=True),
        outcomes(children),
        st.none() | texts,
    )


trees = results(st.lists(results(), max_size=2).map(tuple))


@pytest.mark.ci
@given(trees)
def test_record_round_trips(result):
    again = ComparisonResult.from_record(json.loads(result.to_text()))
    assert again == result
    assert hash(again) == hash(result)
    assert again.to_text() == result.to_text()
    assert again.verdict == result.verdict
    assert again.children == result.children


@pytest.mark.ci
@given(trees)
def test_result_can_be_pickled_and_copied(result):
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == result


@pytest.mark.ci
@given(trees)
def test_record_is_one_line_of_ascii(result):
    text = result.to_text()
    assert text.isascii()
    assert "\n" not in text
    assert next(iter(json.loads(text))) == "verdict"


@pytest.mark.ci
@given(results())
def test_repr_is_one_bounded_line(result):
    assert repr(result).isprintable()
    assert len(repr(compare("exact", "\x1b" * 10_000, ["\u202e" * 10_000], name="\n" * 1_000))) < 2_500


@pytest.mark.ci
@given(results())
def test_score_and_threshold_decide(result):
    assert result.passed == (result.score >= result.threshold)
    if result.error is None:
        assert bool(result) == result.passed
    else:
        with pytest.raises(UndecidedError):
            bool(result)
    assert result.verdict == ("error" if result.error is not None else "pass" if result.passed else "fail")


def test_report_has_eight_keys_in_order():
    report = compare("normalized_exact", "Paris", " paris", name="city").to_report()
    assert list(report) == EIGHT_KEYS


@pytest.mark.parametrize(
    "attribute", ["score", "threshold", "expected", "observed", "passed", "verdict", "operator", "notes", "anything"]
)
def test_attributes_are_read_only(attribute):
    result = compare("exact", 1, 1)
    with pytest.raises(AttributeError):
        setattr(result, attribute, 0.0)
    with pytest.raises(AttributeError):
        delattr(result, attribute)


def test_returned_values_are_copies():
    result = compare("contains_all", ["a", "b"], "A", normalize=["lowercase"])
    before = result.to_text(), result.to_report()
    result.expected.append("c")
    result.expected_surface.append("c")
    result.details["missing"].append("c")
    result.settings["normalize"].append("strip")
    result.normalization.append("x")
    result.notes.append("x")
    result.to_report()["expected"].append("c")
    assert (result.to_text(), result.to_report()) == before


def test_details_with_evidence_are_copied():
    evidence = {"a": [1]}
    outcome = Outcome(0.0, details={"found": evidence})
    evidence["a"].append(2)
    assert outcome.details == {"found": {"a": [1]}}


def test_equal_by_value():
    assert compare("exact", [1, float("nan")], None) == compare("exact", [1, float("nan")], None)
    assert compare("exact", 1, 1) != compare("exact", 1, 1.0)
    assert compare("exact", "a", "a") != compare("exact", "a", "a", name="named")
    assert compare("exact", "a", "a") != "a"
    assert len({compare("exact", "a", "a"), compare("exact", "a", "a")}) == 1


def test_hostile_operator_name_is_harmless():
    record = compare("exact", 1, 1).to_record() | {"operator": "\x1b[31m"}
    assert repr(ComparisonResult.from_record(record)).isprintable()


@pytest.mark.parametrize(
    "change",
    [
        {"operator": 5},
        {"operator_version": 0},
        {"operator_version": True},
        {"operator_version": "1"},
        {"settings": []},
        {"expected": {"$type": "nonsense"}},
        {"threshold": 0},
        {"threshold": "1"},
        {"threshold": True},
        {"threshold": float("nan")},
        {"score": 2.0},
        {"score": float("nan")},
        {"score": None},
        {"normalization": "strip"},
        {"notes": [1]},
        {"details": [1]},
        {"children": {"a": 1}},
        {"children": [5]},
        {"name": 5},
        {"error": ["x"]},
        {"error": "broken", "score": 1.0},
    ],
    ids=str,
)
def test_malformed_record_is_rejected(change):
    record = compare("exact", "a", "a").to_record() | change
    with pytest.raises(RecordError):
        ComparisonResult.from_record(record)


@pytest.mark.parametrize(
    "key", ["operator", "operator_version", "settings", "expected", "observed", "score", "threshold"]
)
def test_missing_key_is_named(key):
    record = compare("exact", "a", "a").to_record()
    del record[key]
    with pytest.raises(RecordError, match=key):
        ComparisonResult.from_record(record)


@pytest.mark.parametrize("record", [None, [], "text", 5], ids=repr)
def test_invalid_record_is_rejected(record):
    with pytest.raises(RecordError):
        ComparisonResult.from_record(record)


@pytest.mark.ci
def test_deeply_nested_record_is_rejected():
    record = compare("exact", "a", "a").to_record()
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecordError, match="nested too deeply"):
        ComparisonResult.from_record(record | {"expected": deep})


def test_redacted_record_is_readable():
    result = compare("exact", {"key": "secret-1"}, "secret-1", name="secret-1")
    text = result.to_text(lambda text: text.replace("secret-1", "***"))
    assert "secret-1" not in text
    again = ComparisonResult.from_record(json.loads(text))
    assert (again.name, again.verdict) == ("***", "fail")


@pytest.mark.parametrize("score", [1.5, -0.1, float("nan"), True, "1", None], ids=repr)
def test_invalid_score_is_rejected(score):
    with pytest.raises(ValueError, match="a score is a number from"):
        Outcome(score)


def test_integer_score_becomes_a_float():
    assert repr(Outcome(1).score) == "1.0"
    with pytest.raises(ValueError, match="the score of an error"):
        Outcome(1.0, error="broken")


def test_lists_in_an_outcome_become_tuples():
    part = compare("exact", 1, 1)
    outcome = Outcome(0.0, normalization=["strip"], notes=["a", "b"], children=[part])
    assert (outcome.normalization, outcome.notes, outcome.children) == (("strip",), ("a", "b"), (part,))


@pytest.mark.parametrize(
    "parts", [{"notes": "abc"}, {"notes": (1,)}, {"normalization": [None]}, {"error": ValueError("x")}], ids=str
)
def test_invalid_part_of_outcome_is_rejected(parts):
    with pytest.raises(ValueError, match=next(iter(parts))):
        Outcome(0.0, **parts)


class Timed(Outcome):
    """An outcome of a user, with another constructor and an attribute."""

    def __init__(self, score, seconds=0.0):
        super().__init__(score, notes=("timed",), details=lambda: {"seconds": seconds})
        self.seconds = seconds


class Slotted(Outcome):
    __slots__ = ("seconds",)

    def __init__(self, score, seconds=0.0):
        self.seconds = seconds
        super().__init__(score)


@dataclasses.dataclass(eq=False)
class Data(Outcome):
    of: dataclasses.InitVar[float]
    seconds: float = 0.0

    def __post_init__(self, of):
        Outcome.__init__(self, of)


class Cached(Outcome):
    @functools.cached_property
    def seconds(self):
        return 2.5


SUBCLASSED = [Timed(0.5, 2.5), Slotted(0.5, 2.5), Data(0.5, 2.5), Cached(0.5)]


@pytest.mark.parametrize("outcome", SUBCLASSED, ids=lambda outcome: type(outcome).__name__)
def test_subclass_of_outcome_has_attributes(outcome):
    assert (outcome.score, outcome.seconds) == (0.5, 2.5)
    for part in ("score", "notes", "details", "children", "error", "normalization"):
        with pytest.raises(AttributeError):
            setattr(outcome, part, None)
    if not isinstance(outcome, Cached):
        outcome.seconds = 3.5
        assert outcome.seconds == 3.5
        outcome.seconds = 2.5


@pytest.mark.parametrize("name", ["score", "notes", "details", "children", "seconds", "parts"])
def test_outcome_is_immutable(name):
    with pytest.raises(AttributeError):
        setattr(Outcome(0.5), name, 1)


def test_replaced_outcome_is_written_anew():
    result = compare("exact", 1, 2)
    assert '"notes":[]' in result.to_text()
    outcome = result.arguments()["outcome"].replace(notes=("new",))
    assert '"notes":["new"]' in result.replace(outcome=outcome).to_text()
