"""Calling an adapter for a limited time.

The call runs in a daemon thread of its own. Python cannot end a thread, so a call that takes too long is abandoned: what it
returns later is lost, and because the thread is a daemon it never keeps the session from ending.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pytest_verdict.errors import AdapterError

_GRACE: Final = 1.0


class AdapterTimeoutError(AdapterError):
    """An adapter took longer than its scenario allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the adapter took longer than {seconds:g} seconds")


def call_within(seconds: float, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call a function, and await what it returns if need be, for a limited time."""
    call = _Call(function, seconds)
    # What the session keeps in context variables holds for the adapter too.
    target = functools.partial(contextvars.copy_context().run, call.run)
    thread = threading.Thread(target=target, name="verdict-adapter", daemon=True)
    thread.start()
    # An async call and a program are ended from inside, which takes a moment.
    thread.join(seconds)
    if thread.is_alive() and (call.awaits or ends_itself):
        thread.join(_GRACE)
    if thread.is_alive():
        raise AdapterTimeoutError(seconds)
    if call.error is not None:
        raise call.error
    return call.returned


class _Call:
    def __init__(self, function: Callable[[], Any], seconds: float) -> None:
        self._function = function
        self._seconds = seconds
        self.awaits = False
        self.returned: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            returned = self._function()
            self.returned = self._awaited(returned) if inspect.isawaitable(returned) else returned
        except SystemExit as error:
            self.error = AdapterError(f"the adapter tried to end the process with status {error.code}")
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self.error = error

    def _awaited(self, returned: Awaitable[Any]) -> Any:
        from pytest_verdict.suites.adapters.background_loop import LOOP

        self.awaits = True
        ended, value = LOOP.wait_for(returned, self._seconds)
        if not ended:
            raise AdapterTimeoutError(self._seconds)
        return value
