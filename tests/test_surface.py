"""The public names: complete, documented, and free for those who do not use them."""

from __future__ import annotations

import ast
import graphlib
import importlib
import inspect
import json
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import pytest_verdict

ROOT = pathlib.Path(pytest_verdict.__file__).parent
MODULES = sorted(module.name for module in pkgutil.walk_packages(pytest_verdict.__path__, "pytest_verdict."))


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


PACKAGES = ["", "blind", "judging", "operators", "suites", "templates", "trajectories"]
NAMESPACES = [importlib.import_module(f"pytest_verdict.{name}".rstrip(".")) for name in PACKAGES]
PUBLIC = [(namespace, name) for namespace in NAMESPACES for name in namespace.__all__]


def test_top_level_names_are_few():
    assert len(pytest_verdict.__all__) <= 26


# Suites and data sets are one subject for users, and several rooms in the house.
ROOMS_BEHIND = {"pytest_verdict.suites": ("pytest_verdict.datasets.", "pytest_verdict.extraction.")}


@pytest.mark.parametrize("namespace", NAMESPACES, ids=lambda namespace: namespace.__name__)
def test_public_names_are_sorted_and_from_their_package(namespace):
    assert namespace.__all__ == sorted(namespace.__all__)
    own = namespace.__name__ + "."
    for name in namespace.__all__:
        home = getattr(getattr(namespace, name), "__module__", own)
        rooms = own, "pytest_verdict.operators.", *ROOMS_BEHIND.get(namespace.__name__, ())
        assert home.startswith(rooms), f"{name} comes from {home}"


def test_public_names_are_in_one_namespace():
    twice = {name for name in pytest_verdict.__all__ for other in NAMESPACES[1:] if name in other.__all__}
    assert not twice


@pytest.mark.parametrize(("namespace", "name"), PUBLIC, ids=[f"{space.__name__}.{name}" for space, name in PUBLIC])
def test_public_name_has_an_example(namespace, name):
    found = getattr(namespace, name)
    assert name in dir(namespace)
    if not inspect.isclass(found) and not callable(found):
        return
    documentation = found.__doc__
    assert documentation, f"{name} has no docstring of its own"
    if not (inspect.isclass(found) and issubclass(found, BaseException)):
        assert ">>> " in documentation or ".. code" in documentation or "::" in documentation, f"{name} has no example"


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("pytest_verdict.operators.")])
def test_methods_of_operators_are_documented(module):
    classes = [found for _, found in inspect.getmembers(importlib.import_module(module), inspect.isclass)]
    for cls in classes:
        own = vars(cls) if cls.__module__ == module else {}
        methods = [name for name in own if not name.startswith("_") and inspect.isfunction(own[name])]
        silent = [name for name in methods if not inspect.getdoc(getattr(cls, name))]
        assert not silent, f"{cls.__name__}: {silent}"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="campare"):
        pytest_verdict.campare


def test_package_import_is_light():
    heavy = ["pydantic", "pytest", "_pytest", "yaml", "rapidfuzz", "dateutil", "jsonpath_ng", "hypothesis", "numpy"]
    program = (
        "import sys, pytest_verdict; "
        f"print([m for m in {heavy!r} if m in sys.modules], "
        "[m for m in sys.modules if m.startswith('pytest_verdict.')])"
    )
    assert run(program) == "[] []"


def test_comparison_imports_only_its_operator():
    program = (
        "import sys; from pytest_verdict import compare; compare('exact', 1, 1); "
        "print(sorted(m for m in ('pytest', 'yaml', 'rapidfuzz', 'dateutil', 'jsonpath_ng', 'numpy') if m in sys.modules), "
        "'pytest_verdict.operators.number' in sys.modules)"
    )
    assert run(program) == "[] False"


def imported_at_once(module: str) -> set[str]:
    """Return the modules of the package that a module imports at once; packages are imported before their modules."""
    path = ROOT.joinpath(*module.split(".")[1:])
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found, statements = set(), list(ast.parse(source.read_text(encoding="utf-8")).body)
    while statements:
        node = statements.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
        statements.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
    packages = {name.rpartition(".")[0] for name in found}
    return {name for name in found | packages if name in MODULES and not f"{module}.".startswith(f"{name}.")}


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    return {module: imported_at_once(module) for module in MODULES}


@pytest.mark.ci
def test_imports_have_no_cycle(imports):
    """So whichever module is imported first, those that it needs are whole when it uses them."""
    order = list(graphlib.TopologicalSorter(imports).static_order())
    assert len(order) == len(MODULES)


# Imports the modules that it is told, each as the first of a process, and prints what came of it.
FRESH_IMPORTS = """
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


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_top_modules_can_be_imported_first(imports):
    first = [
        name
        for name in sorted(set(MODULES) - set().union(*imports.values()))
        if ".pytest_plugin" not in name and "__main__" not in name
    ]
    assert first
    command = [sys.executable, "-c", FRESH_IMPORTS, json.dumps(first)]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert said == dict.fromkeys(first, "ok")
