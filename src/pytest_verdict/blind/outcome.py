"""`BlindComparison`: the result of a blind comparison, for the test that made it."""

from __future__ import annotations

from typing import Any, cast

from pytest_verdict.blind.protocol import JUDGED, Status
from pytest_verdict.blind.scoring import TIE, Winner
from pytest_verdict.core.result import ComparisonResult


class BlindComparison:
    """A blind comparison, with the candidates' names revealed; true when it passed.

    Args:
        result: The comparison, as it is recorded.

    Example:
        >>> from pytest_verdict.blind import blind_compare
        >>> found = blind_compare("The same.", "The same.", "Say something.", judge=print)
        >>> found.status, found.winner, found.is_tie
        ('JUDGED', 'TIE', True)
    """

    __slots__ = ("result",)

    def __init__(self, result: ComparisonResult) -> None:
        self.result = result

    @property
    def status(self) -> Status:
        """``JUDGED``, ``INCONSISTENT``, ``ABSTAINED`` or ``INVALID``."""
        return cast("Status", self.result.details.get("status", "INVALID"))

    @property
    def is_conclusive(self) -> bool:
        """Whether there is a verdict; a tie is one."""
        return self.status == JUDGED

    @property
    def winner(self) -> str | None:
        """The name of the candidate that won, ``TIE``, or None when there is no verdict."""
        return self.result.details.get("winner")

    @property
    def is_tie(self) -> bool:
        """Whether the verdict is a tie."""
        return self.winner == TIE

    @property
    def label(self) -> Winner | None:
        """The winner as ``comparison.json`` has it: ``A``, ``B`` or ``TIE``; None when there is no verdict."""
        return self.result.details.get("label")

    @property
    def assignment(self) -> dict[str, str]:
        """The candidate's name behind each label."""
        return dict(self.result.details.get("assignment", {}))

    @property
    def comparison(self) -> dict[str, Any] | None:
        """The comparison in the pattern's shape; None when no reply was a verdict."""
        return self.result.details.get("comparison")

    @property
    def contradictions(self) -> list[dict[str, Any]]:
        """Where the judge contradicted its own scores: call, code, where, claimed, derived."""
        return list(self.result.details.get("contradictions", []))

    @property
    def commitment(self) -> str:
        """The digest that committed the harness to its assignment before the judge was asked."""
        return str(self.result.observed["assignment"]["commitment"])

    def __bool__(self) -> bool:
        return self.result.passed

    def __repr__(self) -> str:
        return f"<BlindComparison: {self.status}, winner {self.winner!r}, {self.result.verdict}>"
