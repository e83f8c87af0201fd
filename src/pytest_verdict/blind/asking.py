"""Asking a judge: any callable, sync or async, whose answer becomes text or a problem, never an exception."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from pytest_verdict.blind.request import JudgeRequest
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, VerdictError

BlindJudge = Callable[[JudgeRequest], Any]
"""A judge of blind comparisons: from a request to a mapping, JSON text or a pydantic object, or an awaitable of one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking."""

    reply: str | None
    problem: str | None = None


def judge_name(judge: Any) -> str:
    """Give the name under which a judge is recorded."""
    own = getattr(judge, "judge_id", None)
    if isinstance(own, str) and own:
        return own
    named = judge if hasattr(judge, "__qualname__") else type(judge)
    return f"{named.__module__}.{named.__qualname__}"


def own_name(judge: Any) -> str:
    """Give the name of a judge where it must tell the judge from others, in a recording or a calibration."""
    name = judge_name(judge)
    if name.endswith("<lambda>") or name == "functools.partial":
        raise ConfigurationError(
            f"{name} is the name of other judges as well; give this one an attribute judge_id, or write it as a function"
        )
    return name


def ask(judge: BlindJudge, request: JudgeRequest, timeout: float | None) -> Answer:
    """Ask a judge once."""
    if timeout is None and not _in_event_loop():
        return _asked(judge, request)
    found: list[Answer | BaseException] = []

    def work() -> None:
        try:
            found.append(_asked(judge, request))
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that asked
            found.append(error)

    # A thread of its own: a call that never ends cannot be ended, but it can be left behind.
    thread = threading.Thread(target=work, name="pytest-verdict blind judge", daemon=True)
    thread.start()
    thread.join(timeout)
    if not found:
        return Answer(None, f"TimeoutError: the judge took longer than {timeout} seconds")
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _asked(judge: BlindJudge, request: JudgeRequest) -> Answer:
    try:
        found = judge(request)
        if inspect.isawaitable(found):
            found = asyncio.run(_awaited(found))
        return _answer(found)
    except VerdictError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a provider raises, the call is recorded
        return Answer(None, error_outcome(error).error)


async def _awaited(found: Awaitable[Any]) -> Any:
    return await found


def _answer(found: Any) -> Answer:
    if isinstance(found, str):
        return Answer(found)
    if isinstance(found, BaseModel):
        return Answer(found.model_dump_json(exclude_none=True))
    if isinstance(found, Mapping):
        return Answer(json.dumps(found, default=_plain, ensure_ascii=False, allow_nan=False))
    return Answer(
        None, f"TypeError: a judge answers with a mapping, JSON text or a pydantic object, got {shown(found, 80)}"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{shown(value, 80)} is no JSON value")
