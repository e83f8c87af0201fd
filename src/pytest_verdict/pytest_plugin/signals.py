"""Signals that wait until a write has ended."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def signals_wait() -> Generator[None]:
    """Let handlers written in Python, such as those of Ctrl-C and of a time limit, run when the block has ended.

    A handler that raises in the middle of a write leaves a torn line in the journal, and half a message on the way to
    the controller, who can then read nothing more. Blocking signals would not do: another thread of the process
    receives them.

    Only in the main thread, which alone may set handlers.
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
