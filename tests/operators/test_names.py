"""A class and its registered name are one thing, and a template's primitive says which operator it is."""

import pytest

import pytest_verdict.operators
import pytest_verdict.templates
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.templates import primitives


def test_public_classes_are_the_registered_ones():
    found = [getattr(pytest_verdict.operators, name) for name in pytest_verdict.operators.__all__]
    operators = [item for item in found if isinstance(item, type) and issubclass(item, Operator)]
    assert len(operators) >= 30
    assert [cls for cls in operators if REGISTRY.find(cls.name) is not cls] == []


PRIMITIVES = [
    name
    for name in pytest_verdict.templates.__all__
    if isinstance(getattr(primitives, name, None), type) and issubclass(getattr(primitives, name), Operator)
]


def test_primitives_are_classes():
    # The 18 of the specification, the two limits, and two graded ones; the third builds one of the limits.
    assert len(PRIMITIVES) == 18 + 2 + 2


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitive_is_or_names_its_operator(name):
    primitive = getattr(primitives, name)
    operator = REGISTRY.find(primitive.name)
    if primitive is not operator:
        assert issubclass(primitive, operator)
        assert (primitive.__doc__ or "").startswith(f"The operator ``{primitive.name}``")
