"""Turns: conversations split into trajectories, and two conversations compared turn by turn."""

from typing import Any, Final, Literal

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import decode_text
from pytest_verdict.trajectories.readers.common import get, has

Turns = Literal["none", "all", "mean", "flatten"]

DIFFERENT_TURNS: Final = "different_number_of_turns"


def read_turns(value: Any) -> list[Any]:
    """Split a conversation into turns.

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
        # The events of an Inspect AI sample may hold calls that the messages lack.
        raise TrajectoryError("turns are made of messages, and here events beside the messages may have further calls")
    for container in ("conversation", "invocations", "turns", "messages"):
        items = get(source, container)
        if isinstance(items, list | tuple):
            source = items
            break
    if not isinstance(source, list | tuple):
        raise TrajectoryError(f"turns are a list of trajectories, got {shown(value, 80)}")

    if all(_get_role(item) is None for item in source):
        return list(source)
    turns: list[Any] = []
    for message in source:
        starts_turn = _get_role(message) in {"user", "human"} and not _holds_results(message)
        if starts_turn or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _get_role(item: Any) -> str | None:
    if isinstance(item, str | list | tuple):
        return None
    role = get(item, "role")
    if isinstance(role, str):
        return role
    kind = get(item, "type")
    if isinstance(kind, str) and kind in {"human", "ai", "tool", "system"}:
        return kind
    return None


def _holds_results(message: Any) -> bool:
    # Anthropic, Bedrock and Gemini return the results of tools in messages of the user.
    blocks = get(message, "content", "parts")
    return isinstance(blocks, list | tuple) and any(
        get(block, "type") == "tool_result" or has(block, "toolResult", "function_response", "functionResponse")
        for block in blocks
    )


def compare_turns(operator: Operator, expected: list[Any], observed: list[Any], *, mean: bool) -> Outcome:
    counts = {"expected_turns": len(expected), "observed_turns": len(observed)}
    children = tuple(
        run(operator, *sides, name=f"turn {number}")
        for number, sides in enumerate(zip(expected, observed, strict=False), 1)
    )
    notes = tuple(dict.fromkeys(note for child in children for note in child.notes))
    for child in children:
        if child.error is not None:
            return Outcome(0.0, notes=notes, details=counts, children=children, error=child.error)
    if len(expected) != len(observed):
        return Outcome(0.0, notes=(DIFFERENT_TURNS, *notes), details=counts, children=children)
    if not children:
        return Outcome(1.0, notes=("empty_expected",), details=counts)

    scores = [child.score for child in children]
    score = min(scores)
    if mean:
        score = min(sum(scores) / len(scores), 1.0)
    return Outcome(score, notes=notes, details=counts, children=children)
