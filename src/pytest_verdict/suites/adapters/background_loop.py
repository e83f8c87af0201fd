"""The event loop in which async adapters run.

It is one for the whole session, because what an adapter keeps between calls, such as an HTTP client, belongs to the loop that it
was made in. It runs in a daemon thread; a call that blocks it is abandoned together with it, and the next call gets another one.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Awaitable
from typing import Any, Final

from pytest_verdict.suites.adapters.time_limit import AdapterTimeoutError

_GRACE: Final = 0.5
_LOCK: Final = threading.Lock()
# The loop of this process and its thread, while there is one.
_running: list[tuple[asyncio.AbstractEventLoop, threading.Thread]] = []


def wait_for(awaitable: Awaitable[Any], seconds: float) -> Any:
    """Await something for a limited time."""
    loop = _loop()
    future = asyncio.run_coroutine_threadsafe(_awaited(awaitable, seconds), loop)
    if not concurrent.futures.wait([future], seconds + _GRACE).done:
        # It does not even answer to being cancelled.
        end(loop)
        raise AdapterTimeoutError(seconds)
    return future.result()


def end(only: asyncio.AbstractEventLoop | None = None) -> None:
    """End the loop, if one is running, or only if it is a certain one; wait a moment for it."""
    with _LOCK:
        ended = [_running.pop() for loop, _ in tuple(_running) if only in {None, loop}]
    for loop, thread in ended:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if only is None:
            thread.join(_GRACE)


def _loop() -> asyncio.AbstractEventLoop:
    with _LOCK:
        if not _running:
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_run, args=[loop], name="verdict-adapter-loop", daemon=True)
            thread.start()
            _running.append((loop, thread))
        return _running[0][0]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.closing(loop):
        loop.run_forever()


async def _awaited(awaitable: Awaitable[Any], seconds: float) -> Any:
    try:
        async with asyncio.timeout(seconds) as limit:
            return await awaitable
    except TimeoutError:
        if limit.expired():
            raise AdapterTimeoutError(seconds) from None
        raise
