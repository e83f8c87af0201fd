"""What happens when a test ends without a look at a comparison that did not pass."""

import pytest

from pytest_verdict.errors import allowed
from pytest_verdict.pytest_plugin.unchecked import MODES, OPTION, ComparisonWatch


class UncheckedComparisonWarning(UserWarning):
    """A comparison did not pass, and the test did not look at it."""


def fail_unchecked(item: pytest.Item, call: pytest.CallInfo[None], watch: ComparisonWatch) -> None:
    """Fail the phase of a test, or warn, as the test or the ini file says."""
    if call.when == "setup" and call.excinfo is None:
        # A test may look at what its fixtures compared.
        return
    unchecked = watch.of_test
    mode = _mode(item)
    if mode == "warn":
        _warn(item, call, unchecked.describe(watch.folder))
    elif mode != "ignore" and (call.excinfo is None or _hides_failures(call.excinfo)):
        # A mode that does not exist lets nothing pass.
        wrong = "" if mode == "fail" else _about(mode) + "\n"
        call.excinfo = _raised(wrong + unchecked.describe(watch.folder))
    watch.end_test()


def _warn(item: pytest.Item, call: pytest.CallInfo[None], message: str) -> None:
    try:
        item.warn(UncheckedComparisonWarning(message))
    except UncheckedComparisonWarning:
        # Whoever turns warnings into errors gets one; raised from here, it would end the session.
        call.excinfo = call.excinfo or _raised(message)


def _mode(item: pytest.Item) -> str:
    marker = item.get_closest_marker(OPTION)
    return str(item.config.getini(OPTION) if marker is None else next(iter(marker.args), marker.kwargs.get("mode")))


def _hides_failures(excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
    return isinstance(excinfo.value, pytest.skip.Exception | pytest.xfail.Exception)


def _raised(message: str) -> pytest.ExceptionInfo[BaseException]:
    try:
        pytest.fail(message, pytrace=False)
    except pytest.fail.Exception as error:
        return pytest.ExceptionInfo.from_exception(error)


def _about(mode: str) -> str:
    return f"{OPTION}: {mode!r} is no mode.{allowed('mode', mode, MODES)}"


def refuse_wrong_mode(config: pytest.Config) -> None:
    """Refuse an ini key with a mode that does not exist."""
    mode = str(config.getini(OPTION))
    if mode not in MODES:
        raise pytest.UsageError(_about(mode))
