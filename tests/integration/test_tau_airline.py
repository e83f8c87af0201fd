"""100 real conversations of an airline agent, with the actions that were expected and the benchmark's own reward."""

import json

import pytest

from public_data import TAU_AIRLINE
from pytest_verdict import compare

CONVERSATIONS = TAU_AIRLINE.path
pytestmark = TAU_AIRLINE.needed

WRITING_TOOLS = [
    "book_reservation",
    "cancel_reservation",
    "update_reservation_flights",
    "update_reservation_baggages",
    "update_reservation_passengers",
    "send_certificate",
]
# A conversation without one of these is no mistake.
ONLY_WRITING = {"extras": "forbid", "only_tools": WRITING_TOOLS, "tools": WRITING_TOOLS}


@pytest.fixture(scope="module")
def conversations():
    return [json.loads(line) for line in CONVERSATIONS.read_text("utf-8").splitlines()]


def verdicts(conversations, operator, **settings):
    return [compare(operator, row["expected_actions"], row["messages"], **settings) for row in conversations]


@pytest.mark.parametrize(
    ("operator", "passes"), [("trajectory_exact", 7), ("trajectory_in_order", 27), ("trajectory_any_order", 27)]
)
def test_how_many_pass(conversations, operator, passes):
    assert sum(result.passed for result in verdicts(conversations, operator)) == passes


def test_a_conversation_without_expected_actions_is_compared_exactly_or_not_at_all(conversations):
    unexpected = [row for row in conversations if not row["expected_actions"]]
    assert len(unexpected) == 14
    for operator in ("trajectory_in_order", "trajectory_any_order"):
        assert {result.verdict for result in verdicts(unexpected, operator)} == {"error"}
    assert {result.verdict for result in verdicts(unexpected, "trajectory_exact")} <= {"pass", "fail"}


def test_the_writing_calls_alone_predict_the_reward(conversations):
    found = verdicts(conversations, "trajectory_any_order", **ONLY_WRITING)
    assert sum(result.passed for result in found) == 40
    agreed = [result.passed == (row["reward"] == 1.0) for result, row in zip(found, conversations, strict=True)]
    assert sum(agreed) == 93


def test_every_failure_is_explained(conversations):
    for result in verdicts(conversations, "trajectory_any_order", **ONLY_WRITING):
        assert result.verdict != "error"
        assert result.passed or result.details["differences"]
