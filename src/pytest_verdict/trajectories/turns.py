"""Turns: conversations taken apart, and two of them compared turn by turn."""

from typing import Any, Final, Literal

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import decode_text
from pytest_verdict.trajectories.readers.common import get

Turns = Literal["none", "all", "mean", "flatten"]

DIFFERENT_TURNS: Final = "different_number_of_turns"


def read_turns(value: Any) -> list[Any]:
    """Take a conversation apart into turns.

    Args:
        value: A list of trajectories; or messages, which are split before each message of the user; or ADK invocations.

    Returns:
        One readable trajectory per turn.

    Raises:
        TrajectoryError: The value is not a list.

    Example:
        >>> turns = read_turns([{"role": "user", "content": "Hi"}, {"role": "user", "content": "Bye"}])
        >>> len(turns)
        2
    """
    source = decode_text(value)
    if get(source, "messages") and get(source, "events"):
        # As in a sample of Inspect AI, whose messages lack calls that its events have.
        raise TrajectoryError("turns are made of messages, and here events beside the messages may have further calls")
    inside = (get(source, container) for container in ("conversation", "invocations", "turns", "messages"))
    source = next((inner for inner in inside if isinstance(inner, list | tuple)), source)
    if not isinstance(source, list | tuple):
        raise TrajectoryError(f"turns are a list of trajectories, got {shown(value, 80)}")
    if any(_role(item) is not None for item in source):
        return _split_at_users(list(source))
    return list(source)


def _role(item: Any) -> str | None:
    if isinstance(item, str | list | tuple):
        return None
    role, kind = get(item, "role"), get(item, "type")
    if isinstance(role, str):
        return role
    return kind if isinstance(kind, str) and kind in {"human", "ai", "tool", "system"} else None


def _split_at_users(messages: list[Any]) -> list[Any]:
    turns: list[list[Any]] = []
    for message in messages:
        starts = _role(message) in {"user", "human"} and not _holds_results(message)
        if starts or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _holds_results(message: Any) -> bool:
    # Anthropic and Bedrock send the results of tools back in the name of the user, Gemini likewise.
    blocks = get(message, "content", "parts")
    return isinstance(blocks, list | tuple) and any(
        get(block, "type") == "tool_result"
        or get(block, "toolResult", "function_response", "functionResponse") is not None
        for block in blocks
    )


def compare_turns(operator: Operator, expected: list[Any], observed: list[Any], *, mean: bool) -> Outcome:
    """Compare turn by turn."""
    counts = {"expected_turns": len(expected), "observed_turns": len(observed)}
    pairs = enumerate(zip(expected, observed, strict=False), 1)
    children = tuple(run(operator, *pair, name=f"turn {number}") for number, pair in pairs)
    notes = tuple(dict.fromkeys(note for child in children for note in child.notes))
    broken = next((child.error for child in children if child.error is not None), None)
    if broken is not None:
        return Outcome(0.0, notes=notes, details=counts, children=children, error=broken)
    if len(expected) != len(observed):
        return Outcome(0.0, notes=(DIFFERENT_TURNS, *notes), details=counts, children=children)
    if not children:
        return Outcome(1.0, notes=("empty_expected",), details=counts)
    scores = [child.score for child in children]
    score = min(sum(scores) / len(scores), 1.0) if mean else min(scores)
    return Outcome(score, notes=notes, details=counts, children=children)
