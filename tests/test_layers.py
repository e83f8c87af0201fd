"""The direction of imports, and the size of files and functions."""

from __future__ import annotations

import ast
import pathlib

import pytest

import pytest_verdict

ROOT = pathlib.Path(pytest_verdict.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py"))

# A module imports from its own line and from those above. A name may stand here before its file exists.
LAYERS = (
    ("errors", "garbage"),
    ("values", "matching"),
    ("normalizers", "outcome"),
    ("envelope",),
    ("result",),
    ("surroundings",),
    ("operators",),
    ("explanation", "advice"),
    ("comparison",),
    ("soft_checks",),
    ("comparator", "laws"),
    ("report",),
    ("replay", "mapping"),
    ("templates", "trajectories", "blind", "judges", "suites"),
    ("cli", "pytest_plugin", "__main__"),
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
SIBLINGS = ("templates", "trajectories", "blind", "suites")
LONGEST_FILE, LONGEST_FUNCTION = 400, 40


def module_of(path: pathlib.Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports_of(path: pathlib.Path) -> set[str]:
    """Give the modules that a file imports, inside functions as well; what only a type checker reads does not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module))
            if node.module == "pytest_verdict":
                found.update(f"pytest_verdict.{alias.name}" for alias in node.names)
    return found


def layer(module: str) -> str:
    return module.partition(".")[0]


def own_imports(path: pathlib.Path) -> set[str]:
    inside = {name.removeprefix("pytest_verdict.") for name in imports_of(path) if name.startswith("pytest_verdict.")}
    homes = pytest_verdict._HOMES
    return {homes.get(name, name) for name in inside}


ids = [module_of(path) or "pytest_verdict" for path in FILES]
inner = [(path, name) for path, name in zip(FILES, ids, strict=True) if name != "pytest_verdict"]


def test_every_module_has_a_layer():
    unplaced = {layer(name) for _, name in inner} - set(RANKS)
    assert not unplaced, f"place these in LAYERS of {__file__}: {sorted(unplaced)}"


@pytest.mark.parametrize(("path", "name"), inner, ids=[name for _, name in inner])
def test_imports_go_upwards(path, name):
    rank = RANKS[layer(name)]
    wrong = {other for other in own_imports(path) if RANKS[layer(other)] > rank}
    assert not wrong


@pytest.mark.parametrize(("path", "name"), inner, ids=[name for _, name in inner])
def test_only_the_plugin_knows_pytest(path, name):
    known = {imported.partition(".")[0] for imported in imports_of(path)}
    assert layer(name) == "pytest_plugin" or not known & {"pytest", "_pytest", "xdist", "pluggy"}


@pytest.mark.parametrize(("path", "name"), inner, ids=[name for _, name in inner])
def test_siblings_do_not_know_one_another(path, name):
    if layer(name) in SIBLINGS:
        assert not {layer(other) for other in own_imports(path)} & (set(SIBLINGS) - {layer(name)})


def test_the_report_does_not_know_operators():
    known = {layer(other) for path, name in inner if layer(name) == "report" for other in own_imports(path)}
    assert "operators" not in known


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_files_and_functions_stay_small(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    long = {
        node.name: size
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (size := code_lines(node)) > LONGEST_FUNCTION
    }
    assert not long


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_the_measure_of_functions_leaves_out_docstrings():
    source = 'def f():\n    """One.\n\n    Two.\n    """\n    return 1\n'
    assert code_lines(ast.parse(source).body[0]) == 2
