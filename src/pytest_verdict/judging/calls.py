"""Calls of models and services: within a time limit, and as many at once as allowed.

Python cannot end a thread, so a call that takes too long is abandoned. If it blocks the loop of all async functions, other
calls get another loop until it answers again.
"""

from __future__ import annotations

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
# The loops of this process, mostly one, each in a thread; and those that a call blocks.
_loops: list[AbstractEventLoop] = []
_blocked: set[AbstractEventLoop] = set()
# Set when nobody waits any more for the call that runs in a context.
_abandoned: Final[ContextVar[threading.Event]] = ContextVar("abandoned")


class CallTimeoutError(TimeoutError):
    """A call took longer than it may."""


def call_within(seconds: float | None, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call a function with a time limit, and await its result; a function that ``ends_itself`` gets a moment more."""
    outcome = Future[Any]()
    awaited: list[Future[Any]] = []

    def call() -> Any:
        returned = function()
        if not inspect.isawaitable(returned):
            return returned
        awaited.append(_start_in_loop(returned))
        if is_abandoned():
            awaited[0].cancel()
        return awaited[0].result()

    # The function sees the context variables of its caller.
    context = copy_context()
    abandoned = threading.Event()
    context.run(_abandoned.set, abandoned)
    in_thread(functools.partial(context.run, call), outcome)
    wait([outcome], seconds)
    if ends_itself:
        wait([outcome], _GRACE)
    if not outcome.done():
        for loop in set(_loops) - _blocked:
            avoid_loop(loop).wait(_LOOP_GRACE)
    if not outcome.done():
        abandoned.set()
        for future in awaited:
            future.cancel()
        raise CallTimeoutError(f"the call took longer than {seconds} seconds")
    return outcome.result()


def is_abandoned() -> bool:
    """Return whether `call_within` has given up on the call that runs here."""
    abandoned = _abandoned.get(None)
    return abandoned is not None and abandoned.is_set()


def in_thread(function: Callable[[], Any], outcome: Future[Any]) -> None:
    """Call a function in a daemon thread of its own, and set its result or exception on a future."""
    if not outcome.set_running_or_notify_cancel():
        return

    def call() -> None:
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    # No thread is used again, so that no call sees the thread-local values of another one.
    threading.Thread(target=call, name="pytest-verdict call", daemon=True).start()


def await_in_loop(awaitable: Awaitable[Any]) -> Any:
    """Wait for an awaitable in the loop that all calls share."""
    return _start_in_loop(awaitable).result()


def _start_in_loop(awaitable: Awaitable[Any]) -> Future[Any]:
    import asyncio

    async def await_it() -> Any:
        if is_abandoned():
            # It waited for a blocked loop. A task that is cancelled before it starts closes its coroutine.
            asyncio.ensure_future(awaitable).cancel()
            raise CallTimeoutError
        return await awaitable

    with _LOCK:
        loop = next((loop for loop in _loops if loop not in _blocked), None)
        if loop is None:
            loop = asyncio.new_event_loop()
            _loops.append(loop)
            threading.Thread(target=loop.run_forever, name="pytest-verdict calls", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(await_it(), loop)


def get_loop() -> AbstractEventLoop | None:
    """Return the event loop that runs in this thread, if there is one."""
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def avoid_loop(loop: AbstractEventLoop) -> threading.Event:
    """Give no more calls to one of our loops until it answers; return an event of the answer."""
    answered = threading.Event()

    def answer() -> None:
        _blocked.discard(loop)
        answered.set()

    with _LOCK:
        if loop in _loops:
            _blocked.add(loop)
            loop.call_soon_threadsafe(answer)
        else:
            answered.set()
    return answered


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
    _wait_until_done(future)
    return future.result()


def _wait_until_done(future: Future[T]) -> None:
    # Without a timeout, wait() would miss a Ctrl-C just before it.
    while wait([future], _POLL_SECONDS).not_done:
        pass


def run_in_order(functions: Iterable[Callable[[], T]], most: int) -> Iterator[T]:
    """Call functions, at most so many at once, and yield their results in order; an error comes behind those of started calls."""
    if type(most) is not int or most < 1:
        raise ConfigurationError(f"max_concurrency is a whole number from 1, got {shown(most, 40)}")
    if most == 1:
        for function in functions:
            yield function()
        return
    slots = Slots(threading.Event())
    started: deque[Future[T]] = deque()
    try:
        for function in _raise_in_turn(functions):
            started.append(slots.submit(most, function))
            # A slow call holds up no other one, and results that wait for it are few.
            if len(started) > 2 * most:
                yield wait_for(started.popleft())
        while started:
            yield wait_for(started.popleft())
    except (GeneratorExit, KeyboardInterrupt):
        raise
    except BaseException:
        slots.close()
        for future in started:
            if future.cancel():
                continue
            # The replies of calls that were started are paid.
            _wait_until_done(future)
            if future.exception() is None:
                yield future.result()
        raise
    finally:
        slots.close()


def _raise_in_turn(functions: Iterable[Callable[[], T]]) -> Iterator[Callable[[], T]]:
    """Yield functions; an error of the iterable itself becomes that of the last function."""
    try:
        yield from functions
    except Exception as error:  # noqa: BLE001 - raised again in its turn
        outcome = Future[T]()
        outcome.set_exception(error)
        yield outcome.result


if hasattr(os, "register_at_fork"):
    # A process that was forked has no thread of a loop.
    os.register_at_fork(after_in_child=_loops.clear)
