"""Asking a judge and waiting for its reply, whether it is async, slow, or asked inside an event loop."""

import asyncio
import functools
import inspect
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from typing import Any, Final, TypeVar
from weakref import WeakSet

from pydantic import BaseModel

from pytest_verdict.judging.protocol import Judge, reply_text

Request = TypeVar("Request")
_LEFT_BEHIND: Final[WeakSet[threading.Thread]] = WeakSet()


def ask(judge: Judge[Request], request: Request, timeout: float | None = None) -> Any:
    """Ask a judge once, and wait for its reply."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    if timeout is None and running is None:
        return _asked(judge, request, running)
    # A judge that runs an event loop of its own cannot do so where one is running. And a call that never ends cannot be ended,
    # but it can be left behind.
    found, thread = _in_thread(lambda: _asked(judge, request, running))
    wait([found], timeout)
    if not found.done():
        _LEFT_BEHIND.add(thread)
        _leave_blocked_loop()
        raise TimeoutError(f"the judge took longer than {timeout} seconds")
    return found.result()


def refuse_late_reply() -> None:
    """Raise where nobody waits any more for what this thread asked: it was told as a reply that did not come."""
    if threading.current_thread() in _LEFT_BEHIND:
        raise TimeoutError("the reply came after its time limit")


async def ask_async(judge: Judge[Request], request: Request) -> Any:
    """Ask a judge once, without keeping the event loop that is running from its other work."""
    return await asyncio.to_thread(ask, judge, request)


def _asked(judge: Judge[Request], request: Request, running: asyncio.AbstractEventLoop | None) -> Any:
    reply: Any = judge(request)
    if inspect.isawaitable(reply):
        if running is _judges_loop(os.getpid()):
            # A judge that asks another one: its loop waits for this reply, so another loop has to fetch it.
            _judges_loop.cache_clear()
        reply = asyncio.run_coroutine_threadsafe(_value_of(reply), _judges_loop(os.getpid())).result()
    return reply_text(reply) if isinstance(reply, BaseModel) else reply


async def _value_of(reply: Awaitable[Any]) -> Any:
    return await reply


@functools.cache
def _judges_loop(_process: int) -> asyncio.AbstractEventLoop:
    # One loop for all judges: clients of a model keep connections, which belong to the loop that opened them. In a thread
    # of its own, because the caller may itself be called from a loop that is running. A child process has no such thread.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="pytest-verdict judges", daemon=True).start()
    return loop


def _leave_blocked_loop() -> None:
    try:
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), _judges_loop(os.getpid())).result(timeout=1)
    except TimeoutError:
        _judges_loop.cache_clear()


def _in_thread(work: Callable[[], Any]) -> tuple[Future[Any], threading.Thread]:
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that asked
            found.set_exception(error)

    thread = threading.Thread(target=run, name="pytest-verdict judge", daemon=True)
    thread.start()
    return found, thread
