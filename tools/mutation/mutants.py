"""Change random lines of the code that decides or records, run their tests, and print the changes that none noticed.

The repository is copied first, so the working tree stays as it is. ``python tools/mutation/mutants.py 50 --seed 7``
makes the same fifty changes each time; ``--only operators`` takes files whose path contains that text, ``--skip 20``
goes on behind the first twenty. A survivor is a hole in the tests or a change that changes nothing: a person says which.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = "src/pytest_verdict"
# Run once in one process, to see which tests call which functions; they must pass without any change.
SEEN: Final = [
    *(
        "tests/values",
        "tests/operators",
        "tests/explanation",
        "tests/extraction",
        "tests/judging",
        "tests/trajectories",
    ),
    *(
        "tests/templates",
        "tests/suites",
        "tests/blind",
        "tests/report",
        "tests/runs",
        "tests/history",
        "tests/accepting",
    ),
    *("tests/summaries", "tests/cli", "tests/test_comparison.py", "tests/test_kernel.py", "tests/test_laws.py"),
    *("tests/test_matching.py", "tests/test_normalizers.py", "tests/test_replay.py", "tests/test_result.py"),
    "tests/test_surface.py",
]
# For what runs in other processes, and what is made when a module is imported; other packages have the tests of their name.
UNSEEN: Final = {
    "core/families.py": ["tests/suites/test_what_packages_bring.py", "tests/test_example_family.py"],
    "core/record.py": ["tests/plugin/test_option_verify_report.py", "tests/plugin"],
    "session.py": ["tests/plugin"],
    "core/strict_model.py": ["tests/suites", "tests/blind"],
    "core/values/redaction.py": ["tests/plugin"],
    "core/values/yaml.py": ["tests/suites"],
    "core": [
        "tests/test_kernel.py",
        "tests/test_result.py",
        "tests/test_replay.py",
        "tests/test_laws.py",
        "tests/operators",
        "tests/values",
    ],
    "operators": ["tests/operators", "tests/test_laws.py", "tests/test_surface.py"],
    "report": ["tests/plugin/test_option_verify_report.py", "tests/plugin"],
    "pytest_plugin": ["tests/plugin/test_option_verify_report.py", "tests/plugin", "tests/suites", "tests/datasets"],
    "trajectories/readers": [],
    "trajectories": ["tests/trajectories", "tests/test_laws.py"],
    "explanation": ["tests/explanation", "tests/plugin/test_option_verify_report.py"],
}
SECONDS: Final = 400
SURVIVED: Final = "SURVIVED"
IGNORED: Final = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "_build", "verify-report")

OPPOSITES: Final = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.And: "or", ast.Or: "and",
}  # fmt: skip
# A note of a record, such as not_a_number.
CODE: Final = re.compile(r"""["'][a-z]+(_[a-z]+)+["']""")


class Mutant(NamedTuple):
    """One change of one file, as places in its bytes."""

    path: str
    line: int
    start: int
    stop: int
    text: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.stop :]

    def diff(self, source: bytes) -> str:
        before, after = source.decode().splitlines(), self.apply(source).decode().splitlines()
        return "\n".join(f"    {line}" for line in [*difflib.unified_diff(before, after, n=0, lineterm="")][3:])


class Changes:
    """Every change that this script knows how to make in a file."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.begins = [0]
        for line in source.splitlines(keepends=True):
            self.begins.append(self.begins[-1] + len(line))

    def __iter__(self) -> Iterator[Mutant]:
        for node in self.inside(ast.parse(self.source)):
            for start, stop, text in self.of(node):
                mutant = Mutant(self.path, self.source[:start].count(b"\n") + 1, start, stop, text)
                if self.can_be_read(mutant):
                    yield mutant

    def inside(self, node: ast.AST) -> Iterator[ast.AST]:
        yield node
        # Before Python 3.12 the parts of an f-string have no places.
        if not isinstance(node, ast.JoinedStr):
            for child in ast.iter_child_nodes(node):
                yield from self.inside(child)

    def can_be_read(self, mutant: Mutant) -> bool:
        try:
            compile(mutant.apply(self.source), self.path, "exec")
        except SyntaxError:
            return False
        return True

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        start = self.begins[node.lineno - 1] + node.col_offset
        return start, self.begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def of(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
                    yield from self.between(left, right, operator)
            case ast.BoolOp():
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from self.between(left, right, node.op)
            case ast.BinOp():
                yield from self.between(node.left, node.right, node.op)
            case ast.UnaryOp(op=ast.Not()):
                yield self.place(node)[0], self.place(node.operand)[0], ""
            case ast.Constant():
                yield from self.of_constant(node)
            case ast.comprehension():
                yield from ((*self.place(condition), "True") for condition in node.ifs)
            case ast.stmt():
                yield from self.of_statement(node)

    def between(self, left: ast.expr, right: ast.expr, operator: ast.AST) -> Iterator[tuple[int, int, str]]:
        start, stop = self.place(left)[1], self.place(right)[0]
        opposite = OPPOSITES.get(type(operator))
        # Brackets or a line break in the gap would not survive a new text.
        if opposite is not None and not set(self.source[start:stop].decode()) & set("()#\n"):
            yield start, stop, f" {opposite} "

    def of_constant(self, node: ast.Constant) -> Iterator[tuple[int, int, str]]:
        start, stop = self.place(node)
        value = node.value
        if isinstance(value, bool):
            yield start, stop, repr(not value)
        elif isinstance(value, int | float):
            yield start, stop, repr(value + 1)
            yield start, stop, f"({value - 1!r})"
        elif isinstance(value, str) and CODE.fullmatch(self.source[start:stop].decode()):
            yield start, stop, '"another_code"'

    def of_statement(self, node: ast.stmt) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Raise() | ast.AugAssign() | ast.Delete() | ast.Expr(value=ast.Call()):
                yield *self.place(node), "pass"
            case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
                yield *self.place(value), "None"
            case ast.If() | ast.While():
                yield *self.place(node.test), f"(not ({ast.unparse(node.test)}))"
            case ast.Continue():
                yield *self.place(node), "break"
            case ast.Break():
                yield *self.place(node), "pass"


def module_of(path: str) -> str:
    return path.removeprefix(f"{PACKAGE}/")


def unseen_tests(path: str) -> list[list[str]]:
    """Yield the tests of a module that are not chosen by their calls, first those with a similar name."""
    module = module_of(path)
    part = max((part for part in UNSEEN if module.startswith(part)), key=len, default="")
    places = UNSEEN.get(part, [f"tests/{module.partition('/')[0]}"])
    tests = dict.fromkeys(file for place in places for file in files_of(place))
    named = [test for test in tests if Path(path).stem in Path(test).stem]
    return [named, [test for test in tests if test not in named]]


def files_of(test: str) -> list[str]:
    files = [REPOSITORY / test] if test.endswith(".py") else sorted((REPOSITORY / test).rglob("test_*.py"))
    return [file.relative_to(REPOSITORY).as_posix() for file in files]


def function_around(path: str, source: bytes, line: int) -> str:
    """Return the place of the innermost function around a line, as who_runs.py writes it; empty outside of functions."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    found = [
        min([node.lineno, *(one.lineno for one in node.decorator_list)])
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return f"{module_of(path)}:{max(found)}" if found else ""


def run(folder: Path, tests: list[str], seconds: float = SECONDS, **environment: str) -> str:
    """Run tests in a copy of the repository and return their result."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "tools.mutation.who_runs",
        *tests,
    ]
    paths = os.pathsep.join([str(folder / "src"), str(folder)])
    variables = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return "killed" if process.wait(seconds) else SURVIVED
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "without end"


def chosen(number: int, seed: int, only: str) -> list[Mutant]:
    """Choose that many changes, each on a line of its own."""
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for file in sorted((REPOSITORY / PACKAGE).rglob("*.py")):
        path = file.relative_to(REPOSITORY).as_posix()
        if only in path and any(unseen_tests(path)):
            for mutant in Changes(path, file.read_bytes()):
                by_line.setdefault((path, mutant.line), []).append(mutant)
    chance = random.Random(seed)
    lines = chance.sample(sorted(by_line), min(number, len(by_line)))
    return [chance.choice(by_line[line]) for line in lines]


class Run:
    """Copies of the repository in which mutants live for a while."""

    def __init__(self, folders: list[Path], calls: Path) -> None:
        self.free: SimpleQueue[Path] = SimpleQueue()
        self.totals: Counter[str] = Counter()
        self.survivors: Counter[str] = Counter()
        for folder in folders:
            shutil.copytree(REPOSITORY, folder, ignore=IGNORED)
            self.free.put(folder)
        # Without this check, an environment without pytest kills every mutant.
        passes = run(folders[0], ["tests/test_kernel.py"]) == SURVIVED
        if passes and not calls.exists():
            passes = run(folders[0], SEEN, 10 * SECONDS, WHO_RUNS_WRITE=str(calls)) == SURVIVED
        if not passes:
            sys.exit("the tests do not pass without any change, or not in time")
        self.callers: dict[str, list[str]] = json.loads(calls.read_text("utf-8"))

    def try_one(self, mutant: Mutant) -> None:
        folder = self.free.get()
        try:
            file = folder / mutant.path
            source = file.read_bytes()
            file.write_bytes(mutant.apply(source))
            came_out = self.fate(folder, mutant, source)
            file.write_bytes(source)
        finally:
            self.free.put(folder)
        module = module_of(mutant.path)
        self.totals[module] += 1
        self.survivors[module] += came_out == SURVIVED
        print(f"{came_out:<8} {mutant.path}:{mutant.line}\n{mutant.diff(source)}", flush=True)

    def fate(self, folder: Path, mutant: Mutant, source: bytes) -> str:
        callers = self.callers.get(function_around(mutant.path, source, mutant.line), [])
        came_out = SURVIVED
        if callers:
            stem = Path(mutant.path).stem
            files = dict.fromkeys(test.partition("::")[0] for test in callers)
            wanted = folder / "wanted.json"
            wanted.write_text(json.dumps(callers), "utf-8")
            first = sorted(files, key=lambda file: stem not in Path(file).stem)
            came_out = run(folder, first, WHO_RUNS_WANTED=str(wanted))
        named, others = unseen_tests(mutant.path)
        if callers and all(test.startswith(tuple(SEEN)) for test in others):
            # What is kept after the first call was seen in one test alone.
            others = []
        fates = (run(folder, tests) for tests in (named, others) if tests and came_out == SURVIVED)
        return next((fate for fate in fates if fate != SURVIVED), came_out)

    def table(self) -> Iterator[str]:
        yield f"{'module':<42}{'mutants':>8}{'killed':>8}{'survived':>9}"
        for module, total in sorted(self.totals.items()):
            yield f"{module:<42}{total:>8}{total - self.survivors[module]:>8}{self.survivors[module]:>9}"
        total, survived = self.totals.total(), self.survivors.total()
        yield f"{'all':<42}{total:>8}{total - survived:>8}{survived:>9}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose path contains this")
    parser.add_argument("--skip", type=int, default=0, metavar="NUMBER", help="of the changes, from the first")
    parser.add_argument("-j", dest="jobs", type=int, default=1, metavar="NUMBER", help="at a time")
    parser.add_argument(
        "--calls", type=Path, metavar="FILE", help="keep there which tests call what, or take it from there"
    )
    options = parser.parse_args()
    # A shell starts what runs in the background without Ctrl-C, which some tests need.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    mutants = chosen(options.number, options.seed, options.only)[options.skip :]
    with tempfile.TemporaryDirectory() as name:
        calls = options.calls or Path(name, "calls.json")
        session = Run([Path(name, str(number)) for number in range(options.jobs)], calls)
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(session.try_one, mutants))
    print("\n".join(session.table()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
