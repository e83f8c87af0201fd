"""The limits of calls: how long each may take, and how often the service is called.

Python cannot end a thread, so a call that takes too long is abandoned. Async adapters share one loop for the whole session,
because an HTTP client belongs to the loop in which it was created. A call that blocks the loop is abandoned with it.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from email.utils import mktime_tz, parsedate_tz
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.errors import AdapterError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from pytest_verdict.suites.suite_model import RateLimit

_GRACE: Final = 1.0
_LOOP_GRACE: Final = 0.5
_BUSY: Final = (429, 529)
_BUSY_WITH_RETRY_AFTER: Final = 503
# Independent of the seed that tests set.
_RANDOM: Final = SystemRandom()
_LOCK: Final = threading.Lock()
# The loop of this process and its thread, or nothing.
_running: list[tuple[AbstractEventLoop, threading.Thread]] = []


class AdapterTimeoutError(AdapterError):
    """An adapter took longer than its scenario allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the adapter took longer than {seconds:g} seconds")


def in_thread(function: Callable[[], Any], outcome: Future[Any]) -> None:
    """Call a function in a daemon thread of its own, and set its result or exception on a future."""

    def call() -> None:
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    # No thread is used again, so that no call sees the thread-local values of another one.
    threading.Thread(target=call, name="verdict-adapter", daemon=True).start()


class Slots:
    """Starts calls in their order, as many as may be in flight at once; a call that waits has no slot."""

    def __init__(self, closing: threading.Event) -> None:
        self._closing = closing
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()
        self._in_flight = 0

    def start(self, most: int, call: Callable[[], Any]) -> None:
        """Start a call when fewer than ``most`` are in flight."""
        with self._lock:
            self._waiting.append((most, call))
        self._start_next()

    def end(self) -> None:
        """End a call, and start the next one."""
        self._start_next(ended=1)

    def wait(self, most: int, seconds: float) -> None:
        """Wait without a slot, and then for the next free one."""
        if seconds <= 0:
            return
        self.end()
        self._closing.wait(seconds)
        turn = threading.Event()
        with self._lock:
            self._waiting.appendleft((most, turn.set))
        self._start_next()
        while not turn.wait(_GRACE) and not self._closing.is_set():
            pass

    def close(self) -> None:
        """Start no more calls."""
        with self._lock:
            self._closing.set()
            self._waiting.clear()

    def _start_next(self, ended: int = 0) -> None:
        with self._lock:
            self._in_flight -= ended
            while self._waiting and self._in_flight < self._waiting[0][0]:
                self._in_flight += 1
                self._waiting.popleft()[1]()


def call_within(seconds: float, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call a function with a time limit, and await its result; a function that ``ends_itself`` gets a moment more."""
    outcome = Future[Any]()
    awaits = threading.Event()

    def call() -> Any:
        try:
            returned = function()
            if not inspect.isawaitable(returned):
                return returned
            awaits.set()
            return _await(returned, seconds)
        except SystemExit as error:
            raise AdapterError(f"the adapter tried to end the process with status {error.code}") from None

    # The adapter sees the context variables of the session.
    in_thread(functools.partial(contextvars.copy_context().run, call), outcome)
    wait([outcome], seconds)
    if awaits.is_set() or ends_itself:
        wait([outcome], _GRACE)
    if not outcome.done():
        raise AdapterTimeoutError(seconds)
    return outcome.result()


def end_loop(only: AbstractEventLoop | None = None) -> None:
    """End the running loop, or only a certain one, and wait a moment for it."""
    with _LOCK:
        ended = [_running.pop() for loop, _ in tuple(_running) if only in {None, loop}]
    for loop, thread in ended:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if only is None:
            thread.join(_LOOP_GRACE)


def _await(awaitable: Awaitable[Any], seconds: float) -> Any:
    import asyncio

    async def await_within() -> Any:
        try:
            async with asyncio.timeout(seconds) as limit:
                return await awaitable
        except TimeoutError:
            if limit.expired():
                raise AdapterTimeoutError(seconds) from None
            raise

    with _LOCK:
        if not _running:
            new_loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_run, args=(new_loop,), name="verdict-adapters", daemon=True)
            thread.start()
            _running.append((new_loop, thread))
        loop = _running[0][0]
    future = asyncio.run_coroutine_threadsafe(await_within(), loop)
    if not wait([future], seconds + _LOOP_GRACE).done:
        # The call blocks the loop, so it cannot be cancelled.
        end_loop(loop)
        raise AdapterTimeoutError(seconds)
    return future.result()


def _run(loop: AbstractEventLoop) -> None:
    with contextlib.closing(loop):
        loop.run_forever()


class Pace:
    """The pace of calls to one adapter, from all threads of each of a number of processes."""

    def __init__(self, closing: threading.Event, processes: int) -> None:
        self.closing: Final = closing
        self._processes = processes
        self._lock = threading.Lock()
        self._next = 0.0

    def call(self, function: Callable[[], Any], limit: RateLimit, wait: Callable[[float], None]) -> Any:
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


def _pause_after(error: Exception, attempt: int, limit: RateLimit) -> float | None:
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
