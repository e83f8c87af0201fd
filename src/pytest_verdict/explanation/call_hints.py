"""Errors for calls and names that do not exist, with what to write instead; imported only when such an error is raised."""

import importlib
import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pytest_verdict
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.values.display import safe_repr, shown
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ArgumentsError, right_spelling

_COMPARING = ("compare", "assert_matches", "expect", "Comparator")


def missing_arguments(operator: Any, expected: Any, observed: Any, settings: Mapping[str, Any]) -> ArgumentsError:
    """Build the error of a comparison that lacks an argument."""
    if not isinstance(operator, Operator) and (not isinstance(operator, str) or operator not in REGISTRY):
        call = f"compare('exact', {_format_argument(operator)}, {_format_argument(expected)})"
        return ArgumentsError(f"the operator comes first: write {call}; assert_matches takes the same")

    missing = [side for side, value in (("expected", expected), ("observed", observed)) if value is ABSENT]
    problem = f"{' and '.join(missing)} missing"
    for word in settings:
        if right_spelling("argument", word, ()):
            problem += f"; there is no argument {word!r}"
    sides = f"expected={_format_argument(expected)}, observed={_format_argument(observed)}"
    return ArgumentsError(f"{problem}: write compare({_format_argument(operator)}, {sides})")


def not_an_operator(operator: Any, settings: Mapping[str, Any]) -> ArgumentsError:
    """Build the error of a comparison without an operator."""
    text = "none" if operator is ABSENT else safe_repr(operator)
    message = f"the first argument names the operator, such as 'exact', or is one, such as Exact(); got {text}"
    remedy = ""
    if isinstance(operator, type) and issubclass(operator, Operator):
        remedy = f"make one: {operator.__name__}(...)"
    elif type(operator).__name__ == "Comparator" or getattr(operator, "__name__", "") in _COMPARING:
        remedy = 'it compares, and takes the operator: compare("exact", expected, observed)'
    elif callable(operator):
        remedy = "register a function under a name: registry.add in the hook pytest_verdict_operators"
    for word, value in settings.items():
        if right_spelling("argument", word, ()):
            remedy = f"there is no argument {word!r}: write {_format_argument(value)} first"
    return ArgumentsError(f"{message}; {remedy}" if remedy else message)


def _format_argument(value: Any) -> str:
    return "..." if value is ABSENT else shown(value, 60)


def unknown_attribute(name: str) -> AttributeError:
    """Build the error of an attribute that a comparator does not have."""
    if name in REGISTRY:
        call = f'comparator("{name}", expected, observed)'
    else:
        default = 'comparator.assert_matches("exact", expected, observed) or comparator("exact", expected, observed)'
        call = right_spelling("attribute", name, ()) or default
    return AttributeError(f"a comparator has no attribute {name!r}. Write {call}")


def unknown_name(package: str, name: str) -> ImportError | AttributeError:
    """Build the error of a public name that a package does not have."""
    stubs = sorted(Path(pytest_verdict.__file__).parent.glob("*/__init__.pyi"), reverse=True)
    # The own package comes last, so its names win.
    namespaces = [*(f"pytest_verdict.{stub.parent.name}" for stub in stubs), "pytest_verdict", package]
    places = {public: namespace for namespace in namespaces for public in importlib.import_module(namespace).__all__}
    own_names = [public for public, namespace in places.items() if namespace == package]

    right = right_spelling("name", name, ())
    if name in REGISTRY:
        right = f'compare("{name}", expected, observed)'
    if not right:
        close = get_close_matches(name, own_names, 1, 0.5) or get_close_matches(name, places, 1)
        if name in places:
            close = [name]
        if close:
            right = f"from {places[close[0]]} import {close[0]}"
    hint = f"Write {right}" if right else f"It has {', '.join(own_names)}"

    # "from package import name" would replace the text of an AttributeError.
    is_import = "_handle_fromlist" in [frame.function for frame in inspect.stack(0)[2:3]]
    error_class = ImportError if is_import else AttributeError
    return error_class(f"{package} has no name {name!r}. {hint}")
