"""The public names: complete, documented, and free for those who do not use them."""

from __future__ import annotations

import ast
import inspect
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import pytest_verdict

SOURCE = pathlib.Path(pytest_verdict.__file__)
MODULES = sorted(module.name for module in pkgutil.walk_packages(pytest_verdict.__path__, "pytest_verdict."))


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def type_checked_names() -> dict[str, str]:
    """Read what the TYPE_CHECKING block imports: names and the modules they come from."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.asname or alias.name: str(node.module).removeprefix("pytest_verdict.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_names_are_sorted_and_the_same_in_all_three_places():
    assert pytest_verdict.__all__ == sorted(pytest_verdict.__all__)
    assert list(pytest_verdict._HOMES) == pytest_verdict.__all__
    assert dict(sorted(type_checked_names().items())) == dict(sorted(pytest_verdict._HOMES.items()))


@pytest.mark.parametrize("name", pytest_verdict.__all__)
def test_every_name_is_documented_with_an_example(name):
    found = getattr(pytest_verdict, name)
    assert name in dir(pytest_verdict)
    if not inspect.isclass(found) and not callable(found):
        return
    documentation = found.__doc__
    assert documentation, f"{name} has no docstring of its own"
    if not (inspect.isclass(found) and issubclass(found, BaseException)):
        assert ">>> " in documentation or ".. code" in documentation or "::" in documentation, f"{name} has no example"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'campare'"):
        pytest_verdict.campare


def test_importing_the_package_imports_nothing_heavy():
    heavy = ["pydantic", "pytest", "_pytest", "yaml", "rapidfuzz", "dateutil", "jsonpath_ng", "hypothesis", "numpy"]
    program = (
        "import sys, pytest_verdict; "
        f"print([m for m in {heavy!r} if m in sys.modules], "
        "[m for m in sys.modules if m.startswith('pytest_verdict.')])"
    )
    assert run(program) == "[] []"


def test_a_comparison_imports_only_its_own_operator():
    program = (
        "import sys; from pytest_verdict import compare; compare('exact', 1, 1); "
        "print(sorted(m for m in ('pytest', 'yaml', 'rapidfuzz', 'dateutil', 'jsonpath_ng', 'numpy') if m in sys.modules), "
        "'pytest_verdict.operators.number' in sys.modules)"
    )
    assert run(program) == "[] False"


@pytest.mark.parametrize(
    "module", [name for name in MODULES if ".pytest_plugin" not in name and "__main__" not in name]
)
def test_each_module_can_be_imported_first(module, fresh_imports):
    assert fresh_imports[module] == "ok"


@pytest.fixture(scope="module")
def fresh_imports() -> dict[str, str]:
    """Import each module as the first of its process; forks, because a fresh interpreter for each takes half a minute."""
    program = """
import os, sys, importlib, json
import pydantic, pydantic.fields, pytest, yaml, jsonpath_ng.ext, rapidfuzz.fuzz, dateutil.parser, importlib.metadata
import asyncio, concurrent.futures, decimal, fractions, email, urllib.request, xml.etree.ElementTree, zoneinfo, uuid
found = {}
for name in json.loads(sys.argv[1]):
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            importlib.import_module(name)
            said = "ok"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        found[name] = stream.read()
    os.wait()
print(json.dumps(found))
"""
    if not hasattr(__import__("os"), "fork"):
        pytest.skip("needs fork")
    import json

    written = subprocess.run(
        [sys.executable, "-c", program, json.dumps(MODULES)], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, str] = json.loads(written)
    return found
