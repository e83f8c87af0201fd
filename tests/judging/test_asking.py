"""Asking: a reply is waited for wherever the question is asked, and never longer than it may take."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest

from pytest_verdict.judging import JudgeRequest, RecordedJudge
from pytest_verdict.judging.asking import ask, ask_async

REQUEST = JudgeRequest(prompt="How many?", schema={}, instructions="Answer in JSON.", parts={})


async def running_loop(_request):
    await asyncio.sleep(0)
    return {"loop": asyncio.get_running_loop()}


def sync(_request):
    return {"thread": threading.current_thread()}


def with_a_loop_of_its_own(request):
    return asyncio.run(running_loop(request))


def test_sync_judge_runs_in_the_calling_thread():
    assert ask(sync, REQUEST).reply["thread"] is threading.current_thread()
    assert ask(sync, REQUEST, timeout=5).reply["thread"] is not threading.current_thread()


def test_async_judges_share_one_loop():
    async def inside():
        return ask(running_loop, REQUEST)

    replies = [ask(running_loop, REQUEST), ask(running_loop, REQUEST, timeout=5), asyncio.run(inside())]
    assert len({reply.reply["loop"] for reply in replies}) == 1


@pytest.mark.parametrize("judge", [sync, running_loop, with_a_loop_of_its_own])
def test_ask_works_inside_a_running_loop(judge):
    async def inside():
        return ask(judge, REQUEST)

    assert asyncio.run(inside())


def test_ask_async_does_not_block_the_loop():
    async def inside():
        other_work = threading.Event()

        def judge(_request):
            return other_work.wait(5)

        async def work():
            other_work.set()

        replies = await asyncio.gather(ask_async(judge, REQUEST), work())
        return replies[0].reply, (await ask_async(running_loop, REQUEST)).reply["loop"]

    assert asyncio.run(inside()) == (True, ask(running_loop, REQUEST).reply["loop"])


def test_async_judge_can_ask_another_judge():
    async def asks_another(request):
        return [ask(running_loop, request), await ask_async(running_loop, request)]

    assert [reply.reply["loop"].is_running() for reply in ask(asks_another, REQUEST).reply] == [True, True]


async def endless(_request):
    await asyncio.Event().wait()


async def blocking(_request):
    time.sleep(4)


def sleeping(_request):
    time.sleep(5)


@pytest.mark.parametrize("judge", [sleeping, endless, blocking])
def test_ask_raises_on_timeout(judge):
    before = ask(running_loop, REQUEST).reply["loop"]
    started = time.monotonic()
    with pytest.raises(TimeoutError, match=r"the judge took longer than 0\.1 seconds"):
        ask(judge, REQUEST, timeout=0.1)
    after = ask(running_loop, REQUEST).reply["loop"]
    assert time.monotonic() - started < 3
    assert (after is before) == (judge is not blocking)


@pytest.mark.ci
@pytest.mark.parametrize("answer", ["late", OSError("late")])
def test_late_reply_is_not_recorded(tmp_path, answer):
    ended = threading.Event()

    class Asked(JudgeRequest):
        keeps_failures = True

    def slow(_request):
        time.sleep(0.3)
        if isinstance(answer, Exception):
            raise answer
        return answer

    recorded = RecordedJudge(tmp_path, slow, mode="record")

    def judge(request):
        try:
            return recorded(request)
        finally:
            ended.set()

    request = Asked(prompt="p", schema={}, instructions="i", parts={"text": "t"})
    with pytest.raises(TimeoutError):
        ask(judge, request, timeout=0.05)
    assert ended.wait(20)
    # A replay would find what the session that recorded it did not know.
    assert list(tmp_path.iterdir()) == []
    with contextlib.suppress(Exception):
        ask(recorded, request, timeout=20)
    assert len(list(tmp_path.iterdir())) == 1


def test_timeout_of_the_judge_keeps_its_message():
    def judge(_request):
        raise TimeoutError("the provider gave up")

    async def judge_later(_request):
        raise TimeoutError("the provider gave up")

    for one in (judge, judge_later):
        with pytest.raises(TimeoutError, match="the provider gave up"):
            ask(one, REQUEST, timeout=5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_ask_works_after_fork():
    program = """
import os
from pytest_verdict.judging.asking import ask

async def judge(request):
    return "asked"

ask(judge, None)
child = os.fork()
if child == 0:
    os._exit(0 if ask(judge, None, timeout=20).reply == "asked" else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    command = [sys.executable, "-W", "ignore", "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0\n"
