"""The public face: compare, assert_matches, expect and the comparator."""

# ruff: noqa: SIM117, PT012 - the blocks of collect are what is tested

from __future__ import annotations

import concurrent.futures
import math
import os
import pickle
import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import (
    Comparator,
    ComparisonResult,
    ConfigurationError,
    MismatchError,
    Operator,
    OperatorRegistry,
    Outcome,
    UndecidedError,
    UnknownOperatorError,
    assert_matches,
    compare,
    expect,
    explain,
)
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import SettingsError, ThresholdError
from pytest_verdict.operators import NumericTolerance
from pytest_verdict.session import SESSION
from pytest_verdict.templates import ExactMatch


class Fixed(Operator):
    """Gives the score it was told to."""

    name = "fixed"
    score: float = 0.5

    def evaluate(self, expected, observed):
        return Outcome(self.score)


class Returning(Operator):
    """Returns what it finds as observed, whatever that is."""

    name = "returning"

    def evaluate(self, expected, observed):
        return observed


class RaisingBefore(Operator):
    """Broken before it compares."""

    name = "raising_before"

    def effective_expected(self, expected):
        raise KeyError("pattern")

    def evaluate(self, expected, observed):
        return Outcome(1.0)


class Raising(Operator):
    """A broken operator."""

    name = "raising"

    def evaluate(self, expected, observed):
        raise KeyError(f"no such thing at {object()!r}")


class Mutating(Operator):
    """Changes what it is given."""

    name = "mutating"

    def evaluate(self, expected, observed):
        observed.clear()
        return Outcome(1.0)


class Lenient(Fixed):
    """Has a threshold of its own that would let everything pass."""

    name = "lenient"
    own: float = 0.0

    def default_threshold(self):
        return self.own


@pytest.fixture
def seen(monkeypatch):
    results = []
    monkeypatch.setattr(SESSION, "observer", lambda result: results.append(result) or result)
    return results


@pytest.fixture
def registry():
    return OperatorRegistry(FAMILIES)


class TestThePatternsExample:
    """The assertions of the Comparator pattern."""

    def test_example_holds(self):
        report = compare(
            operator="normalized_exact",
            expected="The answer is 42.",
            observed="the answer is 42.",
        )
        assert report.passed is True
        assert compare("exact", "The answer is 42.", "the answer is 42.").passed is False
        assert report.normalization == ["lowercase", "strip", "collapse_whitespace"]

        malformed_json = compare("json_canonical", '{"answer": 42}', '{"answer":')
        assert malformed_json.passed is False
        assert malformed_json.notes == ["json_parse_failed"]

        assert report.to_report() == {
            "operator": "normalized_exact",
            "expected": "The answer is 42.",
            "observed": "the answer is 42.",
            "normalization": ["lowercase", "strip", "collapse_whitespace"],
            "notes": [],
            "score": 1.0,
            "threshold": 1.0,
            "verdict": "pass",
        }

    def test_invalid_pattern_is_a_note(self):
        result = compare("regex", "(", "(")
        assert (result.passed, result.notes) == (False, ["invalid_regex_pattern"])

    def test_operator_is_required(self):
        with pytest.raises(TypeError):
            compare("Paris", "Paris")

    def test_error_in_effective_expected_is_an_error(self):
        expected = [1]
        result = compare(RaisingBefore(), expected, 1)
        expected.append(2)
        assert (result.verdict, result.error, result.expected) == ("error", "KeyError: 'pattern'", [1])


class TestConfiguration:
    def test_mistake_names_the_called_function(self):
        with pytest.raises(SettingsError, match=r"^exact: there is no setting 'case'"):
            compare("exact", 1, 1, case=True)

    @pytest.mark.parametrize(
        ("call", "error", "said"),
        [
            (lambda: compare("exat", 1, 1), UnknownOperatorError, "'exat'. Did you mean 'exact'? `pytest-verdict"),
            (lambda: compare("", 1, 1), UnknownOperatorError, "''"),
            (lambda: compare(5, 1, 1), ConfigurationError, "got 5"),
            (lambda: compare(ExactMatch, 1, 1), ConfigurationError, "such as Exact()"),
            (lambda: compare("exact", 1, 1, case=True), SettingsError, "no setting 'case'. Did you mean 'case_sensitive'?"),
            (lambda: compare("exact", 1, 1, thresold=1), SettingsError, "Did you mean the argument 'threshold'?"),
            (lambda: compare("exact", 1, 1, case_sensitive="no"), SettingsError, "must be True or False, got 'no'"),
            (lambda: compare("exact", 1, 1, case_sensitive=1), SettingsError, "must be True or False, got 1"),
            (lambda: compare(Fixed(), 1, 1, score=0.3), SettingsError, "Fixed(score=...)"),
            (lambda: Fixed(score=True), SettingsError, "score must be a number, got True"),
            (lambda: compare("exact", 1, 1, name=5), ConfigurationError, "name is a text or None, got 5"),
            (lambda: expect("exat", 1), UnknownOperatorError, "exat"),
            (lambda: expect("exact", 1, threshold=2), ThresholdError, "got 2"),
            (lambda: assert_matches("exact", 1, 1, nan_equals=True), SettingsError, "nan_equal"),
            (lambda: compare("contains_any", None, "a", substrings=[]), SettingsError, "at least one text"),
            (lambda: compare("contains_any", None, "a", substrings="ab"), SettingsError, "got 'ab'"),
            (lambda: compare("contains_any", None, "a", substrings=[b"a"]), SettingsError, "takes text, not bytes, got [b'a']"),
            (lambda: compare("regex", None, "a", pattern=b"a"), SettingsError, "pattern: takes text, not bytes, got b'a'"),
            (lambda: compare("date_match", "", "", format=bytearray(b"%Y-%j")), SettingsError, "format: takes text, not"),
        ],
        ids=[
            "misspelt", "empty", "no name", "class", "unknown setting", "misspelt argument", "text for a bool",
            "number for a bool",
            "settings for an instance", "bool for a number", "name", "expect", "expect threshold", "assert", "no substrings",
            "one substring", "bytes among texts", "bytes for text", "bytearray for text",
        ],
    )  # fmt: skip
    def test_mistake_names_what_is_allowed(self, call, error, said, seen):
        with pytest.raises(error) as caught:
            call()
        assert said in str(caught.value)
        assert isinstance(caught.value, ValueError)
        assert seen == []

    @pytest.mark.parametrize(
        "threshold", [0, 0.0, -0.5, 1.0000001, math.nan, math.inf, True, "1", Decimal(1), [1]], ids=repr
    )
    def test_threshold_must_be_in_range(self, threshold):
        with pytest.raises(ThresholdError, match="threshold must be in"):
            compare("exact", 1, 1, threshold)
        with pytest.raises(ThresholdError):
            Comparator().with_defaults(threshold=threshold)

    @pytest.mark.parametrize("own", [0.0, 2.0, math.nan])
    def test_own_threshold_of_operator_is_validated(self, own):
        with pytest.raises(ThresholdError):
            compare(Lenient(own=own, score=0.0), 1, 1)

    @given(st.floats(0, 1), st.floats(0, 1, exclude_min=True))
    def test_score_must_reach_threshold(self, score, threshold):
        assert compare(Fixed(score=score), 1, 1, threshold).passed == (score >= threshold)

    def test_integer_threshold_is_recorded_as_float(self):
        assert repr(compare("exact", 1, 1, 1).threshold) == "1.0"

    def test_positional_and_keyword_calls_agree(self):
        positional = compare("exact", "a", "b", 1.0)
        assert positional == compare(observed="b", expected="a", threshold=1.0, operator="exact")
        assert positional == compare(ExactMatch(normalize=[]), "a", "b", 1.0)
        assert compare("exact", "A", "a", case_sensitive=False).operator == "normalized_exact"
        assert compare("normalized_exact", "A", "a", normalize=[]).operator == "exact"


class TestABrokenOperator:
    @pytest.mark.parametrize("returned", [None, True, 0.5, "pass", float("nan")], ids=repr)
    def test_operator_without_outcome_is_an_error(self, returned):
        result = compare(Returning(), 1, returned)
        assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
        assert "must return an Outcome" in result.error

    def test_raising_operator_is_an_error_without_addresses(self, seen):
        result = compare(Raising(), "a", "a")
        assert result.verdict == "error"
        assert result.error == "KeyError: 'no such thing at <object object at 0x...>'"
        assert seen == [result]
        with pytest.raises(UndecidedError, match="error: KeyError"):
            assert_matches(Raising(), 1, 1)

    @pytest.mark.parametrize(
        "used",
        [
            lambda: bool(expect(Raising(), 1) == 1),
            lambda: bool(expect(Raising(), 1) != 1),
            lambda: 1 in [2, expect(Raising(), 1)],
            lambda: bool(compare(Raising(), 1, 1)),
            lambda: not compare(Raising(), 1, 1),
            lambda: compare(Raising(), 1, 1) or True,
            lambda: any([compare(Raising(), 1, 1), compare("exact", 1, 1)]),
            lambda: not Comparator()(Raising(), 1, 1),
        ],
    )
    def test_is_neither_true_nor_false(self, used):
        with pytest.raises(UndecidedError, match="raising: error") as caught:
            used()
        assert not isinstance(caught.value, AssertionError)
        assert caught.value.result.error.startswith("KeyError")

    def test_can_be_inspected_without_bool(self):
        result = compare(Raising(), 1, 1)
        assert (result.passed, result.verdict, result.score) == (False, "error", 0.0)

    def test_recursive_evidence_is_an_error(self):
        looping: list = []
        looping.append(looping)
        result = compare("exact", looping, looping)
        assert result.error == "RecursionError: a value contains itself or is nested too deeply"
        assert result.to_text()

    def test_raising_equality_is_an_error(self):
        class Angry:
            __hash__ = None

            def __eq__(self, other):
                raise RuntimeError("angry")

        assert compare("exact", Angry(), Angry()).error == "RuntimeError: angry"


class TestSnapshot:
    @pytest.mark.parametrize("kind", [list, dict, set, bytearray])
    def test_later_change_of_evidence_does_not_affect_result(self, kind):
        import collections
        import dataclasses

        @dataclasses.dataclass
        class Box:
            items: object

        filled = {list: [1], dict: {"a": [1]}, set: {1}, bytearray: bytearray(b"a")}[kind]
        ordered = collections.OrderedDict(a=[1])
        observed = [(filled, ordered), Box(filled)]
        result = compare("exact", filled, observed)
        before = result.to_text()
        filled.clear()
        ordered["a"].append(2)
        assert result.to_text() == before

    def test_operator_that_changes_its_arguments_does_not_affect_record(self):
        assert compare(Mutating(), None, [1, 2]).observed == [1, 2]


class TestAssertMatches:
    def test_returns_the_passed_result(self):
        assert assert_matches("exact", 1, 1, name="one").name == "one"

    def test_raises_mismatch_error_with_block_and_result(self):
        with pytest.raises(AssertionError) as caught:
            assert_matches("exact", expected="Paris", observed="London", name="city")
        assert type(caught.value) is MismatchError
        assert str(caught.value).splitlines()[0] == "exact 'city': expected 'Paris', got 'London'"
        assert caught.value.result.observed == "London"
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.results) == (str(caught.value), caught.value.results)


class TestExpect:
    def test_equal_and_unequal(self):
        assert expect("normalized_exact", "Paris") == "paris "
        assert expect("normalized_exact", "Paris") == "paris "
        assert expect("normalized_exact", "Paris") != "London"
        assert expect("normalized_exact", "Paris") == "paris"

    def test_each_equality_is_recorded(self, seen):
        wanted = expect("exact", "a", name="letter")
        assert wanted != "b"
        assert wanted == "a"
        assert [result.observed for result in seen] == ["b", "a"]

    def test_a_numpy_array_is_compared_as_a_whole(self):
        numpy = pytest.importorskip("numpy")
        assert isinstance(numpy.array([1, 2]) == expect(Fixed(score=1.0), 1), ComparisonResult)

    def test_repr_is_the_call(self):
        assert repr(expect("normalized_exact", "Paris")) == "expect('normalized_exact', 'Paris')"


class TestDefaults:
    def test_apply_to_one_or_all_operators(self):
        comparator = (
            Comparator()
            .with_defaults(threshold=0.5)
            .with_defaults("text_similarity", threshold=0.9, normalize=["lowercase"])
        )
        assert comparator("text_similarity", "A", "a").passed
        assert comparator("text_similarity", "A", "a").threshold == 0.9
        assert comparator("contains_any", "A", "a").threshold == 0.5
        assert comparator("text_similarity", "A", "a", 1.0, normalize=[]).passed is False

    def test_do_not_change_the_comparator(self):
        comparator = Comparator()
        comparator.with_defaults("exact", case_sensitive=False)
        assert not comparator("exact", "A", "a").passed

    @pytest.mark.parametrize(
        ("arguments", "settings", "said"),
        [
            (["exat"], {}, "Did you mean 'exact'"),
            (["exact"], {"case": True}, "Did you mean 'case_sensitive'"),
            (["exact"], {"case_sensitive": "no"}, "True or False"),
            (["exact"], {"normalize": ["lower"]}, "Unknown normalizer: 'lower'"),
            ([], {"case_sensitive": True}, "case_sensitive need the operator"),
        ],
        ids=["operator", "setting", "value", "normalizer", "no operator"],
    )
    def test_are_validated_at_once(self, arguments, settings, said):
        with pytest.raises(ConfigurationError) as caught:
            Comparator().with_defaults(*arguments, **settings)
        assert said in str(caught.value)


class TestCollect:
    def test_fails_once_with_all_failures(self, seen):
        comparator = Comparator()
        with pytest.raises(MismatchError) as caught:
            with comparator.collect() as same:
                assert same is comparator
                for letter in "abc":
                    comparator.assert_matches("exact", "b", letter, name=letter)
        assert [result.name for result in caught.value.results] == ["a", "c"]
        assert str(caught.value).startswith("2 failed, 3 compared; first exact 'a': expected 'b', got 'a'\nexact 'a': ")
        assert len(seen) == 3

    @pytest.mark.parametrize(
        "use",
        [
            lambda comparator: comparator("exact", 1, 2),
            lambda comparator: [comparator("exact", 1, 2)],
            lambda comparator: comparator("exact", 1, 2) or True,
            lambda comparator: not comparator("exact", 1, 2),
            lambda comparator: comparator.with_defaults(threshold=0.5)("exact", 1, 2),
        ],
    )
    def test_every_comparison_of_the_comparator_counts(self, use):
        comparator = Comparator()
        with pytest.raises(MismatchError, match=r"^exact: expected 1, got 2\n"):
            with comparator.collect():
                use(comparator)
        assert not comparator("exact", 1, 2)

    def test_passes_when_all_pass(self):
        with Comparator().collect() as comparator:
            comparator.assert_matches("exact", 1, 1)
        with pytest.raises(MismatchError, match=r"^exact: expected 1"):
            comparator.assert_matches("exact", 1, 2)

    def test_empty_inner_block_keeps_outer_open(self):
        comparator = Comparator()
        with pytest.raises(MismatchError, match=r"^1 failed, 2 compared; first exact: expected 1"):
            with comparator.collect():
                with comparator.collect():
                    comparator.assert_matches("exact", 1, 1)
                comparator.assert_matches("exact", 1, 2)
        with pytest.raises(MismatchError, match=r"^exact: expected 1"):
            comparator.assert_matches("exact", 1, 2)

    def test_inner_block_fails_on_its_own(self):
        comparator = Comparator()
        with pytest.raises(MismatchError) as caught:
            with comparator.collect():
                comparator.assert_matches("exact", 1, "outer")
                with comparator.collect():
                    comparator.assert_matches("exact", 1, "inner")
        assert caught.value.result.observed == "inner"
        assert "'outer'" in caught.value.__notes__[0]

    def test_exception_of_the_body_has_failures_as_note(self):
        comparator = Comparator()
        with pytest.raises(ZeroDivisionError) as caught:
            with comparator.collect():
                comparator.assert_matches("exact", 1, 2)
                _ = 1 / 0
        assert "exact: expected 1, got 2" in caught.value.__notes__[0]

    def test_configuration_error_is_not_collected(self):
        comparator = Comparator()
        with pytest.raises(UnknownOperatorError), comparator.collect():
            comparator.assert_matches("exat", 1, 1)

    def test_copies_with_defaults_collect_together(self):
        comparator = Comparator()
        with pytest.raises(MismatchError), comparator.collect():
            comparator.with_defaults(threshold=0.5).assert_matches("exact", 1, 2)

    def test_threads_inside_the_block_are_collected(self):
        comparator = Comparator()
        with pytest.raises(MismatchError) as caught:
            with comparator.collect(), concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda number: comparator.assert_matches("exact", 0, number), range(200)))
        assert sorted(result.observed for result in caught.value.results) == list(range(1, 200))


def half(expected, observed, *, share: float = 0.5):
    """Return a fixed share."""
    return share


def yes_or_no(expected, observed):
    return expected == observed


@REGISTRY.add
def decorated_half(expected, observed, *, share: float = 0.5):
    return share


class TestRegistration:
    def test_a_class(self, registry):
        assert registry.add(Fixed) is Fixed
        assert registry.build("fixed", {"score": 1.0}) == Fixed(score=1.0)
        assert "fixed" in registry
        assert "fixed" in list(registry)
        assert registry.add(Fixed) is Fixed

    def test_a_function(self, registry):
        Half = registry.add(half)
        assert registry.find("half") is Half
        assert Half(share=0.25).evaluate(1, 1).score == 0.25
        assert Half().settings() == {"share": 0.5}
        with pytest.raises(SettingsError, match="Did you mean 'share'"):
            Half(shar=1)

    def test_decorated_function_is_found(self):
        result = compare("decorated_half", 1, 1, share=0.75)
        assert (result.score, result.operator) == (0.75, "decorated_half")

    @pytest.mark.parametrize(
        "make", [lambda: OperatorRegistry().add(half)(share=0.3), lambda: decorated_half(share=0.3)]
    )
    def test_function_operator_can_be_pickled_after_use(self, make):
        operator = make()
        before = compare(operator, 1, 1)
        again = pickle.loads(pickle.dumps(operator))
        assert again.settings() == operator.settings()
        assert compare(again, 1, 1) == before

    @pytest.mark.parametrize("returned", ["0.5", None, 2, float("nan")], ids=repr)
    def test_function_must_return_a_score(self, registry, returned):
        result = compare(registry.add(lambda expected, observed: returned, name="odd")(), 1, 1)
        assert result.verdict == "error"

    def test_function_may_return_a_bool(self, registry):
        assert compare(registry.add(yes_or_no)(), 1, 1).score == 1.0

    @pytest.mark.parametrize("name", ["exact", "regex", "fixed"])
    def test_duplicate_name_is_rejected(self, registry, name):
        registry.add(Fixed)
        other = type("Other", (Fixed,), {"name": name, "__module__": __name__, "__qualname__": "Other"})
        with pytest.raises(ConfigurationError, match=f"{name!r} is already registered"):
            registry.add(other)

    @pytest.mark.parametrize(
        ("operator", "said"),
        [
            (5, "got 5"),
            (int, "class derived from Operator"),
            (type("Nameless", (Operator,), {"__module__": __name__}), "needs a name"),
            (type("Spaced", (Fixed,), {"name": "two words", "__module__": __name__}), "needs a name"),
            (type("Empty", (Operator,), {"name": "empty", "__module__": __name__}), "needs a method evaluate"),
            (type("Old", (Fixed,), {"name": "old", "version": 0, "__module__": __name__}), "whole number from 1"),
            (lambda expected, observed: 1.0, "needs a name"),
            (lambda observed, expected: 1.0, "takes expected and observed first"),
            (lambda expected, observed, **settings: 1.0, "named one by one"),
            (lambda expected, observed, threshold=1: 1.0, "cannot be called 'threshold'"),
            (lambda expected, observed, settings=1: 1.0, "cannot be called 'settings'"),
        ],
        ids=[
            "number",
            "class",
            "nameless",
            "spaced",
            "empty",
            "version",
            "lambda",
            "order",
            "rest",
            "threshold",
            "taken",
        ],
    )
    def test_invalid_operator_is_rejected(self, registry, operator, said):
        with pytest.raises(ConfigurationError, match=said):
            registry.add(operator)

    def test_class_must_have_its_own_name(self, registry):
        with pytest.raises(ConfigurationError, match="carries its name itself"):
            registry.add(Fixed, name="other")


def install(folder, entry_point: str) -> None:
    """Write a distribution that offers one operator."""
    information = folder / "shapes-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: shapes\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[pytest_verdict.operators]\n{entry_point}\n")
    (folder / "shapes.py").write_text(
        "def same_length(expected, observed):\n    return len(expected) == len(observed)\n"
    )


def run(folder, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True
    )


class TestEntryPoints:
    def test_installed_operator_is_found(self, tmp_path):
        install(tmp_path, "same_length = shapes:same_length")
        found = run(tmp_path, "from pytest_verdict import compare; print(compare('same_length', 'ab', 'cd').passed)")
        assert found.stdout == "True\n", found.stderr

    def test_unloadable_operator_is_named_each_time(self, tmp_path):
        install(tmp_path, "same_length = shapes:no_such_thing")
        program = (
            "from pytest_verdict import compare, ConfigurationError\n"
            "for _ in range(2):\n"
            "    try: compare('same_length', 'ab', 'cd')\n"
            "    except ConfigurationError as error: print(error)\n"
        )
        found = run(tmp_path, program)
        assert found.stdout.count("same_length = shapes:no_such_thing") == 2, found.stderr


@pytest.mark.parametrize("has_compared", [False, True])
def test_copied_operator_is_recorded_with_its_settings(has_compared):
    operator = NumericTolerance(tolerance=0.5)
    if has_compared:
        compare(operator, 1, 1)
    copy = operator.model_copy(update={"tolerance": 5})
    result = compare(copy, 1, 4)
    assert (result.passed, result.settings["tolerance"]) == (True, 5)
    assert operator.tolerance == 0.5


def test_copied_operator_validates_settings():
    with pytest.raises(SettingsError, match="tolerance"):
        NumericTolerance(tolerance=0.5).model_copy(update={"tolerance": -1})
    with pytest.raises(SettingsError, match="tolerence"):
        NumericTolerance(tolerance=0.5).model_copy(update={"tolerence": 1})


def test_class_instead_of_instance_is_explained():
    with pytest.raises(ConfigurationError, match=r"make one: NumericTolerance\(\.\.\.\)"):
        compare(NumericTolerance, 1, 1)
    with pytest.raises(ConfigurationError, match=r"names the operator, such as 'exact'.*got 3$"):
        compare(3, 1, 1)


def test_unequal_is_recorded_as_negated(monkeypatch):
    made = []
    monkeypatch.setattr(SESSION, "observer", lambda result: made.append(result) or result)
    expectation = expect("exact", "Paris")
    assert expectation != "Rome"
    assert not (expectation != "Paris")  # noqa: SIM202 - this is what is tested
    assert expectation == "Paris"
    records = [result.to_record() for result in made]
    assert [record["verdict"] for record in records] == ["pass", "fail", "pass"]
    assert [record.get("negated") for record in records] == [True, True, None]
    assert [result.passed for result in made] == [True, False, True]
    assert [ComparisonResult.from_record(record).to_record() for record in records] == records
    assert next(explain(made[0])) == "exact: pass: expected no match with 'Paris', got 'Rome'"
    assert next(explain(made[1])) == "exact: expected no match with 'Paris', got 'Paris'"


def test_negated_error_does_not_pass(monkeypatch):
    made = []
    monkeypatch.setattr(SESSION, "observer", lambda result: made.append(result) or result)
    with pytest.raises(UndecidedError):
        assert expect("regex", "(") != "a"
    assert made[0].verdict == "error"
    assert not made[0].passed
    assert "negated" not in made[0].to_record()


def test_outcome_of_an_operator_cannot_negate():
    with pytest.raises(TypeError, match="negated"):
        Outcome(0.0, negated=True)
