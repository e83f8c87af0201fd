"""How often a service is called: not before its turn, and again when it asked to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from email.utils import mktime_tz, parsedate_tz
from random import SystemRandom
from typing import Any, Final, Protocol, TypeVar

T = TypeVar("T")

_BUSY: Final = (429, 529)
_BUSY_WITH_RETRY_AFTER: Final = 503
# Independent of the seed that tests set.
_RANDOM: Final = SystemRandom()


class Limit(Protocol):
    """How often a service may be called, and how long to wait when it asks to."""

    requests_per_second: float | None
    max_retries: int
    max_delay_seconds: float


class Pace:
    """The pace of calls to one service, from all threads of each of a number of processes."""

    def __init__(self, closing: threading.Event, processes: int) -> None:
        self.closing: Final = closing
        self._processes = processes
        self._lock = threading.Lock()
        self._next = 0.0

    def call(self, function: Callable[[], T], limit: Limit, wait: Callable[[float], object]) -> T:
        """Make a call when it is its turn, and again when the service asks to wait; ``wait`` takes seconds."""
        interval = self._processes / limit.requests_per_second if limit.requests_per_second else 0.0
        attempt = 0
        while True:
            attempt += 1
            with self._lock:
                turn = max(self._next, time.monotonic())
                self._next = turn + interval
            wait(turn - time.monotonic())
            try:
                return function()
            except Exception as error:
                seconds = _pause_after(error, attempt, limit)
                if seconds is None or attempt > limit.max_retries or self.closing.is_set():
                    raise
            # All other calls wait too.
            with self._lock:
                self._next = max(self._next, time.monotonic() + seconds)
            # A random part, so that they do not all return at the same moment.
            wait(seconds + _RANDOM.uniform(0.0, max(seconds, 1.0) / 4))


def _pause_after(error: Exception, attempt: int, limit: Limit) -> float | None:
    """Return the seconds after which a busy service may be called again; None if this is no use."""
    statuses = {_find_part(error, name) for name in ("status_code", "status", "code")}
    seconds = _read_pause(error)
    if statuses.isdisjoint(_BUSY) and (_BUSY_WITH_RETRY_AFTER not in statuses or seconds is None):
        return None
    if seconds is None:
        return min(2.0 ** (attempt - 1), limit.max_delay_seconds)
    return seconds if seconds <= limit.max_delay_seconds else None


def _read_pause(error: BaseException) -> float | None:
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
