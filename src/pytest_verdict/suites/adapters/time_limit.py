"""Calls in daemon threads, for a limited time, and the event loop in which async adapters run.

Python cannot end a thread, so a call that takes too long is abandoned: what it returns later is lost, and because the thread is
a daemon it never keeps the session from ending. The loop is one for the whole session, because what an adapter keeps between
calls, such as an HTTP client, belongs to the loop that it was made in; a call that blocks it is abandoned together with it.
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
# The loop of this process and its thread, while there is one.
_running: list[tuple[AbstractEventLoop, threading.Thread]] = []


class AdapterTimeoutError(AdapterError):
    """An adapter took longer than its scenario allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the adapter took longer than {seconds:g} seconds")


def in_thread(function: Callable[[], Any], outcome: Future[Any]) -> threading.Thread:
    """Call a function in a daemon thread, which gives what came of it to a future."""

    def call() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)

    thread = threading.Thread(target=call, name="verdict-adapter", daemon=True)
    thread.start()
    return thread


def call_within(seconds: float, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call a function, and await what it returns if need be, for a limited time."""
    outcome, awaits = Future[Any](), threading.Event()

    def call() -> Any:
        try:
            returned = function()
            if not inspect.isawaitable(returned):
                return returned
            awaits.set()
            return _wait_for(returned, seconds)
        except SystemExit as error:
            raise AdapterError(f"the adapter tried to end the process with status {error.code}") from None

    # What the session keeps in context variables holds for the adapter too.
    in_thread(functools.partial(contextvars.copy_context().run, call), outcome)
    wait([outcome], seconds)
    if awaits.is_set() or ends_itself:
        # An async call and a program are ended from inside, which takes a moment.
        wait([outcome], _GRACE)
    if not outcome.done():
        raise AdapterTimeoutError(seconds)
    return outcome.result()


def end_loop(only: AbstractEventLoop | None = None) -> None:
    """End the loop, if one is running, or only if it is a certain one; wait a moment for it."""
    with _LOCK:
        ended = [_running.pop() for loop, _ in tuple(_running) if only in {None, loop}]
    for loop, thread in ended:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if only is None:
            thread.join(_LOOP_GRACE)


def _wait_for(awaitable: Awaitable[Any], seconds: float) -> Any:
    import asyncio

    async def awaited() -> Any:
        try:
            async with asyncio.timeout(seconds) as limit:
                return await awaitable
        except TimeoutError:
            if limit.expired():
                raise AdapterTimeoutError(seconds) from None
            raise

    with _LOCK:
        if not _running:
            fresh = asyncio.new_event_loop()
            _running.append((fresh, in_thread(functools.partial(_run, fresh), Future())))
        loop = _running[0][0]
    future = asyncio.run_coroutine_threadsafe(awaited(), loop)
    if not wait([future], seconds + _LOOP_GRACE).done:
        # It does not even answer to being cancelled.
        end_loop(loop)
        raise AdapterTimeoutError(seconds)
    return future.result()


def _run(loop: AbstractEventLoop) -> None:
    with contextlib.closing(loop):
        loop.run_forever()
