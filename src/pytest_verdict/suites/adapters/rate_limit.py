"""The pace of calls: the limit of the suite, and the pauses that a service requests by a status or ``Retry-After``."""

import threading
import time
from collections.abc import Callable
from email.utils import mktime_tz, parsedate_tz
from random import SystemRandom
from typing import Any, Final

from pytest_verdict.suites.suite_model import RateLimit

_BUSY: Final = (429, 529)
_BUSY_WITH_RETRY_AFTER: Final = 503
# Independent of the seed that tests set.
_RANDOM: Final = SystemRandom()


class Pace:
    """The pace of calls to one adapter, from all threads of each of a number of processes."""

    def __init__(self, closing: threading.Event, processes: int) -> None:
        self.closing: Final = closing
        self._processes = processes
        self._lock = threading.Lock()
        self._next = 0.0

    def call(self, function: Callable[[], Any], limit: RateLimit) -> Any:
        """Make a call when it is its turn, and again when the service asks to wait."""
        from tenacity import Retrying, retry_if_exception, sleep_using_event, stop_after_attempt

        interval = self._processes / limit.requests_per_second if limit.requests_per_second else 0.0

        def attempt() -> Any:
            with self._lock:
                turn = max(self._next, time.monotonic())
                self._next = turn + interval
            self.closing.wait(turn - time.monotonic())
            return function()

        def asks_to_wait(error: BaseException) -> bool:
            statuses = {_find_part(error, name) for name in ("status_code", "status", "code")}
            seconds = _requested_pause(error)
            is_busy = not statuses.isdisjoint(_BUSY) or (_BUSY_WITH_RETRY_AFTER in statuses and seconds is not None)
            return is_busy and (seconds or 0.0) <= limit.max_delay_seconds

        def pause(state: Any) -> float:
            seconds = _requested_pause(state.outcome.exception())
            if seconds is None:
                seconds = min(2.0 ** (state.attempt_number - 1), limit.max_delay_seconds)
            # All other calls wait too.
            with self._lock:
                self._next = max(self._next, time.monotonic() + seconds)
            # A random part, so that they do not all return at the same moment.
            return seconds + _RANDOM.uniform(0.0, max(seconds, 1.0) / 4)

        return Retrying(
            retry=retry_if_exception(asks_to_wait),
            stop=stop_after_attempt(limit.max_retries + 1),
            wait=pause,
            sleep=sleep_using_event(self.closing),
            reraise=True,
        )(attempt)


def _requested_pause(error: BaseException) -> float | None:
    headers = _find_part(error, "headers")
    if not hasattr(headers, "get"):
        return None
    value = str(headers.get("Retry-After", headers.get("retry-after")))
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    date = parsedate_tz(value)
    if date is None:
        return None
    return max(mktime_tz(date) - time.time(), 0.0)


def _find_part(error: BaseException, name: str) -> Any:
    """Return a status, or the headers, of an exception or of its response."""
    part = getattr(error, name, None) or getattr(getattr(error, "response", None), name, None)
    if isinstance(part, int) or hasattr(part, "get"):
        return part
    return None
