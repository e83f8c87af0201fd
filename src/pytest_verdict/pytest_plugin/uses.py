"""What code does with a value that it reads of a result, by the source of the expression that reads it.

A value is followed through expressions, local variables and the return of a function, until it decides something, is shown or
dropped, or makes an assertion fail.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import os
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Final, Literal, NamedTuple

import _pytest

# Calls that show a value, or tell only its type, by the name of the function or method.
_SHOWING: Final = frozenset(
    (
        *("print", "print_exc", "print_exception", "pprint", "pp", "record_property", "warn"),
        *("debug", "info", "warning", "error", "exception", "critical", "log"),
        *("isinstance", "type", "id", "hash", "callable", "hasattr", "is_none", "is_not_none", "is_instance"),
        *("assertIsNone", "assertIsNotNone", "assertIsInstance"),
    )
)
# Calls whose result has what their argument tells, but is always true.
_PASSING_ON: Final = frozenset(
    (
        *("str", "repr", "ascii", "format", "join", "dumps", "list", "tuple", "dict", "set", "sorted", "len", "iter"),
        *("enumerate", "zip", "reversed", "Counter", "keys", "values", "items"),
    )
)
# Calls whose result may be false if their argument is.
_COMPUTING: Final = frozenset(
    (
        *("bool", "all", "any", "sum", "max", "min", "round", "abs", "int", "float", "next", "mean", "fmean", "median"),
        *("fsum", "isnan", "isfinite", "isinf", "floor", "ceil", "truth", "reduce", "getattr", "total", "is_integer"),
        "get",
    )
)
_SAME_TRUTH: Final = frozenset({"bool", "truth", "getattr"})
# Methods of a text whose answer is the truth that is read.
_ANSWERING: Final = frozenset({"startswith", "endswith"})
# Calls that tell an error from None; those with a class do if it is str.
_NOT_NONE: Final = frozenset({"assertIsNotNone", "is_not_none"})
_OF_CLASS: Final = frozenset({"assertIsInstance", "is_instance", "isinstance"})
_CONTAINERS: Final = (
    *(ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.FormattedValue, ast.JoinedStr, ast.Starred, ast.keyword),
)
# A container with both tells nothing by having the value.
_OPPOSITES: Final = ({"'pass'", "'fail'"}, {"True", "False"})
CONDITIONS: Final = (ast.Assert, ast.If, ast.While)
SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_INNER_FRAMES: Final = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
_MOST_CALLERS: Final = 10
# An `except` that names one of these means our failure, or our error.
_OF_FAILURES: Final = frozenset({"AssertionError", "MismatchError", "failureException"})
_OF_ERRORS: Final = frozenset({"UndecidedError", "VerdictError"})
_LIBRARIES: Final = (f"{Path(os.__file__).parent}{os.sep}", f"{Path(_pytest.__file__).parents[1]}{os.sep}")
# pytest reads the values of a failed assertion again, to explain it.
_PYTEST: Final = Path(_pytest.__file__).parent
_EXPLANATIONS: Final = tuple(f"{_PYTEST / package}{os.sep}" for package in ("assertion", "_io"))

Kind = Literal["verdict", "evidence", "error"]
"""What is read. Evidence may be true whatever came out; an error is None unless there is one."""


class Source(NamedTuple):
    """The tree of a file, the node around each node, and expressions and conditions by their position."""

    tree: ast.Module
    parents: dict[ast.AST, ast.AST]
    nodes: dict[tuple[int | None, ...], ast.AST]


class Truth(NamedTuple):
    """Whether it tells something that a value is true or false, and which it is, if that is known."""

    tells: bool
    value: bool | None = None


_UNKNOWN: Final = Truth(tells=True)
_ALWAYS: Final = Truth(tells=False)


class Use(NamedTuple):
    """What becomes of a value; the truth of one that is returned, and the line and class of an exception."""

    way: Literal["tells", "drops", "returns", "raises"]
    truth: Truth = _ALWAYS
    line: int = 0
    exception: str = ""


_TELLS: Final = Use("tells")
_DROPS: Final = Use("drops")


@functools.lru_cache(maxsize=8)
def read_source(file: str) -> Source:
    """Parse a file; without readable source, the tree is empty."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        tree = ast.Module(body=[], type_ignores=[])
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    nodes: dict[tuple[int | None, ...], ast.AST] = {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in parents
        if isinstance(node, (ast.expr, *CONDITIONS))
    }
    return Source(tree, parents, nodes)


def is_doctest(frame: FrameType | None) -> bool:
    """Return whether a frame is of a doctest, which compares all that it shows."""
    return frame is not None and frame.f_code.co_filename.startswith("<doctest ")


def find_use(frame: FrameType, kind: Kind, value: bool | None = None) -> bool | FrameType:  # noqa: FBT001 - as its truth is
    """Return whether what happens depends on a value that a frame reads; the frame, if all that happens is an exception."""
    file = frame.f_code.co_filename
    if file.startswith(_EXPLANATIONS):
        return False
    current: FrameType | None = frame
    while kind == "evidence" and current is not None and current.f_code.co_filename.startswith(_LIBRARIES):
        # A library may read it for its caller, as `Counter` does; pytest reads it for nobody.
        current = None if current.f_code.co_filename.startswith(str(_PYTEST)) else current.f_back
    if current is None:
        return False
    truth = Truth(kind != "evidence", value)
    callee = ""
    for _ in range(_MOST_CALLERS):
        if current is None:
            break
        use = _use_in(current.f_code, current.f_lasti, kind, truth, callee)
        if use.way == "raises":
            return is_handled(current, use.line, use.exception) or _outer(current) or True
        if use.way != "returns":
            return use.way == "tells"
        truth = use.truth
        current = _outer(current)
        callee = "" if current is None else current.f_code.co_name
        current = None if current is None else current.f_back
        if current is not None and current.f_code.co_filename.startswith(_LIBRARIES):
            # pytest drops what a test returns.
            return not callee.startswith("test")
    return True


def _outer(frame: FrameType | None) -> FrameType | None:
    """Return the frame of the function in which an expression runs."""
    while frame is not None and frame.f_code.co_name in _INNER_FRAMES:
        frame = frame.f_back
    return frame


def is_handled(frame: FrameType | None, line: int, exception: str) -> bool:
    """Return whether an exception from a line meets an ``except`` with its name that does something."""
    names = next((names for names in (_OF_FAILURES, _OF_ERRORS) if exception in names), {exception})
    while frame is not None:
        code = frame.f_code
        source = read_source("" if code.co_filename.startswith(_LIBRARIES) else code.co_filename)
        blocks = [
            node
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Try)
            and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)
            and (code.co_name in _INNER_FRAMES or getattr(_scope_of(source, node), "name", "<lambda>") == code.co_name)
        ]
        for block in sorted(blocks, key=lambda block: -block.lineno):
            for handler in block.handlers:
                caught = {name_of(node) for node in ast.walk(handler.type or ast.Pass())}
                if caught & names:
                    return _UseInSource(source, "verdict").handles(block, handler)
                if handler.type is None or caught & {"Exception", "BaseException"}:
                    return False
        frame = frame.f_back
        line = 0 if frame is None else frame.f_lineno
    return False


def _scope_of(source: Source, node: ast.AST) -> ast.AST | None:
    scope: ast.AST | None = node
    while scope is not None and not isinstance(scope, (*SCOPES, ast.ClassDef)):
        scope = source.parents.get(scope)
    return scope


@functools.lru_cache(maxsize=1_024)
def _use_in(code: CodeType, offset: int, kind: Kind, truth: Truth, callee: str) -> Use:
    """Return the use of the value that an instruction reads, or that the function which it calls returns."""
    source = read_source(code.co_filename)
    node = source.nodes.get(list(code.co_positions())[offset // 2])
    if node is None:
        return _TELLS
    parent = source.parents[node]
    if isinstance(parent, ast.Call) and node is parent.func:
        # Python 3.11 puts f(*arguments) where f is.
        node = parent
    use = _UseInSource(source, kind)
    if isinstance(node, ast.Call) and "CALL" in dis.opname[code.co_code[offset]]:
        # A function in C reads the value, or one in Python has returned it.
        name = name_of(node)
        if name in _SHOWING or name in _PASSING_ON or name in _COMPUTING:
            return use.of_call(node, None, truth)
        is_known = name in _ANSWERING or (callee and name == callee)
        return use.of(node, truth if is_known else Truth(truth.tells))
    # The truth of an operand is read where the operator or the statement stands.
    if isinstance(node, CONDITIONS):
        node = node.test
    if isinstance(node, ast.BoolOp):
        return use.of_part(node, node.values[0], truth)
    if isinstance(node, ast.UnaryOp):
        truth = _inverted(truth)
    if isinstance(node, ast.Compare):
        truth = Truth(tells=True, value=_truth_of_answer(node, truth.value))
    return use.of(node, truth)


def _inverted(truth: Truth) -> Truth:
    return truth if truth.value is None else Truth(truth.tells, not truth.value)


def _truth_of_answer(node: ast.Compare, answer: bool | None) -> bool | None:  # noqa: FBT001 - as of a comparison
    """Return the truth of a comparison in which the value, or an item with it, gave an answer; None if others count too."""
    operator = node.ops[0]
    if answer is None or isinstance(operator, ast.Is | ast.IsNot):
        return answer
    if isinstance(operator, ast.In | ast.NotIn):
        return isinstance(operator, ast.In) if answer else None
    is_alone = any(isinstance(operand, ast.Constant) for operand in (node.left, *node.comparators))
    if answer and (len(node.ops) > 1 or (isinstance(operator, ast.Eq | ast.NotEq) and not is_alone)):
        return None
    return not answer if isinstance(operator, ast.NotEq) else answer


class _UseInSource:
    """The use of one value."""

    def __init__(self, source: Source, kind: Kind) -> None:
        self._source = source
        self._kind = kind
        self._assignments: set[ast.AST] = set()

    def of(self, node: ast.AST, truth: Truth) -> Use:
        """Return the use of an expression that has the value."""
        if isinstance(node, ast.Compare) and self._holds_always(node):
            return _DROPS
        parent = self._source.parents.get(node)
        if isinstance(parent, ast.If | ast.While):
            return self._of_branch(parent, truth.value) if truth.tells else _DROPS
        if isinstance(parent, ast.stmt):
            return self._of_statement(parent, node, truth)
        if isinstance(parent, ast.Lambda):
            return Use("returns", truth)
        if isinstance(parent, ast.Call):
            return self.of_call(parent, node, truth)
        if isinstance(parent, ast.NamedExpr):
            return _strongest([self.of(parent, truth), self._of_variables(parent, Truth(truth.tells))])
        if isinstance(parent, ast.comprehension):
            whole = self._source.parents[parent]
            return _DROPS if node in parent.ifs and not truth.tells else self.of(whole, _UNKNOWN)
        if isinstance(parent, _CONTAINERS):
            # One item that is false decides all().
            is_of_all = name_of(self._source.parents.get(parent)) == "all"
            return self.of(parent, Truth(tells=False, value=False if is_of_all and truth.value is False else None))
        return self.of_part(parent, node, truth)

    def of_part(self, parent: ast.AST | None, node: ast.AST, truth: Truth) -> Use:
        """Return the use of an expression with an operator, of which the value is one operand."""
        if isinstance(parent, ast.Compare):
            return self.of(parent, Truth(tells=True, value=_truth_of_comparison(parent, node, truth.value, self._kind)))
        if isinstance(parent, ast.UnaryOp):
            return self.of(parent, _inverted(truth) if isinstance(parent.op, ast.Not) else Truth(truth.tells))
        if isinstance(parent, ast.BinOp):
            return self.of(parent, Truth(truth.tells))
        if isinstance(parent, ast.Subscript | ast.Attribute | ast.Await):
            return self.of(parent, truth if isinstance(parent, ast.Await) else _UNKNOWN)
        if isinstance(parent, ast.BoolOp):
            is_or = isinstance(parent.op, ast.Or)
            if is_or and any(isinstance(operand, ast.Constant) and operand.value for operand in parent.values):
                return _DROPS
            return self.of(parent, Truth(truth.tells, truth.value if truth.value is is_or else None))
        if isinstance(parent, ast.IfExp):
            values = [bool(part.value) for part in (parent.body, parent.orelse) if isinstance(part, ast.Constant)]
            if node is parent.test and values in ([True, True], [False, False]):
                return self.of(parent, _ALWAYS)
            is_plain = node is parent.test and values == [True, False]
            return self.of(parent, truth if is_plain else Truth(truth.tells))
        return _TELLS

    def _of_statement(self, statement: ast.stmt, node: ast.AST, truth: Truth) -> Use:
        if isinstance(statement, ast.Expr) or getattr(statement, "msg", None) is node:
            return _DROPS
        if isinstance(statement, ast.Assert):
            if truth == Truth(tells=True, value=False):
                return Use("raises", line=statement.lineno, exception="AssertionError")
            return _TELLS if truth.tells else _DROPS
        if isinstance(statement, ast.Match):
            return _DROPS if all(self.is_silent(case.body) for case in statement.cases) else _TELLS
        if isinstance(statement, ast.For | ast.AsyncFor):
            return _DROPS if self.is_silent(statement.body) else _TELLS
        if isinstance(statement, ast.Return):
            return Use("returns", truth)
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            is_plain = isinstance(statement, ast.Assign) and statement.value is node
            return self._of_variables(statement, truth if is_plain else Truth(truth.tells))
        return _TELLS

    def _of_branch(self, statement: ast.If | ast.While, value: bool | None) -> Use:  # noqa: FBT001 - its truth
        """Return the use of a condition: a branch that does nothing tells nothing, and one that raises must be heard."""
        if value is not None:
            branch = statement.body if value else statement.orelse
            last = branch[-1] if branch else None
            if isinstance(last, ast.Raise) and "skip" not in name_of(last.exc).casefold():
                return Use("raises", line=last.lineno, exception=name_of(last.exc))
            scope = _scope_of(self._source, statement)
            if isinstance(last, ast.Return) and getattr(scope, "name", "").startswith("test"):
                return _DROPS if self.is_silent(branch) else _TELLS
        is_silent = self.is_silent([*statement.body, *statement.orelse])
        returns = any(isinstance(node, ast.Return) for part in statement.body for node in ast.walk(part))
        return _DROPS if is_silent and not returns else _TELLS

    def of_call(self, call: ast.Call, node: ast.AST | None, truth: Truth) -> Use:
        name = name_of(call)
        whole = self._source.parents.get(call)
        if node is call.func and name not in _PASSING_ON:
            # A method may change its object.
            return _TELLS if isinstance(whole, ast.Expr) else self.of(call, Truth(truth.tells))
        if truth.tells and self._kind == "error" and call.args[:1] == [node] and _excludes_none(call, name):
            return self.of(call, _UNKNOWN) if name == "isinstance" else _TELLS
        if name in _SHOWING or (name == "len" and isinstance(node, ast.List | ast.Tuple)):
            # The length of a list that is written down is known.
            return _DROPS
        if name in _PASSING_ON:
            return self.of(call, Truth([name_of(argument) for argument in call.args[:1]] == ["filter"]))
        if name not in _COMPUTING or (name == "next" and not isinstance(whole, ast.stmt)):
            return _TELLS
        is_known = name in _SAME_TRUTH or (name == "all" and truth.value is False)
        return self.of(call, Truth(truth.tells or self._kind != "evidence", truth.value if is_known else None))

    def _of_variables(self, assignment: ast.AST, truth: Truth) -> Use:
        """Return the strongest use of the variables in which a function stores the value."""
        targets = getattr(assignment, "targets", None) or [getattr(assignment, "target", None)]
        nodes = [part for target in targets for part in getattr(target, "elts", [target])]
        names = {part.id if isinstance(part, ast.Name) else "" for part in nodes}
        scope = _scope_of(self._source, assignment)
        if scope is None or isinstance(scope, ast.ClassDef) or "" in names:
            return _TELLS
        if assignment in self._assignments:
            return _DROPS
        self._assignments.add(assignment)
        inside = list(ast.walk(scope))
        if any(isinstance(node, ast.Global | ast.Nonlocal) and names & {*node.names} for node in inside):
            return _TELLS
        variables = [node for node in inside if isinstance(node, ast.Name) and node.id in names]
        is_stored_again = sum(isinstance(node.ctx, ast.Store) for node in variables) > 1
        # Unpacking reads the items of a container.
        tells = truth.tells or any(isinstance(target, ast.Tuple | ast.List) for target in targets)
        uses = [_DROPS]
        for node in variables:
            if isinstance(node.ctx, ast.Load):
                use = self.of(node, Truth(tells, None if is_stored_again else truth.value))
                is_outside = _scope_of(self._source, node) is not scope and use.way in {"returns", "raises"}
                uses.append(_TELLS if is_outside else use)
        return _strongest(uses)

    def is_silent(self, statements: Sequence[ast.stmt]) -> bool:
        """Return whether statements do nothing but show something."""
        return all(map(self._is_silent, statements))

    def _is_silent(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Return):
            return statement.value is None or getattr(statement.value, "value", "") is None
        if isinstance(statement, ast.Expr):
            value = statement.value
            return isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and name_of(value) in _SHOWING)
        if isinstance(statement, ast.Assign):
            return self._of_variables(statement, _UNKNOWN).way == "drops"
        if isinstance(statement, ast.If | ast.For | ast.With):
            return self.is_silent([*statement.body, *getattr(statement, "orelse", ())])
        return isinstance(statement, ast.Pass)

    def handles(self, block: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Return whether a handler does something, or the statement that raised nothing would have ended otherwise."""
        last = [*block.body, *block.orelse][-1]
        is_failure = isinstance(last, ast.Expr) and name_of(last.value) in {"fail", "exit", "skip", "xfail"}
        is_false = isinstance(last, ast.Assert) and isinstance(last.test, ast.Constant)
        if is_failure or is_false or isinstance(last, ast.Raise | ast.Return | ast.Break):
            return True
        return not self.is_silent([one for one in handler.body if not isinstance(one, ast.Continue)])

    def _holds_always(self, node: ast.Compare) -> bool:
        """Return whether a comparison tells nothing: with None, all values that there are, or a bound of all scores."""
        operators = (node.ops[0], *node.ops)
        operands = (node.left, *node.comparators)
        for operator, operand in zip(operators, operands, strict=True):
            is_none = isinstance(operand, ast.Constant) and operand.value is None
            if self._kind == "error":
                # An error that is not this text may be any other, or none.
                if isinstance(operand, ast.Constant) and isinstance(operator, ast.NotEq) and not is_none:
                    return True
            elif isinstance(operator, ast.In | ast.NotIn):
                items = getattr(operand, "elts", None) or getattr(operand, "keys", None) or ()
                values = {repr(item.value) for item in items if isinstance(item, ast.Constant)}
                if any(opposites <= values for opposites in _OPPOSITES):
                    return True
            elif is_none:
                return True
        return self._kind != "error" and all(map(_is_bound_of_all, operands, node.ops, node.comparators))


def _is_bound_of_all(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    """Return whether a comparison holds for each score or count: zero is not above it, or one is not below a score."""
    if not isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return False
    includes_bound = isinstance(operator, ast.LtE | ast.GtE)
    is_upper = isinstance(operator, ast.Lt | ast.LtE)
    bound, value = right, left
    if isinstance(left, ast.Constant):
        bound, value = left, right
        is_upper = not is_upper
    try:
        limit = ast.literal_eval(bound)
    except ValueError:
        return False
    if not isinstance(limit, int | float):
        return False
    parts = list(ast.walk(value))
    if is_upper:
        is_score = not any(isinstance(part, ast.BinOp) or name_of(part) in {"sum", "len", "fsum"} for part in parts)
        return is_score and (limit > 1 or (limit == 1 and includes_bound))
    is_negative = any(isinstance(part, ast.Sub | ast.USub) for part in parts)
    return not is_negative and (limit < 0 or (limit == 0 and includes_bound))


def _strongest(uses: list[Use]) -> Use:
    order = ("tells", "returns", "raises", "drops")
    return min(uses, key=lambda use: order.index(use.way))


def name_of(node: ast.AST | None) -> str:
    """Return the last name of a call, attribute or variable."""
    node = getattr(node, "func", node)
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _truth_of_comparison(
    node: ast.Compare,
    operand: ast.AST,
    truth: bool | None,  # noqa: FBT001 - of the operand
    kind: Kind,
) -> bool | None:
    """Return the truth of a comparison of a value, whose truth is known, with True, False or None."""
    other = node.comparators[0] if operand is node.left else node.left
    if len(node.ops) > 1 or not isinstance(other, ast.Constant) or truth is None:
        return None
    if not (isinstance(other.value, bool) or (other.value is None and kind == "error")):
        return None
    is_equal = other.value is truth
    return is_equal if isinstance(node.ops[0], ast.Is | ast.Eq) else not is_equal


def _excludes_none(call: ast.Call, name: str) -> bool:
    if name in _OF_CLASS:
        return len(call.args) > 1 and getattr(call.args[1], "id", "") == "str"
    return name in _NOT_NONE
