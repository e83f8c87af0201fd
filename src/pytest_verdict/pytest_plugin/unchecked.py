"""Comparisons that did not pass and whose verdict no test has read: each fails its test, or warns."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_verdict.session import calling_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from pytest_verdict.comparison import Expectation
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.errors import MismatchError, UndecidedError
    from pytest_verdict.explanation.lines import Line
    from pytest_verdict.pytest_plugin.effects import Decided

# The ini key and the marker.
OPTION: Final = "verdict_unread"
_MODES: Final = ("fail", "warn", "ignore")
_NUMBERS: Final = itertools.count()
_MOST_DESCRIBED: Final = 5
_MOST_EXPECTATIONS: Final = 1_000
# Each keeps its values.
_MOST_STORED: Final = 100
_MOST_OUTSIDE: Final = 1_000
_MOST_CALLERS: Final = 10
_NOT_READ: Final = "nothing looked at it"
_NOT_HEARD: Final = "its exception reached no report of a test"
# The functions of pytest and its plugins below which a phase makes its report.
_CALLERS_OF_REPORTS: Final = frozenset({"call_and_report", "pytest_runtest_protocol"})


class UncheckedComparisonWarning(UserWarning):
    """A comparison did not pass, and the test did not read its verdict."""


class Failure(NamedTuple):
    """A comparison that did not pass, or an expectation that was not compared; the code that called it; whether it was raised."""

    subject: Any
    code: CodeType
    line: int
    is_raised: bool = False
    # In the order in which they were made.
    number: int = 0
    # The functions that called the code, and the code itself, with the offsets of their calls.
    callers: tuple[tuple[CodeType, int], ...] = ()

    def place(self, folder: Path) -> str:
        """Return the file, relative to a folder that it is in, and the line."""
        from pytest_verdict.core.values.display import visible

        file = self.code.co_filename
        path = type(folder)(file)
        if path.is_relative_to(folder):
            file = path.relative_to(folder).as_posix()
        return f"{visible(file)}:{self.line}"

    def describe(self) -> str:
        """Return the first line of the description."""
        from pytest_verdict.explanation.lines import format_plain

        return format_plain(_describe_subject(self.subject)[0])

    def is_kept(self) -> bool:
        """Return whether a variable, a parameter or a fixture still has the result, so that a test may look at it."""
        return sys.getrefcount(self.subject) > sys.getrefcount(_KEPT_BY_NOBODY.subject)


_KEPT_BY_NOBODY: Final = Failure(object(), Failure.is_kept.__code__, 0)
RECENT_FAILURES: Final[deque[Failure]] = deque(maxlen=3)
"""Cleared when the phase of the test has its report."""

AWAITED: Final[dict[FrameType, list[Callable[[], None]]]] = {}
"""What ends the watch of comparisons, by the frame whose exception somebody must hear; cleared when the test has its report."""


def remember_failure(result: ComparisonResult, *, is_raised: bool = False) -> Failure:
    """Remember a comparison that did not pass, and the line that called it."""
    caller = calling_frame() or sys._getframe(1)  # noqa: SLF001 - as above
    callers: list[tuple[CodeType, int]] = []
    frame: FrameType | None = caller
    while frame is not None and len(callers) < _MOST_CALLERS:
        callers.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    failure = Failure(result, caller.f_code, caller.f_lineno or 0, is_raised, next(_NUMBERS), tuple(callers))
    if not is_raised:
        RECENT_FAILURES.append(failure)
    return failure


class UncheckedComparisons:
    """Counts failures until the test looks at them or somebody hears them; it stores only the first of millions."""

    def __init__(self, *, is_outside: bool = False) -> None:
        self.count = 0
        self.next: UncheckedComparisons | None = None
        self._most = _MOST_OUTSIDE if is_outside else _MOST_STORED
        self._first: dict[int, Failure] = {}
        self._is_outside = is_outside
        # Those outside of tests at which a test looked, or whose exception somebody heard.
        self.seen: list[Failure] = []
        # Of each line that makes expectations in the test function: those that were not compared at once.
        self._expectations: list[tuple[CodeType, int, Expectation]] = []
        # Threads of one test compare at the same time.
        self._lock = threading.Lock()

    @property
    def first(self) -> list[Failure]:
        return list(self._first.values())

    def add_raised(self, error: MismatchError | UndecidedError) -> None:
        """Count an exception that is about to be raised, in place of its comparisons, until somebody hears it."""
        from pytest_verdict.pytest_plugin.effects import is_handled
        from pytest_verdict.pytest_plugin.watched_result import WatchedResult

        for result in error.results:
            if isinstance(result, WatchedResult):
                result.settle()
        if not error.results:
            return
        failure = remember_failure(error.results[0], is_raised=True)
        # A doctest compares the exceptions that it shows.
        if failure.code.co_filename.startswith("<doctest "):
            return
        self.begin(failure)
        if is_handled(calling_frame(), failure.line, type(error).__name__):
            self.end(failure)
        else:
            error.on_heard = functools.partial(self.end, failure)

    def begin(self, failure: Failure) -> None:
        with self._lock:
            self.count += 1
            if len(self._first) < self._most:
                self._first[failure.number] = failure

    def end(self, failure: Failure) -> None:
        with self._lock:
            self.count -= 1
            self._first.pop(failure.number, None)
            if self._is_outside and len(self.seen) < self._most:
                self.seen.append(failure)

    def add_expectation(self, expectation: Expectation) -> None:
        """Remember an expectation that somebody should compare."""
        frame = calling_frame()
        if frame is not None and len(self._expectations) < _MOST_EXPECTATIONS:
            self._expectations.append((frame.f_code, frame.f_lineno, expectation))

    @property
    def is_empty(self) -> bool:
        return not self.count and not self._expectations

    def count_idle_expectations(self) -> None:
        """Count the lines that made expectations of which none was compared."""
        lines: dict[tuple[CodeType, int], list[Expectation]] = {}
        for code, line, expectation in self._expectations:
            lines.setdefault((code, line), []).append(expectation)
        self._expectations = []
        for (code, line), expectations in lines.items():
            if not any(expectation.was_compared for expectation in expectations):
                self.begin(Failure(expectations[0], code, line, number=next(_NUMBERS)))

    def describe(self, folder: Path) -> str:
        """Format the number of failures, and the first ones with their places relative to a folder."""
        from pytest_verdict.core.values.display import format_count
        from pytest_verdict.explanation.lines import Part, block

        failures = self.first[:_MOST_DESCRIBED]
        blocks = [_describe_subject(failure.subject) for failure in failures]
        lines: list[Line] = []
        if self.count > 1 or not failures:
            first = (Part("; first "), *blocks[0][0]) if failures else ()
            lines.append(
                (Part(f"{format_count(self.count, 'comparison')} did not pass, and nothing looked at it"), *first)
            )
        for failure, described in zip(failures, blocks, strict=True):
            reason = _NOT_HEARD if failure.is_raised else _NOT_READ
            lines += [*described, (Part(f"  made at {failure.place(folder)}; {reason}"),)]
        if self.count > len(failures):
            lines.append((Part(f"... and {self.count - len(failures)} more"),))
        lines.append((Part("Assert on the comparison, or accept it by the marker verdict_unread('ignore')."),))
        return block(lines)


def _describe_subject(subject: Any) -> Sequence[Line]:
    from pytest_verdict.comparison import Expectation, describe_failure
    from pytest_verdict.explanation.lines import lines_of

    if isinstance(subject, Expectation):
        return lines_of(f"{subject!r} was not compared: write assert observed == expect(...)")
    return lines_of(describe_failure(subject))


class Watch:
    """Learns what a test looks at of one comparison that did not pass."""

    __slots__ = ("_has_ended", "_is_firm", "_unchecked", "failure")
    failure: Failure

    def __init__(self, unchecked: UncheckedComparisons) -> None:
        self._unchecked = unchecked
        self._has_ended = False
        self._is_firm = False

    def look(self, *, is_firm: bool = True) -> None:
        """Note that the test saw it; what it does with a score may still show that it did not."""
        self._is_firm = self._is_firm or is_firm
        if not self._has_ended:
            self._has_ended = True
            self._unchecked.end(self.failure)

    def wait_for(self, frame: FrameType) -> None:
        """Note that all the test does with it is to raise an exception in a frame; somebody must hear it."""
        from pytest_verdict.pytest_plugin.expected_failures import hear_expected_failures

        hear_expected_failures()
        self.look_away()
        if not self._has_ended and len(AWAITED) < _MOST_OUTSIDE:
            AWAITED.setdefault(frame, []).append(self.look)

    def look_away(self) -> None:
        """Note that the test did not see it after all, unless a look was firm."""
        if self._has_ended and not self._is_firm:
            self._has_ended = False
            # A thread may go on when its test has its report.
            while self._unchecked.next is not None:
                self._unchecked = self._unchecked.next
            self._unchecked.begin(self.failure)


class ComparisonWatch:
    """Watches the comparisons of one session that did not pass."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.folder = config.invocation_params.dir
        # Comparisons made before the first test, which any test may still look at.
        self.before_tests = self.of_test = UncheckedComparisons(is_outside=True)
        # The test that is running or ran last.
        self.item: pytest.Item | None = None
        # Whether a test did not run, which may be the one that looks.
        self.is_partial = False
        # Whether the function of a test runs, and no fixture of it.
        self.runs_call = False
        self._of_fixtures: dict[Any, UncheckedComparisons] = {}

    def observe(self, result: ComparisonResult) -> ComparisonResult:
        """Return the result for the test, which is watched when the comparison did not pass."""
        from pytest_verdict.pytest_plugin.watched_result import WatchedResult

        if result.verdict == "pass":
            return WatchedResult(result, self)
        group = self._group()
        watch = Watch(group)
        watched = WatchedResult(result, self, watch)
        watch.failure = remember_failure(watched)
        group.begin(watch.failure)
        return watched

    @property
    def has_unchecked(self) -> bool:
        if self.of_test.count or self.before_tests.count:
            return True
        return bool(self._of_fixtures) and any(group.count for group in self._of_fixtures.values())

    def find_made_in(self, decided: Decided) -> list[ComparisonResult]:
        """Return the unchecked comparisons that calls in an expression made and whose results something still has."""
        groups = (self.of_test, self.before_tests, *self._of_fixtures.values())
        failures = [failure for group in groups for failure in group.first]
        return [one.subject for one in failures if one.is_kept() and decided.has_called(one.callers)]

    def observe_failure(self, error: Any) -> None:
        """Remember an exception of comparisons that is about to be raised."""
        from pytest_verdict.pytest_plugin.expected_failures import hear_expected_failures

        hear_expected_failures()
        self._group().add_raised(error)

    def observe_expectation(self, expectation: Expectation) -> None:
        """Remember an expectation of a test function; those of fixtures and modules may be for other tests."""
        if self.runs_call:
            self.of_test.add_expectation(expectation)

    def observe_rows(self, rows: Any) -> None:
        """Remember the first of many comparisons that did not pass; the gate of the data set checks all of them."""
        for result in rows.samples:
            remember_failure(result)

    def _group(self) -> UncheckedComparisons:
        # The frames show which fixture is being set up; a hook would cost every fixture of every session.
        fixture: Any = None
        frame = calling_frame()
        while frame is not None and fixture is None:
            if frame.f_code.co_name == "pytest_fixture_setup":
                fixture = frame.f_locals.get("fixturedef")
            frame = frame.f_back
        if fixture is None or fixture.scope == "function":
            return self.of_test
        # Any test may read the result of a fixture of a wider scope, so it is checked when the fixture ends.
        if fixture not in self._of_fixtures:
            self._of_fixtures[fixture] = UncheckedComparisons()
            fixture.addfinalizer(functools.partial(self._end_fixture, fixture))
        return self._of_fixtures[fixture]

    def _end_fixture(self, fixture: Any) -> None:
        group = self._of_fixtures.pop(fixture)
        for failure in [failure for failure in group.first if self.is_partial and failure.is_kept()]:
            group.end(failure)
        mode = self._config.getini(OPTION)
        if not group.count or mode == "ignore":
            return
        message = group.describe(self.folder)
        if mode != "warn":
            pytest.fail(message, pytrace=False)
        warnings.warn(UncheckedComparisonWarning(message), stacklevel=2)


def hear_failure(call: pytest.CallInfo[None]) -> None:
    """Note that a report has the exception of a phase or a subtest."""
    if call.excinfo is not None:
        from pytest_verdict.pytest_plugin.expected_failures import hear

        hear(call.excinfo.value)


def is_of_subtest() -> bool:
    """Return whether a report is made while the function of a test runs."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - nothing else tells the two kinds of reports apart
    while frame is not None and frame.f_code.co_name not in _CALLERS_OF_REPORTS:
        if frame.f_code.co_qualname == "CallInfo.from_call":
            return True
        frame = frame.f_back
    return False


def fail_unchecked(item: pytest.Item, call: pytest.CallInfo[None], watch: ComparisonWatch) -> None:
    """Fail the phase of a test, or warn, as the marker or the ini key says."""
    hear_failure(call)
    if call.when == "setup" and call.excinfo is None:
        # The test may still read what its fixtures compared.
        return
    unchecked = watch.of_test
    unchecked.next = watch.of_test = UncheckedComparisons()
    AWAITED.clear()
    if call.excinfo is None:
        unchecked.count_idle_expectations()
    if not unchecked.count:
        return
    marker = item.get_closest_marker(OPTION)
    if marker is None:
        mode = str(item.config.getini(OPTION))
    else:
        mode = str(next(iter(marker.args), marker.kwargs.get("mode")))
    if mode == "warn":
        message = unchecked.describe(watch.folder)
        try:
            item.warn(UncheckedComparisonWarning(message))
        except UncheckedComparisonWarning:
            # A filter that makes errors of warnings fails the test; the exception itself would end the session.
            call.excinfo = call.excinfo or _failure_info(message)
        return
    hides_failures = call.excinfo is None or isinstance(
        call.excinfo.value, pytest.skip.Exception | pytest.xfail.Exception
    )
    if mode != "ignore" and hides_failures:
        message = unchecked.describe(watch.folder)
        if mode != "fail":
            # A wrong mode lets nothing pass.
            message = f"{_wrong_mode(mode)}\n{message}"
        call.excinfo = _failure_info(message)


def _failure_info(message: str) -> pytest.ExceptionInfo[BaseException]:
    try:
        pytest.fail(message, pytrace=False)
    except pytest.fail.Exception as error:
        return pytest.ExceptionInfo.from_exception(error)


def _wrong_mode(mode: str) -> str:
    from pytest_verdict.errors import allowed

    return f"{OPTION}: {mode!r} is no mode.{allowed('mode', mode, _MODES)}"


def check_mode(config: pytest.Config) -> None:
    mode = str(config.getini(OPTION))
    if mode not in _MODES:
        raise pytest.UsageError(_wrong_mode(mode))
