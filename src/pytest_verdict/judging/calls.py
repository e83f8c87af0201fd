"""Calls of models and services: within a time limit, and as many at once as allowed.

Python cannot end a thread, so a call that takes too long is abandoned, with the loop of all async functions if it blocks that.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import threading
from collections import deque
from concurrent.futures import Future, wait
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Awaitable, Callable, Iterable, Iterator

T = TypeVar("T")

_GRACE: Final = 1.0
_LOOP_GRACE: Final = 0.5
_POLL_SECONDS: Final = 0.2
_LOCK: Final = threading.Lock()
# The loop of this process and its thread, or nothing.
_running: list[tuple[AbstractEventLoop, threading.Thread]] = []
# Set when nobody waits any more for the call that runs in a context.
_abandoned: Final[ContextVar[threading.Event]] = ContextVar("abandoned")


class CallTimeoutError(TimeoutError):
    """A call took longer than it may."""


def call_within(seconds: float | None, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call a function with a time limit, and await its result; a function that ``ends_itself`` gets a moment more."""
    outcome = Future[Any]()
    awaits = threading.Event()

    def call() -> Any:
        returned = function()
        if not inspect.isawaitable(returned):
            return returned
        awaits.set()
        return await_in_loop(returned, seconds)

    # The function sees the context variables of its caller.
    context = copy_context()
    abandoned = threading.Event()
    context.run(_abandoned.set, abandoned)
    in_thread(functools.partial(context.run, call), outcome)
    wait([outcome], seconds)
    if awaits.is_set() or ends_itself:
        wait([outcome], _GRACE)
    if not outcome.done():
        abandoned.set()
        raise CallTimeoutError(f"the call took longer than {seconds} seconds")
    return outcome.result()


def is_abandoned() -> bool:
    """Return whether `call_within` has given up on the call that runs here."""
    abandoned = _abandoned.get(None)
    return abandoned is not None and abandoned.is_set()


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
    threading.Thread(target=call, name="pytest-verdict call", daemon=True).start()


def await_in_loop(awaitable: Awaitable[Any], seconds: float | None = None) -> Any:
    """Wait for an awaitable in the loop that all calls share."""
    import asyncio

    async def await_within() -> Any:
        try:
            async with asyncio.timeout(seconds) as limit:
                return await awaitable
        except TimeoutError:
            if limit.expired():
                raise CallTimeoutError(f"the call took longer than {seconds} seconds") from None
            raise

    with _LOCK:
        if not _running:
            new_loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_run, args=(new_loop,), name="pytest-verdict calls", daemon=True)
            thread.start()
            _running.append((new_loop, thread))
        loop = _running[0][0]
    future = asyncio.run_coroutine_threadsafe(await_within(), loop)
    if not wait([future], None if seconds is None else seconds + _LOOP_GRACE).done:
        # The call blocks the loop, so it cannot be cancelled.
        end_loop(loop)
        raise CallTimeoutError(f"the call took longer than {seconds} seconds")
    return future.result()


def _run(loop: AbstractEventLoop) -> None:
    with contextlib.closing(loop):
        loop.run_forever()


def leave_loop() -> None:
    """Use another loop from now on if this thread is that of the loop, which is blocked until the next call ends."""
    with _LOCK:
        if _running and _running[0][1] is threading.current_thread():
            _running.clear()


def end_loop(only: AbstractEventLoop | None = None) -> None:
    """End the running loop, or only a certain one, and wait a moment for it."""
    with _LOCK:
        ended = [_running.pop() for loop, _ in tuple(_running) if only in {None, loop}]
    for loop, thread in ended:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if only is None:
            thread.join(_LOOP_GRACE)


class Slots:
    """Starts calls in their order, as many as may be in flight at once; a call that waits has no slot."""

    def __init__(self, closing: threading.Event) -> None:
        self._closing = closing
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()
        self._in_flight = 0

    def submit(self, most: int, function: Callable[[], T]) -> Future[T]:
        """Call a function in a thread when fewer than ``most`` calls are in flight."""
        # An executor would wait for its threads when the process ends, but a call may never end.
        future = Future[T]()
        future.add_done_callback(lambda _: self._start_next(ended=1))
        # The function sees the context variables of its caller.
        call = functools.partial(in_thread, functools.partial(copy_context().run, function), future)
        with self._lock:
            self._waiting.append((most, call))
        self._start_next()
        return future

    def wait(self, most: int, seconds: float) -> None:
        """Wait without a slot, and then for the next free one."""
        if seconds <= 0:
            return
        self._start_next(ended=1)
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


def wait_for(future: Future[T]) -> T:
    """Wait for a result; Ctrl-C ends the wait."""
    # Without a timeout, wait() would miss a Ctrl-C just before it.
    while wait([future], _POLL_SECONDS).not_done:
        pass
    return future.result()


def run_in_order(functions: Iterable[Callable[[], T]], most: int) -> Iterator[T]:
    """Call functions, at most so many at once, and yield their results in the order of the functions."""
    if type(most) is not int or most < 1:
        raise ConfigurationError(f"max_concurrency is a whole number from 1, got {shown(most, 40)}")
    if most == 1:
        for function in functions:
            yield function()
        return
    slots = Slots(threading.Event())
    started: deque[Future[T]] = deque()
    try:
        for function in functions:
            started.append(slots.submit(most, function))
            # A slow call holds up no other one, and results that wait for it are few.
            if len(started) > 2 * most:
                yield wait_for(started.popleft())
        while started:
            yield wait_for(started.popleft())
    finally:
        slots.close()


if hasattr(os, "register_at_fork"):
    # A process that was forked has no thread of the loop.
    os.register_at_fork(after_in_child=_running.clear)
