"""Ask a judge and wait for its reply: sync or async, with or without a time limit, inside or outside of an event loop."""

import asyncio
import functools
import inspect
import os
import threading
from concurrent.futures import Future, wait
from typing import Any, Final, TypeVar
from weakref import WeakSet

from pydantic import BaseModel

from pytest_verdict.judging.protocol import Judge, serialize_reply

Request = TypeVar("Request")

_TIMED_OUT_THREADS: Final[WeakSet[threading.Thread]] = WeakSet()


def ask(judge: Judge[Request], request: Request, timeout: float | None = None) -> Any:
    """Call a judge once and return its reply.

    Raises:
        TimeoutError: The reply took longer than ``timeout`` seconds.
    """
    try:
        caller_loop = asyncio.get_running_loop()
    except RuntimeError:
        caller_loop = None
    if timeout is None and caller_loop is None:
        return _call(judge, request, caller_loop)

    # A judge may run an event loop of its own, which needs a thread without one. A thread can also be abandoned on a timeout.
    future: Future[Any] = Future()

    def call_judge() -> None:
        try:
            future.set_result(_call(judge, request, caller_loop))
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            future.set_exception(error)

    thread = threading.Thread(target=call_judge, name="pytest-verdict judge", daemon=True)
    thread.start()
    wait([future], timeout)
    if not future.done():
        _TIMED_OUT_THREADS.add(thread)
        try:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), _judge_loop(os.getpid())).result(timeout=1)
        except TimeoutError:
            # The judge blocks the loop of all judges.
            _judge_loop.cache_clear()
        raise TimeoutError(f"the judge took longer than {timeout} seconds")
    return future.result()


async def ask_async(judge: Judge[Request], request: Request) -> Any:
    """Call a judge once without blocking the running event loop."""
    return await asyncio.to_thread(ask, judge, request)


def refuse_late_reply() -> None:
    """Raise TimeoutError if `ask` has given up on the call that runs in this thread."""
    if threading.current_thread() in _TIMED_OUT_THREADS:
        raise TimeoutError("the reply came after its time limit")


def _call(judge: Judge[Request], request: Request, caller_loop: asyncio.AbstractEventLoop | None) -> Any:
    reply: Any = judge(request)
    if inspect.isawaitable(reply):
        if caller_loop is _judge_loop(os.getpid()):
            # An async judge asks another judge: its loop is blocked until this reply comes, so use a new loop.
            _judge_loop.cache_clear()

        async def await_reply() -> Any:
            return await reply

        reply = asyncio.run_coroutine_threadsafe(await_reply(), _judge_loop(os.getpid())).result()
    if isinstance(reply, BaseModel):
        return serialize_reply(reply)
    return reply


@functools.cache
def _judge_loop(_process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of all async judges of a process, which runs in a thread of its own."""
    # Clients of a model keep connections, and a connection belongs to the loop that opened it.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="pytest-verdict judges", daemon=True).start()
    return loop
