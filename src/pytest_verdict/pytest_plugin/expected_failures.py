"""Who hears a raised failure: a report, or ``pytest.raises``, ``RaisesGroup`` or ``assertRaises`` with its class."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any, Final

import pytest
from _pytest.unittest import TestCaseFunction

from pytest_verdict.pytest_plugin.unchecked import ASSERTED

_HEARS: Final = "_verdict_hears"


def hear(error: BaseException | None) -> None:
    """Note that somebody heard an exception, those behind it, and those of a group."""
    pending = [error]
    visited = set()
    while pending:
        error = pending.pop()
        if error is None or id(error) in visited:
            continue
        visited.add(id(error))
        on_heard = getattr(error, "on_heard", None)
        if on_heard is not None:
            error.on_heard = None  # type: ignore[attr-defined]
            on_heard()
        elif isinstance(error, AssertionError):
            while ASSERTED:
                ASSERTED.popleft().settle()
        pending += [error.__cause__, error.__context__]
        if isinstance(error, BaseExceptionGroup):
            pending += error.exceptions


def hear_expected_failures() -> None:
    """Make the checks for expected exceptions hear our failures; neither pytest nor unittest has a hook for this."""
    context = type(unittest.TestCase().assertRaises(AssertionError))  # noqa: PT027 - its class is meant
    _hear_after(pytest.RaisesExc, "matches", _error_of_pytest)
    _hear_after(pytest.RaisesGroup, "matches", _error_of_pytest)
    _hear_after(context, "__exit__", _error_of_unittest)
    _hear_after(TestCaseFunction, "addExpectedFailure", _error_of_expected_failure)
    # Plugins that repeat a test build reports of their own.
    _hear_after(pytest.TestReport, "from_item_and_call", _error_of_report)


def _error_of_pytest(is_expected: bool, check: Any, error: BaseException | None) -> BaseException | None:  # noqa: FBT001
    return error if is_expected and _names_a_class(check.expected_exceptions) else None


def _error_of_unittest(is_expected: bool, check: Any, *raised: Any) -> BaseException | None:  # noqa: FBT001
    expected = check.expected if isinstance(check.expected, tuple) else (check.expected,)
    error: BaseException | None = raised[1]
    return error if is_expected and _names_a_class(expected) else None


def _error_of_expected_failure(_: None, *arguments: Any) -> BaseException | None:
    error = arguments[2][1]
    # An error is not what unittest.expectedFailure expects.
    return error if isinstance(error, AssertionError) else None


def _error_of_report(report: pytest.TestReport, item: pytest.Item, call: pytest.CallInfo[Any]) -> BaseException | None:
    return call.excinfo.value if call.excinfo else None


def _names_a_class(expected: tuple[Any, ...]) -> bool:
    """Return whether classes are expected; whoever expects any exception takes a failure without meaning it."""
    types = [one for one in expected if isinstance(one, type)]
    return bool(types) and not {Exception, BaseException}.intersection(types)


def _hear_after(kind: type, name: str, find_error: Callable[..., BaseException | None]) -> None:
    """Make a method hear an exception of its arguments."""
    plain = vars(kind)[name]
    is_of_class = isinstance(plain, classmethod)
    function = plain.__func__ if is_of_class else plain
    if hasattr(function, _HEARS):
        return

    @functools.wraps(function)
    def method(owner: Any, *arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        answer = function(owner, *arguments, **named)
        owners = () if is_of_class else (owner,)
        hear(find_error(answer, *owners, *arguments, **named))
        return answer

    setattr(method, _HEARS, True)
    setattr(kind, name, classmethod(method) if is_of_class else method)
