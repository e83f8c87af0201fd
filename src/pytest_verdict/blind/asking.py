"""Asking a judge of blind comparisons: its answer becomes text or a problem, never an exception."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_verdict.blind.request import BlindRequest
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.errors import VerdictError
from pytest_verdict.judging import asking
from pytest_verdict.judging.protocol import Judge, reply_text

BlindJudge = Judge[BlindRequest]
"""A judge of blind comparisons."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking."""

    reply: str | None
    problem: str | None = None


def ask(judge: BlindJudge, request: BlindRequest, timeout: float | None) -> Answer:
    """Ask a judge once."""
    try:
        return Answer(reply_text(asking.ask(judge, request, timeout)))
    except VerdictError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a provider raises, the call is recorded
        return Answer(None, error_outcome(error).error)
