"""What to write instead of a call or a name that does not exist; imported only when an error is made."""

import importlib
import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pytest_verdict
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ArgumentsError, right_spelling


def missing_arguments(operator: Any, expected: Any, observed: Any, settings: Mapping[str, Any]) -> ArgumentsError:
    """Say how a comparison is written, where not all of it was given."""
    if not isinstance(operator, Operator) and (not isinstance(operator, str) or operator not in REGISTRY):
        call = f"compare('exact', {_written(operator)}, {_written(expected)})"
        return ArgumentsError(f"the operator comes first: write {call}; assert_matches takes the same")
    missing = [side for side, value in (("expected", expected), ("observed", observed)) if value is ABSENT]
    wrong = [f"; there is no argument {word!r}" for word in settings if right_spelling("argument", word, ())]
    call = f"compare({_written(operator)}, expected={_written(expected)}, observed={_written(observed)})"
    return ArgumentsError(f"{' and '.join(missing)} missing{''.join(wrong)}: write {call}")


def _written(value: Any) -> str:
    return "..." if value is ABSENT else shown(value, 60)


def unknown_attribute(name: str) -> AttributeError:
    """Say what a comparator has instead of an attribute."""
    right = f'comparator("{name}", expected, observed)' if name in REGISTRY else right_spelling("attribute", name, ())
    usual = 'comparator.assert_matches("exact", expected, observed) or comparator("exact", expected, observed)'
    return AttributeError(f"a comparator has no attribute {name!r}. Write {right or usual}")


def unknown_name(package: str, name: str) -> ImportError | AttributeError:
    """Say where a public name is, or which one was probably meant."""
    stubs = sorted(Path(pytest_verdict.__file__).parent.glob("*/__init__.pyi"), reverse=True)
    namespaces = (*(f"pytest_verdict.{stub.parent.name}" for stub in stubs), "pytest_verdict", package)
    places = {found: place for place in namespaces for found in importlib.import_module(place).__all__}
    own = [found for found, place in places.items() if place == package]
    right = f'compare("{name}", expected, observed)' if name in REGISTRY else right_spelling("name", name, ())
    close = [name] if name in places else get_close_matches(name, own, 1, 0.5) or get_close_matches(name, places, 1)
    if close and not right:
        right = f"from {places[close[0]]} import {close[0]}"
    # "from package import name" asks by this function, and would replace what an AttributeError says.
    is_import = "_handle_fromlist" in [frame.function for frame in inspect.stack(0)[2:3]]
    kind = ImportError if is_import else AttributeError
    return kind(f"{package} has no name {name!r}. {f'Write {right}' if right else 'It has ' + ', '.join(own)}")
