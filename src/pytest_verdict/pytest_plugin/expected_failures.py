"""Which raised failures a test expected, by ``pytest.raises``, ``RaisesGroup`` or ``assertRaises`` with their class."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
import unittest
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final

import pytest
from _pytest.unittest import TestCaseFunction

from pytest_verdict.pytest_plugin.unchecked import AWAITED

_HEARS: Final = "_verdict_hears"
# An expectation of any exception takes a failure without meaning it.
_ANY_EXCEPTION: Final = (Exception, BaseException)


def hear(error: BaseException | None, trace: TracebackType | None = None) -> None:
    """Note that somebody heard an exception, those behind it, and those of a group."""
    for other in _walk(error):
        on_heard = getattr(other, "on_heard", None)
        if on_heard is not None:
            other.on_heard = None  # type: ignore[attr-defined]
            on_heard()
        for frame, _ in traceback.walk_tb(other.__traceback__ or trace):
            for end in AWAITED.pop(frame, ()):
                end()


def _walk(error: BaseException | None) -> Iterator[BaseException]:
    pending = [error]
    visited = set()
    while pending:
        error = pending.pop()
        if error is None or id(error) in visited:
            continue
        visited.add(id(error))
        yield error
        pending += [error.__cause__, error.__context__]
        if isinstance(error, BaseExceptionGroup):
            pending += error.exceptions


def hear_expected_failures() -> None:
    """Make the checks for expected exceptions hear our failures; neither pytest nor unittest has a hook for this."""
    context = type(unittest.TestCase().assertRaises(AssertionError))  # noqa: PT027 - its class is meant
    _extend(pytest.RaisesExc, "matches", lambda check: check.expected_exceptions)
    _extend(pytest.RaisesGroup, "matches", lambda check: check.expected_exceptions)
    _extend(
        context, "__exit__", lambda check: check.expected if isinstance(check.expected, tuple) else (check.expected,)
    )
    # Plugins that repeat a test build reports of their own.
    _hear_before(pytest.TestReport, "from_item_and_call", lambda _, _item, call: call.excinfo and call.excinfo.value)
    # An error is not what unittest.expectedFailure expects.
    _hear_before(
        TestCaseFunction,
        "addExpectedFailure",
        lambda _, _case, info, *_reason: info[1] if issubclass(info[0], AssertionError) else None,
    )
    pytest_check = sys.modules.get("pytest_check.check_raises")
    if pytest_check is not None:
        _extend(pytest_check.CheckRaisesContext, "__exit__", lambda check: check.expected_excs)


def _hear_before(kind: type, name: str, find_error: Callable[..., BaseException | None]) -> None:
    """Make a method hear an exception of its arguments before it runs."""
    plain = vars(kind)[name]
    function = getattr(plain, "__func__", plain)
    if hasattr(function, _HEARS):
        return

    signature = inspect.signature(function)

    @functools.wraps(function)
    def method(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        hear(find_error(*signature.bind(*arguments, **named).args))
        return function(*arguments, **named)

    setattr(method, _HEARS, True)
    setattr(kind, name, classmethod(method) if isinstance(plain, classmethod) else method)


def _extend(kind: type, name: str, expected_types: Callable[[Any], tuple[type, ...]]) -> None:
    plain = getattr(kind, name)
    if hasattr(plain, _HEARS):
        return

    @functools.wraps(plain)
    def check(self: Any, *arguments: Any) -> Any:
        __tracebackhide__ = True
        is_expected = plain(self, *arguments)
        types = [expected for expected in expected_types(self) if isinstance(expected, type)]
        if is_expected and types and not any(expected in _ANY_EXCEPTION for expected in types):
            for error in arguments:
                if isinstance(error, BaseException):
                    # unittest has removed the traceback.
                    hear(error, arguments[-1] if isinstance(arguments[-1], TracebackType) else None)
        return is_expected

    setattr(check, _HEARS, True)
    setattr(kind, name, check)
