"""Every example in a docstring is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import pytest_verdict

MODULES = sorted(module.name for module in pkgutil.walk_packages(pytest_verdict.__path__, "pytest_verdict."))
# A module that is about an optional dependency may lack it; anything else must be importable.
EXTRAS = {"hypothesis", "jsonschema", "sentence_transformers", "pyarrow", "numpy", "anthropic", "openai", "langchain"}


@pytest.mark.parametrize("name", ["pytest_verdict", *(name for name in MODULES if not name.endswith("__main__"))])
def test_the_examples_of(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in EXTRAS:
            pytest.skip(f"needs {error.name}")
        raise
    # Examples of operators are calls of compare; a module of an operator does not import it.
    found = doctest.testmod(module, extraglobs={"compare": pytest_verdict.compare})
    assert found.failed == 0
