"""`BlindProtocol`: how a judge is asked, and how its votes are combined."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from pytest_verdict.blind.rubric import TIE, Winner
from pytest_verdict.core.strict_model import StrictModel

Rule = Literal["majority", "supermajority", "unanimous", "abstain"]
Status = Literal["JUDGED", "INCONSISTENT", "ABSTAINED", "INVALID"]

_MAXIMUM_TIMEOUT: Final = 604_800
_Seconds = Annotated[int | float, Field(gt=0, le=_MAXIMUM_TIMEOUT)]


class BlindProtocol(StrictModel):
    """How a judge is asked, and how its replies are combined.

    Args:
        order: ``both`` asks twice, the second time with the labels exchanged. ``single`` asks once and cannot detect a
            preference for a position.
        repetitions: How often each order is asked, from 1.
        rule: How many repetitions must agree. ``majority``: more than half; ``supermajority``: at least two thirds;
            ``unanimous``: all; ``abstain``: all, and a winner in one order with a tie in the other does not count as a tie.
        retries: How often a call is repeated after a reply without a verdict, from 0. Each attempt is recorded.
        resolve: The effect of a gating contradiction on a reply: ``derived`` keeps the derived winner, ``strict`` makes the
            reply invalid, ``abstain`` ignores its vote.
        leaks: The policy for text that would show the judge the name of a candidate: ``fail``, ``redact`` or ``record``.
        timeout: The longest time of a call in seconds; None for no limit.

    Raises:
        SettingsError: A value is not allowed.

    Example:
        >>> BlindProtocol(order="single").ways
        (0,)
    """

    subject: ClassVar[str] = "a protocol"
    part: ClassVar[str] = "setting"

    order: Literal["both", "single"] = "both"
    repetitions: int = Field(default=1, ge=1, le=100, description="a whole number from 1 to 100")
    rule: Rule = "majority"
    retries: int = Field(default=1, ge=0, le=100, description="a whole number from 0 to 100")
    resolve: Literal["derived", "strict", "abstain"] = "derived"
    leaks: Literal["fail", "redact", "record"] = "fail"
    # No record has it, because it does not affect the verdict.
    timeout: _Seconds | None = Field(
        default=None,
        exclude=True,
        description=f"a number of seconds above 0 and at most {_MAXIMUM_TIMEOUT} (a week), or None",
    )

    @property
    def ways(self) -> tuple[int, ...]:
        """The ways in which each repetition asks; in way 1, the labels are exchanged."""
        return (0, 1) if self.order == "both" else (0,)


@dataclass(frozen=True, slots=True)
class Vote:
    """The result of one reply, one repetition or a whole comparison; labels are those of the assignment."""

    status: Status
    winner: Winner | None = None
    order_sensitive: bool = False

    @property
    def label(self) -> str:
        return self.winner or self.status


def combine_orders(votes: Sequence[Vote], rule: Rule) -> Vote:
    """Combine the votes of one repetition; a winner must win in every order."""
    statuses = {vote.status for vote in votes}
    if "INVALID" in statuses:
        return Vote("INVALID")
    if "ABSTAINED" in statuses:
        return Vote("ABSTAINED")

    winners = {vote.winner for vote in votes}
    if len(winners) == 1:
        return votes[0]
    if {"A", "B"} <= winners:
        return Vote("INCONSISTENT")
    if rule == "abstain":
        return Vote("ABSTAINED")
    return Vote("JUDGED", TIE, order_sensitive=True)


def combine_repetitions(votes: Sequence[Vote], rule: Rule) -> Vote:
    """Combine the votes of all repetitions; invalid ones count as well."""
    label, count = Counter(vote.label for vote in votes).most_common(1)[0]
    if rule == "majority":
        is_decided = 2 * count > len(votes)
    elif rule == "supermajority":
        is_decided = 3 * count >= 2 * len(votes)
    else:
        is_decided = count == len(votes)
    if not is_decided:
        return Vote("ABSTAINED")

    agreeing = [vote for vote in votes if vote.label == label]
    order_sensitive = any(vote.order_sensitive for vote in agreeing)
    return Vote(agreeing[0].status, agreeing[0].winner, order_sensitive)
