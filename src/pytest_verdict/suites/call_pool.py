"""Calls of adapters, many at a time, in threads that never keep a session from ending."""

from __future__ import annotations

import contextvars
import functools
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Call(NamedTuple, Generic[T]):
    most: int
    function: Callable[[], T]
    future: Future[T]


class CallPool:
    """Makes calls in the order in which they are given, each when fewer are in flight than it allows.

    The executor of the standard library waits for its threads when the process ends, and a call may take for ever.
    """

    def __init__(self) -> None:
        self.closing: Final = threading.Event()
        self._lock = threading.Lock()
        self._waiting: deque[_Call[Any]] = deque()
        self._in_flight = 0

    def submit(self, most: int, function: Callable[[], T]) -> Future[T]:
        """Make a call as soon as fewer than so many are in flight."""
        # What the session keeps in context variables holds for the adapter too.
        call = _Call(most, functools.partial(contextvars.copy_context().run, function), Future[T]())
        self._waiting.append(call)
        self._start_waiting()
        return call.future

    def close(self) -> None:
        """Start no call any more; those in flight are abandoned."""
        self.closing.set()
        self._waiting.clear()

    def _start_waiting(self) -> None:
        with self._lock:
            while self._waiting and self._in_flight < self._waiting[0].most:
                self._in_flight += 1
                call = self._waiting.popleft()
                threading.Thread(target=self._make, args=[call], name="verdict-call", daemon=True).start()

    def _make(self, call: _Call[Any]) -> None:
        try:
            call.future.set_result(call.function())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            call.future.set_exception(error)
        with self._lock:
            self._in_flight -= 1
        self._start_waiting()
