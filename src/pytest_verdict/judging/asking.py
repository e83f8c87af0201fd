"""Asking a judge and waiting for its reply, whether it is async, slow, or asked inside an event loop."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from pydantic import BaseModel

from pytest_verdict.judging.protocol import Judge, reply_text

Request = TypeVar("Request")


def ask(judge: Judge[Request], request: Request, timeout: float | None = None) -> Any:
    """Ask a judge once, and wait for its reply as long as it may take."""
    limit, running = _Limit(timeout), _running_loop()
    is_direct = timeout is None and running is None
    reply = judge(request) if is_direct else limit.result(_in_thread(lambda: judge(request)))
    return _plain(_awaited(reply, limit, running) if inspect.isawaitable(reply) else reply)


async def ask_async(judge: Judge[Request], request: Request) -> Any:
    """Ask a judge once, in the event loop that is running."""
    reply = judge(request)
    return _plain(await reply if inspect.isawaitable(reply) else reply)


def _plain(reply: Any) -> Any:
    return reply_text(reply) if isinstance(reply, BaseModel) else reply


class _Limit:
    """How long a judge may take in all."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def result(self, found: Future[Any]) -> Any:
        wait([found], None if self._end is None else max(0.0, self._end - time.monotonic()))
        if found.done():
            return found.result()
        found.cancel()
        raise TimeoutError(f"the judge took longer than {self._seconds} seconds")


def _in_thread(work: Callable[[], Any]) -> Future[Any]:
    # A call that never ends cannot be ended, but it can be left behind. And a judge that runs an event loop of its own cannot
    # do so where one is running.
    found: Future[Any] = Future()

    def run() -> None:
        found.set_running_or_notify_cancel()
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that asked
            found.set_exception(error)

    threading.Thread(target=run, name="pytest-verdict judge", daemon=True).start()
    return found


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _awaited(reply: Awaitable[Any], limit: _Limit, running: asyncio.AbstractEventLoop | None) -> Any:
    ended = threading.Event()

    async def awaited() -> Any:
        try:
            return await reply
        finally:
            ended.set()

    if running is _judges_loop(os.getpid()):
        # A judge that asks another one: its loop waits for this reply, so another loop has to fetch it.
        _judges_loop.cache_clear()
    try:
        return limit.result(asyncio.run_coroutine_threadsafe(awaited(), _judges_loop(os.getpid())))
    except TimeoutError:
        if not ended.wait(1):
            # The call keeps its loop from running, and is left behind with it.
            _judges_loop.cache_clear()
        raise


@functools.cache
def _judges_loop(_process: int) -> asyncio.AbstractEventLoop:
    # One loop for all judges: clients of a model keep connections, which belong to the loop that opened them. In a thread
    # of its own, because the caller may itself be called from a loop that is running. A child process has no such thread.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="pytest-verdict judges", daemon=True).start()
    return loop
