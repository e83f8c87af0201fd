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


def in_thread(function: Callable[[], Any], outcome: Future[Any]) -> threading.Thread:
    """Call a function in a daemon thread, and set its result or exception on a future."""

    def call() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)

    thread = threading.Thread(target=call, name="verdict-adapter", daemon=True)
    thread.start()
    return thread


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
            _running.append((new_loop, in_thread(functools.partial(_run, new_loop), Future())))
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
            seconds = _read_pause(error)
            is_busy = not statuses.isdisjoint(_BUSY) or (_BUSY_WITH_RETRY_AFTER in statuses and seconds is not None)
            return is_busy and (seconds or 0.0) <= limit.max_delay_seconds

        def pause(state: Any) -> float:
            seconds = _read_pause(state.outcome.exception())
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
