"""The statement that code runs, and whether it drops a value that it reads."""

from __future__ import annotations

import ast
import dis
import functools
import linecache
from types import CodeType
from typing import Final

# Calls that show a value or compute with it; as a statement, they change nothing.
_WITHOUT_EFFECT: Final = frozenset(
    (
        *("print", "pprint", "pp", "debug", "info", "warning", "error", "exception", "critical", "log", "warn"),
        *("bool", "int", "float", "str", "repr", "format", "len", "sum", "min", "max", "round", "abs", "all", "any"),
        *(
            "list",
            "tuple",
            "set",
            "dict",
            "sorted",
            "next",
            "count",
            "Counter",
            "isinstance",
            "hash",
            "record_property",
        ),
    )
)
_MOST_TRIES: Final = 10
_ALWAYS_TRUE: Final = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.JoinedStr)


@functools.lru_cache(maxsize=8)
def _read_statements(file: str) -> list[ast.stmt]:
    """Parse a file; without readable source, it has no statements."""
    text = "".join(linecache.getlines(file))
    for _ in range(_MOST_TRIES):
        try:
            return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
        except (SyntaxError, ValueError, RecursionError):
            break
        except SystemError:
            # Python 3.11 cannot parse in two threads at once.
            continue
    return []


def find_statement(file: str, line: int, column: int | None = None) -> ast.stmt | None:
    """Return the innermost statement at a position, or in a line."""
    innermost = None
    for statement in _read_statements(file):
        start = (statement.lineno, statement.col_offset)
        end = (statement.end_lineno or 0, statement.end_col_offset or 0)
        # The walk of a tree yields what is inside of a statement after it.
        if (start[0] <= line <= end[0]) if column is None else (start <= (line, column) < end):
            innermost = statement
    return innermost


_Span = tuple[int | None, int | None, int | None, int | None]


def _span(node: ast.expr | ast.stmt) -> _Span:
    """Return the lines and columns of a node, as those of an instruction."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


@functools.lru_cache(maxsize=1_024)
def drops_value(code: CodeType, offset: int) -> bool:
    """Return whether nothing can depend on a value that an instruction reads, by the statement that it belongs to.

    The statement is an expression that is no call, or a call that only shows or computes; it asserts a container or a text in
    which the value is, or only its type; or it assigns to a variable that its function never reads.
    """
    line, _, column, _ = list(code.co_positions())[offset // 2]
    # A lambda returns what it reads.
    if line is None or column is None or code.co_name == "<lambda>":
        return False
    statement = find_statement(code.co_filename, line, column)
    if isinstance(statement, ast.Expr):
        value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
        if isinstance(value, ast.Call):
            return name_of(value) in _WITHOUT_EFFECT
        return not isinstance(value, ast.Yield | ast.YieldFrom)
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, _ALWAYS_TRUE) or _asks_for_type(statement.test)
    if isinstance(statement, ast.Assign):
        names = {getattr(target, "id", "") for target in statement.targets}
        return names <= {*code.co_varnames} - _variables_read_in(code)
    return False


def _variables_read_in(code: CodeType) -> set[str]:
    variables: set[str] = set()
    for instruction in dis.get_instructions(code):
        if "LOAD_FAST" in instruction.opname:
            # Since Python 3.13, an instruction may have two variables, and the first one may be stored.
            names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
            variables.update(names[1:] if instruction.opname.startswith("STORE") else names)
    return variables


def _asks_for_type(test: ast.expr) -> bool:
    """Return whether a condition only asks for the type of an attribute, or whether it is None; an error may be None."""
    value: ast.expr | None = None
    if isinstance(test, ast.Compare) and getattr(test.comparators[0], "value", ...) is None:
        value = test.left
    elif isinstance(test, ast.Call) and name_of(test) == "isinstance":
        value = test.args[0]
    return isinstance(value, ast.Attribute) and value.attr != "error"


@functools.lru_cache(maxsize=1_024)
def is_asserted(code: CodeType, offset: int) -> bool:
    """Return whether an assertion fails if the value that an instruction reads is false: ``assert result``."""
    span: _Span = list(code.co_positions())[offset // 2]
    statement = None if span[0] is None else find_statement(code.co_filename, span[0], span[2])
    if not isinstance(statement, ast.Assert):
        return False
    test = statement.test
    if isinstance(test, ast.Attribute):
        return test.attr == "passed"
    # The truth of the whole condition; pytest gives the position of the assertion to what it adds.
    is_condition = dis.opname[code.co_code[offset]].startswith(("POP_JUMP", "TO_BOOL")) and span == _span(test)
    is_plain = isinstance(test, ast.Name | ast.Call | ast.Subscript | ast.Compare)
    return is_plain and (is_condition or span == _span(statement))


def name_of(call: ast.Call) -> str:
    """Return the last name of the function that is called."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))
