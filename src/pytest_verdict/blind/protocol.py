"""`BlindProtocol`: how a judge is asked and its votes are combined; and the assignment of two candidates to A and B."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from pytest_verdict.blind.rubric import LABELS, TIE, Label, Winner
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.encoding import content_digest

Order = Literal["both", "single", "latin4"]
Rule = Literal["majority", "supermajority", "unanimous", "abstain"]
Resolve = Literal["derived", "strict", "abstain"]
LeakPolicy = Literal["fail", "redact", "record"]
Status = Literal["JUDGED", "INCONSISTENT", "ABSTAINED", "INVALID"]

_MAXIMUM_TIMEOUT: Final = 604_800
_Seconds = Annotated[int | float, Field(gt=0, le=_MAXIMUM_TIMEOUT)]


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """One way to show two candidates: whether their labels are exchanged, and which label comes first."""

    exchanged: bool
    shown: tuple[Label, Label]

    def slots(self, a: int) -> dict[Label, int]:
        """Return the index of the candidate behind each label, if ``a`` was drawn for the label A."""
        if self.exchanged:
            return {"A": 1 - a, "B": a}
        return {"A": a, "B": 1 - a}


_SHOWN: Final[tuple[tuple[Label, Label], ...]] = (LABELS, ("B", "A"))
_ORDER_COUNTS: Final[Mapping[Order, int]] = {"single": 1, "both": 2, "latin4": 4}


class BlindProtocol(StrictModel):
    """How a judge is asked, and how its replies are combined.

    Args:
        order: ``both`` asks twice, the second time with the labels exchanged. ``single`` asks once and cannot detect a
            preference for a position. ``latin4`` asks four times, which separates a preference for the letter A from a
            preference for the first position.
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
        >>> [label_order.exchanged for label_order in BlindProtocol().label_orders]
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
        default=None, description=f"a number of seconds above 0 and at most {_MAXIMUM_TIMEOUT} (a week), or None"
    )

    @property
    def label_orders(self) -> tuple[LabelOrder, ...]:
        """The orders in which the judge sees the candidates; each repetition asks in all of them."""
        orders = [LabelOrder(exchanged=exchanged, shown=shown) for shown in _SHOWN for exchanged in (False, True)]
        return tuple(orders[: _ORDER_COUNTS[self.order]])

    def to_json(self) -> dict[str, Any]:
        """Return the protocol as a record holds it, without the timeout, which does not affect the verdict."""
        return self.model_dump(exclude={"timeout"})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The index of the candidate that is called A, and the proof that it was drawn before the judge was asked."""

    key: str
    position: int | None
    comparison: str
    a: int
    nonce: str
    commitment: str

    def to_json(self) -> dict[str, Any]:
        members = {"key": self.key, "position": self.position, "A": self.a}
        return {**members, "nonce": self.nonce, "commitment": self.commitment}


def _hash(*parts: Any) -> str:
    return content_digest(["pytest-verdict blind 1", *parts])


def draw_assignment(key: str, comparison: str, position: int | None = None) -> Assignment:
    """Draw the assignment of a comparison, which does not depend on the order of tests or the number of workers."""
    if position is None:
        a = int(_hash("draw", key, comparison), 16) & 1
    else:
        # Each pair of positions gets both assignments.
        a = (int(_hash("draw", key, position // 2), 16) ^ position) & 1
    nonce = _hash("nonce", key, comparison)
    commitment = _hash("commitment", nonce, comparison, a, position)
    return Assignment(key=key, position=position, comparison=comparison, a=a, nonce=nonce, commitment=commitment)


def is_drawn_from_its_key(assignment: Mapping[str, Any], comparison: str) -> bool:
    """Return whether a recorded assignment is the one that its key draws, with the right commitment."""
    key = assignment.get("key")
    position = assignment.get("position")
    if not isinstance(key, str):
        return False
    if position is not None and type(position) is not int:
        return False
    return draw_assignment(key, comparison, position).to_json() == dict(assignment)


def hash_json(part: Literal["comparison", "calls"], value: Any) -> str:
    return _hash(part, json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False))


def build_fence(assignment: Assignment, number: int) -> str:
    """Return the line that frames the outputs in a prompt."""
    return _hash("fence", assignment.key, assignment.comparison, number)[:16]
