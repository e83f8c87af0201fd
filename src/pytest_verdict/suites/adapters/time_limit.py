"""Calling an adapter for a limited time.

The call runs in a daemon thread of its own. Python cannot end a thread, so a call that takes too long is abandoned: what it
returns later is lost, and because the thread is a daemon it never keeps the session from ending.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Final

from pytest_verdict.errors import AdapterError

_GRACE: Final = 1.0


class AdapterTimeoutError(AdapterError):
    """An adapter took longer than its scenario allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the adapter took longer than {seconds:g} seconds")


def call_within(seconds: float, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call a function, and await what it returns if need be, for a limited time."""
    outcome: Future[Any] = Future()
    awaits = threading.Event()

    def call() -> None:
        try:
            returned = function()
            if inspect.isawaitable(returned):
                from pytest_verdict.suites.adapters.background_loop import wait_for

                awaits.set()
                returned = wait_for(returned, seconds)
            outcome.set_result(returned)
        except SystemExit as error:
            outcome.set_exception(AdapterError(f"the adapter tried to end the process with status {error.code}"))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)

    # What the session keeps in context variables holds for the adapter too.
    target = functools.partial(contextvars.copy_context().run, call)
    threading.Thread(target=target, name="verdict-adapter", daemon=True).start()
    wait([outcome], seconds)
    if awaits.is_set() or ends_itself:
        # An async call and a program are ended from inside, which takes a moment.
        wait([outcome], _GRACE)
    if not outcome.done():
        raise AdapterTimeoutError(seconds)
    return outcome.result()
