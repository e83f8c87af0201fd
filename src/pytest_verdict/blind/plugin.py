"""What blind comparison brings: its operators and commands, and what the terminal says of it."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.blind."


@hookimpl
def recorded_operators() -> Mapping[str, str]:
    """Name the operators, which only records carry."""
    return {
        "blind_ballot": f"{_HERE}ballot:BlindBallot",
        "blind_preference": f"{_HERE}preference:BlindPreference",
    }


@hookimpl
def explanations() -> Mapping[str, str]:
    """Explain comparisons and the replies in them."""
    return {
        "blind_ballot": f"{_HERE}explanation:explain_ballot",
        "blind_preference": f"{_HERE}explanation:explain_preference",
    }


@hookimpl
def commands() -> Mapping[str, Command]:
    """Name the commands."""
    return {
        "blind": Command("compare outputs without the judge knowing who made which", f"{_HERE}commands.blind"),
        "calibrate": Command(
            "measure how far a judge of blind comparisons agrees with people", f"{_HERE}commands.calibrate"
        ),
        "unblind": Command(
            "reveal which output of a blind comparison was A, and verify that it was settled before",
            f"{_HERE}commands.unblind",
        ),
    }


@hookimpl
def closing_lines() -> Mapping[str, str]:
    """Say more of blind comparisons at the end of a session."""
    return {"blind_preference": f"{_HERE}explanation:blind_lines"}
