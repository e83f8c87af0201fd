"""Whether a test uses what it reads of a result, by the source of the expression that reads it."""

from __future__ import annotations

import ast
import functools
import linecache
from types import CodeType, FrameType
from typing import Final, Literal, NamedTuple

# Calls that show a value, or tell only its type, by the name of the function or method.
_SHOWING: Final = frozenset(
    (
        *(
            "print",
            "pprint",
            "pp",
            "record_property",
            "debug",
            "info",
            "warning",
            "error",
            "exception",
            "critical",
            "log",
        ),
        *("isinstance", "type", "id", "hash", "callable", "hasattr", "is_none", "is_not_none", "is_instance"),
        *("assertIsNone", "assertIsNotNone", "assertIsInstance"),
    )
)
# Calls whose result has what their argument tells, but is always true.
_PASSING_ON: Final = frozenset(
    ("str", "repr", "ascii", "format", "join", "dumps", "list", "tuple", "dict", "set", "sorted", "len", "iter")
)
# Calls that tell an error from None; those with a class do if it is str.
_NOT_NONE: Final = frozenset({"assertIsNotNone", "is_not_none"})
_OF_CLASS: Final = frozenset({"assertIsInstance", "is_instance", "isinstance"})
_TRUTHS: Final = frozenset({"bool", "all", "any"})
_CONTAINERS: Final = (
    *(ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.FormattedValue, ast.JoinedStr, ast.Starred, ast.keyword, ast.BinOp),
)
# A container with both tells nothing by having the value.
_OPPOSITES: Final = ({"'pass'", "'fail'"}, {"True", "False"})

Kind = Literal["verdict", "evidence", "error"]
"""What is read. Evidence may be true whatever came out; an error is None unless there is one."""


class Source(NamedTuple):
    """The tree of a file, the node around each node, and the expressions by their position."""

    tree: ast.Module
    parents: dict[ast.AST, ast.AST]
    expressions: dict[tuple[int | None, ...], ast.expr]


@functools.lru_cache(maxsize=8)
def read_source(file: str) -> Source:
    """Parse a file; without readable source, the tree is empty."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        tree = ast.Module(body=[], type_ignores=[])
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    expressions: dict[tuple[int | None, ...], ast.expr] = {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in parents
        if isinstance(node, ast.expr)
    }
    return Source(tree, parents, expressions)


def is_doctest(frame: FrameType | None) -> bool:
    """Return whether a frame is of a doctest, which compares all that it shows."""
    return frame is not None and frame.f_code.co_filename.startswith("<doctest ")


@functools.lru_cache(maxsize=1_024)
def is_used(code: CodeType, offset: int, kind: Kind) -> bool:
    """Return whether code uses the value that an instruction reads in a way that depends on the verdict."""
    source = read_source(code.co_filename)
    node = source.expressions.get(list(code.co_positions())[offset // 2])
    return node is None or _Use(source, kind).tells(node, is_truth=kind != "evidence")


class _Use:
    """The use of one value."""

    def __init__(self, source: Source, kind: Kind) -> None:
        self._source = source
        self._kind = kind

    def tells(self, node: ast.AST, *, is_truth: bool) -> bool:
        """Return whether the use of an expression with the value depends on the verdict."""
        if isinstance(node, ast.Compare) and self._kind != "error":
            operators = (node.ops[0], *node.ops)
            if any(map(_holds_always, operators, (node.left, *node.comparators))):
                return False
        parent = self._source.parents.get(node)
        if isinstance(parent, ast.Expr) or getattr(parent, "msg", None) is node:
            return False
        tests = [getattr(parent, "test", None), getattr(parent, "guard", None), *getattr(parent, "ifs", ())]
        if node in tests:
            return is_truth
        if isinstance(parent, ast.Compare):
            return self.tells(parent, is_truth=True)
        if isinstance(parent, ast.UnaryOp | ast.BoolOp):
            return self.tells(parent, is_truth=is_truth)
        if isinstance(parent, _CONTAINERS):
            return self.tells(parent, is_truth=False)
        if isinstance(parent, ast.Call):
            return self._is_told_by_call(parent, node, is_truth=is_truth)
        if isinstance(parent, ast.Assign | ast.NamedExpr) and self._is_never_loaded(parent):
            return isinstance(parent, ast.NamedExpr) and self.tells(parent, is_truth=is_truth)
        return True

    def _is_told_by_call(self, call: ast.Call, node: ast.AST, *, is_truth: bool) -> bool:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if is_truth and self._kind == "error" and call.args[:1] == [node] and _excludes_none(call, name):
            return name != "isinstance" or self.tells(call, is_truth=True)
        if name in _SHOWING:
            return False
        if name in _PASSING_ON:
            return self.tells(call, is_truth=False)
        return name not in _TRUTHS or self.tells(call, is_truth=self._kind != "evidence")

    def _is_never_loaded(self, assignment: ast.Assign | ast.NamedExpr) -> bool:
        """Return whether a function stores the value in a variable that it never reads."""
        targets = assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
        names = {target.id if isinstance(target, ast.Name) else None for target in targets}
        scope: ast.AST | None = assignment
        while scope is not None and not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            scope = self._source.parents.get(scope)
        if scope is None or None in names:
            return False
        return not any(
            isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
            for node in ast.walk(scope)
        )


def _excludes_none(call: ast.Call, name: str) -> bool:
    if name in _OF_CLASS:
        return len(call.args) > 1 and getattr(call.args[1], "id", "") == "str"
    return name in _NOT_NONE


def _holds_always(operator: ast.cmpop, operand: ast.AST) -> bool:
    """Return whether a comparison tells nothing: one with None, or with a container of all values that there are."""
    if isinstance(operator, ast.In | ast.NotIn):
        values = {repr(item.value) for item in getattr(operand, "elts", ()) if isinstance(item, ast.Constant)}
        return any(opposites <= values for opposites in _OPPOSITES)
    return isinstance(operand, ast.Constant) and operand.value is None
