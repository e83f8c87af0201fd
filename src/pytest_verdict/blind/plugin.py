"""The hooks of blind comparison: its operators, explanations, commands and lines at the end of a session."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_PACKAGE: Final = "pytest_verdict.blind."


@hookimpl
def recorded_operators() -> Mapping[str, str]:
    return {"blind_ballot": f"{_PACKAGE}reply:BlindBallot", "blind_preference": f"{_PACKAGE}preference:BlindPreference"}


@hookimpl
def explanations() -> Mapping[str, str]:
    return {
        "blind_ballot": f"{_PACKAGE}explanation:explain_ballot",
        "blind_preference": f"{_PACKAGE}explanation:explain_preference",
    }


@hookimpl
def commands() -> Mapping[str, Command]:
    return {
        "blind": Command("compare outputs without telling the judge who made which", f"{_PACKAGE}commands.blind"),
        "calibrate": Command(
            "measure how far a judge of blind comparisons agrees with people", f"{_PACKAGE}commands.calibrate"
        ),
        "unblind": Command(
            "reveal which output of a blind comparison was A, and verify the commitment", f"{_PACKAGE}commands.unblind"
        ),
    }


@hookimpl
def closing_lines() -> Mapping[str, str]:
    return {"blind_preference": f"{_PACKAGE}explanation:summarize_session"}
