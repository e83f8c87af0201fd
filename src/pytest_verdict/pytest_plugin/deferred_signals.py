"""Signals that wait for the end of a write."""

# Not `signal`, whose functions take ten times as long to make enums of numbers, and this runs for each phase of each test.
import _signal  # type: ignore[import-not-found]
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from threading import get_ident, main_thread
from types import FrameType
from typing import Any, Final

import pytest

_Handler = Callable[[int, FrameType | None], Any]

# Those that time limits, terminals and schedulers send, and that have handlers in Python.
_NAMES: Final = ("INT", "BREAK", "TERM", "HUP", "ALRM", "VTALRM", "PROF", "XCPU", "USR1", "USR2")
_NUMBERS: Final[tuple[int, ...]] = tuple(
    getattr(_signal, f"SIG{name}") for name in _NAMES if hasattr(_signal, f"SIG{name}")
)


class signals_deferred:  # noqa: N801 - read as a function
    """Run signal handlers written in Python after the block; only in the main thread, which alone may set handlers.

    A handler that raises during a write, such as that of Ctrl-C or of a time limit, leaves half a line in the journal, or
    half a message that the controller cannot read. Blocking signals does not help: another thread receives them.
    """

    # Not a generator, because every phase of every test enters it.
    __slots__ = ("_former", "_waiting")

    def __enter__(self) -> None:
        """Set handlers that wait."""
        self._waiting: dict[int, FrameType | None] = {}
        self._former: dict[int, _Handler] = {}
        if get_ident() == main_thread().ident:
            try:
                for number in _NUMBERS:
                    handler = _signal.getsignal(number)
                    if callable(handler):
                        self._former[number] = handler
                        _signal.signal(number, self._wait)
            except BaseException:
                self.__exit__()
                raise

    def _wait(self, number: int, frame: FrameType | None) -> None:
        if number in self._waiting:
            # Whoever presses Ctrl-C again means it; a hook of another plugin may hang.
            self._former[number](number, frame)
        self._waiting[number] = frame

    def __exit__(self, *_: object) -> None:
        """Set the former handlers, and hand them what came meanwhile."""
        former = self._former
        for number in reversed(former):
            # A block that sets a handler of its own keeps it.
            if _signal.getsignal(number) == self._wait:
                _signal.signal(number, former[number])
        for number, frame in self._waiting.items():
            former[number](number, frame)


@contextmanager
def interrupts_noted(session: pytest.Session | None) -> Generator[None]:
    """Come to the end of the block, whatever signals arrive; an interrupt shows in the exit status of the session alone.

    An exception out of a hook that ends the session would come out of pytest itself.
    """
    interrupted = False
    try:
        with ExitStack() as stack:
            try:
                stack.enter_context(signals_deferred())
            except KeyboardInterrupt:
                interrupted = True
            yield
    except KeyboardInterrupt:
        interrupted = True
    if interrupted and session is not None:
        session.exitstatus = pytest.ExitCode.INTERRUPTED
