"""Comparisons that did not pass and that no test has looked at: each fails its test, or warns."""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections import Counter, deque
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_verdict.session import SESSION, calling_frame

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_verdict.comparison import Expectation
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation.lines import Line
    from pytest_verdict.pytest_plugin.watched_result import WatchedResult

# The ini key and the marker.
OPTION: Final = "verdict_unread"
_MODES: Final = ("fail", "warn", "ignore")
_MOST_DESCRIBED: Final = 5
_MOST_EXPECTATIONS: Final = 1_000
# Each keeps its values.
_MOST_STORED: Final = 100
_MOST_ASSERTED: Final = 1_000
_NOT_READ: Final = "nothing looked at it"
_NOT_HEARD: Final = "its exception reached no report of a test"
# The functions of pytest and its plugins below which a phase makes its report.
_CALLERS_OF_REPORTS: Final = frozenset({"call_and_report", "pytest_runtest_protocol"})


class UncheckedComparisonWarning(UserWarning):
    """A comparison did not pass, and the test did not read its verdict."""


class Place(NamedTuple):
    """The line that compared, and the number of the comparison among those of the line."""

    file: str
    line: int
    number: int = 0

    def describe(self, folder: Path) -> str:
        """Return the file, relative to a folder that it is in, and the line."""
        from pytest_verdict.core.values.display import visible

        path = type(folder)(self.file)
        file = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else self.file
        return f"{visible(file)}:{self.line}"


class Failure(NamedTuple):
    """A comparison that did not pass, or an expectation that was not compared; and whether an exception was raised for it."""

    subject: Any
    is_raised: bool = False

    def describe(self) -> Sequence[Line]:
        from pytest_verdict.comparison import Expectation, describe_failure
        from pytest_verdict.explanation.lines import lines_of

        if isinstance(self.subject, Expectation):
            return lines_of(f"{self.subject!r} was not compared: write assert observed == expect(...)")
        return lines_of(describe_failure(self.subject))

    def is_kept(self) -> bool:
        """Return whether a variable, a parameter or a fixture still has the result, so that a test may look at it."""
        return sys.getrefcount(self.subject) > sys.getrefcount(_KEPT_BY_NOBODY.subject)


_KEPT_BY_NOBODY: Final = Failure(object())
RECENT_FAILURES: Final[deque[tuple[list[Place], ComparisonResult]]] = deque(maxlen=3)
"""What a test compared or looked at last, and the lines that did; cleared when the phase of the test has its report."""

ASSERTED: Final[deque[WatchedResult]] = deque(maxlen=_MOST_ASSERTED)
"""The results of assertions that failed, until somebody hears an `AssertionError`."""


def remember_failure(result: ComparisonResult) -> Place:
    """Remember a comparison that did not pass; return the line that uses it, which a function may do for others."""
    places: list[Place] = []
    frame = calling_frame()
    while frame is not None and not str(frame.f_globals.get("__name__")).startswith(("_pytest.", "pluggy.")):
        places.append(Place(frame.f_code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    RECENT_FAILURES.append((places, result))
    return places[0] if places else Place("", 0)


class UncheckedComparisons:
    """Counts failures until the test looks at them or somebody hears them; it stores only the first of millions."""

    def __init__(self) -> None:
        self.count = 0
        self.first: dict[Place, Failure] = {}
        self._numbers: Counter[Place] = Counter()
        # The expectations that a test function made, and where.
        self._expectations: list[tuple[Place, Expectation]] = []
        # Threads of one test compare at the same time, and so may a finalizer in the same thread.
        self._lock = threading.RLock()

    def begin(self, result: ComparisonResult, *, is_raised: bool = False) -> Place:
        """Count a failure, and return its place."""
        line = remember_failure(result)
        with self._lock:
            self._numbers[line] += 1
            place = line._replace(number=self._numbers[line])
        self.begin_again(place, result, is_raised=is_raised)
        return place

    def begin_again(self, place: Place, subject: Any, *, is_raised: bool = False) -> None:
        with self._lock:
            self.count += 1
            if len(self.first) < _MOST_STORED:
                self.first[place] = Failure(subject, is_raised)

    def end(self, place: Place) -> None:
        with self._lock:
            self.count -= 1
            self.first.pop(place, None)

    def wait_for_report(self, place: Place, result: WatchedResult) -> None:
        """Note that an assertion fails because of a result; somebody must hear the exception."""
        from pytest_verdict.pytest_plugin.expected_failures import hear_expected_failures

        hear_expected_failures()
        ASSERTED.append(result)
        with self._lock:
            if place in self.first:
                self.first[place] = Failure(result, is_raised=True)

    def add_expectation(self, expectation: Expectation) -> None:
        """Remember an expectation that somebody should compare."""
        frame = calling_frame()
        if frame is not None and len(self._expectations) < _MOST_EXPECTATIONS:
            self._expectations.append((Place(frame.f_code.co_filename, frame.f_lineno), expectation))

    @property
    def is_empty(self) -> bool:
        return not self.count and not self._expectations

    def count_idle_expectations(self) -> None:
        """Count the lines that made expectations of which none was compared."""
        compared = {place for place, expectation in self._expectations if expectation.was_compared}
        for place, expectation in dict(reversed(self._expectations)).items():
            if place not in compared:
                self.begin_again(place, expectation)
        self._expectations = []

    def describe(self, folder: Path) -> str:
        """Format the number of failures, and the first ones with their places relative to a folder."""
        from pytest_verdict.core.values.display import format_count
        from pytest_verdict.explanation.lines import Part, block

        lines: list[Line] = []
        for place, failure in list(self.first.items())[:_MOST_DESCRIBED]:
            reason = _NOT_HEARD if failure.is_raised else _NOT_READ
            lines += [*failure.describe(), (Part(f"  made at {place.describe(folder)}; {reason}"),)]
        if self.count > 1 or not lines:
            first = (Part("; first "), *lines[0]) if lines else ()
            lines.insert(
                0, (Part(f"{format_count(self.count, 'comparison')} did not pass, and nothing looked at it"), *first)
            )
        if self.count > _MOST_DESCRIBED:
            lines.append((Part(f"... and {self.count - _MOST_DESCRIBED} more"),))
        lines.append((Part("Assert on the comparison, or accept it by the marker verdict_unread('ignore')."),))
        return block(lines)


class ComparisonWatch:
    """Watches the comparisons of one session that did not pass."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.folder = config.invocation_params.dir
        self.of_test = UncheckedComparisons()
        # The test that is running.
        self.item: pytest.Item | None = None
        # Whether a test did not run, which may be the one that looks.
        self.is_partial = False
        # Whether the function of a test runs, and no fixture of it.
        self.runs_call = False
        self._of_fixtures: dict[Any, UncheckedComparisons] = {}
        # A thread must not count a comparison for a test that has its report meanwhile.
        self._lock = threading.RLock()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = self.item
        self.item = item
        try:
            return (yield)
        finally:
            self.item = before

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        self.is_partial |= any("::" in argument for argument in session.config.args)

    def pytest_deselected(self) -> None:
        self.is_partial = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.is_partial |= report.skipped

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.is_partial |= report.skipped and not hasattr(report, "wasxfail")

    def observe(self, result: ComparisonResult) -> ComparisonResult:
        """Return the result for the test, which is watched when the comparison did not pass."""
        from pytest_verdict.core.result import has_passed

        is_passed = has_passed(result)
        if is_passed and SESSION.redaction is None:
            return result
        from pytest_verdict.comparison import describe_failure
        from pytest_verdict.pytest_plugin.watched_result import RedactedResult, WatchedResult

        if self.item is None and not is_passed:
            place = remember_failure(result).describe(self.folder)
            RECENT_FAILURES.clear()
            text = (
                f"{describe_failure(result)}\n  made at {place}, outside of a test; compare in a test or in a fixture,"
                f" or accept it by the ini key {OPTION}"
            )
            # Any other exception of a hook would end the session with INTERNALERROR.
            self._complain(text, pytest.UsageError(text))
        with self._lock:
            unchecked = None if is_passed else self._find_unchecked()
            if unchecked is not None:
                return WatchedResult(result, unchecked)
        return RedactedResult(**result.arguments())

    def observe_failure(self, error: Any) -> None:
        """Count an exception that is about to be raised, in place of its comparisons, until somebody hears it."""
        from pytest_verdict.pytest_plugin.expected_failures import hear_expected_failures
        from pytest_verdict.pytest_plugin.watched_result import WatchedResult

        hear_expected_failures()
        for result in error.results:
            if isinstance(result, WatchedResult):
                result.settle()
        with self._lock:
            unchecked = self._find_unchecked()
            if unchecked is not None and error.results:
                place = unchecked.begin(error.results[0], is_raised=True)
                error.on_heard = functools.partial(unchecked.end, place)

    def take(self) -> UncheckedComparisons:
        """Return the comparisons of the test, which has its report."""
        with self._lock:
            unchecked = self.of_test
            self.of_test = UncheckedComparisons()
            return unchecked

    def observe_expectation(self, expectation: Expectation) -> None:
        """Remember an expectation of a test function; those of fixtures and modules may be for other tests."""
        if self.runs_call:
            self.of_test.add_expectation(expectation)

    def observe_rows(self, rows: Any) -> None:
        """Remember the first of many comparisons that did not pass; the gate of the data set checks all of them."""
        for result in rows.samples:
            remember_failure(result)

    def _find_unchecked(self) -> UncheckedComparisons | None:
        """Return where a failure is counted: for the running test, or for a fixture of a wider scope that is set up."""
        frame = calling_frame()
        if self.item is None:
            return None
        if frame is not None and frame.f_code.co_filename.startswith("<doctest "):
            # A doctest compares all that it shows.
            return None
        # The frames show which fixture is being set up; a hook would cost every fixture of every session.
        while frame is not None and frame.f_code.co_name != "pytest_fixture_setup":
            frame = frame.f_back
        fixture = None if frame is None else frame.f_locals.get("fixturedef")
        if fixture is None or fixture.scope == "function":
            return self.of_test
        # Any test may read the result of a fixture of a wider scope, so it is checked when the fixture ends.
        if fixture not in self._of_fixtures:
            self._of_fixtures[fixture] = UncheckedComparisons()
            fixture.addfinalizer(functools.partial(self._end_fixture, fixture))
        return self._of_fixtures[fixture]

    def _end_fixture(self, fixture: Any) -> None:
        unchecked = self._of_fixtures.pop(fixture)
        for place in [place for place, failure in unchecked.first.items() if self.is_partial and failure.is_kept()]:
            unchecked.end(place)
        if unchecked.count:
            message = unchecked.describe(self.folder)
            self._complain(message, pytest.fail.Exception(message, pytrace=False))

    def _complain(self, message: str, error: BaseException) -> None:
        mode = self._config.getini(OPTION)
        if mode == "warn":
            warnings.warn(UncheckedComparisonWarning(message), stacklevel=2)
        elif mode != "ignore":
            raise error


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
    unchecked = watch.take()
    ASSERTED.clear()
    if call.excinfo is None:
        unchecked.count_idle_expectations()
    marker = item.get_closest_marker(OPTION)
    if marker is None:
        mode = str(item.config.getini(OPTION))
    else:
        mode = str(next(iter(marker.args), marker.kwargs.get("mode")))
    hides_failures = call.excinfo is None or isinstance(
        call.excinfo.value, pytest.skip.Exception | pytest.xfail.Exception
    )
    if not unchecked.count or mode == "ignore" or not (hides_failures or mode == "warn"):
        return
    message = unchecked.describe(watch.folder)
    if mode not in _MODES:
        # A wrong mode lets nothing pass.
        message = f"{_wrong_mode(mode)}\n{message}"
    try:
        if mode != "warn":
            pytest.fail(message, pytrace=False)
        item.warn(UncheckedComparisonWarning(message))
    except pytest.fail.Exception as error:
        call.excinfo = pytest.ExceptionInfo.from_exception(error)
    except UncheckedComparisonWarning as error:
        # A filter that makes errors of warnings fails the test; the exception itself would end the session.
        call.excinfo = call.excinfo or pytest.ExceptionInfo.from_exception(error)


def _wrong_mode(mode: str) -> str:
    from pytest_verdict.errors import allowed

    return f"{OPTION}: {mode!r} is no mode.{allowed('mode', mode, _MODES)}"


def check_mode(config: pytest.Config) -> None:
    mode = str(config.getini(OPTION))
    if mode not in _MODES:
        raise pytest.UsageError(_wrong_mode(mode))
