"""A class and its registered name are one thing, and a template's primitive says which operator it is."""

from pathlib import Path

import pytest

import pytest_verdict.operators
import pytest_verdict.templates
from pytest_verdict import compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY, operator_from_settings
from pytest_verdict.errors import SettingsError
from pytest_verdict.templates import primitives

BROUGHT = sorted(FAMILIES.own("operators"))

# Those that mean nothing without a setting.
NEEDED = {
    "all_of": {"conditions": ["exact"]},
    "any_of": {"conditions": ["exact"]},
    "at_least_n": {"n": 1, "conditions": ["exact"]},
    "best_of": {"inner": "exact"},
    "criteria": {
        "id": "tone",
        "revision": 1,
        "criteria": [{"id": "polite", "version": 1, "severity": "minor", "operator": "exact"}],
    },
    "date_tolerance": {"tolerance": 1},
    "derived": {"inner": "exact", "source": "spec"},
    "field_check": {"field": "a"},
    "none_of": {"conditions": ["exact"]},
    "numeric_tolerance": {"tolerance": "0.1"},
    "trace_length": {"max": 5},
    "weighted": {"conditions": ["exact"], "weights": [1]},
}
VALUES = [
    ("Paris", " paris "),
    ("a+", "aa"),
    ("1", 1),
    (True, "a"),
    (None, None),
    ([1, "a"], ["a", 1]),
    ([0, 2], {"before": 1, "after": 2}),
    ({"a": [1]}, '{"a": [1]}'),
    ("2024-01-15", "15 January 2024"),
    (0.5, {"pass": 1, "fail": 1, "error": 0}),
]


@pytest.mark.parametrize("name", BROUGHT)
def test_an_operator_is_recorded_by_the_name_under_which_it_is_found(name):
    cls = REGISTRY.find(name)
    try:
        operator = cls()
    except SettingsError:
        operator = cls(**NEEDED[name])
    assert (cls.name, operator.recorded_name()) == (name, name)


@pytest.mark.parametrize("name", sorted(set(BROUGHT) - {"semantic"}))
def test_a_class_and_its_name_make_the_same_records(name):
    settings = NEEDED.get(name, {})
    cls = REGISTRY.find(name)
    for expected, observed in VALUES:
        by_name = compare(name, expected, observed, **settings)
        by_class = compare(cls(**settings), expected, observed)
        assert by_class.to_text() == by_name.to_text()
        if not settings:
            assert compare(operator_from_settings(cls), expected, observed).to_text() == by_name.to_text()


def test_every_operator_of_the_public_names_is_the_class_behind_its_name():
    found = [getattr(pytest_verdict.operators, name) for name in pytest_verdict.operators.__all__]
    operators = [item for item in found if isinstance(item, type) and issubclass(item, Operator)]
    assert len(operators) >= 30
    assert [cls for cls in operators if REGISTRY.find(cls.name) is not cls] == []


PRIMITIVES = [
    name
    for name in pytest_verdict.templates.__all__
    if isinstance(getattr(primitives, name, None), type) and issubclass(getattr(primitives, name), Operator)
]


def test_there_are_eighteen_primitives():
    assert len(PRIMITIVES) == 18


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_primitive_is_the_operator_or_says_which_one_it_is(name):
    primitive = getattr(primitives, name)
    operator = REGISTRY.find(primitive.name)
    if primitive is not operator:
        assert issubclass(primitive, operator)
        assert (primitive.__doc__ or "").startswith(f"The operator ``{primitive.name}``")


@pytest.mark.parametrize("name", BROUGHT)
def test_every_operator_of_this_room_has_a_test_file_of_its_own(name):
    module = REGISTRY.find(name).__module__
    home = "pytest_verdict.operators."
    if module.startswith(home):
        file = f"test_{module.removeprefix(home).replace('.', '_')}.py"
        assert (Path(__file__).parent / file).exists()
