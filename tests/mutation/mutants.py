"""Change random lines of what decides or records, run the tests that belong to them, and print what nobody noticed.

The source is copied first, so the working tree stays as it is. ``python tests/mutation/mutants.py 50 --seed 7``
makes the same fifty changes each time; ``--only operators`` takes files whose path contains that text.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = "src/pytest_verdict"
# Which tests would notice, the quickest first; matching is the assignment behind lists, JSON and trajectories.
TESTS = {
    "core/values": ["tests/values", "tests/operators", "tests/test_laws.py"],
    "core/matching.py": ["tests/test_matching.py", "tests/operators", "tests/trajectories"],
    "core/normalizers.py": ["tests/test_normalizers.py", "tests/operators"],
    "core": ["tests/test_kernel.py", "tests/test_result.py", "tests/test_comparison.py", "tests/test_replay.py",
             "tests/test_laws.py", "tests/operators", "tests/plugin"],
    "operators": ["tests/operators", "tests/test_laws.py", "tests/suites/test_statistics.py"],
    "report": ["tests/report", "tests/plugin"],
    "pytest_plugin": ["tests/plugin"],
}  # fmt: skip
SECONDS = 600

OPPOSITES = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of one file, as places in its bytes."""

    path: str
    line: int
    start: int
    stop: int
    text: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.stop :]


def mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """Find every change that this script knows how to make in a file."""
    begins = [0]
    for line in source.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))

    def first(node: ast.expr) -> int:
        return begins[node.lineno - 1] + node.col_offset

    def last(node: ast.expr) -> int:
        return begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def between(left: ast.expr, right: ast.expr, operator: ast.AST) -> Iterator[Mutant]:
        opposite = OPPOSITES.get(type(operator))
        gap = source[last(left) : first(right)].decode()
        # Brackets or a line break in the gap would not survive a new text.
        if opposite is not None and not set(gap) & set("()#\n"):
            yield Mutant(path, left.lineno, last(left), first(right), f" {opposite} ")

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield Mutant(path, node.lineno, first(node), first(node.operand), "")
        elif isinstance(node, ast.Constant) and type(node.value) in {bool, int, float}:
            changed = not node.value if isinstance(node.value, bool) else 1 - node.value
            yield Mutant(path, node.lineno, first(node), last(node), repr(changed))


def tests_of(path: str) -> list[str]:
    """Give the tests that belong to a file: those of the longest matching part of its path."""
    inside = path.removeprefix(f"{PACKAGE}/")
    part = max((part for part in TESTS if inside.startswith(part)), key=len, default=None)
    return TESTS[part] if part else []


def survives(folder: Path, tests: list[str]) -> bool:
    """Run tests against a copy of the source."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def chosen(number: int, seed: int, only: str) -> list[Mutant]:
    """Choose that many changes, each on a line of its own."""
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for file in sorted((REPOSITORY / PACKAGE).rglob("*.py")):
        path = file.relative_to(REPOSITORY).as_posix()
        if only in path and tests_of(path):
            for mutant in mutants_of(path, file.read_bytes()):
                by_line.setdefault((path, mutant.line), []).append(mutant)
    chance = random.Random(seed)
    lines = chance.sample(sorted(by_line), min(number, len(by_line)))
    return [chance.choice(by_line[line]) for line in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    survivors = 0
    mutants = chosen(options.number, options.seed, options.only)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "src")
        shutil.copytree(REPOSITORY / "src", folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for tests in {tuple(tests_of(mutant.path)) for mutant in mutants}:
            if not survives(folder, [*tests]):
                print(f"the tests do not pass without any change: {' '.join(tests)}")
                return 1
        for mutant in mutants:
            copy = folder.parent / mutant.path
            source = copy.read_bytes()
            copy.write_bytes(mutant.apply(source))
            survived = survives(folder, tests_of(mutant.path))
            copy.write_bytes(source)
            survivors += survived
            before = source.splitlines()[mutant.line - 1].decode().strip()
            after = mutant.apply(source).splitlines()[mutant.line - 1].decode().strip()
            sign = "SURVIVED" if survived else "killed  "
            print(f"{sign} {mutant.path}:{mutant.line}\n  - {before}\n  + {after}", flush=True)
    print(f"{survivors} of {len(mutants)} survived (seed {options.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
