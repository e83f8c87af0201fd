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


class BackgroundLoop:
    """An event loop in a thread of its own, started when it is first needed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def wait_for(self, awaitable: Awaitable[Any], seconds: float) -> Any:
        """Await something for a limited time."""
        loop = self._running()
        future = asyncio.run_coroutine_threadsafe(_awaited(awaitable, seconds), loop)
        if not concurrent.futures.wait([future], seconds + _GRACE).done:
            # It does not even answer to being cancelled.
            self._abandon(loop)
            raise AdapterTimeoutError(seconds)
        return future.result()

    def close(self) -> None:
        """End the loop, if one is running."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_GRACE)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                name = "verdict-adapter-loop"
                self._thread = threading.Thread(target=_run, args=[self._loop], name=name, daemon=True)
                self._thread.start()
            return self._loop

    def _abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock, contextlib.suppress(RuntimeError):
            if self._loop is loop:
                self._loop = self._thread = None
            loop.call_soon_threadsafe(loop.stop)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _awaited(awaitable: Awaitable[Any], seconds: float) -> Any:
    try:
        async with asyncio.timeout(seconds) as limit:
            return await awaitable
    except TimeoutError:
        if limit.expired():
            raise AdapterTimeoutError(seconds) from None
        raise


LOOP: Final = BackgroundLoop()
"""The loop of this process."""
