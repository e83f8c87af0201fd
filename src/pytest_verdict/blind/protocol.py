"""`BlindProtocol`: how often and in which order a judge is asked, and what its answers amount to; fixed before it is asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from pytest_verdict.blind.rubric import LABELS, OTHER, TIE, Label, Winner
from pytest_verdict.core.strict_model import StrictModel

Order = Literal["both", "single", "latin4"]
Rule = Literal["majority", "supermajority", "unanimous", "abstain"]
Resolve = Literal["derived", "strict", "abstain"]
LeakPolicy = Literal["fail", "redact", "record"]
Status = Literal["JUDGED", "INCONSISTENT", "ABSTAINED", "INVALID"]

_LONGEST: Final = 604_800
_Seconds = Annotated[int | float, Field(gt=0, le=_LONGEST)]


@dataclass(frozen=True, slots=True)
class Pass:
    """One way of showing the two candidates."""

    exchanged: bool
    shown: tuple[Label, Label]

    def slots(self, a: int) -> dict[Label, int]:
        """Give the candidate behind each label, when ``a`` is the one that was drawn for A."""
        first = 1 - a if self.exchanged else a
        return {"A": first, "B": 1 - first}


_PASSES: Final = tuple(
    Pass(exchanged, shown) for shown in (LABELS, (OTHER["A"], OTHER["B"])) for exchanged in (False, True)
)
_ASKED: Final[Mapping[Order, int]] = {"single": 1, "both": 2, "latin4": 4}


class BlindProtocol(StrictModel):
    """How a comparison is judged.

    Args:
        order: ``both`` asks twice, with the labels exchanged. ``single`` asks once, so that a preference for a place cannot be
            noticed. ``latin4`` asks four times, label by place, so that a preference for the letter A and one for the
            first place show apart.
        repetitions: How often each order is asked, from 1.
        rule: What the repetitions must agree on. ``majority``: more than half; ``supermajority``: at least two thirds;
            ``unanimous``: all; ``abstain``: all, and within a pair a winner and a tie do not agree either.
        retries: How often a call is repeated when its reply is no verdict, from 0; each attempt is recorded.
        resolve: What a contradiction that gates does to a reply: ``derived`` lets the derived winner stand, ``strict`` makes
            the reply invalid, ``abstain`` takes its vote away.
        leaks: What happens when something that the judge would see names a candidate: ``fail``, ``redact`` or ``record``.
        timeout: The longest a call may take, in seconds; None waits for ever.

    Raises:
        SettingsError: A value is not allowed.

    Example:
        >>> [way.exchanged for way in BlindProtocol().passes]
        [False, True]
    """

    subject: ClassVar[str] = "a protocol"
    part: ClassVar[str] = "setting"

    order: Order = "both"
    repetitions: int = Field(default=1, ge=1, le=100, description="a whole number from 1 to 100")
    rule: Rule = "majority"
    retries: int = Field(default=1, ge=0, le=100, description="a whole number from 0 to 100")
    resolve: Resolve = "derived"
    leaks: LeakPolicy = "fail"
    timeout: _Seconds | None = Field(
        default=None, description=f"a number of seconds above 0 and at most {_LONGEST} (a week), or None"
    )

    @property
    def passes(self) -> tuple[Pass, ...]:
        """The ways of showing the candidates, each asked as often as there are repetitions."""
        return _PASSES[: _ASKED[self.order]]

    def written(self) -> dict[str, Any]:
        """Write the protocol as JSON; the time limit decides nothing afterwards and is left out."""
        return self.model_dump(exclude={"timeout"})


@dataclass(frozen=True, slots=True)
class Vote:
    """What a reply, a pair of replies, or all of them amount to, in terms of the assignment."""

    status: Status
    winner: Winner | None = None
    order_sensitive: bool = False

    @property
    def label(self) -> str:
        """The winner, or else the status."""
        return self.winner or self.status


def reconciled(votes: Sequence[Vote], rule: Rule) -> Vote:
    """Bring the orders of one repetition together; a winner must survive the exchange of labels."""
    statuses = {vote.status for vote in votes}
    if "INVALID" in statuses or "ABSTAINED" in statuses:
        return Vote("INVALID" if "INVALID" in statuses else "ABSTAINED")
    winners = {vote.winner for vote in votes}
    if len(winners) == 1:
        return votes[0]
    if {"A", "B"} <= winners:
        return Vote("INCONSISTENT")
    return Vote("ABSTAINED") if rule == "abstain" else Vote("JUDGED", TIE, order_sensitive=True)


def aggregated(votes: Sequence[Vote], rule: Rule) -> Vote:
    """Bring the repetitions together; failed ones stay in the count."""
    label, count = Counter(vote.label for vote in votes).most_common(1)[0]
    share = Fraction(count, len(votes))
    enough = {"majority": share > Fraction(1, 2), "supermajority": share >= Fraction(2, 3)}
    if not enough.get(rule, share == 1):
        return Vote("ABSTAINED")
    alike = [vote for vote in votes if vote.label == label]
    return Vote(alike[0].status, alike[0].winner, any(vote.order_sensitive for vote in alike))
