"""An agent's tool calls, read from its messages. It refunds 93.0 instead of 39.0."""

import json
from pathlib import Path

from pytest_verdict import assert_matches
from pytest_verdict.trajectories import assert_trajectory

RUN = json.loads(Path(__file__).with_name("run.json").read_text(encoding="utf-8"))


def test_nothing_is_cancelled():
    assert_matches("trajectory_forbidden", ["cancel_order", "delete_account"], RUN)


def test_each_tool_is_called_once():
    assert_matches("trajectory_max_calls", {"refund": 1, "send_mail": 1}, RUN)


def test_refund():
    calls = [
        ("find_order", {"order": 4711}),
        ("refund", {"order": 4711, "amount": 39.0}),
        ("send_mail", {"order": 4711}),
    ]
    assert_trajectory(calls, RUN, order="in_order")
