"""Results that an expression or a loop does not read, because another one that it read decided it.

They are those in the same container: of the loop, of ``any``, ``all`` or ``next``, or of the operands of ``and`` or ``or``.
"""

from __future__ import annotations

import ast
import dis
import functools
import gc
import operator
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType, MemberDescriptorType
from typing import Any, Final, NamedTuple

from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.pytest_plugin.uses import CONDITIONS, SCOPES, Source, name_of, read_source

# The truth of an item that ends the iteration.
_DECIDING: Final = {"any": True, "all": False}
_OPERATORS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, values: value in values,
    ast.NotIn: lambda value, values: value not in values,
}
# Iterators that show by `__reduce__` what they iterate over, without an item of a generator being made.
_ITERATORS: Final[tuple[type, ...]] = (
    *(
        type(iter(())),
        type(iter([])),
        type(iter(set())),
        type(iter({})),
        type(iter({}.values())),
        type(iter({}.items())),
    ),
    *(type(reversed([])), enumerate, zip, map),
)
_DEEPEST: Final = 4


class _Region(NamedTuple):
    """Where the other results are: the variables that are iterated over, or the iterator of a generator expression."""

    names: frozenset[str]
    has_iterator: bool
    is_container: bool


def find_unread(frame: FrameType, value: bool | float | str, result: object) -> list[ComparisonResult]:  # noqa: FBT001
    """Return the other results of the expression which a value of a result decides, if it does."""
    region = _region_of(frame.f_code, frame.f_lasti, value)
    if region is None:
        return []
    variables = frame.f_locals
    sources = [variables[name] for name in sorted(region.names) if name in variables]
    if region.has_iterator:
        sources.append(variables.get(".0"))
    results = [one for source in sources for one in _results_in(source)]
    if not results and region.is_container:
        # A container without a name is held by the interpreter alone; to find it takes milliseconds.
        holders = [one for one in gc.get_referrers(result) if isinstance(one, list | tuple)]
        results = [one for holder in holders[:1] for one in _results_in(holder)] if len(holders) == 1 else []
    return [one for one in results if one is not result]


def find_unread_in_list(frame: FrameType, result: object, *, is_equal: bool) -> list[ComparisonResult]:
    """Return the other results of a list of verdicts of which one decides whether it has a verdict, or equals a list."""
    region = _region_of_list(frame.f_code, frame.f_lasti, is_equal)
    variables = frame.f_locals if region else {}
    results = [one for name in region for one in _results_in(variables.get(name))]
    return [one for one in results if one is not result] if any(one is result for one in results) else []


@functools.lru_cache(maxsize=1_024)
def _region_of_list(code: CodeType, offset: int, is_equal: bool) -> frozenset[str]:  # noqa: FBT001 - the key of a cache
    source = read_source(code.co_filename)
    node = source.nodes.get(list(code.co_positions())[offset // 2])
    parts: list[ast.expr] = []
    if isinstance(node, ast.Compare):
        is_member = isinstance(node.ops[0], ast.In | ast.NotIn)
        if is_member is is_equal:
            parts = [node.comparators[0]] if is_member else [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and name_of(node) == "index" and is_equal:
        parts = [node.func.value]
    lists = [part for part in parts if isinstance(part, ast.Name | ast.ListComp | ast.List | ast.Tuple)]
    return frozenset(part.id for one in lists for part in ast.walk(one) if isinstance(part, ast.Name))


def _results_in(value: Any, depth: int = 0) -> Iterator[ComparisonResult]:
    if isinstance(value, ComparisonResult):
        yield value
    elif isinstance(getattr(type(value), "result", None), MemberDescriptorType):
        yield value.result
    elif depth < _DEEPEST:
        items: Iterable[Any] = ()
        if isinstance(value, dict):
            items = value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            items = value
        elif isinstance(value, _ITERATORS):
            items = value.__reduce__()[1]
        for item in items:
            yield from _results_in(item, depth + 1)


@functools.lru_cache(maxsize=4_096)
def _region_of(code: CodeType, offset: int, value: bool | float | str) -> _Region | None:  # noqa: FBT001
    """Return where the results are that an instruction leaves unread by what it reads."""
    source = read_source(code.co_filename)
    node = source.nodes.get(list(code.co_positions())[offset // 2])
    if node is None:
        return None
    if isinstance(node, ast.Call) and "CALL" in dis.opname[code.co_code[offset]]:
        return _region(node) if _DECIDING.get(name_of(node)) is bool(value) else None
    if isinstance(node, ast.GeneratorExp):
        # The truth of a condition is read where the whole expression stands.
        tests = [test for one in node.generators for test in one.ifs]
        if len(tests) != 1 or isinstance(tests[0], ast.BoolOp):
            return None
        node = tests[0]
        value = bool(value) is not isinstance(node, ast.UnaryOp)
        return _climb(source, node, value)
    if isinstance(node, CONDITIONS):
        node = node.test
    if isinstance(node, ast.BoolOp):
        return _region(node) if bool(value) is isinstance(node.op, ast.Or) else None
    if isinstance(node, ast.UnaryOp):
        value = not value
    return _climb(source, node, value)


def _climb(source: Source, node: ast.AST, value: Any) -> _Region | None:
    parent = source.parents.get(node)
    while parent is not None:
        outer = source.parents.get(parent)
        if isinstance(parent, ast.Compare):
            answer = _answer(parent, node, value)
            if answer is None:
                return None
            value = answer
        elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            value = not value
        elif isinstance(parent, ast.BoolOp):
            if bool(value) is isinstance(parent.op, ast.Or):
                return _region(parent)
            if node is not parent.values[-1]:
                return None
        elif isinstance(parent, ast.GeneratorExp):
            return _ITERATOR if _DECIDING.get(name_of(outer)) is bool(value) else None
        elif isinstance(parent, ast.comprehension):
            is_next = isinstance(outer, ast.GeneratorExp) and name_of(source.parents.get(outer)) == "next"
            return _ITERATOR if is_next and value and node in parent.ifs else None
        elif isinstance(parent, ast.If | ast.Assert):
            return _region_of_loop(source, parent, is_true=bool(value)) if node is parent.test else None
        elif not (isinstance(parent, ast.Call) and name_of(parent) == "bool"):
            return None
        node, parent = parent, outer
    return None


def _region_of_loop(source: Source, statement: ast.If | ast.Assert, *, is_true: bool) -> _Region | None:
    """Return what a loop iterates over which a condition ends."""
    if isinstance(statement, ast.Assert):
        ends = not is_true
    else:
        branch = statement.body if is_true else statement.orelse
        ends = bool(branch) and isinstance(branch[-1], ast.Break | ast.Return | ast.Raise)
    loop: ast.AST | None = statement
    while loop is not None and not isinstance(loop, (ast.For, ast.AsyncFor, ast.While, *SCOPES)):
        loop = source.parents.get(loop)
    return _region(loop.iter) if ends and isinstance(loop, ast.For) else None


def _region(node: ast.AST) -> _Region:
    container = next(iter(node.args), node) if isinstance(node, ast.Call) else node
    is_container = isinstance(container, ast.List | ast.Tuple | ast.ListComp)
    names = frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return _Region(names, has_iterator=False, is_container=is_container)


_ITERATOR: Final = _Region(frozenset(), has_iterator=True, is_container=False)


def _answer(comparison: ast.Compare, node: ast.AST, value: Any) -> bool | None:
    """Return what a comparison of a value with a constant gives."""
    compute = _OPERATORS.get(type(comparison.ops[0]))
    if len(comparison.ops) > 1 or compute is None:
        return None
    is_left = node is comparison.left
    try:
        other = ast.literal_eval(comparison.comparators[0] if is_left else comparison.left)
        return bool(compute(value, other) if is_left else compute(other, value))
    except (ValueError, TypeError):
        return None
