"""Waiting for an async judge from code that is not async."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


def waited_for(awaitable: Awaitable[T]) -> T:
    """Wait for a value."""

    async def wait() -> T:
        return await awaitable

    return asyncio.run_coroutine_threadsafe(wait(), _loop()).result()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    # One loop for all judges: clients of a model keep connections, which belong to the loop that opened them. In a thread
    # of its own, because the caller may itself be called from a loop that is running.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="pytest-verdict-judges", daemon=True).start()
    return loop
