"""The direction of imports, also of those written as strings, and the size of files and functions."""

from __future__ import annotations

import ast
import functools
import pathlib
import re
from collections.abc import Callable

import pytest

import pytest_verdict

ROOT = pathlib.Path(pytest_verdict.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py"))

# A module imports from its own line and from those above. What stands in a folder of its own line is no exception.
LAYERS = (
    ("errors", "budget"),
    ("core",),
    ("explanation",),
    ("session",),
    ("laws", "console", "signatures"),
    ("report",),
    ("summaries",),
    ("page",),
    ("operators",),
    ("extraction",),
    ("comparison",),
    ("comparator",),
    ("repeats",),
    ("runs",),
    ("store",),
    ("history",),
    ("judging",),
    ("datasets",),
    ("accepting",),
    ("templates", "trajectories", "blind", "suites"),
    ("cli", "pytest_plugin", "__main__"),
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FAMILIES = (
    *("operators", "extraction", "judging", "datasets", "templates", "trajectories", "blind", "suites"),
    *("report", "summaries", "page", "runs", "store", "history", "accepting", "cli"),
)
SIBLINGS = ("templates", "trajectories", "blind", "suites")
# Where a test of pytest is made, pytest has to be known: the items that a family brings. A command finds the configuration
# that a session would use as pytest does.
PYTEST_ROOMS = ("suites.pytest_items", "datasets.pytest_cases", "store.files")
LONGEST_FILE = 600
LONGEST_FUNCTION = 60
MODULE_STRING = re.compile(r"pytest_verdict(\.\w+)+(:\w+)?")


def module_of(path: pathlib.Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@functools.cache
def parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes_of(path: pathlib.Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_kept():
    """The trees of all files are many objects, which would slow down the garbage collection of the tests that follow."""
    yield
    for cached in (parsed, nodes_of, imports_of, strings_of):
        cached.cache_clear()


@functools.cache
def imports_of(path: pathlib.Path) -> set[str]:
    """Return the modules that a file imports, also inside functions, except for type checkers."""
    nodes = nodes_of(path)
    typing_only = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in nodes:
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module))
            found.update(f"{node.module}.{alias.name}" for alias in node.names if is_module(node.module, alias.name))
    return found


@functools.cache
def is_module(package: str | None, name: str) -> bool:
    folder = ROOT.parent.joinpath(*str(package).split("."), name)
    return folder.is_dir() or folder.with_suffix(".py").is_file()


@functools.cache
def strings_of(path: pathlib.Path) -> set[str]:
    """Return the modules of the package that a file names in strings, also in strings joined with its constants."""
    nodes = nodes_of(path)
    constants = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    documentation = {
        id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    written = [
        text_of(node, constants, module_of(path))
        for node in nodes
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in documentation
    ]
    return {text.partition(":")[0] for text in written if MODULE_STRING.fullmatch(text)}


def text_of(node: ast.AST, constants: dict[str, ast.expr], module: str) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part, constants, module) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return text_of(node.value, constants, module)
    if isinstance(node, ast.Name):
        if node.id in {"__name__", "__package__"}:
            return f"pytest_verdict.{module}"
        others = {name: value for name, value in constants.items() if name != node.id}
        return text_of(constants[node.id], others, module) if node.id in constants else "{}"
    return "{}"


def layer(module: str) -> str:
    return module.partition(".")[0]


def own_imports(path: pathlib.Path) -> set[str]:
    inside = {name.removeprefix("pytest_verdict.") for name in imports_of(path) if name.startswith("pytest_verdict.")}
    return {name for name in inside if name in MODULES}


def named(path: pathlib.Path) -> set[str]:
    return {name.removeprefix("pytest_verdict.") for name in strings_of(path)} & MODULES


ids = [module_of(path) or "pytest_verdict" for path in FILES]
MODULES = set(ids)
inner = [(path, name) for path, name in zip(FILES, ids, strict=True) if name != "pytest_verdict"]


def test_every_module_has_a_layer():
    unplaced = {layer(name) for _, name in inner} - set(RANKS)
    assert not unplaced, f"place these in LAYERS of {__file__}: {sorted(unplaced)}"


def wrong_ones(rule: Callable[[pathlib.Path, str], set[str]]) -> dict[str, set[str]]:
    """Return the violations of a rule in each module; one test for each rule, because there are many modules."""
    assert len(inner) > 100
    found = {name: rule(path, name) for path, name in inner}
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.ci
def test_imports_go_upwards():
    def wrong(path, name):
        others = own_imports(path) | named(path)
        return {other for other in others if RANKS[layer(other)] > RANKS[layer(name)]}

    assert wrong_ones(wrong) == {}


def test_the_core_imports_only_errors():
    def wrong(path, name):
        others = {layer(other) for other in (own_imports(path) | named(path))}
        return others - {"core", "errors"} if layer(name) == "core" else set()

    assert wrong_ones(wrong) == {}


def test_only_the_plugin_and_items_import_pytest():
    def wrong(path, name):
        if layer(name) == "pytest_plugin" or name in PYTEST_ROOMS:
            return set()
        return {imported.partition(".")[0] for imported in imports_of(path)} & {"pytest", "_pytest", "xdist"}

    assert wrong_ones(wrong) == {}


def test_families_do_not_import_one_another():
    def wrong(path, name):
        others = {layer(other) for other in own_imports(path) | named(path)}
        return others & (set(SIBLINGS) - {layer(name)}) if layer(name) in SIBLINGS else set()

    assert wrong_ones(wrong) == {}


def test_report_imports_only_the_core_and_the_console():
    known = {
        layer(other) for path, name in inner if layer(name) == "report" for other in own_imports(path) | named(path)
    }
    assert known <= {"report", "console", "core", "errors"}


def test_hook_strings_name_their_own_folder():
    plugins = {layer(name): path for path, name in inner if name.endswith(".plugin") and layer(name) != "pytest_plugin"}
    assert sorted(plugins) == sorted(FAMILIES)
    assert sorted(f"pytest_verdict.{family}.plugin" for family in FAMILIES) == sorted(pytest_verdict.FAMILIES)
    for family, path in plugins.items():
        places = strings_of(path)
        assert places
        assert {layer(place.removeprefix("pytest_verdict.")) for place in places} == {family}


def test_joined_strings_are_read():
    found = strings_of(ROOT / "trajectories" / "plugin.py")
    assert {"pytest_verdict.trajectories.operators", "pytest_verdict.trajectories.readers.traces"} <= found


def test_operators_run_only_in_the_kernel():
    def wrong(path, name):
        # The laws look at `evaluate` itself: that it does not raise is one of them.
        if name in {"core.kernel", "laws"}:
            return set()
        called = {node.func.attr for node in nodes_of(path) if is_call_of_attribute(node)}
        return called & {"evaluate", "replay"} - ALLOWED_CALLS.get(name, set())

    assert wrong_ones(wrong) == {}


# What is replayed without a model is evaluated again.
ALLOWED_CALLS = {"core.operator": {"evaluate"}}


def is_call_of_attribute(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return not (isinstance(node.func.value, ast.Call) and ast.unparse(node.func.value.func) == "super")


def test_results_are_built_only_in_kernel_and_records():
    makers = {
        name
        for path, name in inner
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ComparisonResult"
    }
    assert makers == {"core.kernel", "core.result"}


# Public in spite of their names: methods of named tuples, and the one way to a frame.
PUBLIC_NAMES = {"_replace", "_asdict", "_make", "_fields", "_getframe"}
ALLOWED_PRIVATE = {
    # The slot of `BaseAnswer` that its own verify() reads.
    "templates.template": {"_raw_trace", "_scenario_context"},
    # What plugins that run a test again use of pytest: it has no public name.
    "pytest_plugin.repetition": {"_getobj", "_instance", "_report_sections", "_setupstate"},
}


def test_private_attributes_stay_in_their_module():
    def wrong(path, name):
        return private_of_others(nodes_of(path)) - PUBLIC_NAMES - ALLOWED_PRIVATE.get(name, set())

    assert wrong_ones(wrong) == {}


def private_of_others(nodes: list[ast.AST]) -> set[str]:
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not is_of_self(node)}
    found |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names if node.module}
    private = {attribute for attribute in found if attribute.startswith("_") and not attribute.endswith("__")}
    return private - members_of_classes(nodes)


def is_of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}


def members_of_classes(nodes: list[ast.AST]) -> set[str]:
    """Return the names of methods, fields and attributes of the classes of a module."""
    inside = [node for cls in nodes if isinstance(cls, ast.ClassDef) for node in ast.walk(cls)]
    return (
        {node.name for node in inside if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        | {node.attr for node in inside if isinstance(node, ast.Attribute) and is_of_self(node)}
        | {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    )


def test_private_attributes_are_found():
    source = "class A:\n    def f(self, other):\n        self._mine = 1\n        return other._mine, other._yours\n"
    nodes = list(ast.walk(ast.parse(source)))
    assert members_of_classes(nodes) == {"f", "_mine"}
    assert private_of_others(nodes) == {"_yours"}


def test_complexity_limit_has_no_exemption():
    assert [path for path in FILES if "C901" in path.read_text(encoding="utf-8")] == []


def test_files_and_functions_stay_small():
    assert [path for path in FILES if path.read_text(encoding="utf-8").count("\n") > LONGEST_FILE] == []
    long = {
        f"{path}:{node.name}": size
        for path in FILES
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (size := code_lines(node)) > LONGEST_FUNCTION
    }
    assert long == {}


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_function_length_excludes_docstrings():
    source = 'def f():\n    """One.\n\n    Two.\n    """\n    return 1\n'
    assert code_lines(ast.parse(source).body[0]) == 2
