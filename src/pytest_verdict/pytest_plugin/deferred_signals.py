"""Signals that wait until a write has ended."""

# Not `signal`, whose functions slowly turn numbers into enums, and this runs for each phase of each test.
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
    """Run signal handlers written in Python after the block; only in the main thread, which alone may set handlers."""

    # Blocking signals does not help: another thread receives them. Not a generator: every phase of every test enters the block.

    __slots__ = ("_former", "_waiting")

    def __enter__(self) -> None:
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
            # A second Ctrl-C ends a hook of another plugin that hangs.
            self._former[number](number, frame)
        self._waiting[number] = frame

    def __exit__(self, *_: object) -> None:
        """Restore the former handlers, and pass on the signals that came meanwhile."""
        former = self._former
        for number in reversed(former):
            # A block that sets a handler of its own keeps it.
            if _signal.getsignal(number) == self._wait:
                _signal.signal(number, former[number])
        for number, frame in self._waiting.items():
            former[number](number, frame)


@contextmanager
def interrupts_noted(session: pytest.Session | None) -> Generator[None]:
    """Run the whole block, whatever signals arrive; an interrupt shows in the exit status, as it would end pytest itself."""
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
