"""A call that blocks the loop of all async calls, takes too long or fails harms no other one."""

from __future__ import annotations

import asyncio
import copy
import functools
import pickle
import threading
import time

import pytest

from pytest_verdict.judging import JudgeRequest, RecordedJudge, calls
from pytest_verdict.judging.asking import ask, ask_async
from pytest_verdict.judging.calls import avoid_loop, call_within, run_in_order


def question(text="How many?"):
    return JudgeRequest(prompt=text, schema={}, instructions="Answer in JSON.", parts={"text": text})


def named(judge):
    judge.judge_id = "a judge"
    return judge


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(calls, "_GRACE", 0.1)
    monkeypatch.setattr(calls, "_LOOP_GRACE", 0.1)
    monkeypatch.setattr(calls, "_POLL_SECONDS", 0.02)


@pytest.fixture
def fresh_loops(monkeypatch):
    monkeypatch.setattr(calls, "_loops", [])


async def answering(_request):
    await asyncio.sleep(0)
    return {"loop": id(asyncio.get_running_loop())}


def count_loops():
    return sum(thread.name == "pytest-verdict calls" for thread in threading.enumerate())


def wait_until(is_true):
    deadline = time.monotonic() + 10
    while not is_true() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert is_true()


class Blocks:
    """Async functions that block, until the test releases them."""

    judge_id = "blocks"

    def __init__(self):
        self.released = threading.Event()

    async def at_once(self, _request):
        self.released.wait(10)

    async def behind_an_await(self, _request):
        await asyncio.sleep(0.01)
        self.released.wait(10)

    async def in_a_task(self, _request):
        async def block():
            self.released.wait(10)

        await asyncio.gather(asyncio.sleep(0.01), block())

    async def in_a_callback(self, _request):
        asyncio.get_running_loop().call_soon(self.released.wait, 10)
        await asyncio.sleep(0.3)

    async def again_and_again(self, _request):
        while not self.released.wait(0.5):
            await asyncio.sleep(0)


def ask_with_a_limit(blocking, _folder):
    ask(blocking, question(), 0.05)


def ask_a_recorded_judge(blocking, folder):
    # The limit is that of a sync function, which waits for the loop inside.
    ask(RecordedJudge(folder, named(functools.partial(blocking)), mode="record"), question(), 0.05)


def ask_an_async_wrapper(blocking, folder):
    recorded = RecordedJudge(folder, named(functools.partial(blocking)), mode="record")

    async def wrapper(request):
        return recorded(request)

    ask(wrapper, question(), 0.05)


def call_an_adapter(blocking, _folder):
    call_within(0.05, functools.partial(blocking, None))


def call_a_sync_adapter_that_asks(blocking, _folder):
    call_within(0.05, functools.partial(ask, blocking, question()), ends_itself=True)


CALLERS = [ask_with_a_limit, ask_a_recorded_judge, ask_an_async_wrapper, call_an_adapter, call_a_sync_adapter_that_asks]
BLOCKING = ["at_once", "behind_an_await", "in_a_task", "in_a_callback", "again_and_again"]


@pytest.mark.ci
@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("way", BLOCKING)
def test_blocked_loop_is_left_and_its_other_calls_go_on(caller, way, tmp_path):
    blocks = Blocks()
    started = threading.Event()
    replies = []

    async def other(_request):
        started.set()
        await asyncio.sleep(0.02)
        await asyncio.sleep(0.02)
        return "the other reply"

    thread = threading.Thread(target=lambda: replies.append(ask(other, question("other")).reply))
    thread.start()
    assert started.wait(10)
    try:
        with pytest.raises(TimeoutError):
            caller(getattr(blocks, way), tmp_path)
        # The next calls do not wait for the one that blocks.
        for _ in range(3):
            assert ask(answering, question(), 5).reply["loop"]
    finally:
        blocks.released.set()
    thread.join(10)
    assert replies == ["the other reply"]
    wait_until(lambda: count_loops() <= 4)


@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize("caller", CALLERS)
def test_call_that_only_waits_keeps_the_loop(caller, tmp_path):
    async def endless(_request):
        await asyncio.sleep(0.5)

    if caller is ask_an_async_wrapper:
        # The wrapper itself blocks the loop of its call.
        return
    before = ask(answering, question()).reply
    with pytest.raises(TimeoutError):
        caller(endless, tmp_path)
    assert ask(answering, question()).reply == before


@pytest.mark.usefixtures("short_grace", "fresh_loops")
def test_loop_gets_no_call_until_it_answers():
    blocks = Blocks()
    before = ask(answering, question()).reply
    thread = threading.Thread(target=lambda: ask(blocks.at_once, question()))
    thread.start()
    time.sleep(0.05)
    (loop,) = calls._loops
    answered = avoid_loop(loop)
    other = [ask(answering, question()).reply for _ in range(3)]
    assert before not in other
    assert other[0] == other[1] == other[2]
    blocks.released.set()
    thread.join(10)
    assert answered.wait(10)
    assert ask(answering, question()).reply == before


@pytest.mark.usefixtures("short_grace", "fresh_loops")
def test_judges_that_ask_others_leave_no_loops_behind():
    async def asking(request):
        return ask(answering, request)

    for _ in range(30):
        assert ask(asking, question()).reply
    assert len(calls._loops) <= 2


@pytest.mark.usefixtures("short_grace")
def test_call_of_a_blocked_loop_that_was_given_up_is_not_started():
    blocks = Blocks()
    asked = []

    async def counted(_request):
        asked.append(1)

    thread = threading.Thread(target=lambda: ask(blocks.at_once, question()))
    thread.start()
    time.sleep(0.05)
    with pytest.raises(TimeoutError):
        ask(counted, question(), 0.05)
    blocks.released.set()
    thread.join(10)
    time.sleep(0.05)
    assert asked == []


class Failure(BaseException):
    """An error that is no `Exception`, as those of pytest.skip and pytest.fail."""


def finished(number):
    return number


def slow(number):
    time.sleep(0.1)
    return number


def failing(error, number):
    raise error(str(number))


def extend_one_by_one(results, iterator):
    for result in iterator:
        results.append(result)


@pytest.mark.parametrize("error", [ValueError, Failure, SystemExit, StopIteration, GeneratorExit])
@pytest.mark.parametrize("most", [1, 2, 4, 100])
@pytest.mark.parametrize("position", [0, 1, 3, 7])
def test_results_of_started_calls_come_before_an_error(error, most, position):
    asked = []

    def call(number):
        asked.append(number)
        if number == position:
            failing(error, number)
        return finished(number)

    results = []
    with pytest.raises((error, RuntimeError)):
        extend_one_by_one(results, run_in_order([functools.partial(call, number) for number in range(8)], most))
    if error is GeneratorExit:
        assert results == list(range(position))
    else:
        assert results == sorted(set(asked) - {position})


@pytest.mark.parametrize("most", [1, 2, 4])
def test_results_of_started_calls_come_before_an_error_of_the_next_question(most):
    asked = []

    def call(number):
        time.sleep(0.02)
        asked.append(number)
        return number

    def functions():
        for number in range(5):
            yield functools.partial(call, number)
        raise ValueError("the next question")

    results = []
    with pytest.raises(ValueError, match="the next question"):
        extend_one_by_one(results, run_in_order(functions(), most))
    assert results == sorted(asked)
    assert len(results) >= min(most, 5)


def test_no_call_is_started_after_an_error():
    asked = []

    def call(number):
        asked.append(number)
        if number == 0:
            raise ValueError
        time.sleep(0.05)
        return number

    with pytest.raises(ValueError):
        list(run_in_order([functools.partial(call, number) for number in range(50)], 2))
    assert len(asked) <= 4


def test_results_that_nobody_reads_are_not_waited_for():
    iterator = run_in_order([functools.partial(finished, 1), functools.partial(time.sleep, 5)], 2)
    started = time.monotonic()
    assert next(iterator) == 1
    iterator.close()
    assert time.monotonic() - started < 1


# Recorded judges: equal questions have one reply, whoever asks, and no lock keeps a loop waiting.


class Counting:
    judge_id = "counting"

    def __init__(self, seconds=0.05):
        self.calls = 0
        self.seconds = seconds

    def reply(self):
        self.calls += 1
        return {"call": self.calls}


class Sync(Counting):
    def __call__(self, _request):
        time.sleep(self.seconds)
        return self.reply()


class Async(Counting):
    async def __call__(self, _request):
        await asyncio.sleep(self.seconds)
        return self.reply()


def plainly(recorded):
    return recorded


def async_wrapper(recorded):
    async def wrapper(request):
        await asyncio.sleep(0)
        return recorded(request)

    return wrapper


def async_wrapper_of_ask(recorded):
    async def wrapper(request):
        return await ask_async(recorded, request)

    return wrapper


def wrapper_with_a_loop_of_its_own(recorded):
    async def inside(request):
        return recorded(request)

    return lambda request: asyncio.run(inside(request))


WRAPPERS = [plainly, async_wrapper, async_wrapper_of_ask, wrapper_with_a_loop_of_its_own]


@pytest.mark.parametrize("judge", [Sync, Async])
@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize("mode", ["record", "rewrite"])
def test_equal_questions_at_once_have_one_reply(judge, wrap, mode, tmp_path):
    one = judge()
    wrapped = wrap(RecordedJudge(tmp_path, one, mode=mode))
    replies = []

    def run():
        tasks = [functools.partial(ask, wrapped, question()) for _ in range(4)]
        replies.extend(reply.reply for reply in run_in_order(tasks, 4))

    # A deadlock is a failure of this test only.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    assert len(replies) == 4
    assert all(reply == replies[0] for reply in replies)
    assert ask(RecordedJudge(tmp_path, one), question()).reply == replies[0]
    if wrap in {plainly, async_wrapper_of_ask}:
        assert one.calls == 1


class Refusing(JudgeRequest):
    keeps_failures = True

    def is_answered_by(self, reply):
        return reply != "I refuse."


def refusable(text="How many?"):
    return Refusing(prompt=text, schema={}, instructions="i", parts={"text": text})


def refusal():
    return "I refuse."


def failure():
    raise ConnectionError("503")


def no_reply():
    return 5


@pytest.mark.parametrize("bad", [refusal, failure, no_reply])
@pytest.mark.parametrize("mode", ["record", "rewrite"])
@pytest.mark.parametrize("times", [2, 3])
def test_failures_of_this_run_are_not_asked_again(bad, mode, times, tmp_path):
    asked = []

    def judge(_request):
        asked.append(1)
        return bad() if len(asked) == 1 else "23"

    def outcome(recorded):
        try:
            return recorded(refusable()).reply
        except Exception as error:
            return str(error)

    recorded = RecordedJudge(tmp_path, named(judge), mode=mode)
    first = [outcome(recorded) for _ in range(times)]
    assert len(asked) == 1
    assert len(set(first)) == 1
    # A replay has what the run had.
    assert [outcome(RecordedJudge(tmp_path)) for _ in range(times)] == first
    # The next run asks again, once.
    recorded = RecordedJudge(tmp_path, named(judge), mode=mode)
    assert [outcome(recorded) for _ in range(times)] == ["23"] * times
    assert len(asked) == 2
    recorded = RecordedJudge(tmp_path, named(judge), mode="record")
    assert outcome(recorded) == "23"
    assert len(asked) == 2


def test_usage_of_a_reply_that_cannot_be_recorded_is_kept(tmp_path):
    from pytest_verdict.judging import JudgeReply

    def judge(_request):
        return JudgeReply({"a": {1, 2}}, {"cost": 0.5})

    recorded = RecordedJudge(tmp_path, named(judge), mode="record")
    with pytest.raises(Exception, match="JSON"):
        recorded(refusable())
    (path,) = tmp_path.iterdir()
    assert '"cost": 0.5' in path.read_text()


def by_name(_request):
    return "23"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda judge: pickle.loads(pickle.dumps(judge))])
def test_recorded_judge_can_be_copied(copied, tmp_path):
    recorded = RecordedJudge(tmp_path, by_name, mode="record")
    assert recorded(question()).reply == "23"
    assert copied(recorded)(question("another")).reply == "23"
    assert copied(recorded)(question()).reply == "23"


def test_locks_of_questions_do_not_pile_up(tmp_path):
    from pytest_verdict.judging import recording

    recorded = RecordedJudge(tmp_path, by_name, mode="record")
    for number in range(50):
        recorded(question(str(number)))
    assert [path for path in recording._QUESTION_LOCKS if path.parent == tmp_path] == []


def test_question_that_waited_for_an_equal_one_too_long_is_not_asked(tmp_path):
    asked = []
    ended = threading.Event()

    def judge(_request):
        asked.append(1)
        ended.wait(10)
        return "23"

    recorded = RecordedJudge(tmp_path, named(judge), mode="record")
    for _ in range(2):
        with pytest.raises(TimeoutError):
            ask(recorded, question(), 0.05)
    ended.set()
    time.sleep(0.1)
    assert asked == [1]
    assert ask(recorded, question(), 5).reply == "23"
