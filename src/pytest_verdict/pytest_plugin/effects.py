"""What happens because of a value that a frame reads of a result: its use there, and in the functions to which it is returned."""

from __future__ import annotations

import ast
import dis
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import _pytest

from pytest_verdict.pytest_plugin.sources import name_of, read_source, scope_of
from pytest_verdict.pytest_plugin.uses import (
    Kind,
    Truth,
    Use,
    UseInSource,
    find_use,
)

_INNER_FRAMES: Final = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
_MOST_CALLERS: Final = 10
# An `except` that names one of these means our failure, or our error.
_OF_FAILURES: Final = frozenset({"AssertionError", "MismatchError", "failureException"})
_OF_ERRORS: Final = frozenset({"UndecidedError", "VerdictError"})
_LIBRARIES: Final = (f"{Path(os.__file__).parent}{os.sep}", f"{Path(_pytest.__file__).parents[1]}{os.sep}")
# pytest reads the values of a failed assertion again, to explain it.
_PYTEST: Final = Path(_pytest.__file__).parent
_EXPLANATIONS: Final = tuple(f"{_PYTEST / package}{os.sep}" for package in ("assertion", "_io"))


class Decided(NamedTuple):
    """An expression that a value decided, in the frame that ran it."""

    frame: FrameType
    node: ast.AST

    def values(self) -> Iterator[Any]:
        """Yield the values of the variables in it; those of a generator expression are in its iterator while it runs."""
        variables = self.frame.f_locals
        if isinstance(self.node, ast.GeneratorExp) and ".0" in variables:
            yield variables[".0"]
            return
        names = [part for part in ast.walk(self.node) if isinstance(part, ast.Name)]
        own = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        for name in sorted({name.id for name in names} - own):
            yield variables.get(name)

    def has_called(self, callers: Iterable[tuple[CodeType, int]]) -> bool:
        """Return whether a call in it, whose result is a container without a name, called these callers."""
        if isinstance(self.node, ast.BoolOp):
            return False
        containers: Iterable[ast.AST] = [self.node]
        if isinstance(self.node, ast.GeneratorExp):
            containers = [loop.iter for loop in self.node.generators]
        parts = {part for container in containers for part in ast.walk(container)}
        return any(_node_at(code, offset) in parts for code, offset in callers)


class Effect(NamedTuple):
    """Whether what happens depends on a value; the frame, if all that happens is an exception; and what the value decided."""

    use: bool | FrameType
    decided: Sequence[Decided] = ()


def is_doctest(frame: FrameType | None) -> bool:
    """Return whether a frame is of a doctest, which compares all that it shows."""
    return frame is not None and frame.f_code.co_filename.startswith("<doctest ")


def find_effect(frame: FrameType, kind: Kind, value: bool | None = None) -> Effect:  # noqa: FBT001 - as its truth is
    """Return what happens because of a value that a frame reads."""
    if frame.f_code.co_filename.startswith(_EXPLANATIONS):
        return Effect(use=False)
    current: FrameType | None = frame
    while kind == "evidence" and current is not None and current.f_code.co_filename.startswith(_LIBRARIES):
        # A library may read it for its caller, as `Counter` does; pytest reads it for nobody.
        current = None if current.f_code.co_filename.startswith(str(_PYTEST)) else current.f_back
    if current is None:
        return Effect(use=False)
    use = _use_in(current.f_code, current.f_lasti, kind, Truth(kind != "evidence", value), "")
    return _follow(current, use, kind)


def _follow(frame: FrameType, use: Use, kind: Kind) -> Effect:
    """Follow a value to the functions that have called this one, as long as they return it."""
    decided: list[Decided] = []
    for _ in range(_MOST_CALLERS):
        decided += [Decided(frame, node) for node in use.decided]
        if use.way == "raises":
            return Effect(is_handled(frame, use.line, use.exception) or _outer(frame), decided)
        if use.way != "returns":
            return Effect(use.way == "tells", decided)
        function = _outer(frame)
        caller = function.f_back
        if caller is None:
            break
        frame = caller
        callee = function.f_code.co_name
        if frame.f_code.co_filename.startswith(_LIBRARIES):
            # pytest drops what a test returns.
            return Effect(not callee.startswith("test"), decided)
        kind = "choice" if use.is_chosen else kind
        use = _use_in(frame.f_code, frame.f_lasti, kind, use.truth, callee)
    return Effect(use=True, decided=decided)


def _outer(frame: FrameType) -> FrameType:
    """Return the frame of the function in which an expression runs."""
    while frame.f_code.co_name in _INNER_FRAMES and frame.f_back is not None:
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
            and (code.co_name in _INNER_FRAMES or getattr(scope_of(source, node), "name", "<lambda>") == code.co_name)
        ]
        for block in sorted(blocks, key=lambda block: -block.lineno):
            for handler in block.handlers:
                caught = {name_of(node) for node in ast.walk(handler.type or ast.Pass())}
                if caught & names:
                    use = UseInSource(source, "verdict").of_handler(block, handler)
                    return _follow(frame, use, "verdict").use is not False
                if handler.type is None or caught & {"Exception", "BaseException"}:
                    return False
        frame = frame.f_back
        line = 0 if frame is None else frame.f_lineno
    return False


@functools.lru_cache(maxsize=1_024)
def _use_in(code: CodeType, offset: int, kind: Kind, truth: Truth, callee: str) -> Use:
    """Return the use of the value that an instruction reads, or that the function which it calls returns."""
    node = _node_at(code, offset)
    if node is None:
        return Use("tells")
    is_call = "CALL" in dis.opname[code.co_code[offset]]
    return find_use(read_source(code.co_filename), node, kind, truth, callee=callee, is_call=is_call)


def _node_at(code: CodeType, offset: int) -> ast.AST | None:
    """Return the expression or condition of an instruction."""
    return read_source(code.co_filename).nodes.get(list(code.co_positions())[offset // 2])
