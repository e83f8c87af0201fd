import sys
from typing import ClassVar

import hypothesis
import pytest

from operators.cases import CASES as OPERATOR_CASES
from pytest_verdict import MissingExtraError, Operator, Outcome, laws
from pytest_verdict.core.operator import operator_from_function
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.laws import check_operator_laws
from pytest_verdict.templates import ExactMatch


def letters(texts):
    """Embed texts by their letters."""
    return [[float(text.lower().count(chr(97 + number))) for number in range(26)] for text in texts]


PARTS = ["exact", {"operator": "text_similarity", "threshold": 0.5}]
TEXTS = ["Paris", " the  Answer ", "", "42", "ß İ é"]
NUMBERS = [0, 37.0, "36.8", -1, 1e300]
DATES = ["2024-02-29", "2024-05-01T10:00:00Z", "1 May 2024", "2024-05"]
LISTS = [["a", "b"], ["b", "a"], [], ["a", "a"]]
DOCUMENTS = ['{"a": [1, 2.50]}', "[]", {"a": 1, "b": [None, True]}, [3, 1, 2], "null"]
STEPS = [[{"name": "search", "args": {"q": "x"}}, {"name": "book", "args": {"n": 1.5}}], ["search", "book"], []]

# Values that both sides of an operator can be, by its settings: there the law `reflexive` holds. An operator that is not
# here is checked with the settings of its first case and without that law.
READABLE = {
    "all_of": [({"conditions": PARTS}, ["Paris"]), ({"conditions": {"a": "exact"}}, [{"a": 1}])],
    "answer_template": [({"fields": {"a": "exact"}}, [{"a": 1}])],
    "any_of": [({"conditions": PARTS}, TEXTS)],
    "at_least_n": [({"conditions": PARTS, "n": 2}, ["Paris"])],
    "best_of": [({"inner": "normalized_exact"}, []), ({"inner": "text_similarity"}, [])],
    "blind_preference": [({}, []), ({"tie": "pass", "gate": []}, [])],
    "boolean": [({}, [True, False])],
    "contains_all": [({}, ["Paris"]), ({"substrings": ["a"], "case_sensitive": False}, TEXTS)],
    "contains_any": [({}, ["Paris"]), ({"substrings": ["a", "b"]}, TEXTS)],
    "case_choice": [({}, [])],
    "date_match": [({}, DATES)],
    "date_range": [({}, []), ({"min": "2024-01-01"}, [])],
    "date_tolerance": [({"tolerance": 2}, DATES)],
    "derived": [({"inner": "exact", "source": "spec"}, TEXTS)],
    "ends_with": [({}, ["Paris"])],
    "exact": [({}, None)],
    "field_check": [({"field": "a"}, [{"a": 1}])],
    "json_canonical": [({}, DOCUMENTS), ({"case_sensitive": False}, DOCUMENTS)],
    "json_distance": [({}, DOCUMENTS)],
    "json_subset": [({}, DOCUMENTS), ({"case_sensitive": False}, DOCUMENTS)],
    "literal": [({}, TEXTS)],
    "normalized_exact": [({}, None), ({"normalize": ["nfkc"], "case_sensitive": False, "nan_equal": True}, None)],
    "not_contains": [({}, []), ({"substrings": ["a"], "case_sensitive": False}, TEXTS)],
    "numeric_exact": [({}, NUMBERS)],
    "numeric_maximum": [({}, NUMBERS)],
    "numeric_minimum": [({}, NUMBERS)],
    "numeric_range": [({}, []), ({"min": 0, "max": 10}, []), ({"max": 10, "zero_at": 5}, [])],
    "numeric_tolerance": [({"tolerance": 0.1}, NUMBERS), ({"tolerance": 1, "mode": "absolute", "zero_at": 5}, NUMBERS)],
    "one_of": [({}, []), ({"case_sensitive": False}, [])],
    "ordered_match": [({}, LISTS)],
    "pass_rate": [({"confident": True, "attempts": [1, 2]}, [])],
    "regex": [({}, ["Paris"]), ({"pattern": "a|(b+)c", "mode": "search", "flags": ["I"]}, TEXTS)],
    "quote_check": [({"value": "Paris"}, []), ({"value": 5, "classified": True}, [])],
    "regex_check": [
        ({"pattern": "a+", "value": 1, "match_type": "count"}, []),
        ({"pattern": "([0-9]+) (mg|g)", "value": ("5", "mg")}, []),
        ({"pattern": "(a)(b)", "value": [("a", "b")], "match_type": "all"}, []),
    ],
    "run_limits": [({"limits": {"cost": 1}}, [{"cost": 0.5}, {"cost": 2}])],
    "semantic": [({"embedder": letters, "normalize": ["lowercase"]}, TEXTS)],
    "set_containment": [({}, LISTS)],
    "set_similarity": [({}, LISTS), ({"metric": "precision", "normalize": ["lowercase"]}, LISTS)],
    "starts_with": [({}, ["Paris"])],
    "text_similarity": [
        *(({"metric": metric}, TEXTS) for metric in ("levenshtein", "jaro_winkler", "token_f1", "rouge_l")),
        ({"metric": "token_f1", "words": "cjk", "stop_words": ["the"]}, TEXTS),
    ],
    "trace_regex": [({"pattern": "a+"}, []), ({}, [])],
    "trajectory_any_order": [({}, STEPS)],
    "trajectory_exact": [({}, STEPS)],
    "trajectory_f1": [({}, STEPS)],
    "trajectory_in_order": [({"extras": "forbid"}, STEPS)],
    "trajectory_max_calls": [({"limits": 2}, STEPS)],
    "trajectory_precision": [({"matching": "in_order", "credit": "partial"}, STEPS)],
    "trajectory_recall": [({}, STEPS)],
    "trajectory_similarity": [({}, STEPS)],
    "trajectory_single_tool_use": [({"tool": "search"}, STEPS)],
    "trajectory_steps": [({}, STEPS)],
    "trajectory_valid_calls": [({"definitions": {"search": None, "book": None}}, STEPS)],
    "weighted": [({"conditions": ["exact", "contains_all"], "weights": [1, 3]}, ["Paris"])],
}  # fmt: skip
FIRST = {row.operator: [(row.settings, [])] for row in reversed(OPERATOR_CASES)}
CASES = {**FIRST, **READABLE}


@pytest.mark.parametrize(
    ("name", "settings", "values"),
    [pytest.param(name, *case, id=f"{name}-{number}") for name in CASES for number, case in enumerate(CASES[name])],
)
def test_built_in_operator_keeps_the_laws(name, settings, values, monkeypatch):
    monkeypatch.setattr(laws, "_check_fresh_process", lambda _cases: None)
    check_operator_laws(REGISTRY.build(name, settings), values=values, examples=hypothesis.settings().max_examples // 5)


@pytest.mark.ci
def test_built_in_operators_give_the_same_records_in_a_fresh_process():
    laws._check_fresh_process(
        [(REGISTRY.build(name, settings), values or ()) for name in CASES for settings, values in CASES[name]]
    )


def test_cases_cover_all_built_in_operators():
    assert set(CASES) >= {
        name for name in REGISTRY.names() if REGISTRY.find(name).__module__.startswith("pytest_verdict.")
    }


class Broken(Operator):
    name: ClassVar[str] = "broken"

    def evaluate(self, expected, observed):
        return Outcome(1.0 if expected == observed else 0.0)


class NotReflexive(Broken):
    def evaluate(self, expected, observed):
        return Outcome(0.5)


class NotANumber(Broken):
    def evaluate(self, expected, observed):
        return Outcome(float("nan"))


class Forgiving(Broken):
    def evaluate(self, expected, observed):
        return Outcome(1.0, notes=("not_a_number",))


class NoOutcome(Broken):
    def evaluate(self, expected, observed):
        return 1.0


class SetOrder(Broken):
    def evaluate(self, expected, observed):
        words = {str(number) for number in range(50)}
        return Outcome(1.0, details={"words": list(words)})


class Raising(Broken):
    def evaluate(self, expected, observed):
        return Outcome(1.0 if len(expected) == len(observed) else 0.0)


class HugeInteger(Broken):
    def evaluate(self, expected, observed):
        return Outcome(1.0 if str(expected) == str(observed) else 0.0)


class Changing(Broken):
    def evaluate(self, expected, observed):
        if isinstance(expected, list):
            expected.append(1)
        return Outcome(1.0)


class Counting(Broken):
    calls: ClassVar[list[int]] = []

    def evaluate(self, expected, observed):
        self.calls.append(1)
        return Outcome(1.0, details={"call": len(self.calls)})


class LosingSettings(Broken):
    depth: int = 3

    def settings(self):
        return {}


class ReplayDiffers(Broken):
    def replay(self, expected, observed, details):
        return Outcome(0.25)


class BadThreshold(Broken):
    def default_threshold(self):
        return 1.5


def _local():
    class Local(Broken):
        pass

    return Local()


@pytest.mark.parametrize(
    ("operator", "law"),
    [
        (NotReflexive(), "reflexive"),
        (NotANumber(), "score"),
        (NoOutcome(), "score"),
        (Forgiving(), "refusal"),
        (SetOrder(), "fresh process"),
        (Raising(), "no exception"),
        (HugeInteger(), "no exception"),
        (Changing(), "evidence unchanged"),
        (Counting(), "same again"),
        (LosingSettings(depth=4), "settings"),
        (ReplayDiffers(), "record"),
        (BadThreshold(), "threshold"),
        (_local(), "pickle"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Operator) else None,
)
def test_broken_law_is_named(operator, law):
    with pytest.raises(AssertionError, match=f"law '{law}'"):
        check_operator_laws(operator)


def test_operator_of_the_main_program_breaks_the_law_fresh_process(monkeypatch):
    monkeypatch.setattr(NotReflexive, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "NotReflexive", NotReflexive, raising=False)
    with pytest.raises(AssertionError, match=r"fresh process.*is its class in a module"):
        check_operator_laws(NotReflexive(), values=[], examples=5)


def same_type(expected, observed, *, strict: bool = False):
    return type(expected) is type(observed) if strict else isinstance(observed, type(expected))


@pytest.mark.ci
def test_operator_from_a_function_keeps_the_laws():
    check_operator_laws(operator_from_function(same_type)(strict=True), examples=20)


@pytest.mark.ci
def test_value_refused_with_a_note_does_not_break_the_law_reflexive():
    check_operator_laws(REGISTRY.build("contains_all"), values=["", 3, None], examples=5)


def test_missing_hypothesis_raises_missing_extra_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(MissingExtraError, match=r"pytest-verdict\[laws\]"):
        check_operator_laws(ExactMatch())
