"""Calls in daemon threads with a time limit, and the event loop of async adapters.

Python cannot end a thread, so a call that takes too long is abandoned. Async adapters share one loop for the whole session,
because an HTTP client belongs to the loop in which it was created. A call that blocks the loop is abandoned with it.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.errors import AdapterError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_GRACE: Final = 1.0
_LOOP_GRACE: Final = 0.5
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
