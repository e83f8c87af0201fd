"""Signals that wait for the end of a write."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def signals_deferred() -> Generator[None]:
    """Run signal handlers written in Python after the block; only in the main thread, which alone may set handlers.

    A handler that raises during a write, such as that of Ctrl-C or of a time limit, leaves half a line in the journal, or
    half a message that the controller cannot read. Blocking signals does not help: another thread receives them.
    """
    waiting: list[tuple[_Handler, int, FrameType | None]] = []
    former: dict[signal.Signals, _Handler] = {}
    try:
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler):
                former[number] = handler
                signal.signal(number, lambda *arrived, handler=handler: waiting.append((handler, *arrived)))
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        for handler, arrived, frame in waiting:
            handler(arrived, frame)
