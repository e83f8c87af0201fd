"""How often an adapter is asked: what its suite allows, and what the service behind it asks for.

A service asks for patience by the status 429 or 529, or 503 with ``Retry-After``. It is found on what the adapter raises, where
the clients of HTTP and of models have it: on the exception or on its ``response``.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom
from typing import Any, Final, TypeVar

from pytest_verdict.suites.suite_model import RateLimit

T = TypeVar("T")
_STATUS: Final = ("status_code", "status", "code")
_ALWAYS: Final = (429, 529)
_WITH_TIME: Final = 503
# Of its own: the random numbers of the tests stay as they are.
_RANDOM: Final = SystemRandom()


class Pace:
    """When an adapter may be called next, from all threads of a process."""

    def __init__(self, closing: threading.Event) -> None:
        self.closing: Final = closing
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self, interval: float) -> None:
        """Wait for a turn."""
        with self._lock:
            turn = max(self._next, time.monotonic())
            self._next = turn + interval
        self.closing.wait(turn - time.monotonic())

    def postpone(self, seconds: float) -> None:
        """Let all others wait too."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def call_patiently(call: Callable[[], T], limit: RateLimit, pace: Pace, processes: int) -> T:
    """Make a call when it is its turn, and again when the service asks to wait."""
    from tenacity import Retrying, retry_if_exception, sleep_using_event, stop_after_attempt

    def attempt() -> T:
        pace.wait(processes / limit.requests_per_second if limit.requests_per_second else 0.0)
        return call()

    retrying = Retrying(
        retry=retry_if_exception(
            lambda error: (asked_pause(error) or 0.0) <= limit.max_delay_seconds and is_busy(error)
        ),
        stop=stop_after_attempt(limit.max_retries + 1),
        wait=functools.partial(_pause, limit, pace),
        sleep=sleep_using_event(pace.closing),
        reraise=True,
    )
    return retrying(attempt)


def is_busy(error: BaseException) -> bool:
    """Say whether a service asked to be called later."""
    status = next((found for found in map(functools.partial(_part, error), _STATUS) if type(found) is int), None)
    return status in _ALWAYS or (status == _WITH_TIME and asked_pause(error) is not None)


def asked_pause(error: BaseException) -> float | None:
    """Give the seconds that a service asked for."""
    headers = _part(error, "headers")
    asked = headers.get("Retry-After", headers.get("retry-after")) if hasattr(headers, "get") else None
    try:
        return float(asked)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        pass
    try:
        return max((parsedate_to_datetime(str(asked)) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _part(error: BaseException, name: str) -> Any:
    return getattr(error, name, None) or getattr(getattr(error, "response", None), name, None)


def _pause(limit: RateLimit, pace: Pace, state: Any) -> float:
    asked = asked_pause(state.outcome.exception())
    seconds: float = min(2.0 ** (state.attempt_number - 1), limit.max_delay_seconds) if asked is None else asked
    pace.postpone(seconds)
    # Not all of those that were told to wait come back in the same moment.
    return seconds + _RANDOM.uniform(0.0, max(seconds, 1.0) / 4)
