"""Slots of calls: their order, their number, calls that wait, and the threads in which they run."""

import threading
import time
from concurrent.futures import wait

import pytest

from pytest_verdict.judging.calls import Slots, call_within
from pytest_verdict.judging.pace import Pace
from pytest_verdict.suites.suite_model import RateLimit


class BusyError(Exception):
    status = 429

    def __init__(self, seconds):
        super().__init__("busy")
        self.headers = {"Retry-After": str(seconds)}


def start(slots, most, function):
    return slots.submit(most, function)


@pytest.mark.parametrize("most", [1, 2, 7])
def test_calls_start_in_their_order_and_never_more_than_allowed(most):
    slots = Slots(threading.Event())
    lock = threading.Lock()
    order = []
    now = [0, 0]

    def call(number):
        with lock:
            order.append(number)
            now[0] += 1
            now[1] = max(now)
        time.sleep(0.01)
        with lock:
            now[0] -= 1
        return number

    futures = [start(slots, most, lambda number=number: call(number)) for number in range(20)]
    assert [future.result(5) for future in futures] == [*range(20)]
    assert now[1] <= most
    assert [number // most for number in order] == [number // most for number in range(20)] or most > 1


def test_a_call_that_was_told_to_wait_has_no_slot():
    slots = Slots(threading.Event())
    pace = Pace(threading.Event(), 1)
    answers = iter([BusyError(0.3), "late"])
    finished = []

    def answer():
        reply = next(answers)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def busy():
        finished.append(pace.call(answer, RateLimit(max_retries=1), lambda seconds: slots.wait(1, seconds)))

    calls = [start(slots, 1, busy), *(start(slots, 1, lambda: finished.append("quick")) for _ in range(5))]
    wait(calls, 5)
    assert finished == ["quick"] * 5 + ["late"]


def test_a_call_that_ends_its_wait_is_before_those_that_have_not_started():
    slots = Slots(threading.Event())
    order = []

    def first():
        slots.wait(1, 0.05)
        order.append("first")

    def second():
        time.sleep(0.2)
        order.append("second")

    calls = [start(slots, 1, first), start(slots, 1, second), start(slots, 1, lambda: order.append("third"))]
    wait(calls, 5)
    assert order == ["second", "first", "third"]


def test_a_session_that_ends_does_not_wait_for_a_slot():
    closing = threading.Event()
    slots = Slots(closing)
    waiting = start(slots, 1, lambda: slots.wait(1, 60))
    never = start(slots, 1, lambda: time.sleep(0.05))
    slots.close()
    assert waiting.result(5) is None
    assert not never.cancelled()


@pytest.mark.parametrize(
    ("answers", "retries", "calls", "error"),
    [
        ([BusyError(0), "a"], 1, 2, None),
        ([BusyError(0), BusyError(0), "a"], 2, 3, None),
        ([BusyError(0), "a"], 0, 1, BusyError),
        ([BusyError(9_999), "a"], 5, 1, BusyError),
        ([OSError("refused"), "a"], 5, 1, OSError),
        (["a"], 5, 1, None),
    ],
)
def test_a_busy_service_is_asked_again_as_often_as_allowed(answers, retries, calls, error):
    asked = []

    def answer():
        asked.append(time.monotonic())
        reply = answers[len(asked) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply

    pace = Pace(threading.Event(), 1)
    limit = RateLimit(max_retries=retries, max_delay_seconds=5)
    if error is None:
        assert pace.call(answer, limit, lambda _: None) == "a"
    else:
        with pytest.raises(error):
            pace.call(answer, limit, lambda _: None)
    assert len(asked) == calls


def test_no_call_sees_the_thread_local_values_of_another():
    values = threading.local()

    def add():
        values.count = getattr(values, "count", 0) + 1
        return values.count

    assert [call_within(5, add) for _ in range(20)] == [1] * 20
