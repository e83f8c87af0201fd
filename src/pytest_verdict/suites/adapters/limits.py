"""The time limit of adapters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_verdict.errors import AdapterError
from pytest_verdict.judging.calls import CallTimeoutError, call_within


class AdapterTimeoutError(AdapterError):
    """An adapter took longer than its scenario allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the adapter took longer than {seconds:g} seconds")


def call_adapter(seconds: float, function: Callable[[], Any], *, ends_itself: bool = False) -> Any:
    """Call an adapter within its time limit; see `call_within`."""
    try:
        return call_within(seconds, function, ends_itself=ends_itself)
    except CallTimeoutError:
        raise AdapterTimeoutError(seconds) from None
    except SystemExit as error:
        raise AdapterError(f"the adapter tried to end the process with status {error.code}") from None
