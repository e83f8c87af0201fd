"""What code does with a value, by its source: it is followed through expressions, variables and branches to what it decides."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from pytest_verdict.pytest_plugin.sources import CONDITIONS, SCOPES, Source, name_of, scope_of

# Calls that show a value, or tell only its type, by the name of the function or method; and those that wait.
_SHOWING: Final = frozenset(
    (
        *("print", "print_exc", "print_exception", "pprint", "pp", "record_property", "warn", "sleep"),
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
        *("loads", "encode", "splitlines", "pformat"),
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
# The truth of an item that ends the iteration.
_DECIDING: Final = {"any": True, "all": False}
# Calls that end a test, the beginnings of those that may, and methods that change a container.
_ENDING: Final = frozenset({"fail", "exit", "skip", "xfail", "skipTest"})
_ASSERTING: Final = ("assert", "check", "verify", "expect", "ensure", "validate", "should")
_JOINING: Final = frozenset({"extend", "update"})
_FILLING: Final = frozenset(
    (
        *("append", "appendleft", "insert", "add", "setdefault", *_JOINING),
        *("remove", "discard", "pop", "popleft", "popitem", "clear"),
    )
)
_NEW_CONTAINERS: Final = frozenset({"list", "dict", "set", "deque", "Counter", "defaultdict", "OrderedDict"})
# Calls that tell an error from None; those with a class do if it is str.
_NOT_NONE: Final = frozenset({"assertIsNotNone", "is_not_none"})
_OF_CLASS: Final = frozenset({"assertIsInstance", "is_instance", "isinstance"})
_DISPLAYS: Final = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_CONTAINERS: Final = (
    *(*_DISPLAYS, ast.Tuple, ast.GeneratorExp),
    *(ast.FormattedValue, ast.JoinedStr, ast.Starred, ast.keyword),
)
_ASSIGNMENTS: Final = (ast.Assign, ast.AnnAssign, ast.AugAssign)
# A container with both tells nothing by having the value.
_OPPOSITES: Final = ({"'pass'", "'fail'"}, {"True", "False"})
_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
_JUMPS: Final = (ast.Return, ast.Break, ast.Continue)
_BLOCKS: Final = ("body", "orelse", "finalbody")

Kind = Literal["verdict", "evidence", "error", "choice"]
"""What is read. Evidence may be true whatever came out, an error is None if there is none, what a branch chose is anything."""


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
    # Expressions of which this value decides the result, so others in them are not read.
    decided: tuple[ast.AST, ...] = ()
    # Whether a branch chose what is returned.
    is_chosen: bool = False

    def deciding(self, *nodes: ast.AST | None) -> Use:
        return self._replace(decided=(*self.decided, *filter(None, nodes)))


_TELLS: Final = Use("tells")
_DROPS: Final = Use("drops")
_ORDER: Final = ("tells", "returns", "raises", "drops")


def find_use(source: Source, node: ast.AST, kind: Kind, truth: Truth, *, callee: str, is_call: bool) -> Use:
    """Return the use of a value that is read where a node stands, or that the function called there has returned."""
    parent = source.parents[node]
    if isinstance(parent, ast.Call) and node is parent.func:
        # Python 3.11 puts f(*arguments) where f is.
        node = parent
    use = UseInSource(source, kind)
    if isinstance(node, ast.Call) and is_call:
        # A function in C reads the value, or one in Python has returned it.
        name = name_of(node)
        if name in _SHOWING or name in _PASSING_ON or name in _COMPUTING:
            return use.of_call(node, None, truth)
        is_known = name in _ANSWERING or (callee and name == callee)
        return use.of(node, truth if is_known else Truth(truth.tells))
    # The truth of an operand is read where the operator or the statement stands, that of a condition where its expression does.
    if isinstance(node, CONDITIONS):
        node = node.test
    if isinstance(node, ast.GeneratorExp):
        tests = [test for one in node.generators for test in one.ifs]
        node = tests[0] if len(tests) == 1 else node
    if isinstance(node, ast.BoolOp):
        return use.of_part(node, node.values[0], truth)
    if isinstance(node, ast.UnaryOp):
        truth = _inverted(truth)
    if isinstance(node, ast.Compare):
        lists = _lists_in(node, truth.value)
        truth = Truth(tells=True, value=_truth_of_answer(node, truth.value))
        return use.of(node, truth).deciding(*lists)
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


def _lists_in(node: ast.Compare, answer: bool | None) -> list[ast.expr]:  # noqa: FBT001 - as of a comparison
    """Return the lists of which one item decides whether they have a value, or equal another list."""
    is_member = isinstance(node.ops[0], ast.In | ast.NotIn)
    if answer is not is_member:
        return []
    parts = [*node.comparators[:1]] if is_member else [node.left, *node.comparators]
    return [part for part in parts if isinstance(part, ast.Name | ast.ListComp | ast.List | ast.Tuple)]


class UseInSource:
    """The use of one value."""

    def __init__(self, source: Source, kind: Kind, visited: set[ast.AST] | None = None) -> None:
        self._source = source
        self._kind = kind
        self._visited = set() if visited is None else visited

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
            return _strongest([self.of(parent, truth), self._of_targets(parent, Truth(truth.tells))])
        if isinstance(parent, ast.comprehension):
            whole = self._source.parents[parent]
            if node in parent.ifs and not truth.tells:
                return _DROPS
            use = self.of(whole, _UNKNOWN)
            decides = name_of(self._source.parents.get(whole)) == "next" and truth.value and node in parent.ifs
            return use.deciding(whole if decides else None)
        if isinstance(parent, _CONTAINERS):
            name = name_of(self._source.parents.get(parent))
            # One item that is false decides all().
            is_of_all = name == "all" and truth.value is False
            # A call such as sum() reads the items.
            reads_items = truth.tells and name in _COMPUTING
            use = self.of(parent, Truth(reads_items, value=False if is_of_all else None))
            decides = isinstance(parent, ast.GeneratorExp) and _DECIDING.get(name) is truth.value is not None
            return use.deciding(parent if decides else None)
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
            if truth.value is is_or:
                return self.of(parent, truth).deciding(parent)
            return self.of(parent, truth if node is parent.values[-1] else Truth(truth.tells))
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
                use = Use("raises", line=statement.lineno, exception="AssertionError")
                return use.deciding(self._items_of_loop(statement))
            return _TELLS if truth.tells else _DROPS
        if isinstance(statement, ast.Match):
            return self._of_all([inner for case in statement.cases for inner in case.body])
        if isinstance(statement, ast.For | ast.AsyncFor):
            return self._of_all(statement.body)
        if isinstance(statement, ast.Return):
            return Use("returns", truth)
        if isinstance(statement, _ASSIGNMENTS):
            is_plain = isinstance(statement, ast.Assign) and statement.value is node
            # A container of false values is true.
            is_item = any(isinstance(target, ast.Subscript) for target in _targets_of(statement))
            return self._of_targets(
                statement, truth if is_plain and not is_item else Truth(truth.tells and not is_item)
            )
        return _TELLS

    def _of_branch(self, statement: ast.If | ast.While, value: bool | None) -> Use:  # noqa: FBT001 - its truth
        """Return the use of a condition: what its branches do, and the code that a branch skips by leaving a block."""
        if statement in self._visited:
            return _DROPS
        self._visited.add(statement)
        branches = [(statement.body, statement.orelse, True), (statement.orelse, statement.body, False)]
        if value is False:
            branches.reverse()
        last = branches[0][0][-1] if value is not None and branches[0][0] else None
        if isinstance(last, ast.Raise) and "skip" not in name_of(last.exc).casefold():
            use = Use("raises", line=last.lineno, exception=name_of(last.exc))
            return use.deciding(self._items_of_loop(statement))
        if self._ends_only_by(statement, value, branches[1][0]):
            return _TELLS
        choice = UseInSource(self._source, "choice", self._visited)
        uses = []
        if isinstance(last, ast.Return):
            constant = getattr(last.value, "value", None)
            known = Truth(tells=last.value is not None, value=constant if isinstance(constant, bool) else None)
            uses.append(Use("returns", known, is_chosen=True))
        for branch, other, truth in branches:
            has_run = value in {None, truth}
            uses.append(choice.of_block(branch, has_run=has_run, counts_calls=has_run))
            if isinstance(statement, ast.If):
                uses.append(choice.of_rest(statement, other[-1:], has_run=has_run))
        ends_loop = isinstance(last, ast.Break | ast.Return)
        return _strongest(uses).deciding(self._items_of_loop(statement) if ends_loop else None)

    def _of_all(self, statements: Iterable[ast.stmt]) -> Use:
        choice = UseInSource(self._source, "choice", self._visited)
        return choice.of_block(statements, has_run=True, counts_calls=True)

    def of_block(self, statements: Iterable[ast.stmt], *, has_run: bool, counts_calls: bool) -> Use:
        """Return the use of a condition of statements, which ran or were skipped because of it."""
        # Skipped assertions and calls might have changed nothing; those that end a test, and variables, would have.
        uses = [_DROPS]
        for statement in statements:
            if isinstance(statement, ast.Raise):
                uses.append(_TELLS)
            elif isinstance(statement, ast.Assert):
                is_false = isinstance(statement.test, ast.Constant) and not statement.test.value
                uses.append(_TELLS if has_run or is_false else _DROPS)
            elif isinstance(statement, ast.Expr):
                uses.append(self._of_call_statement(statement.value, has_run=has_run, counts=counts_calls))
            elif isinstance(statement, _ASSIGNMENTS):
                uses.append(self._of_targets(statement, _UNKNOWN))
            elif isinstance(statement, ast.Return):
                uses.append(Use("returns", Truth(tells=statement.value is not None), is_chosen=True))
            elif isinstance(statement, ast.Break):
                uses.append(self._of_break(statement, has_run=has_run))
            elif not isinstance(statement, (*SCOPES, ast.ClassDef)):
                inner = [part for parts in self._blocks_of(statement) for part in parts]
                uses.append(self.of_block(inner, has_run=has_run, counts_calls=counts_calls))
        return _strongest(uses)

    def _of_call_statement(self, value: ast.expr, *, has_run: bool, counts: bool) -> Use:
        value = value.value if isinstance(value, ast.Await) else value
        name = name_of(value)
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and name in _SHOWING):
            return _DROPS
        if isinstance(value, ast.Call) and name in _ENDING:
            return _TELLS
        if isinstance(value, ast.Call) and name in _FILLING and isinstance(value.func, ast.Attribute):
            return self._of_container(value.func.value, _UNKNOWN)
        if counts or (has_run and name.startswith(_ASSERTING)):
            return _TELLS
        return self._of_object(value)

    def _of_object(self, value: ast.expr) -> Use:
        """Return the use, after a call that was skipped, of the object of the function that would have changed."""
        root: ast.AST = getattr(value, "func", value)
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        scope = scope_of(self._source, value)
        if scope is None or not isinstance(root, ast.Name):
            return _DROPS
        parts = list(ast.walk(scope))
        names = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        names |= {part.arg for part in parts if isinstance(part, ast.arg)}
        before = {part for part in parts if getattr(part, "lineno", 0) <= (value.end_lineno or 0)}
        return self._of_variables({root.id}, scope, _UNKNOWN, before) if root.id in names else _DROPS

    def of_rest(self, statement: ast.stmt, jumps: Sequence[ast.stmt], *, has_run: bool) -> Use:
        """Return the use of a condition of the statements that a jump in this one skips."""
        if not jumps or not isinstance(jumps[0], _JUMPS):
            return _DROPS
        # Calls between two rounds of a loop prepare the next round, unless they assert something.
        counts_calls = has_run and (isinstance(jumps[0], ast.Continue) or self._loop_of(statement) is None)
        return self.of_block(self._rest(statement, jumps[0]), has_run=has_run, counts_calls=counts_calls)

    def _ends_only_by(self, statement: ast.If | ast.While, value: bool | None, skipped: Sequence[ast.stmt]) -> bool:  # noqa: FBT001
        """Return whether a loop without an end goes on, so what comes after it runs only if a later round passes."""
        loop = statement if isinstance(statement, ast.While) else self._loop_of(statement)
        if not isinstance(loop, ast.While):
            return False
        exits = [node for node in ast.walk(loop) if isinstance(node, ast.Break | ast.Return)]
        if loop is statement:
            return value is True and not exits and not any(isinstance(node, ast.BoolOp) for node in ast.walk(loop.test))
        is_endless = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
        return is_endless and value is not None and exits == [*skipped[-1:]]

    def _of_break(self, statement: ast.Break, *, has_run: bool) -> Use:
        """Return the use of a condition of the end of a loop: later rounds set its variables, and its ``else`` runs."""
        loop = self._loop_of(statement)
        if loop is None:
            return _TELLS
        names = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        inside = set(ast.walk(loop))
        use = self._of_variables(names, scope_of(self._source, loop), _UNKNOWN, inside)
        return _strongest([use, self.of_block(loop.orelse, has_run=not has_run, counts_calls=not has_run)])

    def _loop_of(self, statement: ast.stmt) -> ast.For | ast.AsyncFor | ast.While | None:
        node: ast.AST | None = statement
        while node is not None and not isinstance(node, SCOPES):
            parent = self._source.parents.get(node)
            if isinstance(parent, _LOOPS) and node in parent.body:
                return parent
            node = parent
        return None

    def _items_of_loop(self, statement: ast.stmt) -> ast.expr | None:
        return getattr(self._loop_of(statement), "iter", None)

    @staticmethod
    def _blocks_of(node: ast.AST | None) -> Iterator[list[ast.stmt]]:
        for part in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            for name in _BLOCKS:
                block = getattr(part, name, None)
                if isinstance(block, list):
                    yield block

    def _rest(self, statement: ast.stmt, jump: ast.stmt) -> list[ast.stmt]:
        """Return the statements after one that a jump in it skips."""
        rest: list[ast.stmt] = []
        loop = None if isinstance(jump, ast.Return) else self._loop_of(statement)
        node: ast.AST | None = statement
        while node is not None and node is not loop and not isinstance(node, (*SCOPES, ast.ClassDef)):
            parent = self._source.parents.get(node)
            for block in self._blocks_of(parent):
                if node in block:
                    rest += block[block.index(node) + 1 :]
            if isinstance(parent, _LOOPS) and parent is not loop and node in parent.body:
                rest += parent.orelse
            node = parent
        return rest

    def of_handler(self, block: ast.Try, handler: ast.ExceptHandler) -> Use:
        """Return the use of an exception: what its handler does, and how the block would end without it."""
        last = [*block.body, *block.orelse][-1:]
        choice = UseInSource(self._source, "choice", self._visited)
        uses = [
            choice.of_block(handler.body, has_run=True, counts_calls=True),
            choice.of_block(last, has_run=False, counts_calls=False),
            choice.of_rest(block, last, has_run=True),
            choice.of_rest(block, handler.body[-1:], has_run=False),
        ]
        return _strongest(uses)

    def of_call(self, call: ast.Call, node: ast.AST | None, truth: Truth) -> Use:
        name = name_of(call)
        whole = self._source.parents.get(call)
        is_statement = isinstance(whole, ast.Expr)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if is_statement and name in _FILLING and receiver is not None:
            if node is not call.func:
                # A container of false values is true, and that of no values is not.
                return self._of_container(receiver, Truth(truth.tells and name in _JOINING))
            if isinstance(receiver, ast.Name):
                return _DROPS
        if node is call.func and name not in _PASSING_ON:
            # A method may change its object.
            return _TELLS if is_statement else self.of(call, Truth(truth.tells))
        if truth.tells and self._kind == "error" and call.args[:1] == [node] and _excludes_none(call, name):
            return self.of(call, _UNKNOWN) if name == "isinstance" else _TELLS
        if name in _SHOWING or (name == "len" and isinstance(node, ast.List | ast.Tuple)):
            # The length of a list that is written down is known.
            return _DROPS
        if name in _PASSING_ON:
            return self.of(call, Truth([name_of(argument) for argument in call.args[:1]] == ["filter"]))
        if name not in _COMPUTING or (name == "next" and not isinstance(whole, ast.stmt)):
            return _TELLS
        decides = node is None and truth.value is not None and _DECIDING.get(name) is truth.value
        is_known = name in _SAME_TRUTH or decides or (name == "all" and truth.value is False)
        use = self.of(call, Truth(truth.tells or self._kind != "evidence", truth.value if is_known else None))
        return use.deciding(*call.args[:1]) if decides else use

    def _of_targets(self, assignment: ast.AST, truth: Truth) -> Use:
        """Return the strongest use of the variables in which an assignment stores the value."""
        targets = _targets_of(assignment)
        nodes = [part for target in targets for part in getattr(target, "elts", [target])]
        if isinstance(nodes[0], ast.Subscript):
            return self._of_container(nodes[0].value, truth)
        if not all(isinstance(node, ast.Name) for node in nodes):
            return _TELLS
        if assignment in self._visited:
            return _DROPS
        self._visited.add(assignment)
        # Unpacking reads the items of a container.
        tells = truth.tells or any(isinstance(target, ast.Tuple | ast.List) for target in targets)
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        return self._of_variables(names, scope_of(self._source, assignment), Truth(tells, truth.value))

    def _of_container(self, node: ast.AST, truth: Truth) -> Use:
        """Return the use of a container to which something is added: that of its variable, if nothing else can have it."""
        scope = scope_of(self._source, node)
        if not isinstance(node, ast.Name) or node in self._visited:
            return _DROPS if node in self._visited else _TELLS
        self._visited.add(node)
        while scope is not None:
            stores = [part for part in ast.walk(scope) if isinstance(part, ast.Assign | ast.AnnAssign)]
            values = [value for one in stores for value in _values_of(one, node.id)]
            if values:
                is_new = all(isinstance(one, _DISPLAYS) or name_of(one) in _NEW_CONTAINERS for one in values)
                return self._of_variables({node.id}, scope, truth) if is_new else _TELLS
            scope = scope_of(self._source, self._source.parents[scope])
        return _TELLS

    def _of_variables(
        self, names: set[str], scope: ast.AST | None, truth: Truth, without: Iterable[ast.AST] = ()
    ) -> Use:
        """Return the strongest use of variables of a function; other functions may use the others."""
        if scope is None or isinstance(scope, ast.ClassDef):
            return _TELLS
        inside = list(ast.walk(scope))
        if any(isinstance(node, ast.Global | ast.Nonlocal) and names & {*node.names} for node in inside):
            return _TELLS
        variables = [node for node in inside if isinstance(node, ast.Name) and node.id in names]
        is_stored_again = sum(isinstance(node.ctx, ast.Store) for node in variables) > 1
        uses = [_DROPS]
        for node in variables:
            if isinstance(node.ctx, ast.Load) and node not in without:
                use = self.of(node, Truth(truth.tells, None if is_stored_again else truth.value))
                is_outside = scope_of(self._source, node) is not scope and use.way in {"returns", "raises"}
                uses.append(_TELLS if is_outside else use)
        return _strongest(uses)

    def _holds_always(self, node: ast.Compare) -> bool:
        """Return whether a comparison tells nothing: with None, all values that there are, or a bound of all scores."""
        if self._kind == "choice":
            return False
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
    return min(uses, key=lambda use: _ORDER.index(use.way))


def _targets_of(assignment: ast.AST) -> list[ast.expr]:
    targets: list[ast.expr] = getattr(assignment, "targets", None) or [assignment.target]  # type: ignore[attr-defined]
    return targets


def _values_of(assignment: ast.Assign | ast.AnnAssign, name: str) -> Iterator[ast.AST]:
    """Yield what an assignment stores in a variable."""
    for target in _targets_of(assignment):
        parts = getattr(target, "elts", [target])
        values = getattr(assignment.value, "elts", ()) if hasattr(target, "elts") else [assignment.value]
        for number, part in enumerate(parts):
            if isinstance(part, ast.Name) and part.id == name:
                yield (values[number] if number < len(values) else None) or part


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
