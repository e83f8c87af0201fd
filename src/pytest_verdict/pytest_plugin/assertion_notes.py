"""What a failed test shows: the comparisons that a plain ``assert`` failed on, and the lines of the user."""

import ast
import contextlib
import functools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_verdict.comparison import HIDDEN, describe_failure
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import MismatchError
from pytest_verdict.pytest_plugin.unchecked import RECENT_FAILURES

_MOST = 3


def explain_failure(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Explain what a phase raised because of comparisons, and have it shown well."""
    explain_assertion(excinfo)
    hide_our_frames(excinfo)
    if RECENT_FAILURES or isinstance(excinfo.value, MismatchError) or hasattr(excinfo.value, "__notes__"):
        # Not loaded while all comparisons pass.
        from pytest_verdict.pytest_plugin.failure_reports import failure_reports, shorten

        shorten(excinfo)
        failure_reports(item.config).remember(item.nodeid, excinfo.value)


def explain_assertion(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Explain the comparisons that an assertion failed on, in notes, which pytest shows in full."""
    error = excinfo.value
    if isinstance(error, AssertionError) and not isinstance(error, MismatchError):
        blocks: dict[int, str] = {}
        for entry in excinfo.traceback:
            for result, describe in _asserted(entry):
                blocks.setdefault(id(result), describe())
        # An exception of the user may refuse notes.
        with contextlib.suppress(Exception):
            for block in list(blocks.values())[:_MOST]:
                # A fixture of a wider scope raises the same error in every test.
                if block not in getattr(error, "__notes__", ()):
                    error.add_note(block)


def hide_our_frames(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Show only lines of the user in the traceback of a mistake; ``--full-trace`` shows ours as well."""
    if HIDDEN(excinfo):
        for entry in excinfo.traceback:
            names = entry.frame.f_globals
            if str(names.get("__name__", "")).startswith("pytest_verdict."):
                names["__tracebackhide__"] = HIDDEN


_Asserted = tuple[ComparisonResult, Callable[[], str]]


def _asserted(entry: Any) -> Iterator[_Asserted]:
    """Give the failed comparisons that the current statement of a frame made or names."""
    made_here = [failure for failure in RECENT_FAILURES if failure.code is entry.frame.code.raw]
    local = {name: _failed(value) for name, value in entry.frame.f_locals.items()}
    found = {name: failed for name, failed in local.items() if failed is not None}
    if not made_here and not found:
        return
    first, last, names = _statement(str(entry.frame.code.raw.co_filename), entry.lineno + 1)
    # The rewritten assert keeps what it looked at under names that begin with an @.
    yield from (failed for name, failed in found.items() if name in names or name.startswith("@"))
    for failure in made_here:
        if first <= failure.line <= last:
            yield failure.result, functools.partial(describe_failure, failure.result)


def _failed(value: Any) -> _Asserted | None:
    if isinstance(value, ComparisonResult):
        return None if value.passed else (value, functools.partial(describe_failure, value))
    if not _is_ours(type(value)):
        return None
    # The result of a template, for example, has a comparison and describes itself.
    for name in ("comparison", "result"):
        inner = getattr(value, name, None)
        if isinstance(inner, ComparisonResult) and not inner.passed:
            return inner, getattr(value, "describe", functools.partial(describe_failure, inner))
    return None


def _is_ours(kind: type) -> bool:
    try:
        return str(kind.__module__).startswith("pytest_verdict.")
    except Exception:  # noqa: BLE001 - a class of the user may have any __module__
        return False


def _statement(file: str, line: int) -> tuple[int, int, frozenset[str]]:
    found = line, line, frozenset[str]()
    for statement in _statements(file):
        if statement[0] <= line <= statement[1]:
            found = statement
    return found


@functools.lru_cache(maxsize=8)
def _statements(file: str) -> list[tuple[int, int, frozenset[str]]]:
    """Read the simple statements of a file: first line, last line and names of each."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    return [
        (node.lineno, node.end_lineno or node.lineno, _names(node))
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
    ]


def _names(statement: ast.stmt) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
