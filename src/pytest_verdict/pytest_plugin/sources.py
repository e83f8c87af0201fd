"""The source of code that runs: its tree, read once for each file."""

from __future__ import annotations

import ast
import functools
import linecache
from typing import Final, NamedTuple

CONDITIONS: Final = (ast.Assert, ast.If, ast.While)
SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Source(NamedTuple):
    """The tree of a file, the node around each node, and expressions and conditions by the position of their instructions."""

    tree: ast.Module
    parents: dict[ast.AST, ast.AST]
    nodes: dict[tuple[int | None, ...], ast.AST]


@functools.lru_cache(maxsize=8)
def read_source(file: str) -> Source:
    """Parse a file; without readable source, the tree is empty."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        tree = ast.Module(body=[], type_ignores=[])
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    nodes: dict[tuple[int | None, ...], ast.AST] = {
        # Python 3.11 has the position of a whole loop where it asks for the next item.
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): getattr(node, "iter", node)
        for node in parents
        if isinstance(node, (ast.expr, ast.For, ast.AsyncFor, *CONDITIONS))
    }
    return Source(tree, parents, nodes)


def scope_of(source: Source, node: ast.AST) -> ast.AST | None:
    scope: ast.AST | None = node
    while scope is not None and not isinstance(scope, (*SCOPES, ast.ClassDef)):
        scope = source.parents.get(scope)
    return scope


def name_of(node: ast.AST | None) -> str:
    """Return the last name of a call, attribute or variable."""
    node = getattr(node, "func", node)
    return str(getattr(node, "attr", getattr(node, "id", "")))
