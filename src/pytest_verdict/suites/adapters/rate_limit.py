"""How often an adapter is asked: what its suite allows, and what the service behind it asks for.

A service asks for patience by the status 429 or 529, or 503 with ``Retry-After``. It is found on what the adapter raises, where
the clients of HTTP and of models have it: on the exception or on its ``response``.
"""

import functools
import threading
import time
from collections.abc import Callable
from email.utils import mktime_tz, parsedate_tz
from random import SystemRandom
from typing import Any, Final

from pytest_verdict.suites.suite_model import RateLimit

_ALWAYS: Final = (429, 529)
_WITH_TIME: Final = 503
# Of its own: the random numbers of the tests stay as they are.
_RANDOM: Final = SystemRandom()


class Pace:
    """When an adapter may be called next, from all threads of each of so many processes."""

    def __init__(self, closing: threading.Event, processes: int) -> None:
        self.closing: Final = closing
        self._processes = processes
        self._lock = threading.Lock()
        self._next = 0.0

    def call(self, function: Callable[[], Any], limit: RateLimit) -> Any:
        """Make a call when it is its turn, and again when the service asks to wait."""
        from tenacity import Retrying, retry_if_exception, sleep_using_event, stop_after_attempt

        def attempt() -> Any:
            with self._lock:
                turn = max(self._next, time.monotonic())
                self._next = turn + (self._processes / limit.requests_per_second if limit.requests_per_second else 0.0)
            self.closing.wait(turn - time.monotonic())
            return function()

        def pause(state: Any) -> float:
            asked = _asked_pause(state.outcome.exception())
            seconds: float = min(2.0 ** (state.attempt_number - 1), limit.max_delay_seconds) if asked is None else asked
            # All others wait too.
            with self._lock:
                self._next = max(self._next, time.monotonic() + seconds)
            # Not all of those that were told to wait come back in the same moment.
            return seconds + _RANDOM.uniform(0.0, max(seconds, 1.0) / 4)

        return Retrying(
            retry=retry_if_exception(functools.partial(_is_worth_waiting, limit)),
            stop=stop_after_attempt(limit.max_retries + 1),
            wait=pause,
            sleep=sleep_using_event(self.closing),
            reraise=True,
        )(attempt)


def _is_worth_waiting(limit: RateLimit, error: BaseException) -> bool:
    statuses = {_part(error, name) for name in ("status_code", "status", "code")}
    asked = _asked_pause(error)
    is_busy = not statuses.isdisjoint(_ALWAYS) or (_WITH_TIME in statuses and asked is not None)
    return is_busy and (asked or 0.0) <= limit.max_delay_seconds


def _asked_pause(error: BaseException) -> float | None:
    headers = _part(error, "headers")
    asked = str(headers.get("Retry-After", headers.get("retry-after"))) if hasattr(headers, "get") else ""
    if asked.replace(".", "", 1).isdecimal():
        return float(asked)
    date = parsedate_tz(asked)
    return None if date is None else max(mktime_tz(date) - time.time(), 0.0)


def _part(error: BaseException, name: str) -> Any:
    found = getattr(error, name, None) or getattr(getattr(error, "response", None), name, None)
    return found if isinstance(found, int) or hasattr(found, "get") else None
