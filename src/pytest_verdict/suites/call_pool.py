"""Calls of adapters, many at a time, in threads that never keep a session from ending."""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final


class CallPool:
    """Makes calls in the order in which they are given, each when fewer are in flight than it allows.

    The executor of the standard library waits for its threads when the process ends, and a call may take for ever.
    """

    def __init__(self) -> None:
        self.closing: Final = threading.Event()
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self._in_flight = 0

    def submit(self, most: int, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Make a call as soon as fewer than so many are in flight."""
        future = Future[Any]()
        # What the session keeps in context variables holds for the adapter too.
        context = contextvars.copy_context()

        def call() -> None:
            try:
                future.set_result(context.run(function, *arguments))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                future.set_exception(error)
            self._start_waiting(ended=1)

        self._waiting.append((most, call))
        self._start_waiting()
        return future

    def close(self) -> None:
        """Start no call any more; those in flight are abandoned."""
        with self._lock:
            self.closing.set()
            self._waiting.clear()

    def _start_waiting(self, ended: int = 0) -> None:
        with self._lock:
            self._in_flight -= ended
            while self._waiting and self._in_flight < self._waiting[0][0]:
                self._in_flight += 1
                threading.Thread(target=self._waiting.popleft()[1], name="verdict-call", daemon=True).start()
