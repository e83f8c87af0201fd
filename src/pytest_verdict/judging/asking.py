"""Ask a judge and wait for its reply: sync or async, with or without a time limit, inside or outside of an event loop."""

import asyncio
import functools
import inspect
import threading
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from pytest_verdict.judging.calls import CallTimeoutError, avoid_loop, await_in_loop, call_within, get_loop, in_thread
from pytest_verdict.judging.pace import Pace
from pytest_verdict.judging.protocol import Judge, JudgeReply, serialize_reply

Request = TypeVar("Request")


@dataclass
class _Limit:
    requests_per_second: float | None = None
    max_retries: int = 5
    max_delay_seconds: float = 60.0


_LIMIT: Final = _Limit()
# Judges of one process often share one account.
_PACE: Final = Pace(threading.Event(), 1)


def ask(judge: Judge[Request], request: Request, timeout: float | None = None) -> JudgeReply:
    """Call a judge and return its reply; a service that asks to wait is called again, and all other judges wait, too.

    Raises:
        TimeoutError: A call took longer than ``timeout`` seconds.
    """
    call = functools.partial(_ask_once, judge, request, timeout)
    if getattr(judge, "keeps_pace", False):
        return call()
    return _PACE.call(call, _LIMIT, _PACE.closing.wait)


def _ask_once(judge: Judge[Request], request: Request, timeout: float | None) -> JudgeReply:
    call = functools.partial(judge, request)
    loop = get_loop()
    if timeout is None and loop is None:
        reply: Any = call()
        if inspect.isawaitable(reply):
            reply = await_in_loop(reply)
    else:
        # A judge may run an event loop of its own, which needs a thread without one.
        if loop is not None:
            # It is blocked until this call ends.
            avoid_loop(loop)
        try:
            reply = call_within(timeout, call)
        except CallTimeoutError:
            raise TimeoutError(f"the judge took longer than {timeout} seconds") from None
    judge_reply = reply if isinstance(reply, JudgeReply) else JudgeReply(reply)
    if isinstance(judge_reply.reply, BaseModel):
        return replace(judge_reply, reply=serialize_reply(judge_reply.reply))
    return judge_reply


async def ask_async(judge: Judge[Request], request: Request) -> JudgeReply:
    """Call a judge once without blocking the running event loop."""
    outcome = Future[JudgeReply]()
    # A task that is cancelled waits no longer, but the call goes on.
    in_thread(functools.partial(copy_context().run, ask, judge, request), outcome)
    return await asyncio.wrap_future(outcome)
